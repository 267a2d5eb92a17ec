//! DELETE /api/v1/emitters/{id}

use crate::common::{BELO_HORIZONTE, ask, assert_refusal, cnpj};
use reqwest::Method;
use serde_json::json;
use tests::bodies::{nfe, nfse, with};
use tests::{both, on_sqlite};

both! {
    async fn a_company_without_documents_goes_with_everything(app: TestApp) {
        let number = cnpj("11444777");
        let id = app.emitter(&number, BELO_HORIZONTE).await;
        let path = format!("/api/v1/emitters/{id}");
        let stale = app.http().delete(format!("{}{path}", app.base_url)).bearer_auth(&app.live_key).header("if-match", "\"5\"");
        assert_refusal(&app.send(stale).await, "412 versao_desatualizada");
        let gone = ask(&app, Method::DELETE, &path, None).await;
        assert_eq!((gone.status, gone.text.as_str()), (204, ""));
        assert_refusal(&app.get(&path).await, "404 nao_encontrado");
        assert_refusal(&ask(&app, Method::DELETE, &path, None).await, "404 nao_encontrado");
        let mut conn = app.app.db.read().await.expect("connection");
        assert!(store::tables::secrets::of_emitter(&mut conn, &app.account_id, &id.as_str().into()).await.expect("secrets").is_empty());
        assert!(store::tables::certificates::page(&mut conn, "", 10).await.expect("certificates").is_empty());
        drop(conn);
        app.emitter(&number, BELO_HORIZONTE).await;
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_company_with_documents_stays(app: TestApp) {
        let id = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let draft = app.post("/api/v1/nfse/criar", &nfse()).await;
        assert_eq!(draft.summary(), "201 rascunho", "{}", draft.text);
        let path = format!("/api/v1/emitters/{id}");
        let refused = ask(&app, Method::DELETE, &path, None).await;
        assert_refusal(&refused, "409 estado_invalido");
        let shown = app.get(&path).await;
        assert_eq!(shown.body["credenciais_informadas"], json!(["senha", "usuario"]), "nothing was removed");
        // It still issues: key, logins and numbering are all there.
        let note = app.post("/api/v1/nfse", &with(nfse(), "/referencia", "depois")).await;
        assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
        app.check_invariants().await;
    }
}

both! {
    async fn a_company_with_voided_numbers_stays(app: TestApp) {
        let id = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let range = json!({ "serie": 1, "numero_inicial": 1, "numero_final": 3, "justificativa": "Numeração pulada pelo sistema" });
        let done = app.post("/api/v1/nfe/inutilizar", &range).await;
        assert_eq!((done.status, done.text_at("/faixa/status")), (200, "inutilizada"), "{}", done.text);
        let path = format!("/api/v1/emitters/{id}");
        assert_refusal(&ask(&app, Method::DELETE, &path, None).await, "409 estado_invalido");
        let next = app.post("/api/v1/nfe", &nfe()).await;
        assert_eq!(next.body["numero"], 4, "{}", next.text);
        app.check_invariants().await;
    }
}
