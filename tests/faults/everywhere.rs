//! kill -9 at every fault point of an operation, one after the other, until
//! the operation passes all of them.

use crate::client::Order;
use crate::lane::{City, Lane, Node};
use serde_json::{Value, json};
use sim::Tipo;
use tests::app::Backend;

/// More points than any operation has: a scenario that gets here never ends.
const MOST_POINTS: u64 = 200;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Issue,
    Cancel,
    Substitute,
}

/// What the authority does with the request that matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Authority {
    Answers,
    CutsBefore,
    CutsAfter,
}

struct Scenario {
    operation: Operation,
    authority: Authority,
    city: City,
}

/// The order under test; cancelling and replacing need a note first.
async fn order(lane: &Lane, node: &Node, scenario: &Scenario, n: u64) -> Order {
    let issue = |key: String| Order {
        path: "/api/v1/nfse",
        body: lane.nfse(scenario.city),
        key,
    };
    if scenario.operation == Operation::Issue {
        return issue(format!("emitir-{n}"));
    }
    let first = issue(format!("primeira-{n}")).insist(lane, node).await;
    assert_eq!(first.status, 201, "{}", first.text);
    let id = first.text_at("/nota_id");
    if scenario.operation == Operation::Cancel {
        let body = json!({ "ref": id, "codigo_motivo": "erro_emissao", "justificativa": "Valor do serviço digitado errado" });
        return Order {
            path: "/api/v1/nfse/cancelar",
            body,
            key: format!("cancelar-{n}"),
        };
    }
    let substitui =
        json!({ "chave": id, "motivo": "99", "justificativa": "Valor do serviço digitado errado" });
    let body: Value = tests::bodies::with(lane.nfse(scenario.city), "/substitui", substitui);
    Order {
        path: "/api/v1/nfse/substituir",
        body,
        key: format!("substituir-{n}"),
    }
}

async fn run(backend: Backend, scenario: Scenario) {
    let Some(lane) = Lane::open(backend, &[scenario.city]).await else {
        return;
    };
    let mut node = lane.node_dying_at(1).await;
    let mut seen = Vec::new();
    for n in 1..=MOST_POINTS {
        let order = order(&lane, &node, &scenario, n).await;
        let operacao = match scenario.operation {
            Operation::Issue => "emitir",
            Operation::Cancel => "cancelar",
            Operation::Substitute if scenario.city == City::National => "emitir",
            Operation::Substitute => "substituir",
        };
        match scenario.authority {
            Authority::Answers => {}
            Authority::CutsBefore => lane.order(operacao, Tipo::CortarAntes),
            Authority::CutsAfter => lane.order(operacao, Tipo::CortarDepois),
        }
        lane.arm();
        // 202 is the answer while the city has the batch in its queue.
        let mut first = order.send(&lane, &node).await;
        while first.as_ref().is_some_and(|first| first.status == 202) {
            first = order.send(&lane, &node).await;
        }
        // The last point is passed before the answer leaves, so a node that
        // answered lives.
        let survived = first.is_some();
        let trace = lane.trace();
        let when = format!(
            "killed at {n} ({})",
            trace.last().cloned().unwrap_or_default()
        );
        if !survived {
            node.died().await;
            seen = trace;
            lane.disarm();
            if backend == Backend::Postgres {
                lane.expire_leases().await;
            }
            node = lane.node_dying_at(n + 1).await;
        }
        lane.disarm();
        // Half of the clients repeat at once, half only after the hub has
        // settled by itself.
        if n % 2 == u64::from(backend == Backend::Sqlite) {
            lane.settled().await;
            lane.check(&when).await;
        }
        let last = order.insist(&lane, &node).await;
        let expected = if scenario.operation == Operation::Cancel {
            200
        } else {
            201
        };
        assert_eq!(
            last.status,
            expected,
            "{when}: {}\n{}",
            last.text,
            lane.log()
        );
        if let Some(first) = &first {
            assert_eq!(first.text, last.text, "the same key, the same answer");
        }
        lane.settled().await;
        lane.check(&when).await;
        lane.sim.clear_faults();
        if survived {
            println!("{} points survived: {}", n - 1, seen.join(", "));
            assert!(n > 10, "an operation has more fault points than {}", n - 1);
            return;
        }
    }
    panic!(
        "more than {MOST_POINTS} fault points: {}",
        lane.trace().join(", ")
    );
}

macro_rules! scenarios {
    ($($name:ident: $operation:ident, $authority:ident, $city:ident, on $($backend:ident),+;)+) => {
        $(#[expect(non_snake_case, reason = "the backend is the name of the test")]
        mod $name {
            use super::*;

            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $backend() {
                let scenario = Scenario { operation: Operation::$operation, authority: Authority::$authority, city: City::$city };
                run(Backend::$backend, scenario).await;
            })+
        })+
    };
}

// Not each scenario on each database: what is killed is the same code, and
// every kind of transaction is killed on both.
scenarios! {
    issue: Issue, Answers, National, on Sqlite, Postgres;
    issue_cut_before: Issue, CutsBefore, National, on Sqlite, Postgres;
    issue_cut_after: Issue, CutsAfter, National, on Sqlite, Postgres;
    cancel: Cancel, Answers, National, on Sqlite, Postgres;
    cancel_cut_before: Cancel, CutsBefore, National, on Sqlite;
    cancel_cut_after: Cancel, CutsAfter, National, on Sqlite, Postgres;
    substitute: Substitute, Answers, National, on Sqlite, Postgres;
    substitute_cut_before: Substitute, CutsBefore, National, on Sqlite;
    substitute_cut_after: Substitute, CutsAfter, National, on Postgres;
    abrasf_issue: Issue, Answers, Webiss, on Sqlite, Postgres;
    abrasf_issue_cut_before: Issue, CutsBefore, Webiss, on Sqlite;
    abrasf_issue_cut_after: Issue, CutsAfter, Webiss, on Postgres;
    abrasf_batch_cut_after: Issue, CutsAfter, Giss, on Sqlite;
    abrasf_cancel_cut_after: Cancel, CutsAfter, Webiss, on Postgres;
    abrasf_substitute_cut_after: Substitute, CutsAfter, Webiss, on Sqlite;
}
