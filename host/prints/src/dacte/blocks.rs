//! The blocks of the DACTE, from the service down to the foot.

use super::Pages;
use super::cte::Cte;
use super::words;
use crate::board::{Align, Area, Field, INDENT, MM};
use crate::danfe::values::{join, number, positive, rate, value};
use crate::element::Node;
use crate::freight::{FIELD, MARGIN, WIDTH};
use crate::pdf::font::{Font, fit_size, width, win_ansi, wrap};
use markup::format::{cep, document, telephone};

/// A participant's box: five lines.
const PARTY: f32 = 24.0 * MM;
const LINE: f32 = 11.6;
/// Smallest value of a participant's box.
const SMALLEST: f32 = 5.0;
/// Least height of remarks and of the foot's boxes.
const REMARKS: f32 = 16.0 * MM;
const FOOT: f32 = 18.0 * MM;
/// Part of the width that the issuer's box of the foot has.
const ISSUER: f32 = 0.62;
/// Size and leading of the text in the foot, in points.
const FOOT_SIZE: f32 = 6.8;
const FOOT_LEADING: f32 = 7.6;

/// Kind, service, payer, CFOP, places.
pub(super) fn service(pages: &mut Pages<'_, '_>) {
    let cte = pages.document;
    let ide = cte.ide;
    let role = match &*ide.node("toma3").t("toma") {
        "" => ide.node("toma4").t("toma"),
        _ => ide.node("toma3").t("toma"),
    };
    let globalized = match &*ide.t("indGlobalizado") {
        "1" => "SIM",
        _ => "NÃO",
    };
    pages.row(&[
        Field::new(0.0, "TIPO DO CT-E", words::kind(&ide.t("tpCTe"))),
        Field::new(52.0, "TIPO DO SERVIÇO", words::service(&ide.t("tpServ"))),
        Field::new(0.0, "TOMADOR DO SERVIÇO", words::role(&role)),
        Field::new(34.0, "INDICADOR DO CT-E GLOBALIZADO", globalized),
    ]);
    let operation = join([&*ide.t("CFOP"), &*ide.t("natOp")], " - ");
    let special = cte.normal.node("infGlobalizado").t("xObs");
    pages.row(&[
        Field::new(0.0, "CFOP - NATUREZA DA PRESTAÇÃO", operation),
        Field::new(80.0, "INFORMAÇÕES DO CT-E GLOBALIZADO", special),
    ]);
    let start = join([&*ide.t("xMunIni"), &*ide.t("UFIni")], " - ");
    let end = join([&*ide.t("xMunFim"), &*ide.t("UFFim")], " - ");
    pages.row(&[
        Field::new(0.0, "INÍCIO DA PRESTAÇÃO", start),
        Field::new(0.0, "TÉRMINO DA PRESTAÇÃO", end),
    ]);
}

/// Sender, receiver, who hands over, who takes over, who pays.
pub(super) fn parties(pages: &mut Pages<'_, '_>) {
    let inf = pages.document.inf;
    let pairs = [
        [
            ("REMETENTE", "rem", "enderReme"),
            ("DESTINATÁRIO", "dest", "enderDest"),
        ],
        [
            ("EXPEDIDOR", "exped", "enderExped"),
            ("RECEBEDOR", "receb", "enderReceb"),
        ],
    ];
    for pair in pairs {
        // Two that are absent leave no box.
        if pair.iter().all(|(_, name, _)| !inf.node(name).exists()) {
            continue;
        }
        pages.reserve(PARTY);
        let half = WIDTH / 2.0;
        let mut x = MARGIN;
        for (title, name, address) in pair {
            let area = Area {
                x,
                width: half,
                ..pages.area(PARTY)
            };
            let party = inf.node(name);
            person(pages, area, title, (party, party.node(address)));
            x += half;
        }
        pages.y += PARTY;
    }
    pages.reserve(PARTY);
    let area = pages.area(PARTY);
    let payer = pages.document.payer();
    person(pages, area, "TOMADOR DO SERVIÇO", payer);
    pages.y += PARTY;
}

fn person(
    pages: &mut Pages<'_, '_>,
    area: Area,
    title: &str,
    (party, address): (Node<'_>, Node<'_>),
) {
    pages.board.frame(area);
    let name = party.t("xNome");
    let street = join(
        [&*address.t("xLgr"), &*address.t("nro"), &*address.t("xCpl")],
        ", ",
    );
    let city = join([&*address.t("xMun"), &*address.t("UF")], " - ");
    let zip = cep(&address.t("CEP"));
    let number = document(&party.one_of(&["CNPJ", "CPF"]));
    let phone = telephone(&party.t("fone"));
    let country = address.t("xPais");
    let district = address.t("xBairro");
    let registration = party.t("IE");
    let lines: [&[(&str, &str)]; 5] = [
        &[(title, &name)],
        &[("ENDEREÇO", &street)],
        &[("BAIRRO", &district), ("MUNICÍPIO", &city)],
        &[("CEP", &zip), ("CNPJ/CPF", &number)],
        &[("IE", &registration), ("PAÍS", &country), ("FONE", &phone)],
    ];
    for (at, parts) in lines.iter().enumerate() {
        let y = area.y + 10.0 + at as f32 * LINE;
        let part = (area.width - 2.0 * INDENT) / parts.len() as f32;
        for (position, (label, text)) in parts.iter().enumerate() {
            let from = area.x + INDENT + position as f32 * part;
            let font = if at == 0 {
                Font::TimesBold
            } else {
                Font::Times
            };
            let bounds = (from, from + part - INDENT);
            if !captioned(pages, bounds, y, label, (font, text)) {
                let whole = (format!("{label} ({title})"), (*text).to_owned());
                pages.board.left_overs.push(whole);
            }
        }
    }
}

/// A caption and its value on one line; on two small ones if it is long. Says
/// whether all of it stands there.
fn captioned(
    pages: &mut Pages<'_, '_>,
    (from, to): (f32, f32),
    y: f32,
    label: &str,
    (font, text): (Font, &str),
) -> bool {
    let caption = win_ansi(label);
    let takes = width(&caption, Font::Times, 6.0) + 3.0;
    pages
        .board
        .written((from, to), y, (Font::Times, 6.0), Align::Left, caption);
    let bounds = (from + takes, to);
    let encoded = win_ansi(text);
    let size = fit_size(&encoded, font, 8.0, bounds.1 - bounds.0);
    if size >= SMALLEST {
        pages
            .board
            .written(bounds, y, (font, size), Align::Left, encoded);
        return true;
    }
    let manner = (Align::Left, SMALLEST, 2);
    pages
        .board
        .paragraph(bounds, y - 2.5, (font, SMALLEST), manner, text);
    wrap(&encoded, font, SMALLEST, bounds.1 - bounds.0).len() <= 2
}

/// What is carried.
pub(super) fn cargo(pages: &mut Pages<'_, '_>) {
    let cargo = pages.document.normal.node("infCarga");
    if !cargo.exists() {
        return;
    }
    pages.row(&[
        Field::new(0.0, "PRODUTO PREDOMINANTE", cargo.t("proPred")),
        Field::new(62.0, "OUTRAS CARACTERÍSTICAS DA CARGA", cargo.t("xOutCat")),
        Field::new(40.0, "VALOR TOTAL DA CARGA", value(&cargo.t("vCarga"))).aligned(Align::Right),
    ]);
    let quantities: Vec<(String, String)> = cargo
        .all("infQ")
        .map(|quantity| {
            let label = join(
                [&*quantity.t("tpMed"), words::unit(&quantity.t("cUnid"))],
                " / ",
            );
            (label, number(&quantity.t("qCarga"), 4))
        })
        .collect();
    for four in quantities.chunks(4) {
        let mut fields: Vec<Field<'_>> = four
            .iter()
            .map(|(label, amount)| Field::new(0.0, label, amount.as_str()).aligned(Align::Right))
            .collect();
        while fields.len() < 4 {
            fields.push(Field::new(0.0, "TP MED / UN. MED", ""));
        }
        pages.row(&fields);
    }
}

/// Parts of the price, three beside each other.
pub(super) fn values(pages: &mut Pages<'_, '_>) {
    let price = pages.document.inf.node("vPrest");
    pages.title("COMPONENTES DO VALOR DA PRESTAÇÃO DO SERVIÇO", 2.0 * FIELD);
    let parts: Vec<(String, String)> = price
        .all("Comp")
        .map(|part| (part.t("xNome").into_owned(), value(&part.t("vComp"))))
        .collect();
    for four in parts.chunks(4) {
        let mut fields: Vec<Field<'_>> = four
            .iter()
            .map(|(name, amount)| Field::value(name, amount.as_str()))
            .collect();
        while fields.len() < 4 {
            fields.push(Field::new(0.0, "", ""));
        }
        pages.row(&fields);
    }
    pages.row(&[
        Field::value("VALOR TOTAL DO SERVIÇO", value(&price.t("vTPrest"))).bold(),
        Field::value("VALOR A RECEBER", value(&price.t("vRec"))).bold(),
    ]);
}

/// ICMS, and IBS and CBS where the CT-e has them.
pub(super) fn taxes(pages: &mut Pages<'_, '_>) {
    let taxes = pages.document.inf.node("imp");
    let icms = taxes.node("ICMS").first();
    let group = GROUPS
        .iter()
        .find(|name| taxes.node("ICMS").node(name).exists());
    let situation = words::situation(group.copied().unwrap_or_default(), &icms.t("CST"));
    let withheld = group == Some(&"ICMS60");
    let own = |text: String| if withheld { String::new() } else { text };
    let rate_of = icms.one_of(&["pICMS", "pICMSOutraUF", "pICMSSTRet"]);
    pages.title("INFORMAÇÕES RELATIVAS AO IMPOSTO", FIELD);
    pages.row(&[
        Field::new(0.0, "SITUAÇÃO TRIBUTÁRIA", situation),
        Field::new(
            32.0,
            "BASE DE CÁLCULO",
            value(&icms.one_of(&["vBC", "vBCOutraUF", "vBCSTRet"])),
        )
        .aligned(Align::Right),
        Field::new(20.0, "ALÍQ. ICMS", rate(&rate_of)).aligned(Align::Right),
        Field::new(
            30.0,
            "VALOR ICMS",
            own(value(&icms.one_of(&["vICMS", "vICMSOutraUF"]))),
        )
        .aligned(Align::Right),
        Field::new(
            22.0,
            "% RED. BC ICMS",
            rate(&icms.one_of(&["pRedBC", "pRedBCOutraUF"])),
        )
        .aligned(Align::Right),
        Field::new(28.0, "ICMS ST", value(&icms.t("vICMSSTRet"))).aligned(Align::Right),
    ]);
    reform(pages, taxes.node("IBSCBS"));
}

const GROUPS: [&str; 7] = [
    "ICMS00",
    "ICMS20",
    "ICMS45",
    "ICMS60",
    "ICMS90",
    "ICMSOutraUF",
    "ICMSSN",
];

fn reform(pages: &mut Pages<'_, '_>, group: Node<'_>) {
    if !group.exists() {
        return;
    }
    let inside = group.node("gIBSCBS");
    let class = join([&*group.t("CST"), &*group.t("cClassTrib")], " / ");
    let state = inside.node("gIBSUF");
    let city = inside.node("gIBSMun");
    let federal = inside.node("gCBS");
    pages.row(&[
        Field::new(0.0, "CST / CCLASSTRIB IBS CBS", class),
        Field::new(30.0, "BASE IBS/CBS", value(&inside.t("vBC"))).aligned(Align::Right),
        Field::new(18.0, "ALÍQ. IBS UF", rate(&state.t("pIBSUF"))).aligned(Align::Right),
        Field::new(18.0, "ALÍQ. IBS MUN.", rate(&city.t("pIBSMun"))).aligned(Align::Right),
        Field::new(26.0, "VALOR IBS", value(&inside.t("vIBS"))).aligned(Align::Right),
        Field::new(18.0, "ALÍQ. CBS", rate(&federal.t("pCBS"))).aligned(Align::Right),
        Field::new(26.0, "VALOR CBS", value(&federal.t("vCBS"))).aligned(Align::Right),
    ]);
}

/// Where the cargo passes, and when it is to be delivered.
pub(super) fn flow(pages: &mut Pages<'_, '_>) {
    let compl = pages.document.inf.node("compl");
    let flow = compl.node("fluxo");
    let delivery = compl.node("Entrega");
    if !flow.exists() && !delivery.exists() {
        return;
    }
    let stops: Vec<String> = flow
        .all("pass")
        .map(|stop| stop.t("xPass").into_owned())
        .collect();
    let stops = join(stops.iter().map(String::as_str), ", ");
    pages.title("PREVISÃO DO FLUXO DA CARGA", FIELD);
    pages.row(&[
        Field::new(
            0.0,
            "ORIGEM (FILIAL/PORTO/ESTAÇÃO/AEROPORTO)",
            flow.t("xOrig"),
        ),
        Field::new(0.0, "PASSAGEM", stops),
        Field::new(0.0, "DESTINO", flow.t("xDest")),
        Field::new(0.0, "PREVISÃO DE ENTREGA", delivered(delivery)),
    ]);
}

fn delivered(delivery: Node<'_>) -> String {
    use markup::format::day;
    let with_date = delivery.node("comData");
    let period = delivery.node("noPeriodo");
    let date = match &*with_date.t("tpPer") {
        "1" => format!("em {}", day(&with_date.t("dProg"))),
        "2" => format!("até {}", day(&with_date.t("dProg"))),
        "3" => format!("a partir de {}", day(&with_date.t("dProg"))),
        _ if period.exists() => {
            format!("{} a {}", day(&period.t("dIni")), day(&period.t("dFim")))
        }
        _ => String::new(),
    };
    let with_time = delivery.node("comHora");
    let interval = delivery.node("noInter");
    let time = match &*with_time.t("tpHor") {
        "1" => format!("às {}", with_time.t("hProg")),
        "2" => format!("até {}", with_time.t("hProg")),
        "3" => format!("a partir de {}", with_time.t("hProg")),
        _ if interval.exists() => format!("{} a {}", interval.t("hIni"), interval.t("hFim")),
        _ => String::new(),
    };
    join([&*date, &*time], " ")
}

/// Remarks, with the values that did not fit their boxes.
pub(super) fn remarks(pages: &mut Pages<'_, '_>) {
    let cte = pages.document;
    let compl = cte.inf.node("compl");
    let mut texts = vec![compl.t("xObs").into_owned()];
    for note in compl.all("ObsCont") {
        texts.push(format!(
            "{}: {}",
            note.attribute("xCampo"),
            note.t("xTexto")
        ));
    }
    texts.extend(further(cte));
    for (label, text) in std::mem::take(&mut pages.board.left_overs) {
        texts.push(format!("{label}: {text}"));
    }
    let text = join(texts.iter().map(String::as_str), " | ");
    pages.text("OBSERVAÇÕES", 7.5, REMARKS, &text);
}

/// Values of the modal's boxes that did not fit them: the remarks stand above.
pub(super) fn left_over(pages: &mut Pages<'_, '_>) {
    let texts = std::mem::take(&mut pages.board.left_overs).into_iter();
    let texts: Vec<String> = texts
        .map(|(label, text)| format!("{label}: {text}"))
        .collect();
    if !texts.is_empty() {
        let text = join(texts.iter().map(String::as_str), " | ");
        pages.text("DADOS DO MODAL POR EXTENSO", 7.5, FIELD, &text);
    }
}

/// What has no box of its own.
fn further(cte: &Cte<'_>) -> Vec<String> {
    let compl = cte.inf.node("compl");
    let mut texts = Vec::new();
    for (label, text) in [
        ("Característica do transporte", compl.t("xCaracAd")),
        ("Característica do serviço", compl.t("xCaracSer")),
        ("Detalhes da retirada", cte.ide.t("xDetRetira")),
    ] {
        if !text.is_empty() {
            texts.push(format!("{label}: {text}"));
        }
    }
    let share = cte.inf.node("imp").node("ICMSUFFim");
    if share.exists() {
        texts.push(format!(
            "ICMS da UF de término: {}; FCP: {}",
            value(&share.t("vICMSUFFim")),
            value(&share.t("vFCPUFFim"))
        ));
    }
    let total = cte.inf.node("imp").t("vTotTrib");
    if positive(&total) {
        texts.push(format!("Valor aproximado dos tributos: {}", value(&total)));
    }
    let replaced = cte.normal.node("infCteSub").t("chCte");
    if !replaced.is_empty() {
        texts.push(format!("Substitui o CT-e {replaced}"));
    }
    texts
}

/// What issuer and authority write for themselves.
pub(super) fn foot(pages: &mut Pages<'_, '_>) {
    let mut text = for_authority(pages.document.inf);
    let inner = WIDTH * (1.0 - ISSUER) - 2.0 * INDENT;
    let lines = wrap(&win_ansi(&text), Font::Times, FOOT_SIZE, inner).len();
    if lines > foot_lines(FOOT) {
        pages.text("RESERVADO AO FISCO", 7.5, FIELD, &text);
        "Veja o quadro RESERVADO AO FISCO acima.".clone_into(&mut text);
    }
    pages.reserve(FOOT);
    // Down to the margin on the last page, as far as that is not a hole.
    let height = pages.space().clamp(FOOT, 2.0 * FOOT);
    let whole = pages.area(height);
    let left = Area {
        width: WIDTH * ISSUER,
        ..whole
    };
    let right = Area {
        x: left.right(),
        width: WIDTH - left.width,
        ..whole
    };
    pages.board.frame(left);
    pages.board.label(left, "USO EXCLUSIVO DO EMISSOR DO CT-E");
    pages.board.frame(right);
    pages.board.label(right, "RESERVADO AO FISCO");
    let bounds = (right.x + INDENT, right.right() - INDENT);
    let manner = (Align::Left, FOOT_LEADING, foot_lines(height));
    let font = (Font::Times, FOOT_SIZE);
    pages
        .board
        .paragraph(bounds, right.y + 14.0, font, manner, &text);
    pages.y = whole.bottom();
}

/// Lines that the boxes of the foot have room for.
fn foot_lines(height: f32) -> usize {
    ((height - 12.0) / FOOT_LEADING).max(1.0) as usize
}

/// What the authority reserves for itself, in one text.
fn for_authority(inf: Node<'_>) -> String {
    let of_authority = inf.node("imp").t("infAdFisco");
    let remarks: Vec<String> = inf
        .node("compl")
        .all("ObsFisco")
        .map(|note| format!("{}: {}", note.attribute("xCampo"), note.t("xTexto")))
        .collect();
    join(
        std::iter::once(&*of_authority).chain(remarks.iter().map(String::as_str)),
        " | ",
    )
}
