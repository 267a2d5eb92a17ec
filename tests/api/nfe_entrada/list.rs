//! GET /api/v1/nfe-entrada

use super::{CNPJ, consult, deposit, items, say};
use crate::common::{BELO_HORIZONTE, ask_as, assert_refusal, stranger};
use reqwest::Method;
use serde_json::json;
use tests::both;

both! {
    async fn received_notes_are_listed_by_their_filters(app: TestApp) {
        let emitter = app.emitter(CNPJ, BELO_HORIZONTE).await;
        let keys = deposit(&app, "producao", 5);
        consult(&app).await;
        say(&app, &keys[2], "ciencia").await;
        for (query, count) in [
            (String::new(), 5),
            ("?manifestacao=ciencia".to_owned(), 1),
            ("?manifestacao=nenhuma".to_owned(), 4),
            ("?completa=1".to_owned(), 0),
            ("?completa=0".to_owned(), 5),
            ("?emitente=99.888.777/0001-00".to_owned(), 5),
            ("?emitente=11222333000181".to_owned(), 0),
            ("?emitente=../-".to_owned(), 0),
            (format!("?emitente_id={emitter}"), 5),
            ("?de=2020-01-01&ate=2020-01-02".to_owned(), 0),
        ] {
            let answer = app.get(&format!("/api/v1/nfe-entrada{query}")).await;
            assert_eq!((answer.status, items(&answer).len()), (200, count), "{query}: {}", answer.text);
        }
        let first = app.get("/api/v1/nfe-entrada?limite=2").await;
        assert_eq!((&items(&first)[0]["chave"], &first.body["tem_mais"]), (&serde_json::json!(keys[4]), &serde_json::json!(true)));
        let cursor = first.text_at("/proximo_cursor");
        let second = app.get(&format!("/api/v1/nfe-entrada?limite=2&cursor={cursor}")).await;
        assert_eq!(items(&second)[0]["chave"], keys[2], "{}", second.text);
        for bad in ["?completa=sim", "?manifestacao=x", "?de=ontem"] {
            assert_refusal(&app.get(&format!("/api/v1/nfe-entrada{bad}")).await, "400 parametro_invalido");
        }
        let other = stranger(&app).await;
        for path in ["", "/eventos"] {
            let url = format!("{}/api/v1/nfe-entrada{path}", app.base_url);
            let answer = app.send(app.http().get(url).bearer_auth(&other.live_key)).await;
            assert_eq!((answer.status, items(&answer).len()), (200, 0), "{}", answer.text);
        }
        app.check_invariants().await;
    }
}

both! {
    async fn received_notes_are_listed_by_their_environment(app: TestApp) {
        let emitter = app.emitter(CNPJ, BELO_HORIZONTE).await;
        let real = deposit(&app, "producao", 1).remove(0);
        assert_eq!(consult(&app).await.body["novas"], 1);
        let change = json!({ "ambiente": "homologacao" });
        let changed = ask_as(&app, &app.live_key, Method::PATCH, &format!("/api/v1/emitters/{emitter}"), Some(&change)).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        // Of another state: keys do not say the environment.
        let order = json!({ "cnpj": CNPJ, "ambiente": "homologacao", "uf": "SP", "valor_centavos": 6_700 });
        let order: sim::DepositOrder = serde_json::from_value(order).expect("order");
        let trial = app.app.simulator.sim.deposit(&order).expect("deposit").remove(0);
        assert_eq!(consult(&app).await.body["novas"], 1);
        let path = "/api/v1/nfe-entrada";
        let (live, test) = (app.live_key.as_str(), app.test_key.as_str());
        for (key, query, expected) in [
            (live, "", vec![&trial, &real]),
            (live, "?ambiente=producao", vec![&real]),
            (live, "?ambiente=homologacao", vec![&trial]),
            // What is looked for and what came in a period are statements of their own.
            (live, "?ambiente=producao&q=99888777000100", vec![&real]),
            (live, "?ambiente=homologacao&q=99888777000100", vec![&trial]),
            (live, "?ambiente=producao&de=2020-01-01", vec![&real]),
            (live, "?ambiente=homologacao&de=2020-01-01", vec![&trial]),
            (test, "", vec![&trial]),
            (test, "?ambiente=homologacao", vec![&trial]),
            (test, "?ambiente=simulado", vec![]),
        ] {
            let answer = ask_as(&app, key, Method::GET, &format!("{path}{query}"), None).await;
            assert_eq!(answer.status, 200, "{query}: {}", answer.text);
            let keys: Vec<&str> = items(&answer).iter().filter_map(|one| one["chave"].as_str()).collect();
            assert_eq!(keys, expected, "{query}");
        }
        for (key, word) in [(live, "simulado"), (live, "teste"), (live, ""), (test, "producao"), (test, "producao,homologacao")] {
            let refused = ask_as(&app, key, Method::GET, &format!("{path}?ambiente={word}"), None).await;
            assert_refusal(&refused, "400 parametro_invalido");
            assert_eq!(refused.text_at("/campos/0/campo"), "ambiente", "{}", refused.text);
        }
        app.check_invariants().await;
    }
}
