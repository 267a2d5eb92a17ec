//! kill -9 at every fault point of an operation, one after the other.

use crate::client::Order;
use crate::lane::{City, Lane, Node};
use serde_json::{Value, json};
use sim::FaultKind;
use tests::Answer;
use tests::app::Backend;

const REASON: &str = "Valor do serviço digitado errado";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Issue,
    Cancel,
    Substitute,
    /// A correction letter.
    Letter,
    /// Numbers no note has.
    Void,
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
    let product = scenario.city == City::Sefaz;
    let path = |nfse, nfe| if product { nfe } else { nfse };
    let issue = |key: String| Order::issue(lane, scenario.city, key);
    if scenario.operation == Operation::Issue {
        return issue(format!("emitir-{n}"));
    }
    if scenario.operation == Operation::Void {
        // The ranges of one scenario follow each other.
        let first = lane.next_range(3);
        let body = json!({
            "emitente_id": lane.emitter(scenario.city), "serie": 7, "numero_inicial": first, "numero_final": first + 2,
            "justificativa": REASON,
        });
        return Order {
            path: "/api/v1/nfe/inutilizar",
            body,
            key: format!("inutilizar-{n}"),
        };
    }
    let first = issue(format!("primeira-{n}")).insist(lane, node).await;
    assert_eq!(first.status, 201, "{}", first.text);
    let id = first.text_at("/nota_id");
    if scenario.operation == Operation::Letter {
        return Order {
            path: "/api/v1/nfe/cce",
            body: json!({ "ref": id, "correcao": "Onde se lê volume 1, leia-se volume 2" }),
            key: format!("cce-{n}"),
        };
    }
    if scenario.operation == Operation::Cancel {
        let mut body = json!({ "ref": id, "justificativa": REASON });
        if !product {
            body = tests::bodies::with(body, "/codigo_motivo", "erro_emissao");
        }
        return Order {
            path: path("/api/v1/nfse/cancelar", "/api/v1/nfe/cancelar"),
            body,
            key: format!("cancelar-{n}"),
        };
    }
    let replacement = json!({ "chave": id, "motivo": "99", "justificativa": REASON });
    let body: Value = tests::bodies::with(lane.note(scenario.city), "/substitui", replacement);
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
    let mut node = lane.node().await;
    // Once without dying, to learn the points.
    let living = order(&lane, &node, &scenario, 0).await;
    let answer = armed(&lane, &scenario, async || living.insist(&lane, &node).await).await;
    expect(&scenario, &answer, "nobody died", &lane);
    let points = lane.trace();
    let chosen = chosen(&points);
    println!(
        "{} of {} points: {}",
        chosen.len(),
        points.len(),
        points.join("; ")
    );
    assert!(
        points.len() > 10,
        "an operation has more fault points than {}",
        points.len()
    );

    node.kill().await;
    node = restarted(&lane, chosen.first().copied()).await;
    for (at, n) in chosen.iter().copied().enumerate() {
        let order = order(&lane, &node, &scenario, n).await;
        let first = armed(&lane, &scenario, async || {
            settled_or_dead(&order, &lane, &node).await
        })
        .await;
        let when = format!(
            "killed at {n} ({})",
            lane.trace().last().cloned().unwrap_or_default()
        );
        match first {
            None => node.died().await,
            // Not every run of a queue has the same length.
            Some(_) => node.kill().await,
        }
        node = restarted(&lane, chosen.get(at + 1).copied()).await;
        // Half of the clients repeat at once, half only after the hub has
        // settled by itself.
        if n % 2 == u64::from(backend == Backend::Sqlite) {
            lane.settled().await;
            lane.check(&when).await;
        }
        let last = order.insist(&lane, &node).await;
        expect(&scenario, &last, &when, &lane);
        if let Some(first) = &first {
            assert_eq!(first.text, last.text, "the same key, the same answer");
        }
        lane.settled().await;
        lane.check(&when).await;
    }
}

/// The points worth dying at: a flow that asks again and again passes the
/// same ones, so the first two of each name, and the end.
fn chosen(points: &[String]) -> Vec<u64> {
    let end = points.len().saturating_sub(8);
    let times = |n: usize| {
        points[..n]
            .iter()
            .filter(|label| **label == points[n])
            .count()
    };
    (0..points.len())
        .filter(|n| *n >= end || times(*n) < 2)
        .map(|n| n as u64 + 1)
        .collect()
}

/// Does something while fault points count and the authority misbehaves.
async fn armed<T>(lane: &Lane, scenario: &Scenario, act: impl AsyncFnOnce() -> T) -> T {
    let operation = match scenario.operation {
        Operation::Issue if scenario.city == City::Sefaz => "autorizar",
        Operation::Issue => "emitir",
        Operation::Letter => "cce",
        Operation::Void => "inutilizar",
        Operation::Cancel => "cancelar",
        Operation::Substitute if scenario.city == City::National => "emitir",
        Operation::Substitute => "substituir",
    };
    match scenario.authority {
        Authority::Answers => {}
        Authority::CutsBefore => lane.order(operation, FaultKind::CortarAntes),
        Authority::CutsAfter => lane.order(operation, FaultKind::CortarDepois),
    }
    lane.arm();
    let done = act().await;
    lane.disarm();
    lane.sim.clear_faults();
    done
}

/// The final answer, or None when the connection broke: 202 is the answer
/// while the city has the batch in its queue.
async fn settled_or_dead(order: &Order, lane: &Lane, node: &Node) -> Option<Answer> {
    loop {
        let answer = order.send(lane, node).await?;
        if answer.status != 202 {
            return Some(answer);
        }
    }
}

/// The next hub, which dies at the next point.
async fn restarted(lane: &Lane, dies_at: Option<u64>) -> Node {
    if lane.backend == Backend::Postgres {
        lane.expire_leases().await;
    }
    lane.node_dying_at(dies_at.unwrap_or(0)).await
}

fn expect(scenario: &Scenario, answer: &Answer, when: &str, lane: &Lane) {
    let status = match scenario.operation {
        Operation::Issue | Operation::Substitute => 201,
        Operation::Cancel | Operation::Letter | Operation::Void => 200,
    };
    assert_eq!(
        answer.status,
        status,
        "{when}: {}\n{}",
        answer.text,
        lane.log()
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

scenarios! {
    issue: Issue, Answers, National, on Sqlite, Postgres;
    issue_cut_before: Issue, CutsBefore, National, on Sqlite, Postgres;
    issue_cut_after: Issue, CutsAfter, National, on Sqlite, Postgres;
    cancel: Cancel, Answers, National, on Sqlite, Postgres;
    cancel_cut_before: Cancel, CutsBefore, National, on Sqlite, Postgres;
    cancel_cut_after: Cancel, CutsAfter, National, on Sqlite, Postgres;
    substitute: Substitute, Answers, National, on Sqlite, Postgres;
    substitute_cut_before: Substitute, CutsBefore, National, on Sqlite, Postgres;
    substitute_cut_after: Substitute, CutsAfter, National, on Sqlite, Postgres;
    abrasf_issue: Issue, Answers, Webiss, on Sqlite, Postgres;
    abrasf_issue_cut_before: Issue, CutsBefore, Webiss, on Sqlite, Postgres;
    abrasf_issue_cut_after: Issue, CutsAfter, Webiss, on Sqlite, Postgres;
    abrasf_batch_cut_after: Issue, CutsAfter, Giss, on Sqlite, Postgres;
    abrasf_cancel_cut_after: Cancel, CutsAfter, Webiss, on Sqlite, Postgres;
    abrasf_substitute_cut_after: Substitute, CutsAfter, Webiss, on Sqlite, Postgres;
    nfe_issue: Issue, Answers, Sefaz, on Sqlite, Postgres;
    nfe_issue_cut_before: Issue, CutsBefore, Sefaz, on Sqlite, Postgres;
    nfe_issue_cut_after: Issue, CutsAfter, Sefaz, on Sqlite, Postgres;
    nfe_cancel: Cancel, Answers, Sefaz, on Sqlite, Postgres;
    nfe_cancel_cut_before: Cancel, CutsBefore, Sefaz, on Sqlite, Postgres;
    nfe_cancel_cut_after: Cancel, CutsAfter, Sefaz, on Sqlite, Postgres;
    nfe_letter: Letter, Answers, Sefaz, on Sqlite, Postgres;
    nfe_letter_cut_before: Letter, CutsBefore, Sefaz, on Sqlite, Postgres;
    nfe_letter_cut_after: Letter, CutsAfter, Sefaz, on Sqlite, Postgres;
    nfe_void: Void, Answers, Sefaz, on Sqlite, Postgres;
    nfe_void_cut_before: Void, CutsBefore, Sefaz, on Sqlite, Postgres;
    nfe_void_cut_after: Void, CutsAfter, Sefaz, on Sqlite, Postgres;
}
