//! Events of a product note and voided numbers: each answer that leaves a
//! doubt, by its code.

use super::{count, fault, order, refuse, sent};
use serde_json::{Value, json};
use sim::FaultKind;
use tests::bodies::nfe;
use tests::{Answer, TestApp, both};

const CNPJ: &str = "11222333000181";
const BELO_HORIZONTE: &str = "3106200";
const REASON: &str = "Mercadoria não saiu do estoque";
/// Each is done, and each answer says nothing.
const LOST: [FaultKind; 4] = [
    FaultKind::CortarDepois,
    FaultKind::XmlPelaMetade,
    FaultKind::JsonEstranho5xx,
    FaultKind::Lixo,
];

async fn issued(app: &TestApp) -> String {
    let answer = app.post("/api/v1/nfe", &nfe()).await;
    assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
    answer.text_at("/nota_id").to_owned()
}

async fn cancel(app: &TestApp, nota: &str) -> Answer {
    let body = json!({ "ref": nota, "justificativa": REASON });
    app.post("/api/v1/nfe/cancelar", &body).await
}

async fn letter(app: &TestApp, nota: &str) -> Answer {
    let body = json!({ "ref": nota, "correcao": "Onde se lê volume 1, leia-se volume 2" });
    app.post("/api/v1/nfe/cce", &body).await
}

async fn void(app: &TestApp, first: u64, last: u64) -> Answer {
    let body = json!({ "serie": 7, "numero_inicial": first, "numero_final": last, "justificativa": REASON });
    app.post("/api/v1/nfe/inutilizar", &body).await
}

fn registered(app: &TestApp, kind: &str) -> usize {
    let eventos = app.app.simulator.sim.events();
    eventos.iter().filter(|evento| evento.tipo == kind).count()
}

both! {
    async fn a_lost_answer_to_a_cancellation_is_found(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        for (n, failure) in LOST.into_iter().enumerate() {
            let nota = issued(&app).await;
            fault(&app, "cancelar", failure, 1, 0);
            let answer = cancel(&app, &nota).await;
            assert_eq!(answer.summary(), "200 cancelada", "{failure:?}: {}", answer.text);
            assert_ne!(answer.text_at("/evento/protocolo"), "", "{failure:?}: {}", answer.text);
            assert_eq!(registered(&app, "110111"), n + 1, "{failure:?}");
        }
        assert_eq!(app.balance().await, (200 - 8 * 4, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn a_cancellation_that_never_arrived_is_sent_again_byte_for_byte(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let nota = issued(&app).await;
        fault(&app, "cancelar", FaultKind::CortarAntes, 1, 0);
        let answer = cancel(&app, &nota).await;
        assert_eq!(answer.summary(), "200 cancelada", "{}", answer.text);
        let sendings = sent(&app, answer.text_at("/evento_id"), "nfeRecepcaoEvento").await;
        assert_eq!(sendings.len(), 2);
        assert_eq!(sendings[0].request_body, sendings[1].request_body);
        assert_eq!(registered(&app, "110111"), 1);
        app.check_invariants().await;
    }
}

both! {
    async fn row_4c_573_is_the_event_that_is_there(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let nota = issued(&app).await;
        fault(&app, "cce", FaultKind::Duplicada, 1, 0);
        let answer = letter(&app, &nota).await;
        assert_eq!((answer.status, answer.text_at("/evento/status")), (200, "registrado"), "{}", answer.text);
        assert_eq!((registered(&app, "110110"), count(&app.app.simulator.sim, "cce")), (1, 1));
        let second = letter(&app, &nota).await;
        assert_eq!(second.body["evento"]["sequencia"], 2, "{}", second.text);
        fault(&app, "cancelar", FaultKind::Duplicada, 1, 0);
        let answer = cancel(&app, &nota).await;
        assert_eq!(answer.summary(), "200 cancelada", "{}", answer.text);
        assert_eq!((registered(&app, "110111"), count(&app.app.simulator.sim, "cancelar")), (1, 1));
        assert_eq!(app.balance().await, (200 - 4 * 4, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn row_4c_563_is_the_range_that_was_voided(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        fault(&app, "inutilizar", FaultKind::Duplicada, 1, 0);
        for (first, failure) in [(1, None), (4, Some(FaultKind::CortarDepois)), (7, Some(FaultKind::Lixo)), (10, Some(FaultKind::CortarAntes))] {
            if let Some(failure) = failure {
                fault(&app, "inutilizar", failure, 1, 0);
            }
            let answer = void(&app, first, first + 2).await;
            assert_eq!((answer.status, answer.text_at("/faixa/status")), (200, "inutilizada"), "{failure:?}: {}", answer.text);
            assert_ne!(answer.text_at("/faixa/protocolo"), "", "{failure:?}: {}", answer.text);
        }
        assert_eq!(app.balance().await, (200 - 4 * 4, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn row_5_a_refused_event_returns_credit_and_numbers(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let nota = issued(&app).await;
        for (operation, codigo) in [("cancelar", "501"), ("cce", "501"), ("inutilizar", "241")] {
            refuse(&app, operation, codigo, None, 1);
            let answer = match operation {
                "cancelar" => cancel(&app, &nota).await,
                "cce" => letter(&app, &nota).await,
                _ => void(&app, 1, 3).await,
            };
            assert_eq!(answer.status, 422, "{operation}: {}", answer.text);
            assert_eq!(answer.body["rejeicao"]["codigo"], codigo, "{operation}: {}", answer.text);
            assert_eq!(app.balance().await, (196, 0), "{operation}");
        }
        let voided = void(&app, 1, 3).await;
        assert_eq!(voided.status, 200, "the range was free again: {}", voided.text);
        let cancelled = cancel(&app, &nota).await;
        assert_eq!(cancelled.summary(), "200 cancelada", "{}", cancelled.text);
        app.check_invariants().await;
    }
}

both! {
    async fn row_5_a_refused_range_leaves_the_sequence_as_it_was(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        issued(&app).await;
        for (codigo, failure) in [("241", FaultKind::Recusar), ("108", FaultKind::Pausado)] {
            let ordered = sim::Fault { falha: failure, codigo: Some(codigo.to_owned()), ..Default::default() };
            order(&app, "inutilizar", 1, ordered);
            let body = json!({ "serie": 1, "numero_inicial": 2, "numero_final": 9, "justificativa": REASON });
            let answer = app.post("/api/v1/nfe/inutilizar", &body).await;
            assert!(matches!(answer.status, 422 | 503), "{failure:?}: {}", answer.text);
            app.check_invariants().await;
            app.ahead_ms.fetch_add(31_000, std::sync::atomic::Ordering::Relaxed);
        }
        for number in 2..=3 {
            let next = app.post("/api/v1/nfe", &nfe()).await;
            assert_eq!((next.status, &next.body["numero"]), (201, &json!(number)), "{}", next.text);
        }
        app.check_invariants().await;
    }
}

both! {
    async fn row_4e_573_with_an_event_of_other_software_is_not_ours(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let nota = issued(&app).await;
        let chave = app.get(&format!("/api/v1/documentos/{nota}")).await.text_at("/chave").to_owned();
        let first = letter(&app, &nota).await;
        assert_eq!(first.status, 200, "{}", first.text);
        // The same note in a hub that knows nothing of letter 1.
        let mut conn = app.app.db.read().await.expect("connection");
        let known = store::tables::eventos::last_sequence(&mut conn, &nota.as_str().into(), "110110").await.expect("events");
        assert_eq!((known, chave.len()), (1, 44));
        drop(conn);
        forget(&app, first.text_at("/evento_id")).await;
        let body = json!({ "ref": nota, "correcao": "Onde se lê placa AAA, leia-se placa BBB" });
        let other = app.post("/api/v1/nfe/cce", &body).await;
        assert_eq!((other.status, other.body["rejeicao"]["codigo"].as_str()), (422, Some("573")), "{}", other.text);
        let next = app.post("/api/v1/nfe/cce", &body).await;
        assert_eq!((next.status, &next.body["evento"]["sequencia"]), (200, &json!(2)), "{}", next.text);
        assert_eq!(registered(&app, "110110"), 2);
    }
}

/// As if another system had registered the event: ours was refused.
async fn forget(app: &TestApp, evento: &str) {
    let id = evento.to_owned();
    let forgotten = app.app.db.write(id, |id, conn| {
        Box::pin(async move {
            let row = store::tables::eventos::by_id(conn, &id.as_str().into())
                .await?
                .expect("event");
            let row = store::tables::eventos::EventoRow {
                status: store::tables::eventos::EventoStatus::Rejected,
                resultado: "null".to_owned(),
                ..row
            };
            store::tables::eventos::save(conn, &row).await?;
            Ok::<_, store::TxError<std::convert::Infallible>>(())
        })
    });
    forgotten.await.expect("written");
}

both! {
    async fn row_7_a_repeated_cancellation_is_told_its_answer_however_late(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let nota = app.post("/api/v1/nfce", &tests::bodies::nfce()).await;
        let body = json!({ "ref": nota.text_at("/nota_id"), "justificativa": REASON });
        let first = app.post_as(&app.live_key, "/api/v1/nfce/cancelar", &body, Some("tarde")).await;
        assert_eq!(first.summary(), "200 cancelada", "{}", first.text);
        // Past the state's window of half an hour.
        app.ahead_ms.fetch_add(40 * 60_000, std::sync::atomic::Ordering::Relaxed);
        let again = app.post_as(&app.live_key, "/api/v1/nfce/cancelar", &body, Some("tarde")).await;
        assert_eq!((again.status, again.header("idempotent-replayed")), (200, "true"), "{}", again.text);
        assert_eq!(again.text, first.text);
        app.check_invariants().await;
    }
}

both! {
    async fn row_3_a_paused_service_takes_no_event(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let nota = issued(&app).await;
        fault(&app, "cancelar", FaultKind::Pausado, 1, 0);
        let answer: Value = cancel(&app, &nota).await.body;
        assert_eq!((&answer["codigo"], &answer["consumiu_credito"]), (&json!("sefaz_indisponivel"), &json!(false)), "{answer}");
        assert_eq!(app.balance().await, (196, 0));
        assert_eq!(registered(&app, "110111"), 0);
        app.check_invariants().await;
    }
}
