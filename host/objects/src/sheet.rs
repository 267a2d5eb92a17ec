//! Files of lines and cells: CSV as spreadsheets write it, and XLSX.

use crate::workbook;
use encoding_rs::WINDOWS_1252;

/// Most lines of a file below its titles.
pub const LINES: usize = 500;
/// Most columns.
const COLUMNS: usize = 60;
/// Most characters of a cell.
const CELL_CHARS: usize = 2_000;
/// Errors of formulas, in English, in which XLSX keeps them, and in Portuguese.
const ERRORS: &[&str] = &[
    "#N/A",
    "#N/D",
    "#N/DISP",
    "#REF!",
    "#VALUE!",
    "#VALOR!",
    "#NAME?",
    "#NOME?",
    "#DIV/0!",
    "#NUM!",
    "#NÚM!",
    "#NULL!",
    "#NULO!",
    "#SPILL!",
    "#DESPEJAR!",
    "#CALC!",
    "#ERROR!",
    "#ERRO!",
];
/// What spreadsheets write first into a CSV that is in UTF-8.
const MARK: &str = "\u{feff}";

/// The lines of a file; the first has the titles.
///
/// # Errors
/// Why it cannot be read, for people.
pub fn read(name: &str, bytes: &[u8]) -> Result<Vec<Vec<String>>, String> {
    if bytes.is_empty() {
        return Err("Escolha um arquivo CSV ou XLSX.".to_owned());
    }
    let lines = if bytes.starts_with(b"PK") {
        workbook::lines(bytes)?
    } else if bytes.starts_with(b"\xd0\xcf\x11\xe0") {
        return Err(
            "Este é um arquivo do Excel antigo (.xls). Salve como .xlsx ou CSV.".to_owned(),
        );
    } else if name.to_lowercase().ends_with(".pdf") || bytes.starts_with(b"%PDF") {
        return Err("Este é um PDF. Envie um arquivo CSV ou XLSX.".to_owned());
    } else {
        csv(bytes)?
    };
    bounded(lines)
}

/// Without empty lines at the end, and not larger than can be worked at.
fn bounded(mut lines: Vec<Vec<String>>) -> Result<Vec<Vec<String>>, String> {
    let blank = |line: &Vec<String>| line.iter().all(|cell| cell.trim().is_empty());
    while lines.last().is_some_and(blank) {
        lines.pop();
    }
    if lines.len() < 2 {
        return Err("O arquivo não tem linhas abaixo dos títulos.".to_owned());
    }
    if lines.len() - 1 > LINES {
        return Err(format!(
            "O arquivo tem {} linhas; um lote leva até {LINES}. Divida o arquivo.",
            lines.len() - 1
        ));
    }
    if lines.iter().any(|line| line.len() > COLUMNS) {
        return Err(format!("O arquivo tem mais de {COLUMNS} colunas."));
    }
    let long = |line: &Vec<String>| line.iter().any(|cell| cell.chars().count() > CELL_CHARS);
    if let Some(at) = lines.iter().position(long) {
        return Err(format!(
            "Uma célula da linha {} passa de {CELL_CHARS} letras.",
            at + 1
        ));
    }
    Ok(lines)
}

fn csv(bytes: &[u8]) -> Result<Vec<Vec<String>>, String> {
    // Older spreadsheets write the characters of Windows.
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => WINDOWS_1252.decode(bytes).0.into_owned(),
    };
    let text = text.strip_prefix(MARK).unwrap_or(&text);
    let text = text.replace("\r\n", "\n");
    if text.contains('\0') {
        return Err("O arquivo não é um CSV nem um XLSX.".to_owned());
    }
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator(text.as_bytes()))
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut lines: Vec<Vec<String>> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|_| "O CSV não pôde ser lido: confira as aspas.".to_owned())?;
        // The reader skips empty lines, which spreadsheets count.
        let begin = record.position().map_or(0, csv::Position::byte);
        let begin = usize::try_from(begin).unwrap_or(usize::MAX);
        let skipped = text.bytes().skip(begin);
        let blank = skipped.take_while(|byte| *byte == b'\n').count();
        lines.extend(std::iter::repeat_n(Vec::new(), blank.min(LINES)));
        lines.push(record.iter().map(|cell| bare(cell).to_owned()).collect());
        if lines.len() > 4 * LINES {
            break;
        }
    }
    Ok(lines)
}

/// What parts the cells of a CSV, by its titles.
fn separator(text: &[u8]) -> u8 {
    let titles = text.split(|byte| *byte == b'\n').next();
    let titles = titles.unwrap_or_default();
    let count = |sign: u8| titles.iter().filter(|byte| **byte == sign).count();
    let separators = [b';', b'\t', b','].into_iter();
    let found = separators.max_by_key(|sign| (count(*sign), *sign == b';'));
    found.unwrap_or(b';')
}

/// Whether a file is a CSV whose cells are parted by commas.
pub fn has_commas(file: &[u8]) -> bool {
    !file.starts_with(b"PK") && separator(file) == b','
}

/// Whether a cell shows that a spreadsheet has no value there: `#N/D` of a look-up that found
/// nothing, `Err:502`, or `###` of a column that is too narrow.
pub fn is_error(cell: &str) -> bool {
    let cell = cell.to_uppercase();
    let code = cell
        .strip_prefix("ERR:")
        .or_else(|| cell.strip_prefix("ERRO:"));
    let numbered = |code: &str| !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_digit());
    let narrow = cell.len() > 2 && cell.bytes().all(|byte| byte == b'#');
    narrow || code.is_some_and(numbered) || ERRORS.contains(&cell.as_str())
}

/// Whether a cell is a day, a time, or both, as a workbook's are read.
pub fn is_moment(cell: &str) -> bool {
    let digits = cell
        .chars()
        .map(|sign| if sign.is_ascii_digit() { '0' } else { sign });
    let shape: String = digits.collect();
    ["00/00/0000", "00/00/0000 00:00", "00:00"].contains(&shape.as_str())
}

/// Lines as a CSV that spreadsheets in Brazil open.
pub fn written(lines: &[Vec<String>]) -> Vec<u8> {
    let mut out = String::from(MARK);
    for line in lines {
        let line: Vec<&str> = line.iter().map(String::as_str).collect();
        out.push_str(&cells(&line));
    }
    out.into_bytes()
}

/// A line, parted by semicolons, as spreadsheets in Portuguese read it.
pub fn cells(values: &[&str]) -> String {
    let cells: Vec<String> = values.iter().map(|value| cell(value)).collect();
    format!("{}\r\n", cells.join(";"))
}

/// A value. What begins like a formula is one for a spreadsheet: an apostrophe
/// makes it text. Digits stay as they are. A text with a comma is in quotes, as in RFC 4180,
/// for programs that take the comma for the separator; an amount is not, so that no program
/// takes it for a text.
fn cell(value: &str) -> String {
    let number = value
        .chars()
        .all(|sign| sign.is_ascii_digit() || "-,.".contains(sign));
    let formula = value.starts_with(['=', '+', '-', '@', '\t', '\r']) && !number;
    let guarded = if formula {
        format!("'{value}")
    } else {
        value.to_owned()
    };
    // A long number is text, or a spreadsheet rounds it.
    let long = guarded.len() > 11 && guarded.bytes().all(|sign| sign.is_ascii_digit());
    if long {
        return format!("\"=\"\"{guarded}\"\"\"");
    }
    if guarded.contains([';', '"', '\n', '\r']) || guarded.contains(',') && !number {
        return format!("\"{}\"", guarded.replace('"', "\"\""));
    }
    guarded
}

/// A cell without what files of ours put around it so that a spreadsheet takes
/// it for text.
fn bare(cell: &str) -> &str {
    let inside = cell.strip_prefix("=\"");
    if let Some(inside) = inside.and_then(|rest| rest.strip_suffix('"')) {
        return inside;
    }
    match cell.strip_prefix('\'') {
        Some(rest) if rest.starts_with(['=', '+', '-', '@']) => rest,
        _ => cell,
    }
}
