//! Keys of other documents in a CT-e.

use crate::document::check::Judged;
use crate::document::check::keys::{self, Named};
use fiscal::nfe::reading::judging::Findings;

/// CT-e, and CT-e OS where payments in advance are named.
const CTE: &[u8] = &[57];
const CTE_OR_OTHER: &[u8] = &[57, 67];

const KEYS: [Named; 7] = [
    Named {
        field: "chave",
        parent: Some("infNFe"),
        models: &[55],
        of: "da NF-e transportada",
        wrong: "843",
        twice: Some("527"),
    },
    Named {
        field: "chave",
        parent: Some("infDCe"),
        models: &[99],
        of: "da DC-e transportada",
        wrong: "chave_invalida",
        twice: None,
    },
    Named {
        field: "chCTe",
        parent: Some("infCteComp"),
        models: CTE,
        of: "do CT-e complementado",
        wrong: "849",
        twice: Some("907"),
    },
    Named {
        field: "chCte",
        parent: Some("infCteSub"),
        models: CTE,
        of: "do CT-e substituído",
        wrong: "847",
        twice: None,
    },
    Named {
        field: "chCTe",
        parent: Some("idDocAntEle"),
        models: CTE_OR_OTHER,
        of: "do CT-e anterior",
        wrong: "chave_invalida",
        twice: None,
    },
    Named {
        field: "chCTeMultimodal",
        parent: None,
        models: CTE,
        of: "do CT-e multimodal",
        wrong: "chave_invalida",
        twice: None,
    },
    Named {
        field: "chCTeFerroOrigem",
        parent: None,
        models: CTE,
        of: "do CT-e da ferrovia de origem",
        wrong: "842",
        twice: None,
    },
];

pub(super) fn check(cte: &Judged<'_>, findings: &mut Findings) {
    keys::check(cte, &KEYS, findings);
}
