//! XML without an envelope, signed, answered at once.

use super::*;
use sim::pki::A1Files;

const HOST: &str = "notas.cidade.example";
const BASIC: &str = "{{basic:usuario:senha}}";

fn rps(number: u32, provider: &str, extra: &str, value: &str) -> String {
    format!(
        "<nfse><rps><nro>{number}</nro><serie>A7</serie></rps><prestador><cnpj>{provider}</cnpj></prestador>\
         <tomador><doc>{CUSTOMER}</doc><nome>Tomador Exemplo &amp; Cia</nome>{extra}</tomador>\
         <data>04/10/2026</data><valor>{value}</valor></nfse>"
    )
}

fn question(number: u32, provider: &str) -> String {
    format!(
        "<consulta><rps><nro>{number}</nro><serie>A7</serie></rps><prestador><cnpj>{provider}</cnpj></prestador></consulta>"
    )
}

fn cancellation(number: &str, provider: &str) -> String {
    format!(
        "<cancelamento><numero>{number}</numero><cnpj>{provider}</cnpj><motivo>Valor digitado errado.</motivo></cancelamento>"
    )
}

fn with(document: &str, signature: &str) -> String {
    let (before, root) = document.rsplit_once("</").expect("root");
    format!("{before}{signature}</{root}")
}

fn fake(document: &str) -> String {
    with(
        document,
        "<Signature xmlns=\"http://www.w3.org/2000/09/xmldsig#\"><Fake URI=\"\"></Fake></Signature>",
    )
}

fn signed(document: &str, a1: &A1Files) -> String {
    with(document, &signature(document, "", a1, Algorithms::Sha1))
}

fn step(body: String, effect: &'static str, means: &'static str, answer: &str) -> Step {
    // Latin-1, as several systems answer.
    let answer = answer
        .chars()
        .map(|c| u8::try_from(u32::from(c)).expect("Latin-1"));
    Step {
        method: "POST",
        path: "/rest/servico",
        effect,
        headers: vec![
            ("Authorization", BASIC),
            ("Content-Type", "application/xml"),
        ],
        body,
        means,
        kind: "application/xml; charset=iso-8859-1",
        answer: answer.collect(),
    }
}

pub fn cases() -> Cases {
    let cases = Cases::new();
    let full = fake(&rps(
        57,
        RECORDED,
        "<email>a@example.com</email>",
        "1234,56",
    ));
    let answer = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><retorno><numero>000201</numero><codigo>AB12-CD34</codigo>\
        <data>05/10/2026</data><hora>10:16:02</hora><situacao>Nota válida</situacao><valor_total>1234.56</valor_total>\
        <rps>57</rps><tomador>90.022.002/0001-74</tomador><link>https://n.example/?c=AB12-CD34&amp;n=201</link></retorno>";
    cases.case(
        "rest",
        "issued",
        &issuing(),
        &[step(full.clone(), "once", "issued", answer)],
        &note(),
    );
    let text = "Inscrição não encontrada";
    let refusal =
        |code: &str, text: &str| format!("<retorno><erro>{code} - {text}</erro></retorno>");
    let refused = step(full.clone(), "once", "refused", &refusal("E43", text));
    cases.case(
        "rest",
        "refused",
        &issuing(),
        &[refused],
        &rejected("E43", text),
    );
    let duplicate = step(
        full.clone(),
        "once",
        "duplicate",
        &refusal("E10", "RPS repetido"),
    );
    cases.case(
        "rest",
        "duplicate",
        &issuing(),
        &[duplicate],
        &rejected("E10", "RPS repetido"),
    );
    let login = step(full, "once", "login", &refusal("E99", "Senha inválida"));
    cases.case(
        "rest",
        "login",
        &issuing(),
        &[login],
        &rejected("E99", "Senha inválida"),
    );
    let ask = |means: &'static str, answer: &str| {
        [step(question(57, RECORDED), "read-only", means, answer)]
    };
    let found = |state: &str| {
        format!(
            "<retorno><nota><numero>201</numero><codigo>AB12-CD34</codigo><valor>R$ 1.234,56</valor>\
        <nome>Tomador Exemplo &amp; Cia</nome><situacao>{state}</situacao></nota></retorno>"
        )
    };
    cases.case(
        "rest",
        "found",
        &asking(),
        &ask("found", &found("N")),
        &note(),
    );
    cases.case(
        "rest",
        "found-cancelled",
        &asking(),
        &ask("found-cancelled", &found("C")),
        &note(),
    );
    cases.case(
        "rest",
        "not-found",
        &asking(),
        &ask("not-found", &refusal("E4", "Nada encontrado")),
        &nothing(),
    );
    let cancel = |means: &'static str, answer: &str| {
        [step(
            cancellation("201", RECORDED),
            "idempotent",
            means,
            answer,
        )]
    };
    let done = "<retorno><cancelada>201</cancelada><em>2026-10-06T11:22:33</em></retorno>";
    cases.case(
        "rest",
        "cancelled",
        &cancelling(),
        &cancel("cancelled", done),
        &cancelled(),
    );
    let again = refusal("E79", "Já cancelada");
    cases.case(
        "rest",
        "cancelled-twice",
        &cancelling(),
        &cancel("already-cancelled", &again),
        &rejected("E79", "Já cancelada"),
    );
    cases
}

fn headers(password: &str) -> Vec<(String, String)> {
    use base64::Engine;
    let login = base64::engine::general_purpose::STANDARD.encode(format!("fulano:{password}"));
    vec![
        ("Authorization".to_owned(), format!("Basic {login}")),
        ("Content-Type".to_owned(), "application/xml".to_owned()),
    ]
}

async fn send(world: &World, body: &str, password: &str) -> (u16, String) {
    let headers = headers(password);
    let path = "/base/rest/servico";
    let body = body.as_bytes().to_vec();
    let answer = world.request(HOST, "POST", path, headers, body, None).await;
    let text = super::body(&answer)
        .iter()
        .map(|byte| char::from(*byte))
        .collect();
    (status(&answer), text)
}

async fn issue(world: &World, number: u32, a1: &A1Files, provider: &str) -> String {
    let document = rps(number, provider, "", "77,00");
    send(world, &signed(&document, a1), "certa").await.1
}

#[tokio::test]
async fn a_note_is_issued_found_and_cancelled() {
    let world = cases().world(None);
    let issued = issue(&world, 8, &COMPANY_A1, COMPANY).await;
    assert_eq!(element(&issued, "numero"), "000001");
    assert_eq!(element(&issued, "data"), "20/11/2026");
    assert_eq!(element(&issued, "hora"), "12:00:00");
    assert_eq!(element(&issued, "valor_total"), "77.00");
    assert_eq!(element(&issued, "rps"), "8");
    assert_eq!(element(&issued, "tomador"), "90.022.002/0001-74");
    assert_eq!(element(&issued, "situacao"), "Nota válida");
    let code = element(&issued, "codigo").to_owned();
    assert_ne!(code, "AB12-CD34");
    assert_eq!(
        element(&issued, "link"),
        format!("https://n.example/?c={code}&amp;n=1")
    );

    let (_, again) = send(
        &world,
        &signed(&rps(8, COMPANY, "", "77,00"), &COMPANY_A1),
        "certa",
    )
    .await;
    assert_eq!(element(&again, "erro"), "E10 - RPS repetido");
    let (_, found) = send(&world, &question(8, COMPANY), "certa").await;
    assert_eq!(element(&found, "numero"), "1");
    assert_eq!(element(&found, "codigo"), code);
    assert_eq!(element(&found, "valor"), "R$ 77,00");
    assert_eq!(element(&found, "situacao"), "N");
    let (_, unknown) = send(&world, &question(9, COMPANY), "certa").await;
    assert_eq!(element(&unknown, "erro"), "E4 - Nada encontrado");

    world.advance(3_600_000);
    let (_, done) = send(&world, &cancellation("1", COMPANY), "certa").await;
    assert_eq!(element(&done, "cancelada"), "1");
    assert_eq!(element(&done, "em"), "2026-11-20T13:00:00");
    let (_, twice) = send(&world, &cancellation("1", COMPANY), "certa").await;
    assert_eq!(element(&twice, "erro"), "E79 - Já cancelada");
    let (_, found) = send(&world, &question(8, COMPANY), "certa").await;
    assert_eq!(element(&found, "situacao"), "C");
}

#[tokio::test]
async fn a_city_with_hosts_is_at_no_other() {
    for (host, there) in [
        (HOST, true),
        ("cidade.example", true),
        ("outra.example", false),
        // The end of a name is no name.
        ("ade.example", false),
    ] {
        let cases = cases();
        let about = cases.path().join("rest-issued/case.toml");
        let known = std::fs::read_to_string(&about).expect("case.toml");
        std::fs::write(&about, format!("{known}hosts = [\"{host}\"]\n")).expect("case.toml");
        let world = cases.world(None);
        issue(&world, 8, &COMPANY_A1, COMPANY).await;
        let notas = world.sim.notas();
        let taken = notas.iter().filter(|nota| nota.sistema == "rest").count();
        assert_eq!(taken, usize::from(there), "{host}");
    }
}

#[tokio::test]
async fn two_providers_have_numbers_of_their_own() {
    let world = cases().world(None);
    assert_eq!(
        element(&issue(&world, 8, &COMPANY_A1, COMPANY).await, "numero"),
        "000001"
    );
    assert_eq!(
        element(&issue(&world, 9, &COMPANY_A1, COMPANY).await, "numero"),
        "000002"
    );
    let other = issue(&world, 8, &OTHER_A1, OTHER).await;
    assert_eq!(element(&other, "numero"), "000001");
    let (_, found) = send(&world, &question(9, OTHER), "certa").await;
    assert!(found.contains("Nada encontrado"), "{found}");
    let (_, found) = send(&world, &cancellation("2", OTHER), "certa").await;
    assert!(found.contains("Nota não encontrada"), "{found}");
}

#[tokio::test]
async fn the_file_brings_the_notes_back() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("sim.sqlite");
    let cases = cases();
    let world = cases.world(Some(file.clone()));
    let issued = issue(&world, 8, &COMPANY_A1, COMPANY).await;
    drop(world);
    let world = cases.world(Some(file));
    let (_, found) = send(&world, &question(8, COMPANY), "certa").await;
    assert_eq!(element(&found, "codigo"), element(&issued, "codigo"));
    assert_eq!(element(&found, "nome"), "Tomador Exemplo &amp; Cia");
    assert_eq!(
        element(&issue(&world, 9, &COMPANY_A1, COMPANY).await, "numero"),
        "000002"
    );
}

#[tokio::test]
async fn what_no_case_shows_is_refused() {
    let world = cases().world(None);
    let refused = |text: &str, wanted: &str| assert!(text.contains(wanted), "{text}");
    let unknown = signed(&rps(8, COMPANY, "<fax>1</fax>", "77,00"), &COMPANY_A1);
    let (_, text) = send(&world, &unknown, "certa").await;
    refused(&text, "Elemento fax não previsto em nfse/tomador.");
    let order = rps(8, COMPANY, "", "77,00").replace(
        "<data>04/10/2026</data><valor>77,00</valor>",
        "<valor>77,00</valor><data>04/10/2026</data>",
    );
    let (_, text) = send(&world, &signed(&order, &COMPANY_A1), "certa").await;
    refused(&text, "Elemento data fora de ordem em nfse");
    assert!(world.sim.notas().is_empty());
}

#[tokio::test]
async fn a_wrong_signature_is_refused() {
    let world = cases().world(None);
    let document = rps(8, COMPANY, "", "77,00");
    let (_, text) = send(&world, &document, "certa").await;
    assert!(text.contains("Assinatura ausente em nfse."), "{text}");
    let changed = signed(&document, &COMPANY_A1).replace("77,00", "78,00");
    let (_, text) = send(&world, &changed, "certa").await;
    assert!(text.contains("Assinatura inválida em nfse."), "{text}");
    let (_, text) = send(&world, &signed(&document, &OTHER_A1), "certa").await;
    assert!(text.contains("Assinatura de outro titular"), "{text}");
    assert!(world.sim.notas().is_empty());
}

#[tokio::test]
async fn the_wrong_password_is_answered_by_its_case() {
    let world = cases().world(None);
    let document = signed(&rps(8, COMPANY, "", "77,00"), &COMPANY_A1);
    let (_, text) = send(&world, &document, "errada").await;
    assert_eq!(element(&text, "erro"), "E99 - Senha inválida");
    // No case of a question shows it: the one of the emission does.
    let (_, text) = send(&world, &question(8, COMPANY), "errada").await;
    assert_eq!(element(&text, "erro"), "E99 - Senha inválida");
    assert!(world.sim.notas().is_empty());
}

#[tokio::test]
async fn a_wrong_key_in_a_header_is_a_wrong_password() {
    let world = cases().world(None);
    let document = signed(&rps(8, COMPANY, "", "77,00"), &COMPANY_A1);
    let mut headers = headers("certa");
    headers.push(("Chave".to_owned(), "errada".to_owned()));
    let (path, body) = ("/base/rest/servico", document.into_bytes());
    let answer = world.request(HOST, "POST", path, headers, body, None).await;
    let text = String::from_utf8_lossy(super::body(&answer)).into_owned();
    assert!(text.contains("<erro>E99 - "), "{text}");
    assert!(world.sim.notas().is_empty());
}

/// Several cases issue the note of a question: its values are those of the
/// request that it shows.
#[tokio::test]
async fn the_values_of_a_note_are_those_of_its_own_request() {
    let cases = cases();
    let other = fake(&rps(57, RECORDED, "", "9876,54"));
    let answer = "<retorno><numero>000201</numero><codigo>AB12-CD34</codigo></retorno>";
    let steps = [step(other, "once", "issued", answer)];
    cases.case("rest", "another", &issuing(), &steps, &note());
    let world = cases.world(None);
    issue(&world, 8, &COMPANY_A1, COMPANY).await;
    let (_, found) = send(&world, &question(8, COMPANY), "certa").await;
    assert_eq!(element(&found, "valor"), "R$ 77,00");
}

#[tokio::test]
async fn a_reason_in_the_path_may_be_another() {
    let cases = cases();
    let step = Step {
        method: "GET",
        path: "/rest/cancela/201/motivo/Valor%20digitado%20errado.",
        effect: "once",
        headers: vec![("Authorization", BASIC)],
        body: String::new(),
        means: "cancelled",
        kind: "application/xml",
        answer: b"<retorno><cancelada>201</cancelada></retorno>".to_vec(),
    };
    cases.case("rest", "path", &cancelling(), &[step], &cancelled());
    let world = cases.world(None);
    issue(&world, 8, &COMPANY_A1, COMPANY).await;
    let path = "/base/rest/cancela/1/motivo/Servi%C3%A7o%20n%C3%A3o%20prestado";
    let headers = headers("certa");
    let answer = world.request(HOST, "GET", path, headers, Vec::new(), None);
    let text = super::text(&answer.await);
    assert_eq!(element(&text, "cancelada"), "1", "{text}");
}
