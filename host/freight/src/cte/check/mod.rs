//! What the authority would find wrong in a CT-e beyond the layout: a key that
//! is not made of its fields, registrations and codes outside of their tables,
//! numbers that contradict each other, a content that is not the signed one.
//!
//! Sources: MOC CT-e 4.00, annex I, second-hand; where only the text of a
//! rejection is known and not its exact rule, a finding is an `aviso`. Rules of
//! one state, of the registries and of the authority's own data are not here.

mod documents;
mod identity;
mod parties;
mod service;
mod values;

use super::reading::{FORM, ReadingError};
use super::{MODEL, qrcode};
use crate::document::check::{Judged, KEY_CODES, future, modal, qrcode as codes};
use fiscal::nfe::event::Family;
use fiscal::nfe::reading::Finding;
use fiscal::nfe::reading::judging::chave::{self, KeyForm};
use fiscal::nfe::reading::judging::nota::Called;
use fiscal::nfe::reading::judging::protocol::{self, ProtocolForm};
use fiscal::nfe::reading::judging::{Findings, signature};
use markup::xml::Document;
use markup::xmldsig::SignatureParts;
use time::Date;

/// The rules: one set, for documents of every day of the layout.
pub const RULES: &str = "moc-cte-4.00";

/// A CT-e in sentences.
pub(crate) const CALLED: Called = Called {
    it: "o CT-e",
    of: "do CT-e",
};

const KEY: KeyForm = KeyForm {
    family: Family::Cte,
    body: "infCte",
    called: CALLED,
    fields: ("nCT", "cCT"),
    codes: KEY_CODES,
};

const PROTOCOL: ProtocolForm = ProtocolForm {
    family: Family::Cte,
    called: CALLED,
    authorized: &["100", "150"],
};

const QR: codes::QrForm = codes::QrForm {
    path: ["infCTeSupl", "qrCodCTe"],
    key: "chCTe",
    prefix: "CTe",
    // EPEC; of the other contingencies the manual leaves it open.
    signed: &["4"],
    codes: codes::QrCodes {
        absent: "850",
        address: "851",
        key: "852",
        unsigned: "853",
        needless: "854",
    },
};

/// `ide/modal`, and the group of each.
const MODAIS: [(&str, &str); 6] = [
    ("01", "rodo"),
    ("02", "aereo"),
    ("03", "aquav"),
    ("04", "ferrov"),
    ("05", "duto"),
    ("06", "multimodal"),
];

/// Everything that does not fit, refusals before oddities. `rsa` says whether the
/// key of the certificate inside made the signature.
///
/// # Errors
/// There is no single `CTe/infCte` of the namespace in the document.
pub fn check(
    doc: &Document<'_>,
    today: Date,
    rsa: impl FnOnce(&SignatureParts) -> bool,
) -> Result<Vec<Finding>, ReadingError> {
    let cte = Judged::of(&FORM, doc, today)?;
    let mut findings = Findings::new(MODEL);
    chave::check(cte.inf, &KEY, &mut findings);
    identity::check(&cte, &mut findings);
    parties::check(&cte, &mut findings);
    future(&cte, today, "212", &mut findings);
    service::check(&cte, &mut findings);
    modal(
        &cte,
        &["infCTeNorm", "infModal"],
        (&MODAIS, "4.00"),
        &mut findings,
    );
    documents::check(&cte, &mut findings);
    values::check(&cte, &mut findings);
    signature::check(
        doc.text(),
        (cte.document, cte.inf),
        &signature::OF_SEFAZ,
        rsa,
        &mut findings,
    );
    protocol::check((cte.document, cte.inf), &PROTOCOL, &mut findings);
    let uf = cte.said(&["emit", "enderEmit", "UF"]);
    let site = qrcode::site(&uf, codes::environment(&cte));
    codes::check(&cte, &QR, Some(site), &mut findings);
    Ok(findings.in_order())
}
