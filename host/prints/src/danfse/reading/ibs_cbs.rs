//! The IBS/CBS group, which the national layout and the cities' share.

use rust_decimal::Decimal;

use crate::danfse::reading::group::Group;
use crate::danfse::{IbsCbs, Municipality};
use markup::format::ibge_uf;

/// Reads `declared` (what the DPS said) and `computed` (what the system
/// computed); both may be the same element, none if both are missing.
///
/// `exclusions` is what else, besides reimbursements, leaves the base.
pub(super) fn read(
    declared: Group<'_>,
    computed: Group<'_>,
    exclusions: Option<Decimal>,
) -> Option<IbsCbs> {
    if !declared.has_content() && !computed.has_content() {
        return None;
    }
    let status = declared.within("gIBSCBS");
    let code = computed.within("cLocalidadeIncid").own_text();
    let value = |name| crate::danfse::reading::group::number(&computed.within(name).own_text());
    let uf = computed.within("uf");
    let mun = computed.within("mun");
    let fed = computed.within("fed");
    // Public purchases and credits repeat names of the totals in groups of their
    // own, so those are asked for by path.
    let total = computed.within("totCIBS");
    Some(IbsCbs {
        cst: status.text("CST"),
        classification: status.text("cClassTrib"),
        operation_indicator: declared.within("cIndOp").own_text(),
        incidence: Municipality {
            uf: ibge_uf(&code).to_owned(),
            name: computed.within("xLocalidadeIncid").own_text(),
            code,
            country: String::new(),
        },
        exclusions: add([exclusions, value("vCalcReeRepRes")]),
        tax_base: value("vBC"),
        uf_reduction: uf.value("pRedAliqUF"),
        municipal_reduction: mun.value("pRedAliqMun"),
        cbs_reduction: fed.value("pRedAliqCBS"),
        uf_rate: uf.value("pIBSUF"),
        municipal_rate: mun.value("pIBSMun"),
        cbs_rate: fed.value("pCBS"),
        effective_uf: uf.value("pAliqEfetUF"),
        effective_municipal: mun.value("pAliqEfetMun"),
        effective_cbs: fed.value("pAliqEfetCBS"),
        uf_value: total.value("gIBS/gIBSUFTot/vIBSUF"),
        municipal_value: total.value("gIBS/gIBSMunTot/vIBSMun"),
        ibs_value: total.value("gIBS/vIBSTot"),
        cbs_value: total.value("gCBS/vCBS"),
    })
}

/// Sum of what is there; none if nothing is.
pub(super) fn add(installments: impl IntoIterator<Item = Option<Decimal>>) -> Option<Decimal> {
    installments
        .into_iter()
        .flatten()
        .try_fold((Decimal::ZERO, false), |(sum, _), value| {
            // Beyond 28 digits there is no sum to show.
            sum.checked_add(value).map(|sum| (sum, true))
        })
        .and_then(|(sum, any)| any.then_some(sum))
}
