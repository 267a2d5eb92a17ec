//! The short sections: header, sources, adapters, rules and disagreements.

use std::collections::BTreeMap;
use std::sync::Arc;

use time::Date;
use toml::de::DeTable;

use super::super::model::{Adapter, Conflito, Fonte, MudancaPresumida, Regime, Regra, System};
use super::reader::{Reader, Value};
use super::{Names, entries, options};

/// Version of the file's form.
const VERSION: i64 = 1;

/// `[registro]`.
pub(super) struct Header {
    pub(super) verificado: Date,
    pub(super) emissor_nacional_fonte: Arc<Fonte>,
    pub(super) mudanca_presumida: MudancaPresumida,
}

const REGISTRO: &str = "versao, verificado, emissor_nacional_fonte, mudanca_presumida, \
                        mudanca_presumida_fonte";

pub(super) fn registro(reader: &mut Reader, root: &DeTable<'_>, names: &Names) -> Option<Header> {
    let Some(value) = root.get("registro") else {
        reader.error(0, "the file lacks [registro]".to_owned());
        return None;
    };
    let table = reader.table("registro", value)?;
    let at = value.span().start;
    let (mut versao, mut verificado, mut lista, mut em, mut fonte) = (None, None, None, None, None);
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "versao" => {
                versao = reader.integer("versao", value);
                if versao.is_some_and(|versao| versao != VERSION) {
                    reader.wrong("versao", value, "1");
                }
            }
            "verificado" => verificado = reader.date("verificado", value),
            "emissor_nacional_fonte" => lista = source(reader, value, &names.fontes),
            "mudanca_presumida" => em = reader.date("mudanca_presumida", value),
            "mudanca_presumida_fonte" => fonte = source(reader, value, &names.fontes),
            other => reader.unknown(key.span().start, other, REGISTRO),
        }
    }
    let (Some(_), Some(verificado), Some(emissor_nacional_fonte), Some(em), Some(fonte)) =
        (versao, verificado, lista, em, fonte)
    else {
        let fields: Vec<&str> = REGISTRO.split(", ").collect();
        reader.require(at, "[registro]", table, &fields);
        return None;
    };
    let mudanca_presumida = MudancaPresumida { em, fonte };
    Some(Header {
        verificado,
        emissor_nacional_fonte,
        mudanca_presumida,
    })
}

/// `[fontes.<id>]`.
pub(super) fn fontes(reader: &mut Reader, root: &DeTable<'_>) -> BTreeMap<String, Arc<Fonte>> {
    let mut fontes = BTreeMap::new();
    for entry in entries(reader, root, "fontes") {
        let Some(table) = reader.table(entry.name, entry.value) else {
            continue;
        };
        let (mut nome, mut data, mut segunda_mao) = (None, None, false);
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "nome" => nome = reader.text("nome", value),
                "data" => data = reader.date("data", value),
                "segunda_mao" => segunda_mao = reader.flag("segunda_mao", value).unwrap_or(false),
                other => reader.unknown(key.span().start, other, "nome, data, segunda_mao"),
            }
        }
        let (Some(nome), Some(data)) = (nome, data) else {
            let what = format!("source \"{}\"", entry.name);
            reader.require(entry.at, &what, table, &["nome", "data"]);
            reader.spoil("fonte", entry.name);
            continue;
        };
        let id = entry.name.to_owned();
        fontes.insert(
            id.clone(),
            Arc::new(Fonte {
                id,
                nome,
                data,
                segunda_mao,
            }),
        );
    }
    fontes
}

/// A reference to a source.
pub(super) fn source(
    reader: &mut Reader,
    value: &Value<'_>,
    fontes: &BTreeMap<String, Arc<Fonte>>,
) -> Option<Arc<Fonte>> {
    let id = reader.text("fonte", value)?;
    let found = fontes.get(&id).cloned();
    if found.is_none() && !reader.is_spoiled("fonte", &id) {
        let known: Vec<&str> = fontes.keys().map(String::as_str).collect();
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
        let (mut componente, mut endpoints, mut specs) = (None, Vec::new(), BTreeMap::new());
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "componente" => componente = reader.text("componente", value),
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
        let Some(componente) = componente else {
            let what = format!("adapter \"{}\"", entry.name);
            reader.require(entry.at, &what, table, &["componente"]);
            reader.spoil("adapter", entry.name);
            continue;
        };
        let nome = entry.name.to_owned();
        adapters.insert(
            nome.clone(),
            Adapter {
                nome,
                componente,
                endpoints,
                options: specs,
            },
        );
    }
    adapters
}

/// `[conflitos.<id>]`.
pub(super) fn conflitos(
    reader: &mut Reader,
    root: &DeTable<'_>,
    fontes: &BTreeMap<String, Arc<Fonte>>,
) -> BTreeMap<String, Arc<Conflito>> {
    let mut conflitos = BTreeMap::new();
    for entry in entries(reader, root, "conflitos") {
        let Some(table) = reader.table(entry.name, entry.value) else {
            continue;
        };
        let (mut motivo, mut said_by) = (None, Vec::new());
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "motivo" => motivo = reader.text("motivo", value),
                "fontes" => {
                    for item in reader.one_or_many("fontes", value) {
                        said_by.extend(source(reader, item, fontes));
                    }
                }
                other => reader.unknown(key.span().start, other, "motivo, fontes"),
            }
        }
        let Some(motivo) = motivo else {
            let what = format!("conflict \"{}\"", entry.name);
            reader.require(entry.at, &what, table, &["motivo"]);
            reader.spoil("conflito", entry.name);
            continue;
        };
        let id = entry.name.to_owned();
        conflitos.insert(
            id.clone(),
            Arc::new(Conflito {
                id,
                motivo,
                fontes: said_by,
            }),
        );
    }
    conflitos
}

const REGRA: &str = "regimes, sistema, de, ate, admite_municipal, motivo, fonte";

/// `[regras.<id>]`.
pub(super) fn regras(
    reader: &mut Reader,
    root: &DeTable<'_>,
    systems: &BTreeMap<String, Arc<System>>,
    names: &Names,
) -> Vec<Regra> {
    let mut regras = Vec::new();
    for entry in entries(reader, root, "regras") {
        let Some(table) = reader.table(entry.name, entry.value) else {
            continue;
        };
        let (mut alvo, mut quem, mut de, mut ate) = (None, Vec::new(), None, None);
        let (mut admite_municipal, mut motivo, mut fonte) = (false, None, None);
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "regimes" => quem = regimes(reader, value),
                "sistema" => alvo = system(reader, value, systems),
                "de" => de = reader.date("de", value),
                "ate" => ate = reader.date("ate", value),
                "admite_municipal" => {
                    admite_municipal = reader.flag("admite_municipal", value).unwrap_or(false);
                }
                "motivo" => motivo = reader.text("motivo", value),
                "fonte" => fonte = source(reader, value, &names.fontes),
                other => reader.unknown(key.span().start, other, REGRA),
            }
        }
        let (Some(system), Some(de), Some(motivo), Some(fonte), false) =
            (alvo, de, motivo, fonte, quem.is_empty())
        else {
            let what = format!("rule \"{}\"", entry.name);
            let fields = ["regimes", "sistema", "de", "motivo", "fonte"];
            reader.require(entry.at, &what, table, &fields);
            continue;
        };
        let id = entry.name.to_owned();
        regras.push(Regra {
            id,
            regimes: quem,
            system,
            de,
            ate,
            admite_municipal,
            motivo,
            fonte,
        });
    }
    // The newest rule decides where two are in force.
    regras.sort_by_key(|regra| std::cmp::Reverse(regra.de));
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
