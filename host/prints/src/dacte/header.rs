//! Stub of the first page, and what the head of every page shows.

use super::cte::Cte;
use super::words;
use crate::board::{Align, Area, Board, INDENT, MM};
use crate::danfe::values::{date_and_time, join, nota_number};
use crate::freight::{Face, MARGIN, Numbers, WIDTH};
use crate::pdf::font::Font;
use crate::pdf::image::Image;
use crate::pdf::sheet::Item;

/// The stub to be signed, with the line to cut along.
const STUB: f32 = 18.0 * MM;
const CUT_LINE: f32 = 3.0 * MM;
const QUERY: &str = "Consulta de autenticidade no portal nacional do CT-e, \
    no site da Sefaz Autorizadora, ou em http://www.cte.fazenda.gov.br/portal";
const RECEIPT: &str = "DECLARO QUE RECEBI OS VOLUMES DESTE CONHECIMENTO EM PERFEITO ESTADO \
    PELO QUE DOU POR CUMPRIDO O PRESENTE CONTRATO DE TRANSPORTE";

pub(super) fn face<'l>(cte: &Cte<'l>, logo: Option<&'l Image>, with_qr: bool) -> Face<'l> {
    let (day, hour) = date_and_time(&cte.ide.t("dhEmi"));
    Face {
        title: "DACTE",
        full: "Documento Auxiliar do Conhecimento de Transporte Eletrônico",
        modal: words::modal(&cte.ide.t("modal")),
        query: QUERY,
        emit: cte.emit,
        chave: cte.chave,
        protocol: cte.protocol,
        instead: String::new(),
        numbers: Numbers {
            model: cte.ide.t("mod").into_owned(),
            serie: cte.ide.t("serie").into_owned(),
            number: nota_number(&cte.ide.t("nCT")),
            emitted: join([&*day, &*hour], " "),
            last: (
                "INSC. SUFRAMA DEST.",
                cte.inf.node("dest").t("ISUF").into_owned(),
            ),
        },
        logo,
        with_qr,
    }
}

/// Draws the stub at the top of the first page; returns where the head begins.
pub(super) fn stub(board: &mut Board, cte: &Cte<'_>) -> f32 {
    let area = Area {
        x: MARGIN,
        y: MARGIN,
        width: WIDTH,
        height: STUB,
    };
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
    area.bottom() + CUT_LINE
}
