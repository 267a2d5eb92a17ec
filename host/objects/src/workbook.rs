//! The sheet of an XLSX file (ECMA-376): its cells as text. Only what spreadsheets write for
//! plain values is read: no formulas, and of the styles whether a number is shown as a
//! percentage or a date. And a file of one sheet whose cells are all text, so that codes keep
//! the zeros they begin with.

use crate::zip::read;
use crate::zip::write::Zip;
use markup::xml::{Document, Element, Limits, escape_attribute, parse};
use rust_decimal::prelude::ToPrimitive as _;
use rust_decimal::{Decimal, Error};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use time::{Date, OffsetDateTime};

/// Most bytes of a part once it is unpacked.
const PART_BYTES: usize = 8 * 1_048_576;
/// Most elements and texts of a sheet, of the shared texts and of the styles: each takes about
/// 130 bytes of memory, and 8 MiB have room for two million.
const NODES: usize = 200_000;
/// As [`NODES`], of the workbook and of its relations.
const BOOK_NODES: usize = 20_000;
/// Most signs `=` of a part: each attribute has one, and takes about 64 bytes of memory.
const EQUALS: usize = 250_000;
/// Most cells of a line, so that a far column makes no wide line, and the last of them.
const CELLS: usize = 100;
const LAST: &str = "CV";
/// Most hidden rows that are named.
const HIDDEN: usize = 10;
/// Most lines that are read.
const LINES: usize = 2_000;
/// Most bytes of text in all cells together: many cells may have the same shared text,
/// which the file has once.
const TEXT_BYTES: usize = 8 * 1_048_576;

/// Most sheets that are looked at.
const SHEETS: usize = 100;
/// Most characters of a sheet's name that are shown; spreadsheets allow fewer.
const NAME_CHARS: usize = 40;
/// Most styles of cells; spreadsheets allow fewer.
const STYLES: usize = 65_536;
/// Most characters of a number format that are looked at; spreadsheets allow as many.
const FORMAT_CHARS: usize = 255;
/// Julian days of the day before the first one of spreadsheets: 1899-12-30, which makes up
/// for a 29 February 1900 they count, and 1904-01-01 in files of old Macs.
const DAY_ZERO: i32 = 2_415_019;
const DAY_ZERO_1904: i32 = 2_416_481;
/// What spreadsheets show for a number that their format cannot.
const NOT_SHOWN: &str = "########";
const UNREADABLE: &str = "A planilha não pôde ser lida. Salve como CSV e envie de novo.";
const TOO_MUCH: &str =
    "A planilha tem texto demais. Retire as colunas que não são das notas e envie de novo.";

/// How a cell shows its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Format {
    Number,
    Date,
    /// With `%` behind it, this many times what the file keeps.
    Percent(u8),
    /// In different ways, as `[<1]0%;0` does.
    Unknown,
}

/// What the cells of all sheets share.
struct Shared {
    texts: Vec<String>,
    /// By the number of the style.
    formats: Vec<Format>,
    day_zero: i32,
}

impl Shared {
    /// None where the cell has a style that the file has not.
    fn format(&self, cell: Element<'_>) -> Option<Format> {
        let style = cell.attribute("s").unwrap_or("0").parse::<usize>().ok()?;
        // A file without styles has the plain one.
        let plain = (style == 0).then_some(Format::Number);
        self.formats.get(style).copied().or(plain)
    }
}

/// The lines of the one visible sheet that has cells.
///
/// # Errors
/// Why it cannot be read, for people.
pub fn lines(archive: &[u8]) -> Result<Vec<Vec<String>>, String> {
    let mut shared = Shared {
        texts: Vec::new(),
        formats: Vec::new(),
        day_zero: DAY_ZERO,
    };
    let (sheet, styles, shared_texts) = match part(archive, "xl/workbook.xml", PART_BYTES)? {
        Some(book) => {
            let book = parsed(&book, BOOK_NODES)?;
            let settings = book.root().child("workbookPr");
            let old = settings.and_then(|settings| settings.attribute("date1904"));
            if matches!(old, Some("1" | "true")) {
                shared.day_zero = DAY_ZERO_1904;
            }
            let relations = needed(archive, "xl/_rels/workbook.xml.rels", PART_BYTES)?;
            let relations = parsed(&relations, BOOK_NODES)?;
            (
                filled(archive, &book, &by_id(&relations))?,
                related(&relations, "/styles")?,
                related(&relations, "/sharedStrings")?,
            )
        }
        // A file that says where its workbook is has one that was not found.
        None if part(archive, "_rels/.rels", PART_BYTES)?.is_some() => {
            return Err(UNREADABLE.to_owned());
        }
        None => (
            needed(archive, "xl/worksheets/sheet1.xml", PART_BYTES)?,
            None,
            None,
        ),
    };
    if let Some(part) = named_or(archive, shared_texts, "xl/sharedStrings.xml")? {
        shared.texts = texts(&parsed(&part, NODES)?);
    }
    if let Some(part) = named_or(archive, styles, "xl/styles.xml")? {
        shared.formats = formats(&parsed(&part, NODES)?);
    }
    rows(&parsed(&sheet, NODES)?, &shared)
}

/// The part at this path, which must be there; where no relation names one, the part at the
/// usual path, if there is one.
fn named_or(archive: &[u8], path: Option<String>, usual: &str) -> Result<Option<String>, String> {
    match path {
        Some(path) => needed(archive, &path, PART_BYTES).map(Some),
        None => part(archive, usual, PART_BYTES),
    }
}

/// The relations by the names that sheets have for them.
fn by_id<'d>(relations: &'d Document<'_>) -> BTreeMap<&'d str, Element<'d>> {
    let relations = relations.root().children();
    let id = |relation: Element<'d>| Some((relation.attribute("Id")?, relation));
    relations.filter_map(id).collect()
}

/// Path of the first part whose relation is of a type that ends so.
fn related(relations: &Document<'_>, ending: &str) -> Result<Option<String>, String> {
    let mut relations = relations.root().children();
    let found = relations.find(|relation| is_of_type(*relation, ending));
    found.map(target).transpose()
}

/// The types of strict files begin with another namespace.
fn is_of_type(relation: Element<'_>, ending: &str) -> bool {
    let kind = relation.attribute("Type");
    kind.is_some_and(|kind| kind.ends_with(ending))
}

/// Path of the part that a relation of the workbook names.
fn target(relation: Element<'_>) -> Result<String, String> {
    let target = relation.attribute("Target").ok_or(UNREADABLE)?;
    if target.split('/').any(|step| step == "..") {
        return Err(UNREADABLE.to_owned());
    }
    Ok(match target.strip_prefix('/') {
        Some(from_root) => from_root.to_owned(),
        None => format!("xl/{target}"),
    })
}

/// The one visible sheet that has cells, or the first where all are empty. Nobody knows which
/// of several is meant.
fn filled(
    archive: &[u8],
    book: &Document<'_>,
    relations: &BTreeMap<&str, Element<'_>>,
) -> Result<String, String> {
    let mut left = PART_BYTES;
    let mut found: Option<(String, String)> = None;
    let mut empty: Option<String> = None;
    for (name, path) in visible(book, relations)? {
        let sheet = needed(archive, &path, left)?;
        // Together they are not larger than one may be.
        left -= sheet.len();
        if !has_cells(&parsed(&sheet, NODES)?) {
            empty = empty.or(Some(sheet));
        } else if let Some((first, _)) = &found {
            return Err(format!(
                "A planilha tem mais de uma aba preenchida: {first} e {name}. Deixe uma só, ou oculte as outras."
            ));
        } else {
            found = Some((name, sheet));
        }
    }
    let sheet = found.map(|(_, sheet)| sheet).or(empty);
    sheet.ok_or_else(|| UNREADABLE.to_owned())
}

fn has_cells(sheet: &Document<'_>) -> bool {
    let mut values = sheet.elements().filter(|element| element.name() == "c");
    values.any(|cell| cell.child("v").or_else(|| cell.child("is")).is_some())
}

/// Names and paths of the sheets that are not hidden, in the order of their tabs.
fn visible(
    book: &Document<'_>,
    relations: &BTreeMap<&str, Element<'_>>,
) -> Result<Vec<(String, String)>, String> {
    let sheets = book.root().find_all(&["sheets", "sheet"]);
    let is_hidden = |state: &str| matches!(state, "hidden" | "veryHidden");
    let shown: Vec<Element<'_>> = sheets
        .into_iter()
        .filter(|sheet| !sheet.attribute("state").is_some_and(is_hidden))
        .collect();
    if shown.len() > SHEETS {
        return Err(format!("Há mais de {SHEETS} abas. Deixe uma só."));
    }
    let mut found = Vec::new();
    for sheet in shown {
        // The attribute `r:id`, whose namespace is another one in strict files.
        let mut attributes = sheet.attributes();
        let id = attributes.find(|(uri, name, _)| !uri.is_empty() && *name == "id");
        let relation = id.and_then(|(_, _, id)| relations.get(id));
        let relation = *relation.ok_or(UNREADABLE)?;
        // A diagram may have a tab of its own.
        if is_of_type(relation, "/worksheet") {
            let name = sheet.attribute("name").unwrap_or_default();
            let name: String = name.chars().take(NAME_CHARS).collect();
            found.push((name, target(relation)?));
        }
    }
    Ok(found)
}

/// A part of the file; None where there is none.
///
/// # Errors
/// There is one, but it cannot be read or is larger than `most` bytes.
fn part(archive: &[u8], path: &str, most: usize) -> Result<Option<String>, String> {
    let bytes = read::exact(archive, path, most).map_err(|_| UNREADABLE)?;
    let text = bytes.map(String::from_utf8).transpose();
    text.map_err(|_| UNREADABLE.to_owned())
}

/// As [`part`], of one that must be there.
fn needed(archive: &[u8], path: &str, most: usize) -> Result<String, String> {
    part(archive, path, most)?.ok_or_else(|| UNREADABLE.to_owned())
}

fn parsed(text: &str, nodes: usize) -> Result<Document<'_>, String> {
    if text.bytes().filter(|sign| *sign == b'=').count() > EQUALS {
        return Err(UNREADABLE.to_owned());
    }
    let limits = Limits {
        bytes: PART_BYTES,
        nodes,
    };
    parse(text, &limits).map_err(|_| UNREADABLE.to_owned())
}

/// The format of each style of cells, in their order.
fn formats(styles: &Document<'_>) -> Vec<Format> {
    let id = |element: Element<'_>| element.attribute("numFmtId")?.parse::<u32>().ok();
    let codes = styles.root().find_all(&["numFmts", "numFmt"]);
    let codes: BTreeMap<u32, Format> = codes
        .into_iter()
        .filter_map(|element| Some((id(element)?, of_code(element.attribute("formatCode")?))))
        .collect();
    let of_style = |style: Element<'_>| {
        let id = id(style).unwrap_or_default();
        codes.get(&id).copied().unwrap_or_else(|| built_in(id))
    };
    let styles = styles.root().find_all(&["cellXfs", "xf"]);
    styles.into_iter().take(STYLES).map(of_style).collect()
}

/// ECMA-376 part 1, 18.8.30: the formats that files do not spell out.
fn built_in(id: u32) -> Format {
    match id {
        9 | 10 => Format::Percent(100),
        14..=22 | 27..=36 | 45..=47 | 50..=58 => Format::Date,
        _ => Format::Number,
    }
}

/// What a format such as `0.00%` or `dd/mm/yyyy` makes of a number. A sign in quotes or behind
/// a backslash is only shown: `0"%"` of 5 is 5%. Sections for negative numbers, zero and texts
/// follow behind semicolons; one without digits, as `"-"` or `@`, does not count.
fn of_code(code: &str) -> Format {
    let mut signs = code.chars().take(FORMAT_CHARS);
    let mut sections: Vec<Format> = Vec::new();
    let mut section: Option<Format> = None;
    while let Some(sign) = signs.next() {
        let found = match sign {
            ';' => {
                sections.extend(section.take());
                None
            }
            '%' => Some(Format::Percent(100)),
            '"' => {
                let text: String = signs.by_ref().take_while(|sign| *sign != '"').collect();
                text.contains('%').then_some(Format::Percent(1))
            }
            '\\' => (signs.next() == Some('%')).then_some(Format::Percent(1)),
            // As much room as the next sign takes, or that sign as often as there is room.
            '_' | '*' => {
                signs.next();
                None
            }
            // A colour, a currency, a language; or hours beyond a day, as `[h]`.
            '[' => {
                let text: String = signs.by_ref().take_while(|sign| *sign != ']').collect();
                let time = !text.is_empty() && text.chars().all(|sign| "hmsHMS".contains(sign));
                time.then_some(Format::Date)
            }
            // Digits, or `General`.
            '0' | '#' | '?' | 'G' | 'g' => Some(Format::Number),
            _ => "dmyhsDMYHS".contains(sign).then_some(Format::Date),
        };
        section = section.max(found);
    }
    sections.extend(section);
    sections.dedup();
    match sections.as_slice() {
        [] => Format::Number,
        [format] => *format,
        _ => Format::Unknown,
    }
}

/// The shared texts, in their order.
fn texts(document: &Document<'_>) -> Vec<String> {
    let entries = document.elements().filter(|element| element.name() == "si");
    entries.map(text_of).collect()
}

/// All text of an entry; its readings in other scripts left out.
fn text_of(entry: Element<'_>) -> String {
    let mut text = String::new();
    for child in entry.children() {
        match child.name() {
            "t" => text.push_str(&child.text()),
            "r" => text.push_str(&text_of(child)),
            _ => {}
        }
    }
    text
}

/// The cells.
fn rows(document: &Document<'_>, shared: &Shared) -> Result<Vec<Vec<String>>, String> {
    let mut lines: Vec<Vec<String>> = Vec::new();
    let mut hidden: Vec<usize> = Vec::new();
    let mut left = TEXT_BYTES;
    let rows = document
        .elements()
        .filter(|element| element.name() == "row");
    for row in rows.take(LINES) {
        // Empty rows are not written: the number says where it stands.
        let number = row
            .attribute("r")
            .and_then(|number| number.parse::<usize>().ok());
        let number = number.unwrap_or(lines.len() + 1).min(LINES);
        while lines.len() + 1 < number {
            lines.push(Vec::new());
        }
        let mut line: Vec<String> = Vec::new();
        for cell in row.children().filter(|child| child.name() == "c") {
            let place = cell.attribute("r").and_then(column);
            let place = place.unwrap_or(line.len());
            let value = value(cell, shared).ok_or(UNREADABLE)?;
            if place >= CELLS {
                if value.trim().is_empty() {
                    continue;
                }
                return Err(format!(
                    "A linha {} tem uma célula preenchida depois da coluna {LAST}, e ela não seria lida. Esvazie-a ou mova-a para perto das outras.",
                    lines.len() + 1
                ));
            }
            if line.len() <= place {
                line.resize(place + 1, String::new());
            }
            left = left.checked_sub(value.len()).ok_or(TOO_MUCH)?;
            line[place] = value.into_owned();
        }
        if is_hidden(row) && line.iter().any(|cell| !cell.trim().is_empty()) {
            hidden.push(lines.len() + 1);
        }
        lines.push(line);
    }
    if hidden.is_empty() {
        return Ok(lines);
    }
    Err(hidden_told(&hidden))
}

/// A filter, or somebody, hid the row.
fn is_hidden(row: Element<'_>) -> bool {
    matches!(row.attribute("hidden"), Some("1" | "true"))
}

/// Who filtered a file may mean the rows that are seen, or have forgotten the filter.
fn hidden_told(rows: &[usize]) -> String {
    let shown: Vec<String> = rows.iter().take(HIDDEN).map(usize::to_string).collect();
    let shown = shown.join(", ");
    let (which, are) = match (rows, rows.len().saturating_sub(HIDDEN)) {
        ([_], _) => (format!("A linha {shown}"), "está oculta"),
        (_, 0) => (format!("As linhas {shown}"), "estão ocultas"),
        (_, more) => (format!("As linhas {shown} e mais {more}"), "estão ocultas"),
    };
    format!(
        "{which} {are} na planilha, por um filtro ou à mão. Mostre todas as linhas e apague as que não devem virar nota, ou copie só as visíveis para outro arquivo."
    )
}

/// `C7` stands in the third column: 2.
fn column(reference: &str) -> Option<usize> {
    let letters: Vec<u8> = reference
        .bytes()
        .take_while(u8::is_ascii_uppercase)
        .collect();
    if letters.is_empty() || letters.len() > 3 {
        return None;
    }
    let number = letters.iter().fold(0_usize, |number, letter| {
        number * 26 + usize::from(letter - b'A') + 1
    });
    Some(number - 1)
}

/// None where the file does not have the style or the shared text of the cell.
fn value<'t>(cell: Element<'_>, shared: &'t Shared) -> Option<Cow<'t, str>> {
    let child = |name: &str| cell.children().find(|child| child.name() == name);
    let plain = || {
        child("v")
            .map(|value| value.text().to_string())
            .unwrap_or_default()
    };
    Some(match cell.attribute("t") {
        Some("s") => {
            let at = plain();
            match at.trim() {
                "" => Cow::Borrowed(""),
                at => Cow::Borrowed(shared.texts.get(at.parse::<usize>().ok()?)?.as_str()),
            }
        }
        Some("inlineStr") => Cow::Owned(child("is").map(text_of).unwrap_or_default()),
        Some("str" | "e") => Cow::Owned(plain()),
        // As it is shown, so that it is no amount.
        Some("b") => Cow::Borrowed(match plain().trim() {
            "" => "",
            "0" | "false" => "FALSO",
            _ => "VERDADEIRO",
        }),
        _ => {
            let text = plain();
            if text.is_empty() {
                return Some(Cow::Borrowed(""));
            }
            Cow::Owned(number(&text, shared.format(cell)?, shared.day_zero))
        }
    })
}

/// A number as people see it: spreadsheets keep 18,9 as `18.9`, long ones as
/// `1.2345678000195E13`, 5% as `0.05`, and days as how many there were before.
fn number(text: &str, format: Format, day_zero: i32) -> String {
    let text = text.trim();
    let parsed = text
        .parse::<Decimal>()
        .or_else(|_| Decimal::from_scientific_lossy(text));
    let is_tiny = text.contains("E-") || text.contains("e-");
    let number = match parsed {
        Ok(number) => number,
        // Too near to zero, as `1E-30`; `1E+30` is too large.
        Err(Error::ScaleExceedsMaximumPrecision(_)) if is_tiny => Decimal::ZERO,
        Err(_) => return text.to_owned(),
    };
    // What a double cannot hold exactly stands behind the tenth place.
    let number = number.round_dp(10);
    let written = |number: Decimal| number.normalize().to_string().replace('.', ",");
    let shown = match format {
        Format::Number => Some(written(number)),
        Format::Percent(times) => number
            .checked_mul(Decimal::from(times))
            .map(|number| format!("{}%", written(number))),
        Format::Date => moment(number, day_zero),
        Format::Unknown => None,
    };
    shown.unwrap_or_else(|| NOT_SHOWN.to_owned())
}

/// `46063.5` is `10/02/2026 12:00`, `46063` the day and `0.5` the time alone.
fn moment(days: Decimal, day_zero: i32) -> Option<String> {
    let seconds = days.checked_mul(Decimal::from(86_400))?.round().to_i64()?;
    let (days, seconds) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let days = i32::try_from(days).ok().filter(|days| *days >= 0)?;
    let date = Date::from_julian_day(day_zero.checked_add(days)?).ok()?;
    let (day, month) = (date.day(), u8::from(date.month()));
    let day = format!("{day:02}/{month:02}/{}", date.year());
    let time = format!("{:02}:{:02}", seconds / 3_600, seconds / 60 % 60);
    Some(match (days, seconds) {
        (_, 0) => day,
        (0, _) => time,
        _ => format!("{day} {time}"),
    })
}

const TYPES: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>"#;
const PACKAGE: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
const WORKBOOK: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Notas" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
const PARTS: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#;
/// The second style is that of text (number format 49), the third the same in bold.
const STYLE: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs></styleSheet>"#;
const SHEET: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">"#;

/// A file with these lines; the first has the titles.
///
/// # Errors
/// It is too large for a ZIP.
pub fn written(lines: &[Vec<String>]) -> io::Result<Vec<u8>> {
    let sheet = sheet(lines);
    let mut zip = Zip::new(Vec::new());
    for (name, part) in [
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", PACKAGE),
        ("xl/workbook.xml", WORKBOOK),
        ("xl/_rels/workbook.xml.rels", PARTS),
        ("xl/styles.xml", STYLE),
        ("xl/worksheets/sheet1.xml", sheet.as_str()),
    ] {
        zip.add(name, part.as_bytes(), OffsetDateTime::UNIX_EPOCH)?;
    }
    Ok(zip.finish()?.to)
}

fn sheet(lines: &[Vec<String>]) -> String {
    let width = lines.iter().map(Vec::len).max().unwrap_or(1);
    let mut xml = SHEET.to_owned();
    // What is written into these columns later is text, too.
    xml.push_str(&format!(
        "<cols><col min=\"1\" max=\"{width}\" width=\"20\" style=\"1\" customWidth=\"1\"/></cols><sheetData>"
    ));
    for (line, at) in lines.iter().zip(0_usize..) {
        let style = if at == 0 { 2 } else { 1 };
        xml.push_str("<row>");
        for cell in line {
            xml.push_str(&format!("<c s=\"{style}\" t=\"inlineStr\"><is><t>"));
            escape_attribute(&mut xml, cell);
            xml.push_str("</t></is></c>");
        }
        xml.push_str("</row>");
    }
    xml.push_str("</sheetData></worksheet>");
    xml
}
