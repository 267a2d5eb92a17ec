//! What belongs to one account does not exist for another.

use crate::common::{
    BELO_HORIZONTE, ask, ask_as, assert_refusal, cnpj, emitter_in, profile, stranger,
};
use reqwest::Method;
use serde_json::json;
use tests::bodies::{nfse, with};
use tests::both;

both! {
    async fn another_accounts_ids_are_not_found(app: TestApp) {
        let number = cnpj("11444777");
        let emitter = app.emitter(&number, BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfse", &nfse()).await;
        let draft = app.post("/api/v1/nfse/criar", &nfse()).await;
        let (id, chave, draft_id) = (note.text_at("/nota_id"), note.text_at("/chave"), draft.text_at("/nota_id"));
        let other = stranger(&app).await;
        let put = emitter_in(&app, &number);
        let cancel = |reference: &str| json!({ "ref": reference, "codigo_motivo": "outros", "justificativa": "Cancelamento de outra conta." });
        for key in [&other.live_key, &other.test_key] {
            for (method, path, body) in [
                (Method::GET, format!("/api/v1/emitters/{emitter}"), None),
                (Method::GET, format!("/api/v1/emitters/{emitter}/certificado"), None),
                (Method::PUT, format!("/api/v1/emitters/{emitter}/certificado"), Some(put["certificado"].clone())),
                (Method::PUT, format!("/api/v1/emitters/{emitter}/fiscal-profile"), Some(profile(BELO_HORIZONTE))),
                (Method::PATCH, format!("/api/v1/emitters/{emitter}"), Some(json!({ "apelido": "Minha" }))),
                (Method::DELETE, format!("/api/v1/emitters/{emitter}"), None),
                (Method::GET, format!("/api/v1/documentos/{id}"), None),
                (Method::GET, format!("/api/v1/documentos/{chave}"), None),
                (Method::GET, format!("/api/v1/documentos/{id}/historico"), None),
                (Method::GET, format!("/api/v1/documentos/{chave}/xml"), None),
                (Method::POST, format!("/api/v1/documentos/{id}/email"), Some(json!({ "para": ["x@exemplo.com.br"] }))),
                (Method::POST, format!("/api/v1/documentos/{chave}/email"), Some(json!({}))),
                (Method::DELETE, format!("/api/v1/documentos/{draft_id}"), None),
                (Method::GET, format!("/api/v1/nfse/{id}/documento"), None),
                (Method::GET, format!("/api/v1/usage/chamadas/{}", note.text_at("/request_id")), None),
                (Method::POST, "/api/v1/nfse/cancelar".to_owned(), Some(cancel(id))),
                (Method::POST, "/api/v1/nfse/cancelar".to_owned(), Some(cancel(chave))),
                (Method::POST, "/api/v1/nfse/status".to_owned(), Some(json!({ "ref": id }))),
                (Method::POST, "/api/v1/nfse/emitir".to_owned(), Some(json!({ "nota_id": draft_id }))),
                (Method::POST, "/api/v1/nfse/roteamento".to_owned(), Some(json!({ "emitente_id": emitter }))),
                (Method::POST, "/api/v1/nfse".to_owned(), Some(with(nfse(), "/emitente_id", emitter.as_str()))),
                (Method::POST, "/api/v1/nfse/criar".to_owned(), Some(with(nfse(), "/emitente_id", emitter.as_str()))),
            ] {
                let answer = ask_as(&app, key, method.clone(), &path, body.as_ref()).await;
                assert_refusal(&answer, "404 nao_encontrado");
                assert!(!answer.text.contains(&number), "{method} {path}: {}", answer.text);
            }
            for path in ["/api/v1/emitters", "/api/v1/nfse"] {
                let answer = ask_as(&app, key, Method::GET, path, None).await;
                assert_eq!(answer.body["itens"], json!([]), "{}", answer.text);
            }
            for path in ["/api/v1/usage", "/api/v1/creditos", "/api/v1/creditos/extrato", "/api/v1/conta"] {
                let answer = ask_as(&app, key, Method::GET, path, None).await;
                assert_eq!(answer.status, 200, "{}", answer.text);
                assert!(!answer.text.contains(id) && !answer.text.contains(&app.account_id), "{path}: {}", answer.text);
            }
        }
        // The same company may be a customer of both.
        let same = ask_as(&app, &other.live_key, Method::POST, "/api/v1/emitters", Some(&put)).await;
        assert_eq!(same.status, 201, "{}", same.text);
        let substitui = json!({ "chave": chave, "motivo": "99", "justificativa": "Nota de outra conta, não minha." });
        let path = format!("/api/v1/emitters/{}/fiscal-profile", same.text_at("/id"));
        ask_as(&app, &other.live_key, Method::PUT, &path, Some(&profile(BELO_HORIZONTE))).await;
        let body = with(nfse(), "/substitui", substitui);
        let replaced = ask_as(&app, &other.live_key, Method::POST, "/api/v1/nfse/substituir", Some(&body)).await;
        assert_refusal(&replaced, "422 validacao_previa");

        let still = ask(&app, Method::GET, &format!("/api/v1/documentos/{id}"), None).await;
        assert_eq!(still.summary(), "200 autorizada");
        assert_eq!(ask(&app, Method::GET, &format!("/api/v1/documentos/{draft_id}"), None).await.summary(), "200 rascunho");
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}
