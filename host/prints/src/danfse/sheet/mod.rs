//! The blocks of the DANFSe v2.0, in the order and with the captions of NT 008,
//! items 2.1 and 2.4.5. Notes of a city's own layout use the same blocks with
//! the names their layout has, and leave out what it does not know.

mod parties;
mod taxes;

use super::{Ambiente, Danfse, IbsCbs, Municipality, Standard, Status};
use crate::danfse::board::{Board, FIELD, Field, TOP, column};
use crate::danfse::model::ISSUED;
use crate::pdf::font::{Font, width, win_ansi};
use crate::pdf::sheet::{A4_HEIGHT as HEIGHT, A4_WIDTH as WIDTH, CM, Mark, Sheets};
use crate::qr::QrCode;
use markup::format::{date, day, join, money, nbs, or_dash, service_code};

/// The QR code, at the place of item 2.4.3, which asks for 1.52 cm at least.
const QR_X: f32 = 17.48 * CM;
const QR_Y: f32 = 1.67 * CM;
const QR_SIDE: f32 = 1.70 * CM;

/// Lays the note out: what [`super::render`] writes as PDF.
pub fn assemble(danfse: &Danfse) -> Sheets {
    let national = danfse.standard == Standard::National;
    // A text that no QR code holds leaves the document without one.
    let qr = Some(&danfse.query_url)
        .filter(|url| !url.is_empty())
        .and_then(|url| QrCode::encode(url.as_bytes()).ok());
    let mut board = Board::new(continuation(danfse));
    header(&mut board, danfse);
    identification(&mut board, danfse, qr.is_some());
    parties::prestador(&mut board, danfse);
    parties::participants(&mut board, danfse);
    service(&mut board, danfse);
    taxes::iss(&mut board, danfse);
    taxes::federal(&mut board, &danfse.federal, national);
    match &danfse.ibs_cbs {
        Some(group) => taxes::ibs_cbs(&mut board, group),
        // The NT has no note without this block; a city's may.
        None if national => taxes::ibs_cbs(&mut board, &IbsCbs::default()),
        None => {}
    }
    totals(&mut board, danfse);
    information(&mut board, danfse);
    board.end(qr, marks(danfse))
}

/// Grey of the marks that NT 008 asks for: K35 (items 2.5.1 and 2.5.2).
const NT_GREY: f32 = 0.65;
/// Grey of ours, lighter so that the note stays easy to read.
const OUR_GREY: f32 = 0.78;

fn marks(danfse: &Danfse) -> Vec<Mark> {
    let mut marks = Vec::new();
    if danfse.simulated {
        marks.push(("SIMULADA", OUR_GREY));
    }
    if danfse.ambiente == Ambiente::Homologacao {
        marks.push(("SEM VALOR FISCAL - AMBIENTE DE HOMOLOGAÇÃO", OUR_GREY));
    }
    match danfse.status {
        Status::Normal => {}
        Status::Cancelled => marks.push(("CANCELADA", NT_GREY)),
        Status::Replaced => marks.push(("SUBSTITUÍDA", NT_GREY)),
    }
    let mark = |(text, grey)| {
        let text = win_ansi(text);
        Mark {
            size: mark_size(&text),
            text,
            grey,
        }
    };
    marks.into_iter().map(mark).collect()
}

fn continuation(danfse: &Danfse) -> String {
    let (name, code) = match danfse.standard {
        Standard::National => ("DANFSe v2.0", &danfse.chave),
        Standard::Abrasf => ("NFS-e", &danfse.verification_code),
    };
    format!(
        "{name} (continuação)   NFS-e nº {}   {}",
        or_dash(&danfse.number),
        or_dash(code)
    )
}

fn header(board: &mut Board, danfse: &Danfse) {
    let height = 1.16 * CM;
    board.shadow(column(0), TOP, column(4) - column(0), height);
    let x = 0.49 * CM;
    board.written(x, column(1), TOP + 18.0, 18.0, Font::Bold, "NFS-e");
    let name = "Nota Fiscal de Serviço eletrônica";
    board.written(x, column(1), TOP + 27.0, 6.0, Font::Normal, name);

    let (title, name) = match danfse.standard {
        Standard::National => ("DANFSe v2.0", "Documento Auxiliar da NFS-e"),
        Standard::Abrasf => ("NFS-e MUNICIPAL", "Documento Auxiliar da NFS-e"),
    };
    let (from, to) = (column(1), column(3));
    board.centred(from, to, TOP + 10.0, 9.0, Font::Bold, title);
    board.centred(from, to, TOP + 20.0, 9.0, Font::Bold, name);
    let notice = match (danfse.simulated, danfse.ambiente) {
        (true, _) => "NFS-e SIMULADA, SEM VALIDADE JURÍDICA",
        // Item 2.4.3, in these words and in red.
        (false, Ambiente::Homologacao) => "NFS-e SEM VALIDADE JURÍDICA",
        (false, Ambiente::Production) => "",
    };
    if !notice.is_empty() {
        board.centred(from, to, TOP + 30.0, 9.0, Font::Bold, notice);
        board.in_red();
    }

    let (x, end) = (column(3), column(4) - 0.1 * CM);
    // Item 99 is not of any municipality's competence (item 2.4.3).
    if !danfse.iss.not_subject {
        let municipality = format!("Município: {}", city_uf(&danfse.municipality));
        board.written(x, end, TOP + 9.5, 8.0, Font::Normal, &municipality);
    }
    let generator = format!("Ambiente Gerador: {}", or_dash(&danfse.generator));
    board.written(x, end, TOP + 20.0, 6.0, Font::Normal, &generator);
    let kind = match danfse.ambiente {
        Ambiente::Production => "Tipo de Ambiente: Produção",
        Ambiente::Homologacao => "Tipo de Ambiente: Homologação",
    };
    board.written(x, end, TOP + 28.0, 6.0, Font::Normal, kind);
    board.move_down_to(1.47 * CM);
}

/// The national layout has `cStat` here, how the note was generated: it has no code of a
/// cancellation, and the mark tells it. A city's file of before the event says what is no longer so.
fn situation(danfse: &Danfse) -> &str {
    match danfse.status {
        Status::Cancelled if danfse.status_text == ISSUED => "NFS-e cancelada",
        Status::Replaced if danfse.status_text == ISSUED => "NFS-e substituída",
        _ => &danfse.status_text,
    }
}

fn identification(board: &mut Board, danfse: &Danfse, has_qr: bool) {
    board.divider();
    let start = board.y();
    let national = danfse.standard == Standard::National;
    let labels = if national {
        [
            "CHAVE DE ACESSO DA NFS-e",
            "NÚMERO DA DPS",
            "SÉRIE DA DPS",
            "DATA E HORA DA EMISSÃO DA DPS",
        ]
    } else {
        [
            "CÓDIGO DE VERIFICAÇÃO DA NFS-e",
            "NÚMERO DO RPS",
            "SÉRIE DO RPS",
            "DATA E HORA DA EMISSÃO DO RPS",
        ]
    };
    let [code, number, serie, issued] = labels;
    let value = if national {
        &danfse.chave
    } else {
        &danfse.verification_code
    };
    let field = |at, label, value: &str| Field::new(at, 1, label, or_dash(value));
    // The rows of this block are a little higher than the others (annex I).
    let slack = 0.075 * CM;
    board.fields(&[Field::new(0, 3, code, or_dash(value))]);
    board.move_down(slack);
    board.fields(&[
        field(0, "NÚMERO DA NFS-e", &danfse.number),
        field(1, "COMPETÊNCIA DA NFS-e", &day(&danfse.competence)),
        field(2, "DATA E HORA DA EMISSÃO DA NFS-e", &date(&danfse.issued)),
    ]);
    board.move_down(slack);
    board.fields(&[
        field(0, number, &danfse.dps_number),
        field(1, serie, &danfse.serie_dps),
        field(2, issued, &date(&danfse.dps_issued)),
    ]);
    board.move_down(slack);
    board.fields(&[
        field(0, "EMITENTE DA NFS-e", &danfse.emitter).shaded(),
        field(1, "SITUAÇÃO DA NFS-e", situation(danfse)),
        field(2, "FINALIDADE", &danfse.purpose),
    ]);

    let mut y = start + 12.0;
    if has_qr {
        board.qr(QR_X, QR_Y, QR_SIDE);
        y = QR_Y + QR_SIDE + 8.0;
    }
    let notice = match (danfse.standard, has_qr) {
        (Standard::National, true) => [
            "A autenticidade desta NFS-e pode ser verificada",
            "pela leitura deste código QR ou pela consulta da",
            "chave de acesso no portal nacional da NFS-e",
        ],
        (Standard::National, false) => [
            "A autenticidade desta NFS-e pode ser verificada",
            "pela consulta da chave de acesso no portal",
            "nacional da NFS-e",
        ],
        (Standard::Abrasf, true) => [
            "A autenticidade desta NFS-e pode ser verificada",
            "pela leitura deste código QR ou no portal do",
            "município, com o código de verificação",
        ],
        (Standard::Abrasf, false) => [
            "A autenticidade desta NFS-e pode ser verificada",
            "no portal do município, com o número e o",
            "código de verificação",
        ],
    };
    for line in notice {
        board.centred(column(3), column(4), y, 6.0, Font::Normal, line);
        y += 6.7;
    }
}

fn service(board: &mut Board, danfse: &Danfse) {
    let service = &danfse.service;
    board.reserve(3.0 * FIELD);
    board.divider();
    let codes = join(&[
        &service_code(&service.national_code),
        &service.municipal_code,
    ]);
    let label = match danfse.standard {
        Standard::National => "Código de Tributação Nacional / Municipal",
        Standard::Abrasf => "Item da LC 116/2003 / Código Municipal",
    };
    let mut fields = vec![
        Field::title("SERVIÇO PRESTADO"),
        Field::new(1, 1, label, codes),
    ];
    if service.cnae.is_empty() {
        let nbs = nbs(&service.nbs);
        fields.push(Field::new(2, 1, "Código da NBS", or_dash(&nbs)));
    } else {
        let value = join(&[&nbs(&service.nbs), &service.cnae]);
        fields.push(Field::new(2, 1, "Código da NBS / CNAE", value));
    }
    fields.push(Field::new(
        3,
        1,
        "Local da Prestação / Sigla UF / País",
        place(&service.local),
    ));
    board.fields(&fields);
    if !service.code_description.trim().is_empty() {
        board.running_text("", &service.code_description);
    }
    board.running_text("Descrição do Serviço", or_dash(&service.description));
}

fn totals(board: &mut Board, danfse: &Danfse) {
    let totals = &danfse.totals;
    board.reserve(2.0 * FIELD);
    board.divider();
    board.fields(&[
        Field::title("VALOR TOTAL DA NFS-e"),
        Field::new(1, 1, "VALOR DA OPERAÇÃO / SERVIÇO", money(totals.service)),
        Field::new(
            2,
            1,
            "Desconto Incondicionado",
            money(totals.unconditional_discount),
        ),
        Field::new(
            3,
            1,
            "Desconto Condicionado",
            money(totals.conditional_discount),
        ),
    ]);
    let retentions = Field::new(
        0,
        1,
        "Total das Retenções (ISSQN / Federais)",
        money(totals.retentions),
    );
    let net = Field::new(1, 1, "VALOR LÍQUIDO DA NFS-e", money(totals.net));
    if danfse.standard == Standard::Abrasf && danfse.ibs_cbs.is_none() {
        board.fields(&[retentions, net.highlighted()]);
        return;
    }
    board.fields(&[
        retentions,
        net,
        Field::new(2, 1, "Total do IBS/CBS", money(totals.ibs_cbs)),
        Field::new(
            3,
            1,
            "VALOR LÍQUIDO DA NFS-e + IBS/CBS",
            money(totals.net_with_ibs_cbs),
        )
        .highlighted(),
    ]);
}

fn information(board: &mut Board, danfse: &Danfse) {
    board.sentence("INFORMAÇÕES COMPLEMENTARES");
    let text = danfse.information.join("\n\n");
    board.running_text("", or_dash(&text));
}

/// Size of a mark across the page in points: as large as the diagonal takes, at
/// most 64. Item 2.5.1 asks for 50 at least, which the words it names reach.
fn mark_size(mark: &[u8]) -> f32 {
    // What is left of the diagonal with the corners cut off.
    let space = (WIDTH * WIDTH + HEIGHT * HEIGHT).sqrt() * 0.78;
    let per_point = width(mark, Font::Bold, 1.0).max(1.0);
    (space / per_point).min(64.0)
}

/// "Niterói / RJ"; the code stands in for a name that is not known.
fn city_uf(municipality: &Municipality) -> String {
    let uf = if municipality.country.is_empty() {
        municipality.uf.clone()
    } else {
        [&*municipality.uf, &*municipality.country]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" - ")
    };
    join(&[name(municipality), &uf])
}

/// "Niterói / RJ / -": the country only if it is not Brazil.
fn place(municipality: &Municipality) -> String {
    join(&[name(municipality), &municipality.uf, &municipality.country])
}

fn name(municipality: &Municipality) -> &str {
    if municipality.name.trim().is_empty() {
        &municipality.code
    } else {
        &municipality.name
    }
}
