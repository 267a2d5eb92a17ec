use store::ids::AccountId;
use store::tables::parties::{id, pieces};

#[test]
fn letters_are_asked_for_in_threes() {
    assert_eq!(pieces("jo"), None);
    assert_eq!(pieces("joa").as_deref(), Some("\"joa\""));
    assert_eq!(
        pieces("a\\%\"b").as_deref(),
        Some("\"%\"\"b\" AND \"a%\"\"\"")
    );
}

#[test]
fn few_letters_of_a_long_name_are_asked_for_and_each_once() {
    assert_eq!(
        pieces("academia aurora 1089 ltda").as_deref(),
        Some("\"108\" AND \"089\" AND \" 10\" AND \"89 \"")
    );
    assert_eq!(pieces("aaaaaa").as_deref(), Some("\"aaa\""));
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
