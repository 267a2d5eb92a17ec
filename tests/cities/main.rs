//! Real systems of the registry, end to end: what is sent is valid for the
//! official schema and its signature for xmlsec1; what comes back settles.

mod doubt;
mod official;
mod systems;

use official::{sent, validate, verify_signature};
use serde_json::{Value, json};
use tests::bodies::{nfse, with};
use tests::{Answer, TestApp, both};

const CNPJ: &str = "11222333000181";

/// IBGE code, what `xmllint` checks it against, elements that are signed.
struct City {
    ibge: &'static str,
    schema: &'static str,
    signed: &'static [&'static str],
}

const NATIONAL: City = City {
    ibge: "3106200",
    schema: "schemas/nfse-nacional/v1.01-20260727/DPS_v1.01.xsd",
    signed: &["infDPS"],
};
const WEBISS: City = City {
    ibge: "1100304",
    schema: "schemas/nfse-municipal/webiss/2.02/nfse.xsd",
    signed: &["InfDeclaracaoPrestacaoServico"],
};
const FIORILLI: City = City {
    ibge: "1100072",
    schema: "schemas/nfse-municipal/fiorilli/2.00/nfse.xsd",
    signed: &["InfDeclaracaoPrestacaoServico", "LoteRps"],
};
const GISS: City = City {
    ibge: "3301009",
    schema: "schemas/nfse-municipal/giss/2.04/enviar-lote-rps-envio-v2_04.xsd",
    signed: &["InfDeclaracaoPrestacaoServico", "LoteRps"],
};

fn body(city: &City) -> Value {
    let body = with(nfse(), "/tomador/endereco/codigo_ibge", city.ibge);
    let body = with(body, "/servico/codigo_tributacao_municipio", Value::Null);
    if city.ibge == NATIONAL.ibge {
        body
    } else {
        with(body, "/servico/cnae", "6201501")
    }
}

/// Sends a note without waiting for what becomes of it.
async fn left_for_later(app: &TestApp, body: &Value) -> Answer {
    let request = app.http().post(format!("{}/api/v1/nfse", app.base_url));
    let request = request.bearer_auth(&app.live_key);
    let request = request.header("content-type", "application/json");
    let request = request.header("prefer", "respond-async");
    app.send(request.body(body.to_string())).await
}

/// Issues, cancels, issues again and replaces, in one city.
async fn whole_life(app: &TestApp, city: &City) {
    app.emitter(CNPJ, city.ibge).await;
    let issued = app.post("/api/v1/nfse", &body(city)).await;
    let id = issued.text_at("/nota_id").to_owned();
    assert!(matches!(issued.status, 201 | 202), "{}", issued.text);
    let issued = app.until_note(&id, "autorizada").await;
    assert!(
        issued.status == 501 || !issued.text_at("/numero_nfse").is_empty(),
        "{}",
        issued.text
    );
    let messages = sent(app, &id).await;
    let message = messages.first().expect("something was sent");
    validate(message, city.schema);
    verify_signature(message, city.signed);

    let xml = app
        .get(&format!(
            "/api/v1/nfse/{id}/documento?formato=xml&binario=1"
        ))
        .await;
    assert!(
        xml.text.contains("Nfse") || xml.text.contains("NFSe"),
        "{}",
        xml.text
    );
    let pdf = app
        .get(&format!("/api/v1/nfse/{id}/documento?formato=pdf"))
        .await;
    assert!(pdf.text_at("/base64").starts_with("JVBERi"), "{}", pdf.text);

    let cancel = json!({ "ref": id, "codigo_motivo": "erro_emissao", "justificativa": "Valor do serviço digitado errado" });
    let cancelled = app.post("/api/v1/nfse/cancelar", &cancel).await;
    assert_eq!(cancelled.summary(), "200 cancelada", "{}", cancelled.text);
    assert_eq!(app.balance().await, (192, 0));

    let status = app.post("/api/v1/nfse/status", &json!({ "ref": id })).await;
    assert_eq!(status.text_at("/situacao"), "cancelada", "{}", status.text);
    assert_eq!(app.balance().await, (188, 0));
    app.check_invariants().await;
}

both! { async fn national(app: TestApp) { whole_life(&app, &NATIONAL).await; } }
both! { async fn webiss(app: TestApp) { whole_life(&app, &WEBISS).await; } }
both! { async fn fiorilli(app: TestApp) { whole_life(&app, &FIORILLI).await; } }
both! { async fn giss(app: TestApp) { whole_life(&app, &GISS).await; } }
