//! POST /api/v1/nfe-entrada/consultar

use super::{
    CNPJ, CONSULTAR, MANIFESTAR, PAUSE_MS, asked, consult, deposit, deposit_at, fault, items,
    later, xml,
};
use crate::common::{BELO_HORIZONTE, assert_refusal, stranger};
use serde_json::json;
use tests::app::Backend;
use tests::{TestApp, both, on_sqlite};

both! {
    async fn new_notes_come_once_and_then_there_is_an_hour(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let keys = deposit(&app, "producao", 3);
        let answer = consult(&app).await;
        assert_eq!((answer.status, &answer.body["novas"]), (200, &json!(3)), "{}", answer.text);
        assert_eq!((&answer.body["ultimo_nsu"], &answer.body["max_nsu"]), (&json!(3), &json!(3)));
        assert_eq!(answer.body["creditos"], json!({ "reservado": 0, "debitado": 4, "saldo": 196 }));
        let first = &items(&answer)[0];
        assert_eq!((&first["tipo"], &first["nsu"], &first["chave"]), (&json!("resumo"), &json!(1), &json!(keys[0])));
        assert_eq!((first["valor"].to_string().as_str(), &first["manifestacao"]), ("123.45", &json!(null)));

        let early = consult(&app).await;
        assert_refusal(&early, "423 consumo_indevido_bloqueado");
        let seconds: i64 = early.header("retry-after").parse().expect("seconds");
        assert!((3_500..=3_660).contains(&seconds), "{seconds}");
        assert_eq!((asked(&app), app.balance().await), (1, (196, 0)));

        later(&app, PAUSE_MS);
        deposit(&app, "producao", 1);
        let next = consult(&app).await;
        assert_eq!((next.status, &next.body["novas"], items(&next).len()), (200, &json!(1), 1), "{}", next.text);
        assert_refusal(&consult(&app).await, "423 consumo_indevido_bloqueado");
        later(&app, PAUSE_MS);
        let nothing = consult(&app).await;
        assert_eq!((nothing.status, &nothing.body["novas"], &nothing.body["ultimo_nsu"]), (200, &json!(0), &json!(4)), "{}", nothing.text);
        assert_refusal(&consult(&app).await, "423 consumo_indevido_bloqueado");
        later(&app, PAUSE_MS);
        assert_eq!(consult(&app).await.status, 200);
        assert_eq!(asked(&app), 4);

        let note = app.get(&format!("/api/v1/nfe-entrada/{}", keys[0])).await;
        assert_eq!((note.status, &note.body["completa"]), (200, &json!(false)), "{}", note.text);
        assert!(xml(&note).contains(&format!("<chNFe>{}</chNFe>", keys[0])));
        let mut conn = app.app.db.read().await.expect("connection");
        let id = note.text_at("/resumo/recebida_id");
        let told = store::tables::outbox::of_subject(&mut conn, &app.account_id, id).await.expect("events");
        assert_eq!(told.iter().map(|event| event.tipo.as_str()).collect::<Vec<_>>(), ["dfe.recebida"]);
        drop(conn);
        app.check_invariants().await;
    }
}

both! {
    async fn a_long_queue_is_asked_page_after_page(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        deposit(&app, "producao", 120);
        let answer = consult(&app).await;
        assert_eq!((answer.status, &answer.body["novas"], &answer.body["ultimo_nsu"]), (200, &json!(120), &json!(120)), "{}", answer.text);
        assert_eq!((asked(&app), app.balance().await), (3, (196, 0)));
        assert_refusal(&consult(&app).await, "423 consumo_indevido_bloqueado");
        app.check_invariants().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_ends_after_its_pages_and_the_next_one_may_go_on_at_once() {
    let app = TestApp::start_with(Backend::Sqlite, |config| {
        config.issuing.distribution_pages = 1
    });
    let app = app.await.expect("SQLite is always there");
    app.emitter(CNPJ, BELO_HORIZONTE).await;
    deposit(&app, "producao", 80);
    for (fresh, last) in [(50, 50), (30, 80)] {
        let answer = consult(&app).await;
        assert_eq!(
            (
                answer.status,
                &answer.body["novas"],
                &answer.body["ultimo_nsu"]
            ),
            (200, &json!(fresh), &json!(last)),
            "{}",
            answer.text
        );
    }
    assert_refusal(&consult(&app).await, "423 consumo_indevido_bloqueado");
    assert_eq!(asked(&app), 2);
    app.check_invariants().await;
}

both! {
    async fn two_accounts_of_one_company_never_ask_together(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let other = stranger(&app).await;
        app.emitter_of(&other.id, CNPJ, BELO_HORIZONTE).await;
        let keys = deposit(&app, "producao", 1);
        let body = json!({});
        let (mine, theirs) = tokio::join!(consult(&app), app.post_as(&other.live_key, CONSULTAR, &body, None));
        let mut both = [mine.status, theirs.status];
        both.sort_unstable();
        assert_eq!((both, asked(&app)), ([200, 423], 1), "{} {}", mine.text, theirs.text);
        // Each account has its own copy, an hour later.
        let (first, second) = if mine.status == 200 { (&app.live_key, &other.live_key) } else { (&other.live_key, &app.live_key) };
        let path = format!("/api/v1/nfe-entrada/{}", keys[0]);
        let get = |key: &str| app.send(app.http().get(format!("{}{path}", app.base_url)).bearer_auth(key));
        assert_eq!(get(first).await.status, 200);
        assert_refusal(&get(second).await, "404 nao_encontrado");
        let manifest = json!({ "chave": keys[0], "tipo": "ciencia" });
        let foreign = app.post_as(second, MANIFESTAR, &manifest, None).await;
        assert_refusal(&foreign, "404 nao_encontrado");
        later(&app, PAUSE_MS);
        assert_eq!(app.post_as(second, CONSULTAR, &body, None).await.body["novas"], 1);
        assert_eq!(get(second).await.status, 200);
        assert_eq!(asked(&app), 2);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn abusive_use_shuts_everything_for_an_hour_and_costs_nothing(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let keys = deposit(&app, "producao", 1);
        fault(&app, "distribuir", sim::FaultKind::ConsumoIndevido);
        let answer = consult(&app).await;
        assert_refusal(&answer, "423 consumo_indevido_bloqueado");
        assert!(answer.text_at("/mensagem").contains("656"), "{}", answer.text);
        assert_eq!(answer.header("retry-after"), "3660");
        assert_refusal(&consult(&app).await, "423 consumo_indevido_bloqueado");
        let by_key = app.post(CONSULTAR, &json!({ "modo": "chave", "chave": keys[0] })).await;
        assert_refusal(&by_key, "423 consumo_indevido_bloqueado");
        assert_eq!((asked(&app), app.balance().await), (1, (200, 0)));
        later(&app, PAUSE_MS);
        assert_eq!(consult(&app).await.body["novas"], 1);
        app.check_invariants().await;
    }
}

both! {
    async fn a_lost_answer_counts_as_one_that_found_nothing(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        deposit(&app, "producao", 2);
        fault(&app, "distribuir", sim::FaultKind::CortarDepois);
        let lost = consult(&app).await;
        assert_refusal(&lost, "503 sefaz_indisponivel");
        assert_refusal(&consult(&app).await, "423 consumo_indevido_bloqueado");
        assert_eq!((asked(&app), app.balance().await), (1, (200, 0)));
        later(&app, PAUSE_MS);
        assert_eq!(consult(&app).await.body["novas"], 2);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn one_document_is_asked_for_twenty_times_an_hour(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let keys = deposit(&app, "producao", 2);
        let by_key = json!({ "modo": "chave", "chave": keys[0] });
        let by_nsu = json!({ "modo": "nsu", "nsu": 2 });
        for turn in 0..20 {
            let (body, key) = if turn % 2 == 0 { (&by_key, &keys[0]) } else { (&by_nsu, &keys[1]) };
            let answer = app.post(CONSULTAR, body).await;
            assert_eq!((answer.status, answer.text_at("/itens/0/chave")), (200, key.as_str()), "{}", answer.text);
            assert_eq!(answer.body["novas"], i32::from(turn < 2));
            assert_eq!(answer.body["ultimo_nsu"], 0, "one document does not move the queue");
        }
        assert_refusal(&app.post(CONSULTAR, &by_key).await, "423 consumo_indevido_bloqueado");
        assert_eq!((asked(&app), app.balance().await), (20, (120, 0)));
        assert_eq!(consult(&app).await.body["novas"], 0, "known by now, but the queue is its own");
        later(&app, PAUSE_MS);
        assert_eq!(app.post(CONSULTAR, &by_key).await.status, 200);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn what_the_authority_refuses_is_told_and_free(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let keys = deposit(&app, "producao", 1);
        let unknown = format!("{}{}", &keys[0][..34], "112345670");
        let unknown = format!("{unknown}{}", markup::ids::chave::digit(unknown.as_bytes()));
        let answer = app.post(CONSULTAR, &json!({ "modo": "chave", "chave": unknown })).await;
        assert_refusal(&answer, "422 rejeitada_pela_sefaz");
        assert_eq!(answer.text_at("/rejeicao/codigo"), "217", "{}", answer.text);
        for body in [
            json!({ "modo": "chave" }), json!({ "modo": "nsu" }), json!({ "modo": "nsu", "nsu": 0 }),
            json!({ "modo": "chave", "chave": "123" }), json!({ "modo": "novas", "nsu": 1 }), json!({ "nsu": 1 }),
        ] {
            let answer = app.post(CONSULTAR, &body).await;
            assert_eq!(answer.status, 400, "{body}: {}", answer.text);
        }
        assert_eq!((asked(&app), app.balance().await), (1, (200, 0)));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_test_key_is_answered_by_the_simulator(app: TestApp) {
        app.emitter_without_certificate(CNPJ, BELO_HORIZONTE).await;
        let world = app.app.simulator.world(&app.account_id).expect("a world of its own");
        let keys = deposit_at(&world, "homologacao", 1);
        assert_refusal(&consult(&app).await, "422 certificado_ausente");
        let answer = app.post_as(&app.test_key, CONSULTAR, &json!({}), None).await;
        assert_eq!((answer.status, &answer.body["novas"]), (200, &json!(1)), "{}", answer.text);
        assert_eq!((&items(&answer)[0]["simulada"], &answer.body["consumiu_credito"]), (&json!(true), &json!(false)));
        let live = app.get(&format!("/api/v1/nfe-entrada/{}", keys[0])).await;
        assert_refusal(&live, "404 nao_encontrado");
        let said = json!({ "chave": keys[0], "tipo": "ciencia" });
        let said = app.post_as(&app.test_key, MANIFESTAR, &said, None).await;
        assert_eq!((said.status, &said.body["creditos"]["debitado"]), (200, &json!(0)), "{}", said.text);
        assert_eq!(app.balance().await, (200, 0));
        app.check_invariants().await;
    }
}
