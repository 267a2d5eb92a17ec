//! DANFE NFC-e (Manual do DANFE NFC-e e QR Code, v6.0, second-hand) on a roll: one
//! page as long as the note. A NF-e with `tpImp` 6 has the same divisions as DANFE
//! Simplificado Tipo 2 (NT 2026.003, second-hand).

use std::str::FromStr as _;

use rust_decimal::Decimal;

use super::a4::marks;
use super::nota::{Node, Nota};
use super::{DanfeError, PrintOptions};
use crate::board::{Align, Board, MM};
use crate::danfe::a4::header::within;
use crate::danfe::values::{
    date_and_time, group, join, nota_number, number, payment_kind, positive, serie, value,
};
use crate::pdf::font::Font;
use crate::pdf::image::Image;
use crate::pdf::sheet::{Item, Sheets};
use crate::qr::QrCode;
use markup::format::document;

/// Left and right (2 mm at least, §3.3).
const MARGIN: f32 = 3.0 * MM;
/// A PDF page may be 14,400 points long: five metres.
const MAX_HEIGHT: f32 = 14_000.0;
const NORMAL: Font = Font::Normal;
const BOLD: Font = Font::Bold;

/// Lays the note out.
///
/// # Errors
/// None at present: what is too long is refused when the note is read.
pub fn assemble(
    nota: &Nota<'_>,
    options: &PrintOptions<'_>,
    logo: Option<Image>,
) -> Result<Sheets, DanfeError> {
    let width = f32::from(options.width_mm.clamp(56, 120)) * MM;
    let qr = Some(nota.supl.t("qrCode"))
        .filter(|text| !text.is_empty())
        .and_then(|text| QrCode::encode(text.as_bytes()).ok());
    let mut roll = Roll::new(width, f32::MAX);
    roll.everything(nota, options, logo.as_ref(), qr.is_some());
    if roll.y > MAX_HEIGHT {
        // Pages of the same length, with room for what is not broken.
        let pages = (roll.y / (MAX_HEIGHT - 400.0)).ceil();
        let each = roll.y / pages + 200.0;
        roll = Roll::new(width, each);
        roll.everything(nota, options, logo.as_ref(), qr.is_some());
    }
    let height = roll.height + 4.0 * MM;
    roll.pages.push(roll.board);
    let size = (width, height);
    Ok(Sheets {
        size,
        pages: roll.pages.into_iter().map(|page| page.items).collect(),
        qr,
        logo,
        marks: marks(nota, options, size, 30.0),
    })
}

/// The roll being printed.
struct Roll {
    board: Board,
    pages: Vec<Board>,
    y: f32,
    /// The longest page.
    height: f32,
    limit: f32,
    bounds: (f32, f32),
    /// Narrow rolls have smaller print.
    body: f32,
}

impl Roll {
    fn new(width: f32, limit: f32) -> Roll {
        Roll {
            board: Board::default(),
            pages: Vec::new(),
            y: MARGIN,
            height: 0.0,
            limit,
            bounds: (MARGIN, width - MARGIN),
            body: if width < 70.0 * MM { 6.5 } else { 7.5 },
        }
    }

    fn space(&self) -> f32 {
        self.bounds.1 - self.bounds.0
    }

    fn move_down(&mut self, amount: f32) {
        self.y += amount;
        self.height = self.height.max(self.y);
    }

    fn turn_if_full(&mut self) {
        if self.y > self.limit {
            self.pages.push(std::mem::take(&mut self.board));
            self.y = MARGIN;
        }
    }

    /// A text of any length.
    fn text(&mut self, font: Font, size: f32, align: Align, text: &str) {
        if text.is_empty() {
            return;
        }
        let leading = size * 1.18;
        let manner = (align, leading, usize::MAX);
        let y = self.y + size;
        let lines = self
            .board
            .paragraph(self.bounds, y, (font, size), manner, text);
        self.move_down(lines as f32 * leading);
    }

    fn centred(&mut self, font: Font, text: &str) {
        self.text(font, self.body, Align::Centre, text);
    }

    /// A name on the left and an amount on the right; the name gives way.
    fn pair(&mut self, font: Font, name: &str, amount: &str) {
        let size = self.body;
        let y = self.y + size;
        let middle = self.bounds.1 - self.space() * 0.36;
        let (from, to) = self.bounds;
        self.board
            .fitted((middle, to), y, (font, size), Align::Right, amount);
        let manner = (Align::Left, size * 1.18, usize::MAX);
        let lines = self
            .board
            .paragraph((from, middle - 2.0), y, (font, size), manner, name);
        self.move_down(lines as f32 * size * 1.18 + 0.6);
    }

    fn divider(&mut self) {
        self.move_down(2.5);
        let (from, to) = self.bounds;
        self.board.items.push(Item::CutLine {
            x: from,
            y: self.y,
            to_x: to,
            to_y: self.y,
        });
        self.move_down(2.5);
    }

    fn everything(
        &mut self,
        nota: &Nota<'_>,
        options: &PrintOptions<'_>,
        logo: Option<&Image>,
        with_qr: bool,
    ) {
        self.emitter(nota, logo);
        self.notices(nota, options);
        self.divider();
        self.items(nota);
        self.divider();
        self.totals(nota);
        self.divider();
        self.query(nota);
        if with_qr {
            self.qr();
        }
        self.divider();
        self.consumer(nota);
        self.identification(nota);
        self.notices(nota, options);
        self.messages(nota, options);
        // All of the last page counts.
        self.move_down(0.0);
    }

    fn emitter(&mut self, nota: &Nota<'_>, logo: Option<&Image>) {
        if let Some(logo) = logo {
            let (width, height) = within(logo, (self.space() * 0.7, 14.0 * MM));
            self.board.items.push(Item::Logo {
                x: self.bounds.0 + (self.space() - width) / 2.0,
                y: self.y,
                width,
                height,
            });
            self.move_down(height + 3.0);
        }
        let emit = nota.emit;
        self.text(BOLD, self.body + 1.5, Align::Centre, &emit.t("xNome"));
        let ie = emit.t("IE");
        let ie = if ie.is_empty() {
            String::new()
        } else {
            format!("IE: {ie}")
        };
        let cnpj = document(&emit.one_of(&["CNPJ", "CPF"]));
        let label = if emit.t("CNPJ").is_empty() {
            "CPF"
        } else {
            "CNPJ"
        };
        self.centred(NORMAL, &join([&*format!("{label}: {cnpj}"), &*ie], "  "));
        self.centred(NORMAL, &address(emit.node("enderEmit")));
        self.move_down(2.0);
        if nota.ide.t("mod") == "65" {
            let title = "Documento Auxiliar da Nota Fiscal de Consumidor Eletrônica";
            self.centred(BOLD, title);
        } else {
            self.centred(BOLD, "DANFE Simplificado Tipo 2");
        }
    }

    /// What must be seen at once; printed twice, as the manual asks of the
    /// contingency.
    fn notices(&mut self, nota: &Nota<'_>, options: &PrintOptions<'_>) {
        let mut notices: Vec<&str> = Vec::new();
        if nota.ide.t("tpEmis") == "9" {
            notices.push("EMITIDA EM CONTINGÊNCIA");
            if !nota.authorized() {
                notices.push("Pendente de autorização");
            }
        } else if !nota.authorized() {
            notices.push("SEM AUTORIZAÇÃO DE USO");
        }
        if nota.homologacao() {
            notices.push("EMITIDA EM AMBIENTE DE HOMOLOGAÇÃO - SEM VALOR FISCAL");
        }
        if options.cancelled {
            notices.push("NOTA CANCELADA");
        }
        notices.extend(options.mark);
        if !notices.is_empty() {
            self.move_down(2.0);
        }
        for notice in notices {
            self.centred(BOLD, notice);
        }
    }

    fn items(&mut self, nota: &Nota<'_>) {
        self.pair(BOLD, "Código  Descrição", "");
        self.pair(BOLD, "Qtde. Un. x Vl. unit.", "Vl. total");
        self.move_down(1.5);
        for det in nota.items() {
            self.turn_if_full();
            let prod = det.node("prod");
            let name = join([&*prod.t("cProd"), &*prod.t("xProd")], "  ");
            self.text(NORMAL, self.body, Align::Left, &name);
            let information = det.t("infAdProd");
            self.text(NORMAL, self.body - 1.0, Align::Left, &information);
            let sum = format!(
                "{} {} x {}",
                number(&prod.t("qCom"), 0),
                prod.t("uCom"),
                number(&prod.t("vUnCom"), 2)
            );
            self.pair(NORMAL, &sum, &value(&prod.t("vProd")));
            for (field, label, sign) in [
                ("vDesc", "Desconto", "-"),
                ("vFrete", "Frete", "+"),
                ("vSeg", "Seguro", "+"),
                ("vOutro", "Outras despesas", "+"),
            ] {
                let amount = prod.t(field);
                if positive(&amount) {
                    self.pair(NORMAL, label, &format!("{sign}{}", value(&amount)));
                }
            }
        }
    }

    fn totals(&mut self, nota: &Nota<'_>) {
        let total = nota.total.node("ICMSTot");
        self.pair(
            NORMAL,
            "Qtde. total de itens",
            &nota.items().count().to_string(),
        );
        let services = nota.total.node("ISSQNtot").t("vServ");
        self.pair(
            NORMAL,
            "Valor total R$",
            &sum(&[&total.t("vProd"), &services]),
        );
        for (field, label) in [
            ("vFrete", "Frete R$"),
            ("vSeg", "Seguro R$"),
            ("vOutro", "Acréscimos R$"),
            ("vDesc", "Desconto R$"),
        ] {
            let amount = total.t(field);
            if positive(&amount) {
                self.pair(NORMAL, label, &value(&amount));
            }
        }
        self.pair(BOLD, "Valor a pagar R$", &value(&total.t("vNF")));
        self.move_down(2.0);
        self.pair(BOLD, "FORMA DE PAGAMENTO", "VALOR PAGO R$");
        for det in nota.payments() {
            let other = det.t("xPag");
            let form = payment_kind(&det.t("tPag"));
            let form = if other.is_empty() { form } else { &*other };
            self.pair(NORMAL, form, &value(&det.t("vPag")));
        }
        let change = nota.inf.node("pag").t("vTroco");
        if !change.is_empty() {
            self.pair(NORMAL, "Troco R$", &value(&change));
        }
        let (reforma, selective) = (nota.total.node("IBSCBSTot"), nota.total.node("ISTot"));
        let taxes = [
            ("CBS R$", reforma.node("gCBS").t("vCBS")),
            ("IBS R$", reforma.node("gIBS").t("vIBS")),
            ("IS R$", selective.t("vIS")),
        ];
        for (label, amount) in taxes {
            if !amount.is_empty() {
                self.pair(NORMAL, label, &value(&amount));
            }
        }
    }

    fn query(&mut self, nota: &Nota<'_>) {
        self.centred(NORMAL, "Consulte pela chave de acesso em");
        self.centred(NORMAL, &nota.supl.t("urlChave"));
        self.move_down(1.0);
        // One line where it fits: half the text size keeps it legible.
        let groups = group(nota.chave, 4, " ");
        if self.space() >= 60.0 * MM {
            let y = self.y + self.body;
            let font = (BOLD, self.body);
            self.board
                .fitted(self.bounds, y, font, Align::Centre, &groups);
            self.move_down(self.body * 1.2);
        } else {
            // Six groups and five, rather than wherever the roll ends.
            let (one, two) = groups.split_at_checked(30).unwrap_or((&groups, ""));
            self.centred(BOLD, one.trim_end());
            self.centred(BOLD, two);
        }
    }

    /// §3.4: 25 mm at least, four modules of white around.
    fn qr(&mut self) {
        let side = if self.space() < 60.0 * MM { 29.0 } else { 34.0 } * MM;
        self.move_down(3.5 * MM);
        self.board.items.push(Item::Qr {
            x: self.bounds.0 + (self.space() - side) / 2.0,
            y: self.y,
            side,
        });
        self.move_down(side + 2.5 * MM);
    }

    fn consumer(&mut self, nota: &Nota<'_>) {
        let dest = nota.dest;
        let (cnpj, cpf, outside) = (dest.t("CNPJ"), dest.t("CPF"), dest.t("idEstrangeiro"));
        let who = if !cnpj.is_empty() {
            format!("CONSUMIDOR CNPJ: {}", document(&cnpj))
        } else if !cpf.is_empty() {
            format!("CONSUMIDOR CPF: {}", document(&cpf))
        } else if !outside.is_empty() {
            format!("CONSUMIDOR ID. ESTRANGEIRO: {outside}")
        } else {
            "CONSUMIDOR NÃO IDENTIFICADO".to_owned()
        };
        self.centred(BOLD, &who);
        self.centred(NORMAL, &dest.t("xNome"));
        self.centred(NORMAL, &address(dest.node("enderDest")));
    }

    fn identification(&mut self, nota: &Nota<'_>) {
        let (day, hour) = date_and_time(&nota.ide.t("dhEmi"));
        let name = if nota.ide.t("mod") == "65" {
            "NFC-e"
        } else {
            "NF-e"
        };
        let text = format!(
            "{name} nº {}  Série {}  {day} {hour}",
            nota_number(&nota.ide.t("nNF")),
            serie(&nota.ide.t("serie"))
        );
        self.move_down(2.0);
        self.centred(BOLD, &text);
        let protocol = nota.prot.t("nProt");
        if !protocol.is_empty() {
            let (day, hour) = date_and_time(&nota.prot.t("dhRecbto"));
            self.centred(NORMAL, &format!("Protocolo de autorização: {protocol}"));
            self.centred(NORMAL, &format!("Data de autorização: {day} {hour}"));
        }
    }

    fn messages(&mut self, nota: &Nota<'_>, options: &PrintOptions<'_>) {
        let adic = nota.inf.node("infAdic");
        let taxes = nota.total.node("ICMSTot").t("vTotTrib");
        let (authority, free) = (adic.t("infAdFisco"), adic.t("infCpl"));
        if authority.is_empty() && free.is_empty() && !positive(&taxes) {
            return;
        }
        self.divider();
        let cut = |c: char| c == '\n' || (c == ';' && options.wrap_at_semicolon);
        let size = self.body - 0.5;
        for part in authority.split(cut) {
            self.text(NORMAL, size, Align::Left, part.trim());
        }
        if positive(&taxes) {
            let text = format!(
                "Tributos totais incidentes (Lei Federal 12.741/2012): R$ {}",
                value(&taxes)
            );
            self.text(NORMAL, size, Align::Left, &text);
        }
        for part in free.split(cut) {
            self.turn_if_full();
            self.text(NORMAL, size, Align::Left, part.trim());
        }
    }
}

fn address(ender: Node<'_>) -> String {
    join(
        [
            &*ender.t("xLgr"),
            &*ender.t("nro"),
            &*ender.t("xCpl"),
            &*ender.t("xBairro"),
            &*join([&*ender.t("xMun"), &*ender.t("UF")], " - "),
        ],
        ", ",
    )
}

/// Sum of amounts; the first as it stands if one of them is no number.
fn sum(parts: &[&str]) -> String {
    let sum = parts
        .iter()
        .filter(|part| !part.is_empty())
        .try_fold(Decimal::ZERO, |sum, part| {
            sum.checked_add(Decimal::from_str(part).ok()?)
        });
    match sum {
        Some(sum) => number(&sum.to_string(), 2),
        None => value(parts.first().unwrap_or(&"")),
    }
}
