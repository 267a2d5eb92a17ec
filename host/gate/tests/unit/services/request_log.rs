use gate::services::request_log::Uses;
use store::tables::requests::RequestRow;
use store::words::Maybe;

fn call(key_id: &str, created_at_ms: i64) -> RequestRow {
    RequestRow {
        key_id: Maybe::of(key_id),
        created_at_ms,
        ..RequestRow::default()
    }
}

#[test]
fn a_use_is_written_once_a_minute_per_key() {
    let mut uses = Uses::default();
    let mut due = |calls: &[(&str, i64)]| -> Vec<(String, i64)> {
        let calls: Vec<_> = calls.iter().map(|(key, at)| call(key, *at)).collect();
        let due = uses.due(&calls).into_iter();
        due.map(|one| (one.key_id.into(), one.at_ms)).collect()
    };
    let hour = 3_600_000;
    let first = due(&[
        ("b", hour),
        ("a", hour + 1),
        ("b", hour + 2),
        ("b", hour + 1),
    ]);
    assert_eq!(
        first,
        [("a".to_owned(), hour + 1), ("b".to_owned(), hour + 2)]
    );
    assert_eq!(due(&[("a", hour + 60_000), ("b", hour + 60_000)]), []);
    assert_eq!(
        due(&[("a", hour + 60_001)]),
        [("a".to_owned(), hour + 60_001)]
    );
}
