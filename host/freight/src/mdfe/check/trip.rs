//! The trip of an MDF-e: where it begins, ends and passes, and cargo that is
//! told later.

use crate::document::check::Judged;
use crate::mdfe::rules::borders::touch;
use fiscal::nfe::reading::judging::Findings;
use fiscal::nfe::reading::judging::parties::municipality;
use std::collections::BTreeSet;

/// Cities of the trip: field, the state they are in, codes of one that does not
/// exist, of one of another state and of one that comes twice.
const CITIES: [(&str, &str, (&str, &str), &str); 2] = [
    ("cMunCarrega", "UFIni", ("405", "456"), "685"),
    ("cMunDescarga", "UFFim", ("406", "612"), "680"),
];

pub(super) fn check(mdfe: &Judged<'_>, findings: &mut Findings) {
    for (field, state, codes, twice) in CITIES {
        let uf = mdfe.ide(state);
        let mut seen = BTreeSet::new();
        for city in mdfe.all(field) {
            let code = city.text();
            let place = mdfe.place(city);
            if !uf.is_empty() {
                municipality((&code, &uf), place.clone(), codes, findings);
            }
            if !seen.insert(code.clone().into_owned()) {
                findings
                    .error(
                        place,
                        twice,
                        "O município foi informado mais de uma vez.",
                        "Junte em um só grupo o que é do mesmo município.",
                    )
                    .value(&code);
            }
        }
    }
    way(mdfe, findings);
    later(mdfe, findings);
    product(mdfe, findings);
}

/// By road each state on the way borders on the one before. How the authority
/// goes by it is not known word for word.
fn way(mdfe: &Judged<'_>, findings: &mut Findings) {
    if mdfe.ide("modal") != "1" {
        return;
    }
    let states = mdfe.inf.find_all(&["ide", "infPercurso", "UFPer"]);
    let mut way: Vec<_> = vec![mdfe.ide("UFIni")];
    way.extend(states.into_iter().map(|state| state.text()));
    way.push(mdfe.ide("UFFim"));
    let known = way
        .iter()
        .all(|uf| uf == "EX" || data::ufs::by_uf(uf).is_some());
    if !known {
        return;
    }
    for pair in way.windows(2) {
        let [one, other] = pair else { continue };
        if one != other && !touch(one, other) {
            findings
                .aviso(
                    mdfe.at("ide/infPercurso"),
                    "percurso_invalido",
                    format!("{other} não faz divisa com {one}, a UF anterior do percurso."),
                    "Informe, na ordem do trajeto, as UFs entre a de início e a de fim.",
                )
                .value(other);
            return;
        }
    }
}

/// Cargo that is told later: own cargo, by road, within one state, without
/// documents.
fn later(mdfe: &Judged<'_>, findings: &mut Findings) {
    if !mdfe.has(&["ide", "indCarregaPosterior"]) {
        return;
    }
    let documents = ["infCTe", "infNFe", "infMDFeTransp"];
    let carries = documents.iter().any(|name| mdfe.all(name).next().is_some());
    let cases = [
        (
            mdfe.ide("UFIni") != mdfe.ide("UFFim"),
            "704",
            "dentro de uma só UF",
        ),
        (mdfe.ide("modal") != "1", "705", "no modal rodoviário"),
        (
            carries,
            "706",
            "em um MDF-e sem documentos, que entram depois por evento",
        ),
        (
            mdfe.ide("tpEmit") != "2",
            "707",
            "na carga própria (tpEmit 2)",
        ),
    ];
    for (wrong, code, when) in cases {
        if wrong {
            findings.error(
                mdfe.at("ide/indCarregaPosterior"),
                code,
                format!("indCarregaPosterior só vale {when}."),
                "Retire indCarregaPosterior, ou corrija o MDF-e.",
            );
        }
    }
}

/// The NCM of what is mostly carried.
fn product(mdfe: &Judged<'_>, findings: &mut Findings) {
    let path = ["prodPred", "NCM"];
    let Some(ncm) = mdfe.text(&path) else {
        return;
    };
    if !data::ncm::is_valid(&ncm, mdfe.day) {
        findings
            .aviso(
                mdfe.at(&path.join("/")),
                "ncm_inexistente",
                "O NCM não existe na tabela do dia da emissão.",
                "Confira o código na tabela NCM vigente (Siscomex).",
            )
            .value(&ncm);
    }
}
