//! Files that are given back: the lines that are to be corrected, and what
//! became of all of them.

use super::batch::{kept, kept_faults};
use super::columns::{Columns, TO_CORRECT, template};
use super::state::{Standing, standing};
use crate::pages::issue::inputs::KINDS;
use crate::reply::{CSV, attached};
use axum::response::Response;
use base::when;
use objects::sheet::written;
use objects::workbook;
use std::io;
use store::tables::lotes::{LoteLineRow, LoteNotaStatus, LoteRow};

const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// A CSV as a download.
fn file(name: &str, lines: &[Vec<String>]) -> Response {
    attached(CSV, name, written(lines))
}

/// The file that is offered to be filled in, `nfe.csv` or `nfe.xlsx`; None for another name.
///
/// # Errors
/// It could not be written.
pub fn model(name: &str) -> io::Result<Option<Response>> {
    let Some((kind, form)) = name.split_once('.') else {
        return Ok(None);
    };
    if KINDS.iter().all(|(known, _)| *known != kind) {
        return Ok(None);
    }
    let lines = template(kind);
    Ok(match form {
        "csv" => Some(file(&format!("modelo-{kind}.csv"), &lines)),
        "xlsx" => {
            let name = format!("modelo-{kind}.xlsx");
            Some(attached(XLSX, &name, workbook::written(&lines)?))
        }
        _ => None,
    })
}

/// The titles of a batch's file.
pub fn titles(batch: &LoteRow) -> Vec<String> {
    serde_json::from_str(&batch.colunas).unwrap_or_default()
}

/// The kind of note of a batch, as the form names it.
pub fn kind(batch: &LoteRow) -> &'static str {
    crate::pages::issue::body::path(batch.modelo)
}

/// What a file of a batch is called: by its kind of note and the minute it was sent, as
/// `lote-nfe-2026-11-03-14h05-resultado.csv`.
fn file_name(batch: &LoteRow, what: &str) -> String {
    let sent = when::local(batch.created_at_ms, "DF");
    format!(
        "lote-{}-{}-{:02}h{:02}-{what}.csv",
        kind(batch),
        sent.date(),
        sent.hour(),
        sent.minute()
    )
}

/// The lines that are to be corrected, as they came, with why.
pub fn to_correct(batch: &LoteRow, rows: &[LoteLineRow]) -> Response {
    let mut head = titles(batch);
    let own = without(&mut head);
    head.push(TO_CORRECT.to_owned());
    let width = head.len() - 1;
    let mut lines = vec![head];
    for row in rows.iter().filter(|row| {
        matches!(row.status, LoteNotaStatus::Wrong | LoteNotaStatus::Refused)
            || standing(row) == Standing::Refused
    }) {
        for (_, mut cells, said) in lines_of(row, &own, width) {
            cells.push(said);
            lines.push(cells);
        }
    }
    file(&file_name(batch, "corrigir"), &lines)
}

/// What became of every line.
pub fn all(batch: &LoteRow, rows: &[LoteLineRow]) -> Response {
    let mut head = titles(batch);
    let own = without(&mut head);
    let width = head.len();
    head.extend(
        [
            "Linha",
            "Situação",
            "Número da nota",
            "Chave",
            "Identificador",
            TO_CORRECT,
        ]
        .map(str::to_owned),
    );
    let mut lines = vec![head];
    for row in rows {
        for (line, mut cells, said) in lines_of(row, &own, width) {
            cells.extend([
                line.to_string(),
                standing(row).words().to_owned(),
                number(row),
                row.chave.clone(),
                row.nota_id.as_str().to_owned(),
                said,
            ]);
            lines.push(cells);
        }
    }
    file(&file_name(batch, "resultado"), &lines)
}

/// The lines of a note, each with its number, its cells without the columns of ours, and what
/// is to be corrected there.
fn lines_of(row: &LoteLineRow, own: &[usize], width: usize) -> Vec<(i64, Vec<String>, String)> {
    let group = kept(&row.celulas);
    let faults = kept_faults(&row.erros);
    let line = |(number, cells): (i64, Vec<String>)| {
        let of_line = faults.iter().filter(|fault| fault.line == number);
        let said: Vec<String> = of_line
            .map(|fault| sentence(&fault.column, &fault.sentence))
            .collect();
        (number, only(cells, own, width), said.join(" | "))
    };
    group
        .numbers
        .into_iter()
        .zip(group.lines)
        .map(line)
        .collect()
}

/// The number people know a note by; empty while it has none.
pub fn number(row: &LoteLineRow) -> String {
    numbered(&row.numero_nfse, row.numero)
}

/// As [`number`]: the number a city gave, or that of the series.
pub fn numbered(of_city: &str, number: i64) -> String {
    match (of_city, number) {
        ("", 0) => String::new(),
        ("", number) => number.to_string(),
        (number, _) => number.to_owned(),
    }
}

fn sentence(column: &str, sentence: &str) -> String {
    if column.is_empty() {
        sentence.to_owned()
    } else {
        format!("{column}: {sentence}")
    }
}

/// Takes the columns away that an earlier file of ours had; which stay.
fn without(titles: &mut Vec<String>) -> Vec<usize> {
    let own = |title: &String| !Columns::is_added(title);
    let kept: Vec<usize> = titles
        .iter()
        .enumerate()
        .filter(|(_, title)| own(title))
        .map(|(at, _)| at)
        .collect();
    titles.retain(own);
    kept
}

/// Those cells of a line.
fn only(cells: Vec<String>, kept: &[usize], width: usize) -> Vec<String> {
    let mut out: Vec<String> = kept
        .iter()
        .map(|at| cells.get(*at).cloned().unwrap_or_default())
        .collect();
    out.resize(width, String::new());
    out
}
