//! The table of products and services, over as many pages as it takes.

use crate::board::{Align, Area};
use crate::danfe::DanfeError;
use crate::danfe::a4::blocks::Installments;
use crate::danfe::a4::columns::{BODY, Column, INDENT, columns};
use crate::danfe::a4::line::{Cell, Line, line};
use crate::danfe::a4::paging::{Flow, Form};
use crate::danfe::nota::Nota;
use crate::pdf::font::Font;

/// From one line of an item to the next.
const LEADING: f32 = 7.2;
/// Above and below the lines of an item.
const SLACK: f32 = 1.6;
const HEADER: f32 = 14.0;
/// As much of an item as is worth beginning on a page.
const SMALLEST_STRETCH: f32 = 6.0 * LEADING + 2.0 * SLACK;
const PRODUCTS: &str = "DADOS DOS PRODUTOS / SERVIÇOS";
/// Lines of all items; a hundred times what a full note has.
const MAX_LINES: usize = 200_000;

/// The table, laid out but not yet placed on pages.
pub(super) struct Table {
    columns: Vec<Column>,
    lines: Vec<Line>,
}

impl Table {
    pub fn assemble(nota: &Nota<'_>, form: &Form) -> Result<Table, DanfeError> {
        let crt = nota.emit.t("CRT");
        let simples = matches!(&*crt, "1" | "4");
        let columns = columns(form, simples);
        let mut total = 0;
        let mut lines = Vec::new();
        for item in nota.items() {
            let line = line(item, form.reforma, simples, &columns);
            total += line.height_in_lines();
            if total > MAX_LINES {
                return Err(DanfeError::Long);
            }
            lines.push(line);
        }
        Ok(Table { columns, lines })
    }

    /// Height of the whole table on a page without end.
    pub fn height(&self) -> f32 {
        let items: f32 = self.lines.iter().map(height_of).sum();
        crate::danfe::a4::paging::TITLE + HEADER + items
    }

    /// Room without which the table does not begin: its title, and the first
    /// item or as much of it as is worth beginning.
    pub fn smallest(&self) -> f32 {
        let first = self.lines.first().map_or(0.0, height_of);
        crate::danfe::a4::paging::TITLE + HEADER + first.min(SMALLEST_STRETCH)
    }

    /// Draws the table from the flow's place on, on the second page below the
    /// instalments that are left. The last page's table ends with the last item
    /// if something follows, else at the foot of the page.
    pub fn put(
        &self,
        flow: &mut Flow,
        goes_on: bool,
        installments: &mut Installments<'_>,
    ) -> Result<(), DanfeError> {
        flow.reserve(self.smallest());
        if !flow.on_first() {
            installments.go_on(flow);
        }
        flow.title(PRODUCTS, self.smallest() - crate::danfe::a4::paging::TITLE);
        let mut top = self.open(flow);
        let whole_page = flow.form.bottom - flow.form.next_top - flow.form.header() - 40.0;
        for (at, line) in self.lines.iter().enumerate() {
            let height = height_of(line);
            // The first one begins where the table does, even if it ends on the
            // next page: better than a page without any item.
            let fits_elsewhere = at > 0 && height <= whole_page && flow.space() < height;
            if fits_elsewhere {
                top = self.turn_page(flow, top, installments)?;
            }
            let mut made = 0;
            let all = line.height_in_lines();
            loop {
                let space = ((flow.space() - 2.0 * SLACK) / LEADING).max(0.0) as usize;
                let now = space.min(all - made);
                self.draw(flow, line, made, now);
                made += now;
                if made >= all {
                    break;
                }
                top = self.turn_page(flow, top, installments)?;
            }
        }
        let end = if goes_on && !flow.on_first() {
            flow.y
        } else {
            flow.limit()
        };
        self.close(flow, top, end);
        flow.y = end;
        Ok(())
    }

    /// Closes the table on this page and opens it on the next.
    fn turn_page(
        &self,
        flow: &mut Flow,
        top: f32,
        installments: &mut Installments<'_>,
    ) -> Result<f32, DanfeError> {
        let end = flow.limit();
        self.close(flow, top, end);
        flow.new_page();
        if flow.full() {
            return Err(DanfeError::Long);
        }
        installments.go_on(flow);
        flow.title(PRODUCTS, HEADER + SMALLEST_STRETCH);
        Ok(self.open(flow))
    }

    fn open(&self, flow: &mut Flow) -> f32 {
        let top = flow.y;
        for column in &self.columns {
            let bounds = (column.x + 0.8, column.x + column.width - 0.8);
            let two = !column.title[1].is_empty();
            for (at, title) in column.title.iter().enumerate() {
                let y = top + if two { 5.8 + at as f32 * 5.8 } else { 8.8 };
                let font = (Font::TimesBold, 5.5);
                flow.board.fitted(bounds, y, font, Align::Centre, title);
            }
        }
        flow.y += HEADER;
        let (x, width) = (flow.form.x, flow.form.width);
        flow.board.line((x, flow.y), (x + width, flow.y), 0.5);
        top
    }

    fn close(&self, flow: &mut Flow, top: f32, end: f32) {
        let (x, width) = (flow.form.x, flow.form.width);
        flow.board.frame(Area {
            x,
            y: top,
            width,
            height: end - top,
        });
        for column in self.columns.iter().skip(1) {
            flow.board.line((column.x, top), (column.x, end), 0.5);
        }
    }

    /// Some of the lines of an item.
    fn draw(&self, flow: &mut Flow, line: &Line, from: usize, count: usize) {
        if count == 0 {
            return;
        }
        let y = flow.y + SLACK + BODY * 0.82;
        for (column, cell) in self.columns.iter().zip(&line.cells) {
            write(flow, column, cell, y, (from, count));
        }
        flow.y += count as f32 * LEADING + 2.0 * SLACK;
        let (x, width) = (flow.form.x, flow.form.width);
        flow.board.line((x, flow.y), (x + width, flow.y), 0.25);
    }
}

fn write(flow: &mut Flow, column: &Column, cell: &Cell, y: f32, (from, count): (usize, usize)) {
    let bounds = (column.x + INDENT, column.x + column.width - INDENT);
    for (at, line) in cell.lines.iter().skip(from).take(count).enumerate() {
        let y = y + at as f32 * LEADING;
        let font = (Font::Times, cell.size);
        if let Some(label) = &line.label {
            flow.board
                .written(bounds, y, font, Align::Left, label.clone());
        }
        flow.board
            .written(bounds, y, font, cell.align, line.text.clone());
    }
}

fn height_of(line: &Line) -> f32 {
    line.height_in_lines() as f32 * LEADING + 2.0 * SLACK
}
