//! The nomenclature as the Portal Único Siscomex publishes it: one JSON with the codes
//! in force, chapter to item.

use super::fields::{brazilian, day, digits, told};
use super::item;
use crate::ImportError;
use crate::files::text;
use crate::formats::{Item, Label, Options, Sink};
use crate::report::Report;
use serde::Deserialize;
use serde_json::Value;

/// The first day of the edition that is built in: its rows leave it out.
const FIRST_DAY: &str = "2022-04-01";
/// Longest tag in a description: they are `<i>` and `</i>`.
const MOST_TAG: usize = 16;

#[derive(Deserialize)]
struct Document {
    /// `Vigente em 13/08/2026`.
    #[serde(rename = "Data_Ultima_Atualizacao_NCM", default)]
    updated: String,
    #[serde(rename = "Nomenclaturas")]
    codes: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Code {
    codigo: String,
    descricao: String,
    #[serde(rename = "Data_Inicio", default)]
    from: String,
    #[serde(rename = "Data_Fim", default)]
    until: String,
}

/// Reads the JSON; the number of a wrong line is the place among the codes, from 1.
pub(super) fn read(
    file: &str,
    bytes: &[u8],
    options: &Options,
    report: &mut Report,
    sink: &mut dyn Sink,
) -> Result<(), ImportError> {
    let refused = |why: String| ImportError::of(file, why);
    let text = text(bytes).map_err(refused)?;
    let text = text.trim_start_matches('\u{feff}');
    let document: Document = serde_json::from_str(text).map_err(|error| {
        let why = match error.is_eof() {
            true => "ends early",
            false => "is not the JSON of the Siscomex",
        };
        refused(format!("{why}: {error}"))
    })?;
    let said = document.updated.split_whitespace().find_map(brazilian);
    let version = match (&options.date, said) {
        (Some(date), _) => date.clone(),
        (None, Some(date)) => date.to_string(),
        (None, None) => {
            let why = "does not say its day in Data_Ultima_Atualizacao_NCM: add --date AAAA-MM-DD";
            return Err(refused(why.to_owned()));
        }
    };
    sink.begin(file, "")?;
    for (code, number) in document.codes.into_iter().zip(1_u64..) {
        report.lines += 1;
        if let Err(reason) = row(code).and_then(|item| sink.item(item)) {
            report.problem(file, number, reason);
        }
    }
    sink.end(Label {
        version,
        ..Label::default()
    })
}

fn row(code: Value) -> Result<Item, String> {
    let code: Code = serde_json::from_value(code).map_err(|error| error.to_string())?;
    let plain: String = code.codigo.chars().filter(|c| *c != '.').collect();
    if !(2..=8).contains(&plain.len()) || digits("Codigo", &plain, plain.len()).is_err() {
        return Err("Codigo has not 2 to 8 digits".to_owned());
    }
    let description = told("Descricao", &without_tags(&code.descricao))?;
    let description = description.trim_start_matches(['-', ' ']);
    let description = description.trim_end_matches(['.', ' ']);
    if description.is_empty() {
        return Err("Descricao is empty".to_owned());
    }
    let mut from = day("Data_Inicio", code.from.trim())?;
    let until = day("Data_Fim", code.until.trim())?;
    if !until.is_empty() && until < from {
        return Err("Data_Fim is before Data_Inicio".to_owned());
    }
    if from == FIRST_DAY {
        from.clear();
    }
    // The file has no units: those of before stay.
    let unit = data::ncm::get(&plain).and_then(|row| row.taxable_unit);
    let unit = unit.unwrap_or_default().to_owned();
    item("ncm", &[plain, unit, from, until, description.to_owned()])
}

/// A text without its tags: names of species are in italics.
fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        plain.push_str(before);
        let tag = after.split_once('>').filter(|(name, _)| {
            let name = name.trim_matches(['/', ' ']);
            (1..=MOST_TAG).contains(&name.len())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        match tag {
            Some((_, behind)) => rest = behind,
            None => {
                plain.push('<');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain
}
