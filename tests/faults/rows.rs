//! The crash and loss points of an issuance, by the number they have in the
//! design (docs/ARCHITECTURE.md tells them in words).

use crate::client::Order;
use crate::lane::{City, Lane, Node};
use hub::db::flows::TurnRow;
use serde_json::{Value, json};
use sim::{Falha, Quando, Tipo};
use std::sync::atomic::Ordering;
use tests::app::Backend;
use tests::bodies::nfse;
use tests::{TestApp, both};

const CNPJ: &str = "11222333000181";
const BELO_HORIZONTE: &str = "3106200";

/// The same test on both databases, with hubs in processes of their own.
macro_rules! both_lanes {
    ($(async fn $name:ident($lane:ident: Lane) $body:block)+) => {
        $(mod $name {
            use super::*;

            async fn run($lane: Lane) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                run(Lane::open(Backend::Sqlite, &[City::National]).await.expect("SQLite is always there")).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                if let Some(lane) = Lane::open(Backend::Postgres, &[City::National]).await {
                    run(lane).await;
                }
            }
        })+
    };
}

fn order(lane: &Lane) -> Order {
    Order {
        path: "/api/v1/nfse",
        body: lane.note(City::National),
        key: "a-mesma".to_owned(),
    }
}

/// Lets a hub die at a point of one issuance, and starts another.
async fn killed_at(lane: &Lane, point: &str) -> Node {
    let mut node = lane.node_dying_at(point).await;
    lane.arm();
    assert!(
        order(lane).send(lane, &node).await.is_none(),
        "the answer left although the hub died at {point}"
    );
    node.died().await;
    lane.disarm();
    lane.expire_leases().await;
    lane.node().await
}

both_lanes! {
    async fn row_1_before_the_reserve_is_durable_nothing_happened(lane: Lane) {
        let node = killed_at(&lane, "reserve, before commit").await;
        lane.settled().await;
        assert_eq!(lane.count("SELECT COUNT(*) FROM notas").await, 0);
        assert_eq!(lane.count("SELECT COUNT(*) FROM idempotency_keys").await, 0);
        assert_eq!(lane.sim.received(), 0);
        lane.check("nothing").await;
        let again = order(&lane).insist(&lane, &node).await;
        assert_eq!(again.summary(), "201 autorizada", "{}", again.text);
        assert_eq!(again.header("idempotent-replayed"), "", "a new run");
        assert_eq!(again.body["rps"]["numero"], 1);
        lane.check("one").await;
    }

    async fn row_2_reserved_but_never_sent_goes_on_without_the_client(lane: Lane) {
        let node = killed_at(&lane, "reserved").await;
        lane.settled().await;
        assert_eq!(lane.sim.notas().len(), 1);
        lane.check("nobody asked again").await;
        let again = order(&lane).insist(&lane, &node).await;
        assert_eq!((again.status, again.header("idempotent-replayed")), (201, "true"), "{}", again.text);
        lane.check("somebody did").await;
    }

    async fn row_3_without_a_connection_nothing_is_spent(lane: Lane) {
        let mut lane = lane;
        let address = lane.set("HUB_AUTHORITIES_SIMULATOR", "localhost:1".to_owned());
        let mut node = lane.node().await;
        let answer = order(&lane).send(&lane, &node).await.expect("an answer");
        assert_eq!((answer.status, answer.header("x-error-code")), (503, "prefeitura_indisponivel"), "{}", answer.text);
        assert_eq!((&answer.body["consumiu_numero_fiscal"], &answer.body["consumiu_credito"]), (&json!(false), &json!(false)));
        assert_ne!(answer.header("retry-after"), "");
        lane.settled().await;
        lane.check("nothing was sent").await;
        node.kill().await;
        lane.set("HUB_AUTHORITIES_SIMULATOR", address);
        let node = lane.node().await;
        let again = order(&lane).insist(&lane, &node).await;
        assert_eq!(again.summary(), "201 autorizada", "{}", again.text);
        assert_eq!(again.body["rps"]["numero"], 1, "the number was free again");
        lane.check("the authority is back").await;
    }

    async fn row_4_killed_while_the_authority_works(lane: Lane) {
        let mut node = lane.node().await;
        lane.order("emitir", Tipo::Lento);
        let order = order(&lane);
        tokio::join!(order.send(&lane, &node), async {
            lane.until("the request at the authority", async || lane.sim.received() == 1).await;
            node.signal("KILL");
        });
        node.died().await;
        lane.expire_leases().await;
        let node = lane.node().await;
        lane.settled().await;
        lane.check("killed while the authority worked").await;
        let again = order.insist(&lane, &node).await;
        assert_eq!((again.status, again.header("idempotent-replayed")), (201, "true"), "{}", again.text);
    }

    async fn row_4_killed_with_the_answer_in_hand(lane: Lane) {
        let node = killed_at(&lane, "answer read").await;
        lane.settled().await;
        assert_eq!(received(&lane, "emitir"), 1, "asked, not sent again");
        lane.check("the answer was lost").await;
        assert_eq!(order(&lane).insist(&lane, &node).await.status, 201);
    }

    async fn row_7_settled_but_not_answered(lane: Lane) {
        let node = killed_at(&lane, "settled").await;
        let stored = order(&lane).insist(&lane, &node).await;
        assert_eq!((stored.status, stored.header("idempotent-replayed")), (201, "true"), "{}", stored.text);
        assert_eq!((received(&lane, "emitir"), received(&lane, "consultar")), (1, 0), "nobody was asked again");
        lane.check("only the answer was lost").await;
    }

    async fn row_8_the_event_is_written_with_the_settlement_or_not_at_all(lane: Lane) {
        let mut node = lane.node_dying_at("settle, before commit").await;
        lane.arm();
        assert!(order(&lane).send(&lane, &node).await.is_none());
        node.died().await;
        lane.disarm();
        assert_eq!(lane.count("SELECT COUNT(*) FROM outbox").await, 0);
        assert_eq!(lane.count("SELECT COUNT(*) FROM transfers WHERE kind = 'post'").await, 0);
        lane.expire_leases().await;
        let _node = lane.node().await;
        lane.settled().await;
        assert_eq!(lane.count("SELECT COUNT(*) FROM outbox WHERE tipo = 'nfse.emitida'").await, 1);
        lane.check("the event is there once").await;
    }
}

fn received(lane: &Lane, operacao: &str) -> u64 {
    count(&lane.sim, operacao)
}

fn count(sim: &sim::Sim, operacao: &str) -> u64 {
    sim.estado()
        .recebidas
        .values()
        .filter_map(|operations| operations.get(operacao))
        .sum()
}

/// Orders a fault for the next `times` requests of an operation; 0: for ever.
fn fault(app: &TestApp, operacao: &str, falha: Tipo, times: u64, ms: u64) {
    let quando = Quando {
        operacao: Some(operacao.to_owned()),
        vezes: Some(times),
        ..Quando::default()
    };
    assert!(app.app.simulator.sim.add_fault(Falha {
        quando,
        falha,
        ms: Some(ms),
        ..Falha::default()
    }));
}

/// What was sent under a label, over all flows of a note.
async fn sent(app: &TestApp, nota_id: &str, label: &str) -> Vec<TurnRow> {
    let mut conn = app.app.db.read().await.expect("connection");
    let turns = hub::db::flows::turns_of(&mut conn, &app.account_id, nota_id)
        .await
        .expect("turns");
    turns
        .into_iter()
        .filter(|turn| turn.next == "send" && turn.label == label)
        .collect()
}

/// Makes time pass until a note has one of these states.
async fn later(app: &TestApp, nota_id: &str, states: &[&str]) -> Value {
    for _ in 0..400 {
        let answer = app.get(&format!("/api/v1/documentos/{nota_id}")).await;
        if states.contains(&answer.text_at("/status")) {
            return answer.body;
        }
        app.ahead_ms.fetch_add(10_000, Ordering::Relaxed);
        let watch = app.app.notifier.watch(nota_id);
        let _changed =
            tokio::time::timeout(std::time::Duration::from_millis(20), watch.changed()).await;
    }
    panic!("{nota_id} never became {states:?}");
}

both! {
    async fn row_4a_found_by_the_question_is_charged_once(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        // Each is processed, and each answer says nothing.
        let lost = [Tipo::CortarDepois, Tipo::XmlPelaMetade, Tipo::JsonEstranho5xx, Tipo::Lixo, Tipo::Duplicada];
        for (n, falha) in lost.into_iter().enumerate() {
            fault(&app, "emitir", falha, 1, 0);
            let answer = app.post("/api/v1/nfse", &nfse()).await;
            assert_eq!(answer.summary(), "201 autorizada", "{falha:?}: {}", answer.text);
            assert_eq!(sent(&app, answer.text_at("/nota_id"), "POST nfse").await.len(), 1, "{falha:?}: asked, not sent again");
            let notas = app.app.simulator.sim.notas();
            assert_eq!(notas.len(), n + 1, "{falha:?}");
            assert_eq!(notas.last().and_then(|nota| nota.chave.as_deref()), Some(answer.text_at("/chave")), "{falha:?}");
        }
        assert_eq!(app.balance().await, (200 - 4 * 5, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn row_4b_never_seen_is_sent_again_byte_for_byte(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        for falha in [Tipo::CortarAntes, Tipo::Erro500, Tipo::Html] {
            fault(&app, "emitir", falha, 1, 0);
            let answer = app.post("/api/v1/nfse", &nfse()).await;
            assert_eq!(answer.summary(), "201 autorizada", "{falha:?}: {}", answer.text);
            let id = answer.text_at("/nota_id");
            let sent_twice = sent(&app, id, "POST nfse").await;
            let asked = sent(&app, id, "HEAD dps").await;
            assert_eq!((sent_twice.len(), asked.len()), (2, 3), "{falha:?}: three questions between two sendings");
            assert_eq!(sent_twice[0].request_body, sent_twice[1].request_body, "{falha:?}: the same bytes");
        }
        assert_eq!(app.app.simulator.sim.notas().len(), 3);
        assert_eq!(app.balance().await, (200 - 4 * 3, 0));
        app.check_invariants().await;
    }
}

impatient! {
    async fn row_4b_never_seen_after_the_flow_gave_up_is_the_same(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        // All the sendings of the first flow get lost.
        fault(&app, "emitir", Tipo::CortarAntes, 3, 0);
        let answer = app.post_as(&app.live_key, "/api/v1/nfse", &nfse(), Some("uma")).await;
        let id = answer.text_at("/nota_id").to_owned();
        later(&app, &id, &["autorizada"]).await;
        let bodies: Vec<Vec<u8>> = sent(&app, &id, "POST nfse").await.into_iter().map(|turn| turn.request_body).collect();
        assert_eq!(bodies.len(), 4);
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
        fault(&app, "emitir", Tipo::Fila, 1, 60_000);
        let answer = app.post_as(&app.live_key, "/api/v1/nfse", &nfse(), Some("fila")).await;
        let id = answer.text_at("/nota_id").to_owned();
        assert!(answer.status == 201 || answer.status == 202, "{}", answer.text);
        assert_ne!(answer.text_at("/status"), "rejeitada", "{}", answer.text);
        later(&app, &id, &["autorizada"]).await;
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
        fault(&app, "emitir", Tipo::CortarDepois, 1, 0);
        fault(&app, "consultar", Tipo::LimiteRequisicoes, 2, 0);
        fault(&app, "consultar", Tipo::Erro500, 1, 0);
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
        fault(&app, "emitir", Tipo::CortarDepois, 1, 0);
        fault(&app, "consultar", Tipo::Erro500, 0, 0);
        let answer = app.post_as(&app.live_key, "/api/v1/nfse", &nfse(), Some("muda")).await;
        let id = answer.text_at("/nota_id").to_owned();
        // Half a day of unanswered questions.
        let asked = count(&app.app.simulator.sim, "consultar");
        for _ in 0..40 {
            app.ahead_ms.fetch_add(20 * 60_000, Ordering::Relaxed);
            let watch = app.app.notifier.watch(&id);
            let _changed = tokio::time::timeout(std::time::Duration::from_millis(60), watch.changed()).await;
        }
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
        fault(&app, "emitir", Tipo::Recusar, 1, 0);
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
