//! GET /api/v1/pessoas

use super::{PATH, emitter, person, registered};
use crate::common::{ask, ask_as, assert_refusal, cnpj};
use reqwest::Method;
use serde_json::json;
use tests::bodies::with;
use tests::{TestApp, both};

async fn found(app: &TestApp, query: &str) -> Vec<String> {
    let answer = app.get(&format!("{PATH}?{query}")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let items = answer.body["itens"].as_array().cloned().unwrap_or_default();
    items
        .iter()
        .filter_map(|item| item["nome"].as_str().map(str::to_owned))
        .collect()
}

both! {
    async fn persons_are_found(app: TestApp) {
        emitter(&app).await;
        let roots = ["11444777", "22444777", "33444777", "44444777"];
        let names = ["Padaria São João", "Açougue 100% Boi_Gordo", "Oficina do João", "ÉCLAIR Doces"];
        for (root, name) in roots.iter().zip(names) {
            registered(&app, &with(person(root), "/nome", name)).await;
        }
        let id = registered(&app, &json!({ "cpf_cnpj": "52998224725", "nome": "Fulana de Tal", "papeis": ["transportador"] })).await;
        assert_eq!(found(&app, "").await, ["Fulana de Tal", names[3], names[2], names[1], names[0]]);
        for (query, expected) in [
            ("q=joao", vec![names[2], names[0]]),
            ("q=JO%C3%83O", vec![names[2], names[0]]),
            ("q=padaria%20%20s", vec![names[0]]),
            ("q=eclair", vec![names[3]]),
            ("q=%25", vec![names[1]]),
            ("q=_", vec![names[1]]),
            ("q=!", vec![]),
            ("papel=transportador", vec!["Fulana de Tal"]),
            ("papel=remetente", vec![]),
            ("cpf_cnpj=529.982.247-25", vec!["Fulana de Tal"]),
            ("q=joao&papel=tomador&limite=1", vec![names[2]]),
            ("emitente_id=emi_nada", vec![]),
        ] {
            assert_eq!(found(&app, query).await, expected, "{query}");
        }
        assert_eq!(found(&app, &format!("cpf_cnpj={}", cnpj("33444777"))).await, [names[2]]);

        let first = app.get(&format!("{PATH}?q=a&limite=2")).await;
        assert_eq!(first.body["tem_mais"], true, "{}", first.text);
        assert_eq!(first.text_at("/itens/0/id"), id);
        let next = app.get(&format!("{PATH}?q=a&limite=2&cursor={}", first.text_at("/proximo_cursor"))).await;
        assert_eq!((next.text_at("/itens/0/nome"), next.text_at("/itens/1/nome")), (names[2], names[1]), "{}", next.text);
        for query in ["q=", "q=%20", "cpf_cnpj=1", "papel=amigo", "papel=%25", "limite=0", "nome=x", &format!("q={}", "x".repeat(101))] {
            let answer = app.get(&format!("{PATH}?{query}")).await;
            let summary = if query == "nome=x" { "400 campo_desconhecido" } else { "400 parametro_invalido" };
            assert_refusal(&answer, summary);
        }
        let foreign = format!("{PATH}?q=b&limite=2&cursor={}", first.text_at("/proximo_cursor"));
        assert_refusal(&app.get(&foreign).await, "400 parametro_invalido");
    }
}

both! {
    async fn a_person_is_found_by_the_name_it_has_now_and_by_its_own_account(app: TestApp) {
        emitter(&app).await;
        let id = registered(&app, &with(person("11444777"), "/nome", "Padaria São João")).await;
        registered(&app, &with(person("22444777"), "/nome", "Padaria do Zé")).await;
        let other = hub::demo::open_account(&app.app, "Outra conta", 6_000).await.expect("account");
        let path = format!("{PATH}?q=padaria");
        let theirs = ask_as(&app, &other.live_key, Method::GET, &path, None).await;
        assert_eq!(theirs.body["itens"], json!([]), "{}", theirs.text);
        for (query, expected) in [
            ("q=PADARIA", vec!["Padaria do Zé", "Padaria São João"]),
            ("q=padaria&limite=1", vec!["Padaria do Zé"]),
            ("q=padaria&papel=transportador", vec![]),
            ("q=padaria&emitente_id=emi_nada", vec![]),
        ] {
            assert_eq!(found(&app, query).await, expected, "{query}");
        }
        let path = format!("{PATH}/{id}");
        let renamed = ask(&app, Method::PATCH, &path, Some(&json!({ "nome": "Confeitaria São João" }))).await;
        assert_eq!(renamed.status, 200, "{}", renamed.text);
        assert_eq!(found(&app, "q=padaria").await, ["Padaria do Zé"]);
        assert_eq!(found(&app, "q=confeitaria%20s").await, ["Confeitaria São João"]);
    }
}
