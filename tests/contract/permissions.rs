//! The adapters here declare all that the systems of the registry make them sign.

use crate::cassettes::{all, load, sandbox};
use flow::contract::permissions::{self, Permissions};
use flow::contract::{Ambiente, Context, Named};
use flow::registry::{Options, Registry};
use hub::adapter::{contradictions::contradictions, inspect, player};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Options that change what is signed.
const SIGNING: [&str; 14] = [
    "assina",
    "assina_avulso",
    "atributo_id",
    "documento",
    "envolve",
    "evento_forma",
    "filhos_sem_namespace",
    "id_rps",
    "ids",
    "leiaute",
    "modo",
    "renomeia",
    "uri_vazia",
    "versao",
];

/// What the registry says of each system and city of an adapter, where it signs
/// differently.
fn ways(registry: &Registry, component: &str) -> Vec<Options> {
    let adapters: BTreeSet<&str> = registry
        .adapters()
        .filter(|adapter| adapter.component == component)
        .map(|adapter| adapter.name.as_str())
        .collect();
    let ours = |adapter: Option<&String>| adapter.is_some_and(|it| adapters.contains(it.as_str()));
    let mut ways = BTreeMap::new();
    let mut add = |options: Options| {
        let told = options
            .iter()
            .filter(|(name, _)| SIGNING.contains(&name.as_str()) || name.starts_with("namespace"));
        let told = told.map(|(name, value)| format!("{name}={}", value.to_wire()));
        let told = told.collect::<Vec<_>>().join("\n");
        ways.entry(told).or_insert(options);
    };
    for system in registry.systems().filter(|it| ours(it.adapter.as_ref())) {
        add(system.options.clone());
    }
    for city in registry.municipalities() {
        let legs = city.routes.iter().chain(&city.earlier);
        for leg in legs.filter(|leg| ours(leg.system.adapter.as_ref())) {
            let mut options = leg.system.options.clone();
            options.extend(leg.options.clone());
            add(options);
        }
    }
    ways.into_values().collect()
}

/// The first case of each operation.
fn cases(folder: &Path) -> Vec<PathBuf> {
    let mut found = BTreeMap::new();
    for case in player::cases(folder).expect("cases") {
        let input = std::fs::read_to_string(case.join("input.json")).expect("input");
        let input: serde_json::Value = serde_json::from_str(&input).expect("JSON");
        let operation = input["operation"]["nome"]
            .as_str()
            .or(input["operacao"].as_str());
        let operation = operation.unwrap_or_else(|| panic!("{}: {input}", case.display()));
        found.entry(operation.to_owned()).or_insert(case);
    }
    found.into_values().collect()
}

#[test]
fn what_the_registry_has_signed_is_declared() {
    let registry = Registry::parse(flow::registry::BUILT_IN).expect("registry");
    let runtime = sandbox();
    let mut findings = BTreeSet::new();
    let mut signed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (folder, component) in all() {
        let loaded = load(&runtime, &component);
        let name = loaded.description.name.clone();
        let ways = ways(&registry, &name);
        let cases = if ways.is_empty() {
            Vec::new()
        } else {
            cases(&folder)
        };
        for options in &ways {
            for (case, ambiente) in cases
                .iter()
                .flat_map(|case| [(case, Ambiente::Producao), (case, Ambiente::Homologacao)])
            {
                let change = |context: &mut Context| {
                    let options = options.iter();
                    context.options = options
                        .map(|(name, value)| Named {
                            name: name.clone(),
                            value: value.to_wire(),
                        })
                        .collect();
                    context.ambiente = ambiente;
                    let endpoints = loaded.description.endpoints.iter();
                    context.endpoints = endpoints.map(|it| it.name.clone()).collect();
                    context.secrets = ["usuario", "senha", "token"].map(str::to_owned).to_vec();
                };
                let recorded = |_: u32, _: &_, answer| answer;
                match player::run_as(&runtime, &loaded, case, &change, &recorded) {
                    Ok((_, uses)) => {
                        let names = uses.into_iter().map(|made| made.what);
                        signed.entry(name.clone()).or_default().extend(names);
                    }
                    Err(why) => {
                        findings.insert(format!("{name}: {why}"));
                    }
                }
            }
        }
    }
    let findings: Vec<String> = findings.into_iter().collect();
    assert!(findings.is_empty(), "{}", findings.join("\n"));
    for (name, least) in [("abrasf", 30), ("dps", 4), ("layouts", 3)] {
        let found = signed.get(name).map_or(0, BTreeSet::len);
        assert!(found >= least, "{name} signed {found} kinds of things");
    }
}

#[test]
fn no_system_wants_what_is_not_declared() {
    let text = flow::registry::BUILT_IN;
    let registry = Registry::parse(text).expect("registry");
    let runtime = sandbox();
    for (_, component) in all() {
        let loaded = load(&runtime, &component);
        let findings = contradictions(&loaded, &registry);
        let name = &loaded.description.name;
        assert!(findings.is_empty(), "{name}:\n{}", findings.join("\n"));
    }
    // The comparison sees each kind of contradiction.
    let loaded = load(&runtime, &tests::adapters::folder().join("abrasf.wasm"));
    for (from, to, expected) in [
        (
            "credenciais = [\"usuario\", \"senha\", \"token\"]",
            "credenciais = [\"usuario\", \"senha\", \"chave_autorizacao\"]",
            "wants the secret chave_autorizacao",
        ),
        (
            "Username={segredo.usuario}",
            "Username={segredo.chave}",
            "the secret chave is not declared",
        ),
        (
            "namespace = \"http://www.admnotafiscal.com.br/manual/nfse_v201.xsd\"",
            "namespace = \"http://www.portalfiscal.inf.br/nfe\"",
            "is no namespace an adapter may sign in",
        ),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(text, changed, "{from}");
        let registry = Registry::parse(&changed).expect("registry");
        let findings = contradictions(&loaded, &registry);
        let found = findings.iter().filter(|finding| finding.contains(expected));
        assert_eq!(found.count(), 1, "{expected}: {findings:?}");
    }
}

/// What a declaration would gain, said in the words of `hub adapter`.
#[test]
fn growth_is_told_line_by_line() {
    let runtime = sandbox();
    let folder = tests::adapters::folder();
    let of = |name: &str| -> Permissions {
        let loaded = load(&runtime, &folder.join(format!("{name}.wasm")));
        loaded.permissions.as_deref().expect("declared").clone()
    };
    let (dps, lookup) = (of("dps"), of("lookup"));
    assert!(permissions::more(&dps, &dps).is_empty());
    let more = permissions::more(&dps, &lookup);
    let wanted = "sign infDPS of http://www.sped.fazenda.gov.br/nfse";
    assert!(more.iter().any(|line| line == wanted), "{more:?}");
    assert_eq!(
        permissions::more(&lookup, &dps),
        ["send secret token to api"]
    );
    let loaded = load(&runtime, &folder.join("dps.wasm"));
    let page = inspect::describe(&loaded, 1);
    assert!(page.contains("permissions\n  sign infDPS of"), "{page}");
    assert_eq!(
        permissions::lines(&lookup),
        ["send secret token to api: The source knows the hub by it"]
    );
}
