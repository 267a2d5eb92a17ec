//! "Dados adicionais": what the issuer wrote, what the layout wants repeated
//! there, and what did not fit its box. Text of any length, broken into lines as
//! there is room for them.

use crate::danfe::PrintOptions;
use crate::danfe::a4::blocks::{address, integer, weight};
use crate::danfe::nota::{Node, Nota};
use crate::danfe::values::{date_and_time, group, join, payment_kind, value};
use crate::pdf::font::{Font, win_ansi, wrap};
use fiscal::nfe::simples_credit;
use markup::format::document;

/// Size and leading of the text.
pub(super) const SIZE: f32 = 7.0;
pub(super) const LEADING: f32 = 7.9;

/// Paragraphs, and how far they have been written.
pub struct Text {
    paragraphs: Vec<Vec<u8>>,
    paragraph: usize,
    byte: usize,
}

impl Text {
    /// A text of these paragraphs, blank ones left out; nothing of it is written.
    pub fn new<'p>(paragraphs: impl IntoIterator<Item = &'p str>) -> Text {
        let paragraphs = paragraphs.into_iter().map(win_ansi);
        Text {
            paragraphs: paragraphs
                .filter(|paragraph| !paragraph.trim_ascii().is_empty())
                .collect(),
            paragraph: 0,
            byte: 0,
        }
    }

    /// All of it has been written.
    pub fn ended(&self) -> bool {
        self.paragraph >= self.paragraphs.len()
    }

    /// Lines that the rest takes at a width in points.
    pub fn lines(&self, width: f32) -> usize {
        self.rest()
            .map(|part| wrap(part, Font::Times, SIZE, width).len())
            .sum()
    }

    fn rest(&self) -> impl Iterator<Item = &[u8]> {
        let after = self.paragraphs.iter().skip(self.paragraph).enumerate();
        after.map(|(at, paragraph)| {
            let since = if at == 0 { self.byte } else { 0 };
            paragraph.get(since..).unwrap_or(&[])
        })
    }

    /// The next lines in WinAnsi, at most `max`, at a width in points.
    pub fn take(&mut self, max: usize, width: f32) -> Vec<Vec<u8>> {
        let mut out: Vec<Vec<u8>> = Vec::new();
        while out.len() < max {
            let Some(paragraph) = self.paragraphs.get(self.paragraph) else {
                break;
            };
            let rest = paragraph.get(self.byte..).unwrap_or(&[]);
            let lines = wrap(rest, Font::Times, SIZE, width);
            let fit = max - out.len();
            out.extend(lines.iter().take(fit).map(|line| line.to_vec()));
            match lines.get(fit) {
                // A line is a part of the paragraph: where it begins is how far
                // the lines before it went.
                Some(next) => {
                    let skipped = next.as_ptr().addr() - rest.as_ptr().addr();
                    self.byte += skipped;
                }
                None => {
                    self.paragraph += 1;
                    self.byte = 0;
                }
            }
        }
        out
    }
}

/// Everything to be said there, in order; `volumes` and what did not fit are
/// those of the blocks.
pub(super) fn paragraphs(
    nota: &Nota<'_>,
    options: &PrintOptions<'_>,
    volumes: usize,
    left_overs: &[(String, String)],
) -> Vec<String> {
    let mut out = Vec::new();
    notices(&mut out, nota, options);
    let adic = nota.inf.node("infAdic");
    let authority = adic.t("infAdFisco");
    if !authority.is_empty() {
        let start = out.len();
        wrap_lines(&mut out, &authority, options);
        if let Some(first) = out.get_mut(start) {
            first.insert_str(0, "Inf. fisco: ");
        }
    }
    wrap_lines(&mut out, &adic.t("infCpl"), options);
    simples_credit(&mut out, nota);
    for name in ["obsCont", "obsFisco"] {
        for obs in adic.all(name) {
            out.push(join([obs.attribute("xCampo"), &*obs.t("xTexto")], ": "));
        }
    }
    for nref in nota.ide.all("NFref") {
        out.push(reference(nref));
    }
    for processo in adic.all("procRef") {
        out.push(format!("Processo: {}", processo.t("nProc")));
    }
    commerce(&mut out, nota);
    payments(&mut out, nota);
    transport(&mut out, nota.inf.node("transp"), volumes);
    standalone(&mut out, nota.inf.node("avulsa"));
    out.extend(
        left_overs
            .iter()
            .map(|(label, text)| format!("{label}: {text}")),
    );
    out
}

fn notices(out: &mut Vec<String>, nota: &Nota<'_>, options: &PrintOptions<'_>) {
    if nota.homologacao() {
        out.push("NF-e EMITIDA EM AMBIENTE DE HOMOLOGAÇÃO - SEM VALOR FISCAL".to_owned());
    }
    if options.cancelled {
        out.push("NF-e CANCELADA".to_owned());
    }
    if nota.denied() {
        out.push(format!("USO DENEGADO: {}", nota.prot.t("xMotivo")));
    }
    out.extend(options.mark.map(str::to_owned));
    // Wording of MOC 7.0, Anexo II, second-hand; forms 2, 4 and 5 are hardly
    // issued any more, but are read.
    let contingency = match &*nota.ide.t("tpEmis") {
        "2" | "5" => "DANFE EM CONTINGÊNCIA - IMPRESSO EM DECORRÊNCIA DE PROBLEMAS TÉCNICOS",
        "4" => {
            "DANFE IMPRESSO EM CONTINGÊNCIA - EPEC REGULARMENTE RECEBIDO PELA RECEITA FEDERAL DO BRASIL"
        }
        "6" => "EMITIDA EM CONTINGÊNCIA - SVC-AN",
        "7" => "EMITIDA EM CONTINGÊNCIA - SVC-RS",
        "9" if nota.prot.exists() => "EMITIDA EM CONTINGÊNCIA OFF-LINE",
        "9" => "EMITIDA EM CONTINGÊNCIA - PENDENTE DE AUTORIZAÇÃO",
        _ => return,
    };
    let (day, hour) = date_and_time(&nota.ide.t("dhCont"));
    let start = join([&*day, &*hour], " ");
    let start = if start.is_empty() {
        String::new()
    } else {
        format!("Início: {start}")
    };
    let reason = nota.ide.t("xJust");
    let reason = if reason.is_empty() {
        String::new()
    } else {
        format!("Motivo: {reason}")
    };
    out.push(join([contingency, &*start, &*reason], ". "));
}

/// The credit the buyer may take, which the table of items has no column for;
/// unless the issuer's own text says it.
fn simples_credit(out: &mut Vec<String>, nota: &Nota<'_>) {
    if out.iter().any(|text| simples_credit::already_says(text)) {
        return;
    }
    let credits: Vec<_> = nota
        .items()
        .map(|det| {
            let icms = det.node("imposto").node("ICMS").first();
            (icms.t("pCredSN"), icms.t("vCredICMSSN"))
        })
        .collect();
    let pairs = credits.iter().map(|(rate, value)| (&**rate, &**value));
    out.extend(simples_credit::text(pairs));
}

fn wrap_lines(out: &mut Vec<String>, text: &str, options: &PrintOptions<'_>) {
    let cut = |c: char| c == '\n' || (c == ';' && options.wrap_at_semicolon);
    let parts = text.split(cut).map(str::trim);
    out.extend(parts.filter(|part| !part.is_empty()).map(str::to_owned));
}

fn reference(nref: Node<'_>) -> String {
    let chave = nref.one_of(&["refNFe", "refNFeSig"]);
    if !chave.is_empty() {
        return format!("NF-e referenciada: {}", group(&chave, 4, " "));
    }
    let cte = nref.t("refCTe");
    if !cte.is_empty() {
        return format!("CT-e referenciado: {}", group(&cte, 4, " "));
    }
    let ecf = nref.node("refECF");
    if ecf.exists() {
        return format!(
            "Cupom referenciado: modelo {} ECF {} COO {}",
            ecf.t("mod"),
            ecf.t("nECF"),
            ecf.t("nCOO")
        );
    }
    let paper = nref.node("refNF");
    let paper = if paper.exists() {
        paper
    } else {
        nref.node("refNFP")
    };
    format!(
        "NF referenciada: modelo {} série {} nº {} {} emitente {}",
        paper.t("mod"),
        paper.t("serie"),
        paper.t("nNF"),
        paper.t("AAMM"),
        document(&paper.one_of(&["CNPJ", "CPF"]))
    )
}

fn commerce(out: &mut Vec<String>, nota: &Nota<'_>) {
    let exports = nota.inf.node("exporta");
    let purchase = nota.inf.node("compra");
    let intermediator = nota.inf.node("infIntermed");
    let register = intermediator.one_of(&["CNPJ"]);
    let groups: [&[(&str, String)]; 3] = [
        &[
            (
                "UF de saída",
                exports.one_of(&["UFSaidaPais", "UFEmbarq"]).into_owned(),
            ),
            (
                "Embarque",
                exports.one_of(&["xLocExporta", "xLocEmbarq"]).into_owned(),
            ),
            ("Despacho", exports.t("xLocDespacho").into_owned()),
        ],
        &[
            ("Nota de empenho", purchase.t("xNEmp").into_owned()),
            ("Pedido", purchase.t("xPed").into_owned()),
            ("Contrato", purchase.t("xCont").into_owned()),
        ],
        &[
            ("Intermediador", document(&register)),
            (
                "Cadastro no intermediador",
                intermediator.t("idCadIntTran").into_owned(),
            ),
        ],
    ];
    for group in groups {
        let parts: Vec<String> = group
            .iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(name, text)| format!("{name}: {text}"))
            .collect();
        out.push(parts.join("  "));
    }
}

fn payments(out: &mut Vec<String>, nota: &Nota<'_>) {
    let mut parts: Vec<String> = nota
        .payments()
        .into_iter()
        .filter(|det| det.t("tPag") != "90")
        .map(|det| {
            let other = det.t("xPag");
            let form = payment_kind(&det.t("tPag"));
            let form = if other.is_empty() { form } else { &*other };
            format!("{form} R$ {}", value(&det.t("vPag")))
        })
        .collect();
    let change = nota.inf.node("pag").t("vTroco");
    if crate::danfe::values::positive(&change) {
        parts.push(format!("troco R$ {}", value(&change)));
    }
    if !parts.is_empty() {
        out.push(format!("Pagamento: {}", parts.join(" | ")));
    }
}

fn transport(out: &mut Vec<String>, transp: Node<'_>, volumes: usize) {
    for trailer in transp.all("reboque") {
        out.push(format!(
            "Reboque: {}",
            join(
                [&*trailer.t("placa"), &*trailer.t("UF"), &*trailer.t("RNTC")],
                " "
            )
        ));
    }
    for (name, label) in [("vagao", "Vagão"), ("balsa", "Balsa")] {
        let value = transp.t(name);
        if !value.is_empty() {
            out.push(format!("{label}: {value}"));
        }
    }
    let ret = transp.node("retTransp");
    if ret.exists() {
        out.push(format!(
            "ICMS retido do transporte: serviço {} base {} valor {}",
            value(&ret.t("vServ")),
            value(&ret.t("vBCRet")),
            value(&ret.t("vICMSRet"))
        ));
    }
    let seals: Vec<String> = transp
        .all("vol")
        .flat_map(|vol| {
            vol.all("lacres")
                .map(|l| l.t("nLacre").into_owned())
                .collect::<Vec<_>>()
        })
        .collect();
    if !seals.is_empty() {
        out.push(format!("Lacres: {}", seals.join(", ")));
    }
    for vol in transp.all("vol").skip(volumes) {
        let (raw, net) = (weight(&vol.t("pesoB")), weight(&vol.t("pesoL")));
        out.push(format!(
            "Volume: {}  Peso bruto: {raw}  Peso líquido: {net}",
            join(
                [
                    &*integer(&vol.t("qVol")),
                    &*vol.t("esp"),
                    &*vol.t("marca"),
                    &*vol.t("nVol")
                ],
                " "
            )
        ));
    }
}

/// A note that the tax office issued for somebody.
fn standalone(out: &mut Vec<String>, standalone: Node<'_>) {
    if !standalone.exists() {
        return;
    }
    out.push(format!(
        "NF-e avulsa emitida por {}",
        join(
            [
                &*standalone.t("xOrgao"),
                &*document(&standalone.t("CNPJ")),
                &*standalone.t("repEmi"),
                &*join(
                    [
                        "DAR",
                        &*standalone.t("nDAR"),
                        &*value(&standalone.t("vDAR"))
                    ],
                    " "
                ),
            ],
            ", "
        )
    ));
}

/// For a correction letter: who a party is, in one line.
pub(in crate::danfe) fn who(party: Node<'_>, ender: Node<'_>) -> String {
    join(
        [
            &*address(ender),
            &*ender.t("xBairro"),
            &*join([&*ender.t("xMun"), &*ender.t("UF")], " - "),
            &*party.t("email"),
        ],
        ", ",
    )
}
