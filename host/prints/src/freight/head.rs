//! Head of every page of a transport document: who issued it, what it is, its
//! number, its key and protocol.

use crate::board::{Align, Area, Board, Field, INDENT, MM};
use crate::code128::Code128;
use crate::danfe::a4::header::within;
use crate::danfe::values::{date_and_time, group, join};
use crate::element::Node;
use crate::pdf::font::Font;
use crate::pdf::image::Image;
use crate::pdf::sheet::{A4_WIDTH, Item};
use markup::format::{cep, document, telephone};

/// Margin of the page.
pub(crate) const MARGIN: f32 = 5.0 * MM;
/// Width of everything.
pub(crate) const WIDTH: f32 = A4_WIDTH - 2.0 * MARGIN;
/// Boxes of the head.
const TITLE: f32 = 12.0 * MM;
const NUMBERS: f32 = 7.5 * MM;
const BARS: f32 = 13.0 * MM;
const KEY: f32 = 8.0 * MM;
const QUERY_BOX: f32 = 7.5 * MM;
const PROTOCOL: f32 = 8.0 * MM;
const HEIGHT: f32 = TITLE + NUMBERS + BARS + KEY + QUERY_BOX + PROTOCOL;
const EMITTER: f32 = 78.0 * MM;
/// The box of the QR code, on the right.
const QR: f32 = 29.0 * MM;
/// The box of the sheet's number, in the row of numbers.
const SHEET_AT: f32 = 47.0 * MM;
const SHEET: f32 = 13.0 * MM;

/// What the head of a document shows.
pub(crate) struct Face<'l> {
    /// `DACTE`, and what that stands for.
    pub title: &'static str,
    pub full: &'static str,
    /// The modal in capitals.
    pub modal: &'static str,
    /// Where the document can be looked up.
    pub query: &'static str,
    pub emit: Node<'l>,
    /// 44 positions.
    pub chave: &'l str,
    /// `infProt`.
    pub protocol: Node<'l>,
    /// Stands in the place of a protocol that is not there yet.
    pub instead: String,
    pub numbers: Numbers,
    pub logo: Option<&'l Image>,
    pub with_qr: bool,
}

/// The row of numbers: model, series, number and moment of emission, and one
/// more with its caption.
pub(crate) struct Numbers {
    pub model: String,
    pub serie: String,
    pub number: String,
    pub emitted: String,
    pub last: (&'static str, String),
}

impl Face<'_> {
    /// Draws the head from `y` on; returns where it ends.
    pub fn draw(&self, board: &mut Board, y: f32) -> f32 {
        let of_emitter = Area {
            x: MARGIN,
            y,
            width: EMITTER,
            height: HEIGHT,
        };
        self.emitter(board, of_emitter);
        let right = Area {
            x: MARGIN + EMITTER,
            width: WIDTH - EMITTER,
            height: TITLE,
            ..of_emitter
        };
        self.title(board, right);
        let of_numbers = Area {
            y: right.bottom(),
            height: NUMBERS,
            ..right
        };
        self.numbers(board, of_numbers);
        let of_qr = if self.with_qr { QR } else { 0.0 };
        let of_key = Area {
            y: of_numbers.bottom(),
            width: right.width - of_qr,
            height: HEIGHT - TITLE - NUMBERS,
            ..right
        };
        self.key(board, of_key);
        if self.with_qr {
            let area = Area {
                x: of_key.right(),
                width: of_qr,
                ..of_key
            };
            board.frame(area);
            let side = of_qr - 4.0 * MM;
            board.items.push(Item::Qr {
                x: area.x + 2.0 * MM,
                y: area.y + (area.height - side) / 2.0,
                side,
            });
        }
        of_emitter.bottom()
    }

    /// What the document is, and its modal.
    fn title(&self, board: &mut Board, area: Area) {
        let modal = 34.0 * MM;
        let what = Area {
            width: area.width - modal,
            ..area
        };
        board.frame(what);
        let bounds = (what.x + INDENT, what.right() - INDENT);
        let font = (Font::TimesBold, 12.0);
        board.fitted(bounds, what.y + 14.0, font, Align::Centre, self.title);
        let font = (Font::Times, 8.0);
        board.fitted(bounds, what.y + 25.0, font, Align::Centre, self.full);
        let kind = Area {
            x: what.right(),
            width: modal,
            ..what
        };
        board.frame(kind);
        board.label(kind, "MODAL");
        let bounds = (kind.x + INDENT, kind.right() - INDENT);
        let font = (Font::TimesBold, 11.0);
        board.fitted(bounds, kind.y + 22.0, font, Align::Centre, self.modal);
    }

    fn emitter(&self, board: &mut Board, area: Area) {
        let emit = self.emit;
        let address = emit.node("enderEmit");
        board.frame(area);
        let bounds = (area.x + INDENT, area.right() - INDENT);
        let mut y = area.y + 12.0;
        if let Some(logo) = self.logo {
            let (width, height) = within(logo, (area.width - 4.0 * INDENT, area.height * 0.4));
            board.items.push(Item::Logo {
                x: area.x + (area.width - width) / 2.0,
                y: area.y + INDENT,
                width,
                height,
            });
            y = area.y + INDENT + height + 11.0;
        }
        let manner = (Align::Centre, 11.5, 3);
        let name = emit.t("xNome");
        let lines = board.paragraph(bounds, y, (Font::TimesBold, 10.0), manner, &name);
        y += lines as f32 * 11.5;
        let street = join(
            [&*address.t("xLgr"), &*address.t("nro"), &*address.t("xCpl")],
            ", ",
        );
        let city = join([&*address.t("xMun"), &*address.t("UF")], " - ");
        let zip = address.t("CEP");
        let place = join(
            [
                &*address.t("xBairro"),
                &*city,
                &*if zip.is_empty() {
                    String::new()
                } else {
                    format!("CEP {}", cep(&zip))
                },
            ],
            ", ",
        );
        let phone = address.t("fone");
        let phone = if phone.is_empty() {
            String::new()
        } else {
            format!("Fone {}", telephone(&phone))
        };
        let registrations = format!(
            "CNPJ/CPF {}   IE {}",
            document(&emit.one_of(&["CNPJ", "CPF"])),
            emit.t("IE")
        );
        for line in [street, place, phone, registrations] {
            if line.is_empty() {
                continue;
            }
            let manner = (Align::Centre, 9.5, 2);
            let lines = board.paragraph(bounds, y, (Font::Times, 8.0), manner, &line);
            y += lines as f32 * 9.5;
        }
    }

    fn numbers(&self, board: &mut Board, area: Area) {
        let numbers = &self.numbers;
        let (label, last) = &numbers.last;
        board.row(
            area,
            &[
                Field::new(12.0, "MODELO", numbers.model.as_str()).aligned(Align::Centre),
                Field::new(11.0, "SÉRIE", numbers.serie.as_str()).aligned(Align::Centre),
                Field::new(24.0, "NÚMERO", numbers.number.as_str())
                    .aligned(Align::Centre)
                    .bold(),
                Field::new(13.0, "FL", "").aligned(Align::Centre),
                Field::new(36.0, "DATA E HORA DE EMISSÃO", numbers.emitted.as_str())
                    .aligned(Align::Centre),
                Field::new(0.0, label, last.as_str()),
            ],
        );
    }

    fn key(&self, board: &mut Board, area: Area) {
        let bars = Area {
            height: BARS,
            ..area
        };
        board.frame(bars);
        if let Ok(code) = Code128::new(self.chave) {
            let inside = Area {
                y: bars.y + 1.5 * MM,
                height: bars.height - 3.0 * MM,
                ..bars
            };
            board.barcode(inside, &code);
        }
        let of_key = Area {
            y: bars.bottom(),
            height: KEY,
            ..area
        };
        board.frame(of_key);
        board.label(of_key, "CHAVE DE ACESSO");
        let bounds = (of_key.x + INDENT, of_key.right() - INDENT);
        let groups = group(self.chave, 4, " ");
        let y = of_key.bottom() - 4.0;
        board.fitted(bounds, y, (Font::TimesBold, 9.5), Align::Centre, &groups);
        let query = Area {
            y: of_key.bottom(),
            height: QUERY_BOX,
            ..area
        };
        board.frame(query);
        let manner = (Align::Centre, 8.0, 2);
        board.paragraph(
            bounds,
            query.y + 9.0,
            (Font::Times, 7.0),
            manner,
            self.query,
        );
        let protocol = Area {
            y: query.bottom(),
            height: PROTOCOL,
            ..area
        };
        let number = self.protocol.t("nProt");
        let (day, hour) = date_and_time(&self.protocol.t("dhRecbto"));
        let text = join([&*number, &*day, &*hour], " ");
        let text = if text.is_empty() {
            self.instead.clone()
        } else {
            text
        };
        let field = Field::new(0.0, "PROTOCOLO DE AUTORIZAÇÃO DE USO", text)
            .aligned(Align::Centre)
            .bold();
        board.field(protocol, &field);
    }
}

/// Writes "1/2" into the box of the sheet's number of a page whose head begins
/// at `top`.
pub(crate) fn sheet_number(board: &mut Board, top: f32, (at, total): (usize, usize)) {
    let x = MARGIN + EMITTER + SHEET_AT;
    let bounds = (x + INDENT, x + SHEET - INDENT);
    let text = format!("{}/{total}", at + 1);
    let y = top + TITLE + NUMBERS - 3.2;
    board.fitted(bounds, y, (Font::Times, 10.0), Align::Centre, &text);
}
