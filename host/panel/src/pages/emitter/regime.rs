//! A change of a company's regime: the taxation of its products changes with it, or does not
//! fit any more.

use super::company::{same, starter};
use super::profile;
use crate::pages::issue::wrong::Wrong;
use crate::reply::text;
use serde_json::Value;

/// Groups of the products' taxation that [`starter`] fills in.
const GROUPS: [&str; 4] = ["icms", "pis", "cofins", "ibs_cbs"];
/// Fuels taxed once have a CST in every regime.
const OF_FUELS: [&str; 4] = ["02", "15", "53", "61"];

/// Puts the taxation that most shops of the chosen regime begin with in the place of that of
/// the one before, group by group where nobody changed it. `before`, `chosen`: choices of the
/// forms. True: something was replaced.
pub fn renew(profile: &mut Value, before: &str, chosen: &str) -> bool {
    let (was, is) = (starter(before), starter(chosen));
    if was.is_null() || is.is_null() {
        return false;
    }
    let mut renewed = false;
    for group in GROUPS {
        let changes = was[group] != is[group];
        if changes && same(&profile["padroes"], &was, group) {
            let begun = Some(is[group].clone()).filter(|begun| !begun.is_null());
            profile::set(profile, &format!("/padroes/{group}"), begun);
            renewed = true;
        }
    }
    renewed
}

/// What of a changed profile does not fit its regime: every note of products would be refused
/// for it. `before`: the profile as it is stored.
pub fn misfit(before: &Value, profile: &Value) -> Option<Wrong> {
    let icms = |profile: &Value, name: &str| text(&profile["padroes"]["icms"], name).to_owned();
    let (cst, csosn) = (icms(profile, "cst"), icms(profile, "csosn"));
    let regime = text(profile, "regime");
    let untouched = regime == text(before, "regime")
        && cst == icms(before, "cst")
        && csosn == icms(before, "csosn");
    if untouched {
        return None;
    }
    let (field, sentence) = match regime {
        "normal" | "simples_excesso" if !csosn.is_empty() => (
            "icms_csosn",
            "O CSOSN só vale no Simples Nacional e no MEI, e o regime da empresa é outro. Deixe-o vazio e preencha o CST do ICMS.",
        ),
        "simples_nacional" | "mei" if !cst.is_empty() && !OF_FUELS.contains(&cst.as_str()) => (
            "icms_cst",
            "Este CST do ICMS não vale no Simples Nacional nem no MEI, que é o regime da empresa. Deixe-o vazio e preencha o CSOSN.",
        ),
        _ => return None,
    };
    Some(Wrong {
        field: field.to_owned(),
        sentence: sentence.to_owned(),
    })
}
