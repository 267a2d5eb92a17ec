//! `[autorizadores.<NAME>]`, `[ufs]` and `[tls]`.

use std::collections::BTreeMap;
use std::sync::Arc;

use time::UtcOffset;
use toml::de::DeTable;

use super::super::address;
use super::super::model::{
    Adapter, Autorizador, DEFAULT_LEVEL, Endpoints, Model, Options, Root, Sefaz, Services, Source,
    TlsEvidence, TlsProfile, Uf,
};
use super::reader::{Entry, Reader, Value};
use super::sections::source;
use super::{Names, checks, entries, options};

const AUTORIZADOR: &str =
    "nome, adapter, orgao, tp_emis, options, nfe, nfce, cte, mdfe, notas, fonte, verificado";
const MODEL: &str = "producao, homologacao, servicos, options";
const UF: &str =
    "ibge, nfe, nfce, contingencia, cte, contingencia_cte, mdfe, cadastro, fuso, fonte, verificado";
const TLS: &str = "renegociacao, nivel_seguranca, cifras, raiz, evidencia, fonte, verificado";

/// Services of an authorizer, by the names the adapter knows.
const SERVICES: [&str; 11] = [
    "autorizacao",
    "cadastro",
    "consulta",
    "distribuicao",
    "epec",
    "evento",
    "evento_an",
    "inutilizacao",
    "nao_encerrados",
    "retorno",
    "status",
];

/// What an authorizer may be to a state, and of which model its services are.
const ROLES: [(&str, Model); 7] = [
    ("nfe", Model::Nfe),
    ("nfce", Model::Nfce),
    ("cte", Model::Cte),
    ("mdfe", Model::Mdfe),
    ("contingencia", Model::Nfe),
    ("contingencia_cte", Model::Cte),
    (REGISTRATION, Model::Nfe),
];
/// The one role that asks for nothing but the register of taxpayers.
const REGISTRATION: &str = "cadastro";
/// What every state says.
const UF_REQUIRED: [&str; 9] = [
    "ibge",
    "nfe",
    "nfce",
    "contingencia",
    "cte",
    "contingencia_cte",
    "mdfe",
    "fuso",
    "fonte",
];

/// What an address of an authorizer looks like.
const HTTPS: &str = "an address that begins with https://";

pub(super) fn read(
    reader: &mut Reader,
    root: &DeTable<'_>,
    adapters: &BTreeMap<String, Adapter>,
    names: &Names,
) -> Sefaz {
    let mut sefaz = Sefaz::default();
    for entry in entries(reader, root, "autorizadores") {
        let before = reader.found();
        match autorizador(reader, &entry, adapters, names) {
            Some(parsed) if reader.found() == before => {
                sefaz
                    .authorizers
                    .insert(parsed.id.clone(), Arc::new(parsed));
            }
            _ => reader.spoil("autorizador", entry.name),
        }
    }
    for entry in entries(reader, root, "ufs") {
        if let Some(read) = uf(reader, &entry, &sefaz.authorizers, adapters, names) {
            sefaz.ufs.insert(read.abbreviation.clone(), Arc::new(read));
        }
    }
    for entry in entries(reader, root, "tls") {
        if let Some(parsed) = perfil(reader, &entry, &names.sources) {
            sefaz.tls.insert(parsed.host.clone(), parsed);
        }
    }
    sefaz
}

fn autorizador(
    reader: &mut Reader,
    entry: &Entry<'_, '_>,
    adapters: &BTreeMap<String, Adapter>,
    names: &Names,
) -> Option<Autorizador> {
    let table = reader.table(entry.name, entry.value)?;
    let (mut called, mut adapter, mut cited, mut verified) = (None, None, None, None);
    let (mut agency, mut tp_emis, mut notas) = (None, None, String::new());
    let (mut general, mut models) = (None, Vec::new());
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "nome" => called = reader.text("nome", value),
            "adapter" => adapter = adapter_of(reader, value, adapters),
            "orgao" => agency = small(reader, "orgao", value, 90, 99),
            "tp_emis" => tp_emis = small(reader, "tp_emis", value, 6, 8),
            "options" => general = Some(value),
            "notas" => notas = reader.text("notas", value).unwrap_or_default(),
            "fonte" => cited = source(reader, value, &names.sources),
            "verificado" => verified = reader.date("verificado", value),
            other => match Model::from_field(other) {
                Some(model) => models.push((model, value)),
                None => reader.unknown(key.span().start, other, AUTORIZADOR),
            },
        }
    }
    let spec = adapter.as_ref().and_then(|name| adapters.get(name));
    // Where the adapter is wrong, its options cannot be judged.
    let general = match (general, spec) {
        (Some(value), Some(_)) => options::values(reader, value, spec),
        _ => Options::new(),
    };
    let services = models
        .into_iter()
        .map(|(of, given)| (of, model(reader, of.field(), given, &general, spec)))
        .collect();
    let (Some(called), Some(adapter), Some(cited)) = (called, adapter, cited) else {
        let what = format!("authorizer \"{}\"", entry.name);
        reader.require(entry.at, &what, table, &["nome", "adapter", "fonte"]);
        return None;
    };
    Some(Autorizador {
        id: entry.name.to_owned(),
        name: called,
        adapter,
        agency,
        tp_emis,
        services,
        notas,
        verified: verified.unwrap_or(cited.data),
        cited,
    })
}

fn adapter_of(
    reader: &mut Reader,
    value: &Value<'_>,
    adapters: &BTreeMap<String, Adapter>,
) -> Option<String> {
    let name = reader.text("adapter", value)?;
    if adapters.contains_key(&name) {
        return Some(name);
    }
    if !reader.is_spoiled("adapter", &name) {
        let known: Vec<&str> = adapters.keys().map(String::as_str).collect();
        reader.wrong("adapter", value, &known.join(", "));
    }
    None
}

fn small(reader: &mut Reader, field: &str, value: &Value<'_>, from: u8, to: u8) -> Option<u8> {
    let number = reader.integer(field, value)?;
    let found = u8::try_from(number)
        .ok()
        .filter(|n| (from..=to).contains(n));
    if found.is_none() {
        reader.wrong(field, value, &format!("a number from {from} to {to}"));
    }
    found
}

/// A model: two bases, and the paths that follow them.
fn model(
    reader: &mut Reader,
    field: &str,
    value: &Value<'_>,
    general: &Options,
    adapter: Option<&Adapter>,
) -> Services {
    let mut parsed = Services {
        options: general.clone(),
        ..Services::default()
    };
    let Some(table) = reader.table(field, value) else {
        return parsed;
    };
    let (mut production, mut homologacao, mut services) = (None, None, None);
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "producao" => production = https(reader, "producao", value),
            "homologacao" => homologacao = https(reader, "homologacao", value),
            "servicos" => services = Some(value),
            "options" if adapter.is_some() => {
                parsed
                    .options
                    .extend(options::values(reader, value, adapter));
            }
            "options" => {}
            other => reader.unknown(key.span().start, other, MODEL),
        }
    }
    let Some(value) = services else {
        reader.require(value.span().start, field, table, &["servicos"]);
        return parsed;
    };
    let at = value.span().start;
    let Some(services) = reader.table("servicos", value) else {
        return parsed;
    };
    // One that is there and wrong was reported where it is.
    let based = table.contains_key("producao") || table.contains_key("homologacao");
    let mut paths = false;
    for (key, value) in services {
        let name = key.get_ref().as_ref();
        if !SERVICES.contains(&name) {
            reader.unknown(key.span().start, name, &SERVICES.join(", "));
            continue;
        }
        if value.get_ref().as_table().is_some() {
            own_service(reader, name, value, &mut parsed);
        } else if let Some(path) = path(reader, name, value) {
            let bases = [
                (&production, &mut parsed.production),
                (&homologacao, &mut parsed.homologacao),
            ];
            for (base, endpoints) in bases {
                if let Some(base) = base {
                    endpoints.insert(name.to_owned(), format!("{base}/{path}"));
                }
            }
            paths = true;
        }
    }
    if paths && !based {
        let message = "servicos has paths and no base: give producao or homologacao";
        reader.error(at, message.to_owned());
    }
    parsed
}

/// A service at addresses of its own.
fn own_service(reader: &mut Reader, name: &str, value: &Value<'_>, parsed: &mut Services) {
    let Some(table) = reader.table(name, value) else {
        return;
    };
    for (key, value) in table {
        let endpoints: &mut Endpoints = match key.get_ref().as_ref() {
            "producao" => &mut parsed.production,
            "homologacao" => &mut parsed.homologacao,
            other => {
                reader.unknown(key.span().start, other, "producao, homologacao");
                continue;
            }
        };
        if let Some(url) = https(reader, name, value) {
            endpoints.insert(name.to_owned(), url);
        }
    }
}

/// An address without the slash at its end: a certificate goes nowhere
/// unencrypted.
fn https(reader: &mut Reader, field: &str, value: &Value<'_>) -> Option<String> {
    let url = reader.text(field, value)?;
    if !url.starts_with("https://") || address::host(&url).is_none() || url.ends_with('/') {
        reader.wrong(field, value, &format!("{HTTPS} and does not end in /"));
        return None;
    }
    Some(url)
}

fn path(reader: &mut Reader, name: &str, value: &Value<'_>) -> Option<String> {
    let path = reader.text(name, value)?;
    let plain = path
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'/'));
    if !plain || path.starts_with('/') || path.contains("..") {
        reader.wrong(
            name,
            value,
            "a path to follow the base, such as ws/servico.asmx",
        );
        return None;
    }
    Some(path)
}

fn uf(
    reader: &mut Reader,
    entry: &Entry<'_, '_>,
    authorizers: &BTreeMap<String, Arc<Autorizador>>,
    adapters: &BTreeMap<String, Adapter>,
    names: &Names,
) -> Option<Uf> {
    let Some(codigo) = checks::uf_code(entry.name) else {
        let message = format!(
            "\"{}\" is no state; accepted: a sigla, such as SP",
            entry.name
        );
        reader.error(entry.at, message);
        return None;
    };
    let table = reader.table(entry.name, entry.value)?;
    let (mut ibge, mut zone, mut cited, mut verified) = (None, None, None, None);
    let mut authorizer: BTreeMap<&str, Arc<Autorizador>> = BTreeMap::new();
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "ibge" => {
                ibge = reader.integer("ibge", value);
                if ibge.is_some_and(|ibge| ibge != i64::from(codigo)) {
                    reader.wrong("ibge", value, &codigo.to_string());
                }
            }
            "fuso" => zone = offset(reader, value),
            "fonte" => cited = source(reader, value, &names.sources),
            "verificado" => verified = reader.date("verificado", value),
            other => match ROLES.iter().find(|(field, _)| *field == other) {
                Some(role) => {
                    if let Some(found) = reference(reader, role, value, authorizers, adapters) {
                        authorizer.insert(role.0, found);
                    }
                }
                None => reader.unknown(key.span().start, other, UF),
            },
        }
    }
    let mut of = |field: &str| authorizer.remove(field);
    let contingencies = (of("contingencia"), of("contingencia_cte"));
    let models = (of("nfe"), of("nfce"), of("cte"), of("mdfe"));
    let (
        (Some(_), Some(zone), Some(cited)),
        (Some(nfe), Some(nfce), Some(cte), Some(mdfe)),
        (Some(contingency), Some(contingency_cte)),
    ) = ((ibge, zone, cited), models, contingencies)
    else {
        let what = format!("state \"{}\"", entry.name);
        reader.require(entry.at, &what, table, &UF_REQUIRED);
        return None;
    };
    Some(Uf {
        abbreviation: entry.name.to_owned(),
        ibge: codigo,
        nfe,
        nfce,
        cte,
        mdfe,
        contingency,
        contingency_cte,
        registration: of("cadastro"),
        zone,
        verified: verified.unwrap_or(cited.data),
        cited,
    })
}

/// An authorizer that can do what the field says.
fn reference(
    reader: &mut Reader,
    (field, model): &(&str, Model),
    value: &Value<'_>,
    authorizers: &BTreeMap<String, Arc<Autorizador>>,
    adapters: &BTreeMap<String, Adapter>,
) -> Option<Arc<Autorizador>> {
    let id = reader.text(field, value)?;
    let Some(found) = authorizers.get(&id) else {
        if !reader.is_spoiled("autorizador", &id) {
            let known: Vec<&str> = authorizers.keys().map(String::as_str).collect();
            reader.wrong(field, value, &known.join(", "));
        }
        return None;
    };
    let services = found.services(*model);
    let needed: Vec<String> = match *field {
        REGISTRATION => vec![REGISTRATION.to_owned()],
        _ => adapters
            .get(&found.adapter)
            .map(|adapter| adapter.endpoints.clone())
            .unwrap_or_default(),
    };
    let lacking: Vec<String> = needed
        .into_iter()
        .filter(|name| services.is_none_or(|services| !services.production.contains_key(name)))
        .collect();
    let contingency = field.starts_with("contingencia");
    let mut message = None;
    if !lacking.is_empty() {
        let lacking = lacking.join(", ");
        message = Some(format!(
            "{field} is {id}, which lacks {lacking} in production"
        ));
    } else if contingency != found.tp_emis.is_some() && *field != REGISTRATION {
        message = Some(if contingency {
            format!("{field} is {id}, which has no tp_emis")
        } else {
            format!("{field} is {id}, which has tp_emis: it authorizes in contingency only")
        });
    }
    if let Some(message) = message {
        reader.error(value.span().start, message);
        return None;
    }
    Some(Arc::clone(found))
}

/// `-03:00`.
fn offset(reader: &mut Reader, value: &Value<'_>) -> Option<UtcOffset> {
    let text = reader.text("fuso", value)?;
    let hours = text
        .strip_prefix('-')
        .and_then(|rest| rest.strip_suffix(":00"))
        .filter(|hours| hours.len() == 2 && hours.bytes().all(|b| b.is_ascii_digit()))
        .and_then(|hours| hours.parse::<i8>().ok())
        .filter(|hours| (2..=5).contains(hours));
    let found = hours.and_then(|hours| UtcOffset::from_hms(-hours, 0, 0).ok());
    if found.is_none() {
        reader.wrong("fuso", value, "an offset of Brazil, from -05:00 to -02:00");
    }
    found
}

fn perfil(
    reader: &mut Reader,
    entry: &Entry<'_, '_>,
    sources: &BTreeMap<String, Arc<Source>>,
) -> Option<TlsProfile> {
    let host = entry.name;
    let is_host = address::host(&format!("https://{host}")) == Some(host)
        && host == host.to_ascii_lowercase();
    if !is_host {
        let message =
            format!("\"{host}\" is no host; accepted: a name in lower case, without port");
        reader.error(entry.at, message);
        return None;
    }
    let table = reader.table(host, entry.value)?;
    let (mut renegotiation, mut level, mut ciphers) = (false, DEFAULT_LEVEL, Vec::new());
    let (mut root, mut evidence, mut cited, mut verified) = (None, None, None, None);
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "renegociacao" => renegotiation = reader.flag("renegociacao", value).unwrap_or(false),
            "nivel_seguranca" => {
                level = small(reader, "nivel_seguranca", value, 0, 5).unwrap_or(level);
            }
            "cifras" => ciphers = ciphers_of(reader, value),
            "raiz" => {
                root = word(
                    reader,
                    "raiz",
                    value,
                    &[("icp_brasil", Root::IcpBrasil), ("publica", Root::Public)],
                )
            }
            "evidencia" => {
                evidence = word(
                    reader,
                    "evidencia",
                    value,
                    &[
                        ("sonda", TlsEvidence::Probe),
                        ("provavel", TlsEvidence::Likely),
                        ("verificado", TlsEvidence::Verified),
                    ],
                )
            }
            "fonte" => cited = source(reader, value, sources),
            "verificado" => verified = reader.date("verificado", value),
            other => reader.unknown(key.span().start, other, TLS),
        }
    }
    let (Some(root), Some(evidence), Some(cited)) = (root, evidence, cited) else {
        let what = format!("host \"{host}\"");
        reader.require(entry.at, &what, table, &["raiz", "evidencia", "fonte"]);
        return None;
    };
    Some(TlsProfile {
        host: host.to_owned(),
        renegotiation,
        security_level: level,
        ciphers,
        root,
        evidence,
        verified: verified.unwrap_or(cited.data),
        cited,
    })
}

fn word<T: Copy>(
    reader: &mut Reader,
    field: &str,
    value: &Value<'_>,
    words: &[(&str, T)],
) -> Option<T> {
    let text = reader.text(field, value)?;
    let found = words.iter().find(|(word, _)| *word == text);
    if found.is_none() {
        let accepted: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        reader.wrong(field, value, &accepted.join(", "));
    }
    found.map(|(_, meaning)| *meaning)
}

/// Names as OpenSSL writes them: they go into its list of ciphers.
fn ciphers_of(reader: &mut Reader, value: &Value<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for item in reader.one_or_many("cifras", value) {
        let Some(name) = reader.text("cifras", item) else {
            continue;
        };
        if name
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'-')
        {
            found.push(name);
        } else {
            reader.wrong(
                "cifras",
                item,
                "names of OpenSSL, such as ECDHE-RSA-AES256-SHA384",
            );
        }
    }
    found
}
