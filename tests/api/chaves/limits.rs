//! What a key may spend.

use super::{CHAVES, key, key_by, listed, provedor};
use crate::common::{BELO_HORIZONTE, ask_as, assert_refusal, cnpj};
use futures::future::join_all;
use reqwest::Method;
use serde_json::json;
use std::sync::atomic::Ordering;
use tests::bodies::{nfse, with};
use tests::{TestApp, both};

const NFSE: &str = "/api/v1/nfse";

/// Moves the clock to a moment a refusal named, and a second more.
fn wait_for(app: &TestApp, moment: &str) {
    let then_ms = base::when::ms(base::when::parse(moment).expect("a moment"));
    let missing = then_ms - app.app.now_ms();
    assert!(missing > 0, "{moment} is over");
    app.ahead_ms.fetch_add(missing + 1_000, Ordering::Relaxed);
}

/// Moves the clock to the tenth of the next month, at noon of Brasília: no
/// period ends while a test runs.
fn to_the_tenth(app: &TestApp) {
    let today = base::when::today(app.app.now_ms(), "DF");
    let next = today.replace_day(1).expect("a first") + time::Duration::days(31);
    let noon = base::when::brasilia(next.replace_day(10).expect("a tenth")) + 12 * 3_600_000;
    let missing = noon - app.app.now_ms();
    app.ahead_ms.fetch_add(missing, Ordering::Relaxed);
}

both! {
    async fn calls_at_once_spend_no_more_than_the_key_may(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        to_the_tenth(&app);
        let made = key(&app, json!({ "limite_diario": 22 })).await;
        let (id, chave) = (made.text_at("/id"), made.text_at("/chave"));
        let (order, others) = (nfse(), json!({}));
        let sent = join_all((0..64).map(|_| app.post_as(chave, NFSE, &order, None))).await;
        let issued = sent.iter().filter(|answer| answer.summary() == "201 autorizada").count();
        let refused: Vec<_> = sent.iter().filter(|answer| answer.status != 201).collect();
        assert_eq!((issued, refused.len()), (5, 59), "{}", refused[0].text);
        for answer in refused {
            assert_refusal(answer, "402 limite_da_chave");
        }
        assert_eq!(app.balance().await, (180, 0));
        assert_eq!(listed(&app, id).await["gasto_no_dia"], 20);

        let answer = app.post_as(chave, NFSE, &order, None).await;
        assert_refusal(&answer, "402 limite_da_chave");
        for (member, value) in [("preco", json!(4)), ("periodo", json!("dia")), ("limite", json!(22)), ("gasto", json!(20))] {
            assert_eq!(answer.body[member], value, "{member}: {}", answer.text);
        }
        assert!(answer.text_at("/renova_em").ends_with("T00:00:00-03:00"), "{}", answer.text);
        assert_refusal(&provedor(&app, chave).await, "402 limite_da_chave");
        assert_eq!(app.post(NFSE, &order).await.summary(), "201 autorizada", "other keys go on");
        let free = ask_as(&app, chave, Method::POST, "/api/v1/nfse/criar", Some(&order)).await;
        assert_eq!(free.status, 201, "what is free is not limited: {}", free.text);
        assert_eq!(key(&app, others).await.body["gasto_no_dia"], serde_json::Value::Null);

        wait_for(&app, answer.text_at("/renova_em"));
        assert_eq!(app.post_as(chave, NFSE, &order, None).await.summary(), "201 autorizada");
        let shown = listed(&app, id).await;
        assert_eq!((&shown["gasto_no_dia"], &shown["gasto_no_mes"]), (&json!(4), &json!(24)));
        app.check_invariants().await;
    }
}

both! {
    async fn a_returned_hold_gives_the_allowance_back(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        to_the_tenth(&app);
        let made = key(&app, json!({ "limite_diario": 4, "limite_mensal": 4 })).await;
        let (id, chave) = (made.text_at("/id"), made.text_at("/chave"));
        let bad = with(nfse(), "/valores/tributos_aproximados", json!({ "modo": "simples", "percentual": 6 }));
        for _ in 0..2 {
            let refused = app.post_as(chave, NFSE, &bad, None).await;
            assert_eq!(refused.summary(), "422 rejeitada_pela_prefeitura", "{}", refused.text);
            let shown = listed(&app, id).await;
            assert_eq!((&shown["gasto_no_dia"], &shown["gasto_no_mes"]), (&json!(0), &json!(0)));
        }
        let issued = app.post_as(chave, NFSE, &nfse(), None).await;
        assert_eq!(issued.summary(), "201 autorizada", "{}", issued.text);
        // An event is limited as a note is.
        let cancel = json!({ "ref": issued.text_at("/nota_id"), "codigo_motivo": "outros", "justificativa": "Cancelamento de teste." });
        let refused = app.post_as(chave, "/api/v1/nfse/cancelar", &cancel, None).await;
        assert_refusal(&refused, "402 limite_da_chave");
        assert_eq!(refused.body["periodo"], "mes", "of two limits the longer one is told");
        assert_eq!(app.post("/api/v1/nfse/cancelar", &cancel).await.status, 200);
        app.check_invariants().await;
    }
}

both! {
    async fn days_and_months_begin_anew(app: TestApp) {
        to_the_tenth(&app);
        let made = key(&app, json!({ "limite_diario": 4, "limite_mensal": 8 })).await;
        let chave = made.text_at("/chave");
        assert_eq!(provedor(&app, chave).await.status, 200);
        let day = provedor(&app, chave).await;
        assert_eq!((day.summary().as_str(), day.text_at("/periodo")), ("402 limite_da_chave", "dia"), "{}", day.text);
        wait_for(&app, day.text_at("/renova_em"));
        assert_eq!(provedor(&app, chave).await.status, 200);
        let month = provedor(&app, chave).await;
        assert_eq!((month.text_at("/periodo"), &month.body["gasto"]), ("mes", &json!(8)), "{}", month.text);
        assert!(month.text_at("/renova_em").ends_with("-01T00:00:00-03:00"), "{}", month.text);
        wait_for(&app, month.text_at("/renova_em"));
        assert_eq!(provedor(&app, chave).await.status, 200);
        let nothing = key(&app, json!({ "limite_mensal": 0 })).await;
        assert_refusal(&provedor(&app, nothing.text_at("/chave")).await, "402 limite_da_chave");
        assert_eq!(app.balance().await, (188, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn a_limited_key_makes_no_free_ones(app: TestApp) {
        to_the_tenth(&app);
        let made = key(&app, json!({ "limite_diario": 12 })).await;
        let chave = made.text_at("/chave");
        let more = json!({ "nome": "Maior", "tipo": "producao", "limite_diario": 13 });
        let refused = ask_as(&app, chave, Method::POST, CHAVES, Some(&more)).await;
        assert_refusal(&refused, "403 sem_permissao");
        let child = key_by(&app, chave, json!({ "limite_mensal": 8 })).await;
        assert_eq!((&child.body["limite_diario"], &child.body["limite_mensal"]), (&json!(12), &json!(8)));
        assert_eq!(provedor(&app, child.text_at("/chave")).await.status, 200);
        assert_eq!(provedor(&app, chave).await.status, 200);
        // Both count in one place, each up to its own limits.
        assert_refusal(&provedor(&app, child.text_at("/chave")).await, "402 limite_da_chave");
        assert_eq!(provedor(&app, chave).await.status, 200);
        assert_refusal(&provedor(&app, chave).await, "402 limite_da_chave");
        let list = app.get(CHAVES).await;
        let free = list.body["itens"].as_array().expect("items").iter().find(|item| item["limite_diario"].is_null());
        let path = format!("{CHAVES}/{}/rotacionar", free.and_then(|item| item["id"].as_str()).expect("a key"));
        assert_refusal(&ask_as(&app, chave, Method::POST, &path, None).await, "403 sem_permissao");
        // Nor does a child get what its parent may spend.
        let rotate = |made: &tests::Answer| format!("{CHAVES}/{}/rotacionar", made.text_at("/id"));
        for limits in [json!({ "limite_diario": 1 }), json!({ "limite_mensal": 12 })] {
            let poor = key_by(&app, chave, limits).await;
            let poor_key = poor.text_at("/chave");
            assert_refusal(&ask_as(&app, poor_key, Method::POST, &rotate(&made), None).await, "403 sem_permissao");
            assert_eq!(ask_as(&app, poor_key, Method::POST, &rotate(&poor), None).await.status, 201);
        }
        assert_eq!(ask_as(&app, chave, Method::POST, &rotate(&child), None).await.status, 201);
        app.check_invariants().await;
    }
}
