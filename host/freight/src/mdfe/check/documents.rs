//! Documents that an MDF-e carries, and its totals.

use crate::document::check::Judged;
use crate::document::check::keys::{self, Named};
use fiscal::nfe::reading::judging::Findings;
use fiscal::nfe::reading::judging::nota::value;
use rust_decimal::Decimal;

const KEYS: [Named; 4] = [
    Named {
        field: "chCTe",
        parent: Some("infCTe"),
        // CT-e OS goes as CT-e.
        models: &[57, 67],
        of: "do CT-e",
        wrong: "601",
        twice: Some("668"),
    },
    Named {
        field: "chNFe",
        parent: Some("infNFe"),
        models: &[55, 65],
        of: "da NF-e",
        wrong: "604",
        twice: Some("669"),
    },
    Named {
        field: "chMDFe",
        parent: Some("infMDFeTransp"),
        models: &[58],
        of: "do MDF-e transportado",
        wrong: "649",
        twice: None,
    },
    Named {
        field: "chNFe",
        parent: Some("infNFePrestParcial"),
        models: &[55, 65],
        of: "da NF-e entregue em parte",
        wrong: "604",
        twice: None,
    },
];

pub(super) fn check(mdfe: &Judged<'_>, findings: &mut Findings) {
    keys::check(mdfe, &KEYS, findings);
    kinds(mdfe, findings);
    totals(mdfe, findings);
}

/// A carrier has CT-e, who carries its own cargo has NF-e.
fn kinds(mdfe: &Judged<'_>, findings: &mut Findings) {
    let emitter = mdfe.ide("tpEmit");
    let (name, code, message) = match &*emitter {
        "1" => (
            "infNFe",
            "638",
            "O prestador de serviço de transporte leva CT-e, não NF-e.",
        ),
        "2" => ("infCTe", "639", "A carga própria leva NF-e, não CT-e."),
        _ => return,
    };
    if let Some(found) = mdfe.all(name).next() {
        findings
            .error(
                mdfe.place(found),
                code,
                message,
                "Corrija tpEmit, ou os documentos.",
            )
            .value(&emitter);
    }
}

/// The totals are those of the documents.
fn totals(mdfe: &Judged<'_>, findings: &mut Findings) {
    let counted = [
        ("qCTe", "infCTe"),
        ("qNFe", "infNFe"),
        ("qMDFe", "infMDFeTransp"),
    ];
    let mut none = true;
    for (total, name) in counted {
        let count = Decimal::from(mdfe.all(name).count());
        none &= count.is_zero();
        let Some(said) = value(mdfe.inf, &["tot", total]) else {
            continue;
        };
        if said != count {
            findings
                .error(
                    mdfe.at(&format!("tot/{total}")),
                    "667",
                    format!("{total} é {said}, e o MDF-e tem {count}."),
                    "Conte os documentos outra vez.",
                )
                .value(&said.to_string());
        }
    }
    if none && !mdfe.has(&["ide", "indCarregaPosterior"]) {
        findings.error(
            mdfe.at("infDoc"),
            "616",
            "O MDF-e não tem nenhum documento.",
            "Informe as chaves do que se descarrega em cada município.",
        );
    }
}
