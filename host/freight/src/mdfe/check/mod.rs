//! What the authority would find wrong in an MDF-e beyond the layout: a key that
//! is not made of its fields, registrations and codes outside of their tables,
//! totals that are not those of its documents, a content that is not the signed
//! one.
//!
//! Sources: MOC MDF-e 3.00b, annex I, second-hand; where the exact rule is not
//! known, a finding is an `aviso`. Rules of the registries and of the authority's
//! own data are not here.

mod documents;
mod parties;
mod trip;

use super::reading::{FORM, ReadingError};
use super::{MODEL, qrcode};
use crate::document::check::{Judged, KEY_CODES, future, modal, parties::state, qrcode as codes};
use fiscal::nfe::event::Family;
use fiscal::nfe::reading::Finding;
use fiscal::nfe::reading::judging::chave::{self, KeyForm};
use fiscal::nfe::reading::judging::nota::Called;
use fiscal::nfe::reading::judging::protocol::{self, ProtocolForm};
use fiscal::nfe::reading::judging::{Findings, signature};
use markup::xml::Document;
use markup::xmldsig::SignatureParts;
use time::Date;
use time::macros::date;

/// The rules: one set, for documents of every day of the layout.
pub const RULES: &str = "moc-mdfe-3.00b";

/// An MDF-e in sentences.
pub(crate) const CALLED: Called = Called {
    it: "o MDF-e",
    of: "do MDF-e",
};

const KEY: KeyForm = KeyForm {
    family: Family::Mdfe,
    body: "infMDFe",
    called: CALLED,
    fields: ("nMDF", "cMDF"),
    codes: KEY_CODES,
};

const PROTOCOL: ProtocolForm = ProtocolForm {
    family: Family::Mdfe,
    called: CALLED,
    authorized: &["100"],
};

const QR: codes::QrForm = codes::QrForm {
    path: ["infMDFeSupl", "qrCodMDFe"],
    key: "chMDFe",
    prefix: "MDFe",
    signed: &["2"],
    codes: codes::QrCodes {
        absent: "480",
        address: "479",
        key: "481",
        unsigned: "482",
        needless: "488",
    },
};

/// Documents of this layout are older than its QR code; from this day on all have
/// it (the duty began in October 2019, the day is second-hand).
const QR_SINCE: Date = date!(2020 - 01 - 01);

/// `ide/modal`, and the group of each.
const MODAIS: [(&str, &str); 4] = [
    ("1", "rodo"),
    ("2", "aereo"),
    ("3", "aquav"),
    ("4", "ferrov"),
];

/// Everything that does not fit, refusals before oddities. `rsa` says whether the
/// key of the certificate inside made the signature.
///
/// # Errors
/// There is no single `MDFe/infMDFe` of the namespace in the document.
pub fn check(
    doc: &Document<'_>,
    today: Date,
    rsa: impl FnOnce(&SignatureParts) -> bool,
) -> Result<Vec<Finding>, ReadingError> {
    let mdfe = Judged::of(&FORM, doc, today)?;
    let mut findings = Findings::new(MODEL);
    chave::check(mdfe.inf, &KEY, &mut findings);
    state(&mdfe, &mut findings);
    parties::check(&mdfe, &mut findings);
    future(&mdfe, today, "212", &mut findings);
    trip::check(&mdfe, &mut findings);
    modal(&mdfe, &["infModal"], (&MODAIS, "3.00"), &mut findings);
    documents::check(&mdfe, &mut findings);
    signature::check(
        doc.text(),
        (mdfe.document, mdfe.inf),
        &signature::OF_SEFAZ,
        rsa,
        &mut findings,
    );
    protocol::check((mdfe.document, mdfe.inf), &PROTOCOL, &mut findings);
    if mdfe.day >= QR_SINCE || mdfe.document.child("infMDFeSupl").is_some() {
        codes::check(&mdfe, &QR, Some(qrcode::ADDRESS), &mut findings);
    }
    Ok(findings.in_order())
}
