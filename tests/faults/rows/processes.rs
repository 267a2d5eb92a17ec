//! Rows in which a hub dies, or cannot connect, for each family of documents.

use super::count;
use crate::client::Order;
use crate::lane::{City, Lane, Node};
use serde_json::json;
use sim::FaultKind;
use tests::app::Backend;

/// What the families call the same thing.
struct Family {
    city: City,
    path: &'static str,
    /// Where the answer has the number.
    number: &'static str,
    /// Names of the operations at the simulated authority.
    emitir: &'static str,
    consultar: &'static str,
    unavailable: &'static str,
    evento: &'static str,
}

const NFSE: Family = Family {
    city: City::National,
    path: "/api/v1/nfse",
    number: "/rps/numero",
    emitir: "emitir",
    consultar: "consultar",
    unavailable: "prefeitura_indisponivel",
    evento: "SELECT COUNT(*) FROM outbox WHERE tipo = 'nfse.emitida'",
};

const SEFAZ: Family = Family {
    city: City::Sefaz,
    path: "/api/v1/nfe",
    number: "/numero",
    emitir: "autorizar",
    consultar: "consultar",
    unavailable: "sefaz_indisponivel",
    evento: "SELECT COUNT(*) FROM outbox WHERE tipo = 'nfe.autorizada'",
};

/// The same test for both families on both databases, with hubs in processes
/// of their own.
macro_rules! both_lanes {
    ($(async fn $name:ident($lane:ident: Lane, $family:ident: Family) $body:block)+) => {
        $(mod $name {
            use super::*;

            async fn run(backend: Backend, $family: Family) {
                let Some($lane) = Lane::open(backend, &[$family.city]).await else { return };
                $body
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn nfse_sqlite() {
                run(Backend::Sqlite, NFSE).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn nfse_postgres() {
                run(Backend::Postgres, NFSE).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sefaz_sqlite() {
                run(Backend::Sqlite, SEFAZ).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sefaz_postgres() {
                run(Backend::Postgres, SEFAZ).await;
            }
        })+
    };
}

fn order(lane: &Lane, family: &Family) -> Order {
    Order {
        path: family.path,
        body: lane.note(family.city),
        key: "a-mesma".to_owned(),
    }
}

/// Lets a hub die at a point of one issuance, and starts another.
async fn killed_at(lane: &Lane, family: &Family, point: &str) -> Node {
    let mut node = lane.node_dying_at(point).await;
    lane.arm();
    assert!(
        order(lane, family).send(lane, &node).await.is_none(),
        "the answer left although the hub died at {point}"
    );
    node.died().await;
    lane.disarm();
    lane.expire_leases().await;
    lane.node().await
}

both_lanes! {
    async fn row_1_before_the_reserve_is_durable_nothing_happened(lane: Lane, family: Family) {
        let node = killed_at(&lane, &family, "reserve, before commit").await;
        lane.settled().await;
        assert_eq!(lane.count("SELECT COUNT(*) FROM notas").await, 0);
        assert_eq!(lane.count("SELECT COUNT(*) FROM idempotency_keys").await, 0);
        assert_eq!(lane.sim.received(), 0);
        lane.check("nothing").await;
        let again = order(&lane, &family).insist(&lane, &node).await;
        assert_eq!(again.summary(), "201 autorizada", "{}", again.text);
        assert_eq!(again.header("idempotent-replayed"), "", "a new run");
        assert_eq!(again.body.pointer(family.number), Some(&json!(1)));
        lane.check("one").await;
    }

    async fn row_2_reserved_but_never_sent_goes_on_without_the_client(lane: Lane, family: Family) {
        let node = killed_at(&lane, &family, "reserved").await;
        lane.settled().await;
        assert_eq!(lane.sim.notas().len(), 1);
        lane.check("nobody asked again").await;
        let again = order(&lane, &family).insist(&lane, &node).await;
        assert_eq!((again.status, again.header("idempotent-replayed")), (201, "true"), "{}", again.text);
        lane.check("somebody did").await;
    }

    async fn row_3_without_a_connection_nothing_is_spent(lane: Lane, family: Family) {
        let mut lane = lane;
        let address = lane.set("HUB_AUTHORITIES_SIMULATOR", "localhost:1".to_owned());
        let mut node = lane.node().await;
        let answer = order(&lane, &family).send(&lane, &node).await.expect("an answer");
        assert_eq!((answer.status, answer.header("x-error-code")), (503, family.unavailable), "{}", answer.text);
        assert_eq!((&answer.body["consumiu_numero_fiscal"], &answer.body["consumiu_credito"]), (&json!(false), &json!(false)));
        assert_ne!(answer.header("retry-after"), "");
        lane.settled().await;
        lane.check("nothing was sent").await;
        node.kill().await;
        lane.set("HUB_AUTHORITIES_SIMULATOR", address);
        let node = lane.node().await;
        let again = order(&lane, &family).insist(&lane, &node).await;
        assert_eq!(again.summary(), "201 autorizada", "{}", again.text);
        assert_eq!(again.body.pointer(family.number), Some(&json!(1)), "the number was free again");
        lane.check("the authority is back").await;
    }

    async fn row_4_killed_while_the_authority_works(lane: Lane, family: Family) {
        let mut node = lane.node().await;
        lane.order(family.emitir, FaultKind::Lento);
        let order = order(&lane, &family);
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

    async fn row_4_killed_with_the_answer_in_hand(lane: Lane, family: Family) {
        let node = killed_at(&lane, &family, "answer read").await;
        lane.settled().await;
        assert_eq!(count(&lane.sim, family.emitir), 1, "asked, not sent again");
        lane.check("the answer was lost").await;
        assert_eq!(order(&lane, &family).insist(&lane, &node).await.status, 201);
    }

    async fn row_7_settled_but_not_answered(lane: Lane, family: Family) {
        // Who asked looks by itself too, and may see the settlement before the
        // point after it: this one is just before the answer leaves.
        let node = killed_at(&lane, &family, "answer").await;
        let stored = order(&lane, &family).insist(&lane, &node).await;
        assert_eq!((stored.status, stored.header("idempotent-replayed")), (201, "true"), "{}", stored.text);
        assert_eq!((count(&lane.sim, family.emitir), count(&lane.sim, family.consultar)), (1, 0), "nobody was asked again");
        lane.check("only the answer was lost").await;
    }

    async fn row_8_the_event_is_written_with_the_settlement_or_not_at_all(lane: Lane, family: Family) {
        let mut node = lane.node_dying_at("settle, before commit").await;
        lane.arm();
        assert!(order(&lane, &family).send(&lane, &node).await.is_none());
        node.died().await;
        lane.disarm();
        assert_eq!(lane.count("SELECT COUNT(*) FROM outbox").await, 0);
        assert_eq!(lane.count("SELECT COUNT(*) FROM transfers WHERE kind = 'post'").await, 0);
        lane.expire_leases().await;
        let _node = lane.node().await;
        lane.settled().await;
        assert_eq!(lane.count(family.evento).await, 1);
        lane.check("the event is there once").await;
    }
}
