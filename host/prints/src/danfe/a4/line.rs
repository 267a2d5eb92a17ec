//! A row of the table of items: its cells broken to the widths of their columns.

use super::item::{Content, Item};
use crate::board::Align;
use crate::danfe::a4::columns::{BODY, Column, INDENT};
use crate::danfe::nota::Node;
use crate::pdf::font::{Font, width, win_ansi, wrap};

/// Smallest size of codes before they go on two lines.
const SMALLEST: f32 = 5.0;
/// Numbers that have their names beside them.
const NAMED: f32 = 6.2;

/// An item, laid out.
pub(super) struct Line {
    pub cells: Vec<Cell>,
}

impl Line {
    pub fn height_in_lines(&self) -> usize {
        let lines = self.cells.iter().map(|cell| cell.lines.len());
        lines.max().unwrap_or(0).max(1)
    }
}

pub(super) struct Cell {
    pub align: Align,
    pub size: f32,
    pub lines: Vec<Stretch>,
}

/// A line of a cell: a value, and its name on the left if it has one.
pub(super) struct Stretch {
    pub label: Option<Vec<u8>>,
    pub text: Vec<u8>,
}

/// An item in these columns.
pub(super) fn line(det: Node<'_>, reforma: bool, simples: bool, columns: &[Column]) -> Line {
    let item = Item::new(det);
    let content = if reforma {
        item.of_reform(simples)
    } else {
        item.of_moc()
    };
    let cells = content
        .into_iter()
        .zip(columns)
        .map(|(content, column)| compose(content, column.width - 2.0 * INDENT))
        .collect();
    Line { cells }
}

/// Breaks and shrinks what a cell shows to a width.
fn compose(content: Content, space: f32) -> Cell {
    let simples = |line: &[u8]| Stretch {
        label: None,
        text: line.to_vec(),
    };
    match content {
        Content::Text(paragraphs) => {
            let mut lines = Vec::new();
            for paragraph in paragraphs.iter().filter(|p| !p.is_empty()) {
                let text = win_ansi(paragraph);
                let parts = wrap(&text, Font::Times, BODY, space);
                lines.extend(parts.into_iter().map(simples));
            }
            Cell {
                align: Align::Left,
                size: BODY,
                lines,
            }
        }
        Content::Code(code) => {
            let text = win_ansi(&code);
            // Two codes on two lines, but each of them on one.
            let words: Vec<&[u8]> = text.split(|byte| *byte == b' ').collect();
            let size = size_for(&[&text], space)
                .max(SMALLEST)
                .min(size_for(&words, space));
            let parts = wrap(&text, Font::Times, size, space);
            Cell {
                align: Align::Centre,
                size,
                lines: parts.into_iter().map(simples).collect(),
            }
        }
        Content::Numbers(numbers) => {
            let texts: Vec<Vec<u8>> = numbers.iter().map(|n| win_ansi(n)).collect();
            let seen: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
            Cell {
                align: Align::Right,
                size: size_for(&seen, space),
                lines: seen.into_iter().map(simples).collect(),
            }
        }
        Content::Named(pairs) => named(&pairs, space),
    }
}

fn named(pairs: &[(&'static str, String)], space: f32) -> Cell {
    let pairs: Vec<(Vec<u8>, Vec<u8>)> = pairs
        .iter()
        .map(|(label, number)| (win_ansi(label), win_ansi(number)))
        .collect();
    let numbers: Vec<&[u8]> = pairs.iter().map(|(_, number)| &**number).collect();
    let size = size_for(&numbers, space).min(NAMED);
    let mut lines = Vec::with_capacity(pairs.len());
    for (label, number) in pairs {
        let together = width(&label, Font::Times, size) + width(&number, Font::Times, size) + 2.0;
        if together <= space {
            lines.push(Stretch {
                label: Some(label),
                text: number,
            });
            continue;
        }
        lines.push(Stretch {
            label: Some(label),
            text: Vec::new(),
        });
        lines.push(Stretch {
            label: None,
            text: number,
        });
    }
    Cell {
        align: Align::Right,
        size,
        lines,
    }
}

/// The usual size, or the one at which all lines fit: a number that breaks over
/// two lines is read as another number, however small it has to be.
fn size_for(texts: &[&[u8]], space: f32) -> f32 {
    let greatest = texts
        .iter()
        .map(|text| width(text, Font::Times, 1.0))
        .fold(0.0, f32::max);
    if greatest * BODY <= space {
        BODY
    } else {
        // A hair less: sums of floats are not exact.
        space / greatest * 0.999
    }
}
