//! POST /api/v1/nfse/status

use crate::common::{BELO_HORIZONTE, assert_refusal, cnpj};
use serde_json::json;
use sim::{Fault, FaultKind, When};
use tests::bodies::nfse;
use tests::on_sqlite;

const PATH: &str = "/api/v1/nfse/status";

on_sqlite! {
    async fn the_authority_is_asked_and_paid_for(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfse", &nfse()).await;
        for reference in [note.text_at("/nota_id"), note.text_at("/chave")] {
            let answer = app.post(PATH, &json!({ "ref": reference })).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            assert_eq!(answer.text_at("/situacao"), "autorizada");
            assert_eq!(answer.body["divergencia"], json!(null));
            assert_eq!(answer.body["creditos"]["debitado"], 4);
        }
        assert_eq!(app.balance().await, (188, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_question_without_an_answer_is_free(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfse", &nfse()).await;
        app.app.simulator.sim.add_fault(Fault {
            quando: When { vezes: Some(0), ..When::default() },
            falha: FaultKind::Html,
            ..Fault::default()
        });
        let answer = app.post(PATH, &json!({ "ref": note.text_at("/nota_id") })).await;
        assert_refusal(&answer, "503 prefeitura_indisponivel");
        assert!(!answer.header("retry-after").is_empty(), "{}", answer.text);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn only_notes_that_were_sent_can_be_asked_about(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let draft = app.post("/api/v1/nfse/criar", &nfse()).await;
        assert_refusal(&app.post(PATH, &json!({ "ref": draft.text_at("/nota_id") })).await, "409 estado_invalido");
        assert_refusal(&app.post(PATH, &json!({ "ref": "nfse_01ARZ3NDEKTSV4RRFFQ69G5FAV" })).await, "404 nao_encontrado");
        assert_refusal(&app.post(PATH, &json!({ "chave": "1" })).await, "400 parametro_ausente");
        let simulated = app.post_as(&app.test_key, "/api/v1/nfse", &nfse(), None).await;
        let free = app.post_as(&app.test_key, PATH, &json!({ "ref": simulated.text_at("/nota_id") }), None).await;
        assert_eq!(free.status, 200, "{}", free.text);
        assert_eq!(app.balance().await, (200, 0));
        app.check_invariants().await;
    }
}
