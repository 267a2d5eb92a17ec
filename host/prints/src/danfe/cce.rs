//! The printout of correction letters (event 110110) of one note.
//!
//! No norm gives it a layout; it says what the event's XML says. Each letter
//! replaces the one before, so all that the XML has are printed, the conditions
//! of use from the XML itself.

use super::nota::{Node, Nota};
use super::{DanfeError, PrintOptions};
use crate::board::{Align, Area, Board, Field, INDENT, MM};
use crate::code128::Code128;
use crate::danfe::a4::additional::who;
use crate::danfe::a4::header::within;
use crate::danfe::values::{date_and_time, group, join, nota_number, serie, value};
use crate::pdf::font::{Font, win_ansi, wrap};
use crate::pdf::image::Image;
use crate::pdf::sheet::{A4_HEIGHT, A4_WIDTH, Item, Sheets};
use crate::pdf::writing::marks;
use markup::format::document;
use markup::xml::{Document, Element};

const MARGIN: f32 = 8.0 * MM;
const FIELD: f32 = 8.4 * MM;
const BOTTOM: f32 = A4_HEIGHT - MARGIN;
const WIDTH: f32 = A4_WIDTH - 2.0 * MARGIN;
/// A note takes 20 letters.
const MAX_LETTERS: usize = 20;
/// `xCorrecao` has at most 1,000 characters, `xCondUso` some 800.
const MAX_TEXT: usize = 5_000;

/// A letter and the answer to it.
struct Letter<'d> {
    event: Node<'d>,
    detail: Node<'d>,
    record: Node<'d>,
}

/// Lays the letters of a document out; `nota` says who the parties are.
///
/// # Errors
/// No letter inside, letters of more than one note, more than twenty of them, or
/// a text that is too long.
pub fn assemble(
    doc: &Document<'_>,
    nota: Option<&Nota<'_>>,
    options: &PrintOptions<'_>,
    logo: Option<Image>,
) -> Result<Sheets, DanfeError> {
    let letters = letters(doc)?;
    let Some(first) = letters.first() else {
        return Err(DanfeError::NoLetter);
    };
    let chave = first.event.t("chNFe");
    if letters
        .iter()
        .any(|letter| letter.event.t("chNFe") != chave)
    {
        return Err(DanfeError::SeveralNotas(letters.len()));
    }
    let homologacao = first.event.t("tpAmb") != "1";
    let mut sheets = Pages {
        board: Board::default(),
        finished: Vec::new(),
        y: 0.0,
        chave: &chave,
        nota,
        emitter: first.event.one_of(&["CNPJ", "CPF"]).into_owned(),
        logo: logo.as_ref(),
    };
    sheets.header();
    sheets.of_nota();
    for letter in &letters {
        sheets.letter(letter);
    }
    let mut pages = sheets.finished;
    pages.push(sheets.board);
    number(&mut pages);
    let size = (A4_WIDTH, A4_HEIGHT);
    let mut words = Vec::new();
    if homologacao {
        words.push("SEM VALOR FISCAL");
    }
    words.extend(options.mark);
    Ok(Sheets {
        size,
        marks: marks(&words, size, 60.0),
        pages: pages.into_iter().map(|page| page.items).collect(),
        qr: None,
        logo,
    })
}

fn letters<'d>(doc: &'d Document<'_>) -> Result<Vec<Letter<'d>>, DanfeError> {
    let mut letters = Vec::new();
    let events = doc
        .root()
        .descendants_or_self()
        .filter(|element| element.name() == "infEvento" && element.child("detEvento").is_some());
    for inf in events {
        let event = Node::from(inf);
        if event.t("tpEvento") != "110110" {
            continue;
        }
        let record = inf
            .parent()
            .and_then(Element::parent)
            .and_then(|proc| proc.child("retEvento"))
            .and_then(|ret| ret.child("infEvento"));
        let detail = event.node("detEvento");
        let along = |name| detail.t(name).len() > MAX_TEXT;
        if letters.len() == MAX_LETTERS || along("xCorrecao") || along("xCondUso") {
            return Err(DanfeError::Long);
        }
        letters.push(Letter {
            event,
            detail,
            record: Node::maybe(record),
        });
    }
    Ok(letters)
}

struct Pages<'l, 'd> {
    board: Board,
    finished: Vec<Board>,
    y: f32,
    chave: &'l str,
    nota: Option<&'l Nota<'d>>,
    emitter: String,
    logo: Option<&'l Image>,
}

impl Pages<'_, '_> {
    fn area(&self, height: f32) -> Area {
        Area {
            x: MARGIN,
            y: self.y,
            width: WIDTH,
            height,
        }
    }

    fn reserve(&mut self, height: f32) {
        if self.y + height > BOTTOM - 10.0 {
            self.finished.push(std::mem::take(&mut self.board));
            self.header();
        }
    }

    /// Title, issuer, bar code and key: on every page.
    fn header(&mut self) {
        self.y = MARGIN;
        let area = self.area(34.0 * MM);
        self.board.frame(area);
        let boundary = area.x + 88.0 * MM;
        self.board
            .line((boundary, area.y), (boundary, area.bottom()), 0.5);
        let mut bounds = (area.x + INDENT, boundary - INDENT);
        if let Some(logo) = self.logo {
            let (width, height) = within(logo, (26.0 * MM, area.height - 2.0 * INDENT));
            self.board.items.push(Item::Logo {
                x: bounds.0,
                y: area.y + (area.height - height) / 2.0,
                width,
                height,
            });
            bounds.0 += width + INDENT;
        }
        let bold = Font::TimesBold;
        let mut y = area.y + 20.0;
        if let Some(nota) = self.nota {
            let manner = (Align::Centre, 12.0, 3);
            let name = nota.emit.t("xNome");
            let lines = self.board.paragraph(bounds, y, (bold, 11.0), manner, &name);
            y += lines as f32 * 12.0;
            let rest = who(nota.emit, nota.emit.node("enderEmit"));
            let manner = (Align::Centre, 9.0, 3);
            y += 9.0
                * self
                    .board
                    .paragraph(bounds, y, (Font::Times, 8.0), manner, &rest)
                    as f32;
        }
        let emitter = format!("CNPJ / CPF {}", document(&self.emitter));
        self.board
            .fitted(bounds, y, (bold, 9.0), Align::Centre, &emitter);

        let right = (boundary + INDENT, area.right() - INDENT);
        let title = "CARTA DE CORREÇÃO ELETRÔNICA";
        self.board
            .fitted(right, area.y + 14.0, (bold, 13.0), Align::Centre, title);
        if let Ok(code) = Code128::new(self.chave) {
            let bars = Area {
                x: boundary,
                y: area.y + 20.0,
                width: area.right() - boundary,
                height: 14.0 * MM,
            };
            self.board.barcode(bars, &code);
        }
        let caption = "CHAVE DE ACESSO DA NF-e";
        let y = area.bottom() - 17.0;
        self.board
            .fitted(right, y, (Font::Times, 6.0), Align::Left, caption);
        let groups = group(self.chave, 4, " ");
        self.board.fitted(
            right,
            area.bottom() - 5.0,
            (bold, 10.5),
            Align::Centre,
            &groups,
        );
        self.y = area.bottom();
    }

    fn title(&mut self, text: &str, after: f32) {
        self.reserve(11.0 + after);
        self.board.title(MARGIN, self.y + 8.4, text);
        self.y += 11.0;
    }

    fn row(&mut self, fields: &[Field<'_>]) {
        self.reserve(FIELD);
        let area = self.area(FIELD);
        self.board.row(area, fields);
        self.y += FIELD;
    }

    fn of_nota(&mut self) {
        let chave = self.chave;
        let part = |from: usize, to: usize| chave.get(from..to).unwrap_or("");
        let number = nota_number(part(25, 34));
        let issued = match self.nota {
            Some(nota) => date_and_time(&nota.ide.one_of(&["dhEmi", "dEmi"])).0,
            None => format!("{}/20{}", part(4, 6), part(2, 4)),
        };
        self.title("NOTA FISCAL ELETRÔNICA", FIELD);
        self.row(&[
            Field::new(0.0, "MODELO", part(20, 22)),
            Field::new(0.0, "SÉRIE", serie(part(22, 25))),
            Field::new(0.0, "NÚMERO", number).bold(),
            Field::new(0.0, "EMISSÃO", issued),
        ]);
        let Some(nota) = self.nota else {
            return;
        };
        let (dest, ender) = (nota.dest, nota.dest.node("enderDest"));
        let whose = dest.one_of(&["CNPJ", "CPF", "idEstrangeiro"]);
        self.row(&[
            Field::new(0.0, "DESTINATÁRIO / REMETENTE", dest.t("xNome")),
            Field::new(42.0, "CNPJ / CPF", document(&whose)),
            Field::new(
                50.0,
                "MUNICÍPIO / UF",
                join([&*ender.t("xMun"), &*ender.t("UF")], " - "),
            ),
        ]);
        let total = value(&nota.total.node("ICMSTot").t("vNF"));
        self.row(&[
            Field::new(0.0, "NATUREZA DA OPERAÇÃO", nota.ide.t("natOp")),
            Field::new(42.0, "PROTOCOLO DA NOTA", nota.prot.t("nProt")),
            Field::new(50.0, "VALOR TOTAL DA NOTA", total).aligned(Align::Right),
        ]);
    }

    fn letter(&mut self, letter: &Letter<'_>) {
        let (event, record) = (letter.event, letter.record);
        let when = |text: &str| {
            let (day, hour) = date_and_time(text);
            join([&*day, &*hour], " ")
        };
        let sequence = event.t("nSeqEvento");
        let title = format!("CARTA DE CORREÇÃO Nº {sequence}");
        self.title(&title, 2.0 * FIELD);
        let ambiente = match &*event.t("tpAmb") {
            "1" => "Produção",
            _ => "Homologação - sem valor fiscal",
        };
        self.row(&[
            Field::new(24.0, "SEQUÊNCIA", &*sequence).bold(),
            Field::new(0.0, "DATA E HORA DO EVENTO", when(&event.t("dhEvento"))),
            Field::new(0.0, "AMBIENTE", ambiente),
            Field::new(24.0, "ÓRGÃO", event.t("cOrgao")),
        ]);
        let protocol = record.t("nProt");
        let protocol = if protocol.is_empty() {
            "SEM PROTOCOLO DE REGISTRO".into()
        } else {
            protocol
        };
        let status = join([&*record.t("cStat"), &*record.t("xMotivo")], " - ");
        self.row(&[
            Field::new(54.0, "PROTOCOLO DE REGISTRO", protocol).bold(),
            Field::new(
                48.0,
                "DATA E HORA DO REGISTRO",
                when(&record.t("dhRegEvento")),
            ),
            Field::new(0.0, "SITUAÇÃO", status),
        ]);
        let correction = letter.detail.t("xCorrecao");
        self.text(
            "CORREÇÃO A SER CONSIDERADA",
            (Font::Times, 10.0),
            &correction,
        );
        let conditions = letter.detail.t("xCondUso");
        self.text("CONDIÇÕES DE USO", (Font::Times, 7.5), &conditions);
    }

    /// A box with a text of any length.
    fn text(&mut self, label: &str, (font, size): (Font, f32), text: &str) {
        let leading = size * 1.2;
        let encoded = win_ansi(text);
        let lines = wrap(&encoded, font, size, WIDTH - 2.0 * INDENT);
        let mut lines = lines.into_iter().peekable();
        self.reserve(10.0 + 3.0 * leading);
        while lines.peek().is_some() {
            let fit = ((BOTTOM - 10.0 - self.y - 14.0) / leading).max(1.0) as usize;
            let these: Vec<&[u8]> = lines.by_ref().take(fit).collect();
            let area = self.area(12.0 + these.len() as f32 * leading);
            self.board.frame(area);
            self.board.label(area, label);
            let bounds = (area.x + INDENT, area.right() - INDENT);
            for (at, line) in these.into_iter().enumerate() {
                let y = area.y + 9.0 + size + at as f32 * leading;
                let font = (font, size);
                self.board
                    .written(bounds, y, font, Align::Left, line.to_vec());
            }
            self.y = area.bottom();
            if lines.peek().is_some() {
                self.reserve(BOTTOM);
            }
        }
    }
}

fn number(pages: &mut [Board]) {
    let total = pages.len();
    for (at, page) in pages.iter_mut().enumerate() {
        let text = format!("Folha {} de {total}", at + 1);
        let bounds = (MARGIN, MARGIN + WIDTH);
        let font = (Font::Times, 7.0);
        page.fitted(bounds, BOTTOM, font, Align::Right, &text);
    }
}
