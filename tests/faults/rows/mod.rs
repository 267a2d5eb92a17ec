//! Where an issuance can break off (docs/ARCHITECTURE.md, "What happens when
//! something dies"). The name of each test begins with the place:
//!
//! - `row_1` before the note is on disk; `row_2` after it, before the sending
//! - `row_3` nothing can have left: no connection, or the service is paused
//! - `row_4` the sending left and its answer is not known. What the authority then
//!   says: `4a` the note is there; `4b` it was never seen; `4c` it has a copy; `4d`
//!   it has one under an older key of ours; `4e` the number is another's; `4f` ask
//!   later; `4g` nothing; `4h` the front end refuses everything
//! - `row_5` refused; `row_6` denied
//! - `row_7` settled, and the caller did not get the answer
//! - `row_8` the event of the settlement

mod epec;
mod nfse;
mod processes;
mod sefaz;
mod sefaz_events;
mod transport;

use serde_json::Value;
use sim::{Fault, FaultKind, When};
use std::sync::atomic::Ordering;
use store::tables::flows::{TurnNext, TurnRow};
use tests::TestApp;

fn count(sim: &sim::Sim, operation: &str) -> u64 {
    sim.overview()
        .recebidas
        .values()
        .filter_map(|operations| operations.get(operation))
        .sum()
}

/// Orders a fault for the next `times` requests of an operation; 0: for ever.
fn fault(app: &TestApp, operation: &str, failure: FaultKind, times: u64, ms: u64) {
    let failure = Fault {
        falha: failure,
        ms: Some(ms),
        ..Fault::default()
    };
    order(app, operation, times, failure);
}

/// The authority answers the next `times` requests with a code; 0: for ever.
fn refuse(app: &TestApp, operation: &str, codigo: &str, message: Option<&str>, times: u64) {
    let failure = Fault {
        falha: FaultKind::Recusar,
        codigo: Some(codigo.to_owned()),
        mensagem: message.map(str::to_owned),
        ..Fault::default()
    };
    order(app, operation, times, failure);
}

fn order(app: &TestApp, operation: &str, times: u64, failure: Fault) {
    let when = When {
        operacao: Some(operation.to_owned()),
        vezes: Some(times),
        ..When::default()
    };
    let ordered = Fault {
        quando: when,
        ..failure
    };
    assert!(app.app.simulator.sim.add_fault(ordered));
}

/// What was sent under a label, over all flows of a note.
async fn sent(app: &TestApp, nota_id: &str, label: &str) -> Vec<TurnRow> {
    let mut conn = app.app.db.read().await.expect("connection");
    let turns = store::tables::flows::turns_of(&mut conn, &app.account_id, nota_id)
        .await
        .expect("turns");
    turns
        .into_iter()
        .filter(|turn| turn.next == TurnNext::Send && turn.label == label)
        .collect()
}

/// Makes time pass until a note has one of these states; it stands while a flow
/// runs, whose sending would be too late otherwise.
///
/// # Panics
/// It has none after 4,000 s.
pub async fn later(app: &TestApp, nota_id: &str, states: &[&str]) -> Value {
    let end_ms = app.app.now_ms() + 4_000_000;
    tests::until(async || {
        let answer = app.get(&format!("/api/v1/documentos/{nota_id}")).await;
        if states.contains(&answer.text_at("/status")) {
            return Ok(answer.body);
        }
        assert!(
            app.app.now_ms() < end_ms,
            "{nota_id} never became {states:?}"
        );
        if app.app.running.is_empty() {
            app.ahead_ms.fetch_add(10_000, Ordering::Relaxed);
        }
        Err(answer.text)
    })
    .await
}

/// Half a day, in which nobody answers a question.
async fn half_a_day(app: &TestApp) {
    for _ in 0..40 {
        tests::until(async || {
            let idle = app.app.running.is_empty();
            idle.then_some(()).ok_or("a flow runs")
        })
        .await;
        app.ahead_ms.fetch_add(20 * 60_000, Ordering::Relaxed);
        tokio::time::sleep(std::time::Duration::from_millis(60)).await;
    }
}
