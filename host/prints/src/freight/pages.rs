//! Blocks one below the other, over to further pages when a page is full.

use super::head::{Face, MARGIN, WIDTH, sheet_number};
use crate::board::{Align, Area, Board, Field, INDENT, MM};
use crate::pdf::font::{Font, win_ansi, wrap};
use crate::pdf::sheet::{A4_HEIGHT, Item};

/// Lower edge of everything.
const BOTTOM: f32 = A4_HEIGHT - MARGIN;
/// Height of a captioned field.
pub(crate) const FIELD: f32 = 7.0 * MM;
/// Title of a block, in a box of its own.
const TITLE: f32 = 9.4;
/// More pages than any document of the layouts takes.
const MAX_PAGES: usize = 500;

/// The pages being drawn, and the document that they are of.
pub(crate) struct Pages<'l, D> {
    pub board: Board,
    pub document: &'l D,
    pub y: f32,
    finished: Vec<Board>,
    face: Face<'l>,
    /// Where the head of the first page begins.
    first_top: f32,
}

impl<'l, D> Pages<'l, D> {
    /// The first page, with its head from `first_top` on, below what the board
    /// has already.
    pub fn new(document: &'l D, face: Face<'l>, mut board: Board, first_top: f32) -> Pages<'l, D> {
        let y = face.draw(&mut board, first_top);
        Pages {
            board,
            document,
            y,
            finished: Vec::new(),
            face,
            first_top,
        }
    }

    /// The whole width from here, so high.
    pub fn area(&self, height: f32) -> Area {
        Area {
            x: MARGIN,
            y: self.y,
            width: WIDTH,
            height,
        }
    }

    /// What is left of the page.
    pub fn space(&self) -> f32 {
        BOTTOM - self.y
    }

    /// Goes to a new page if there is no room for so much.
    pub fn reserve(&mut self, height: f32) {
        if self.y + height > BOTTOM && self.finished.len() < MAX_PAGES {
            let mut full = std::mem::take(&mut self.board);
            // What did not fit its box is told in the remarks, on whichever page
            // they stand.
            self.board.left_overs = std::mem::take(&mut full.left_overs);
            self.finished.push(full);
            self.y = self.face.draw(&mut self.board, MARGIN);
        }
    }

    /// The title of a block that goes on for at least `after`.
    pub fn title(&mut self, text: &str, after: f32) {
        self.reserve(TITLE + after);
        let area = self.area(TITLE);
        self.board.frame(area);
        let bounds = (area.x, area.right());
        let font = (Font::TimesBold, 6.8);
        self.board
            .fitted(bounds, area.y + 6.8, font, Align::Centre, text);
        self.y += TITLE;
    }

    pub fn row(&mut self, fields: &[Field<'_>]) {
        self.reserve(FIELD);
        let area = self.area(FIELD);
        self.board.row(area, fields);
        self.y += FIELD;
    }

    /// A box with a text of any length, at least so high.
    pub fn text(&mut self, label: &str, size: f32, smallest: f32, text: &str) {
        let leading = size * 1.15;
        let font = Font::Times;
        let encoded = win_ansi(text);
        let lines = wrap(&encoded, font, size, WIDTH - 2.0 * INDENT);
        let mut lines = lines.into_iter().peekable();
        let mut smallest = smallest;
        loop {
            self.reserve(smallest.max(10.0 + 2.0 * leading));
            let fit = ((self.space() - 12.0) / leading).max(1.0) as usize;
            let these: Vec<&[u8]> = lines.by_ref().take(fit).collect();
            let height = (10.0 + these.len() as f32 * leading).max(smallest);
            let area = self.area(height.min(self.space()));
            self.board.frame(area);
            self.board.label(area, label);
            let bounds = (area.x + INDENT, area.right() - INDENT);
            for (at, line) in these.into_iter().enumerate() {
                let y = area.y + 8.0 + size + at as f32 * leading;
                self.board
                    .written(bounds, y, (font, size), Align::Left, line.to_vec());
            }
            self.y = area.bottom();
            if lines.peek().is_none() || self.finished.len() >= MAX_PAGES {
                return;
            }
            smallest = 0.0;
        }
    }

    /// The pages with their numbers; None if there are more than are laid out.
    pub fn end(mut self) -> Option<Vec<Vec<Item>>> {
        if self.finished.len() >= MAX_PAGES {
            return None;
        }
        self.finished.push(self.board);
        let total = self.finished.len();
        for (at, page) in self.finished.iter_mut().enumerate() {
            let top = if at == 0 { self.first_top } else { MARGIN };
            sheet_number(page, top, (at, total));
        }
        Some(self.finished.into_iter().map(|page| page.items).collect())
    }
}
