//! GET /api/v1/emitters

use crate::common::{assert_refusal, cnpj};
use serde_json::json;
use tests::both;

both! {
    async fn pages_show_each_company_once(app: TestApp) {
        for n in 0..5 {
            let answer = app.post("/api/v1/emitters", &json!({ "cnpj": cnpj(&format!("1{n}444777")) })).await;
            assert_eq!(answer.status, 201, "{}", answer.text);
        }
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        for page in 0..3 {
            let answer = app.get(&format!("/api/v1/emitters?limite=2{cursor}")).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            let items = answer.body["itens"].as_array().expect("items");
            seen.extend(items.iter().map(|item| item["cnpj"].as_str().expect("cnpj")[..2].to_owned()));
            assert_eq!(answer.body["tem_mais"], page < 2);
            cursor = format!("&cursor={}", answer.text_at("/proximo_cursor"));
        }
        assert_eq!(seen, ["14", "13", "12", "11", "10"], "newest first");
    }
}

both! {
    async fn wrong_parameters_are_named(app: TestApp) {
        for (query, summary) in [
            ("limite=0", "400 parametro_invalido"),
            ("limite=101", "400 parametro_invalido"),
            ("limite=muitos", "400 parametro_invalido"),
            ("cursor=@@", "400 parametro_invalido"),
            ("cursor=AAAA", "400 parametro_invalido"),
            ("limit=2", "400 campo_desconhecido"),
            ("%FF=1", "400 campo_desconhecido"),
        ] {
            assert_refusal(&app.get(&format!("/api/v1/emitters?{query}")).await, summary);
        }
    }
}
