//! /api/v1/fiscal

mod catalogues;
mod foreign;
mod freight;
mod validar;

use crate::common::assert_refusal;
use serde_json::{Value, json};
use tests::on_sqlite;

const PROVEDOR: &str = "/api/v1/fiscal/nfse/provedor";
const PROVEDORES: &str = "/api/v1/fiscal/nfse/provedores";

on_sqlite! {
    async fn a_known_city_costs_its_price(app: TestApp) {
        let by_code = app.post(PROVEDOR, &json!({ "codigo_ibge": "3106200" })).await;
        assert_eq!(by_code.status, 200, "{}", by_code.text);
        let city = &by_code.body["municipios"][0];
        assert_eq!((city["cidade"].as_str(), city["uf"].as_str()), (Some("Belo Horizonte"), Some("MG")));
        assert_eq!((&city["emissao_pela_api"], &city["nivel"]), (&json!(true), &json!("prata")), "{city}");
        assert!(city["url_producao"].as_str().is_some_and(|url| url.starts_with("https://")), "{city}");
        assert_eq!(by_code.body["creditos"], json!({ "reservado": 0, "debitado": 4, "saldo": 196 }));
        assert_eq!((by_code.header("x-credits-charged"), by_code.header("x-credits-balance")), ("4", "196"));
        let by_name = app.post(PROVEDOR, &json!({ "cidade": "barueri", "uf": "sp" })).await;
        assert_eq!(by_name.body["municipios"][0]["codigo_ibge"], "3505708", "{}", by_name.text);
        let without = &by_name.body["municipios"][0];
        assert_eq!((&without["emissao_pela_api"], &without["nivel"]), (&json!(false), &Value::Null), "a system without an adapter");
        assert_eq!(app.balance().await, (192, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn outside_the_base_is_free(app: TestApp) {
        for body in [json!({ "codigo_ibge": "2303709" }), json!({ "codigo_ibge": "9999999" }), json!({ "cidade": "Atlântida", "uf": "RS" })] {
            let answer = app.post(PROVEDOR, &body).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            assert_eq!((answer.text_at("/resposta"), answer.text_at("/resposta_codigo")), ("não suportado", "nao_suportado"));
            assert_eq!(answer.body["creditos"]["debitado"], 0);
        }
        assert_eq!(app.balance().await, (200, 0));
    }
}

on_sqlite! {
    async fn a_test_key_is_never_charged(app: TestApp) {
        let answer = app.post_as(&app.test_key, PROVEDOR, &json!({ "codigo_ibge": "3106200" }), None).await;
        assert_eq!((answer.status, &answer.body["consumiu_credito"]), (200, &json!(false)), "{}", answer.text);
        assert_eq!(app.balance().await, (200, 0));
    }
}

on_sqlite! {
    async fn without_credit_there_is_no_answer(app: TestApp) {
        for _ in 0..50 {
            app.post(PROVEDOR, &json!({ "codigo_ibge": "3106200" })).await;
        }
        let answer = app.post(PROVEDOR, &json!({ "codigo_ibge": "3106200" })).await;
        assert_refusal(&answer, "402 saldo_insuficiente");
        assert_eq!((&answer.body["preco"], &answer.body["saldo"], &answer.body["faltam"]), (&json!(4), &json!(0), &json!(4)));
        assert_eq!(answer.body["municipios"], Value::Null, "what was not paid is not told");
        let free = app.post(PROVEDOR, &json!({ "codigo_ibge": "2303709" })).await;
        assert_eq!(free.status, 200, "{}", free.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn wrong_questions_are_free_too(app: TestApp) {
        for (body, summary) in [
            (json!({}), "400 parametro_ausente"),
            (json!({ "uf": "SP" }), "400 parametro_ausente"),
            (json!({ "codigo_ibge": 3106200 }), "400 parametro_invalido"),
            (json!({ "codigo_ibge": "31062" }), "400 parametro_invalido"),
            (json!({ "cidade": "Bom Jesus" }), "400 parametro_invalido"),
            (json!({ "municipio": "3106200" }), "400 campo_desconhecido"),
        ] {
            assert_refusal(&app.post(PROVEDOR, &body).await, summary);
        }
        assert_eq!(app.balance().await, (200, 0));
    }
}

on_sqlite! {
    async fn the_systems_of_brazil_add_up(app: TestApp) {
        let answer = app.post(PROVEDORES, &json!({})).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let number = |value: &Value| value.as_i64().expect("a number");
        let known: i64 = answer.body["provedores"].as_array().expect("systems").iter().map(|one| number(&one["municipios"])).sum();
        assert_eq!(known + number(&answer.body["nao_medidos"]), 5_571);
        let states = answer.body["por_uf"].as_object().expect("states");
        assert_eq!(states.len(), 27);
        assert_eq!(states.values().map(|one| number(&one["municipios"])).sum::<i64>(), 5_571);
        let percent = answer.body["percentual_brasil"].as_f64().expect("a number");
        assert!((0.0..=100.0).contains(&percent) && percent > 0.0, "{percent}");
        assert_refusal(&app.post(PROVEDORES, &json!({ "uf": "SP" })).await, "400 campo_desconhecido");
        assert_eq!(app.balance().await, (200, 0));
    }
}
