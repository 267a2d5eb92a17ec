//! /api/v1/creditos

mod alerta;
mod compras;
mod doctor;
mod notices;
mod refunds;
pub mod shared;

use crate::common::{BELO_HORIZONTE, assert_refusal, cnpj};
use serde_json::{Value, json};
use tests::bodies::{nfse, with};
use tests::both;

both! {
    async fn the_balance_says_where_it_comes_from(app: TestApp) {
        let fresh = app.get("/api/v1/creditos").await;
        assert_eq!(fresh.status, 200, "{}", fresh.text);
        let expected = |balance: i64, reais: f64| {
            json!({ "saldo": balance, "reservado": 0, "disponivel": balance, "total": balance, "presente": balance, "comprado": 0, "valor_reais": reais })
        };
        let shown = |answer: &tests::Answer| {
            let mut body = answer.body.clone();
            let members = body.as_object_mut().expect("object");
            members.retain(|name, _| !matches!(name.as_str(), "sucesso" | "request_id" | "alerta"));
            body.to_string()
        };
        assert_eq!(shown(&fresh), expected(200, 2.00).to_string().replace("2.0", "2.00"));
        app.post("/api/v1/fiscal/nfse/provedor", &json!({ "codigo_ibge": BELO_HORIZONTE })).await;
        let after = app.get("/api/v1/creditos").await;
        assert_eq!(shown(&after), expected(196, 1.96).to_string());
    }
}

both! {
    async fn the_statement_follows_the_balance_whatever_the_moments_of_requests(app: TestApp) {
        // Of requests side by side, one that came earlier may spend later.
        let second_ms = app.app.now_ms() / 1_000 * 1_000;
        for (amount, after_ms) in [(1, 40), (2, 0), (3, 20), (4, 20), (5, 0)] {
            shared::spend_at(&app, amount, second_ms + after_ms).await;
        }
        let answer = app.get("/api/v1/creditos/extrato").await;
        let items = answer.body["itens"].as_array().expect("items");
        let lines: Vec<(i64, i64)> = items
            .iter()
            .filter_map(|item| Some((item["creditos"].as_i64()?, item["saldo_apos"].as_i64()?)))
            .collect();
        assert_eq!(lines, [(-5, 185), (-4, 190), (-3, 194), (-2, 197), (-1, 199), (200, 200)], "{}", answer.text);
        app.check_invariants().await;
    }
}

both! {
    async fn a_request_of_the_hour_before_does_not_put_later_ones_before_it(app: TestApp) {
        const HOUR_MS: i64 = 3_600_000;
        let hour_ms = (app.app.now_ms() / HOUR_MS + 1) * HOUR_MS;
        for (amount, after_ms) in [(1, 50), (2, -10), (3, 10)] {
            shared::spend_at(&app, amount, hour_ms + after_ms).await;
        }
        let answer = app.get("/api/v1/creditos/extrato").await;
        let items = answer.body["itens"].as_array().expect("items");
        let spent: Vec<i64> = items.iter().filter_map(|item| item["creditos"].as_i64()).collect();
        assert_eq!(spent, [-3, -1, -2, 200], "{}", answer.text);
        app.check_invariants().await;
    }
}

both! {
    async fn the_statement_adds_up(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfse", &nfse()).await;
        let refused = with(nfse(), "/valores/tributos_aproximados", json!({ "modo": "simples", "percentual": 6 }));
        app.post("/api/v1/nfse", &refused).await;
        let looked_up = app.post("/api/v1/fiscal/nfse/provedor", &json!({ "codigo_ibge": BELO_HORIZONTE })).await;
        let answer = app.get("/api/v1/creditos/extrato").await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let items = answer.body["itens"].as_array().expect("items");
        let kinds: Vec<&str> = items.iter().filter_map(|item| item["tipo"].as_str()).collect();
        assert_eq!(kinds, ["debito", "devolucao", "reserva", "debito", "reserva", "presente"], "newest first");
        let total: i64 = items.iter().filter_map(|item| item["creditos"].as_i64()).sum();
        assert_eq!((total, items[0]["saldo_apos"].as_i64()), (192, Some(192)), "{}", answer.text);
        assert_eq!(items[0]["request_id"], looked_up.body["request_id"]);
        assert_eq!(items[0]["operacao"], "fiscal.nfse.provedor");
        assert_eq!(items[4]["nota_id"], note.body["nota_id"]);
        assert_eq!(items[3]["reserva_id"], items[4]["id"], "a debit names the reserve it confirms");
        let mut balance = 0;
        for item in items.iter().rev() {
            balance += item["creditos"].as_i64().expect("a number");
            assert_eq!(item["saldo_apos"].as_i64(), Some(balance), "{item}");
        }
        let mut paged: Vec<Value> = Vec::new();
        let mut cursor = String::new();
        while paged.len() < items.len() {
            let page = app.get(&format!("/api/v1/creditos/extrato?limite=4{cursor}")).await;
            paged.extend(page.body["itens"].as_array().expect("items").iter().cloned());
            cursor = format!("&cursor={}", page.text_at("/proximo_cursor"));
        }
        assert_eq!(&paged, items);
        assert_refusal(&app.get("/api/v1/creditos/extrato?pagina=2").await, "400 campo_desconhecido");
        app.check_invariants().await;
    }
}
