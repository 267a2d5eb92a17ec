use issuing::notices::certificates::{DAY_MS, NEVER, step};
use store::ids::EmitterId;
use store::tables::certificates::EndingRow;
use store::words::Maybe;

const END: i64 = 1_900_000_000_000;

fn row(aviso_ms: i64) -> EndingRow {
    EndingRow {
        emitter_id: EmitterId::from("emi_1").into(),
        valido_ate_ms: END,
        aviso_ms,
        ..EndingRow::default()
    }
}

/// What is told while the clock goes in steps, from so many days before.
fn told(days_before: i64, step_ms: i64) -> Vec<i64> {
    let mut now_ms = END - days_before * DAY_MS;
    let (mut aviso_ms, mut told) = (0, Vec::new());
    while now_ms < END + 30 * DAY_MS {
        if aviso_ms <= now_ms {
            let (event, next_ms) = step(&row(aviso_ms), now_ms);
            told.extend(event);
            assert!(next_ms > now_ms, "it would be told again");
            aviso_ms = next_ms;
        }
        now_ms += step_ms;
    }
    told
}

#[test]
fn each_threshold_is_told_once() {
    assert_eq!(told(400, 600_000), [30, 15, 7, 1, 0]);
    assert_eq!(told(30, 600_000), [30, 15, 7, 1, 0]);
    assert_eq!(told(20, 600_000), [20, 15, 7, 1, 0]);
    // A hub that was off tells what is true now, once.
    assert_eq!(told(401, 10 * DAY_MS), [21, 11, 1, 0]);
    assert_eq!(told(-1, 600_000), [] as [i64; 0]);
}

#[test]
fn one_that_was_replaced_is_not_told_of() {
    let replaced = EndingRow {
        emitter_id: Maybe(None),
        ..row(1)
    };
    assert_eq!(step(&replaced, END - DAY_MS), (None, NEVER));
}
