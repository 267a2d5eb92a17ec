//! Documents of the cargo, two beside each other, over as many pages as there
//! are.

use super::head::{MARGIN, WIDTH};
use super::pages::Pages;
use crate::board::{Align, Area, INDENT, MM};
use crate::danfe::values::{join, nota_number};
use crate::pdf::font::Font;

/// Documents that are laid out; a document of 500 KB has some 4,000.
pub(crate) const MAX_DOCUMENTS: usize = 6_000;
const ROW: f32 = 9.0;
const HEAD: f32 = 9.0;
/// Width of kind and number; the key has the rest of its half.
const KIND: f32 = 15.0 * MM;
const NUMBER: f32 = 21.0 * MM;

/// One line of the table.
pub(crate) struct Entry {
    pub kind: String,
    /// Key, or issuer and description.
    pub whose: String,
    pub number: String,
}

/// Writes a table with its title and its captions.
pub(crate) fn table<D>(
    pages: &mut Pages<'_, D>,
    title: &str,
    captions: [&str; 3],
    entries: &[Entry],
) {
    pages.title(title, HEAD + ROW);
    let mut rest = entries;
    loop {
        pages.reserve(HEAD + ROW);
        head(pages, captions);
        let fit = ((pages.space() / ROW) as usize).max(1);
        let rows = rest.len().div_ceil(2).clamp(1, fit);
        let (here, after) = rest.split_at((2 * rows).min(rest.len()));
        let area = pages.area(rows as f32 * ROW);
        pages.board.frame(area);
        let middle = MARGIN + WIDTH / 2.0;
        pages
            .board
            .line((middle, area.y), (middle, area.bottom()), 0.5);
        for (at, entry) in here.iter().enumerate() {
            let x = if at % 2 == 0 { MARGIN } else { middle };
            let y = area.y + (at / 2) as f32 * ROW;
            let texts = [&*entry.kind, &*entry.whose, &*entry.number];
            row(pages, (x, y), texts, false);
        }
        pages.y = area.bottom();
        rest = after;
        if rest.is_empty() {
            return;
        }
    }
}

fn head<D>(pages: &mut Pages<'_, D>, captions: [&str; 3]) {
    let half = WIDTH / 2.0;
    for x in [MARGIN, MARGIN + half] {
        let area = Area {
            x,
            width: half,
            ..pages.area(HEAD)
        };
        pages.board.frame(area);
        row(pages, (x, area.y), captions, true);
    }
    pages.y += HEAD;
}

fn row<D>(pages: &mut Pages<'_, D>, (x, y): (f32, f32), texts: [&str; 3], head: bool) {
    let half = WIDTH / 2.0;
    let widths = [KIND, half - KIND - NUMBER, NUMBER];
    let font = if head {
        (Font::Times, 6.0)
    } else {
        (Font::Times, 7.2)
    };
    let mut from = x;
    for (text, width) in texts.into_iter().zip(widths) {
        let bounds = (from + INDENT, from + width - 1.0);
        pages.board.fitted(bounds, y + 6.6, font, Align::Left, text);
        from += width;
    }
}

/// Series and number are in the key.
pub(crate) fn by_key(kind: &str, key: &str) -> Entry {
    let part = |from: usize, to: usize| key.get(from..to).unwrap_or_default();
    let number = match key.len() {
        44 => join([part(22, 25), &*nota_number(part(25, 34))], " / "),
        _ => String::new(),
    };
    Entry {
        kind: kind.to_owned(),
        whose: key.to_owned(),
        number,
    }
}
