//! /api/v1/gnre

use crate::common::assert_refusal;
use serde_json::{Value, json};
use tests::{TestApp, on_sqlite};

/// A sale of a thousand reais from São Paulo.
fn sale(members: &Value) -> Value {
    let mut body = json!({ "uf_origem": "SP", "uf_destino": "RJ", "ncm": "94017900", "valor": 1000, "contribuinte": false, "data": "2026-11-20" });
    let own = body.as_object_mut().expect("an object");
    own.extend(members.as_object().expect("an object").clone());
    body
}

/// Members as they are written: `84.00`, `null`.
fn shown(answer: &Value, members: &[&str]) -> Vec<String> {
    members
        .iter()
        .map(|member| answer[*member].to_string())
        .collect()
}

async fn asked(app: &TestApp, members: &Value) -> Value {
    let answer = app.post("/api/v1/gnre/calcular", &sale(members)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

on_sqlite! {
    async fn a_consumer_of_another_state_owes_difal_and_fund(app: TestApp) {
        let answer = asked(&app, &json!({ "frete": 50, "fcp": 2 })).await;
        // 1050.00 at 20 % less 12 %, and 2 %.
        assert_eq!(shown(&answer, &["difal", "fcp", "icms_st", "total"]), ["84.00", "21.00", "0.00", "105.00"], "{answer}");
        assert_eq!((answer["codigo_receita"].as_str(), answer["vencimento"].as_str()), (Some("100102"), Some("2026-11-20")));
        let codes: Vec<&Value> = answer["guias"].as_array().expect("a list").iter().map(|slip| &slip["codigo_receita"]).collect();
        assert_eq!(codes, ["100102", "100129"]);
        assert_eq!(answer["falta"], json!([]));
        assert_eq!(app.balance().await, (200, 0), "it is free");
    }
}

on_sqlite! {
    async fn substitution_needs_a_margin_and_says_so(app: TestApp) {
        let resold = json!({ "contribuinte": true, "uf_destino": "MG", "fcp": 0 });
        let open = asked(&app, &resold).await;
        assert_eq!(shown(&open, &["icms_st", "total", "codigo_receita"]), ["null", "null", "null"], "{open}");
        assert_eq!(open["falta"], json!(["cest", "mva_original"]));
        assert!(open["motivos"][1]["motivo"].as_str().is_some_and(|reason| reason.contains("MG")), "{open}");
        let with_cest = json!({ "contribuinte": true, "uf_destino": "MG", "fcp": 0, "cest": "17.001.00" });
        let with_cest = asked(&app, &with_cest).await;
        assert_eq!(with_cest["falta"], json!(["mva_original"]));
        assert!(with_cest["avisos"].to_string().contains("1700100"), "it is of other goods: {with_cest}");

        let known = json!({ "contribuinte": true, "uf_destino": "MG", "fcp": 0, "mva_original": 40, "aliquota_icms": 18 });
        let known = asked(&app, &known).await;
        // 40 % adjusted to 12 % and 18 %: 50.24 %; 1502.40 at 18 % less 120.00.
        assert_eq!(shown(&known, &["icms_st", "total", "codigo_receita"]), ["150.43", "150.43", "\"100099\""], "{known}");
        assert_eq!(known["falta"], json!([]));

        let outside = json!({ "contribuinte": true, "uf_destino": "MG", "sujeito_st": false });
        let outside = asked(&app, &outside).await;
        assert_eq!(shown(&outside, &["total", "guias"]), ["0.00", "[]"], "{outside}");
    }
}

on_sqlite! {
    async fn a_state_outside_of_the_guide_is_named(app: TestApp) {
        let answer = asked(&app, &json!({ "uf_origem": "RJ", "uf_destino": "SP", "fcp": 0 })).await;
        assert_eq!((&answer["falta"], &answer["codigo_receita"], &answer["guias"]), (&json!(["gnre"]), &Value::Null, &json!([])), "{answer}");
        assert!(answer["motivos"][0]["motivo"].as_str().is_some_and(|reason| reason.contains("DARE-SP")), "{answer}");
        assert!(answer["difal"].is_number(), "{answer}");
    }
}

on_sqlite! {
    async fn what_a_company_buys_for_itself_has_no_guide_of_the_seller(app: TestApp) {
        let answer = asked(&app, &json!({ "contribuinte": true, "consumidor_final": true, "fcp": 0 })).await;
        assert!(answer["difal"].is_number() && answer["guias"] == json!([]), "{answer}");
        assert!(answer["avisos"].to_string().contains("destinatário"), "{answer}");
        let unknown = asked(&app, &json!({ "uf_destino": "BA" })).await;
        assert!(unknown["total"] == Value::Null || unknown["falta"] == json!([]), "{unknown}");
    }
}

on_sqlite! {
    async fn a_sale_that_no_guide_pays_is_refused_with_every_member(app: TestApp) {
        let refused = app.post("/api/v1/gnre/calcular", &json!({ "uf_origem": "SP", "uf_destino": "sp", "cest": "12", "valor": -1 })).await;
        assert_refusal(&refused, "400 parametro_invalido");
        let fields: Vec<&str> = refused.body["campos"].as_array().expect("a list").iter().map(|field| field["campo"].as_str().expect("a name")).collect();
        for field in ["cest", "uf_destino", "ncm", "valor", "contribuinte"] {
            assert!(fields.contains(&field), "{field}: {}", refused.text);
        }
    }
}

on_sqlite! {
    async fn each_state_says_whether_it_takes_the_guide(app: TestApp) {
        let joined = app.get("/api/v1/gnre/configuracoes/rj").await;
        assert_eq!((&joined.body["aderiu"], &joined.body["online"]), (&json!(true), &Value::Null), "{}", joined.text);
        assert!(joined.body["receitas"].as_array().is_some_and(|all| all.len() == 16));
        for (uf, instead) in [("SP", "DARE"), ("ES", "DUA")] {
            let outside = app.get(&format!("/api/v1/gnre/configuracoes/{uf}")).await;
            assert_eq!(outside.body["aderiu"], false, "{}", outside.text);
            assert!(outside.text_at("/observacao").contains(instead), "{}", outside.text);
        }
        assert_refusal(&app.get("/api/v1/gnre/configuracoes/XX").await, "400 parametro_invalido");
        assert_eq!(app.balance().await, (200, 0));
    }
}
