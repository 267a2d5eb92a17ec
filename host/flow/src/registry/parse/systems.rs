//! `[systems.<id>]`: read as written, then filled in from what they inherit.

use std::collections::BTreeMap;
use std::sync::Arc;

use time::Date;
use toml::de::DeTable;

use super::super::address;
use super::super::model::{
    Adapter, Caminho, Cancelamento, Certificado, Endpoints, Options, Source, System,
};
use super::reader::{Entry, Reader, Value};
use super::sections::source;
use super::{Names, checks, entries, options};

/// Name of the endpoint when an address is given without one.
const DEFAULT_ENDPOINT: &str = "nfse";

const FIELDS: &str = "nome, herda, padrao, via, adapter, certificado, credenciais, producao, \
                      homologacao, consulta, options, cancelamento, confirmado, sem_serie, avisos, notas, \
                      fonte, verificado";

/// Reasons of the API for a cancellation.
const REASONS: [&str; 4] = [
    "erro_emissao",
    "servico_nao_prestado",
    "duplicidade",
    "outros",
];

/// A system as the file has it: absent fields come from the parent.
#[derive(Default)]
struct Raw<'t, 'i> {
    at: usize,
    has_name: bool,
    has_source: bool,
    name: Option<String>,
    inherits: Option<(String, usize)>,
    standard: Option<String>,
    via: Option<Caminho>,
    adapter: Option<String>,
    certificado: Option<Certificado>,
    credentials: Option<Vec<String>>,
    production: Endpoints,
    homologacao: Endpoints,
    query: Option<String>,
    options: Option<&'t Value<'i>>,
    cancelamento: Option<Cancelamento>,
    confirmed: Option<bool>,
    without_series: Option<bool>,
    notices: Option<Vec<String>>,
    cited: Option<Arc<Source>>,
    verified: Option<Date>,
}

pub(super) fn read(
    reader: &mut Reader,
    root: &DeTable<'_>,
    adapters: &BTreeMap<String, Adapter>,
    names: &Names,
) -> BTreeMap<String, Arc<System>> {
    let mut raws = BTreeMap::new();
    for entry in entries(reader, root, "systems") {
        match raw(reader, &entry, adapters, names) {
            Some(raw) => drop(raws.insert(entry.name.to_owned(), raw)),
            None => reader.spoil("sistema", entry.name),
        }
    }
    let mut systems = BTreeMap::new();
    for (id, raw) in &raws {
        let line = lineage(reader, id, raw, &raws);
        match line.and_then(|line| resolve(reader, id, &line, adapters)) {
            Some(system) => drop(systems.insert(id.clone(), Arc::new(system))),
            None => reader.spoil("sistema", id),
        }
    }
    systems
}

fn raw<'t, 'i>(
    reader: &mut Reader,
    entry: &Entry<'t, 'i>,
    adapters: &BTreeMap<String, Adapter>,
    names: &Names,
) -> Option<Raw<'t, 'i>> {
    let table = reader.table(entry.name, entry.value)?;
    let mut raw = Raw {
        at: entry.at,
        has_name: table.contains_key("nome"),
        has_source: table.contains_key("fonte"),
        ..Raw::default()
    };
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "nome" => raw.name = reader.text("nome", value),
            "herda" => {
                raw.inherits = reader
                    .text("herda", value)
                    .map(|id| (id, value.span().start));
            }
            "padrao" => raw.standard = reader.text("padrao", value),
            "via" => raw.via = via(reader, value),
            "adapter" => raw.adapter = adapter(reader, value, adapters),
            "certificado" => raw.certificado = certificado(reader, value),
            "credenciais" => raw.credentials = Some(reader.texts("credenciais", value)),
            "producao" => raw.production = endpoints(reader, "producao", value),
            "homologacao" => raw.homologacao = endpoints(reader, "homologacao", value),
            "consulta" => raw.query = query(reader, value),
            "options" => raw.options = Some(value),
            "cancelamento" => raw.cancelamento = cancelamento(reader, value, names),
            "confirmado" => raw.confirmed = reader.flag("confirmado", value),
            "sem_serie" => raw.without_series = reader.flag("sem_serie", value),
            "avisos" => raw.notices = Some(reader.texts("avisos", value)),
            "notas" => drop(reader.text("notas", value)),
            "fonte" => raw.cited = source(reader, value, &names.sources),
            "verificado" => raw.verified = reader.date("verificado", value),
            other => reader.unknown(key.span().start, other, FIELDS),
        }
    }
    Some(raw)
}

/// Most systems one inherits from, by way of one another: the registry has two,
/// and a chain of thousands would take minutes.
const MAX_ANCESTORS: usize = 8;

/// The system and what it inherits from, nearest first. None: a cycle or an
/// unknown parent, which is reported.
fn lineage<'r, 't, 'i>(
    reader: &mut Reader,
    id: &str,
    raw: &'r Raw<'t, 'i>,
    raws: &'r BTreeMap<String, Raw<'t, 'i>>,
) -> Option<Vec<&'r Raw<'t, 'i>>> {
    let mut line = vec![raw];
    let mut seen = vec![id];
    let mut current = raw;
    while let Some((parent, at)) = &current.inherits {
        if seen.contains(&parent.as_str()) {
            reader.error(
                *at,
                format!("herda makes a cycle: {} -> {parent}", seen.join(" -> ")),
            );
            return None;
        }
        let Some(next) = raws.get(parent) else {
            if reader.is_spoiled("sistema", parent) {
                return None;
            }
            reader.error(*at, format!("herda: unknown system \"{parent}\""));
            return None;
        };
        if line.len() > MAX_ANCESTORS {
            reader.error(
                *at,
                format!("herda: \"{id}\" has more than {MAX_ANCESTORS} ancestors"),
            );
            return None;
        }
        seen.push(parent);
        line.push(next);
        current = next;
    }
    Some(line)
}

fn resolve(
    reader: &mut Reader,
    id: &str,
    line: &[&Raw<'_, '_>],
    adapters: &BTreeMap<String, Adapter>,
) -> Option<System> {
    let own = line.first()?;
    let called = line.iter().find_map(|raw| raw.name.clone());
    let cited = line.iter().find_map(|raw| raw.cited.clone());
    let (Some(called), Some(cited)) = (called, cited) else {
        let what = format!("system \"{id}\", with what it inherits,");
        if !line.iter().any(|raw| raw.has_name) {
            reader.missing(own.at, &what, "nome");
        }
        if !line.iter().any(|raw| raw.has_source) {
            reader.missing(own.at, &what, "fonte");
        }
        return None;
    };
    let adapter = line.iter().find_map(|raw| raw.adapter.clone());
    let spec = adapter.as_ref().and_then(|name| adapters.get(name));
    let (mut production, mut homologacao) = (Endpoints::new(), Endpoints::new());
    let mut merged = Options::new();
    // From the farthest ancestor on, so that the nearest has the last word.
    for (depth, raw) in line.iter().enumerate().rev() {
        production.extend(named_for(spec, raw.production.clone()));
        homologacao.extend(named_for(spec, raw.homologacao.clone()));
        if let Some(value) = raw.options {
            // An ancestor reports its own mistakes when it is resolved itself.
            if depth == 0 {
                merged.extend(options::values(reader, value, spec));
            } else {
                let mut quiet = Reader::scratch();
                merged.extend(options::values(&mut quiet, value, spec));
            }
        }
    }
    let seen = |raw: &&Raw<'_, '_>| {
        let of_source = || raw.cited.as_ref().map(|cited| cited.data);
        raw.verified.or_else(of_source)
    };
    let verified = line.iter().find_map(seen).unwrap_or(cited.data);
    Some(System {
        id: id.to_owned(),
        name: called,
        standard: line
            .iter()
            .find_map(|raw| raw.standard.clone())
            .unwrap_or_default(),
        via: line
            .iter()
            .find_map(|raw| raw.via)
            .unwrap_or(Caminho::Municipal),
        adapter,
        certificado: line
            .iter()
            .find_map(|raw| raw.certificado)
            .unwrap_or(Certificado::Unused),
        credentials: line
            .iter()
            .find_map(|raw| raw.credentials.clone())
            .unwrap_or_default(),
        production,
        homologacao,
        query: line.iter().find_map(|raw| raw.query.clone()),
        options: merged,
        cancelamento: line.iter().find_map(|raw| raw.cancelamento.clone()),
        confirmed: line.iter().find_map(|raw| raw.confirmed).unwrap_or(false),
        without_series: line
            .iter()
            .find_map(|raw| raw.without_series)
            .unwrap_or(false),
        notices: line
            .iter()
            .find_map(|raw| raw.notices.clone())
            .unwrap_or_default(),
        cited,
        verified,
    })
}

fn via(reader: &mut Reader, value: &Value<'_>) -> Option<Caminho> {
    let word = reader.text("via", value)?;
    let found = [Caminho::Nacional, Caminho::Gateway, Caminho::Municipal]
        .into_iter()
        .find(|via| via.as_str() == word);
    if found.is_none() {
        reader.wrong("via", value, "nacional, gateway, municipal");
    }
    found
}

fn adapter(
    reader: &mut Reader,
    value: &Value<'_>,
    adapters: &BTreeMap<String, Adapter>,
) -> Option<String> {
    let name = reader.text("adapter", value)?;
    if reader.is_spoiled("adapter", &name) {
        return None;
    }
    if !adapters.contains_key(&name) {
        let known: Vec<&str> = adapters.keys().map(String::as_str).collect();
        reader.wrong("adapter", value, &known.join(", "));
        return None;
    }
    Some(name)
}

fn certificado(reader: &mut Reader, value: &Value<'_>) -> Option<Certificado> {
    match reader.text("certificado", value)?.as_str() {
        "nenhum" => Some(Certificado::Unused),
        "assinatura" => Some(Certificado::Signature),
        "tls" => Some(Certificado::Tls),
        _ => {
            reader.wrong("certificado", value, "nenhum, assinatura, tls");
            None
        }
    }
}

/// Gives an address without a name to the adapter's first endpoint.
pub(super) fn named_for(adapter: Option<&Adapter>, mut found: Endpoints) -> Endpoints {
    let main = adapter.and_then(|adapter| adapter.endpoints.first());
    if let Some(main) = main.filter(|main| !found.contains_key(*main))
        && let Some(url) = found.remove(DEFAULT_ENDPOINT)
    {
        found.insert(main.clone(), url);
    }
    found
}

/// One address (of the endpoint "nfse") or a table of them.
pub(super) fn endpoints(reader: &mut Reader, field: &str, value: &Value<'_>) -> Endpoints {
    let mut found = Endpoints::new();
    if let Some(table) = value.get_ref().as_table() {
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if let Some(url) = url(reader, &format!("{field}.{name}"), value) {
                found.insert(name.to_owned(), url);
            }
        }
    } else if let Some(url) = url(reader, field, value) {
        found.insert(DEFAULT_ENDPOINT.to_owned(), url);
    }
    found
}

fn url(reader: &mut Reader, field: &str, value: &Value<'_>) -> Option<String> {
    let url = reader.text(field, value)?;
    if address::host(&url).is_none() {
        reader.wrong(
            field,
            value,
            "an address that begins with https:// or http://",
        );
        return None;
    }
    Some(url)
}

/// A template; empty text says that there is no public view.
pub(super) fn query(reader: &mut Reader, value: &Value<'_>) -> Option<String> {
    let text = reader.any_text("consulta", value)?;
    if !text.is_empty() && !checks::template(&text) {
        let accepted = format!(
            "an address, or one that begins with {{origem}}, with the placeholders {}",
            checks::PLACEHOLDERS.join(", ")
        );
        reader.wrong("consulta", value, &accepted);
        return None;
    }
    Some(text)
}

fn cancelamento(reader: &mut Reader, value: &Value<'_>, names: &Names) -> Option<Cancelamento> {
    let table = reader.table("cancelamento", value)?;
    let (mut reasons, mut exigencias, mut deadline_days, mut cited) =
        (Vec::new(), Vec::new(), None, None);
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "motivos" => {
                reasons = reader.texts("motivos", value);
                if reasons
                    .iter()
                    .any(|reason| !REASONS.contains(&reason.as_str()))
                {
                    reader.wrong("motivos", value, &REASONS.join(", "));
                }
            }
            "exigencias" => exigencias = reader.texts("exigencias", value),
            "prazo_dias" => {
                let days = reader.integer("prazo_dias", value);
                deadline_days = days.and_then(|days| u32::try_from(days).ok());
                if days.is_some() && deadline_days.is_none() {
                    reader.wrong("prazo_dias", value, "a number of days from 0");
                }
            }
            "fonte" => cited = source(reader, value, &names.sources),
            other => {
                let accepted = "motivos, exigencias, prazo_dias, fonte";
                reader.unknown(key.span().start, other, accepted);
            }
        }
    }
    let Some(cited) = cited else {
        reader.require(value.span().start, "cancelamento", table, &["fonte"]);
        return None;
    };
    Some(Cancelamento {
        reasons,
        exigencias,
        deadline_days,
        cited,
    })
}
