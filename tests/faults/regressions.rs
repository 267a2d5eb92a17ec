//! Holes that were found, and stay closed.

use crate::rows::later;
use crate::sql::execute;
use flow::contract::{Situacao, Success};
use hub::demo::open_account;
use serde_json::{Value, json};
use sim::{Fault, FaultKind, When};
use std::convert::Infallible;
use std::sync::atomic::Ordering;
use store::ids::EventoId;
use store::tables::eventos::{self, EventoRow, EventoStatus};
use store::tables::flows::{self, FlowOperation, FlowPhase, FlowRow};
use store::{Conn, Engine, TxError};
use tests::app::Backend;
use tests::bodies::nfse;
use tests::{TestApp, both};

const CNPJ: &str = "11222333000181";
const BELO_HORIZONTE: &str = "3106200";
/// A city of ABRASF 2.02 that answers at once.
const ARIQUEMES: &str = "1100304";
/// A city of SigISS 1.00, whose simulation learns from recorded cases.
const MARILIA: &str = "3529005";
/// Cities of IPM 1.01; the first one decides about a cancellation later.
const CITY_THAT_DECIDES_LATER: &str = "4213203";
const CITY_WITHOUT_QUERY: &str = "3107406";

fn fault(app: &TestApp, operation: &str, failure: FaultKind, after: u64, times: u64) {
    assert!(
        app.app
            .simulator
            .sim
            .add_fault(of(operation, failure, after, times))
    );
}

/// A fault of the next `times` requests of an operation after `after` of them;
/// 0: for ever.
fn of(operation: &str, failure: FaultKind, after: u64, times: u64) -> Fault {
    Fault {
        quando: When {
            operacao: Some(operation.to_owned()),
            apos: after,
            vezes: Some(times),
            ..When::default()
        },
        falha: failure,
        ..Fault::default()
    }
}

fn cancellation(nota_id: &str) -> Value {
    json!({ "ref": nota_id, "codigo_motivo": "erro_emissao", "justificativa": "Valor do serviço digitado errado" })
}

// A flow that could not run kept the lease of its living node for ever.
impatient! {
    async fn a_flow_that_cannot_run_is_tried_again(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        // The flow will have to go on while the key cannot be opened.
        fault(&app, "emitir", FaultKind::CortarDepois, 0, 1);
        fault(&app, "consultar", FaultKind::Erro500, 0, 0);
        execute(&app.app.db, "CREATE TABLE kept AS SELECT id, key_blob FROM certificates").await;
        let body = nfse();
        let issuing = app.post_as(&app.live_key, "/api/v1/nfse", &body, Some("chave"));
        let breaking = async {
            let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
            while app.app.simulator.sim.received() < 2 {
                assert!(std::time::Instant::now() < deadline, "nothing was sent");
                tokio::task::yield_now().await;
            }
            execute(&app.app.db, "UPDATE certificates SET key_blob = chain_der").await;
            let mut conn = app.app.db.read().await.expect("connection");
            loop {
                // Claimed again and again, to no avail.
                let tried = store::tables::flows::due(&mut conn, i64::MAX, 10).await.expect("flows");
                let mut fence = 0;
                for id in tried {
                    fence = store::tables::flows::get(&mut conn, &id).await.expect("flow").map_or(0, |flow| flow.fence);
                }
                if fence > 3 {
                    break;
                }
                assert!(std::time::Instant::now() < deadline, "the flow is not tried again");
                app.ahead_ms.fetch_add(1_000, Ordering::Relaxed);
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
            drop(conn);
            execute(&app.app.db, "UPDATE certificates SET key_blob = kept.key_blob FROM kept WHERE kept.id = certificates.id").await;
        };
        let (answer, ()) = tokio::join!(issuing, breaking);
        app.app.simulator.sim.clear_faults();
        let id = answer.text_at("/nota_id").to_owned();
        later(&app, &id, &["autorizada"]).await;
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

// A re-sending that was refused, or not taken, ended the note although the
// first copy may have arrived.
impatient! {
    async fn a_refused_resending_says_nothing_about_the_first_copy(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        // The first flow gives up; then the authority throttles, then refuses.
        fault(&app, "emitir", FaultKind::CortarAntes, 0, 3);
        fault(&app, "emitir", FaultKind::LimiteRequisicoes, 3, 1);
        fault(&app, "emitir", FaultKind::Recusar, 4, 1);
        let answer = app.post_as(&app.live_key, "/api/v1/nfse", &nfse(), Some("uma")).await;
        let id = answer.text_at("/nota_id").to_owned();
        let shown = later(&app, &id, &["rejeitada"]).await;
        assert!(shown["rejeicao"]["codigo"].is_string(), "{shown}");
        let received = &app.app.simulator.sim.overview().recebidas["nacional"];
        assert_eq!(received["emitir"], 5, "throttled was not the end");
        assert_eq!(app.app.simulator.sim.notas().len(), 0);
        assert_eq!(app.balance().await, (200, 0));
        app.check_invariants().await;
        let next = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!(next.body["rps"]["numero"], 1, "{}", next.text);
    }
}

/// Issues a note while the authority has these faults, and waits for its end:
/// the first copy is the note.
async fn first_copy_is_the_note(app: &TestApp, ibge: &str, body: &Value, faults: Vec<Fault>) {
    app.emitter(CNPJ, ibge).await;
    for failure in faults {
        assert!(app.app.simulator.sim.add_fault(failure));
    }
    let answer = app.post("/api/v1/nfse", body).await;
    let id = answer.text_at("/nota_id").to_owned();
    app.until_note(&id, "autorizada").await;
    let ordered = app.app.simulator.sim.faults();
    assert!(
        ordered
            .iter()
            .all(|fault| Some(fault.aplicadas) == fault.quando.vezes),
        "{ordered:?}"
    );
    assert_eq!(app.app.simulator.sim.notas().len(), 1);
    assert_eq!(app.balance().await, (196, 0));
    app.check_invariants().await;
}

// The refusal of a second copy ended the note after one look. The first copy
// waits in a queue of which nothing is told, for ten minutes of the hub's pauses.
impatient! {
    async fn a_refused_copy_does_not_end_a_queued_one(app: TestApp) {
        let queue = Fault {
            ms: Some(600),
            ..of("emitir", FaultKind::Fila, 0, 1)
        };
        let faults = vec![queue, of("emitir", FaultKind::Recusar, 1, 1)];
        first_copy_is_the_note(&app, BELO_HORIZONTE, &nfse(), faults).await;
    }
}

// The same in a city, which six times does not show the note it has: before the
// second copy, after it, and twice after the flow.
impatient! {
    async fn a_refused_copy_does_not_end_one_that_a_city_does_not_show(app: TestApp) {
        let unseen = Fault {
            codigo: Some("E4".to_owned()),
            mensagem: Some("RPS não encontrado".to_owned()),
            ..of("consultar", FaultKind::Recusar, 0, 6)
        };
        let faults = vec![
            of("emitir", FaultKind::CortarDepois, 0, 1),
            of("emitir", FaultKind::Recusar, 1, 1),
            unseen,
        ];
        let body = tests::bodies::with(nfse(), "/tomador/endereco/codigo_ibge", ARIQUEMES);
        let body = tests::bodies::with(body, "/servico/cnae", "6201501");
        first_copy_is_the_note(&app, ARIQUEMES, &body, faults).await;
    }
}

// A note that never arrived was shown as authorized, and charged: the question found
// the note that other software had issued under its number, for another price.
impatient! {
    async fn the_sale_of_other_software_is_not_ours(app: TestApp) {
        app.emitter(CNPJ, ARIQUEMES).await;
        let other = open_account(&app.app, "Outra conta", 6_000).await.expect("account");
        app.emitter_of(&other.id, CNPJ, ARIQUEMES).await;
        let body = tests::bodies::with(nfse(), "/tomador/endereco/codigo_ibge", ARIQUEMES);
        let body = tests::bodies::with(body, "/servico/cnae", "6201501");
        fault(&app, "emitir", FaultKind::CortarAntes, 0, 1);
        fault(&app, "consultar", FaultKind::Erro500, 0, 0);
        let lost = app.post("/api/v1/nfse", &body).await;
        assert_eq!(lost.summary(), "202 em_transmissao", "{}", lost.text);
        let other_sale = tests::bodies::with(body, "/valores/servico", "77.77");
        let issued = app.post_as(&other.live_key, "/api/v1/nfse", &other_sale, None).await;
        assert_eq!(issued.summary(), "201 autorizada", "{}", issued.text);
        app.app.simulator.sim.clear_faults();
        let shown = later(&app, lost.text_at("/nota_id"), &["rejeitada"]).await;
        assert_eq!(shown["rejeicao"]["codigo"], "numero_ja_usado", "{shown}");
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        assert_eq!(app.balance().await, (200, 0));
        app.check_invariants().await;
    }
}

// The same for cancellations: the second request is refused, the first one
// had been registered.
impatient! {
    async fn a_refused_second_cancellation_looks_at_the_note(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        for registered in [false, true] {
            let issued = app.post("/api/v1/nfse", &nfse()).await;
            assert_eq!(issued.summary(), "201 autorizada", "{}", issued.text);
            let id = issued.text_at("/nota_id").to_owned();
            let before = app.balance().await;
            app.app.simulator.sim.clear_faults();
            fault(&app, "cancelar", if registered { FaultKind::CortarDepois } else { FaultKind::CortarAntes }, 0, 3);
            fault(&app, "cancelar", FaultKind::Recusar, 3, 1);
            // No question is answered until the first flow has given up.
            fault(&app, "eventos", FaultKind::Erro500, 0, 18);
            let answer = app.post_as(&app.live_key, "/api/v1/nfse/cancelar", &cancellation(&id), Some(&format!("c-{registered}"))).await;
            assert!(matches!(answer.status, 200 | 202 | 422), "{}", answer.text);
            let evento = cancellation_ended(&app, &id).await;
            let mut conn = app.app.db.read().await.expect("connection");
            let looks = flows::count_of(&mut conn, &evento.id, FlowOperation::ConsultarNota).await.expect("a count");
            let (state, price, least) = if registered { ("registrado", 4, 1) } else { ("rejeitado", 0, 3) };
            assert_eq!(evento.status.as_str(), state);
            assert!(looks >= least, "{state} after {looks} looks");
            assert_eq!(app.balance().await, (before.0 - price, 0));
            app.check_invariants().await;
        }
    }
}

/// The last event of a note, when it is over; the clock is put forward while
/// nothing runs.
async fn cancellation_ended(app: &TestApp, nota_id: &str) -> EventoRow {
    tests::until(async || {
        let mut conn = app.app.db.read().await.expect("connection");
        let events = eventos::of_nota(&mut conn, &app.account_id, &nota_id.into()).await;
        let last = events.expect("events").pop().ok_or("no event")?;
        if last.status != EventoStatus::InTransmission {
            return Ok(last);
        }
        if app.app.running.is_empty() {
            app.ahead_ms.fetch_add(30_000, Ordering::Relaxed);
        }
        Err("in transmission")
    })
    .await
}

// The credit of a cancellation was held for ever where the city has no query: after
// a refused second request the hub asked again and again for what nobody can ask.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_second_cancellation_that_nobody_can_look_at_is_repeated() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("providers.toml");
    let without =
        r#"{ leiaute = "sigiss", servicos_ausentes = ["consultar-nota", "consultar-rps"] }"#;
    let with_query = r#"{ leiaute = "sigiss", servicos_ausentes = ["consultar-rps"] }"#;
    assert!(flow::registry::BUILT_IN.contains(with_query));
    std::fs::write(&file, flow::registry::BUILT_IN.replace(with_query, without)).expect("registry");
    let app = TestApp::start_with(Backend::Sqlite, |config| {
        config.issuing.wait_ms = 4_000;
        config.registry.file = file;
        config.authorities.simulator_cases = tests::adapters::workspace().join("plugins");
    })
    .await
    .expect("SQLite is always there");
    app.emitter(CNPJ, MARILIA).await;
    let body = tests::bodies::with(nfse(), "/tomador/endereco/codigo_ibge", MARILIA);
    for lost in [FaultKind::CortarAntes, FaultKind::CortarDepois] {
        let issued = app.post("/api/v1/nfse", &body).await;
        let id = issued.text_at("/nota_id");
        app.until_note(id, "autorizada").await;
        let before = app.balance().await;
        app.app.simulator.sim.clear_faults();
        fault(&app, "cancelar", lost, 0, 1);
        fault(&app, "cancelar", FaultKind::Recusar, 1, 2);
        let answer = app.post("/api/v1/nfse/cancelar", &cancellation(id)).await;
        assert!(matches!(answer.status, 200 | 202), "{}", answer.text);
        let evento = cancellation_ended(&app, id).await;
        assert_eq!(evento.status, EventoStatus::Registered, "{lost:?}");
        assert_eq!(app.balance().await, (before.0 - 4, 0), "{lost:?}");
        app.check_invariants().await;
    }
}

/// An app with an emitter in a city that learns from recorded cases, and a note for
/// it; `wait_divisor` shortens the hub's pauses.
async fn in_a_learned_city(ibge: &str, wait_divisor: u64) -> (TestApp, Value) {
    let app = TestApp::start_with(Backend::Sqlite, |config| {
        config.flow.wait_divisor = wait_divisor;
        config.issuing.wait_ms = 4_000;
        config.authorities.simulator_cases = tests::adapters::workspace().join("plugins");
    })
    .await
    .expect("SQLite is always there");
    app.emitter(CNPJ, ibge).await;
    let body = tests::bodies::with(nfse(), "/tomador/endereco/codigo_ibge", ibge);
    (app, tests::bodies::with(body, "/servico/cnae", "6201501"))
}

/// Sendings of a note that the simulated cities received.
fn sendings(app: &TestApp) -> u64 {
    let received = app.app.simulator.sim.overview().recebidas;
    let of_cities = received
        .values()
        .filter_map(|of_city| of_city.get("emitir"));
    of_cities.sum()
}

// A cancellation that the city decides about was requested again and again, and ended
// as refused after three looks at the note, which was still valid.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancellation_that_the_city_decides_about_waits() {
    let (app, body) = in_a_learned_city(CITY_THAT_DECIDES_LATER, 1_000).await;
    let issued = app.post("/api/v1/nfse", &body).await;
    let id = issued.text_at("/nota_id");
    app.until_note(id, "autorizada").await;
    let before = app.balance().await;
    let decision = Fault {
        ms: Some(600_000),
        ..of("cancelar", FaultKind::Fila, 0, 1)
    };
    assert!(app.app.simulator.sim.add_fault(decision));
    let answer = app.post("/api/v1/nfse/cancelar", &cancellation(id)).await;
    assert_eq!(answer.status, 202, "{}", answer.text);
    let evento = cancellation_ended(&app, id).await;
    assert_eq!(evento.status, EventoStatus::Registered);
    let mut conn = app.app.db.read().await.expect("connection");
    let count =
        async |conn: &mut Conn, operation| flows::count_of(conn, &evento.id, operation).await;
    let looks = count(&mut conn, FlowOperation::ConsultarNota).await;
    let requests = count(&mut conn, FlowOperation::Cancelar).await;
    assert_eq!(requests.expect("a count"), 1);
    assert!(looks.expect("a count") > 3);
    assert_eq!(app.balance().await, (before.0 - 4, 0));
    app.check_invariants().await;
}

// A cancellation that a city received under a protocol waited for ever: the hub only
// looked at the note, as where the city decides about the request later.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancellation_received_under_a_protocol_is_ordered_again() {
    let (app, body) = in_a_learned_city(CITY_THAT_DECIDES_LATER, 1).await;
    for protocol in [None, Some("R-1")] {
        app.app.simulator.sim.clear_faults();
        let issued = app.post("/api/v1/nfse", &body).await;
        let id = issued.text_at("/nota_id");
        app.until_note(id, "autorizada").await;
        fault(&app, "cancelar", FaultKind::CortarAntes, 0, 0);
        let answer = app.post("/api/v1/nfse/cancelar", &cancellation(id)).await;
        assert_eq!(answer.status, 202, "{}", answer.text);
        let mut conn = app.app.db.read().await.expect("connection");
        let events = eventos::of_nota(&mut conn, &app.account_id, &id.into()).await;
        let evento = events.expect("events").pop().expect("an event").id;
        let lost = flow_ended(&app, &evento).await;
        answered(&app, lost, protocol).await;
        let looks = flows::count_of(&mut conn, &evento, FlowOperation::ConsultarNota).await;
        assert_eq!(looks.expect("a count"), i64::from(protocol.is_none()));
        if protocol.is_none() {
            continue;
        }
        app.app.simulator.sim.clear_faults();
        let evento = cancellation_ended(&app, id).await;
        assert_eq!(evento.status, EventoStatus::Registered);
        let requests = flows::count_of(&mut conn, &evento.id, FlowOperation::Cancelar).await;
        assert_eq!(requests.expect("a count"), 2);
    }
}

/// The last cancellation of an event, when it is over; the clock is put forward as
/// far as the flow waits, and not as far as the hub would send another one.
async fn flow_ended(app: &TestApp, evento: &EventoId) -> FlowRow {
    tests::until(async || {
        let mut conn = app.app.db.read().await.expect("connection");
        let last = flows::last_with(&mut conn, evento, FlowOperation::Cancelar).await;
        let last = last.expect("no database error").expect("a flow");
        if last.phase == FlowPhase::Done {
            return Ok(last);
        }
        if app.app.running.is_empty() {
            let ahead_ms = last.wake_at_ms - app.app.now_ms();
            app.ahead_ms.fetch_add(ahead_ms.max(0), Ordering::Relaxed);
        }
        Err("not over")
    })
    .await
}

/// Settles a flow that is over once more, as if the authority had received the
/// cancellation: no simulated city answers so.
async fn answered(app: &TestApp, flow: FlowRow, protocol: Option<&str>) {
    let outcome = Ok(Success {
        situacao: Situacao::EmProcessamento,
        documentos: Vec::new(),
        mensagens: Vec::new(),
        protocolo: protocol.map(str::to_owned),
        conteudo: None,
    });
    let now_ms = app.app.now_ms();
    let settled = app
        .app
        .db
        .write((flow, outcome), move |(flow, outcome), conn| {
            Box::pin(async move {
                let settled = issuing::settle::done(conn, flow.clone(), outcome, now_ms, 1).await;
                settled.map(|_| ()).map_err(TxError::<Infallible>::Db)
            })
        });
    settled.await.expect("settled");
}

// A note was in doubt for ever where the city has no question by RPS, although it
// refuses a copy of a message and names the note.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_note_nobody_can_ask_for_is_found_by_sending_a_copy() {
    for lost in [FaultKind::CortarDepois, FaultKind::CortarAntes] {
        let (app, body) = in_a_learned_city(CITY_WITHOUT_QUERY, 1_000).await;
        fault(&app, "emitir", lost, 0, 3);
        let answer = app.post("/api/v1/nfse", &body).await;
        let id = answer.text_at("/nota_id").to_owned();
        later(&app, &id, &["autorizada"]).await;
        assert_eq!(sendings(&app), 4, "{lost:?}");
        assert_eq!(app.app.simulator.sim.notas().len(), 1, "{lost:?}");
        assert_eq!(app.balance().await, (196, 0), "{lost:?}");
        app.check_invariants().await;
    }
}

// Copies end where the question has been due six times, however long nobody answers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copies_are_not_sent_without_end() {
    let (app, body) = in_a_learned_city(CITY_WITHOUT_QUERY, 1_000).await;
    fault(&app, "emitir", FaultKind::CortarAntes, 0, 0);
    let answer = app.post("/api/v1/nfse", &body).await;
    let id = answer.text_at("/nota_id");
    tests::until(async || {
        if app.app.running.is_empty() {
            app.ahead_ms.fetch_add(30_000, Ordering::Relaxed);
        }
        let mut conn = app.app.db.read().await.expect("connection");
        let asked = flows::count_of(&mut conn, id, FlowOperation::ConsultarRps).await;
        let asked = asked.expect("a count");
        (asked > 8).then_some(()).ok_or(asked)
    })
    .await;
    let mut conn = app.app.db.read().await.expect("connection");
    let sent = flows::count_of(&mut conn, id, FlowOperation::Emitir).await;
    assert_eq!(
        sent.expect("a count"),
        6,
        "the first flow, and five that ask"
    );
    assert_eq!(app.balance().await, (196, 4));
}

// A cancelled note could be cancelled, and charged, under a second key.
impatient! {
    async fn a_cancelled_note_is_not_cancelled_under_another_key(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let old = app.post("/api/v1/nfse", &nfse()).await;
        let old_id = old.text_at("/nota_id").to_owned();
        let replacement = json!({ "chave": old_id, "motivo": "99", "justificativa": "Valor do serviço digitado errado" });
        let new = app.post("/api/v1/nfse/substituir", &tests::bodies::with(nfse(), "/substitui", replacement)).await;
        assert_eq!(new.summary(), "201 autorizada", "{}", new.text);
        let balance = app.balance().await;
        let refused = app.post_as(&app.live_key, "/api/v1/nfse/cancelar", &cancellation(&old_id), Some("uma")).await;
        assert_eq!(refused.summary(), "409 ja_cancelada", "{}", refused.text);
        assert_eq!(app.balance().await, balance, "nothing was charged");
        let new_id = new.text_at("/nota_id");
        let cancelled = app.post_as(&app.live_key, "/api/v1/nfse/cancelar", &cancellation(new_id), Some("duas")).await;
        assert_eq!(cancelled.summary(), "200 cancelada", "{}", cancelled.text);
        let repeated = app.post_as(&app.live_key, "/api/v1/nfse/cancelar", &cancellation(new_id), Some("duas")).await;
        assert_eq!(repeated.text, cancelled.text, "the same key, the same answer");
        app.check_invariants().await;
    }
}

// Two customers of one company were given, and both paid for, the same note:
// alike sales of one day told themselves apart by nothing.
both! {
    async fn an_alike_sale_of_another_account_is_another_note(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let first = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!(first.status, 201, "{}", first.text);
        let other = open_account(&app.app, "Outra conta", 6_000).await.expect("account");
        app.emitter_of(&other.id, CNPJ, BELO_HORIZONTE).await;
        app.ahead_ms.fetch_add(5_000, Ordering::Relaxed);
        let refused = app.post_as(&other.live_key, "/api/v1/nfse", &nfse(), None).await;
        assert_eq!(refused.summary(), "422 rejeitada_pela_prefeitura", "{}", refused.text);
        assert!(refused.text.contains("numero_ja_usado"), "{}", refused.text);
        let second = app.post_as(&other.live_key, "/api/v1/nfse", &nfse(), None).await;
        assert_eq!(second.status, 201, "the number is spent, the next one is free: {}", second.text);
        assert_ne!(first.text_at("/chave"), second.text_at("/chave"));
        app.check_invariants().await;
    }
}

// A database somebody else holds was told as a fault of the program, the node
// went on saying that it was ready, and the calls were missing in the log.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_held_is_a_pause_not_a_fault() {
    let Some(app) = TestApp::start(Backend::Sqlite).await else {
        return;
    };
    app.emitter(CNPJ, BELO_HORIZONTE).await;
    let Conn::Sqlite(mut holder) = app.app.db.read().await.expect("connection") else {
        panic!("SQLite");
    };
    holder.execute("BEGIN IMMEDIATE", &[]).expect("held");
    let body = nfse();
    let (ready, issued) = tokio::join!(
        app.get("/pronto"),
        app.post_as(&app.live_key, "/api/v1/nfse", &body, Some("chave"))
    );
    holder.execute("ROLLBACK", &[]).expect("released");
    assert_eq!(ready.summary(), "503 manutencao", "{}", ready.text);
    assert_eq!(issued.summary(), "503 manutencao", "{}", issued.text);
    assert_eq!(issued.header("retry-after"), "5");
    let again = app
        .post_as(&app.live_key, "/api/v1/nfse", &body, Some("chave"))
        .await;
    assert_eq!(again.status, 201, "{}", again.text);
    let call = format!("/api/v1/usage/chamadas/{}", issued.text_at("/request_id"));
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while app.get(&call).await.status != 200 {
        assert!(
            std::time::Instant::now() < deadline,
            "the call is not in the log"
        );
    }
    app.check_invariants().await;
}

// A clock that had been ahead left leases without renewal until it got there again.
both! {
    async fn leases_are_renewed_after_the_clock_was_set_back(app: TestApp) {
        const LEASED: &str =
            "SELECT COALESCE(MAX(lease_until_ms), 0) FROM flows WHERE phase = 'sending'";
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        // Longer than the flow may be watched: the answer comes when the fault is withdrawn.
        let slow = Fault { ms: Some(600_000), ..of("emitir", FaultKind::Lento, 0, 1) };
        assert!(app.app.simulator.sim.add_fault(slow));
        let body = nfse();
        let issuing = app.post_as(&app.live_key, "/api/v1/nfse", &body, Some("chave"));
        let moving = async {
            for ahead_ms in [0, 3_600_000, 0] {
                app.ahead_ms.store(ahead_ms, Ordering::Relaxed);
                tests::until(async || {
                    let until_ms = crate::sql::count(&app.app.db, LEASED).await;
                    let left_ms = until_ms - app.app.now_ms();
                    let renewed = (0..=app.app.config.flow.lease_ms).contains(&left_ms);
                    renewed.then_some(()).ok_or(left_ms)
                })
                .await;
            }
            app.app.simulator.sim.clear_faults();
        };
        let (answer, ()) = tokio::join!(issuing, moving);
        later(&app, answer.text_at("/nota_id"), &["autorizada"]).await;
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

// A customer with long listings kept all the others waiting.
both! {
    async fn listings_of_one_account_wait_for_each_other_only(app: TestApp) {
        let db = &app.app.db;
        let _listing = db.walk(&app.account_id).await.expect("connection");
        let mut second = std::pin::pin!(db.walk(&app.account_id));
        assert!(futures::poll!(&mut second).is_pending(), "one at a time");
        let by_key = db.read().await;
        assert!(by_key.is_ok(), "what is found by key does not wait");
        // On SQLite few walk at a time, whoever asks.
        if db.engine() == Engine::Postgres {
            assert!(db.walk(&"con_outra".into()).await.is_ok(), "another account has its own turn");
        }
    }
}
