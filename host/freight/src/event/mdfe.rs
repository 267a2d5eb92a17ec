//! Events of an MDF-e.

use super::kinds::search;
use super::{Described, described};
use crate::places::{ABROAD, place};
use fiscal::nfe::event::Family;
use markup::field::{Field, Fields};
use markup::ids::chave::Chave;
use markup::ids::{Cpf, Takes};
use serde_json::json;
use time::Date;
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;

/// `AAAA-MM-DD`.
const DAY: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");
/// Code of the state that stands for any place abroad (`TCodUfIBGE_EX`).
const ABROAD_UF: &str = "99";

/// Where and when the transport ended.
#[derive(Clone, Copy, Debug)]
pub struct Closing<'a> {
    /// `EX` abroad.
    pub uf: &'a str,
    /// 9999999 abroad.
    pub codigo_ibge: &'a str,
    /// `AAAA-MM-DD`; today if absent.
    pub data: Option<&'a str>,
}

/// NF-e that are added to an MDF-e.
#[derive(Clone, Copy, Debug)]
pub struct Inclusion<'a> {
    pub loading: &'a str,
    pub unloading: &'a str,
    pub chaves: &'a [String],
}

/// Kind and fields of a cancellation (110111). `protocol` is that of the
/// authorization.
///
/// # Errors
/// The justification has not 15 to 255 characters.
pub fn cancel_mdfe(protocol: &str, justification: &str) -> Result<Described, Vec<Field>> {
    let kind = search(Family::Mdfe, "110111").ok_or_else(Vec::new)?;
    let data = json!({ "protocolo": protocol, "justificativa": justification });
    described(kind, data, Fields::default(), str::to_owned)
}

/// Kind and fields of the closing (110112). `today` is the day in the state of
/// the emitter.
///
/// # Errors
/// The place does not exist, the day is no day or has not come.
pub fn close(protocol: &str, closing: &Closing<'_>, today: Date) -> Result<Described, Vec<Field>> {
    let mut wrong = Fields::default();
    let kind = search(Family::Mdfe, "110112").ok_or_else(Vec::new)?;
    let uf = closing.uf.trim().to_ascii_uppercase();
    let code = match uf.as_str() {
        "EX" => ABROAD_UF.to_owned(),
        uf => match data::ufs::by_uf(uf) {
            Some(uf) => format!("{:02}", uf.codigo),
            None => {
                wrong.add(
                    "uf",
                    "uf_invalida",
                    "Não há UF com essa sigla.",
                    "Informe a sigla da UF onde o transporte terminou; no exterior, EX.",
                );
                String::new()
            }
        },
    };
    match place(Some(closing.codigo_ibge)) {
        None => unknown(&mut wrong, "codigo_ibge"),
        Some(place) if wrong.0.is_empty() && place.uf != uf => wrong.add(
            "uf",
            "uf_incompativel",
            format!("O município é de {}.", place.uf),
            "Corrija a UF ou o código IBGE.",
        ),
        Some(_) => {}
    }
    let day = match closing.data.map(str::trim) {
        None | Some("") => today.format(DAY).unwrap_or_default(),
        Some(day) => day.to_owned(),
    };
    if Date::parse(&day, DAY).is_ok_and(|day| day > today) {
        wrong.add(
            "data",
            "data_futura",
            "O dia do encerramento ainda não chegou.",
            "Informe o dia em que o transporte terminou.",
        );
    }
    let data = json!({
        "protocolo": protocol, "data": day, "uf": code, "codigo_ibge": closing.codigo_ibge.trim(),
    });
    described(kind, data, wrong, str::to_owned)
}

/// Kind and fields of an added driver (110114).
///
/// # Errors
/// The name is too short or too long, the CPF is none.
pub fn add_driver(name: &str, cpf: &str) -> Result<Described, Vec<Field>> {
    let mut wrong = Fields::default();
    let kind = search(Family::Mdfe, "110114").ok_or_else(Vec::new)?;
    let digits = match Cpf::parse(cpf) {
        Ok(cpf) => cpf.as_str().to_owned(),
        Err(_) => {
            wrong.add_number("cpf", Takes::Cpf, cpf);
            String::new()
        }
    };
    let data = json!({ "condutor": { "nome": name, "cpf": digits } });
    described(kind, data, wrong, |inside| {
        inside
            .strip_prefix("condutor.")
            .unwrap_or(inside)
            .to_owned()
    })
}

/// Kind and fields of added NF-e (110115). `protocol` is that of the
/// authorization.
///
/// # Errors
/// A place does not exist, a key is none of an NF-e or came twice.
pub fn add_documents(protocol: &str, inclusion: &Inclusion<'_>) -> Result<Described, Vec<Field>> {
    let mut wrong = Fields::default();
    let kind = search(Family::Mdfe, "110115").ok_or_else(Vec::new)?;
    let mut named = |field: &str, code: &str| match place(Some(code)) {
        Some(place) if code.trim() != ABROAD => place.name,
        _ => {
            unknown(&mut wrong, field);
            ""
        }
    };
    let loading = named("codigo_ibge_carregamento", inclusion.loading);
    let unloading = named("codigo_ibge_descarga", inclusion.unloading);
    let mut seen = std::collections::BTreeSet::new();
    for (position, key) in inclusion.chaves.iter().enumerate() {
        let place = format!("chaves[{position}]");
        let chave = Chave::parse(key).ok().filter(|chave| chave.model() == 55);
        match chave {
            None => wrong.add(
                place,
                "chave_invalida",
                "A chave de acesso não existe, ou não é de uma NF-e.",
                "Confira as 44 posições da chave.",
            ),
            Some(chave) if !seen.insert(chave.to_string()) => wrong.add(
                place,
                "chave_repetida",
                "A mesma NF-e foi informada mais de uma vez.",
                "Retire a repetição.",
            ),
            Some(_) => {}
        }
    }
    let city = inclusion.unloading.trim();
    let documents: Vec<_> = inclusion
        .chaves
        .iter()
        .map(|key| {
            json!({ "codigo_ibge_descarga": city, "cidade_descarga": unloading, "chave": key })
        })
        .collect();
    let data = json!({
        "protocolo": protocol,
        "codigo_ibge_carregamento": inclusion.loading.trim(),
        "cidade_carregamento": loading,
        "documentos": documents,
    });
    described(kind, data, wrong, in_inclusion)
}

/// `documentos[2].chave` is `chaves[2]` in the request; the rest of an entry is
/// said once there.
fn in_inclusion(inside: &str) -> String {
    let Some(entry) = inside.strip_prefix("documentos[") else {
        return match inside {
            "documentos" => "chaves",
            "cidade_carregamento" => "codigo_ibge_carregamento",
            other => other,
        }
        .to_owned();
    };
    match entry.split_once("].") {
        Some((position, "chave")) => format!("chaves[{position}]"),
        _ => "codigo_ibge_descarga".to_owned(),
    }
}

fn unknown(wrong: &mut Fields, field: &str) {
    wrong.add(
        field,
        "municipio_inexistente",
        "Não há município com esse código IBGE.",
        "Confira o código em GET /api/v1/municipios.",
    );
}
