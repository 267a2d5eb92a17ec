//! A voided range of numbers (`inutNFe`, `ProcInutNFe`).
//!
//! Source: MOC 7.0, rules of `NFeInutilizacao`.

use time::format_description::well_known::Rfc3339;
use time::{Date, OffsetDateTime};

use super::nota::texto;
use super::{Achados, Parecer};
use crate::nfe::event::MAX_FAIXA;
use crate::nfe::reading::LeituraError;
use crate::nfe::reading::check::signature;
use crate::nfe::reading::check::validity::Regras;
use crate::nfe::reading::nota::{filho, unico};
use markup::ids::CpfCnpj;
use markup::xml::{Document, Element};
use markup::xmldsig::SignatureParts;

/// As [`super::conferir`], of a voided range. A request has no date of its own: the
/// rules are those of the day of the authority's answer, of `hoje` without one.
///
/// # Errors
/// There is no single `inutNFe/infInut` in the document.
pub fn conferir_inutilizacao(
    doc: &Document<'_>,
    hoje: Date,
    rsa: impl FnOnce(&SignatureParts) -> bool,
) -> Result<Parecer, LeituraError> {
    let pedido = unico(doc, "inutNFe")?;
    let inf = filho(pedido, "infInut").ok_or(LeituraError::Ausente("infInut"))?;
    let modelo = texto(inf, &["mod"]).unwrap_or_default();
    let mut achados = Achados::novo(if modelo == "65" { 65 } else { 55 });
    identidade(inf, &mut achados);
    ano(inf, hoje, &mut achados);
    faixa(inf, &mut achados);
    retorno(pedido, inf, &mut achados);
    signature::confere(
        doc.text(),
        (pedido, inf),
        &signature::DA_SEFAZ,
        rsa,
        &mut achados,
    );
    let homologacao = texto(inf, &["tpAmb"]).as_deref() == Some("2");
    Ok(Parecer {
        regras: Regras::em(respondida_em(pedido).unwrap_or(hoje), homologacao),
        achados: achados.em_ordem(),
    })
}

fn identidade(inf: Element<'_>, achados: &mut Achados) {
    let campo = |nome: &str| texto(inf, &[nome]).unwrap_or_default();
    let documento = texto(inf, &["CNPJ"]).or_else(|| texto(inf, &["CPF"]));
    let documento = documento.unwrap_or_default();
    let esperado = format!(
        "ID{}{}{documento:0>14}{}{:0>3}{:0>9}{:0>9}",
        campo("cUF"),
        campo("ano"),
        campo("mod"),
        campo("serie"),
        campo("nNFIni"),
        campo("nNFFin")
    );
    let id = inf.attribute("Id").unwrap_or("");
    if id != esperado {
        achados
            .erro(
                "infInut/@Id",
                "502",
                "O Id não é feito de ID, cUF, ano, CNPJ, mod, serie, nNFIni e nNFFin.",
                "Monte o Id com os campos do pedido e assine outra vez.",
            )
            .valor(id);
    }
    if !documento.is_empty() && CpfCnpj::parse(&documento).is_err() {
        achados.erro(
            "infInut/CNPJ",
            "207",
            "O CNPJ do emitente tem dígito verificador errado.",
            "Confira o CNPJ.",
        );
    }
}

fn ano(inf: Element<'_>, hoje: Date, achados: &mut Achados) {
    let dito = texto(inf, &["ano"]).unwrap_or_default();
    let Ok(ano) = dito.parse::<i32>() else {
        return;
    };
    if ano + 2000 > hoje.year() {
        achados
            .erro(
                "infInut/ano",
                "453",
                "O ano está no futuro.",
                "Informe o ano em que os números foram pulados.",
            )
            .valor(&dito);
    } else if ano < 6 {
        achados
            .erro(
                "infInut/ano",
                "454",
                "Não havia NF-e antes de 2006.",
                "Informe o ano em que os números foram pulados.",
            )
            .valor(&dito);
    }
}

fn faixa(inf: Element<'_>, achados: &mut Achados) {
    let numero = |nome: &str| texto(inf, &[nome])?.parse::<u32>().ok();
    let (Some(inicial), Some(ultimo)) = (numero("nNFIni"), numero("nNFFin")) else {
        return;
    };
    if ultimo < inicial {
        achados
            .erro(
                "infInut/nNFFin",
                "224",
                "O número final é menor que o inicial.",
                "Troque os dois números.",
            )
            .valor(&ultimo.to_string());
    } else if ultimo - inicial >= MAX_FAIXA {
        achados
            .erro(
                "infInut/nNFFin",
                "201",
                format!("Cada pedido inutiliza até {MAX_FAIXA} números."),
                "Divida a faixa em pedidos menores.",
            )
            .valor(&ultimo.to_string());
    }
}

/// The authority's answer beside the request, in a `ProcInutNFe`.
fn resposta<'d>(pedido: Element<'d>) -> Option<Element<'d>> {
    let retorno = filho(pedido.parent()?, "retInutNFe")?;
    retorno.child("infInut")
}

/// The day of that answer.
fn respondida_em(pedido: Element<'_>) -> Option<Date> {
    let recebida = texto(resposta(pedido)?, &["dhRecbto"])?;
    let recebida = OffsetDateTime::parse(&recebida, &Rfc3339).ok()?;
    Some(recebida.date())
}

fn retorno(pedido: Element<'_>, inf: Element<'_>, achados: &mut Achados) {
    let Some(retorno) = resposta(pedido) else {
        return;
    };
    for campo in ["mod", "serie", "nNFIni", "nNFFin"] {
        let (pedido, dito) = (texto(inf, &[campo]), texto(retorno, &[campo]));
        if dito.is_some() && dito != pedido {
            achados
                .erro(
                    format!("retInutNFe/infInut/{campo}"),
                    "retorno_de_outra_faixa",
                    format!("O retorno é de outra faixa: {campo} difere."),
                    "Junte o retorno deste pedido.",
                )
                .valor(&dito.unwrap_or_default());
        }
    }
    let status = texto(retorno, &["cStat"]).unwrap_or_default();
    if status != "102" {
        achados
            .aviso(
                "retInutNFe/infInut/cStat",
                "nao_homologada",
                "O retorno não é de homologação: a faixa não foi inutilizada.",
                "Veja o motivo em xMotivo.",
            )
            .valor(&status);
    }
}
