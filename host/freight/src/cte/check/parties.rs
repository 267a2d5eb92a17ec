//! Participants of a CT-e: registrations, addresses, and who pays.

use crate::document::check::Judged;
use crate::document::check::parties::{self, Party, others, readers};
use fiscal::nfe::ie;
use fiscal::nfe::reading::judging::Findings;
use fiscal::nfe::reading::judging::nota::text;
use fiscal::nfe::reading::judging::parties::municipality;
use markup::xml::Element;

/// What is answered to a municipality of a party whose own number two sources
/// tell differently.
const NO_TOWN: &str = "municipio_inexistente";

const PARTIES: [Party; 8] = [
    Party {
        path: &["emit"],
        address: "enderEmit",
        who: "do emitente",
        cnpj: "207",
        cpf: "cpf_invalido",
        ie: Some("209"),
        municipality: ("713", "712"),
    },
    Party {
        path: &["rem"],
        address: "enderReme",
        who: "do remetente",
        cnpj: "415",
        cpf: "416",
        ie: Some("419"),
        municipality: ("532", "418"),
    },
    Party {
        path: &["exped"],
        address: "enderExped",
        who: "do expedidor",
        cnpj: "428",
        cpf: "429",
        ie: Some("432"),
        municipality: (NO_TOWN, "431"),
    },
    Party {
        path: &["receb"],
        address: "enderReceb",
        who: "do recebedor",
        cnpj: "436",
        cpf: "437",
        ie: Some("440"),
        municipality: ("535", "439"),
    },
    Party {
        path: &["dest"],
        address: "enderDest",
        who: "do destinatário",
        cnpj: "208",
        cpf: "237",
        ie: Some("210"),
        municipality: (NO_TOWN, "424"),
    },
    Party {
        path: &["ide", "toma4"],
        address: "enderToma",
        who: "do tomador",
        cnpj: "444",
        cpf: "445",
        ie: Some("448"),
        municipality: ("536", "447"),
    },
    Party {
        path: &["infRespTec"],
        address: "",
        who: "do responsável técnico",
        cnpj: "836",
        cpf: "cpf_invalido",
        ie: None,
        municipality: (NO_TOWN, NO_TOWN),
    },
    Party {
        path: &["infCTeNorm", "infModal", "ferrov", "trafMut", "ferroEnv"],
        address: "enderFerro",
        who: "da ferrovia",
        cnpj: "cnpj_invalido",
        cpf: "cpf_invalido",
        ie: None,
        municipality: (NO_TOWN, NO_TOWN),
    },
];

/// Elements whose registrations the table has.
const KNOWN: [&str; 9] = [
    "autXML",
    "dest",
    "emit",
    "exped",
    "ferroEnv",
    "infRespTec",
    "receb",
    "rem",
    "toma4",
];

/// Places of the service: municipality, its state, codes of one that does not
/// exist and of one of another state.
const PLACES: [(&str, &str, (&str, &str)); 3] = [
    ("cMunEnv", "UFEnv", ("537", "493")),
    ("cMunIni", "UFIni", ("541", "456")),
    ("cMunFim", "UFFim", ("542", "414")),
];

pub(super) fn check(cte: &Judged<'_>, findings: &mut Findings) {
    parties::check(cte, &PARTIES, findings);
    others(cte, &KNOWN, findings);
    readers(cte, ("699", "700", "715"), findings);
    named_readers(cte, findings);
    for (field, uf, codes) in PLACES {
        let (code, uf) = (cte.ide(field), cte.ide(uf));
        if !code.is_empty() && !uf.is_empty() {
            let place = cte.at(&format!("ide/{field}"));
            municipality((&code, &uf), place, codes, findings);
        }
    }
    payer(cte, findings);
}

/// Roles of `toma3`: code, element, its name in words, what is answered when it
/// is not there.
const ROLES: [(&str, &str, &str, &str); 4] = [
    ("0", "rem", "remetente", "460"),
    ("1", "exped", "expedidor", "461"),
    ("2", "receb", "recebedor", "462"),
    ("3", "dest", "destinatário", "463"),
];

/// Who pays is there, and has the registration that `indIEToma` tells of.
fn payer(cte: &Judged<'_>, findings: &mut Findings) {
    let role = cte.said(&["ide", "toma3", "toma"]);
    let named = ROLES.iter().find(|(code, ..)| *code == role);
    let party = match named {
        Some((_, name, ..)) => cte.inf.child(name),
        None => cte.inf.find(&["ide", "toma4"]),
    };
    let Some(party) = party else {
        if let Some((_, name, word, code)) = named {
            findings
                .error(
                    cte.at("ide/toma3/toma"),
                    code,
                    format!("O tomador é o {word}, e o CT-e não tem {word} ({name})."),
                    "Informe o participante, ou corrija o tomador.",
                )
                .value(&role);
        }
        return;
    };
    let registration = text(party, &["IE"]).unwrap_or_default();
    let registration = registration.trim();
    let exempt = registration.eq_ignore_ascii_case("isento");
    let place = format!("{}/IE", cte.place(party));
    match &*cte.ide("indIEToma") {
        "1" if registration.is_empty() || exempt => {
            findings.error(
                place,
                "481",
                "O tomador é contribuinte e não tem inscrição estadual.",
                "Informe a inscrição, ou corrija indIEToma.",
            );
        }
        "2" if !exempt => {
            findings.error(
                place,
                "482",
                "O tomador isento de inscrição traz ISENTO na inscrição estadual.",
                "Escreva ISENTO, ou corrija indIEToma.",
            );
        }
        _ => {}
    }
    another_role(cte, findings);
}

/// Registration and state registration of a party; none of one without any.
fn identity(party: Element<'_>) -> Option<(String, String)> {
    let documento = text(party, &["CNPJ"]).or_else(|| text(party, &["CPF"]))?;
    let registration = text(party, &["IE"]).unwrap_or_default();
    Some((documento.into_owned(), ie::normalize(&registration)))
}

/// Who pays as somebody else is none of the participants.
fn another_role(cte: &Judged<'_>, findings: &mut Findings) {
    let Some(other) = cte.inf.find(&["ide", "toma4"]).and_then(identity) else {
        return;
    };
    let mut roles = ROLES.iter().map(|(_, name, ..)| *name);
    let same = roles.find(|name| cte.inf.child(name).and_then(identity).as_ref() == Some(&other));
    if let Some(role) = same {
        findings.error(
            cte.at("ide/toma4"),
            "799",
            format!("O tomador já está no CT-e como {role}."),
            "Indique o papel em toma3, sem os outros dados.",
        );
    }
}

/// Who may download the XML is nobody whom the CT-e names anyway.
fn named_readers(cte: &Judged<'_>, findings: &mut Findings) {
    let documento = |party: Element<'_>| {
        let found = text(party, &["CNPJ"]).or_else(|| text(party, &["CPF"]));
        found.map(|found| found.into_owned())
    };
    let roles = ROLES.iter().filter_map(|(_, name, ..)| cte.inf.child(name));
    let named: Vec<String> = roles
        .chain(cte.inf.find(&["ide", "toma4"]))
        .filter_map(documento)
        .collect();
    for reader in cte.inf.find_all(&["autXML"]) {
        if documento(reader).is_some_and(|who| named.contains(&who)) {
            findings.error(
                cte.place(reader),
                "828",
                "Quem pode baixar o XML já é participante do CT-e.",
                "Retire-o de autXML: participantes baixam sem isso.",
            );
        }
    }
}
