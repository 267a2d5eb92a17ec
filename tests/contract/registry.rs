//! The registry and the components it names.

use crate::cassettes::{all, load, sandbox};
use flow::registry::Registry;
use hub::adapter::inspect;
use hub::adapter::source::Source;

#[test]
fn the_registry_gives_what_the_components_take() {
    let registry = Registry::parse(flow::registry::BUILT_IN).expect("registry");
    let runtime = sandbox();
    let mut described = Vec::new();
    for (_, component) in all() {
        let loaded = load(&runtime, &component);
        let findings = inspect::disagreements(&loaded, &registry);
        assert!(
            findings.is_empty(),
            "{}:\n{}",
            loaded.description.name,
            findings.join("\n")
        );
        described.push(loaded.description.name.clone());
    }
    let checkout = tests::adapters::workspace();
    for adapter in registry.adapters() {
        // Without Node.js there is none of an adapter in JavaScript.
        let missing = Source::of(&checkout, &adapter.component).missing();
        let missing = missing.is_some();
        assert!(
            missing || described.contains(&adapter.component),
            "[adapters.{}] names a component that is not in plugins/",
            adapter.name
        );
    }
}

/// The comparison sees each kind of difference.
#[test]
fn disagreements_are_found() {
    let runtime = sandbox();
    let loaded = load(&runtime, &tests::adapters::folder().join("dps.wasm"));
    for (from, to, expected) in [
        (
            "endpoints = [\"sefin\"]",
            "endpoints = [\"sefin\", \"outro\"]",
            "endpoint outro",
        ),
        (
            "aplicativo = { tipo = \"texto\" }",
            "aplicativo = { tipo = \"inteiro\" }",
            "option aplicativo is",
        ),
        (
            "aplicativo = { tipo = \"texto\" }",
            "",
            "option aplicativo of the component is missing",
        ),
        (
            "aplicativo = { tipo = \"texto\" }",
            "aplicativo = { tipo = \"texto\" }\nnovo = { tipo = \"texto\" }",
            "option novo",
        ),
        (
            "valores = [\"rsa-sha1\", \"rsa-sha256\"]",
            "valores = [\"rsa-sha256\"]",
            "option algoritmo_assinatura accepts",
        ),
        (
            "componente = \"dps\"",
            "componente = \"outro\"",
            "no adapter with componente",
        ),
    ] {
        let (before, after) = flow::registry::BUILT_IN
            .split_once("[adapters.dps]")
            .expect("the section");
        assert!(after.contains(from), "the registry has no {from}");
        let changed = format!("{before}[adapters.dps]{}", after.replacen(from, to, 1));
        // A registry that is refused whole is as good: the line is named.
        if let Ok(registry) = Registry::parse(&changed) {
            let findings = inspect::disagreements(&loaded, &registry).join("\n");
            assert!(findings.contains(expected), "{expected}: {findings}");
        } else {
            assert_ne!(
                expected, "option novo",
                "a new option alone is a valid registry"
            );
        }
    }
}

/// What the recorded cases prove stands in the list of tiers, and nothing else.
#[test]
fn tiers_are_what_the_cases_prove() {
    let registry = flow::registry::built_in().expect("registry");
    let plugins = tests::adapters::workspace().join("plugins");
    let proven = hub::registry::tiers::list(&registry, &plugins).expect("cases");
    assert_eq!(
        proven,
        flow::registry::TIERS,
        "plugins/tiers.csv is not up to date: hub registry tiers > plugins/tiers.csv"
    );
}
