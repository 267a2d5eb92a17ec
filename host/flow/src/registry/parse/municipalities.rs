//! `[municipios]`: one line per municipality.

use std::collections::BTreeMap;
use std::sync::Arc;

use time::Date;
use toml::de::DeTable;

use super::super::model::{
    Adapter, Caminho, Conflict, Leg, Municipality, Options, Refusal, Regime, System,
};
use super::reader::{Entry, Reader, Value};
use super::sections::{regimes, source, system};
use super::systems::{endpoints, named_for, query};
use super::{Names, checks, entries, options};

const FIELDS: &str = "nome, uf, rota, anterior, emissor_nacional, conflito, recusas, \
                      outras_fontes, notas, fonte, verificado";
const ROUTE_FIELDS: &str = "sistema, de, ate, regimes, producao, homologacao, consulta, \
                            options, notas, fonte, verificado";
/// Operations an entry may refuse, as adapters name them.
const OPERATIONS: [&str; 5] = [
    "emitir",
    "cancelar",
    "substituir",
    "consultar-nota",
    "consultar-rps",
];

/// What the routes of all municipalities refer to.
struct Known<'k> {
    adapters: &'k BTreeMap<String, Adapter>,
    systems: &'k BTreeMap<String, Arc<System>>,
    names: &'k Names,
}

pub(super) fn read(
    reader: &mut Reader,
    root: &DeTable<'_>,
    adapters: &BTreeMap<String, Adapter>,
    systems: &BTreeMap<String, Arc<System>>,
    names: &Names,
) -> Vec<Municipality> {
    let known = Known {
        adapters,
        systems,
        names,
    };
    let entries = entries(reader, root, "municipios");
    let mut municipalities = Vec::with_capacity(entries.len());
    for entry in &entries {
        municipalities.extend(municipality(reader, entry, &known));
    }
    municipalities.sort_unstable_by_key(|m| m.ibge);
    municipalities
}

fn municipality(
    reader: &mut Reader,
    entry: &Entry<'_, '_>,
    known: &Known<'_>,
) -> Option<Municipality> {
    let Some(ibge) = checks::ibge(entry.name) else {
        reader.error(
            entry.at,
            format!(
                "\"{}\" is no IBGE code; accepted: seven digits, the last one checked",
                entry.name
            ),
        );
        return None;
    };
    let table = reader.table(entry.name, entry.value)?;
    let (mut name, mut uf) = (None, None);
    let mut m = Municipality {
        ibge,
        name: String::new(),
        uf: String::new(),
        routes: Vec::new(),
        earlier: Vec::new(),
        national_issuer: false,
        conflicts: Vec::new(),
        refusals: BTreeMap::new(),
        other_sources: BTreeMap::new(),
        notas: String::new(),
        cited: None,
        verified: None,
    };
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "nome" => name = reader.text("nome", value),
            "uf" => {
                uf = reader.text("uf", value);
                if uf.as_ref().is_some_and(|uf| !checks::uf_of(ibge, uf)) {
                    reader.wrong("uf", value, "the state of the first two digits of the code");
                }
            }
            "rota" => m.routes = legs(reader, "rota", value, known),
            "anterior" => m.earlier = legs(reader, "anterior", value, known),
            "emissor_nacional" => {
                m.national_issuer = reader.flag("emissor_nacional", value).unwrap_or(false);
            }
            "conflito" => m.conflicts = conflicts(reader, value, known.names),
            "recusas" => m.refusals = refusals(reader, value, known.names),
            "outras_fontes" => m.other_sources = other_sources(reader, value, known.names),
            "notas" => m.notas = reader.text("notas", value).unwrap_or_default(),
            "fonte" => m.cited = source(reader, value, &known.names.sources),
            "verificado" => m.verified = reader.date("verificado", value),
            other => reader.unknown(key.span().start, other, FIELDS),
        }
    }
    let (Some(name), Some(uf)) = (name, uf) else {
        reader.require(
            entry.at,
            &format!("municipality {ibge}"),
            table,
            &["nome", "uf"],
        );
        return None;
    };
    if !m.routes.is_empty() {
        reader.require(
            entry.at,
            &format!("municipality {ibge} has a route and"),
            table,
            &["fonte"],
        );
    }
    overlaps(reader, entry, &m);
    m.name = name;
    m.uf = uf;
    Some(m)
}

fn conflicts(reader: &mut Reader, value: &Value<'_>, names: &Names) -> Vec<Arc<Conflict>> {
    let mut found = Vec::new();
    for item in reader.one_or_many("conflito", value) {
        let Some(id) = reader.text("conflito", item) else {
            continue;
        };
        match names.conflicts.get(&id) {
            Some(conflict) => found.push(Arc::clone(conflict)),
            None if reader.is_spoiled("conflito", &id) => {}
            None => {
                let ids: Vec<&str> = names.conflicts.keys().map(String::as_str).collect();
                reader.wrong("conflito", item, &ids.join(", "));
            }
        }
    }
    found
}

fn legs(reader: &mut Reader, field: &str, value: &Value<'_>, known: &Known<'_>) -> Vec<Leg> {
    let items = reader.one_or_many(field, value);
    items
        .into_iter()
        .filter_map(|item| leg(reader, field, item, known))
        .collect()
}

fn leg(reader: &mut Reader, field: &str, value: &Value<'_>, known: &Known<'_>) -> Option<Leg> {
    let table = reader.table(field, value)?;
    let at = value.span().start;
    let Some(found) = table.get("sistema") else {
        reader.missing(at, field, "sistema");
        return None;
    };
    let system = system(reader, found, known.systems)?;
    let adapter = system
        .adapter
        .as_ref()
        .and_then(|name| known.adapters.get(name));
    let mut leg = Leg {
        system: Arc::clone(&system),
        from: None,
        until: None,
        regimes: Vec::new(),
        production: BTreeMap::new(),
        homologacao: BTreeMap::new(),
        query: None,
        options: Options::new(),
        notas: String::new(),
        cited: None,
        verified: None,
    };
    let mut addresses_read = true;
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "sistema" => {}
            "de" => leg.from = reader.date("de", value),
            "ate" => leg.until = reader.date("ate", value),
            "regimes" => leg.regimes = regimes(reader, value),
            "producao" => {
                leg.production = named_for(adapter, endpoints(reader, "producao", value));
                addresses_read = !leg.production.is_empty();
            }
            "homologacao" => {
                leg.homologacao = named_for(adapter, endpoints(reader, "homologacao", value));
            }
            "consulta" => leg.query = query(reader, value),
            "options" => leg.options = options::values(reader, value, adapter),
            "notas" => leg.notas = reader.text("notas", value).unwrap_or_default(),
            "fonte" => leg.cited = source(reader, value, &known.names.sources),
            "verificado" => leg.verified = reader.date("verificado", value),
            other => reader.unknown(key.span().start, other, ROUTE_FIELDS),
        }
    }
    if let (Some(from), Some(until)) = (leg.from, leg.until)
        && until < from
    {
        reader.error(at, format!("{field}: ate {until} is before de {from}"));
    }
    // The national environment is one: an address left over from the city's own
    // system would send national notes to the city.
    if system.via == Caminho::Nacional && !(leg.production.is_empty() && leg.homologacao.is_empty())
    {
        reader.error(
            at,
            format!(
                "{field}: system \"{}\" is the national environment, which has no address of a municipality",
                system.id
            ),
        );
    }
    if addresses_read {
        lacking(reader, (at, field), &leg, adapter);
    }
    Some(leg)
}

/// Only what an adapter would call must be there: an address nobody uses may be
/// unknown. A wrong one was reported where it is.
fn lacking(reader: &mut Reader, (at, field): (usize, &str), leg: &Leg, adapter: Option<&Adapter>) {
    for endpoint in adapter.into_iter().flat_map(|a| &a.endpoints) {
        let system = &leg.system;
        if !leg.production.contains_key(endpoint) && !system.production.contains_key(endpoint) {
            reader.error(
                at,
                format!(
                    "{field}: system \"{}\" needs the production endpoint \"{endpoint}\"",
                    system.id
                ),
            );
        }
    }
}

/// Two routes for the same regime on the same day leave no answer.
fn overlaps(reader: &mut Reader, entry: &Entry<'_, '_>, m: &Municipality) {
    let starts_before = |end: Option<Date>, start: Option<Date>| match (end, start) {
        (Some(end), Some(start)) => start <= end,
        _ => true,
    };
    // A route for some regimes stands over the general one: compare alike.
    let same = |a: &[Regime], b: &[Regime]| {
        a.is_empty() && b.is_empty() || a.iter().any(|regime| b.contains(regime))
    };
    for (position, one) in m.routes.iter().enumerate() {
        for other in m.routes.iter().skip(position + 1) {
            if same(&one.regimes, &other.regimes)
                && starts_before(one.until, other.from)
                && starts_before(other.until, one.from)
            {
                reader.error(
                    entry.at,
                    format!(
                        "municipality {}: the routes of \"{}\" and \"{}\" overlap; give each its \
                         de and ate",
                        m.ibge, one.system.id, other.system.id
                    ),
                );
            }
        }
    }
}

fn refusals(reader: &mut Reader, value: &Value<'_>, names: &Names) -> BTreeMap<String, Refusal> {
    let mut found = BTreeMap::new();
    let Some(table) = reader.table("recusas", value) else {
        return found;
    };
    for (key, value) in table {
        let operation = key.get_ref().as_ref();
        if !OPERATIONS.contains(&operation) {
            reader.unknown(key.span().start, operation, &OPERATIONS.join(", "));
            continue;
        }
        let Some(table) = reader.table(operation, value) else {
            continue;
        };
        let (mut reason, mut cited) = (None, None);
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "motivo" => reason = reader.text("motivo", value),
                "fonte" => cited = source(reader, value, &names.sources),
                other => reader.unknown(key.span().start, other, "motivo, fonte"),
            }
        }
        let (Some(reason), Some(cited)) = (reason, cited) else {
            let what = format!("recusas.{operation}");
            reader.require(key.span().start, &what, table, &["motivo", "fonte"]);
            continue;
        };
        found.insert(operation.to_owned(), Refusal { reason, cited });
    }
    found
}

fn other_sources(
    reader: &mut Reader,
    value: &Value<'_>,
    names: &Names,
) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let Some(table) = reader.table("outras_fontes", value) else {
        return found;
    };
    for (key, value) in table {
        let id = key.get_ref().as_ref();
        if !names.sources.contains_key(id) {
            let ids: Vec<&str> = names.sources.keys().map(String::as_str).collect();
            reader.unknown(key.span().start, id, &ids.join(", "));
        } else if let Some(says) = reader.text(id, value) {
            found.insert(id.to_owned(), says);
        }
    }
    found
}
