//! JSON, with the note's number in the path.

use super::*;

const HOST: &str = "api.cidade.example";
const JSON: &str = "application/json";

fn note_of(number: u32, provider: &str) -> Value {
    json!({ "prestador": { "cnpj": provider }, "rps": { "numero": number, "serie": "A7" },
        "servico": { "valor": 1234.56, "descricao": "Desenvolvimento \"sob\" encomenda" } })
}

fn step(
    method: &'static str,
    path: &'static str,
    body: Option<Value>,
    means: &'static str,
    answer: &Value,
) -> Step {
    Step {
        method,
        path,
        effect: if method == "GET" { "read-only" } else { "once" },
        headers: vec![("Content-Type", JSON)],
        body: body.map(|body| body.to_string()).unwrap_or_default(),
        means,
        kind: JSON,
        answer: answer.to_string().into_bytes(),
    }
}

pub fn cases() -> Cases {
    let cases = Cases::new();
    let body = note_of(57, RECORDED);
    let answer = json!({ "nota": { "numero": 201, "codigo": "AB12-CD34", "valor": 1234.56, "emissao": "2026-10-05T10:16:02-03:00" },
        "descricao": "Desenvolvimento \"sob\" encomenda" });
    cases.case(
        "json",
        "issued",
        &issuing(),
        &[step(
            "POST",
            "/notas",
            Some(body.clone()),
            "issued",
            &answer,
        )],
        &note(),
    );
    let refusal = json!({ "erros": [{ "codigo": 4301, "mensagem": "Código de serviço errado" }] });
    let refused = rejected("4301", "Código de serviço errado");
    cases.case(
        "json",
        "refused",
        &issuing(),
        &[step("POST", "/notas", Some(body), "refused", &refusal)],
        &refused,
    );
    let found = json!({ "situacao": "normal", "numero": 201, "codigo": "AB12-CD34" });
    let path = "/notas/rps/A7/57?cnpj=90011001000124";
    cases.case(
        "json",
        "found",
        &asking(),
        &[step("GET", path, None, "found", &found)],
        &note(),
    );
    let missing = json!({ "situacao": "inexistente" });
    cases.case(
        "json",
        "not-found",
        &asking(),
        &[step("GET", path, None, "not-found", &missing)],
        &nothing(),
    );
    let done = json!({ "situacao": "cancelada", "numero": "201" });
    let path = "/notas/201?cnpj=90011001000124";
    cases.case(
        "json",
        "cancelled",
        &cancelling(),
        &[step("DELETE", path, None, "cancelled", &done)],
        &cancelled(),
    );
    cases
}

async fn send(world: &World, method: &str, path: &str, body: Option<Value>) -> Value {
    let headers = vec![("Content-Type".to_owned(), JSON.to_owned())];
    let body = body
        .map(|body| body.to_string())
        .unwrap_or_default()
        .into_bytes();
    json_of(
        &world
            .request(HOST, method, &format!("/v2{path}"), headers, body, None)
            .await,
    )
}

#[tokio::test]
async fn json_and_paths_are_understood() {
    let world = cases().world(None);
    let issued = send(&world, "POST", "/notas", Some(note_of(8, COMPANY))).await;
    assert_eq!(issued["nota"]["numero"], json!(1), "{issued}");
    assert_eq!(issued["nota"]["valor"].to_string(), "1234.56");
    assert_eq!(issued["nota"]["emissao"], "2026-11-20T12:00:00-03:00");
    assert_eq!(issued["descricao"], "Desenvolvimento \"sob\" encomenda");
    let question = format!("/notas/rps/A7/8?cnpj={COMPANY}");
    let found = send(&world, "GET", &question, None).await;
    assert_eq!(
        found,
        json!({ "situacao": "normal", "numero": 1, "codigo": issued["nota"]["codigo"] })
    );
    let missing = send(
        &world,
        "GET",
        &format!("/notas/rps/A7/9?cnpj={COMPANY}"),
        None,
    )
    .await;
    assert_eq!(missing["situacao"], "inexistente");
    let done = send(&world, "DELETE", &format!("/notas/1?cnpj={COMPANY}"), None).await;
    assert_eq!(done, json!({ "situacao": "cancelada", "numero": "1" }));
    let twice = send(&world, "DELETE", &format!("/notas/1?cnpj={COMPANY}"), None).await;
    assert_eq!(twice["erros"][0]["mensagem"], "Nota já cancelada.");
    let mut more = note_of(9, COMPANY);
    more["servico"]["fax"] = json!("1");
    let refused = send(&world, "POST", "/notas", Some(more)).await;
    assert_eq!(
        refused["erros"][0]["mensagem"],
        "Elemento fax não previsto em servico."
    );
}
