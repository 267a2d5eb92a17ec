use gate::services::limiter::Limiter;
use store::ids::AccountId;

#[test]
fn thirty_pass_the_next_waits_two_seconds() {
    let limiter = Limiter::default();
    let (a, b) = (&AccountId::from("a"), &AccountId::from("b"));
    let (interval, burst) = (2_000, 2_000 * 29);
    for n in 0..30 {
        assert!(
            limiter.in_memory(a, interval, burst, 1_000).is_ok(),
            "request {n}"
        );
    }
    assert!(limiter.in_memory(a, interval, burst, 1_000).is_err());
    assert!(
        limiter.in_memory(b, interval, burst, 1_000).is_ok(),
        "accounts do not share"
    );
    assert!(limiter.in_memory(a, interval, burst, 2_999).is_err());
    assert!(limiter.in_memory(a, interval, burst, 3_000).is_ok());
}

#[test]
fn a_clock_that_was_set_back_keeps_nobody_out() {
    let limiter = Limiter::default();
    let account = &AccountId::from("a");
    let ask = |now_ms| limiter.in_memory(account, 2_000, 2_000 * 29, now_ms);
    assert!(ask(3_600_000).is_ok());
    assert_eq!(ask(0), Ok(2_000), "an hour earlier");
    for n in 2..=30 {
        assert_eq!(ask(0), Ok(2_000 * n));
    }
    assert!(ask(0).is_err(), "counted as before");
    assert!(ask(-10_000).is_err(), "a call that read the clock earlier");
}
