//! Participants of an MDF-e: emitter, drivers, owners, who pays.

use crate::document::check::Judged;
use crate::document::check::parties::{self, Party, others, readers};
use fiscal::nfe::reading::judging::Findings;
use markup::ids::Cpf;
use std::collections::BTreeSet;

const PARTIES: [Party; 2] = [
    Party {
        path: &["emit"],
        address: "enderEmit",
        who: "do emitente",
        cnpj: "207",
        cpf: "210",
        ie: Some("209"),
        municipality: ("408", "407"),
    },
    Party {
        path: &["infRespTec"],
        address: "",
        who: "do responsável técnico",
        cnpj: "713",
        cpf: "cpf_invalido",
        ie: None,
        municipality: ("municipio_inexistente", "municipio_inexistente"),
    },
];

/// Elements whose registrations have rules of their own.
const KNOWN: [&str; 4] = ["autXML", "condutor", "emit", "infRespTec"];

pub(super) fn check(mdfe: &Judged<'_>, findings: &mut Findings) {
    parties::check(mdfe, &PARTIES, findings);
    others(mdfe, &KNOWN, findings);
    readers(mdfe, ("660", "661", "459"), findings);
    drivers(mdfe, findings);
}

fn drivers(mdfe: &Judged<'_>, findings: &mut Findings) {
    let mut seen = BTreeSet::new();
    for driver in mdfe.all("condutor") {
        let Some(cpf) = driver.text_at(&["CPF"]) else {
            continue;
        };
        let place = format!("{}/CPF", mdfe.place(driver));
        if Cpf::parse(&cpf).is_err() {
            findings.error(
                place.clone(),
                "645",
                "O CPF do condutor não é válido: os dígitos verificadores não conferem.",
                "Confira o CPF.",
            );
        }
        if !seen.insert(cpf.into_owned()) {
            findings.error(
                place,
                "577",
                "O condutor foi informado mais de uma vez.",
                "Retire a repetição.",
            );
        }
    }
}
