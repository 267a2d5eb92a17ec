//! Ordered faults meet learned cities as they meet the others.

use super::*;
use sim::SimAnswer;

const HOST: &str = "api.cidade.example";

async fn issue(world: &World, number: u32) -> SimAnswer {
    let headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
    let body = json!({ "prestador": { "cnpj": COMPANY }, "rps": { "numero": number, "serie": "A7" },
        "servico": { "valor": 1234.56, "descricao": "Teste" } });
    let body = body.to_string().into_bytes();
    world
        .request(HOST, "POST", "/v2/notas", headers, body, None)
        .await
}

#[tokio::test]
async fn a_refusal_has_the_ordered_code_and_text() {
    let world = json::cases().world(None);
    world
        .fault(
            json!({"quando": {"operacao": "emitir", "documento": COMPANY}, "falha": "recusar",
            "codigo": "7007", "mensagem": "Serviço não \"permitido\""}),
        )
        .await;
    let refused = json_of(&issue(&world, 8).await);
    assert_eq!(refused["erros"][0]["codigo"], json!(7007), "{refused}");
    assert_eq!(refused["erros"][0]["mensagem"], "Serviço não \"permitido\"");
    assert!(world.sim.notas().is_empty());
    assert_eq!(json_of(&issue(&world, 8).await)["nota"]["numero"], json!(1));
}

#[tokio::test]
async fn cuts_queues_and_pages_are_as_elsewhere() {
    let world = json::cases().world(None);
    for (kind, number) in [
        ("cortar_antes", 0),
        ("html", 503),
        ("erro_500", 500),
        ("limite_requisicoes", 429),
    ] {
        world.fault(fault_on("emitir", kind)).await;
        assert_eq!(status(&issue(&world, 8).await), number, "{kind}");
        assert!(world.sim.notas().is_empty(), "{kind}");
    }
    world.fault(fault_on("emitir", "cortar_depois")).await;
    assert_eq!(issue(&world, 8).await, SimAnswer::CutAfter);
    world.fault(fault_on("emitir", "duplicada")).await;
    let again = json_of(&issue(&world, 9).await);
    assert_eq!(again["erros"][0]["mensagem"], "RPS já informado.");
    world.fault(fault_on("emitir", "xml_pela_metade")).await;
    assert_eq!(json_of(&issue(&world, 10).await), Value::Null);
    world.fault(fault_on("emitir", "fila")).await;
    assert_eq!(status(&issue(&world, 11).await), 504);
    assert_eq!(world.sim.notas().len(), 4);
    let received = world.sim.overview().recebidas;
    assert_eq!(received["json"]["emitir"], 8);
}

#[tokio::test]
async fn a_folder_is_read_again_when_asked() {
    let cases = json::cases();
    let world = cases.world(None);
    let names = || async {
        let answer = world
            .call("x", "POST", "/__sim/cidades", Vec::new(), None)
            .await;
        json_of(&answer)
    };
    let before = names().await;
    assert_eq!(before["problemas"], json!([]));
    let has = |said: &Value, name: &str| {
        said["cidades"]
            .as_array()
            .expect("names")
            .iter()
            .any(|known| known == name)
    };
    assert!(has(&before, "json") && !has(&before, "outra"), "{before}");
    for entry in std::fs::read_dir(cases.path()).expect("folder") {
        let file = entry.expect("case").path().join("case.toml");
        let about = std::fs::read_to_string(&file).expect("case.toml");
        std::fs::write(&file, about.replace("\"json\"", "\"outra\"")).expect("case.toml");
    }
    let after = names().await;
    assert!(has(&after, "outra") && !has(&after, "json"), "{after}");
    std::fs::remove_file(cases.path().join("json-issued/outcome.json")).expect("outcome");
    let broken = names().await;
    assert_eq!(
        broken["problemas"][0],
        "json-issued: outcome.json is missing"
    );
    // What remains does not suffice: the city is not listed, and says why.
    assert!(!has(&broken, "outra"), "{broken}");
    let answer = issue(&world, 12).await;
    assert_eq!(status(&answer), 501);
    let said = String::from_utf8_lossy(body(&answer)).into_owned();
    assert!(said.contains("outra: no answer means issued"), "{said}");
    assert!(world.sim.notas().is_empty());
}
