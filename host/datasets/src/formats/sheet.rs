//! Reading of workbooks: sheets whose rows have columns.

use super::{Columns, Item, Options, Sink};
use crate::ImportError;
use crate::files::text;
use crate::files::xlsx::{SheetRow, Workbook};
use crate::report::Report;

/// Rows of titles there may be above the names of columns.
const MOST_TITLES: usize = 30;

/// Reads the sheets that have the columns of a format, all of them as one table;
/// wrong rows go into the report. Sheets without them say something else.
pub(super) fn read(
    file: &str,
    book: &Workbook,
    options: &Options,
    format: &mut dyn Columns,
    report: &mut Report,
    sink: &mut dyn Sink,
) -> Result<(), ImportError> {
    let refused = |why: String| ImportError::of(file, why);
    let mut begun = false;
    let mut first = Vec::new();
    for (place, name) in book.names().into_iter().enumerate() {
        let rows = book.rows(place).map_err(refused)?;
        let titles = rows.iter().take(MOST_TITLES).map(|row| names(&row.1));
        let titles: Vec<Vec<String>> = titles.collect();
        let Some(header) = titles.iter().position(|names| format.is_header(names)) else {
            first.extend(titles.into_iter().next());
            continue;
        };
        let Some((names, rows)) = titles.get(header).zip(rows.get(header + 1..)) else {
            continue;
        };
        let scope = format.header(file, names, options)?;
        if !begun {
            sink.begin(file, &scope)?;
            begun = true;
        }
        let at = format!("{file}[{name}]");
        lines(&at, names.len(), rows, format, report, sink);
    }
    if !begun {
        // The format says which columns it wants.
        let none = first.first().map_or(&[][..], Vec::as_slice);
        format.header(file, none, options)?;
        return Err(refused("no sheet has the names of its columns".to_owned()));
    }
    for item in format.gathered().map_err(refused)? {
        sink.item(item).map_err(refused)?;
    }
    sink.end(format.label())
}

fn lines(
    at: &str,
    columns: usize,
    rows: &[SheetRow],
    format: &mut dyn Columns,
    report: &mut Report,
    sink: &mut dyn Sink,
) {
    for (number, cells) in rows {
        let mut fields: Vec<&str> = cells.iter().map(|cell| cell.trim()).collect();
        if format.is_over(&fields) {
            break;
        }
        report.lines += 1;
        // Cells that are empty at the end are not in the file.
        fields.resize(columns.max(fields.len()), "");
        let readable = fields
            .iter()
            .try_for_each(|field| text(field.as_bytes()).map(drop));
        match readable.and_then(|()| format.row(&fields)) {
            Ok(Item::Skipped) => report.skipped += 1,
            Ok(Item::Gathered) => {}
            Ok(item) => {
                if let Err(reason) = sink.item(item) {
                    report.problem(at, *number, reason);
                }
            }
            Err(reason) => report.problem(at, *number, reason),
        }
    }
}

fn names(cells: &[String]) -> Vec<String> {
    cells
        .iter()
        .map(|cell| cell.trim().to_lowercase())
        .collect()
}
