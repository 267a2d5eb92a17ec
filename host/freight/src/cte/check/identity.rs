//! Kind, form of emission and contingency of a CT-e.

use crate::document::check::Judged;
use crate::document::check::parties::state;
use fiscal::nfe::reading::judging::Findings;

/// Name of everybody in homologation, with and without a hyphen: the manual and
/// the schema write it in two ways.
const HOMOLOGACAO: [&str; 2] = [
    "CTE EMITIDO EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL",
    "CT-E EMITIDO EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL",
];

pub(super) fn check(cte: &Judged<'_>, findings: &mut Findings) {
    state(cte, findings);
    groups(cte, findings);
    contingency(cte, findings);
    homologacao(cte, findings);
}

/// Each kind of CT-e has a group of its own.
fn groups(cte: &Judged<'_>, findings: &mut Findings) {
    let kind = cte.ide("tpCTe");
    let cases: [(&[&str], &[&str], &str, &str); 3] = [
        (&["0", "3"], &["infCTeNorm"], "458", "normal"),
        (&["1"], &["infCteComp"], "459", "complementar"),
        (
            &["3"],
            &["infCTeNorm", "infCteSub"],
            "505",
            "de substituição",
        ),
    ];
    for (kinds, group, code, name) in cases {
        if kinds.contains(&&*kind) && !cte.has(group) {
            findings
                .error(
                    cte.at(&group.join("/")),
                    code,
                    format!("O CT-e {name} não tem o grupo {}.", group.join("/")),
                    "Inclua o grupo, ou corrija tpCTe.",
                )
                .value(&kind);
        }
    }
    if kind == "3" && cte.ide("tpEmis") != "1" {
        findings
            .error(
                cte.at("ide/tpEmis"),
                "503",
                "O CT-e de substituição só tem emissão normal.",
                "Emita-o com tpEmis 1.",
            )
            .value(&cte.ide("tpEmis"));
    }
    // 7 and 8: the contingency authorities (SVC).
    if matches!(&*cte.ide("tpEmis"), "7" | "8") && kind != "0" {
        findings
            .error(
                cte.at("ide/tpCTe"),
                "517",
                "A SVC só autoriza o CT-e normal.",
                "Espere a SEFAZ voltar para emitir este tipo de CT-e.",
            )
            .value(&kind);
    }
}

/// When a contingency began.
fn contingency(cte: &Judged<'_>, findings: &mut Findings) {
    let since = cte.moment(&["ide", "dhCont"]);
    if cte.ide("tpEmis") == "1" && cte.has(&["ide", "dhCont"]) {
        findings.error(
            cte.at("ide/dhCont"),
            "586",
            "A emissão normal não leva data de contingência.",
            "Retire dhCont e xJust, ou corrija tpEmis.",
        );
    }
    if let (Some(since), Some(issued)) = (since, cte.moment(&["ide", "dhEmi"]))
        && since > issued
    {
        findings
            .error(
                cte.at("ide/dhCont"),
                "588",
                "A contingência começa depois da emissão.",
                "Corrija dhCont ou dhEmi.",
            )
            .value(&since.date().to_string());
    }
}

/// In homologation the parties have a name that is nobody's.
fn homologacao(cte: &Judged<'_>, findings: &mut Findings) {
    if cte.ide("tpAmb") != "2" {
        return;
    }
    for (party, code) in [
        ("rem", "646"),
        ("exped", "647"),
        ("receb", "648"),
        ("dest", "649"),
    ] {
        let named = cte.text(&[party, "xNome"]);
        if named.is_some_and(|name| !HOMOLOGACAO.contains(&name.trim())) {
            findings.aviso(
                cte.at(&format!("{party}/xNome")),
                code,
                "Em homologação o nome é o texto fixo, sem valor fiscal.",
                format!("Escreva {}.", HOMOLOGACAO[0]),
            );
        }
    }
}
