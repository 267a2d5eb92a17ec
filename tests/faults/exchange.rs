//! What is shown of an exchange once its journal is gone.

use crate::sql::execute;
use serde_json::json;
use tests::bodies::nfe;
use tests::both;

both! {
    async fn a_journal_that_is_gone_is_told_plainly(app: TestApp) {
        app.emitter("11222333000181", "3106200").await;
        let note = app.post("/api/v1/nfe", &nfe()).await;
        assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
        let path = format!("/api/v1/usage/chamadas/{}", note.text_at("/request_id"));
        let told = app.get(&path).await;
        assert_eq!(told.text_at("/troca/situacao"), "registrada", "{}", told.text);
        for sql in ["UPDATE flow_turns SET request = ''", "DELETE FROM flow_turns", "DELETE FROM flows"] {
            execute(&app.app.db, sql).await;
            let told = app.get(&path).await;
            assert_eq!((told.text_at("/troca/situacao"), &told.body["troca"]["itens"]), ("eliminada", &json!([])), "{sql}");
            assert!(told.text_at("/troca/mensagem").contains("eliminadas"), "{sql}: {}", told.text);
            assert_eq!(told.text_at("/nota_id"), note.text_at("/nota_id"), "the rest of the call is there");
        }
    }
}
