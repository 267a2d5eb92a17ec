//! The largest notes, end to end: 990 items, as many as the layout has.

use crate::common::{BELO_HORIZONTE, assert_refusal};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tests::bodies::{nfce, nfe, with};
use tests::{TestApp, on_sqlite};

const CNPJ: &str = "11222333000181";
/// What the hub takes as a body unless it is set otherwise.
const MAX_BODY: usize = 1 << 20;

/// Items that say much of themselves: the body comes close to the limit.
fn items(count: usize) -> Value {
    (1..=count)
        .map(|n| {
            json!({
                "codigo": format!("SKU-{n:05}"), "descricao": format!("Item {n:03} {}", "ção & <detalhe>".repeat(6)),
                "ncm": "09012100", "cest": "1709600", "cfop": "5102", "unidade": "UN", "quantidade": format!("{n}.5"),
                "valor_unitario": "0.0137", "desconto": 0.01, "pedido": { "numero": format!("PC-{n}"), "item": n.to_string() },
                "informacoes": format!("Lote {n} {}", "observação do item ".repeat(16)),
                "impostos": { "icms": { "cst": "00", "aliquota": 18, "fcp": { "aliquota": 2 } },
                    "pis": { "cst": "01", "aliquota": 1.65 }, "cofins": { "cst": "01", "aliquota": 7.6 } }
            })
        })
        .collect()
}

/// Issues, downloads and compares with what the authority has.
async fn goes_through(app: &TestApp, path: &str, body: Value) {
    let bytes = body.to_string().len();
    assert!((MAX_BODY * 3 / 4..=MAX_BODY).contains(&bytes), "{bytes}");
    let note = app.post(path, &body).await;
    assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
    let id = note.text_at("/nota_id");
    let xml = app.get(&format!("/api/v1/documentos/{id}/xml")).await;
    assert_eq!(xml.status, 200, "{}", xml.text);
    let xml = STANDARD.decode(xml.text_at("/base64")).expect("base64");
    let xml = String::from_utf8(xml).expect("text");
    assert_eq!(xml.matches("<det nItem=\"").count(), 990);
    assert!(
        xml.contains("<det nItem=\"990\">") && xml.len() > 3 * MAX_BODY / 2,
        "{}",
        xml.len()
    );
    let there = app
        .app
        .simulator
        .sim
        .notas()
        .pop()
        .expect("at the authority");
    assert_eq!(there.chave.as_deref(), Some(note.text_at("/chave")));
    assert!(xml.contains(&there.xml), "not what was authorized");
    // The answer again, from what is kept.
    let again = app.get(&format!("/api/v1/documentos/{id}")).await;
    assert_eq!(again.text_at("/status"), "autorizada", "{}", again.text);
    let danfe = app.get(&format!("/api/v1/documentos/{id}/danfe")).await;
    assert_eq!(danfe.status, 200, "{}", danfe.text);
    let danfe = STANDARD.decode(danfe.text_at("/base64")).expect("base64");
    assert!(danfe.starts_with(b"%PDF"));
    app.check_invariants().await;
}

/// What the items come to: 0.0137 each, less their discounts.
fn payment(body: Value) -> Value {
    with(
        body,
        "/pagamentos",
        json!([{ "forma": "dinheiro", "valor": 6_717.35 }]),
    )
}

on_sqlite! {
    async fn an_nfe_of_990_items_is_authorized_and_downloaded(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let body = with(payment(nfe()), "/itens", items(990));
        goes_through(&app, "/api/v1/nfe", body).await;
    }
}

on_sqlite! {
    async fn an_nfce_of_990_items_is_authorized_and_downloaded(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let mut body = with(payment(nfce()), "/itens", items(990));
        body.as_object_mut().expect("object").remove("troco");
        goes_through(&app, "/api/v1/nfce", body).await;
    }
}

on_sqlite! {
    async fn an_item_more_is_refused_and_spends_nothing(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let received = app.app.simulator.sim.received();
        for (path, body) in [("/api/v1/nfe", nfe()), ("/api/v1/nfce", nfce())] {
            let plain: Value = (0..991).map(|_| body["itens"][0].clone()).collect();
            let answer = app.post(path, &with(body, "/itens", plain)).await;
            assert_refusal(&answer, "422 validacao_previa");
            assert_eq!((answer.text_at("/campos/0/campo"), answer.text_at("/campos/0/codigo")), ("itens", "limite"), "{}", answer.text);
        }
        assert_eq!(app.app.simulator.sim.received(), received);
        assert_eq!(app.balance().await, (200, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn what_the_preflight_takes_is_sent_and_a_little_more_spends_nothing(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        // Five bytes in the document for each of the body: 5 KB a step.
        let body = |escaped: usize| {
            let mut items = items(990);
            for item in items.as_array_mut().expect("list") {
                item["informacoes"] = json!("&".repeat(escaped));
            }
            with(payment(nfe()), "/itens", items)
        };
        let mut escaped = 165;
        let largest = loop {
            let answer = app.post("/api/v1/nfe", &body(escaped)).await;
            if answer.status == 201 {
                break answer;
            }
            assert_refusal(&answer, "422 validacao_previa");
            assert_eq!((answer.text_at("/campos/0/campo"), answer.text_at("/campos/0/codigo")), ("itens", "documento_grande"), "{}", answer.text);
            assert_eq!(app.balance().await, (200, 0));
            escaped -= 1;
        };
        assert!((150..165).contains(&escaped), "{escaped}");
        assert_eq!((largest.summary().as_str(), &largest.body["numero"]), ("201 autorizada", &json!(1)), "{}", largest.text);
        let sent = app.app.simulator.sim.notas().pop().expect("at the authority").xml.len();
        assert!(sent > 2 * MAX_BODY - (24 << 10), "{sent}");
        app.check_invariants().await;
    }
}
