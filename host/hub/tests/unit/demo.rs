use flow::registry::Registry;
use hub::demo::missing;

#[test]
fn the_printed_calls_need_two_adapters() {
    let registry = Registry::parse(flow::registry::BUILT_IN).expect("built-in registry");
    let now_ms = 1_782_000_000_000;
    assert_eq!(missing(&registry, now_ms, |_| false), ["dps", "sefaz"]);
    assert_eq!(missing(&registry, now_ms, |name| name == "dps"), ["sefaz"]);
    assert!(missing(&registry, now_ms, |_| true).is_empty());
}
