//! Notes that others issue against the account's companies.

mod consultar;
mod list;
mod manifestar;
mod schedule;

use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use tests::{Answer, TestApp};

const CNPJ: &str = "11222333000181";
const CONSULTAR: &str = "/api/v1/nfe-entrada/consultar";
const MANIFESTAR: &str = "/api/v1/nfe-entrada/manifestar";
/// The hour of the authority, with the hub's minute.
const PAUSE_MS: i64 = 3_660_000;

/// Notes of a simulated supplier against the company; their keys.
fn deposit(app: &TestApp, ambiente: &str, count: u32) -> Vec<String> {
    deposit_at(&app.app.simulator.sim, ambiente, count)
}

fn deposit_at(sim: &sim::Sim, ambiente: &str, count: u32) -> Vec<String> {
    let order = json!({ "cnpj": CNPJ, "ambiente": ambiente, "uf": "MG", "quantidade": count, "valor_centavos": 12_345 });
    let order: sim::DepositOrder = serde_json::from_value(order).expect("order");
    sim.deposit(&order).expect("deposit")
}

/// Questions the national environment has received.
fn asked(app: &TestApp) -> u64 {
    let state = app.app.simulator.sim.overview();
    let sefaz = state.recebidas.get("sefaz");
    sefaz
        .and_then(|sefaz| sefaz.get("distribuir").copied())
        .unwrap_or(0)
}

fn later(app: &TestApp, ms: i64) {
    app.ahead_ms.fetch_add(ms, Ordering::Relaxed);
}

async fn consult(app: &TestApp) -> Answer {
    app.post(CONSULTAR, &json!({})).await
}

async fn say(app: &TestApp, chave: &str, kind: &str) -> Answer {
    app.post(MANIFESTAR, &json!({ "chave": chave, "tipo": kind }))
        .await
}

/// The decoded XML of an answer.
fn xml(answer: &Answer) -> String {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::STANDARD.decode(answer.text_at("/xml_base64"));
    String::from_utf8(bytes.expect("base64")).expect("text")
}

fn items(answer: &Answer) -> &Vec<Value> {
    answer.body["itens"].as_array().expect("a list")
}

/// A fault of the authority for one operation.
fn fault(app: &TestApp, operation: &str, failure: sim::FaultKind) {
    app.app.simulator.sim.add_fault(sim::Fault {
        quando: sim::When {
            operacao: Some(operation.to_owned()),
            ..Default::default()
        },
        falha: failure,
        ..Default::default()
    });
}
