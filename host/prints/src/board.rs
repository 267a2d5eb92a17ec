//! The drawing board of A4 documents: boxes with a caption and a value, rows of
//! them, and texts that fit where they are put.

use std::borrow::Cow;

use crate::pdf::font::{Font, fit_size, width, win_ansi, wrap};
use crate::pdf::sheet::Item;

/// Points of a millimetre.
pub(crate) const MM: f32 = 72.0 / 25.4;
/// Line of the boxes.
const STROKE: f32 = 0.5;
/// Between the edge of a box and its text.
pub(crate) const INDENT: f32 = 2.0;
/// Captions (MOC 7.0, Anexo II §3.7.3, second-hand: 6 points at least).
const LABEL: f32 = 6.0;
/// Smallest value on one line, and its size on two lines.
const SMALLEST: f32 = 7.0;
const IN_TWO: f32 = 6.5;
/// Where the caption of a box ends, its cedillas included.
const CAPTION: f32 = 7.8;

/// Where a text stands in its box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Centre,
    Right,
}

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
}

impl Area {
    pub fn right(&self) -> f32 {
        self.x + self.width
    }

    pub fn bottom(&self) -> f32 {
        self.y + self.height
    }
}

/// A captioned value in a row.
pub(crate) struct Field<'c> {
    /// In points; 0 shares what the others leave.
    pub width: f32,
    pub label: &'c str,
    pub value: Cow<'c, str>,
    pub align: Align,
    pub bold: bool,
}

impl<'c> Field<'c> {
    /// `millimetres` 0 shares what the others leave.
    pub fn new(millimetres: f32, label: &'c str, value: impl Into<Cow<'c, str>>) -> Field<'c> {
        Field {
            width: millimetres * MM,
            label,
            value: value.into(),
            align: Align::Left,
            bold: false,
        }
    }

    /// An amount: on the right.
    pub fn value(label: &'c str, value: impl Into<Cow<'c, str>>) -> Field<'c> {
        Field::new(0.0, label, value).aligned(Align::Right)
    }

    pub fn aligned(self, align: Align) -> Field<'c> {
        Field { align, ..self }
    }

    pub fn bold(self) -> Field<'c> {
        Field { bold: true, ..self }
    }
}

/// One page being drawn, and what did not fit its boxes.
#[derive(Default)]
pub(crate) struct Board {
    pub items: Vec<Item>,
    /// Caption and whole text of each value that was cut.
    pub left_overs: Vec<(String, String)>,
}

impl Board {
    pub fn frame(&mut self, area: Area) {
        self.items.push(Item::Frame {
            x: area.x,
            y: area.y,
            width: area.width,
            height: area.height,
            thickness: STROKE,
        });
    }

    pub fn line(&mut self, from: (f32, f32), to: (f32, f32), thickness: f32) {
        self.items.push(Item::Line {
            x: from.0,
            y: from.1,
            to_x: to.0,
            to_y: to.1,
            thickness,
        });
    }

    /// Encoded text with its baseline at `y`, between two edges.
    pub fn written(
        &mut self,
        (from, to): (f32, f32),
        y: f32,
        (font, size): (Font, f32),
        align: Align,
        text: Vec<u8>,
    ) {
        if text.is_empty() {
            return;
        }
        let takes = match align {
            Align::Left => 0.0,
            Align::Centre | Align::Right => width(&text, font, size),
        };
        let x = match align {
            Align::Left => from,
            Align::Centre => (from + to - takes) / 2.0,
            Align::Right => to - takes,
        };
        self.items.push(Item::Text {
            x,
            y,
            size,
            font,
            red: false,
            text,
        });
    }

    /// A line of text made smaller to fit between two edges.
    pub fn fitted(
        &mut self,
        bounds: (f32, f32),
        y: f32,
        (font, size): (Font, f32),
        align: Align,
        text: &str,
    ) {
        let text = win_ansi(text);
        let size = fit_size(&text, font, size, bounds.1 - bounds.0);
        self.written(bounds, y, (font, size), align, text);
    }

    /// Lines from `y` (the first baseline) on; returns how many were written.
    /// The last of `max` ends in an ellipsis if there is more.
    pub fn paragraph(
        &mut self,
        bounds: (f32, f32),
        y: f32,
        (font, size): (Font, f32),
        (align, leading, max): (Align, f32, usize),
        text: &str,
    ) -> usize {
        let text = win_ansi(text);
        let lines = wrap(&text, font, size, bounds.1 - bounds.0);
        let fit = lines.len().min(max);
        for (at, line) in lines.iter().take(max).enumerate() {
            let cut = at + 1 == max && lines.len() > max;
            let line = if cut {
                ellipsis(line, font, size, bounds.1 - bounds.0)
            } else {
                line.to_vec()
            };
            let y = y + at as f32 * leading;
            self.written(bounds, y, (font, size), align, line);
        }
        fit
    }

    /// Title of a block: 5 points or more, bold, capitals (§3.7.1).
    pub fn title(&mut self, x: f32, y: f32, text: &str) {
        let text = win_ansi(text);
        let bounds = (x, f32::MAX);
        self.written(bounds, y, (Font::TimesBold, 6.5), Align::Left, text);
    }

    pub fn label(&mut self, area: Area, text: &str) {
        let bounds = (area.x + INDENT, area.right() - INDENT);
        self.fitted(
            bounds,
            area.y + 6.4,
            (Font::Times, LABEL),
            Align::Left,
            text,
        );
    }

    /// A box with caption and value: 10 points (§3.7.9), less if the value is
    /// long, then two lines, then an ellipsis; an amount only becomes smaller.
    pub fn field(&mut self, area: Area, field: &Field<'_>) {
        self.frame(area);
        self.label(area, field.label);
        let font = if field.bold {
            Font::TimesBold
        } else {
            Font::Times
        };
        let bounds = (area.x + INDENT, area.right() - INDENT);
        let space = bounds.1 - bounds.0;
        let text = win_ansi(&field.value);
        let size = fit_size(&text, font, 10.0, space);
        // A number is never broken, however small it becomes.
        if size >= SMALLEST || field.align == Align::Right {
            self.written(bounds, area.bottom() - 3.2, (font, size), field.align, text);
            return;
        }
        // Two lines of a low box stay below its caption.
        let in_two = IN_TWO.min((area.height - 2.0 - CAPTION) / 1.7);
        let lines = wrap(&text, font, in_two, space);
        let first = area.bottom() - 2.0 - in_two;
        for (at, line) in lines.iter().take(2).enumerate() {
            let line = if at == 1 && lines.len() > 2 {
                self.left_overs
                    .push((field.label.to_owned(), field.value.clone().into_owned()));
                ellipsis(line, font, in_two, space)
            } else {
                line.to_vec()
            };
            let y = first + at as f32 * in_two;
            self.written(bounds, y, (font, in_two), field.align, line);
        }
    }

    /// Boxes side by side over the whole width.
    pub fn row(&mut self, area: Area, fields: &[Field<'_>]) {
        let fixed: f32 = fields.iter().map(|field| field.width).sum();
        let free = fields.iter().filter(|field| field.width == 0.0).count();
        let part = (area.width - fixed) / free.max(1) as f32;
        let mut x = area.x;
        for field in fields {
            let width = if field.width == 0.0 {
                part
            } else {
                field.width
            };
            self.field(Area { x, width, ..area }, field);
            x += width;
        }
    }

    /// A bar code in the middle of an area, its modules as wide as they fit with
    /// quiet zones of ten modules.
    pub fn barcode(&mut self, area: Area, code: &crate::code128::Code128) {
        let modules = code.modules() as f32;
        let module = area.width / (modules + 20.0);
        self.items.push(Item::Bars {
            x: area.x + 10.0 * module,
            y: area.y,
            height: area.height,
            module,
            widths: code.widths(),
        });
    }
}

/// A line shortened so that an ellipsis fits after it.
pub(crate) fn ellipsis(line: &[u8], font: Font, size: f32, limit: f32) -> Vec<u8> {
    let mut line = line.to_vec();
    while !line.is_empty() && width(&line, font, size) + width(b"...", font, size) > limit {
        line.pop();
    }
    line.extend(b"...");
    line
}
