//! Head of every page: who issued the CT-e, its number, its key and protocol;
//! and the stub of the first page.

use super::cte::Cte;
use super::words;
use crate::board::{Align, Area, Board, Field, INDENT, MM};
use crate::code128::Code128;
use crate::danfe::a4::header::within;
use crate::danfe::values::{date_and_time, group, join, nota_number};
use crate::pdf::font::Font;
use crate::pdf::image::Image;
use crate::pdf::sheet::{A4_WIDTH, Item};
use markup::format::{cep, document, telephone};

/// Margin of the page.
pub(super) const MARGIN: f32 = 5.0 * MM;
/// Width of everything.
pub(super) const WIDTH: f32 = A4_WIDTH - 2.0 * MARGIN;
/// The stub to be signed, with the line to cut along.
const STUB: f32 = 18.0 * MM;
const CUT_LINE: f32 = 3.0 * MM;
/// Boxes of the header.
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
const QUERY: &str = "Consulta de autenticidade no portal nacional do CT-e, \
    no site da Sefaz Autorizadora, ou em http://www.cte.fazenda.gov.br/portal";
const RECEIPT: &str = "DECLARO QUE RECEBI OS VOLUMES DESTE CONHECIMENTO EM PERFEITO ESTADO \
    PELO QUE DOU POR CUMPRIDO O PRESENTE CONTRATO DE TRANSPORTE";

/// The top of a page, being drawn.
pub(super) struct Top<'t, 'd> {
    pub board: &'t mut Board,
    pub cte: &'t Cte<'d>,
    /// Where the next box begins.
    pub y: f32,
}

impl Top<'_, '_> {
    fn area(&self, height: f32) -> Area {
        Area {
            x: MARGIN,
            y: self.y,
            width: WIDTH,
            height,
        }
    }
}

pub(super) fn stub(page: &mut Top<'_, '_>) {
    let area = page.area(STUB);
    let cte = page.cte;
    let board = &mut *page.board;
    board.frame(area);
    let bounds = (area.x + INDENT, area.right() - INDENT);
    let small = (Font::Times, 6.4);
    board.fitted(bounds, area.y + 7.0, small, Align::Centre, RECEIPT);
    let (top, height) = (area.y + 9.5, area.height - 9.5);
    let part = |x, width, y, height| Area {
        x,
        y,
        width,
        height,
    };
    let (name, sign, times, number) = (60.0 * MM, 62.0 * MM, 46.0 * MM, WIDTH - 168.0 * MM);
    let half = height / 2.0;
    let mut x = area.x;
    for (label, y) in [("NOME", top), ("RG", top + half)] {
        let box_of = part(x, name, y, half);
        board.frame(box_of);
        board.label(box_of, label);
    }
    x += name;
    let signature = part(x, sign, top, height);
    board.frame(signature);
    let caption = (signature.x, signature.right());
    let y = signature.bottom() - 3.0;
    board.fitted(caption, y, small, Align::Centre, "ASSINATURA / CARIMBO");
    x += sign;
    for (label, y) in [
        ("TÉRMINO DA PRESTAÇÃO - DATA/HORA", top),
        ("INÍCIO DA PRESTAÇÃO - DATA/HORA", top + half),
    ] {
        let box_of = part(x, times, y, half);
        board.frame(box_of);
        board.label(box_of, label);
    }
    x += times;
    let of_number = part(x, number, top, height);
    board.frame(of_number);
    let bounds = (of_number.x, of_number.right());
    let lines = [
        "CT-E".to_owned(),
        format!("Nº. {}", nota_number(&cte.ide.t("nCT"))),
        format!("SÉRIE: {}", cte.ide.t("serie")),
    ];
    for (at, line) in lines.iter().enumerate() {
        let y = of_number.y + 10.0 + at as f32 * 10.5;
        board.fitted(bounds, y, (Font::TimesBold, 8.5), Align::Centre, line);
    }
    let y = area.bottom() + CUT_LINE / 2.0;
    board.items.push(Item::CutLine {
        x: area.x,
        y,
        to_x: area.right(),
        to_y: y,
    });
    page.y = area.bottom() + CUT_LINE;
}

pub(super) fn header(page: &mut Top<'_, '_>, logo: Option<&Image>, with_qr: bool) {
    let of_emitter = Area {
        width: EMITTER,
        ..page.area(HEIGHT)
    };
    emitter(page, of_emitter, logo);
    let right = Area {
        x: MARGIN + EMITTER,
        width: WIDTH - EMITTER,
        height: TITLE,
        ..of_emitter
    };
    title(page, right);
    let of_numbers = Area {
        y: right.bottom(),
        height: NUMBERS,
        ..right
    };
    numbers(page, of_numbers);
    let of_qr = if with_qr { QR } else { 0.0 };
    let of_key = Area {
        y: of_numbers.bottom(),
        width: right.width - of_qr,
        height: HEIGHT - TITLE - NUMBERS,
        ..right
    };
    key(page, of_key);
    if with_qr {
        let area = Area {
            x: of_key.right(),
            width: of_qr,
            ..of_key
        };
        page.board.frame(area);
        let side = of_qr - 4.0 * MM;
        page.board.items.push(Item::Qr {
            x: area.x + 2.0 * MM,
            y: area.y + (area.height - side) / 2.0,
            side,
        });
    }
    page.y = of_emitter.bottom();
}

/// What the document is, and its modal.
fn title(page: &mut Top<'_, '_>, area: Area) {
    let modal = 34.0 * MM;
    let what = Area {
        width: area.width - modal,
        ..area
    };
    let board = &mut *page.board;
    board.frame(what);
    let bounds = (what.x + INDENT, what.right() - INDENT);
    let font = (Font::TimesBold, 12.0);
    board.fitted(bounds, what.y + 14.0, font, Align::Centre, "DACTE");
    let full = "Documento Auxiliar do Conhecimento de Transporte Eletrônico";
    let font = (Font::Times, 8.0);
    board.fitted(bounds, what.y + 25.0, font, Align::Centre, full);
    let kind = Area {
        x: what.right(),
        width: modal,
        ..what
    };
    board.frame(kind);
    board.label(kind, "MODAL");
    let bounds = (kind.x + INDENT, kind.right() - INDENT);
    let word = words::modal(&page.cte.ide.t("modal"));
    let font = (Font::TimesBold, 11.0);
    board.fitted(bounds, kind.y + 22.0, font, Align::Centre, word);
}

fn emitter(page: &mut Top<'_, '_>, area: Area, logo: Option<&Image>) {
    let emit = page.cte.emit;
    let address = emit.node("enderEmit");
    let board = &mut *page.board;
    board.frame(area);
    let bounds = (area.x + INDENT, area.right() - INDENT);
    let mut y = area.y + 12.0;
    if let Some(logo) = logo {
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

fn numbers(page: &mut Top<'_, '_>, area: Area) {
    let cte = page.cte;
    let (day, hour) = date_and_time(&cte.ide.t("dhEmi"));
    let suframa = cte.inf.node("dest").t("ISUF");
    page.board.row(
        area,
        &[
            Field::new(12.0, "MODELO", cte.ide.t("mod")).aligned(Align::Centre),
            Field::new(11.0, "SÉRIE", cte.ide.t("serie")).aligned(Align::Centre),
            Field::new(24.0, "NÚMERO", nota_number(&cte.ide.t("nCT")))
                .aligned(Align::Centre)
                .bold(),
            Field::new(13.0, "FL", "").aligned(Align::Centre),
            Field::new(36.0, "DATA E HORA DE EMISSÃO", join([&*day, &*hour], " "))
                .aligned(Align::Centre),
            Field::new(0.0, "INSC. SUFRAMA DEST.", suframa),
        ],
    );
}

/// Writes "1/2" into the box of the sheet's number.
pub(super) fn sheet_number(board: &mut Board, at: usize, total: usize) {
    let top = if at == 0 {
        MARGIN + STUB + CUT_LINE
    } else {
        MARGIN
    };
    let x = MARGIN + EMITTER + 47.0 * MM;
    let bounds = (x + INDENT, x + 13.0 * MM - INDENT);
    let text = format!("{}/{total}", at + 1);
    let y = top + TITLE + NUMBERS - 3.2;
    board.fitted(bounds, y, (Font::Times, 10.0), Align::Centre, &text);
}

fn key(page: &mut Top<'_, '_>, area: Area) {
    let cte = page.cte;
    let board = &mut *page.board;
    let bars = Area {
        height: BARS,
        ..area
    };
    board.frame(bars);
    if let Ok(code) = Code128::new(cte.chave) {
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
    let groups = group(cte.chave, 4, " ");
    let y = of_key.bottom() - 4.0;
    board.fitted(bounds, y, (Font::TimesBold, 9.5), Align::Centre, &groups);
    let query = Area {
        y: of_key.bottom(),
        height: QUERY_BOX,
        ..area
    };
    board.frame(query);
    let manner = (Align::Centre, 8.0, 2);
    board.paragraph(bounds, query.y + 9.0, (Font::Times, 7.0), manner, QUERY);
    let protocol = Area {
        y: query.bottom(),
        height: PROTOCOL,
        ..area
    };
    let number = cte.protocol.t("nProt");
    let (day, hour) = date_and_time(&cte.protocol.t("dhRecbto"));
    let text = join([&*number, &*day, &*hour], " ");
    let field = Field::new(0.0, "PROTOCOLO DE AUTORIZAÇÃO DE USO", text)
        .aligned(Align::Centre)
        .bold();
    board.field(protocol, &field);
}
