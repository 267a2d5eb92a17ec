//! The IBS/CBS group, which the national layout and the cities' share.

use rust_decimal::Decimal;

use crate::danfse::reading::group::Grupo;
use crate::danfse::{IbsCbs, Municipio};
use markup::format::uf_do_ibge;

/// Reads `declarado` (what the DPS said) and `apurado` (what the system
/// computed); both may be the same element, none if both are missing.
///
/// `exclusoes` is what else, besides reimbursements, leaves the base.
pub(super) fn ler(
    declarado: Grupo<'_>,
    apurado: Grupo<'_>,
    exclusoes: Option<Decimal>,
) -> Option<IbsCbs> {
    if !declarado.tem_conteudo() && !apurado.tem_conteudo() {
        return None;
    }
    let situacao = declarado.dentro("gIBSCBS");
    let codigo = apurado.dentro("cLocalidadeIncid").proprio_texto();
    let valor = |nome| crate::danfse::reading::group::numero(&apurado.dentro(nome).proprio_texto());
    let uf = apurado.dentro("uf");
    let mun = apurado.dentro("mun");
    let fed = apurado.dentro("fed");
    // Public purchases and credits repeat names of the totals in groups of their
    // own, so those are asked for by path.
    let total = apurado.dentro("totCIBS");
    Some(IbsCbs {
        cst: situacao.texto("CST"),
        classificacao: situacao.texto("cClassTrib"),
        indicador_operacao: declarado.dentro("cIndOp").proprio_texto(),
        incidencia: Municipio {
            uf: uf_do_ibge(&codigo).to_owned(),
            nome: apurado.dentro("xLocalidadeIncid").proprio_texto(),
            codigo,
            pais: String::new(),
        },
        exclusoes: somar([exclusoes, valor("vCalcReeRepRes")]),
        base_calculo: valor("vBC"),
        reducao_uf: uf.valor("pRedAliqUF"),
        reducao_municipio: mun.valor("pRedAliqMun"),
        reducao_cbs: fed.valor("pRedAliqCBS"),
        aliquota_uf: uf.valor("pIBSUF"),
        aliquota_municipio: mun.valor("pIBSMun"),
        aliquota_cbs: fed.valor("pCBS"),
        efetiva_uf: uf.valor("pAliqEfetUF"),
        efetiva_municipio: mun.valor("pAliqEfetMun"),
        efetiva_cbs: fed.valor("pAliqEfetCBS"),
        valor_uf: total.valor("gIBS/gIBSUFTot/vIBSUF"),
        valor_municipio: total.valor("gIBS/gIBSMunTot/vIBSMun"),
        valor_ibs: total.valor("gIBS/vIBSTot"),
        valor_cbs: total.valor("gCBS/vCBS"),
    })
}

/// Sum of what is there; none if nothing is.
pub(super) fn somar(parcelas: impl IntoIterator<Item = Option<Decimal>>) -> Option<Decimal> {
    parcelas
        .into_iter()
        .flatten()
        .try_fold((Decimal::ZERO, false), |(sum, _), value| {
            // Beyond 28 digits there is no sum to show.
            sum.checked_add(value).map(|sum| (sum, true))
        })
        .and_then(|(sum, any)| any.then_some(sum))
}
