//! D-1001: groups that are for the taxpayers of one regime alone.
//!
//! Source: `infoContrib` of `evtInfoContrib` v1_0_1.

use super::rule;
use crate::group::Group;
use markup::field::Fields;

/// Group, the regime it is for, and the regime's name.
const SECTORS: [(&str, &str, &str); 3] = [
    ("servFinanc", "1", "serviços financeiros"),
    ("plAssistSaude", "2", "planos de assistência à saúde"),
    ("prognosticos", "3", "concursos de prognósticos"),
];

pub fn check(event: &Group<'_>, faults: &mut Fields) {
    let Some(taxpayer) = event.child("infoContrib") else {
        return;
    };
    let mut regimes = taxpayer.texts("regTribSecund");
    regimes.push(taxpayer.value("regTribPrinc"));
    for (group, regime, name) in SECTORS {
        if taxpayer.has(group) && !regimes.iter().any(|own| own == regime) {
            faults.add(
                taxpayer.at(group),
                rule::FORBIDDEN,
                format!("{group} é exclusivo de quem está no regime de {name}."),
                format!(
                    "Informe o regime {regime} em regTribPrinc ou regTribSecund, ou retire {group}."
                ),
            );
        }
    }
}
