//! /api/v1/documentos (its XML is tested with the notes)

mod exportar;
mod list;
mod packed;
mod past_days;
mod period;
mod told;

use crate::common::{BELO_HORIZONTE, ask, ask_as, assert_refusal, cnpj};
use reqwest::Method;
use serde_json::{Value, json};
use tests::bodies::{nfe, nfse, with};
use tests::{both, on_sqlite};

on_sqlite! {
    async fn a_document_is_shown_by_id_and_by_chave(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfse", &with(nfse(), "/referencia", "fat-1")).await;
        let (id, chave) = (note.text_at("/nota_id"), note.text_at("/chave"));
        for reference in [id, chave] {
            let path = format!("/api/v1/documentos/{reference}");
            let answer = app.get(&path).await;
            assert_eq!(answer.summary(), "200 autorizada", "{}", answer.text);
            assert_eq!((answer.text_at("/nota_id"), answer.text_at("/chave")), (id, chave));
            assert_eq!(answer.text_at("/referencia"), "fat-1");
            assert_eq!(answer.body["valor_total"], note.body["valor_total"]);
            assert_eq!((&answer.body["consumiu_credito"], &answer.body["consumiu_numero_fiscal"]), (&json!(true), &json!(true)));
            let with_test_key = ask_as(&app, &app.test_key, Method::GET, &path, None).await;
            assert_refusal(&with_test_key, "404 nao_encontrado");
        }
        for reference in ["nada", "nfse_01ARZ3NDEKTSV4RRFFQ69G5FAV", &"9".repeat(50), "%27%20OR%201=1"] {
            assert_refusal(&app.get(&format!("/api/v1/documentos/{reference}")).await, "404 nao_encontrado");
        }
        for reference in ["%00", "a%00b", "%FF"] {
            assert_refusal(&app.get(&format!("/api/v1/documentos/{reference}")).await, "400 parametro_invalido");
        }
    }
}

on_sqlite! {
    async fn what_was_not_issued_says_why(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let body = with(nfse(), "/valores/tributos_aproximados", json!({ "modo": "simples", "percentual": 6 }));
        let refused = app.post("/api/v1/nfse", &body).await;
        let shown = app.get(&format!("/api/v1/documentos/{}", refused.text_at("/nota_id"))).await;
        assert_eq!(shown.summary(), "200 rejeitada", "{}", shown.text);
        assert_eq!(shown.body["rejeicao"], refused.body["rejeicao"]);
        assert_eq!(shown.body["recusa"]["codigo"], "rejeitada_pela_prefeitura");
        assert_eq!((&shown.body["consumiu_credito"], &shown.body["consumiu_numero_fiscal"]), (&json!(false), &json!(false)));
    }
}

on_sqlite! {
    async fn the_history_tells_what_happened_and_nothing_personal(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let body = with(nfse(), "/tomador/cpf_cnpj", "52998224725");
        let note = app.post("/api/v1/nfse", &body).await;
        let id = note.text_at("/nota_id");
        let cancel = json!({ "ref": id, "codigo_motivo": "erro_emissao", "justificativa": "Serviço não foi prestado." });
        assert_eq!(app.post("/api/v1/nfse/cancelar", &cancel).await.status, 200);
        let answer = app.get(&format!("/api/v1/documentos/{id}/historico")).await;
        assert_eq!(answer.summary(), "200 cancelada", "{}", answer.text);
        let items = answer.body["itens"].as_array().expect("items");
        let kinds: Vec<&str> = items.iter().filter_map(|item| item["tipo"].as_str()).collect();
        for kind in ["criada", "reserva", "envio", "resposta", "debito", "nfse.emitida", "cancelamento", "nfse.cancelada"] {
            assert!(kinds.contains(&kind), "{kind} is missing: {kinds:?}");
        }
        assert_eq!(kinds.iter().filter(|kind| **kind == "reserva").count(), 2, "note and cancellation: {kinds:?}");
        assert_eq!(kinds[0], "criada");
        for (index, item) in items.iter().enumerate() {
            assert_eq!(item["sequencia"], index + 1);
            assert!(item["em"].is_string() && item["origem"].is_string(), "{item}");
        }
        let moments: Vec<&str> = items.iter().filter_map(|item| item["em"].as_str()).collect();
        assert!(moments.is_sorted(), "{moments:?}");
        let issued = items.iter().find(|item| item["tipo"] == "nfse.emitida").expect("issued");
        let xml = app.get(issued["xml_link"].as_str().expect("a link")).await;
        assert_eq!(xml.status, 200, "{}", xml.text);
        for private in ["52998224725", "<?xml", "<NFSe", "<DPS", "senha", "Cliente Exemplo"] {
            assert!(!answer.text.contains(private), "{private} is in {}", answer.text);
        }
    }
}

both! {
    async fn only_drafts_can_be_deleted(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let draft = app.post("/api/v1/nfse/criar", &nfse()).await;
        let path = format!("/api/v1/documentos/{}", draft.text_at("/nota_id"));
        let gone = ask(&app, Method::DELETE, &path, None).await;
        assert_eq!((gone.status, gone.text.as_str()), (204, ""));
        assert_refusal(&ask(&app, Method::DELETE, &path, None).await, "404 nao_encontrado");
        assert_refusal(&app.post("/api/v1/nfse/emitir", &json!({ "nota_id": draft.text_at("/nota_id") })).await, "404 nao_encontrado");
        let note = app.post("/api/v1/nfse", &nfse()).await;
        let path = format!("/api/v1/documentos/{}", note.text_at("/nota_id"));
        assert_refusal(&ask(&app, Method::DELETE, &path, None).await, "409 estado_invalido");
        assert_ne!(app.get(&path).await.body, Value::Null);
        app.check_invariants().await;
    }
}

both! {
    async fn a_draft_is_deleted_by_the_kind_of_key_that_made_it(app: TestApp) {
        let emitter = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let change = json!({ "ambiente": "homologacao" });
        let changed = ask(&app, Method::PATCH, &format!("/api/v1/emitters/{emitter}"), Some(&change)).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        for (own, other) in [(&app.test_key, &app.live_key), (&app.live_key, &app.test_key)] {
            let draft = app.post_as(own, "/api/v1/nfe/criar", &nfe(), None).await;
            let path = format!("/api/v1/documentos/{}", draft.text_at("/nota_id"));
            let seen = ask_as(&app, other, Method::GET, &path, None).await;
            assert_eq!((seen.status, seen.text_at("/status")), (200, "rascunho"), "both see it: {}", seen.text);
            assert_refusal(&ask_as(&app, other, Method::DELETE, &path, None).await, "404 nao_encontrado");
            assert_eq!(ask_as(&app, own, Method::DELETE, &path, None).await.status, 204);
        }
        app.check_invariants().await;
    }
}
