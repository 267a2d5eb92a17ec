//! The addresses that adapters send notes to.

use super::{SMALL, shipped, small_with};
use flow::registry::{Regime, Registry, Scope};
use std::collections::BTreeSet;
use time::macros::date;

const TODAY: time::Date = date!(2026 - 11 - 20);
const BELO_HORIZONTE: u32 = 3_106_200;

#[test]
fn each_address_is_there_once_with_its_systems() {
    let registry = Registry::parse(SMALL).expect("a registry");
    let addresses = registry.addresses(TODAY, &Scope::default());
    let urls: Vec<&str> = addresses.iter().map(|one| one.url.as_str()).collect();
    let unique: BTreeSet<&str> = urls.iter().copied().collect();
    assert_eq!(urls.len(), unique.len(), "{urls:?}");
    // The rule for Simples leads there from every municipality.
    let national = addresses
        .iter()
        .find(|one| one.url == "https://sefin.example/SefinNacional")
        .expect("the national one");
    assert!(national.systems.contains("nacional") && !national.soap);
    assert_eq!(national.authority(), Some("sefin.example"));
    // A system without an adapter has none.
    assert!(addresses.iter().all(|one| !one.systems.contains("outro")));
}

#[test]
fn a_choice_leaves_the_others_out() {
    let all = shipped().addresses(TODAY, &Scope::default());
    let of_system = |system: &str| {
        let scope = Scope {
            system: Some(system.to_owned()),
            municipality: None,
        };
        shipped().addresses(TODAY, &scope)
    };
    let webiss = of_system("webiss-202");
    assert!(!webiss.is_empty() && webiss.len() < all.len());
    assert!(
        webiss
            .iter()
            .all(|one| one.systems.contains("webiss-202") && one.soap)
    );
    assert_eq!(of_system("nenhum"), Vec::new());
    let scope = Scope {
        system: None,
        municipality: Some(BELO_HORIZONTE),
    };
    let of_city = shipped().addresses(TODAY, &scope);
    let needed = shipped().addresses_of(BELO_HORIZONTE, Regime::Normal, TODAY);
    assert_eq!(needed, ["https://sefin.nfse.gov.br/SefinNacional"]);
    assert!(
        of_city.iter().any(|one| one.url == needed[0]),
        "{of_city:?}"
    );
    let main = shipped().main_address(BELO_HORIZONTE, TODAY);
    assert_eq!(main.map(|one| one.url).as_ref(), needed.first());
}

#[test]
fn what_is_asked_for_its_description_follows_the_adapter_s_options() {
    let soap = |options: &str| {
        let text = small_with(
            "options = { aliquota = \"fracao\", namespace = \"urn:base\" }",
            &format!("options = {{ {options} }}"),
        );
        let text = text.replace(
            "namespace = { tipo = \"texto\" }",
            "namespace = { tipo = \"texto\" }\ncorpo = { tipo = \"texto\" }\ncampos_json = { tipo = \"texto\" }",
        );
        let registry = Registry::parse(&text).unwrap_or_else(|errors| panic!("{errors:?}"));
        let addresses = registry.addresses(TODAY, &Scope::default());
        let found = addresses
            .into_iter()
            .find(|one| one.url == "https://alta.example/ws");
        found.expect("the address").soap
    };
    // The layout is ABRASF 2.02.
    assert!(soap(""));
    assert!(!soap("corpo = \"xml\""));
    assert!(soap("corpo = \"soap\""));
    assert!(!soap("campos_json = \"xml={mensagem}\""));
}
