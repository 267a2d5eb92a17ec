//! `[municipios]`: one line per municipality.

use std::collections::BTreeMap;
use std::sync::Arc;

use time::Date;
use toml::de::DeTable;

use super::super::model::{Adapter, Conflito, Leg, Municipio, Options, Recusa, Regime, System};
use super::reader::{Entry, Reader, Value};
use super::sections::{regimes, source, system};
use super::systems::{consulta, endpoints};
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
) -> Vec<Municipio> {
    let known = Known {
        adapters,
        systems,
        names,
    };
    let entries = entries(reader, root, "municipios");
    let mut municipios = Vec::with_capacity(entries.len());
    for entry in &entries {
        municipios.extend(municipio(reader, entry, &known));
    }
    municipios.sort_unstable_by_key(|m| m.ibge);
    municipios
}

fn municipio(reader: &mut Reader, entry: &Entry<'_, '_>, known: &Known<'_>) -> Option<Municipio> {
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
    let (mut nome, mut uf) = (None, None);
    let mut m = Municipio {
        ibge,
        nome: String::new(),
        uf: String::new(),
        rotas: Vec::new(),
        anteriores: Vec::new(),
        emissor_nacional: false,
        conflitos: Vec::new(),
        recusas: BTreeMap::new(),
        outras_fontes: BTreeMap::new(),
        notas: String::new(),
        fonte: None,
        verificado: None,
    };
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "nome" => nome = reader.text("nome", value),
            "uf" => {
                uf = reader.text("uf", value);
                if uf.as_ref().is_some_and(|uf| !checks::uf_of(ibge, uf)) {
                    reader.wrong("uf", value, "the state of the first two digits of the code");
                }
            }
            "rota" => m.rotas = legs(reader, "rota", value, known),
            "anterior" => m.anteriores = legs(reader, "anterior", value, known),
            "emissor_nacional" => {
                m.emissor_nacional = reader.flag("emissor_nacional", value).unwrap_or(false);
            }
            "conflito" => m.conflitos = conflitos(reader, value, known.names),
            "recusas" => m.recusas = recusas(reader, value, known.names),
            "outras_fontes" => m.outras_fontes = outras_fontes(reader, value, known.names),
            "notas" => m.notas = reader.text("notas", value).unwrap_or_default(),
            "fonte" => m.fonte = source(reader, value, &known.names.fontes),
            "verificado" => m.verificado = reader.date("verificado", value),
            other => reader.unknown(key.span().start, other, FIELDS),
        }
    }
    let (Some(nome), Some(uf)) = (nome, uf) else {
        reader.require(
            entry.at,
            &format!("municipality {ibge}"),
            table,
            &["nome", "uf"],
        );
        return None;
    };
    if !m.rotas.is_empty() {
        reader.require(
            entry.at,
            &format!("municipality {ibge} has a route and"),
            table,
            &["fonte"],
        );
    }
    overlaps(reader, entry, &m);
    m.nome = nome;
    m.uf = uf;
    Some(m)
}

fn conflitos(reader: &mut Reader, value: &Value<'_>, names: &Names) -> Vec<Arc<Conflito>> {
    let mut found = Vec::new();
    for item in reader.one_or_many("conflito", value) {
        let Some(id) = reader.text("conflito", item) else {
            continue;
        };
        match names.conflitos.get(&id) {
            Some(conflito) => found.push(Arc::clone(conflito)),
            None if reader.is_spoiled("conflito", &id) => {}
            None => {
                let ids: Vec<&str> = names.conflitos.keys().map(String::as_str).collect();
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
        de: None,
        ate: None,
        regimes: Vec::new(),
        producao: BTreeMap::new(),
        homologacao: BTreeMap::new(),
        consulta: None,
        options: Options::new(),
        notas: String::new(),
        fonte: None,
        verificado: None,
    };
    let mut addresses_read = true;
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "sistema" => {}
            "de" => leg.de = reader.date("de", value),
            "ate" => leg.ate = reader.date("ate", value),
            "regimes" => leg.regimes = regimes(reader, value),
            "producao" => {
                leg.producao = endpoints(reader, "producao", value);
                addresses_read = !leg.producao.is_empty();
            }
            "homologacao" => leg.homologacao = endpoints(reader, "homologacao", value),
            "consulta" => leg.consulta = consulta(reader, value),
            "options" => leg.options = options::values(reader, value, adapter),
            "notas" => leg.notas = reader.text("notas", value).unwrap_or_default(),
            "fonte" => leg.fonte = source(reader, value, &known.names.fontes),
            "verificado" => leg.verificado = reader.date("verificado", value),
            other => reader.unknown(key.span().start, other, ROUTE_FIELDS),
        }
    }
    if let (Some(de), Some(ate)) = (leg.de, leg.ate)
        && ate < de
    {
        reader.error(at, format!("{field}: ate {ate} is before de {de}"));
    }
    // Only what an adapter would call must be there: an address nobody uses
    // may be unknown. A wrong one was reported where it is.
    for endpoint in adapter
        .filter(|_| addresses_read)
        .into_iter()
        .flat_map(|a| &a.endpoints)
    {
        if !leg.producao.contains_key(endpoint) && !system.producao.contains_key(endpoint) {
            reader.error(
                at,
                format!(
                    "{field}: system \"{}\" needs the production endpoint \"{endpoint}\"",
                    system.id
                ),
            );
        }
    }
    Some(leg)
}

/// Two routes for the same regime on the same day leave no answer.
fn overlaps(reader: &mut Reader, entry: &Entry<'_, '_>, m: &Municipio) {
    let starts_before = |end: Option<Date>, start: Option<Date>| match (end, start) {
        (Some(end), Some(start)) => start <= end,
        _ => true,
    };
    // A route for some regimes stands over the general one: compare alike.
    let same = |a: &[Regime], b: &[Regime]| {
        a.is_empty() && b.is_empty() || a.iter().any(|regime| b.contains(regime))
    };
    for (position, one) in m.rotas.iter().enumerate() {
        for other in m.rotas.iter().skip(position + 1) {
            if same(&one.regimes, &other.regimes)
                && starts_before(one.ate, other.de)
                && starts_before(other.ate, one.de)
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

fn recusas(reader: &mut Reader, value: &Value<'_>, names: &Names) -> BTreeMap<String, Recusa> {
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
        let (mut motivo, mut fonte) = (None, None);
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "motivo" => motivo = reader.text("motivo", value),
                "fonte" => fonte = source(reader, value, &names.fontes),
                other => reader.unknown(key.span().start, other, "motivo, fonte"),
            }
        }
        let (Some(motivo), Some(fonte)) = (motivo, fonte) else {
            let what = format!("recusas.{operation}");
            reader.require(key.span().start, &what, table, &["motivo", "fonte"]);
            continue;
        };
        found.insert(operation.to_owned(), Recusa { motivo, fonte });
    }
    found
}

fn outras_fontes(
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
        if !names.fontes.contains_key(id) {
            let ids: Vec<&str> = names.fontes.keys().map(String::as_str).collect();
            reader.unknown(key.span().start, id, &ids.join(", "));
        } else if let Some(says) = reader.text(id, value) {
            found.insert(id.to_owned(), says);
        }
    }
    found
}
