use store::ids::AccountId;
use store::tables::parties::{id, pieces};

#[test]
fn letters_are_asked_for_in_threes() {
    assert_eq!(pieces("jo"), None);
    assert_eq!(pieces("joa").as_deref(), Some("\"joa\""));
    assert_eq!(
        pieces("a\\%\"b").as_deref(),
        Some("\"a%\"\"\" AND \"%\"\"b\"")
    );
}

#[test]
fn ids_grow_with_time() {
    let (one, other) = (AccountId::from("acc_1"), AccountId::from("acc_2"));
    let now = 1_795_000_000_000;
    let ids = [0, 1, 2].map(|later| id(now + later, &one, "1", "ana"));
    assert!(ids[0] < ids[1] && ids[1] < ids[2], "{ids:?}");
    assert_ne!(id(now, &one, "1", "ana"), id(now, &other, "1", "ana"));
    assert!(id(i64::MAX, &one, "1", "ana") > 0);
}
