//! Head of every page: who issued the CT-e, its number, its key and protocol;
//! and the stub of the first page.

use super::pages::{MARGIN, Pages, WIDTH};
use super::words;
use crate::board::{Align, Area, Board, Field, INDENT, MM};
use crate::code128::Code128;
use crate::danfe::a4::header::within;
use crate::danfe::values::{date_and_time, group, join, nota_number};
use crate::pdf::font::Font;
use crate::pdf::image::Image;
use crate::pdf::sheet::Item;
use markup::format::{cep, document, telephone};

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

pub(super) fn stub(pages: &mut Pages<'_, '_>) {
    let area = pages.area(STUB);
    let cte = pages.cte;
    let board = &mut pages.board;
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
    pages.y = area.bottom() + CUT_LINE;
}

pub(super) fn header(pages: &mut Pages<'_, '_>, logo: Option<&Image>, with_qr: bool) {
    let top = pages.y;
    emitter(
        pages,
        Area {
            width: EMITTER,
            ..pages.area(HEIGHT)
        },
        logo,
    );
    let x = MARGIN + EMITTER;
    let whole = WIDTH - EMITTER;
    let cte = pages.cte;
    let modal = 34.0 * MM;
    let title = Area {
        x,
        y: top,
        width: whole - modal,
        height: TITLE,
    };
    let board = &mut pages.board;
    board.frame(title);
    let bounds = (title.x + INDENT, title.right() - INDENT);
    board.fitted(
        bounds,
        title.y + 14.0,
        (Font::TimesBold, 12.0),
        Align::Centre,
        "DACTE",
    );
    let full = "Documento Auxiliar do Conhecimento de Transporte Eletrônico";
    board.fitted(
        bounds,
        title.y + 25.0,
        (Font::Times, 8.0),
        Align::Centre,
        full,
    );
    let kind = Area {
        x: title.right(),
        width: modal,
        ..title
    };
    board.frame(kind);
    board.label(kind, "MODAL");
    let bounds = (kind.x + INDENT, kind.right() - INDENT);
    let word = words::modal(&cte.ide.t("modal"));
    board.fitted(
        bounds,
        kind.y + 22.0,
        (Font::TimesBold, 11.0),
        Align::Centre,
        word,
    );
    numbers(
        pages,
        Area {
            x,
            y: title.bottom(),
            width: whole,
            height: NUMBERS,
        },
    );
    let y = title.bottom() + NUMBERS;
    let of_qr = if with_qr { QR } else { 0.0 };
    key(
        pages,
        Area {
            x,
            y,
            width: whole - of_qr,
            height: HEIGHT - TITLE - NUMBERS,
        },
    );
    if with_qr {
        let area = Area {
            x: x + whole - of_qr,
            y,
            width: of_qr,
            height: HEIGHT - TITLE - NUMBERS,
        };
        pages.board.frame(area);
        let side = of_qr - 4.0 * MM;
        pages.board.items.push(Item::Qr {
            x: area.x + 2.0 * MM,
            y: area.y + (area.height - side) / 2.0,
            side,
        });
    }
    pages.y = top + HEIGHT;
}

fn emitter(pages: &mut Pages<'_, '_>, area: Area, logo: Option<&Image>) {
    let emit = pages.cte.emit;
    let address = emit.node("enderEmit");
    let board = &mut pages.board;
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

fn numbers(pages: &mut Pages<'_, '_>, area: Area) {
    let cte = pages.cte;
    let (day, hour) = date_and_time(&cte.ide.t("dhEmi"));
    let suframa = cte.inf.node("dest").t("ISUF");
    pages.board.row(
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

fn key(pages: &mut Pages<'_, '_>, area: Area) {
    let cte = pages.cte;
    let board = &mut pages.board;
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
