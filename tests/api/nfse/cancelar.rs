//! POST /api/v1/nfse/cancelar

use crate::common::{BELO_HORIZONTE, assert_refusal, cnpj};
use serde_json::{Value, json};
use tests::bodies::{nfse, with};
use tests::{both, on_sqlite};

const PATH: &str = "/api/v1/nfse/cancelar";

fn cancellation(reference: &str) -> Value {
    json!({ "ref": reference, "codigo_motivo": "erro_emissao", "justificativa": "Serviço lançado em duplicidade." })
}

both! {
    async fn a_note_is_cancelled_once(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfse", &nfse()).await;
        let (id, chave) = (note.text_at("/nota_id"), note.text_at("/chave"));
        let first = app.post_as(&app.live_key, PATH, &cancellation(chave), Some("cancela-1")).await;
        assert_eq!(first.summary(), "200 cancelada", "{}", first.text);
        assert_eq!(first.text_at("/nota_id"), id);
        assert_eq!(first.text_at("/evento/status"), "registrado");
        assert_eq!(first.body["creditos"], json!({ "reservado": 0, "debitado": 4, "saldo": 192 }));
        assert_eq!(app.balance().await, (192, 0));
        let replay = app.post_as(&app.live_key, PATH, &cancellation(chave), Some("cancela-1")).await;
        assert_eq!(replay.text, first.text);
        assert_eq!(replay.header("idempotent-replayed"), "true");
        assert_refusal(&app.post(PATH, &cancellation(id)).await, "409 ja_cancelada");
        let shown = app.get(&format!("/api/v1/documentos/{id}")).await;
        assert_eq!(shown.summary(), "200 cancelada");
        assert_eq!(app.balance().await, (192, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_refused_cancellation_costs_nothing(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfse", &nfse()).await;
        let id = note.text_at("/nota_id");
        app.app.simulator.sim.add_fault(sim::Fault {
            quando: sim::When { operacao: Some("cancelar".to_owned()), ..Default::default() },
            falha: sim::FaultKind::Recusar,
            codigo: Some("E0822".to_owned()),
            mensagem: Some("Prazo de cancelamento encerrado.".to_owned()),
            ..Default::default()
        });
        let refused = app.post(PATH, &cancellation(id)).await;
        assert_refusal(&refused, "422 rejeitada_pela_prefeitura");
        assert_eq!(refused.text_at("/rejeicao/motivo"), "Prazo de cancelamento encerrado.");
        assert_eq!(app.balance().await, (196, 0));
        assert_eq!(app.get(&format!("/api/v1/documentos/{id}")).await.summary(), "200 autorizada");
        let second = app.post(PATH, &cancellation(id)).await;
        assert_eq!(second.summary(), "200 cancelada", "{}", second.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn wrong_requests_are_refused(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfse", &nfse()).await;
        let id = note.text_at("/nota_id");
        let good = cancellation(id);
        for (body, summary) in [
            (with(good.clone(), "/justificativa", "curta"), "422 validacao_previa"),
            (with(good.clone(), "/justificativa", "x".repeat(256)), "422 validacao_previa"),
            (with(good.clone(), "/codigo_motivo", "desisti"), "400 parametro_invalido"),
            (with(good.clone(), "/ref", "nfse_01ARZ3NDEKTSV4RRFFQ69G5FAV"), "404 nao_encontrado"),
            (with(good.clone(), "/motivo", 1), "400 campo_desconhecido"),
            (json!({ "ref": id }), "400 parametro_ausente"),
        ] {
            assert_refusal(&app.post(PATH, &body).await, summary);
        }
        let by_test_key = app.post_as(&app.test_key, PATH, &good, None).await;
        assert_refusal(&by_test_key, "404 nao_encontrado");
        let draft = app.post("/api/v1/nfse/criar", &nfse()).await;
        assert_refusal(&app.post(PATH, &cancellation(draft.text_at("/nota_id"))).await, "409 estado_invalido");
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn goiania_does_not_cancel_by_an_api(app: TestApp) {
        let demands = app.get("/api/v1/nfse/cancelamento/exigencias?codigo_ibge=5208707").await;
        assert_eq!(demands.text_at("/cancela_por_api"), "não", "{}", demands.text);
        assert_eq!(demands.text_at("/cancela_por_api_codigo"), "nao");
        assert!(!demands.text_at("/fonte/fonte").is_empty());
        let capital = app.get(&format!("/api/v1/nfse/cancelamento/exigencias?codigo_ibge={BELO_HORIZONTE}")).await;
        assert_eq!(capital.text_at("/cancela_por_api"), "sim", "{}", capital.text);
        assert!(capital.body["motivos_aceitos"].as_array().is_some_and(|all| !all.is_empty()), "{}", capital.text);
        let by_name = app.get("/api/v1/nfse/cancelamento/exigencias?cidade=goiania&uf=GO").await;
        assert_eq!(by_name.text_at("/codigo_ibge"), "5208707", "{}", by_name.text);
        for (query, summary) in [
            ("", "400 parametro_ausente"),
            ("codigo_ibge=1", "400 parametro_invalido"),
            ("codigo_ibge=9999999", "404 nao_encontrado"),
            ("municipio=5208707", "400 campo_desconhecido"),
        ] {
            assert_refusal(&app.get(&format!("/api/v1/nfse/cancelamento/exigencias?{query}")).await, summary);
        }
    }
}
