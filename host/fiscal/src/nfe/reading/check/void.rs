//! A voided range of numbers (`inutNFe`, `ProcInutNFe`).
//!
//! Source: MOC 7.0, rules of `NFeInutilizacao`.

use time::format_description::well_known::Rfc3339;
use time::{Date, OffsetDateTime};

use super::nota::text;
use super::{Findings, Opinion};
use crate::nfe::event::MAX_RANGE;
use crate::nfe::reading::ReadingError;
use crate::nfe::reading::check::signature;
use crate::nfe::reading::check::validity::Regras;
use crate::nfe::reading::nota::{child, only_child};
use markup::ids::CpfCnpj;
use markup::xml::{Document, Element};
use markup::xmldsig::SignatureParts;

/// As [`super::check`], of a voided range. A request has no date of its own: the
/// rules are those of the day of the authority's answer, of `hoje` without one.
///
/// # Errors
/// There is no single `inutNFe/infInut` in the document.
pub fn check_void(
    doc: &Document<'_>,
    today: Date,
    rsa: impl FnOnce(&SignatureParts) -> bool,
) -> Result<Opinion, ReadingError> {
    let request = only_child(doc, "inutNFe")?;
    let inf = child(request, "infInut").ok_or(ReadingError::Absent("infInut"))?;
    let model = text(inf, &["mod"]).unwrap_or_default();
    let mut findings = Findings::new(if model == "65" { 65 } else { 55 });
    identity(inf, &mut findings);
    year(inf, today, &mut findings);
    range(inf, &mut findings);
    answer(request, inf, &mut findings);
    signature::check(
        doc.text(),
        (request, inf),
        &signature::OF_SEFAZ,
        rsa,
        &mut findings,
    );
    let homologacao = text(inf, &["tpAmb"]).as_deref() == Some("2");
    Ok(Opinion {
        regras: Regras::at(answered_on(request).unwrap_or(today), homologacao),
        findings: findings.in_order(),
    })
}

fn identity(inf: Element<'_>, findings: &mut Findings) {
    let field = |name: &str| text(inf, &[name]).unwrap_or_default();
    let documento = text(inf, &["CNPJ"]).or_else(|| text(inf, &["CPF"]));
    let documento = documento.unwrap_or_default();
    let expected = format!(
        "ID{}{}{documento:0>14}{}{:0>3}{:0>9}{:0>9}",
        field("cUF"),
        field("ano"),
        field("mod"),
        field("serie"),
        field("nNFIni"),
        field("nNFFin")
    );
    let id = inf.attribute("Id").unwrap_or("");
    if id != expected {
        findings
            .error(
                "infInut/@Id",
                "502",
                "O Id não é feito de ID, cUF, ano, CNPJ, mod, serie, nNFIni e nNFFin.",
                "Monte o Id com os campos do pedido e assine outra vez.",
            )
            .value(id);
    }
    if !documento.is_empty() && CpfCnpj::parse(&documento).is_err() {
        findings.error(
            "infInut/CNPJ",
            "207",
            "O CNPJ do emitente tem dígito verificador errado.",
            "Confira o CNPJ.",
        );
    }
}

fn year(inf: Element<'_>, today: Date, findings: &mut Findings) {
    let said = text(inf, &["ano"]).unwrap_or_default();
    let Ok(year) = said.parse::<i32>() else {
        return;
    };
    if year + 2000 > today.year() {
        findings
            .error(
                "infInut/ano",
                "453",
                "O ano está no futuro.",
                "Informe o ano em que os números foram pulados.",
            )
            .value(&said);
    } else if year < 6 {
        findings
            .error(
                "infInut/ano",
                "454",
                "Não havia NF-e antes de 2006.",
                "Informe o ano em que os números foram pulados.",
            )
            .value(&said);
    }
}

fn range(inf: Element<'_>, findings: &mut Findings) {
    let number = |name: &str| text(inf, &[name])?.parse::<u32>().ok();
    let (Some(first), Some(last)) = (number("nNFIni"), number("nNFFin")) else {
        return;
    };
    if last < first {
        findings
            .error(
                "infInut/nNFFin",
                "224",
                "O número final é menor que o inicial.",
                "Troque os dois números.",
            )
            .value(&last.to_string());
    } else if last - first >= MAX_RANGE {
        findings
            .error(
                "infInut/nNFFin",
                "201",
                format!("Cada pedido inutiliza até {MAX_RANGE} números."),
                "Divida a faixa em pedidos menores.",
            )
            .value(&last.to_string());
    }
}

/// The authority's answer beside the request, in a `ProcInutNFe`.
fn response<'d>(request: Element<'d>) -> Option<Element<'d>> {
    let answer = child(request.parent()?, "retInutNFe")?;
    answer.child("infInut")
}

/// The day of that answer.
fn answered_on(request: Element<'_>) -> Option<Date> {
    let received = text(response(request)?, &["dhRecbto"])?;
    let received = OffsetDateTime::parse(&received, &Rfc3339).ok()?;
    Some(received.date())
}

fn answer(request: Element<'_>, inf: Element<'_>, findings: &mut Findings) {
    let Some(answer) = response(request) else {
        return;
    };
    for field in ["mod", "serie", "nNFIni", "nNFFin"] {
        let (request, said) = (text(inf, &[field]), text(answer, &[field]));
        if said.is_some() && said != request {
            findings
                .error(
                    format!("retInutNFe/infInut/{field}"),
                    "retorno_de_outra_faixa",
                    format!("O retorno é de outra faixa: {field} difere."),
                    "Junte o retorno deste pedido.",
                )
                .value(&said.unwrap_or_default());
        }
    }
    let status = text(answer, &["cStat"]).unwrap_or_default();
    if status != "102" {
        findings
            .aviso(
                "retInutNFe/infInut/cStat",
                "nao_homologada",
                "O retorno não é de homologação: a faixa não foi inutilizada.",
                "Veja o motivo em xMotivo.",
            )
            .value(&status);
    }
}
