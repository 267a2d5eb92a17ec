//! D-1011: how the codes of an account and of what it is split into hang
//! together.
//!
//! Source: `infoConta` of `evtPGCC` v1_0_3.

use super::rule;
use super::values::ends_after;
use crate::group::Group;
use markup::field::Fields;
use std::collections::HashMap;

/// `cDbrMista` of an account that is no part of another.
const WHOLE: &str = "000";
/// `indCta` of an account that others are below.
const SYNTHETIC: &str = "S";

/// The members of an account that the rules compare.
struct Account {
    synthetic: bool,
    above: String,
    reference: String,
}

pub fn check(event: &Group<'_>, faults: &mut Fields) {
    let list = event
        .child("infoPGCC")
        .and_then(|chart| chart.child("infoContas"));
    let Some(list) = list else {
        return;
    };
    let items = list.items("infoConta");
    let known: HashMap<String, Account> = items
        .iter()
        .map(|item| {
            let account = Account {
                synthetic: item.value("indCta") == SYNTHETIC,
                above: item.value("cCtaSup"),
                reference: item.value("cCtaRef"),
            };
            (item.value("cCta"), account)
        })
        .collect();
    for item in &items {
        account(item, faults);
        if item.value("cDbrMista") != WHOLE {
            part(item, &known, faults);
        }
    }
}

fn account(item: &Group<'_>, faults: &mut Fields) {
    let code = format!("{}{}", item.value("cCtaInterna"), item.value("cDbrMista"));
    if item.value("cCta") != code {
        faults.add(
            item.at("cCta"),
            rule::DIFFERENT,
            "cCta não é cCtaInterna seguida de cDbrMista.",
            format!("Informe {code}."),
        );
    }
    if item.value("indCta") == SYNTHETIC && item.has("indTribISS") {
        faults.add(
            item.at("indTribISS"),
            rule::FORBIDDEN,
            "indTribISS não vai em conta sintética.",
            "Retire indTribISS.",
        );
    }
    ends_after(item, "iniVig", "fimVig", faults);
}

/// A part of a mixed account: analytic, below the same account as the mixed one,
/// with the reference of the account above.
fn part(item: &Group<'_>, known: &HashMap<String, Account>, faults: &mut Fields) {
    if item.value("indCta") == SYNTHETIC {
        faults.add(
            item.at("indCta"),
            rule::DIFFERENT,
            "O desdobramento de uma conta mista é analítico.",
            "Informe A em indCta.",
        );
    }
    let mixed = known.get(&format!("{}{WHOLE}", item.value("cCtaInterna")));
    if mixed.is_some_and(|mixed| !mixed.synthetic) {
        faults.add(
            item.at("cCta"),
            rule::DIFFERENT,
            "A conta mista deste desdobramento não é sintética.",
            "Informe S em indCta da conta com cDbrMista 000.",
        );
    }
    let above = item.value("cCtaSup");
    if mixed.is_some_and(|mixed| mixed.above != above) {
        faults.add(
            item.at("cCtaSup"),
            rule::DIFFERENT,
            "O desdobramento não tem a mesma conta superior da conta mista.",
            "Repita em cCtaSup a da conta com cDbrMista 000.",
        );
    }
    let reference = known.get(&above).map(|above| above.reference.as_str());
    if reference.is_some_and(|reference| reference != item.value("cCtaRef")) {
        faults.add(
            item.at("cCtaRef"),
            rule::DIFFERENT,
            "cCtaRef de um desdobramento é a da conta superior (cCtaSup).",
            "Repita a cCtaRef da conta superior.",
        );
    }
}
