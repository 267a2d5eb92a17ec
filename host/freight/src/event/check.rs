//! What the authority would find wrong in an event of a CT-e or MDF-e beyond the
//! layout. What must be known of the document itself is not here.
//!
//! Sources: MOC CT-e 4.00 and MOC MDF-e 3.00b, general rules of events and those
//! of each kind, second-hand.

use super::kinds::search;
use crate::document::check::keys;
use fiscal::nfe::event::{Family, Kind};
use fiscal::nfe::reading::Finding;
use fiscal::nfe::reading::judging::event::{self, EventCodes, EventForm};
use fiscal::nfe::reading::judging::nota::text;
use fiscal::nfe::reading::judging::parties::municipality;
use fiscal::nfe::reading::judging::{Findings, signature};
use markup::ids::Cpf;
use markup::ids::chave::Chave;
use markup::xml::{Document, Element};
use markup::xmldsig::SignatureParts;
use time::Date;

pub use crate::document::reading::ReadingError;

const CTE: EventForm = EventForm {
    family: Family::Cte,
    called: crate::cte::check::CALLED,
    sequence_digits: &[3],
    registered: &["134", "135", "136"],
    codes: EventCodes {
        id: "628",
        sequence: "636",
        key: ("236", "236"),
        cnpj: "627",
        cpf: "905",
        author: "632",
        future: "635",
    },
};

/// The layout takes sequences of two and of three digits in the `Id`.
const MDFE: EventForm = EventForm {
    family: Family::Mdfe,
    called: crate::mdfe::check::CALLED,
    sequence_digits: &[3, 2],
    registered: &["132", "134", "135", "136"],
    codes: EventCodes {
        id: "628",
        sequence: "636",
        key: ("236", "236"),
        cnpj: "627",
        cpf: "700",
        author: "632",
        future: "635",
    },
};

/// Models whose events have the shape of the CT-e's: CT-e, GTV-e, CT-e OS.
const MODELS_OF_CTE: &[u8] = &[57, 64, 67];
const MODELS_OF_MDFE: &[u8] = &[58];

/// Everything that does not fit in an event of a family, refusals before
/// oddities. `rsa` says whether the key of the certificate inside made the
/// signature.
///
/// # Errors
/// There is no single event of the family in the document.
pub fn check(
    family: Family,
    doc: &Document<'_>,
    today: Date,
    rsa: impl FnOnce(&SignatureParts) -> bool,
) -> Result<Vec<Finding>, ReadingError> {
    let (form, model, models) = match family {
        Family::Mdfe => (&MDFE, crate::mdfe::MODEL, MODELS_OF_MDFE),
        _ => (&CTE, crate::cte::MODEL, MODELS_OF_CTE),
    };
    let (event, inf) = parts(family, doc)?;
    let mut findings = Findings::new(model);
    event::identity(inf, form, &mut findings);
    let kind = kind(inf, family, model, &mut findings);
    if let Some(kind) = kind {
        event::sequence(inf, kind, form, &mut findings);
    }
    let chave = event::document(inf, form, &mut findings);
    if let Some(chave) = &chave {
        of_model(chave, family, models, &mut findings);
    }
    event::author(inf, kind, chave.as_ref(), form, &mut findings);
    event::future(inf, today, form, &mut findings);
    if let Some(kind) = kind
        && let Some(detail) = inf.find(&["detEvento", kind.elemento])
    {
        details(kind, detail, (chave.as_ref(), today), &mut findings);
    }
    event::answer(event, inf, form, &mut findings);
    signature::check(
        doc.text(),
        (event, inf),
        &signature::OF_SEFAZ,
        rsa,
        &mut findings,
    );
    Ok(findings.in_order())
}

/// The only event of a document, and its `infEvento`.
fn parts<'d>(
    family: Family,
    doc: &'d Document<'d>,
) -> Result<(Element<'d>, Element<'d>), ReadingError> {
    let (name, kind) = match family {
        Family::Mdfe => (family.event(), "MDF-e"),
        _ => (family.event(), "CT-e"),
    };
    let namespace = family.namespace();
    let mut found = doc.elements().filter(|element| element.name() == name);
    let event = found.next().ok_or(ReadingError::Absent {
        element: name,
        kind,
    })?;
    if event.namespace() != namespace {
        return Err(ReadingError::Namespace {
            element: name,
            kind,
            found: event.namespace().to_owned(),
            right: namespace,
        });
    }
    if found.next().is_some() {
        return Err(ReadingError::Batch(name));
    }
    let inf = event.child("infEvento").ok_or(ReadingError::Absent {
        element: "infEvento",
        kind,
    })?;
    Ok((event, inf))
}

/// The event in the catalogue. Of kinds that the hub does not send only the
/// envelope is judged.
fn kind(
    inf: Element<'_>,
    family: Family,
    model: u8,
    findings: &mut Findings,
) -> Option<&'static Kind> {
    let code = text(inf, &["tpEvento"]).unwrap_or_default();
    let kind = search(family, &code);
    let known = code.parse().ok();
    let known = known.and_then(|code| data::event_kinds::get(model, code));
    if kind.is_none() && known.is_none() {
        // The tax authorities' own events are not all in the table.
        findings
            .aviso(
                "infEvento/tpEvento",
                "629",
                "Não conhecemos este tipo de evento: só o envelope foi julgado.",
                "Confira tpEvento no manual do documento.",
            )
            .value(&code);
    }
    kind
}

/// The document is one that has such events.
fn of_model(chave: &Chave, family: Family, models: &[u8], findings: &mut Findings) {
    if models.contains(&chave.model()) {
        return;
    }
    findings
        .error(
            format!("infEvento/{}", family.key()),
            "236",
            format!(
                "A chave é do modelo {}, que não tem este evento.",
                chave.model()
            ),
            "Confira a chave do documento.",
        )
        .value(chave.as_str());
}

/// What a kind says.
fn details(
    kind: &Kind,
    detail: Element<'_>,
    (chave, today): (Option<&Chave>, Date),
    findings: &mut Findings,
) {
    let at = |place: &str| format!("infEvento/detEvento/{}/{place}", kind.elemento);
    match (kind.familia, kind.codigo) {
        (Family::Cte, "110113") if chave.is_some_and(|chave| chave.tp_emis() != 4) => {
            findings.error(
                "infEvento/chCTe",
                "680",
                "A emissão prévia é de um CT-e com forma de emissão 4 (EPEC).",
                "Gere a chave do CT-e com tpEmis 4.",
            );
        }
        (Family::Mdfe, "110112") => closing(detail, today, at, findings),
        (Family::Mdfe, "110114") => {
            let cpf = text(detail, &["condutor", "CPF"]);
            if cpf.is_some_and(|cpf| Cpf::parse(&cpf).is_err()) {
                findings.error(
                    at("condutor/CPF"),
                    "645",
                    "O CPF do condutor não é válido: os dígitos verificadores não conferem.",
                    "Confira o CPF.",
                );
            }
        }
        (Family::Mdfe, "110115") => {
            for (document, position) in detail.find_all(&["infDoc"]).into_iter().zip(1..) {
                let key = text(document, &["chNFe"]).unwrap_or_default();
                if !keys::right(&key, &[55]) {
                    findings
                        .error(
                            at(&format!("infDoc[{position}]/chNFe")),
                            "709",
                            "A chave não existe, ou não é de uma NF-e.",
                            "Copie a chave de 44 posições da NF-e.",
                        )
                        .value(&key);
                }
            }
        }
        _ => {}
    }
}

/// Where and when the transport ended.
fn closing(detail: Element<'_>, today: Date, at: impl Fn(&str) -> String, findings: &mut Findings) {
    let state = text(detail, &["cUF"]).unwrap_or_default();
    let town = text(detail, &["cMun"]).unwrap_or_default();
    if state == "99" {
        if town != "9999999" {
            findings
                .error(
                    at("cMun"),
                    "689",
                    "No exterior, o município de encerramento é 9999999.",
                    "Informe 9999999, ou corrija cUF.",
                )
                .value(&town);
        }
    } else if let Some(uf) = state.parse().ok().and_then(data::ufs::by_code) {
        let codes = ("714", "614");
        municipality((&town, uf.abbreviation), at("cMun"), codes, findings);
    }
    let day = text(detail, &["dtEnc"]).unwrap_or_default();
    let tomorrow = today.next_day().unwrap_or(today).to_string();
    // Both as AAAA-MM-DD, which sort as they are.
    if day.len() == tomorrow.len() && *day > *tomorrow {
        findings
            .aviso(
                at("dtEnc"),
                "encerramento_no_futuro",
                "O dia do encerramento ainda não chegou.",
                "Informe o dia em que o transporte terminou.",
            )
            .value(&day);
    }
}
