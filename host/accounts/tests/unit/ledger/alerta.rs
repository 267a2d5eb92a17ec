use accounts::ledger::thresholds;

#[test]
fn thresholds_are_all_read_or_none() {
    assert_eq!(
        thresholds("", &"con_1".into()).expect("none"),
        [] as [i64; 0]
    );
    assert_eq!(
        thresholds("100,5000", &"con_1".into()).expect("two"),
        [100, 5000]
    );
    for damaged in ["100,x", "1 00", "100;5000"] {
        assert!(thresholds(damaged, &"con_1".into()).is_err(), "{damaged}");
    }
}
