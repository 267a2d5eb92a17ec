//! D-1198 and D-1199: a month is reopened by the receipt of its closing, and
//! closed with the negative bases that are used.
//!
//! Source: `evtReabertMensal` v0_0_1, `evtFechMensal` v0_0_2.

use super::operation::same_month;
use super::rule;
use super::values::exactly_if;
use crate::group::Group;
use markup::field::Fields;

/// What the receipt of a closing begins with.
const CLOSING: &str = "1199";
/// `usarBCNAcum`: the negative base is used.
const USED: &str = "1";

pub fn reopening(event: &Group<'_>, faults: &mut Fields) {
    let Some(reopening) = event.child("infoReabertura") else {
        return;
    };
    let receipt = reopening.value("nrReciboReab");
    let place = reopening.at("nrReciboReab");
    if !receipt.starts_with(CLOSING) {
        faults.add(
            place.clone(),
            rule::DIFFERENT,
            "O recibo não é de um fechamento mensal: não começa por 1199.",
            "Informe o recibo do D-1199 do período.",
        );
    }
    same_month(event, &receipt, place, faults);
}

pub fn closing(event: &Group<'_>, faults: &mut Fields) {
    let bases = event
        .child("infoFechamento")
        .and_then(|closing| closing.child("gUtilizBCN"));
    let bases = bases
        .map(|bases| bases.items("infoBCN"))
        .unwrap_or_default();
    for base in &bases {
        let used = base.value("usarBCNAcum") == USED;
        exactly_if(base, "metodoAproveit", used, "usarBCNAcum é 1", faults);
    }
}
