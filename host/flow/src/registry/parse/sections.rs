//! The short sections: header, sources, adapters, rules and disagreements.

use std::collections::BTreeMap;
use std::sync::Arc;

use time::Date;
use toml::de::DeTable;

use super::super::model::{Adapter, Conflict, PresumedChange, Regime, Rule, Source, System};
use super::reader::{Reader, Value};
use super::{Names, entries, options};

/// Version of the file's form.
const VERSION: i64 = 1;

/// `[registro]`.
pub(super) struct Header {
    pub(super) verified: Date,
    pub(super) national_issuer_source: Arc<Source>,
    pub(super) presumed_change: PresumedChange,
}

const REGISTRY: &str = "versao, verificado, emissor_nacional_fonte, mudanca_presumida, \
                        mudanca_presumida_fonte";

pub(super) fn registry(reader: &mut Reader, root: &DeTable<'_>, names: &Names) -> Option<Header> {
    let Some(value) = root.get("registro") else {
        reader.error(0, "the file lacks [registro]".to_owned());
        return None;
    };
    let table = reader.table("registro", value)?;
    let at = value.span().start;
    let (mut version, mut verified, mut list, mut on, mut cited) = (None, None, None, None, None);
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "versao" => {
                version = reader.integer("versao", value);
                if version.is_some_and(|version| version != VERSION) {
                    reader.wrong("versao", value, "1");
                }
            }
            "verificado" => verified = reader.date("verificado", value),
            "emissor_nacional_fonte" => list = source(reader, value, &names.sources),
            "mudanca_presumida" => on = reader.date("mudanca_presumida", value),
            "mudanca_presumida_fonte" => cited = source(reader, value, &names.sources),
            other => reader.unknown(key.span().start, other, REGISTRY),
        }
    }
    let (Some(_), Some(verified), Some(national_issuer_source), Some(on), Some(cited)) =
        (version, verified, list, on, cited)
    else {
        let fields: Vec<&str> = REGISTRY.split(", ").collect();
        reader.require(at, "[registro]", table, &fields);
        return None;
    };
    let presumed_change = PresumedChange { on, cited };
    Some(Header {
        verified,
        national_issuer_source,
        presumed_change,
    })
}

/// `[fontes.<id>]`.
pub(super) fn sources(reader: &mut Reader, root: &DeTable<'_>) -> BTreeMap<String, Arc<Source>> {
    let mut sources = BTreeMap::new();
    for entry in entries(reader, root, "fontes") {
        let Some(table) = reader.table(entry.name, entry.value) else {
            continue;
        };
        let (mut name, mut data, mut second_hand) = (None, None, false);
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "nome" => name = reader.text("nome", value),
                "data" => data = reader.date("data", value),
                "segunda_mao" => second_hand = reader.flag("segunda_mao", value).unwrap_or(false),
                other => reader.unknown(key.span().start, other, "nome, data, segunda_mao"),
            }
        }
        let (Some(name), Some(data)) = (name, data) else {
            let what = format!("source \"{}\"", entry.name);
            reader.require(entry.at, &what, table, &["nome", "data"]);
            reader.spoil("fonte", entry.name);
            continue;
        };
        let id = entry.name.to_owned();
        sources.insert(
            id.clone(),
            Arc::new(Source {
                id,
                name,
                data,
                second_hand,
            }),
        );
    }
    sources
}

/// A reference to a source.
pub(super) fn source(
    reader: &mut Reader,
    value: &Value<'_>,
    sources: &BTreeMap<String, Arc<Source>>,
) -> Option<Arc<Source>> {
    let id = reader.text("fonte", value)?;
    let found = sources.get(&id).cloned();
    if found.is_none() && !reader.is_spoiled("fonte", &id) {
        let known: Vec<&str> = sources.keys().map(String::as_str).collect();
        reader.wrong("fonte", value, &known.join(", "));
    }
    found
}

/// `[adapters.<name>]`.
pub(super) fn adapters(reader: &mut Reader, root: &DeTable<'_>) -> BTreeMap<String, Adapter> {
    let mut adapters = BTreeMap::new();
    for entry in entries(reader, root, "adapters") {
        let Some(table) = reader.table(entry.name, entry.value) else {
            continue;
        };
        let (mut component, mut endpoints, mut specs) = (None, Vec::new(), BTreeMap::new());
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "componente" => component = reader.text("componente", value),
                "endpoints" => endpoints = reader.texts("endpoints", value),
                "options" => {
                    if let Some(table) = reader.table("options", value) {
                        specs = options::specs(reader, table);
                    }
                }
                other => {
                    reader.unknown(key.span().start, other, "componente, endpoints, options");
                }
            }
        }
        let Some(component) = component else {
            let what = format!("adapter \"{}\"", entry.name);
            reader.require(entry.at, &what, table, &["componente"]);
            reader.spoil("adapter", entry.name);
            continue;
        };
        let name = entry.name.to_owned();
        adapters.insert(
            name.clone(),
            Adapter {
                name,
                component,
                endpoints,
                options: specs,
            },
        );
    }
    adapters
}

/// `[conflitos.<id>]`.
pub(super) fn conflicts(
    reader: &mut Reader,
    root: &DeTable<'_>,
    sources: &BTreeMap<String, Arc<Source>>,
) -> BTreeMap<String, Arc<Conflict>> {
    let mut conflicts = BTreeMap::new();
    for entry in entries(reader, root, "conflitos") {
        let Some(table) = reader.table(entry.name, entry.value) else {
            continue;
        };
        let (mut reason, mut said_by) = (None, Vec::new());
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "motivo" => reason = reader.text("motivo", value),
                "fontes" => {
                    for item in reader.one_or_many("fontes", value) {
                        said_by.extend(source(reader, item, sources));
                    }
                }
                other => reader.unknown(key.span().start, other, "motivo, fontes"),
            }
        }
        let Some(reason) = reason else {
            let what = format!("conflict \"{}\"", entry.name);
            reader.require(entry.at, &what, table, &["motivo"]);
            reader.spoil("conflito", entry.name);
            continue;
        };
        let id = entry.name.to_owned();
        conflicts.insert(
            id.clone(),
            Arc::new(Conflict {
                id,
                reason,
                sources: said_by,
            }),
        );
    }
    conflicts
}

const RULE: &str = "regimes, sistema, de, ate, admite_municipal, motivo, fonte";

/// `[regras.<id>]`.
pub(super) fn regras(
    reader: &mut Reader,
    root: &DeTable<'_>,
    systems: &BTreeMap<String, Arc<System>>,
    names: &Names,
) -> Vec<Rule> {
    let mut regras = Vec::new();
    for entry in entries(reader, root, "regras") {
        let Some(table) = reader.table(entry.name, entry.value) else {
            continue;
        };
        let (mut target, mut who, mut from, mut until) = (None, Vec::new(), None, None);
        let (mut admits_municipal, mut reason, mut cited) = (false, None, None);
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "regimes" => who = regimes(reader, value),
                "sistema" => target = system(reader, value, systems),
                "de" => from = reader.date("de", value),
                "ate" => until = reader.date("ate", value),
                "admite_municipal" => {
                    admits_municipal = reader.flag("admite_municipal", value).unwrap_or(false);
                }
                "motivo" => reason = reader.text("motivo", value),
                "fonte" => cited = source(reader, value, &names.sources),
                other => reader.unknown(key.span().start, other, RULE),
            }
        }
        let (Some(system), Some(from), Some(reason), Some(cited), false) =
            (target, from, reason, cited, who.is_empty())
        else {
            let what = format!("rule \"{}\"", entry.name);
            let fields = ["regimes", "sistema", "de", "motivo", "fonte"];
            reader.require(entry.at, &what, table, &fields);
            continue;
        };
        let id = entry.name.to_owned();
        regras.push(Rule {
            id,
            regimes: who,
            system,
            from,
            until,
            admits_municipal,
            reason,
            cited,
        });
    }
    // The newest rule decides where two are in force.
    regras.sort_by_key(|rule| std::cmp::Reverse(rule.from));
    regras
}

/// A list of tax regimes.
pub(super) fn regimes(reader: &mut Reader, value: &Value<'_>) -> Vec<Regime> {
    let mut found = Vec::new();
    for item in reader.one_or_many("regimes", value) {
        let Some(word) = reader.text("regimes", item) else {
            continue;
        };
        match Regime::from_word(&word) {
            Some(regime) => found.push(regime),
            None => reader.wrong("regimes", item, "normal, simples_me_epp, mei"),
        }
    }
    found
}

/// A reference to a system.
pub(super) fn system(
    reader: &mut Reader,
    value: &Value<'_>,
    systems: &BTreeMap<String, Arc<System>>,
) -> Option<Arc<System>> {
    let id = reader.text("sistema", value)?;
    let found = systems.get(&id).cloned();
    if found.is_none() && !reader.is_spoiled("sistema", &id) {
        let near = nearest(&id, systems.keys().map(String::as_str));
        reader.error(
            value.span().start,
            format!("unknown system \"{id}\"{near}; accepted: a name of [systems]"),
        );
    }
    found
}

/// " (did you mean ...?)" for names that begin alike.
fn nearest<'a>(wanted: &str, known: impl Iterator<Item = &'a str>) -> String {
    let alike = |name: &str| {
        name.bytes()
            .zip(wanted.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    known
        .map(|name| (alike(name), name))
        .filter(|(common, _)| *common >= 3)
        .max_by_key(|(common, _)| *common)
        .map(|(_, name)| format!(" (did you mean \"{name}\"?)"))
        .unwrap_or_default()
}
