//! `[autorizadores.<NAME>]`, `[ufs]` and `[tls]`.

use std::collections::BTreeMap;
use std::sync::Arc;

use time::UtcOffset;
use toml::de::DeTable;

use super::super::address;
use super::super::model::{
    Adapter, Autorizador, Endpoints, EvidenciaTls, Fonte, NIVEL_PADRAO, Options, PerfilTls, Raiz,
    Sefaz, Servicos, Uf,
};
use super::reader::{Entry, Reader, Value};
use super::sections::source;
use super::{Names, checks, entries, options};

const AUTORIZADOR: &str =
    "nome, adapter, orgao, tp_emis, options, nfe, nfce, notas, fonte, verificado";
const MODELO: &str = "producao, homologacao, servicos, options";
const UF: &str = "ibge, nfe, nfce, contingencia, cadastro, fuso, fonte, verificado";
const TLS: &str = "renegociacao, nivel_seguranca, cifras, raiz, evidencia, fonte, verificado";

/// Services of an authorizer, by the names the adapter knows.
const SERVICOS: [&str; 10] = [
    "autorizacao",
    "cadastro",
    "consulta",
    "distribuicao",
    "epec",
    "evento",
    "evento_an",
    "inutilizacao",
    "retorno",
    "status",
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
            Some(lido) if reader.found() == before => {
                sefaz.autorizadores.insert(lido.id.clone(), Arc::new(lido));
            }
            _ => reader.spoil("autorizador", entry.name),
        }
    }
    for entry in entries(reader, root, "ufs") {
        if let Some(lida) = uf(reader, &entry, &sefaz.autorizadores, adapters, names) {
            sefaz.ufs.insert(lida.sigla.clone(), Arc::new(lida));
        }
    }
    for entry in entries(reader, root, "tls") {
        if let Some(lido) = perfil(reader, &entry, &names.fontes) {
            sefaz.tls.insert(lido.host.clone(), lido);
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
    let (mut nome, mut adapter, mut fonte, mut verificado) = (None, None, None, None);
    let (mut orgao, mut tp_emis, mut notas) = (None, None, String::new());
    let (mut gerais, mut nfe, mut nfce) = (None, None, None);
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "nome" => nome = reader.text("nome", value),
            "adapter" => adapter = adapter_of(reader, value, adapters),
            "orgao" => orgao = small(reader, "orgao", value, 90, 99),
            "tp_emis" => tp_emis = small(reader, "tp_emis", value, 6, 7),
            "options" => gerais = Some(value),
            "nfe" => nfe = Some(value),
            "nfce" => nfce = Some(value),
            "notas" => notas = reader.text("notas", value).unwrap_or_default(),
            "fonte" => fonte = source(reader, value, &names.fontes),
            "verificado" => verificado = reader.date("verificado", value),
            other => reader.unknown(key.span().start, other, AUTORIZADOR),
        }
    }
    let spec = adapter.as_ref().and_then(|name| adapters.get(name));
    // Where the adapter is wrong, its options cannot be judged.
    let gerais = match (gerais, spec) {
        (Some(value), Some(_)) => options::values(reader, value, spec),
        _ => Options::new(),
    };
    let mut servicos = |campo, valor: Option<&Value<'_>>| {
        valor.map(|valor| modelo(reader, campo, valor, &gerais, spec))
    };
    let (nfe, nfce) = (servicos("nfe", nfe), servicos("nfce", nfce));
    let (Some(nome), Some(adapter), Some(fonte)) = (nome, adapter, fonte) else {
        let what = format!("authorizer \"{}\"", entry.name);
        reader.require(entry.at, &what, table, &["nome", "adapter", "fonte"]);
        return None;
    };
    Some(Autorizador {
        id: entry.name.to_owned(),
        nome,
        adapter,
        orgao,
        tp_emis,
        nfe,
        nfce,
        notas,
        verificado: verificado.unwrap_or(fonte.data),
        fonte,
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

/// `nfe` or `nfce`: two bases, and the paths that follow them.
fn modelo(
    reader: &mut Reader,
    campo: &str,
    value: &Value<'_>,
    gerais: &Options,
    adapter: Option<&Adapter>,
) -> Servicos {
    let mut lidos = Servicos {
        options: gerais.clone(),
        ..Servicos::default()
    };
    let Some(table) = reader.table(campo, value) else {
        return lidos;
    };
    let (mut producao, mut homologacao, mut servicos) = (None, None, None);
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "producao" => producao = https(reader, "producao", value),
            "homologacao" => homologacao = https(reader, "homologacao", value),
            "servicos" => servicos = Some(value),
            "options" if adapter.is_some() => {
                lidos
                    .options
                    .extend(options::values(reader, value, adapter));
            }
            "options" => {}
            other => reader.unknown(key.span().start, other, MODELO),
        }
    }
    let Some(value) = servicos else {
        reader.require(value.span().start, campo, table, &["servicos"]);
        return lidos;
    };
    let at = value.span().start;
    let Some(servicos) = reader.table("servicos", value) else {
        return lidos;
    };
    // One that is there and wrong was reported where it is.
    let based = table.contains_key("producao") || table.contains_key("homologacao");
    let mut paths = false;
    for (key, value) in servicos {
        let name = key.get_ref().as_ref();
        if !SERVICOS.contains(&name) {
            reader.unknown(key.span().start, name, &SERVICOS.join(", "));
            continue;
        }
        if value.get_ref().as_table().is_some() {
            proprio(reader, name, value, &mut lidos);
        } else if let Some(path) = path(reader, name, value) {
            let bases = [
                (&producao, &mut lidos.producao),
                (&homologacao, &mut lidos.homologacao),
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
    lidos
}

/// A service at addresses of its own.
fn proprio(reader: &mut Reader, name: &str, value: &Value<'_>, lidos: &mut Servicos) {
    let Some(table) = reader.table(name, value) else {
        return;
    };
    for (key, value) in table {
        let endpoints: &mut Endpoints = match key.get_ref().as_ref() {
            "producao" => &mut lidos.producao,
            "homologacao" => &mut lidos.homologacao,
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
    autorizadores: &BTreeMap<String, Arc<Autorizador>>,
    adapters: &BTreeMap<String, Adapter>,
    names: &Names,
) -> Option<Uf> {
    let Some(codigo) = checks::codigo_da_uf(entry.name) else {
        let message = format!(
            "\"{}\" is no state; accepted: a sigla, such as SP",
            entry.name
        );
        reader.error(entry.at, message);
        return None;
    };
    let table = reader.table(entry.name, entry.value)?;
    let (mut ibge, mut nfe, mut nfce, mut contingencia) = (None, None, None, None);
    let (mut cadastro, mut fuso, mut fonte, mut verificado) = (None, None, None, None);
    let referido = |reader: &mut Reader, field: &str, value: &Value<'_>| {
        referencia(reader, field, value, autorizadores, adapters)
    };
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "ibge" => {
                ibge = reader.integer("ibge", value);
                if ibge.is_some_and(|ibge| ibge != i64::from(codigo)) {
                    reader.wrong("ibge", value, &codigo.to_string());
                }
            }
            "nfe" => nfe = referido(reader, "nfe", value),
            "nfce" => nfce = referido(reader, "nfce", value),
            "contingencia" => contingencia = referido(reader, "contingencia", value),
            "cadastro" => cadastro = referido(reader, "cadastro", value),
            "fuso" => fuso = offset(reader, value),
            "fonte" => fonte = source(reader, value, &names.fontes),
            "verificado" => verificado = reader.date("verificado", value),
            other => reader.unknown(key.span().start, other, UF),
        }
    }
    let (Some(_), Some(nfe), Some(nfce), Some(contingencia), Some(fuso), Some(fonte)) =
        (ibge, nfe, nfce, contingencia, fuso, fonte)
    else {
        let what = format!("state \"{}\"", entry.name);
        let fields = ["ibge", "nfe", "nfce", "contingencia", "fuso", "fonte"];
        reader.require(entry.at, &what, table, &fields);
        return None;
    };
    Some(Uf {
        sigla: entry.name.to_owned(),
        ibge: codigo,
        nfe,
        nfce,
        contingencia,
        cadastro,
        fuso,
        verificado: verificado.unwrap_or(fonte.data),
        fonte,
    })
}

/// An authorizer that can do what the field says.
fn referencia(
    reader: &mut Reader,
    field: &str,
    value: &Value<'_>,
    autorizadores: &BTreeMap<String, Arc<Autorizador>>,
    adapters: &BTreeMap<String, Adapter>,
) -> Option<Arc<Autorizador>> {
    let id = reader.text(field, value)?;
    let Some(found) = autorizadores.get(&id) else {
        if !reader.is_spoiled("autorizador", &id) {
            let known: Vec<&str> = autorizadores.keys().map(String::as_str).collect();
            reader.wrong(field, value, &known.join(", "));
        }
        return None;
    };
    let servicos = if field == "nfce" {
        &found.nfce
    } else {
        &found.nfe
    };
    let needed: Vec<String> = match field {
        "cadastro" => vec!["cadastro".to_owned()],
        _ => adapters
            .get(&found.adapter)
            .map(|adapter| adapter.endpoints.clone())
            .unwrap_or_default(),
    };
    let lacking: Vec<String> = needed
        .into_iter()
        .filter(|name| {
            servicos
                .as_ref()
                .is_none_or(|servicos| !servicos.producao.contains_key(name))
        })
        .collect();
    let mut message = None;
    if !lacking.is_empty() {
        let lacking = lacking.join(", ");
        message = Some(format!(
            "{field} is {id}, which lacks {lacking} in production"
        ));
    } else if (field == "contingencia") != found.tp_emis.is_some() && field != "cadastro" {
        message = Some(match field {
            "contingencia" => format!("contingencia is {id}, which has no tp_emis"),
            _ => format!("{field} is {id}, which has tp_emis: it authorizes in contingency only"),
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
    fontes: &BTreeMap<String, Arc<Fonte>>,
) -> Option<PerfilTls> {
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
    let (mut renegociacao, mut nivel, mut cifras) = (false, NIVEL_PADRAO, Vec::new());
    let (mut raiz, mut evidencia, mut fonte, mut verificado) = (None, None, None, None);
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "renegociacao" => renegociacao = reader.flag("renegociacao", value).unwrap_or(false),
            "nivel_seguranca" => {
                nivel = small(reader, "nivel_seguranca", value, 0, 5).unwrap_or(nivel);
            }
            "cifras" => cifras = cifras_de(reader, value),
            "raiz" => {
                raiz = word(
                    reader,
                    "raiz",
                    value,
                    &[("icp_brasil", Raiz::IcpBrasil), ("publica", Raiz::Publica)],
                )
            }
            "evidencia" => {
                evidencia = word(
                    reader,
                    "evidencia",
                    value,
                    &[
                        ("sonda", EvidenciaTls::Sonda),
                        ("provavel", EvidenciaTls::Provavel),
                        ("verificado", EvidenciaTls::Verificado),
                    ],
                )
            }
            "fonte" => fonte = source(reader, value, fontes),
            "verificado" => verificado = reader.date("verificado", value),
            other => reader.unknown(key.span().start, other, TLS),
        }
    }
    let (Some(raiz), Some(evidencia), Some(fonte)) = (raiz, evidencia, fonte) else {
        let what = format!("host \"{host}\"");
        reader.require(entry.at, &what, table, &["raiz", "evidencia", "fonte"]);
        return None;
    };
    Some(PerfilTls {
        host: host.to_owned(),
        renegociacao,
        nivel_seguranca: nivel,
        cifras,
        raiz,
        evidencia,
        verificado: verificado.unwrap_or(fonte.data),
        fonte,
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
fn cifras_de(reader: &mut Reader, value: &Value<'_>) -> Vec<String> {
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
