//! The blocks between the header and the items.

use std::borrow::Cow;

use crate::board::{Align, Area, Field, INDENT, MM};
use crate::danfe::a4::paging::{Flow, TITLE};
use crate::danfe::nota::{Node, Nota};
use crate::danfe::values::{date_and_time, join, number, positive, value};
use crate::pdf::font::Font;
use markup::format::{cep, day, document, telephone};

/// How much room the blocks before the items take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tightness {
    /// Rows of volumes; the other ones go to the additional data.
    pub volumes: usize,
    /// Places of pickup and delivery on two rows instead of three.
    pub lower_places: bool,
    /// Rows of instalments; the other ones go to the next page.
    pub installments: usize,
}

impl Tightness {
    /// From the usual one to the tightest that still shows every instalment at
    /// its place.
    pub const ALL: [Tightness; 3] = [
        Tightness {
            volumes: 3,
            lower_places: false,
            installments: usize::MAX,
        },
        Tightness {
            volumes: 1,
            lower_places: false,
            installments: usize::MAX,
        },
        Tightness {
            volumes: 1,
            lower_places: true,
            installments: usize::MAX,
        },
    ];

    /// The tightest of all, with so many rows of instalments.
    pub fn max(installments: usize) -> Tightness {
        Tightness {
            volumes: 1,
            lower_places: true,
            installments,
        }
    }
}

/// Draws the blocks; gives back the instalments that are still to be drawn.
pub(super) fn before_items<'d>(
    flow: &mut Flow,
    nota: &Nota<'d>,
    tightness: Tightness,
) -> Installments<'d> {
    recipient(flow, nota);
    for (name, title) in [
        ("retirada", "INFORMAÇÕES DO LOCAL DE RETIRADA"),
        ("entrega", "INFORMAÇÕES DO LOCAL DE ENTREGA"),
    ] {
        let local = nota.inf.node(name);
        if local.exists() {
            other_place(flow, local, title, tightness.lower_places);
        }
    }
    let remaining = invoice(flow, nota.inf.node("cobr"), tightness.installments);
    if flow.form.reforma {
        reform_totals(flow, nota);
    } else {
        tax(flow, nota);
    }
    transport(flow, nota.inf.node("transp"), tightness.volumes);
    remaining
}

/// "CNPJ / CPF", or the document of a foreigner.
fn document_of(party: Node<'_>) -> String {
    let internal = party.one_of(&["CNPJ", "CPF"]);
    if internal.is_empty() {
        party.t("idEstrangeiro").into_owned()
    } else {
        document(&internal)
    }
}

pub(super) fn address(ender: Node<'_>) -> String {
    join(
        [&*ender.t("xLgr"), &*ender.t("nro"), &*ender.t("xCpl")],
        ", ",
    )
}

/// The city; abroad with the country.
fn municipality<'d>(ender: Node<'d>) -> Cow<'d, str> {
    if ender.t("UF") == "EX" {
        Cow::Owned(join([&*ender.t("xMun"), &*ender.t("xPais")], " - "))
    } else {
        ender.t("xMun")
    }
}

fn recipient(flow: &mut Flow, nota: &Nota<'_>) {
    let (dest, ender) = (nota.dest, nota.dest.node("enderDest"));
    let (issued, _) = date_and_time(&nota.ide.one_of(&["dhEmi", "dEmi"]));
    let (output, hour) = date_and_time(&nota.ide.one_of(&["dhSaiEnt", "dSaiEnt"]));
    let hour = if hour.is_empty() {
        nota.ide.t("hSaiEnt").into_owned()
    } else {
        hour
    };
    flow.block(
        "DESTINATÁRIO / REMETENTE",
        &[
            vec![
                Field::new(0.0, "NOME / RAZÃO SOCIAL", dest.t("xNome")),
                Field::new(44.0, "CNPJ / CPF", document_of(dest)).aligned(Align::Centre),
                Field::new(28.0, "DATA DA EMISSÃO", issued).aligned(Align::Centre),
            ],
            vec![
                Field::new(0.0, "ENDEREÇO", address(ender)),
                Field::new(45.0, "BAIRRO / DISTRITO", ender.t("xBairro")),
                Field::new(23.0, "CEP", cep(&ender.t("CEP"))).aligned(Align::Centre),
                Field::new(28.0, "DATA DA SAÍDA / ENTRADA", output).aligned(Align::Centre),
            ],
            vec![
                Field::new(0.0, "MUNICÍPIO", municipality(ender)),
                Field::new(34.0, "FONE / FAX", telephone(&ender.t("fone"))).aligned(Align::Centre),
                Field::new(10.0, "UF", ender.t("UF")).aligned(Align::Centre),
                Field::new(40.0, "INSCRIÇÃO ESTADUAL", dest.t("IE")).aligned(Align::Centre),
                Field::new(28.0, "HORA DA SAÍDA / ENTRADA", hour).aligned(Align::Centre),
            ],
        ],
    );
}

fn other_place(flow: &mut Flow, local: Node<'_>, title: &str, low: bool) {
    if low {
        let phone = telephone(&local.t("fone"));
        if !phone.is_empty() {
            let left_over = (format!("{title}, FONE / FAX"), phone);
            flow.board.left_overs.push(left_over);
        }
        let who = vec![
            Field::new(0.0, "NOME / RAZÃO SOCIAL", local.t("xNome")),
            Field::new(44.0, "CNPJ / CPF", document_of(local)).aligned(Align::Centre),
            Field::new(40.0, "INSCRIÇÃO ESTADUAL", local.t("IE")).aligned(Align::Centre),
        ];
        let place = vec![
            Field::new(0.0, "ENDEREÇO", address(local)),
            Field::new(36.0, "BAIRRO / DISTRITO", local.t("xBairro")),
            Field::new(42.0, "MUNICÍPIO", municipality(local)),
            Field::new(9.0, "UF", local.t("UF")).aligned(Align::Centre),
            Field::new(23.0, "CEP", cep(&local.t("CEP"))).aligned(Align::Centre),
        ];
        flow.block(title, &[who, place]);
        return;
    }
    flow.block(
        title,
        &[
            vec![
                Field::new(0.0, "NOME / RAZÃO SOCIAL", local.t("xNome")),
                Field::new(44.0, "CNPJ / CPF", document_of(local)).aligned(Align::Centre),
                Field::new(40.0, "INSCRIÇÃO ESTADUAL", local.t("IE")).aligned(Align::Centre),
            ],
            vec![
                Field::new(0.0, "ENDEREÇO", address(local)),
                Field::new(50.0, "BAIRRO / DISTRITO", local.t("xBairro")),
                Field::new(25.0, "CEP", cep(&local.t("CEP"))).aligned(Align::Centre),
            ],
            vec![
                Field::new(0.0, "MUNICÍPIO", municipality(local)),
                Field::new(10.0, "UF", local.t("UF")).aligned(Align::Centre),
                Field::new(40.0, "FONE / FAX", telephone(&local.t("fone"))).aligned(Align::Centre),
            ],
        ],
    );
}

/// The invoice and so many rows of its instalments; gives back the rest.
fn invoice<'d>(flow: &mut Flow, cobr: Node<'d>, rows: usize) -> Installments<'d> {
    let fat = cobr.node("fat");
    let mut installments = Installments(cobr.all("dup").collect());
    let now = rows.saturating_mul(per_row(flow));
    let after = Installments(installments.0.split_off(now.min(installments.0.len())));
    if !fat.exists() && installments.0.is_empty() {
        return after;
    }
    flow.title("FATURA / DUPLICATAS", flow.form.field);
    if fat.exists() {
        flow.row(&[
            Field::new(0.0, "NÚMERO DA FATURA", fat.t("nFat")),
            Field::value("VALOR ORIGINAL", value(&fat.t("vOrig"))),
            Field::value("VALOR DO DESCONTO", value(&fat.t("vDesc"))),
            Field::value("VALOR LÍQUIDO", value(&fat.t("vLiq"))),
        ]);
    }
    installments.draw(flow);
    after
}

/// Instalments yet to be drawn.
pub(super) struct Installments<'d>(Vec<Node<'d>>);

/// Height of a row of instalments.
pub(super) const INSTALLMENT: f32 = 10.4;

/// Number, date and amount on one line each: 120 of them are allowed.
fn per_row(flow: &Flow) -> usize {
    if flow.form.landscape { 6 } else { 4 }
}

impl Installments<'_> {
    /// Draws what did not stand with the invoice, if anything.
    pub fn go_on(&mut self, flow: &mut Flow) {
        if !self.0.is_empty() {
            flow.title("FATURA / DUPLICATAS (CONTINUAÇÃO)", INSTALLMENT);
            self.draw(flow);
        }
    }

    fn draw(&mut self, flow: &mut Flow) {
        for row in std::mem::take(&mut self.0).chunks(per_row(flow)) {
            if flow.space() < INSTALLMENT {
                flow.new_page();
                flow.title("FATURA / DUPLICATAS (CONTINUAÇÃO)", INSTALLMENT);
            }
            one_row(flow, row);
        }
    }
}

fn one_row(flow: &mut Flow, row: &[Node<'_>]) {
    let (form, y) = (flow.form, flow.y);
    let width = form.width / per_row(flow) as f32;
    let board = &mut flow.board;
    for (at, dup) in row.iter().enumerate() {
        let area = Area {
            x: form.x + at as f32 * width,
            y,
            width,
            height: INSTALLMENT,
        };
        let (from, to) = (area.x + INDENT, area.right() - INDENT);
        let (due, amount) = (day(&dup.t("dVenc")), value(&dup.t("vDup")));
        let part = (to - from) / 3.0;
        let y = y + 7.6;
        let font = (Font::Times, 7.5);
        let (one, two) = (from + part * 0.9, from + part * 1.9);
        board.frame(area);
        board.fitted((from, one - 2.0), y, font, Align::Left, &dup.t("nDup"));
        board.fitted((one, two), y, font, Align::Centre, &due);
        board.fitted((two, to), y, font, Align::Right, &amount);
        if dup.t("nDup").len() > 14 {
            let whole = join([&*dup.t("nDup"), &*due, &*amount], " ");
            board.left_overs.push(("DUPLICATA".to_owned(), whole));
        }
    }
    flow.y += INSTALLMENT;
}

/// MOC 7.0: one block for all taxes.
fn tax(flow: &mut Flow, nota: &Nota<'_>) {
    let t = |name: &str| value(&nota.total.node("ICMSTot").t(name));
    flow.block(
        "CÁLCULO DO IMPOSTO",
        &[
            vec![
                Field::value("BASE DE CÁLCULO DO ICMS", t("vBC")),
                Field::value("VALOR DO ICMS", t("vICMS")),
                Field::value("BASE DE CÁLCULO DO ICMS ST", t("vBCST")),
                Field::value("VALOR DO ICMS ST", t("vST")),
                Field::value("VALOR TOTAL DOS PRODUTOS", t("vProd")),
            ],
            vec![
                Field::value("VALOR DO FRETE", t("vFrete")),
                Field::value("VALOR DO SEGURO", t("vSeg")),
                Field::value("DESCONTO", t("vDesc")),
                Field::value("OUTRAS DESPESAS ACESSÓRIAS", t("vOutro")),
                Field::value("VALOR DO IPI", t("vIPI")),
                Field::value("VALOR TOTAL DA NOTA", t("vNF")).bold(),
            ],
        ],
    );
    optional(flow, nota, &[OF_ICMS, OF_NOTA].concat());
}

/// Totals shown only where they are not zero.
const OF_ICMS: &[(&str, &str)] = &[
    ("vFCP", "VALOR DO FCP"),
    ("vFCPST", "VALOR DO FCP RETIDO POR ST"),
    ("vFCPSTRet", "FCP RETIDO ANTERIORMENTE POR ST"),
    ("vICMSUFDest", "VALOR DO DIFAL NA UF DE DESTINO"),
    ("vICMSUFRemet", "VALOR DO DIFAL NA UF DO REMETENTE"),
    ("vFCPUFDest", "VALOR DO FCP NA UF DE DESTINO"),
    ("vICMSDeson", "VALOR DO ICMS DESONERADO"),
    ("qBCMono", "BC DO ICMS MONOFÁSICO"),
    ("vICMSMono", "VALOR DO ICMS MONOFÁSICO"),
    ("qBCMonoReten", "BC DO ICMS MONOF. POR RETENÇÃO"),
    ("vICMSMonoReten", "ICMS MONOFÁSICO POR RETENÇÃO"),
    ("qBCMonoRet", "BC DO ICMS MONOF. RETIDO ANTES"),
    ("vICMSMonoRet", "ICMS MONOF. RETIDO ANTERIORMENTE"),
    ("vIPIDevol", "VALOR DO IPI DEVOLVIDO"),
];
const OF_NOTA: &[(&str, &str)] = &[
    ("vII", "VALOR DO IMPOSTO DE IMPORTAÇÃO"),
    ("vPIS", "VALOR DO PIS"),
    ("vCOFINS", "VALOR DA COFINS"),
    ("vTotTrib", "VALOR APROX. DOS TRIBUTOS"),
];

fn optional(flow: &mut Flow, nota: &Nota<'_>, names: &[(&'static str, &'static str)]) {
    let fields = present(nota, names);
    let per_row = if flow.form.landscape { 8 } else { 6 };
    for row in in_rows(fields, per_row) {
        flow.row(&row);
    }
}

fn present(nota: &Nota<'_>, names: &[(&'static str, &'static str)]) -> Vec<Field<'static>> {
    let total = nota.total.node("ICMSTot");
    names
        .iter()
        .filter(|(name, _)| positive(&total.t(name)))
        .map(|(name, label)| Field::value(label, value(&total.t(name))))
        .collect()
}

fn in_rows(fields: Vec<Field<'static>>, per_row: usize) -> Vec<Vec<Field<'static>>> {
    let mut fields = fields.into_iter();
    let mut out = Vec::new();
    loop {
        let row: Vec<Field<'static>> = fields.by_ref().take(per_row).collect();
        if row.is_empty() {
            return out;
        }
        out.push(row);
    }
}

/// Fields that are always there and those that are there when not zero: on a
/// lying page side by side.
fn total_rows(
    landscape: bool,
    fixed: Vec<Field<'static>>,
    optional: Vec<Field<'static>>,
) -> Vec<Vec<Field<'static>>> {
    if landscape {
        in_rows(fixed.into_iter().chain(optional).collect(), 10)
    } else {
        let mut rows = vec![fixed];
        rows.extend(in_rows(optional, 6));
        rows
    }
}

/// NT 2026.010 §4.1: three blocks. What the XML does not have stays blank
/// (§4.4), not even as zero.
fn reform_totals(flow: &mut Flow, nota: &Nota<'_>) {
    let t = |name: &str| value(&nota.total.node("ICMSTot").t(name));
    let mut total = vec![
        Field::value("VALOR TOTAL DOS PRODUTOS", t("vProd")),
        Field::value("VALOR DO FRETE", t("vFrete")),
        Field::value("VALOR DO SEGURO", t("vSeg")),
        Field::value("DESCONTO", t("vDesc")),
        Field::value("OUTRAS DESPESAS ACESSÓRIAS", t("vOutro")),
        Field::value("VALOR TOTAL DA NOTA", t("vNF")).bold(),
    ];
    // From 2027 on IBS, CBS and IS come on top of `vNF` (NT 2025.002, VB01-10); the
    // field's name is ours.
    let with_reform = nota.total.t("vNFTot");
    if positive(&with_reform) && value(&with_reform) != t("vNF") {
        total.push(Field::value("TOTAL COM IBS / CBS / IS", value(&with_reform)).bold());
    }
    let landscape = flow.form.landscape;
    let of_nota = total_rows(landscape, total, present(nota, OF_NOTA));
    let of_icms = total_rows(
        landscape,
        vec![
            Field::value("BASE DE CÁLCULO DO ICMS", t("vBC")),
            Field::value("VALOR DO ICMS", t("vICMS")),
            Field::value("BASE DE CÁLCULO DO ICMS ST", t("vBCST")),
            Field::value("VALOR DO ICMS ST", t("vST")),
            Field::value("VALOR DO IPI", t("vIPI")),
        ],
        present(nota, OF_ICMS),
    );
    let reforma = nota.total.node("IBSCBSTot");
    let (ibs, cbs, mono) = (
        reforma.node("gIBS"),
        reforma.node("gCBS"),
        reforma.node("gMono"),
    );
    let mut rows = vec![vec![
        Field::value("VALOR DA CBS", value(&cbs.t("vCBS"))),
        Field::value("VALOR DO IBS UF", value(&ibs.node("gIBSUF").t("vIBSUF"))),
        Field::value(
            "VALOR DO IBS MUNICÍPIO",
            value(&ibs.node("gIBSMun").t("vIBSMun")),
        ),
        Field::value(
            "VALOR DO IMPOSTO SELETIVO",
            value(&nota.total.node("ISTot").t("vIS")),
        ),
    ]];
    if mono.exists() {
        rows.push(vec![
            Field::value("VALOR DO IBS MONOFÁSICO", value(&mono.t("vIBSMono"))),
            Field::value("VALOR DA CBS MONOFÁSICA", value(&mono.t("vCBSMono"))),
            Field::value(
                "IBS MONOFÁSICO POR RETENÇÃO",
                value(&mono.t("vIBSMonoReten")),
            ),
            Field::value(
                "CBS MONOFÁSICA POR RETENÇÃO",
                value(&mono.t("vCBSMonoReten")),
            ),
        ]);
    }
    let blocks = [
        ("TOTAL DOS PRODUTOS E TOTAL DA NOTA", of_nota),
        ("TOTAL DO ICMS / IPI", of_icms),
        ("TOTAL DO IBS / CBS / IS", rows),
    ];
    // The totals are one thing to look at: on one page.
    let field = flow.form.field;
    let height = |rows: &[_]| TITLE + rows.len() as f32 * field;
    flow.reserve(blocks.iter().map(|(_, f)| height(f)).sum());
    for (title, rows) in &blocks {
        flow.block(title, rows);
    }
}

/// `modFrete` (MOC, X02).
fn frete(code: &str) -> String {
    match code {
        "0" => "0 - Remetente (CIF)".to_owned(),
        "1" => "1 - Destinatário (FOB)".to_owned(),
        "2" => "2 - Terceiros".to_owned(),
        "3" => "3 - Próprio, remetente".to_owned(),
        "4" => "4 - Próprio, destinatário".to_owned(),
        "9" => "9 - Sem transporte".to_owned(),
        other => other.to_owned(),
    }
}

fn transport(flow: &mut Flow, transp: Node<'_>, count: usize) {
    let (who, vehicle) = (transp.node("transporta"), transp.node("veicTransp"));
    let mut rows = vec![
        vec![
            Field::new(0.0, "NOME / RAZÃO SOCIAL", who.t("xNome")),
            Field::new(32.0, "FRETE POR CONTA", frete(&transp.t("modFrete"))),
            Field::new(21.0, "CÓDIGO ANTT", vehicle.t("RNTC")),
            Field::new(23.0, "PLACA DO VEÍCULO", vehicle.t("placa")).aligned(Align::Centre),
            Field::new(9.0, "UF", vehicle.t("UF")).aligned(Align::Centre),
            Field::new(36.0, "CNPJ / CPF", document_of(who)).aligned(Align::Centre),
        ],
        vec![
            Field::new(0.0, "ENDEREÇO", who.t("xEnder")),
            Field::new(60.0, "MUNICÍPIO", who.t("xMun")),
            Field::new(9.0, "UF", who.t("UF")).aligned(Align::Centre),
            Field::new(36.0, "INSCRIÇÃO ESTADUAL", who.t("IE")).aligned(Align::Centre),
        ],
    ];
    let mut volumes: Vec<Node<'_>> = transp.all("vol").take(count).collect();
    if volumes.is_empty() {
        // The boxes stay, empty.
        volumes.push(transp.node("vol"));
    }
    for vol in volumes {
        rows.push(vec![
            Field::value("QUANTIDADE", integer(&vol.t("qVol"))),
            Field::new(0.0, "ESPÉCIE", vol.t("esp")),
            Field::new(0.0, "MARCA", vol.t("marca")),
            Field::new(0.0, "NUMERAÇÃO", vol.t("nVol")),
            Field::value("PESO BRUTO", weight(&vol.t("pesoB"))),
            Field::value("PESO LÍQUIDO", weight(&vol.t("pesoL"))),
        ]);
    }
    flow.block("TRANSPORTADOR / VOLUMES TRANSPORTADOS", &rows);
}

pub(super) fn integer(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        number(text, 0)
    }
}

/// Three places: kilograms and grams.
pub(super) fn weight(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        number(text, 3)
    }
}

/// Below the items: only where there are services.
pub(super) fn issqn(nota: &Nota<'_>) -> Option<Vec<Field<'static>>> {
    let total = nota.total.node("ISSQNtot");
    total.exists().then(|| {
        vec![
            Field::new(0.0, "INSCRIÇÃO MUNICIPAL", nota.emit.t("IM").into_owned()),
            Field::value("VALOR TOTAL DOS SERVIÇOS", value(&total.t("vServ"))),
            Field::value("BASE DE CÁLCULO DO ISSQN", value(&total.t("vBC"))),
            Field::value("VALOR DO ISSQN", value(&total.t("vISS"))),
        ]
    })
}

/// Width of the column of the QR code beside the additional data.
pub(super) const QR: f32 = 30.0 * MM;
