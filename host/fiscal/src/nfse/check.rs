//! A document of the national NFS-e that somebody made: `DPS`, `NFSe`,
//! `pedRegEvento`, `evento`. Only what it says of itself.
//!
//! Source: NFS-e annexes I (rules of the DPS) and II (events) of layout 1.01.

use time::format_description::BorrowedFormatItem;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, Duration, OffsetDateTime};

use crate::nfe::reading::signed::{self, Codes};
use crate::nfe::reading::{Finding, Findings};
use markup::ids::{ChaveNfse, CpfCnpj};
use markup::xml::{Document, Element};
use markup::xmldsig::SignatureParts;

/// Namespace of all documents of the national NFS-e.
pub const NAMESPACE: &str = "http://www.sped.fazenda.gov.br/nfse";
/// The rules, named after the day of the annex they are in (annex I v1.01). It is
/// the only set there is here: documents of every day are judged by it.
pub const REGRAS: &str = "nfse-2026-02-09";

/// `AAAA-MM-DD`.
const DAY: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");
const SIGNATURE: Codes = Codes {
    form: "E0714",
    content: "E0714",
};

/// Documents by their root and the element that is signed.
const ROOTS: [(&str, &str); 4] = [
    ("NFSe", "infNFSe"),
    ("evento", "infEvento"),
    ("pedRegEvento", "infPedReg"),
    ("DPS", "infDPS"),
];

/// The outermost document of the national NFS-e in a text, by the name of its
/// root.
pub fn root<'d>(doc: &'d Document<'d>) -> Option<Element<'d>> {
    doc.elements().find(|element| {
        element.namespace() == NAMESPACE && ROOTS.iter().any(|(root, _)| *root == element.name())
    })
}

/// Everything that does not fit in the document of a [`root`] and in those it
/// carries. `rsa` is as of [`crate::nfe::reading::check`].
pub fn check(
    doc: &Document<'_>,
    root: Element<'_>,
    today: Date,
    rsa: impl Fn(&SignatureParts) -> bool,
) -> Vec<Finding> {
    let mut findings = Findings::new(0);
    for owner in root.descendants_or_self() {
        let Some(body) = body(owner) else {
            continue;
        };
        match owner.name() {
            "NFSe" => nota(body, &mut findings),
            "DPS" => declaration(body, today, &mut findings),
            "pedRegEvento" => request(body, today, &mut findings),
            _ => {}
        }
        signed::check(doc.text(), (owner, body), &SIGNATURE, &rsa, &mut findings);
    }
    findings.in_order()
}

fn body<'d>(owner: Element<'d>) -> Option<Element<'d>> {
    let (_, name) = ROOTS.iter().find(|(root, _)| *root == owner.name())?;
    owner
        .child(name)
        .filter(|body| body.namespace() == NAMESPACE)
}

fn text(inf: Element<'_>, caminho: &[&str]) -> String {
    inf.text_at(caminho).unwrap_or_default().trim().to_owned()
}

fn documento(part: Element<'_>) -> Option<(&'static str, String)> {
    ["CNPJ", "CPF"]
        .into_iter()
        .find_map(|name| Some((name, part.text_at(&[name])?.trim().to_owned())))
}

/// The key of a note against the note.
fn nota(inf: Element<'_>, findings: &mut Findings) {
    let id = inf.attribute("Id").unwrap_or("");
    // The shape is the layout's to judge.
    let Ok(chave) = ChaveNfse::parse(id) else {
        return;
    };
    let number = text(inf, &["nNFSe"]);
    if number.parse() != Ok(chave.nota_number()) {
        findings
            .error(
                "infNFSe/nNFSe",
                "chave_diverge",
                format!("A chave diz que o número é {}.", chave.nota_number()),
                "Obtenha o XML autorizado; este foi alterado.",
            )
            .value(&number);
    }
    let issuer = inf.child("emit").and_then(documento);
    if let Some((_, issuer)) = issuer
        && chave
            .emitter()
            .is_some_and(|owner| owner.as_str() != issuer)
    {
        findings.error(
            "infNFSe/emit",
            "chave_diverge",
            "O emitente não é o da chave.",
            "Obtenha o XML autorizado; este foi alterado.",
        );
    }
}

fn declaration(inf: Element<'_>, today: Date, findings: &mut Findings) {
    let prestador = inf.child("prest").and_then(documento);
    // The other two who may declare are named in annex I, their id is not confirmed.
    if let Some((name, prestador)) = prestador.as_ref().filter(|_| text(inf, &["tpEmit"]) == "1") {
        let expected = format!(
            "DPS{}{}{prestador:0>14}{:0>5}{:0>15}",
            text(inf, &["cLocEmi"]),
            if *name == "CPF" { 1 } else { 2 },
            text(inf, &["serie"]),
            text(inf, &["nDPS"])
        );
        let id = inf.attribute("Id").unwrap_or("");
        if id != expected {
            findings
                .error(
                    "infDPS/@Id",
                    "E0004",
                    "O Id não é feito de DPS, cLocEmi, tipo e número da inscrição do prestador, serie e nDPS.",
                    "Monte o Id com os campos da DPS e assine outra vez.",
                )
                .value(id);
        }
    }
    dates(inf, today, findings);
    for (part, who, cnpj, cpf, same_code) in [
        ("prest", "prestador", "E0080", "E0096", ""),
        ("toma", "tomador", "E0188", "E0206", "E0202"),
        ("interm", "intermediário", "E0248", "E0266", "E0262"),
    ] {
        let Some((name, documento)) = inf.child(part).and_then(documento) else {
            continue;
        };
        let caminho = format!("infDPS/{part}/{name}");
        if CpfCnpj::parse(&documento).is_err() {
            findings.error(
                caminho,
                if name == "CPF" { cpf } else { cnpj },
                format!("O {name} do {who} tem dígito verificador errado."),
                format!("Confira o documento do {who}."),
            );
        } else if part != "prest"
            && prestador
                .as_ref()
                .is_some_and(|(_, prestador)| *prestador == documento)
        {
            findings.error(
                caminho,
                same_code,
                format!("Prestador e {who} são o mesmo."),
                format!("Confira o documento do {who}: ninguém presta serviço a si mesmo."),
            );
        }
    }
}

fn dates(inf: Element<'_>, today: Date, findings: &mut Findings) {
    let Ok(issue) = OffsetDateTime::parse(&text(inf, &["dhEmi"]), &Rfc3339) else {
        return;
    };
    if issue.date() > today.saturating_add(Duration::days(1)) {
        findings
            .error(
                "infDPS/dhEmi",
                "E0008",
                "A DPS foi emitida no futuro.",
                "Acerte o relógio e a data de emissão.",
            )
            .value(&issue.date().to_string());
    }
    let period = text(inf, &["dCompet"]);
    if Date::parse(&period, DAY).is_ok_and(|day| day > issue.date()) {
        findings
            .error(
                "infDPS/dCompet",
                "E0015",
                "A competência é posterior à emissão da DPS.",
                "Informe o dia em que o serviço foi prestado.",
            )
            .value(&period);
    }
}

fn request(inf: Element<'_>, today: Date, findings: &mut Findings) {
    let kind = inf.children().find_map(|element| {
        element
            .name()
            .strip_prefix('e')
            .filter(|kind| kind.len() == 6)
    });
    let expected = format!("PRE{}{}", text(inf, &["chNFSe"]), kind.unwrap_or_default());
    let id = inf.attribute("Id").unwrap_or("");
    if id != expected {
        findings
            .error(
                "infPedReg/@Id",
                "E0004",
                "O Id não é feito de PRE, chNFSe e o código do evento.",
                "Monte o Id com os campos do pedido e assine outra vez.",
            )
            .value(id);
    }
    for name in ["CNPJAutor", "CPFAutor"] {
        let author = text(inf, &[name]);
        if !author.is_empty() && CpfCnpj::parse(&author).is_err() {
            findings.error(
                format!("infPedReg/{name}"),
                "autor_invalido",
                "O documento do autor tem dígito verificador errado.",
                "Confira o documento do autor.",
            );
        }
    }
    let at = OffsetDateTime::parse(&text(inf, &["dhEvento"]), &Rfc3339);
    if let Ok(at) = at
        && at.date() > today.saturating_add(Duration::days(1))
    {
        findings
            .error(
                "infPedReg/dhEvento",
                "evento_no_futuro",
                "O evento é do futuro.",
                "Acerte o relógio e a data do evento.",
            )
            .value(&at.date().to_string());
    }
}
