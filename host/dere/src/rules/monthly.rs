//! D-1101 and D-1106: amounts that bound one another or are calculated of
//! others.
//!
//! Source: `infoConta` of `evtBalancete` v1_0_1, `infoAplicResTec` of
//! `evtAplicResTec` v1_0_0.

use super::rule;
use super::values::{at_most, equals};
use crate::group::Group;
use markup::field::Fields;
use rust_decimal::Decimal;

/// The monthly balance.
pub fn balance(event: &Group<'_>, faults: &mut Fields) {
    let list = event
        .child("infoBalancete")
        .and_then(|balance| balance.child("infoContas"));
    let items = list.map(|list| list.items("infoConta")).unwrap_or_default();
    for item in &items {
        at_most(item, "vAjusteDebt", "vMovDebt", faults);
        at_most(item, "vAjusteCred", "vMovCred", faults);
        if item.amount_or_zero("vApur") > Decimal::ZERO && !item.has("natVApur") {
            faults.add(
                item.at("natVApur"),
                rule::MANDATORY,
                "Falta natVApur: vApur é maior que zero.",
                "Informe D ou C.",
            );
        }
    }
}

/// Investments of the technical reserve.
pub fn investments(event: &Group<'_>, faults: &mut Fields) {
    let Some(all) = event.child("infoAplicResTec") else {
        return;
    };
    let accounts = all.items("infoAplic");
    if all.has("semAplic") && !accounts.is_empty() {
        faults.add(
            all.at("semAplic"),
            rule::FORBIDDEN,
            "semAplic diz que não há aplicações, e há.",
            "Retire semAplic ou infoAplic.",
        );
    }
    for asset in accounts.iter().flat_map(|one| one.items("detAtivo")) {
        let sum = asset.amount_or_zero("vSaldoInic") + asset.amount_or_zero("vVarMensal")
            - asset.amount_or_zero("vPrincLiqResg");
        equals(
            &asset,
            "vSaldoFinal",
            sum,
            "vSaldoInic + vVarMensal - vPrincLiqResg",
            faults,
        );
        let income = asset.amount_or_zero("vRendPerReceb") + asset.amount_or_zero("vRendLiqResg");
        equals(
            &asset,
            "vApur",
            income,
            "vRendPerReceb + vRendLiqResg",
            faults,
        );
    }
}
