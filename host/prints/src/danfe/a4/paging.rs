//! Blocks one below the other, over to further pages when a page is full.

use crate::board::{Area, Board, Field, MM};
use crate::pdf::sheet::{A4_HEIGHT, A4_WIDTH};

/// Margin of the page: the MOC admits 0.2 to 0.8 cm (Anexo II §3.6.2, second-hand).
const MARGIN: f32 = 5.0 * MM;
/// Title above a block.
pub(super) const TITLE: f32 = 8.6;
/// The stub to be signed, with the line to cut along.
const STUB: f32 = 17.0 * MM;
const CUT_LINE: f32 = 3.6 * MM;
/// More pages than any note of the layout takes.
const MAX_PAGES: usize = 1_500;

/// Measures of a note's pages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub landscape: bool,
    /// Width and height of the page.
    pub size: (f32, f32),
    /// Left edge and width of everything but a lying page's stub.
    pub x: f32,
    pub width: f32,
    /// Top of the header on the first page and on the others.
    pub top: f32,
    pub next_top: f32,
    pub bottom: f32,
    /// Height of a captioned field.
    pub field: f32,
    /// Height of the header's boxes of issuer, DANFE and key.
    pub identification: f32,
    /// Extra row for a bar code that needs more than the key's box; 0 if none.
    pub bar_strip: f32,
    /// Blocks of NT 2026.010.
    pub reforma: bool,
}

impl Form {
    pub fn new(landscape: bool, reforma: bool, alphanumeric: bool) -> Form {
        let (width, height) = if landscape {
            (A4_HEIGHT, A4_WIDTH)
        } else {
            (A4_WIDTH, A4_HEIGHT)
        };
        let x = if landscape {
            MARGIN + STUB + CUT_LINE
        } else {
            MARGIN
        };
        Form {
            landscape,
            size: (width, height),
            x,
            width: width - MARGIN - x,
            top: if landscape {
                MARGIN
            } else {
                MARGIN + STUB + CUT_LINE
            },
            next_top: MARGIN,
            bottom: height - MARGIN,
            field: if landscape { 7.2 } else { 7.8 } * MM,
            identification: if landscape { 33.0 } else { 36.0 } * MM,
            bar_strip: if alphanumeric && !landscape {
                13.0 * MM
            } else {
                0.0
            },
            reforma,
        }
    }

    /// The stub.
    pub fn stub(&self) -> Area {
        if self.landscape {
            Area {
                x: MARGIN,
                y: MARGIN,
                width: STUB,
                height: self.bottom - MARGIN,
            }
        } else {
            Area {
                x: MARGIN,
                y: MARGIN,
                width: self.width,
                height: STUB,
            }
        }
    }

    /// Height of the header, the same on every page.
    pub fn header(&self) -> f32 {
        let rows = if self.reforma { 3.0 } else { 2.0 };
        self.identification + self.bar_strip + rows * self.field
    }

    /// A row of fields at a height.
    pub fn row(&self, y: f32) -> Area {
        Area {
            x: self.x,
            y,
            width: self.width,
            height: self.field,
        }
    }
}

/// Pages being filled from the top.
pub(super) struct Flow {
    pub form: Form,
    /// The page being filled, and those before it.
    pub board: Board,
    finished: Vec<Board>,
    pub y: f32,
    /// Where the blocks at the foot of the first page begin.
    first_bottom: f32,
    /// How far the first page was filled when it was left.
    pub first_end: Option<f32>,
}

impl Flow {
    pub fn new(form: Form, first_bottom: f32) -> Flow {
        Flow {
            form,
            board: Board::default(),
            finished: Vec::new(),
            y: form.top + form.header(),
            first_bottom,
            first_end: None,
        }
    }

    pub fn on_first(&self) -> bool {
        self.finished.is_empty()
    }

    /// All pages.
    pub fn end(mut self) -> Vec<Board> {
        self.finished.push(self.board);
        self.finished
    }

    /// Where this page ends.
    pub fn limit(&self) -> f32 {
        if self.on_first() {
            self.first_bottom
        } else {
            self.form.bottom
        }
    }

    pub fn space(&self) -> f32 {
        self.limit() - self.y
    }

    pub fn new_page(&mut self) {
        if self.on_first() {
            self.first_end = Some(self.y);
        }
        self.finished.push(std::mem::take(&mut self.board));
        self.y = self.form.next_top + self.form.header();
    }

    /// Begins a new page unless this much is free.
    pub fn reserve(&mut self, height: f32) {
        if self.space() < height {
            self.new_page();
        }
    }

    pub fn full(&self) -> bool {
        self.finished.len() > MAX_PAGES
    }

    /// A title and rows of fields under it.
    pub fn block(&mut self, title: &str, rows: &[Vec<Field<'_>>]) {
        // Together, unless it is a block no page would hold.
        let height = rows.len() as f32 * self.form.field;
        let page = self.form.bottom - self.form.next_top - self.form.header();
        self.title(title, height.min(page - TITLE));
        for fields in rows {
            self.row(fields);
        }
    }

    /// A title that stays with so much of what follows.
    pub fn title(&mut self, title: &str, after: f32) {
        self.reserve(TITLE + after);
        let (x, y) = (self.form.x, self.y + TITLE - 2.0);
        self.board.title(x, y, title);
        self.y += TITLE;
    }

    pub fn row(&mut self, fields: &[Field<'_>]) {
        self.reserve(self.form.field);
        let area = self.form.row(self.y);
        self.board.row(area, fields);
        self.y += self.form.field;
    }
}
