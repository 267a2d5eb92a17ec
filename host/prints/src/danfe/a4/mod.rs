//! The DANFE on A4: MOC 7.0, Anexo II, and NT 2026.010.
//!
//! Blocks run from the top, the additional data stand at the foot of the first
//! page; how tall that foot is follows from how much there is to say and how
//! many items there are. Pages after the first have the header and the table,
//! then what is left of the additional data.

pub mod additional;
mod blocks;
mod columns;
pub(crate) mod header;
mod item;
mod items;
mod line;
mod paging;

use additional::{LEADING, SIZE, Text};
use blocks::Tightness;
use items::Table;
use paging::{Flow, Form, TITLE};

use super::nota::Nota;
use super::{DanfeError, Layout, Orientation, PrintOptions};
use crate::board::{Align, Area, Board, INDENT, MM};
use crate::pdf::font::Font;
use crate::pdf::image::Image;
use crate::pdf::sheet::{Item, Mark, Sheets};
use crate::pdf::writing;
use crate::qr::QrCode;

/// Bytes of the additional data, what did not fit elsewhere included: some
/// twenty pages, many times what the layout's own fields hold.
const MAX_ADDITIONAL: usize = 300_000;
/// Width of the box the tax office may stamp.
const AUTHORITY_BOX: f32 = 62.0 * MM;
/// Least height of the additional data: where there is room, and where items go
/// on to another page.
const SMALLEST_FOOT: f32 = 24.0 * MM;
const SMALLEST_FULL_FOOT: f32 = 13.0 * MM;
/// Their caption.
const LABEL: f32 = 9.0;
/// From this emission date on every DANFE has the blocks of NT 2026.010
/// (production date, second-hand).
const NT_2026_010: &str = "2026-12-01";

/// Lays the note out.
///
/// # Errors
/// The note is too long ([`DanfeError::Long`]).
pub fn assemble(
    nota: &Nota<'_>,
    options: &PrintOptions<'_>,
    logo: Option<Image>,
) -> Result<Sheets, DanfeError> {
    let form = Form::new(
        landscape(nota, options),
        reforma(nota, options),
        nota.chave.bytes().any(|b| b.is_ascii_uppercase()),
    );
    let qr = Some(nota.supl.t("qrCode"))
        .filter(|text| !text.is_empty())
        .and_then(|text| QrCode::encode(text.as_bytes()).ok());

    let table = Table::assemble(nota, &form)?;
    let issqn = blocks::issqn(nota);
    let issqn_height = issqn.as_ref().map_or(0.0, |_| TITLE + form.field);
    let bottom = form.bottom - issqn_height;

    // Once for the heights and for what does not fit, then for good.
    let needed = table.smallest() + smallest_foot(qr.is_some(), true);
    let (tightness, y, left_overs) = tighten(&form, nota, bottom - needed);
    let mut text = additional_text(nota, options, &form, logo.as_ref(), (tightness, left_overs))?;

    let text_width =
        form.width - AUTHORITY_BOX - if qr.is_some() { blocks::QR } else { 0.0 } - 2.0 * INDENT;
    let foot = foot_height(text.lines(text_width), qr.is_some(), bottom - y, &table);
    let foot = without_hole(nota, form, tightness, &table, (bottom, foot));
    let first_bottom = bottom - foot;

    let mut flow = Flow::new(form, first_bottom);
    header::stub(&mut flow.board, &form, nota);
    if let Some(fields) = &issqn {
        let y = first_bottom + TITLE;
        flow.board.title(form.x, y - 2.0, "CÁLCULO DO ISSQN");
        flow.board.row(form.row(y), fields);
    }
    additional_data(&mut flow.board, &form, foot, &mut text, qr.is_some());
    let mut installments = blocks::before_items(&mut flow, nota, tightness);
    let goes_on = !text.ended();
    table.put(&mut flow, goes_on, &mut installments)?;
    installments.go_on(&mut flow);
    while !text.ended() {
        go_on(&mut flow, &mut text);
        if flow.full() {
            return Err(DanfeError::Long);
        }
    }

    let mut pages = flow.end();
    let total = pages.len();
    for (at, page) in pages.iter_mut().enumerate() {
        header::header(page, &form, nota, logo.as_ref(), (at + 1, total));
    }
    Ok(Sheets {
        size: form.size,
        pages: pages.into_iter().map(|page| page.items).collect(),
        qr,
        logo,
        marks: marks(nota, options, form.size, 60.0),
    })
}

/// The additional data, with what does not fit the boxes of the header or, as
/// `left_overs` say, those of the blocks.
fn additional_text(
    nota: &Nota<'_>,
    options: &PrintOptions<'_>,
    form: &Form,
    logo: Option<&Image>,
    (tightness, mut left_overs): (Tightness, Vec<(String, String)>),
) -> Result<Text, DanfeError> {
    let mut rehearsal = Flow::new(*form, f32::MAX);
    header::header(&mut rehearsal.board, form, nota, logo, (1, 1));
    left_overs.extend(rehearsal.board.left_overs);
    let paragraphs = additional::paragraphs(nota, options, tightness.volumes, &left_overs);
    if paragraphs.iter().map(String::len).sum::<usize>() > MAX_ADDITIONAL {
        return Err(DanfeError::Long);
    }
    Ok(Text::new(paragraphs.iter().map(String::as_str)))
}

/// The height of a foot that ends at `bottom`. If not even the first item fits
/// between the blocks and the foot, the foot takes that space, so that the page
/// has no hole.
fn without_hole(
    nota: &Nota<'_>,
    form: Form,
    tightness: Tightness,
    table: &Table,
    (bottom, foot): (f32, f32),
) -> f32 {
    let mut rehearsal = Flow::new(form, bottom - foot);
    blocks::before_items(&mut rehearsal, nota, tightness);
    rehearsal.reserve(table.smallest());
    rehearsal.first_end.map_or(foot, |end| bottom - end - 0.5)
}

fn landscape(nota: &Nota<'_>, options: &PrintOptions<'_>) -> bool {
    match options.orientation {
        Some(orientation) => orientation == Orientation::Landscape,
        None => nota.ide.t("tpImp") == "2",
    }
}

fn reforma(nota: &Nota<'_>, options: &PrintOptions<'_>) -> bool {
    match options.layout {
        Layout::Moc7 => false,
        Layout::Nt2026010 => true,
        Layout::Automatic => {
            let issued = nota.ide.t("dhEmi");
            let has = |name: &str| {
                nota.items()
                    .any(|item| item.node("imposto").node(name).exists())
            };
            issued.get(..10).is_some_and(|day| day >= NT_2026_010)
                || nota.total.node("IBSCBSTot").exists()
                || nota.total.node("ISTot").exists()
                || has("IBSCBS")
                || has("IS")
        }
    }
}

/// The loosest blocks that end above a height, where they end, and what did not
/// fit their boxes.
fn tighten(form: &Form, nota: &Nota<'_>, limit: f32) -> (Tightness, f32, Vec<(String, String)>) {
    let rehearse = |tightness| {
        let mut rehearsal = Flow::new(*form, f32::MAX);
        let mut installments = blocks::before_items(&mut rehearsal, nota, tightness);
        let y = rehearsal.y;
        installments.go_on(&mut rehearsal);
        (tightness, y, rehearsal.board.left_overs)
    };
    for tightness in Tightness::ALL {
        let made = rehearse(tightness);
        if made.1 <= limit {
            return made;
        }
    }
    let (_, without_installments, _) = rehearse(Tightness::max(0));
    // Its title, where there are instalments but no invoice.
    let free = limit - without_installments - TITLE;
    let fit = (free / blocks::INSTALLMENT).max(0.0) as usize;
    rehearse(Tightness::max(fit))
}

/// Least height of the additional data with their title; where there are more
/// items than fit, they need the room more.
fn smallest_foot(with_qr: bool, tight: bool) -> f32 {
    let smallest = if tight {
        SMALLEST_FULL_FOOT
    } else {
        SMALLEST_FOOT
    };
    TITLE
        + if with_qr {
            smallest.max(blocks::QR + LABEL)
        } else {
            smallest
        }
}

/// Height of the additional data with their title: all they need if everything
/// fits on the page. `free` is what the blocks above leave for the items and
/// them.
fn foot_height(lines: usize, with_qr: bool, free: f32, table: &Table) -> f32 {
    // A point to spare: sums of floats are not exact.
    let left_over = free - table.height() - 1.0;
    let smallest = smallest_foot(with_qr, true);
    let needed = TITLE + LABEL + lines as f32 * LEADING + 4.0;
    if needed <= left_over {
        let usual = smallest_foot(with_qr, false).min(left_over);
        needed.max(usual).max(smallest)
    } else if left_over >= smallest {
        // The items stay on this page, the text goes on to the next.
        left_over
    } else {
        // Items and text share the page; some items stay on it if the blocks
        // leave room for both.
        let a_third = (free / 3.0).min(free - table.smallest() - 1.0);
        needed.min(a_third).max(smallest)
    }
}

fn additional_data(board: &mut Board, form: &Form, foot: f32, text: &mut Text, with_qr: bool) {
    let top = form.bottom - foot + TITLE;
    board.title(form.x, top - 2.0, "DADOS ADICIONAIS");
    let of_qr = if with_qr { blocks::QR } else { 0.0 };
    let frame = Area {
        x: form.x,
        y: top,
        width: form.width - AUTHORITY_BOX - of_qr,
        height: foot - TITLE,
    };
    information(board, frame, "INFORMAÇÕES COMPLEMENTARES", text);
    let authority = Area {
        x: frame.right(),
        width: AUTHORITY_BOX,
        ..frame
    };
    board.frame(authority);
    board.label(authority, "RESERVADO AO FISCO");
    if with_qr {
        let area = Area {
            x: authority.right(),
            width: of_qr,
            ..frame
        };
        board.frame(area);
        board.label(area, "QR CODE");
        // Four modules of white around: the box is wider by more than that.
        let side = of_qr - 5.0 * MM;
        board.items.push(Item::Qr {
            x: area.x + 2.5 * MM,
            y: area.y + LABEL,
            side,
        });
    }
}

/// A box with as many lines of the text as it takes.
fn information(board: &mut Board, frame: Area, label: &str, text: &mut Text) {
    board.frame(frame);
    board.label(frame, label);
    let bounds = (frame.x + INDENT, frame.right() - INDENT);
    let fit = ((frame.height - LABEL - 3.0) / LEADING).max(0.0) as usize;
    for (at, line) in text.take(fit, bounds.1 - bounds.0).into_iter().enumerate() {
        let y = frame.y + LABEL + 5.6 + at as f32 * LEADING;
        board.written(bounds, y, (Font::Times, SIZE), Align::Left, line);
    }
}

/// The rest of the additional data, over the whole width.
fn go_on(flow: &mut Flow, text: &mut Text) {
    let form = flow.form;
    let lines = text.lines(form.width - 2.0 * INDENT);
    let smallest = LABEL + lines.min(3) as f32 * LEADING + 4.0;
    if flow.on_first() {
        flow.new_page();
    }
    flow.title("DADOS ADICIONAIS", smallest);
    let needed = LABEL + lines as f32 * LEADING + 4.0;
    let frame = Area {
        x: form.x,
        y: flow.y,
        width: form.width,
        height: needed.min(flow.space()),
    };
    let label = "CONTINUAÇÃO DAS INFORMAÇÕES COMPLEMENTARES";
    information(&mut flow.board, frame, label, text);
    flow.y = frame.bottom();
}

/// Words across the page.
pub(super) fn marks(
    nota: &Nota<'_>,
    options: &PrintOptions<'_>,
    sheet: (f32, f32),
    max: f32,
) -> Vec<Mark> {
    let mut words = Vec::new();
    // A note on its way (contingency) is not authorized yet, but is valid.
    let in_contingency = matches!(&*nota.ide.t("tpEmis"), "2" | "4" | "5" | "9");
    if nota.homologacao() {
        words.push("SEM VALOR FISCAL");
    } else if nota.denied() {
        words.push("USO DENEGADO");
    } else if !nota.authorized() && !in_contingency {
        words.push("SEM AUTORIZAÇÃO DE USO");
    }
    if options.cancelled {
        words.push("CANCELADA");
    }
    words.extend(options.mark);
    writing::marks(&words, sheet, max)
}
