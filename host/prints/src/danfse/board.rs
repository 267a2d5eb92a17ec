//! The drawing board: fields, lines and text from the top of a page down, over
//! to the next page when it is full. Knows the measures of NT 008 and nothing
//! of notes. Measures are points, from the top left corner.

use crate::pdf::font::{Font, fit_size, width, win_ansi, wrap};
use crate::pdf::sheet::{A4_HEIGHT as HEIGHT, A4_WIDTH as WIDTH, CM, Item, Mark, Sheets};
use crate::qr::QrCode;

/// Left edges of the four columns (annex I) and where the last one ends.
const COLUMNS: [f32; 5] = [0.30 * CM, 5.41 * CM, 10.51 * CM, 15.62 * CM, 20.70 * CM];
pub(super) const TOP: f32 = 0.30 * CM;
/// Nothing but the foot of the page lies below.
const BOTTOM: f32 = 29.05 * CM;
const FOOTER: f32 = 29.40 * CM;
/// Border of the page: 1 pt (item 2.2.3).
const BORDER: f32 = 0.15 * CM;

/// Sizes of item 2.4: captions 6, titles and content 7.
const LABEL: f32 = 6.0;
const VALUE: f32 = 7.0;
/// Height of a field with one line of content.
pub(super) const FIELD: f32 = 0.645 * CM;
/// Each further line.
const LINE: f32 = 8.2;
/// Space between the edge of a field and its text.
const INDENT: f32 = 0.10 * CM;

/// Lines of one field; a longer content ends in an ellipsis, which item 2.1 of
/// the NT provides for.
const MAX_FIELD_LINES: usize = 6;
/// Lines of one text, some ten pages. Beyond, the document says that it stops:
/// a text of line breaks alone would fill hundreds of pages.
const MAX_TEXT_LINES: usize = 1_000;
const INTERRUPTED: &str = "[Texto interrompido: o restante consta somente do XML da NFS-e.]";

/// One field of a row.
pub(super) struct Field<'t> {
    column: usize,
    columns: usize,
    label: &'t str,
    value: String,
    style: Style,
}

#[derive(Clone, Copy, PartialEq)]
enum Style {
    Common,
    /// Content in bold on grey.
    Highlight,
    /// Caption on grey.
    Shaded,
    /// Title of a block: no content.
    Title,
}

impl<'t> Field<'t> {
    /// A field from a column (0 to 3) over so many columns.
    pub fn new(column: usize, columns: usize, label: &'t str, value: impl Into<String>) -> Self {
        Field {
            column,
            columns,
            label,
            value: value.into(),
            style: Style::Common,
        }
    }

    /// Title of a block, in the first column.
    pub fn title(label: &'t str) -> Self {
        Field {
            style: Style::Title,
            ..Field::new(0, 1, label, "")
        }
    }

    pub fn highlighted(self) -> Self {
        Field {
            style: Style::Highlight,
            ..self
        }
    }

    pub fn shaded(self) -> Self {
        Field {
            style: Style::Shaded,
            ..self
        }
    }

    fn left(&self) -> f32 {
        column(self.column)
    }

    fn right(&self) -> f32 {
        column(self.column + self.columns)
    }

    fn font(&self) -> Font {
        if self.style == Style::Highlight {
            Font::Bold
        } else {
            Font::Normal
        }
    }
}

/// Left edge of a column, 0 to 3; the right edge of the page beyond.
pub(super) fn column(index: usize) -> f32 {
    let [.., end] = COLUMNS;
    COLUMNS.get(index).copied().unwrap_or(end)
}

/// Where the next thing goes.
pub(super) struct Board {
    pages: Vec<Vec<Item>>,
    y: f32,
    /// Head of the pages after the first.
    continuation: String,
}

impl Board {
    /// An empty first page; `continuation` heads the others.
    pub fn new(continuation: String) -> Board {
        Board {
            pages: vec![Vec::new()],
            y: TOP,
            continuation,
        }
    }

    pub fn y(&self) -> f32 {
        self.y
    }

    pub fn move_down_to(&mut self, y: f32) {
        self.y = y;
    }

    pub fn move_down(&mut self, space: f32) {
        self.y += space;
    }

    /// Begins a new page unless this much is free.
    pub fn reserve(&mut self, height: f32) {
        if self.y + height > BOTTOM {
            self.new_page();
        }
    }

    /// The thin line between blocks (item 2.2.3: 0.5 pt).
    pub fn divider(&mut self) {
        let y = self.y;
        self.line(column(0), y, column(4), y, 0.5);
    }

    /// Fields side by side, as tall as the tallest of them.
    pub fn fields(&mut self, fields: &[Field<'_>]) {
        let values: Vec<Vec<u8>> = fields.iter().map(|field| win_ansi(&field.value)).collect();
        let lines: Vec<Vec<&[u8]>> = fields
            .iter()
            .zip(&values)
            .map(|(field, value)| {
                let limit = field.right() - field.left() - 2.0 * INDENT;
                wrap(value, field.font(), VALUE, limit)
            })
            .collect();
        let greatest = lines
            .iter()
            .map(|lines| lines.len().min(MAX_FIELD_LINES))
            .max()
            .unwrap_or(1);
        let height = FIELD + greatest.saturating_sub(1) as f32 * LINE;
        self.reserve(height);
        for (field, lines) in fields.iter().zip(&lines) {
            self.field(field, lines, height);
        }
        self.y += height;
    }

    fn field(&mut self, field: &Field<'_>, lines: &[&[u8]], height: f32) {
        let (x, y) = (field.left(), self.y);
        if field.style != Style::Common {
            self.item(Item::Shadow {
                x,
                y,
                width: field.right() - x,
                height,
            });
        }
        let x = x + INDENT;
        if field.style == Style::Title {
            let limit = field.right() - x - INDENT;
            let title = win_ansi(field.label);
            for (at, line) in wrap(&title, Font::Bold, VALUE, limit)
                .into_iter()
                .enumerate()
            {
                let y = y + 8.0 + at as f32 * LINE;
                self.text(x, y, VALUE, Font::Bold, line.to_vec());
            }
            return;
        }
        let label = win_ansi(field.label);
        self.text(x, y + 6.6, LABEL, Font::Bold, label);
        for (at, line) in lines.iter().take(MAX_FIELD_LINES).enumerate() {
            let mut line = line.to_vec();
            if at + 1 == MAX_FIELD_LINES && lines.len() > MAX_FIELD_LINES {
                line.truncate(line.len().saturating_sub(3));
                line.extend(b"...");
            }
            let y = y + 14.7 + at as f32 * LINE;
            self.text(x, y, VALUE, field.font(), line);
        }
    }

    /// One line in place of a whole block (item 2.3).
    pub fn sentence(&mut self, sentence: &str) {
        let height = 0.36 * CM;
        self.reserve(height);
        self.divider();
        let (x, y) = (column(0), self.y);
        self.item(Item::Shadow {
            x,
            y,
            width: column(4) - x,
            height,
        });
        self.centred(column(0), column(4), y + 7.6, VALUE, Font::Bold, sentence);
        self.y += height;
    }

    /// Text of any length over the whole width, under a caption if there is
    /// one. Line breaks stay, empty lines in a row become one.
    pub fn running_text(&mut self, label: &str, text: &str) {
        let limit = column(4) - column(0) - 2.0 * INDENT;
        let x = column(0) + INDENT;
        if !label.is_empty() {
            // The caption stays with the first line.
            self.reserve(FIELD);
            self.text(x, self.y + 6.6, LABEL, Font::Bold, win_ansi(label));
            self.y += 7.6;
        }
        let mut empty = false;
        let mut written = 0;
        for paragraph in text.trim().lines() {
            let paragraph = win_ansi(paragraph);
            if paragraph.trim_ascii().is_empty() {
                if !empty {
                    self.y += LINE * 0.6;
                }
                empty = true;
                continue;
            }
            empty = false;
            for line in wrap(&paragraph, Font::Normal, VALUE, limit) {
                self.reserve(LINE);
                if written == MAX_TEXT_LINES {
                    let notice = win_ansi(INTERRUPTED);
                    self.text(x, self.y + 7.1, VALUE, Font::Bold, notice);
                    self.y += LINE + 2.6;
                    return;
                }
                self.text(x, self.y + 7.1, VALUE, Font::Normal, line.to_vec());
                self.y += LINE;
                written += 1;
            }
        }
        self.y += 2.6;
    }

    /// Text between two edges; made smaller if it would not fit.
    pub fn centred(&mut self, from: f32, to: f32, y: f32, size: f32, font: Font, text: &str) {
        let text = win_ansi(text);
        let size = fit_size(&text, font, size, to - from - 2.0 * INDENT);
        let x = (from + to - width(&text, font, size)) / 2.0;
        self.text(x, y, size, font, text);
    }

    /// A line of text from a point, made smaller to end before `to`.
    pub fn written(&mut self, x: f32, to: f32, y: f32, size: f32, font: Font, text: &str) {
        let text = win_ansi(text);
        let size = fit_size(&text, font, size, to - x);
        self.text(x, y, size, font, text);
    }

    /// Turns what was written last red.
    pub fn in_red(&mut self) {
        if let Some(Item::Text { red, .. }) =
            self.pages.last_mut().and_then(|items| items.last_mut())
        {
            *red = true;
        }
    }

    pub fn shadow(&mut self, x: f32, y: f32, width: f32, height: f32) {
        self.item(Item::Shadow {
            x,
            y,
            width,
            height,
        });
    }

    pub fn qr(&mut self, x: f32, y: f32, side: f32) {
        self.item(Item::Qr { x, y, side });
    }

    /// Borders and page numbers, now that it is known how many pages there are.
    pub fn end(mut self, qr: Option<QrCode>, marks: Vec<Mark>) -> Sheets {
        let total = self.pages.len();
        for (at, page) in self.pages.iter_mut().enumerate() {
            let (right, bottom) = (WIDTH - BORDER, HEIGHT - BORDER);
            let corners = [
                (BORDER, BORDER, right, BORDER),
                (BORDER, bottom, right, bottom),
                (BORDER, BORDER, BORDER, bottom),
                (right, BORDER, right, bottom),
            ];
            page.extend(corners.map(|(x, y, to_x, to_y)| Item::Line {
                x,
                y,
                to_x,
                to_y,
                thickness: 1.0,
            }));
            let mut footer = |x: Option<f32>, font, text: Vec<u8>| {
                page.push(Item::Text {
                    x: x.unwrap_or(column(4) - INDENT - width(&text, font, LABEL)),
                    y: FOOTER,
                    size: LABEL,
                    font,
                    red: false,
                    text,
                });
            };
            // The marks once more as plain lines: text across the page is hard
            // to search and to read aloud.
            let words: Vec<&[u8]> = marks.iter().map(|mark| &*mark.text).collect();
            if !words.is_empty() {
                let text = words.join(&b" | "[..]);
                footer(Some(column(0) + INDENT), Font::Bold, text);
            }
            if total > 1 {
                let text = win_ansi(&format!("Página {} de {total}", at + 1));
                footer(None, Font::Normal, text);
            }
        }
        Sheets {
            size: (WIDTH, HEIGHT),
            pages: self.pages,
            qr,
            logo: None,
            marks,
        }
    }

    fn new_page(&mut self) {
        self.pages.push(Vec::new());
        self.y = TOP;
        let height = 0.60 * CM;
        self.shadow(column(0), self.y, column(4) - column(0), height);
        let text = std::mem::take(&mut self.continuation);
        let x = column(0) + INDENT;
        self.written(
            x,
            column(4) - INDENT,
            self.y + 11.0,
            VALUE,
            Font::Bold,
            &text,
        );
        self.continuation = text;
        self.y += height;
        self.divider();
        self.y += 2.0;
    }

    fn line(&mut self, x: f32, y: f32, to_x: f32, to_y: f32, thickness: f32) {
        self.item(Item::Line {
            x,
            y,
            to_x,
            to_y,
            thickness,
        });
    }

    fn text(&mut self, x: f32, y: f32, size: f32, font: Font, text: Vec<u8>) {
        if !text.is_empty() {
            self.item(Item::Text {
                x,
                y,
                size,
                font,
                red: false,
                text,
            });
        }
    }

    fn item(&mut self, item: Item) {
        if let Some(page) = self.pages.last_mut() {
            page.push(item);
        }
    }
}
