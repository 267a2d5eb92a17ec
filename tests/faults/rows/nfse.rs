//! A service note of the national environment.

use super::{count, fault, half_a_day, later, sent};
use sim::FaultKind;
use tests::bodies::nfse;
use tests::both;

const CNPJ: &str = "11222333000181";
const BELO_HORIZONTE: &str = "3106200";
/// ABRASF, which has no rule that refuses a second copy.
const ARIQUEMES: &str = "1100304";

both! {
    async fn row_4a_found_by_the_question_is_charged_once(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        // Each is processed, and each answer says nothing.
        let lost = [FaultKind::CortarDepois, FaultKind::XmlPelaMetade, FaultKind::JsonEstranho5xx, FaultKind::Lixo, FaultKind::Duplicada];
        for (n, failure) in lost.into_iter().enumerate() {
            fault(&app, "emitir", failure, 1, 0);
            let answer = app.post("/api/v1/nfse", &nfse()).await;
            assert_eq!(answer.summary(), "201 autorizada", "{failure:?}: {}", answer.text);
            assert_eq!(sent(&app, answer.text_at("/nota_id"), "POST nfse").await.len(), 1, "{failure:?}: asked, not sent again");
            let notas = app.app.simulator.sim.notas();
            assert_eq!(notas.len(), n + 1, "{failure:?}");
            assert_eq!(notas.last().and_then(|nota| nota.chave.as_deref()), Some(answer.text_at("/chave")), "{failure:?}");
        }
        assert_eq!(app.balance().await, (200 - 4 * 5, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn row_4b_never_seen_is_sent_again_byte_for_byte(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        for failure in [FaultKind::CortarAntes, FaultKind::Erro500, FaultKind::Html] {
            fault(&app, "emitir", failure, 1, 0);
            let answer = app.post("/api/v1/nfse", &nfse()).await;
            assert_eq!(answer.summary(), "201 autorizada", "{failure:?}: {}", answer.text);
            let id = answer.text_at("/nota_id");
            let sent_twice = sent(&app, id, "POST nfse").await;
            let asked = sent(&app, id, "HEAD dps").await;
            assert_eq!((sent_twice.len(), asked.len()), (2, 1), "{failure:?}: one question between two sendings");
            assert_eq!(sent_twice[0].request_body, sent_twice[1].request_body, "{failure:?}: the same bytes");
        }
        assert_eq!(app.app.simulator.sim.notas().len(), 3);
        assert_eq!(app.balance().await, (200 - 4 * 3, 0));
        app.check_invariants().await;
    }
}

timeless! {
    async fn row_4b_where_copies_are_refused_nothing_waits(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        app.stop_clock();
        fault(&app, "emitir", FaultKind::CortarAntes, 1, 0);
        let answer = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
        let id = answer.text_at("/nota_id");
        let bodies: Vec<Vec<u8>> = sent(&app, id, "POST nfse").await.into_iter().map(|turn| turn.request_body).collect();
        assert_eq!((bodies.len(), sent(&app, id, "HEAD dps").await.len()), (2, 1));
        assert_eq!(bodies[0], bodies[1], "the same bytes");
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

timeless! {
    async fn row_4b_where_copies_are_not_refused_the_pauses_are_kept(app: TestApp) {
        app.emitter(CNPJ, ARIQUEMES).await;
        app.stop_clock();
        fault(&app, "emitir", FaultKind::CortarAntes, 1, 0);
        let body = tests::bodies::with(nfse(), "/tomador/endereco/codigo_ibge", ARIQUEMES);
        let body = tests::bodies::with(body, "/servico/cnae", "6201501");
        let answer = app.post("/api/v1/nfse", &body).await;
        assert_eq!(answer.summary(), "202 em_transmissao", "{}", answer.text);
        assert_eq!(count(&app.app.simulator.sim, "emitir"), 1, "not sent again before its time");
        assert_eq!(app.balance().await, (196, 4));
        app.check_invariants().await;
    }
}

impatient! {
    async fn row_4b_never_seen_after_the_flow_gave_up_is_the_same(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        // All the sendings of the first flow get lost.
        fault(&app, "emitir", FaultKind::CortarAntes, 4, 0);
        let answer = app.post_as(&app.live_key, "/api/v1/nfse", &nfse(), Some("uma")).await;
        let id = answer.text_at("/nota_id").to_owned();
        later(&app, &id, &["autorizada"]).await;
        let bodies: Vec<Vec<u8>> = sent(&app, &id, "POST nfse").await.into_iter().map(|turn| turn.request_body).collect();
        assert_eq!(bodies.len(), 5);
        assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]), "the same bytes each time");
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        assert_eq!(app.balance().await, (196, 0));
        let repeated = app.post_as(&app.live_key, "/api/v1/nfse", &nfse(), Some("uma")).await;
        assert_eq!(repeated.summary(), "201 autorizada", "{}", repeated.text);
        app.check_invariants().await;
    }
}

impatient! {
    async fn row_4c_taken_but_not_to_be_seen_yet(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        // Accepted, in a queue, and answered 504: it can be seen only later,
        // but a second copy is told at once that there is one.
        fault(&app, "emitir", FaultKind::Fila, 1, 60_000);
        let answer = app.post_as(&app.live_key, "/api/v1/nfse", &nfse(), Some("fila")).await;
        let id = answer.text_at("/nota_id").to_owned();
        assert!(answer.status == 201 || answer.status == 202, "{}", answer.text);
        assert_ne!(answer.text_at("/status"), "rejeitada", "{}", answer.text);
        later(&app, &id, &["autorizada"]).await;
        assert!(sent(&app, &id, "POST nfse").await.len() >= 2, "E0014 for a second copy: the first is the note");
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

timeless! {
    async fn row_4c_a_refused_copy_is_found_without_a_pause(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        app.stop_clock();
        // Accepted, in a queue of a minute, and answered 504. No time passes, so
        // the question finds nothing and the second copy is refused with E0014.
        fault(&app, "emitir", FaultKind::Fila, 1, 60_000);
        let answer = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!(answer.summary(), "202 em_transmissao", "{}", answer.text);
        let id = answer.text_at("/nota_id").to_owned();
        assert_eq!(sent(&app, &id, "POST nfse").await.len(), 2, "the copy leaves while the clock stands");
        let asked = sent(&app, &id, "HEAD dps").await;
        let heard: Vec<_> = asked.iter().map(|turn| String::from_utf8_lossy(&turn.event_body)).collect();
        assert!(heard.iter().any(|body| body.contains("E0014")), "the copy is refused as one: {heard:?}");
        assert_eq!(app.balance().await, (196, 4));
        app.ahead_ms.fetch_add(60_000, std::sync::atomic::Ordering::Relaxed);
        later(&app, &id, &["autorizada"]).await;
        assert_eq!(sent(&app, &id, "POST nfse").await.len(), 2, "the note is found, no third copy leaves");
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn row_4e_a_number_of_other_software_is_not_used_again(app: TestApp) {
        // Other software issued number 1 of the same company and series.
        let other = hub::demo::open_account(&app.app, "Outro programa", 6_000).await.expect("account");
        let theirs = app.emitter_of(&other.id, CNPJ, BELO_HORIZONTE).await;
        let taken = tests::bodies::with(tests::bodies::with(nfse(), "/emitente_id", theirs), "/valores/servico", 77);
        let first = app.post_as(&other.live_key, "/api/v1/nfse", &taken, None).await;
        assert_eq!(first.summary(), "201 autorizada", "{}", first.text);
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let answer = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!(answer.summary(), "422 rejeitada_pela_prefeitura", "{}", answer.text);
        assert_eq!(app.balance().await, (200, 0));
        let next = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!(next.summary(), "201 autorizada", "{}", next.text);
        assert_eq!(next.body["rps"]["numero"], 2, "number 1 is burnt");
        assert_eq!(app.app.simulator.sim.notas().len(), 2);
        app.check_invariants().await;
    }
}

both! {
    async fn row_4f_a_throttled_question_is_asked_later_and_nothing_is_sent(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        fault(&app, "emitir", FaultKind::CortarDepois, 1, 0);
        fault(&app, "consultar", FaultKind::LimiteRequisicoes, 2, 0);
        fault(&app, "consultar", FaultKind::Erro500, 1, 0);
        let answer = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
        assert_eq!(count(&app.app.simulator.sim, "emitir"), 1);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

impatient! {
    async fn row_4g_where_nobody_answers_questions_nothing_is_sent_again(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        fault(&app, "emitir", FaultKind::CortarDepois, 1, 0);
        fault(&app, "consultar", FaultKind::Erro500, 0, 0);
        let answer = app.post_as(&app.live_key, "/api/v1/nfse", &nfse(), Some("muda")).await;
        let id = answer.text_at("/nota_id").to_owned();
        let asked = count(&app.app.simulator.sim, "consultar");
        half_a_day(&app).await;
        assert!(count(&app.app.simulator.sim, "consultar") > asked, "it goes on asking");
        assert_eq!(count(&app.app.simulator.sim, "emitir"), 1, "and never sends");
        assert_eq!(app.balance().await, (196, 4), "the credit stays reserved");
        let shown = app.get(&format!("/api/v1/documentos/{id}")).await;
        assert_eq!(shown.text_at("/status"), "em_transmissao", "{}", shown.text);
        app.check_invariants().await;
        // One answer, however late, settles it.
        app.app.simulator.sim.clear_faults();
        later(&app, &id, &["autorizada"]).await;
        assert_eq!(app.balance().await, (196, 0));
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        app.check_invariants().await;
    }
}

both! {
    async fn row_5_a_refusal_returns_credit_and_number(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        fault(&app, "emitir", FaultKind::Recusar, 1, 0);
        let refused = app.post_as(&app.live_key, "/api/v1/nfse", &nfse(), Some("recusada")).await;
        assert_eq!(refused.summary(), "422 rejeitada_pela_prefeitura", "{}", refused.text);
        assert_eq!(app.balance().await, (200, 0));
        let replayed = app.post_as(&app.live_key, "/api/v1/nfse", &nfse(), Some("recusada")).await;
        assert_eq!(replayed.text_at("/nota_id"), refused.text_at("/nota_id"), "the same body, the same answer");
        let corrected = tests::bodies::with(nfse(), "/valores/servico", 10);
        let issued = app.post_as(&app.live_key, "/api/v1/nfse", &corrected, Some("recusada")).await;
        assert_eq!(issued.summary(), "201 autorizada", "the key serves the corrected body: {}", issued.text);
        assert_eq!(issued.body["rps"]["numero"], 1);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}
