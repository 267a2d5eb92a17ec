//! A file becomes a batch: each note of it is judged by the engine, and nothing
//! is sent.

use super::columns::{Columns, NOTE, title_of};
use crate::form::Fields;
use crate::pages::issue::body::lines;
use crate::pages::issue::city::Cities;
use crate::pages::issue::inputs::{FORMS, ITEM, ITEM_MORE};
use crate::pages::issue::judge::{Judged, judge};
use crate::pages::issue::register;
use crate::pages::issue::rows::{named, plain};
use crate::pages::issue::wrong::{Refused, Wrong};
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use flow::registry::fold;
use objects::sheet::{is_error, is_moment};
use rust_decimal::prelude::ToPrimitive as _;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use store::tables::lotes::{LoteNotaRow, LoteNotaStatus};

/// Most characters of a cell that a sentence shows.
const SHOWN_CHARS: usize = 40;

/// What is told of a line that a comma without quotes may have shifted.
const LONG: &str = "A linha tem mais células que títulos. Num CSV separado por vírgulas, ponha entre aspas os valores com vírgula, como \"118,90\"; se não há nenhum, tire as vírgulas a mais do fim da linha.";

/// What stands in the last cell of such a line in the file that is to be corrected.
const CHECK: &str = "confira a linha e apague esta célula";

/// Fields whose text may be a day.
const FREE: &[&str] = &[NOTE, "descricao", "complemento", "informacoes"];

/// Something to correct in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Line of the file, as spreadsheets count.
    pub line: i64,
    /// Title of the column; empty: the whole note.
    pub column: String,
    pub sentence: String,
}

/// The lines of a file that are one note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Numbers of the lines, as spreadsheets count.
    pub numbers: Vec<i64>,
    pub lines: Vec<Vec<String>>,
}

/// Lines by the note they belong to: those with the same text in the column
/// `Nota`, and each of the others alone.
pub fn groups(columns: &Columns, lines: Vec<Vec<String>>) -> Vec<Group> {
    let mut groups: Vec<(String, Group)> = Vec::new();
    for (line, number) in lines.into_iter().zip(2..) {
        if line.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        let note = columns.get(&line, NOTE).to_owned();
        let known = groups
            .iter_mut()
            .find(|(name, _)| !note.is_empty() && *name == note);
        match known {
            Some((_, group)) => {
                group.numbers.push(number);
                group.lines.push(line);
            }
            None => groups.push((
                note,
                Group {
                    numbers: vec![number],
                    lines: vec![line],
                },
            )),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Lines of one note that say different things where a note has only one.
pub fn contradictions(columns: &Columns, group: &Group) -> Vec<Fault> {
    let first = group.lines.first().map_or(&[][..], Vec::as_slice);
    let mut found = Vec::new();
    for (line, number) in group.lines.iter().zip(&group.numbers).skip(1) {
        for field in columns.fields() {
            let once = field != NOTE && !is_of_item(field);
            let said = columns.get(line, field);
            if once && !said.is_empty() && fold(said) != fold(columns.get(first, field)) {
                found.push(Fault {
                    line: *number,
                    column: title_of(field).to_owned(),
                    sentence: "É diferente da primeira linha desta nota. Deixe igual ou vazio, ou mude o texto da coluna Nota.".to_owned(),
                });
            }
        }
    }
    found
}

/// Cells that nothing is read of, though somebody wrote there: `1500,50` where the comma parts
/// the cells, or a cell beside a title that spans two columns.
pub fn lost(columns: &Columns, group: &Group) -> Vec<Fault> {
    let lines = group.lines.iter().zip(&group.numbers);
    let fault = |(line, number): (&Vec<String>, &i64)| {
        let sentence = match columns.untitled(line) {
            Some(cell) => {
                let cell: String = cell.chars().take(SHOWN_CHARS).collect();
                format!(
                    "\"{cell}\" está numa coluna sem título. Dê um título à coluna ou esvazie a célula. Num CSV separado por vírgulas, ponha entre aspas os valores com vírgula."
                )
            }
            None if columns.is_long(line) => LONG.to_owned(),
            None => return None,
        };
        Some(Fault {
            line: *number,
            column: String::new(),
            sentence,
        })
    };
    lines.filter_map(fault).collect()
}

/// The lines as they are kept, and given back to be corrected: with semicolons, where an empty
/// last cell says nothing any more, a text there keeps a line from passing as it is.
fn marked(columns: &Columns, group: &Group) -> Vec<Vec<String>> {
    let mut lines = group.lines.clone();
    for line in &mut lines {
        if columns.is_long(line)
            && columns.untitled(line).is_none()
            && let Some(last) = line.last_mut()
        {
            *last = CHECK.to_owned();
        }
    }
    lines
}

/// Cells whose text a spreadsheet made: an error of a formula, or the day it took `10/2` for.
pub fn made(columns: &Columns, group: &Group) -> Vec<Fault> {
    let mut found = Vec::new();
    for (line, number) in group.lines.iter().zip(&group.numbers) {
        for field in columns.fields() {
            let cell = columns.get(line, field);
            let sentence = if is_error(cell) {
                format!("A célula tem um erro da planilha ({cell}): escreva o valor.")
            } else if is_moment(cell) && !FREE.contains(&field) {
                format!(
                    "A planilha fez da célula uma data ({cell}): formate-a como texto e escreva de novo."
                )
            } else {
                continue;
            };
            found.push(Fault {
                line: *number,
                column: title_of(field).to_owned(),
                sentence,
            });
        }
    }
    found
}

fn is_of_item(field: &str) -> bool {
    ITEM.iter()
        .chain(ITEM_MORE)
        .any(|input| input.name == field)
}

/// The issuing form of a note of a file.
pub fn fields(columns: &Columns, group: &Group, kind: &str, company: &str) -> Fields {
    let mut fields = Fields::default();
    fields.set("tipo", kind);
    fields.set("emitente", company);
    let first = group.lines.first().map_or(&[][..], Vec::as_slice);
    for field in columns.fields().filter(|field| *field != NOTE) {
        if is_of_item(field) {
            for (line, row) in group.lines.iter().zip(1..) {
                fields.set(&named(field, row), full(field, columns.get(line, field)));
            }
        } else if field == "forma" {
            fields.set(field, form(columns.get(first, field)));
        } else {
            fields.set(field, full(field, columns.get(first, field)));
        }
    }
    fields
}

/// The API's word of a means of payment that a file names; what nobody knows as
/// it is.
fn form(text: &str) -> &str {
    let wanted = fold(text);
    let found = FORMS
        .iter()
        .find(|(name, word)| fold(name) == wanted || fold(word) == wanted);
    found.map_or(text, |(name, _)| name)
}

/// A code with the zeros that spreadsheets take from the beginning of numbers; a rate, which is
/// in percent, without the sign.
fn full(field: &str, text: &str) -> String {
    let text = match text.strip_suffix('%') {
        Some(rate) if field == "aliquota" => rate.trim_end(),
        _ => text,
    };
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let length = match (field, text.len()) {
        _ if !digits => 0,
        ("documento", 9..=10) => 11,
        ("documento", 12..=13) => 14,
        ("cep" | "ncm", 7) => 8,
        ("cest", 6) => 7,
        ("servico", 5) => 6,
        _ => 0,
    };
    format!("{text:0>length$}")
}

/// What a refusal says of the lines of a note.
pub fn faults(group: &Group, refused: &Refused) -> Vec<Fault> {
    let first = group.numbers.first().copied().unwrap_or_default();
    let of_field = refused.wrong.iter().map(|wrong| {
        let (name, row) = plain(&wrong.field);
        let row = if is_of_item(name) { row } else { 1 };
        let line = group.numbers.get(row.saturating_sub(1));
        Fault {
            line: line.copied().unwrap_or(first),
            column: title_of(if name == "pago" { "forma" } else { name }).to_owned(),
            sentence: wrong.sentence.clone(),
        }
    });
    let said = refused.said.iter().map(|said| Fault {
        line: first,
        column: String::new(),
        sentence: said.sentence.clone(),
    });
    of_field.chain(said).collect()
}

/// A note of a file, judged.
///
/// # Errors
/// It could not be judged.
pub async fn judged(
    visitor: &Visitor,
    columns: &Columns,
    group: &Group,
    (kind, company): (&str, &str),
    cities: &mut Cities,
) -> Result<(LoteNotaRow, i64), Problem> {
    let mut fields = fields(columns, group, kind, company);
    if kind != "nfse" {
        register::complete(visitor, &mut fields).await?;
    }
    let mut row = LoteNotaRow {
        linha: group.numbers.first().copied().unwrap_or_default(),
        celulas: serde_json::to_string(&(&group.numbers, marked(columns, group)))
            .map_err(anyhow::Error::from)?,
        destinatario: fields.get("nome").to_owned(),
        ..LoteNotaRow::default()
    };
    let unknown_form = kind != "nfse" && FORMS.iter().all(|(name, _)| *name != fields.get("forma"));
    let judged = Box::pin(judge(visitor, &fields, cities)).await?;
    let mut price = 0;
    let mut found = match judged {
        Ok(judged) => {
            let cents = (judged.total * rust_decimal::Decimal::ONE_HUNDRED).round();
            row.valor_centavos = cents.to_i64().unwrap_or_default();
            row.corpo = judged.body.to_string();
            row.digest = digest(visitor.live(), (kind, company), &judged);
            row.status = LoteNotaStatus::Ready;
            price = judged.price;
            // A price of 0,000000001 is above zero, but there is nothing to pay.
            let items = lines(&fields).0.into_iter();
            let free = items.filter(|item| item.gross().is_zero());
            let said = "O item fica em R$ 0,00.";
            let wrong = free.map(|item| Wrong::at(&named("valor", item.row), said));
            faults(group, &Refused::of_form(wrong.collect()))
        }
        Err(mut refused) => {
            refused
                .wrong
                .retain(|wrong| !(unknown_form && wrong.field.starts_with("forma")));
            faults(group, &refused)
        }
    };
    if unknown_form {
        let wrong = Wrong {
            field: "forma".to_owned(),
            sentence: format!("Escreva uma destas: {}.", words()),
        };
        found.extend(faults(group, &Refused::of_form(vec![wrong])));
    }
    found.extend(contradictions(columns, group));
    let made = made(columns, group);
    let place = |fault: &Fault| (fault.line, fault.column.clone());
    found.retain(|one| made.iter().all(|cell| place(cell) != place(one)));
    found.extend(made);
    found.extend(lost(columns, group));
    if !found.is_empty() {
        row.status = LoteNotaStatus::Wrong;
        row.corpo.clear();
        row.digest.clear();
    }
    row.erros = serde_json::to_string(&found).map_err(anyhow::Error::from)?;
    Ok((row, price))
}

/// SHA-256 of all that makes a note what it is: notes that say the same in the
/// same environment have the same one.
fn digest(live: bool, (kind, company): (&str, &str), judged: &Judged) -> String {
    let simulated = judged.price == 0;
    let place = text(&judged.record, "ambiente");
    let said = json!([live, place, simulated, kind, company, judged.body]);
    flow::hex(&Sha256::digest(said.to_string()))
}

/// The means of payment by their words.
fn words() -> String {
    let words: Vec<&str> = FORMS.iter().map(|(_, word)| *word).collect();
    words.join(", ")
}

/// Lines and cells of a note as they are kept.
pub fn kept(cells: &str) -> Group {
    let (numbers, lines) = serde_json::from_str(cells).unwrap_or_default();
    Group { numbers, lines }
}

/// What is wrong with a note, as it is kept.
pub fn kept_faults(faults: &str) -> Vec<Fault> {
    serde_json::from_str(faults).unwrap_or_default()
}
