use base::traces::Parent;

#[test]
fn only_what_the_w3c_takes_is_taken() {
    let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
    let good = Parent::parse(&format!("00-{trace}-{span}-01")).expect("a parent");
    assert_eq!((good.trace_id().as_str(), good.sampled), (trace, true));
    let not = Parent::parse(&format!("00-{trace}-{span}-00")).expect("a parent");
    assert!(!not.sampled);
    // A later version may say more.
    assert!(Parent::parse(&format!("01-{trace}-{span}-01-x")).is_some());
    let zero = "0".repeat(32);
    for bad in [
        String::new(),
        format!("00-{trace}-{span}"),
        format!("00-{trace}-{span}-01-x"),
        format!("ff-{trace}-{span}-01"),
        format!("00-{zero}-{span}-01"),
        format!("00-{trace}-{}-01", "0".repeat(16)),
        format!("00-{}-{span}-01", trace.to_uppercase()),
        format!("00-{trace}é-{span}-01"),
    ] {
        assert_eq!(Parent::parse(&bad), None, "{bad}");
    }
}
