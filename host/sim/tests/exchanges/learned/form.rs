//! A form with an XML document in one field, and a file among the parts of a body.

use super::*;

const HOST: &str = "formularios.cidade.example";
const FORM: &str = "application/x-www-form-urlencoded";
const PARTS: &str = "multipart/form-data; boundary=corte";

fn encoded(text: &str) -> String {
    text.bytes()
        .map(|b| match b {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => char::from(b).to_string(),
            b' ' => "+".to_owned(),
            _ => format!("%{b:02X}"),
        })
        .collect()
}

fn message(number: u32) -> String {
    format!("<nota><rps>{number}</rps><serie>A7</serie><total>1234,56</total></nota>")
}

fn form(number: u32, provider: &str, password: &str) -> String {
    format!(
        "cnpj={provider}&senha={password}&xml={}",
        encoded(&message(number))
    )
}

fn parts(number: u32, provider: &str, boundary: &str) -> String {
    let field = |name: &str, value: &str| {
        format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        )
    };
    field("login", provider)
        + &field("senha", "{{secret:senha:plain}}")
        + &field("f1\"; filename=\"nota.xml", &message(number))
        + &format!("--{boundary}--\r\n")
}

fn step(kind: &'static str, body: String, means: &'static str, answer: &str) -> Step {
    Step {
        method: "POST",
        path: "/enviar",
        effect: "once",
        headers: vec![("Content-Type", kind)],
        body,
        means,
        kind: "text/plain; charset=utf-8",
        answer: answer.as_bytes().to_vec(),
    }
}

pub fn cases() -> Cases {
    let cases = Cases::new();
    let text = "Serviço não permitido";
    for (city, kind, body) in [
        ("form", FORM, form(57, RECORDED, "{{secret:senha:url}}")),
        ("parts", PARTS, parts(57, RECORDED, "corte")),
    ] {
        let issued = step(kind, body.clone(), "issued", "OK|201|AB12-CD34|57|A7");
        cases.case(city, "issued", &issuing(), &[issued], &note());
        let refused = step(kind, body, "refused", &format!("ERRO|E55|{text}"));
        cases.case(
            city,
            "refused",
            &issuing(),
            &[refused],
            &rejected("E55", text),
        );
    }
    cases
}

async fn send(world: &World, kind: &str, body: String) -> String {
    let headers = vec![("Content-Type".to_owned(), kind.to_owned())];
    let answer = world
        .request(
            HOST,
            "POST",
            "/nfse/enviar",
            headers,
            body.into_bytes(),
            None,
        )
        .await;
    text(&answer)
}

#[tokio::test]
async fn a_form_issues() {
    let world = cases().world(None);
    let issued = send(&world, FORM, form(8, COMPANY, "certa")).await;
    assert!(
        issued.starts_with("OK|1|") && issued.ends_with("|8|A7"),
        "{issued}"
    );
    let again = send(&world, FORM, form(8, COMPANY, "certa")).await;
    assert_eq!(again, "ERRO|E55|RPS já informado.");
    let wrong = send(&world, FORM, form(9, COMPANY, "errada")).await;
    assert_eq!(wrong, "ERRO|E55|Usuário ou senha inválidos.");
    let unknown = send(&world, FORM, form(9, COMPANY, "certa") + "&fax=1").await;
    assert_eq!(unknown, "ERRO|E55|Elemento fax não previsto na requisição.");
}

#[tokio::test]
async fn parts_issue_whatever_their_boundary() {
    let world = cases().world(None);
    let kind = "multipart/form-data; boundary=\"outro-corte\"";
    let issued = send(&world, kind, parts(8, COMPANY, "outro-corte")).await;
    assert!(
        issued.starts_with("OK|1|") && issued.ends_with("|8|A7"),
        "{issued}"
    );
    let overview = world.sim.overview();
    assert_eq!(overview.notas.len(), 1);
    assert_eq!(overview.notas[0].sistema, "parts");
    assert_eq!(overview.notas[0].prestador, COMPANY);
}
