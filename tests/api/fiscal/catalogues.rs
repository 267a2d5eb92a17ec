//! GET /api/v1/fiscal/regras and /api/v1/fiscal/notas-tecnicas

use crate::common::assert_refusal;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tests::{TestApp, on_sqlite};

/// All items of a list, page by page.
async fn all(app: &TestApp, path: &str) -> Vec<Value> {
    let mut items = Vec::new();
    let mut next = String::new();
    loop {
        let page = app.get(&format!("{path}{next}")).await;
        assert_eq!(page.status, 200, "{}", page.text);
        items.extend(page.body["itens"].as_array().expect("a list").clone());
        match page.body["proximo_cursor"].as_str() {
            Some(cursor) => next = format!("&cursor={cursor}"),
            None => return items,
        }
    }
}

on_sqlite! {
    async fn the_rules_are_those_that_judge_documents(app: TestApp) {
        let rules = all(&app, "/api/v1/fiscal/regras?limite=40").await;
        assert_eq!(rules.len(), fiscal::nfe::reading::rules().count());
        let of = |code: &str| rules.iter().find(|rule| rule["codigo"] == code).expect("a rule").clone();
        let key = of("236");
        assert_eq!((&key["cstat"], &key["modelos"], &key["julga"]), (&json!(236), &json!(["55", "65"]), &json!(["nota", "evento"])), "{key}");
        let random = of("897");
        assert_eq!((&random["vigencia"]["de"], &random["documento"], &random["situacao"]), (&json!("2019-09-02"), &json!("NT 2019.001"), &json!("em_vigor")), "{random}");
        assert_eq!((&of("E0004")["cstat"], &of("E0004")["modelos"]), (&Value::Null, &json!([])));
        // What a document is refused by is in the list.
        let xml = r#"<NFe xmlns="http://www.portalfiscal.inf.br/nfe"><infNFe versao="4.00" Id="NFe52060433009911002506550120000007800267301610"><ide/></infNFe></NFe>"#;
        let answer = app.post("/api/v1/fiscal/xml/validar", &json!({ "xml_base64": STANDARD.encode(xml) })).await;
        let found: Vec<&Value> = answer.body["erros"].as_array().expect("a list").iter().filter(|error| error["tipo"] == "regra").collect();
        assert!(found.iter().any(|error| error["codigo"] == "236"), "{}", answer.text);
        for error in found {
            assert!(rules.iter().any(|rule| rule["codigo"] == error["codigo"]), "{error}");
        }
    }
}

on_sqlite! {
    async fn lists_are_narrowed_by_model_and_words(app: TestApp) {
        let of_nfce = all(&app, "/api/v1/fiscal/regras?modelo=65").await;
        assert!(of_nfce.iter().all(|rule| rule["modelos"].to_string().contains("65")));
        assert!(of_nfce.iter().any(|rule| rule["codigo"] == "394") && of_nfce.iter().all(|rule| rule["codigo"] != "232"));
        for model in ["57", "58"] {
            let of_model = all(&app, &format!("/api/v1/fiscal/regras?modelo={model}&limite=100")).await;
            assert!(of_model.len() > 50 && of_model.iter().all(|rule| rule["modelos"] == json!([model])), "{model}");
        }
        let words = all(&app, "/api/v1/fiscal/regras?modelo=65&q=QR-Code&limite=100").await;
        assert!(!words.is_empty() && words.len() < of_nfce.len());
        assert!(all(&app, "/api/v1/fiscal/regras?q=xyzzy").await.is_empty());
        for path in ["regras?modelo=67", "regras?cursor=x", "notas-tecnicas?limite=0", "notas-tecnicas?zz=1"] {
            let refused = app.get(&format!("/api/v1/fiscal/{path}")).await;
            assert_eq!(refused.status, 400, "{path}: {}", refused.text);
        }
        assert_refusal(&app.get("/api/v1/fiscal/regras?modelo=67").await, "400 parametro_invalido");
        assert_eq!(app.balance().await, (200, 0), "they are free");
    }
}

on_sqlite! {
    async fn a_note_says_what_it_brought(app: TestApp) {
        let notes = all(&app, "/api/v1/fiscal/notas-tecnicas?limite=5").await;
        assert_eq!(notes.len(), fiscal::nfe::technical_notes::NOTES.len());
        let reform = notes.iter().find(|note| note["codigo"] == "2025.002").expect("the note");
        assert_eq!((&reform["documento"], &reform["vigencia"]["de"]), (&json!("NT 2025.002"), &json!("2025-11-10")), "{reform}");
        assert!(reform["regras"].to_string().contains("1119") && reform["eventos"].to_string().contains("112110"), "{reform}");
        let layouts: Vec<&Value> = reform["leiautes"].as_array().expect("a list").iter().map(|layout| &layout["nome"]).collect();
        assert_eq!(layouts, ["nfe-010b", "nfe-010e", "nfe-010f"]);
        let found = all(&app, "/api/v1/fiscal/notas-tecnicas?q=correcao").await;
        assert_eq!(found.len(), 1, "{found:?}");
    }
}
