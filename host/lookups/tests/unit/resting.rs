use lookups::resting::Resting;

#[test]
fn a_source_rests_for_its_pause_and_not_for_a_jump_of_the_clock() {
    const DAY_MS: i64 = 86_400_000;
    let resting = Resting::default();
    resting.rest("a", 0, 30_000);
    assert!(resting.rests("a", 29_999) && !resting.rests("b", 0));
    assert!(!resting.rests("a", 30_000));
    resting.rest("a", DAY_MS, 30_000);
    assert!(resting.rests("a", DAY_MS));
    assert!(!resting.rests("a", 0), "the clock was set back");
}
