//! GET /api/v1/nfe-entrada

use super::{CNPJ, consult, deposit, items, say};
use crate::common::{BELO_HORIZONTE, assert_refusal, stranger};
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
