use base::config::{AuthoritiesMode, Config};
use flow::registry::{Registry, built_in};
use hub::registry::{as_json, as_text, csv, json, read, stats, usable};
use serde_json::Value;
use std::sync::Arc;
use time::macros::date;

const TODAY: time::Date = date!(2026 - 11 - 26);

fn shipped() -> Arc<Registry> {
    built_in().expect("the registry of the program")
}

#[test]
fn the_numbers_of_the_states_add_up() {
    let text = stats(&shipped(), TODAY, true).expect("JSON");
    let numbers: Value = serde_json::from_str(&text).expect("JSON");
    let states = numbers["por_uf"].as_object().expect("states");
    assert_eq!(states.len(), 27);
    for name in ["municipios", "com_rota", "com_adaptador"] {
        let sum: u64 = states.values().filter_map(|uf| uf[name].as_u64()).sum();
        assert_eq!(numbers[name], sum, "{name}");
    }
    assert_eq!(numbers["municipios"], 5571);
    let systems = numbers["por_sistema"].as_array().expect("systems");
    let covered = systems.iter().filter(|system| system["adaptador"] == true);
    let covered: u64 = covered
        .filter_map(|system| system["municipios"].as_u64())
        .sum();
    assert_eq!(numbers["com_adaptador"], covered);
    let share = numbers["populacao_percentual"].as_str().expect("a share");
    assert!(
        share
            .parse::<f64>()
            .is_ok_and(|share| share > 0.0 && share < 100.0)
    );
    let text = stats(&shipped(), TODAY, false).expect("text");
    assert!(
        text.contains(&format!("with an adapter         {covered:>5}\n")),
        "{text}"
    );
}

#[test]
fn every_municipality_is_exported_in_both_forms() {
    let records: Vec<Value> = serde_json::from_str(&json(&shipped()).expect("JSON")).expect("JSON");
    assert_eq!(records.len(), 5571);
    let capital = records
        .iter()
        .find(|record| record["codigo_ibge"] == "3106200");
    let capital = capital.expect("Belo Horizonte");
    assert_eq!(capital["rotas"][0]["via"], "nacional");
    assert!(
        capital["habitantes"]
            .as_u64()
            .is_some_and(|number| number > 2_000_000)
    );

    let text = csv(&shipped()).expect("CSV");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let column = |name: &str| {
        header
            .iter()
            .position(|title| title == name)
            .expect("a column")
    };
    let (code, system) = (column("codigo_ibge"), column("sistema"));
    let lines: Vec<csv::StringRecord> =
        reader.records().map(|line| line.expect("a line")).collect();
    let mut codes: Vec<&str> = lines.iter().filter_map(|line| line.get(code)).collect();
    codes.dedup();
    assert_eq!(
        codes.len(),
        5571,
        "the lines of a municipality stand together"
    );
    let known = lines.iter().filter(|line| line.get(system) != Some(""));
    let routes = records
        .iter()
        .filter_map(|record| record["rotas"].as_array());
    assert_eq!(known.count(), routes.map(Vec::len).sum::<usize>());
}

#[test]
fn a_difference_is_told_to_people_and_to_programs() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("providers.toml");
    let old = "confirmado = true";
    let text = flow::registry::BUILT_IN;
    assert!(text.contains(old), "a confirmed system");
    std::fs::write(&file, text.replace(old, "confirmado = false")).expect("a file");
    let differences = shipped().differences(&read(&file).expect("a registry"));
    let told = as_text(&differences).expect("text");
    assert!(
        told.contains("  rotas/0/confirmado: true -> false\n"),
        "{told}"
    );
    assert!(
        told.contains(" more\n"),
        "a large group is not listed whole: {told}"
    );
    let groups: Vec<Value> =
        serde_json::from_str(&as_json(&differences).expect("JSON")).expect("JSON");
    let all: usize = groups
        .iter()
        .filter_map(|group| group["municipios"].as_array())
        .map(Vec::len)
        .sum();
    assert!(
        told.starts_with(&format!("{all} municipalities differ\n")),
        "{told}"
    );
    let first = &groups[0]["mudancas"][0];
    assert_eq!(
        (&first["antes"], &first["depois"]),
        (&Value::Bool(true), &Value::Bool(false))
    );
}

#[test]
fn a_wrong_file_is_told_line_by_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("providers.toml");
    std::fs::write(&file, "[registro]\nversao = 7\n").expect("a file");
    let told = read(&file)
        .expect_err("a registry that is wrong")
        .to_string();
    assert!(told.contains("providers.toml:"), "{told}");
    let missing = read(&folder.path().join("none.toml")).expect_err("no file");
    assert!(missing.to_string().contains("none.toml"), "{missing}");
}

/// The national environment, where most municipalities send.
const ADDRESS: &str = "https://sefin.nfse.gov.br/SefinNacional";

#[test]
fn addresses_of_internal_networks_are_for_who_opens_them() {
    let text = flow::registry::BUILT_IN;
    let mut config = Config::load(None, |_| None, &[]).expect("defaults");
    assert_eq!(config.authorities.mode, AuthoritiesMode::Official);
    usable(text, &config).expect("the shipped registry has none");
    let at = text.find(ADDRESS).expect("the national environment");
    let line = text[..at].matches('\n').count() + 1;
    for host in [
        "localhost",
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "10.1.2.3:8443",
        "192.168.0.1",
        "169.254.169.254",
    ] {
        let inside = format!("https://{host}/SefinNacional");
        let errors = usable(&text.replace(ADDRESS, &inside), &config).expect_err(host);
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!(errors[0].line, line);
        let sentence = format!("{inside} is an address of an internal network");
        assert!(errors[0].message.starts_with(&sentence), "{errors:?}");
    }
    let inside = text.replace(ADDRESS, "https://10.1.2.3/SefinNacional");
    let folder = tempfile::tempdir().expect("a folder");
    config.registry.file = folder.path().join("providers.toml");
    std::fs::write(&config.registry.file, &inside).expect("a file");
    let refused = hub::boot::load_registry(&config).expect_err("inside");
    let refused = refused.to_string();
    assert!(refused.contains("providers.toml:"), "{refused}");
    assert!(refused.contains("registry.allow_nets"), "{refused}");
    config.registry.allow_nets = vec!["10.1.0.0/16".to_owned()];
    usable(&inside, &config).expect("opened");
    config.registry.allow_nets.clear();
    config.authorities.mode = AuthoritiesMode::Simulator;
    usable(&inside, &config).expect("the simulator answers for it");
}
