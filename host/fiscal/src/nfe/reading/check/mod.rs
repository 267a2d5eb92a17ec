//! What the authority would find wrong in a note beyond the schema: numbers
//! that contradict each other, digits, codes outside of their tables, a content
//! that is not the signed one.
//!
//! Each finding carries the `cStat` the note would be refused with, where one
//! is known (MOC 7.0 annex I, NT 2025.002). Rules of one state, of the
//! taxpayer registry and of the authority's own databases are not here.

pub mod chave;
mod dates;
pub mod event;
mod items;
pub mod nota;
mod operation;
pub mod parties;
pub mod protocol;
pub mod qrcode;
mod reform;
mod rules;
pub mod signature;
mod tables;
mod totals;
mod validity;
mod void;

use serde::Serialize;
use time::Date;

pub use event::check_event;
pub(super) use nota::Nota;
pub use rules::{Rule, Subject, rules};
pub use validity::{CALENDAR, Regras};
pub use void::check_void;

use super::ReadingError;
use markup::xml::Document;
use markup::xmldsig::SignatureParts;

/// Most findings of one note.
const MAX_FINDINGS: usize = 200;

/// Something that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// `erro`: the note would be refused; `aviso`: it is odd, or only some
    /// states refuse it.
    pub gravidade: Severity,
    /// `infNFe/det[2]/prod/NCM`: from below the root.
    pub caminho: String,
    /// `cStat`, or a word of ours where the rule has none.
    pub codigo: &'static str,
    /// One sentence in pt-BR.
    pub mensagem: String,
    /// What to do, in pt-BR.
    pub correcao: String,
    /// What the document has, cut to 80 characters; absent for anything personal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valor: Option<String>,
    /// The authority's own text for the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<&'static str>,
}

/// What the rules say of a document, and which ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opinion {
    /// Those of the document's own day.
    pub regras: Regras,
    pub findings: Vec<Finding>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Erro,
    Aviso,
}

/// Everything that does not fit, the most useful first: refusals before
/// oddities, causes (key, parties, items) before consequences (totals).
/// Rules and tables are those of the day of emission, or of `hoje` where the note
/// has none.
/// `rsa` says whether the key of the certificate inside made the signature: the
/// host's, as this crate has no RSA. It is asked only where a content that is the
/// signed one comes with a certificate.
///
/// # Errors
/// There is no single `NFe/infNFe` in the document.
pub fn check(
    doc: &Document<'_>,
    today: Date,
    rsa: impl FnOnce(&SignatureParts) -> bool,
) -> Result<Opinion, ReadingError> {
    let nota = Nota::of(doc, today)?;
    let mut findings = Findings::of(nota.model(), nota.regras);
    chave::check(nota.inf, &chave::OF_A_NOTE, &mut findings);
    parties::check(&nota, &mut findings);
    dates::check(&nota, today, &mut findings);
    operation::check(&nota, &mut findings);
    items::check(&nota, &mut findings);
    tables::check(&nota, &mut findings);
    reform::check(&nota, &mut findings);
    totals::check(&nota, &mut findings);
    signature::check(
        doc.text(),
        (nota.nfe, nota.inf),
        &signature::OF_SEFAZ,
        rsa,
        &mut findings,
    );
    protocol::check((nota.nfe, nota.inf), &protocol::OF_A_NOTE, &mut findings);
    qrcode::check(&nota, &mut findings);
    Ok(Opinion {
        regras: nota.regras,
        findings: findings.in_order(),
    })
}

/// Only what a note says of its operation, of a text that is being issued.
///
/// # Errors
/// Not XML, or not one note.
pub fn of_operation(xml: &str, day: Date) -> Result<Vec<Finding>, ReadingError> {
    let doc = Document::parse(xml)?;
    let nota = Nota::of(&doc, day)?;
    let mut findings = Findings::of(nota.model(), nota.regras);
    operation::check(&nota, &mut findings);
    Ok(findings.list)
}

/// What was found so far, by the rules of the document's day.
pub struct Findings {
    list: Vec<Finding>,
    model: u8,
    regras: Regras,
}

impl Findings {
    /// None yet, of a document of this model (0: not of SEFAZ) that no dated rule
    /// is about.
    pub fn new(model: u8) -> Findings {
        Findings::of(model, Regras::Reforma)
    }

    /// None yet, of a document of this model and these rules.
    fn of(model: u8, regras: Regras) -> Findings {
        Findings {
            list: Vec::new(),
            model,
            regras,
        }
    }

    /// Something that the document would be refused for: where, the rule's code,
    /// what is wrong and what to do, in pt-BR. Nothing is added where the rule's
    /// row is not of the document's model and day.
    pub fn error(
        &mut self,
        caminho: impl Into<String>,
        codigo: &'static str,
        message: impl Into<String>,
        correction: impl Into<String>,
    ) -> Placed<'_> {
        self.put(
            Severity::Erro,
            caminho.into(),
            codigo,
            message.into(),
            correction.into(),
        )
    }

    /// The same of something that is odd, or that is not refused everywhere.
    pub fn aviso(
        &mut self,
        caminho: impl Into<String>,
        codigo: &'static str,
        message: impl Into<String>,
        correction: impl Into<String>,
    ) -> Placed<'_> {
        self.put(
            Severity::Aviso,
            caminho.into(),
            codigo,
            message.into(),
            correction.into(),
        )
    }

    /// Refusals before oddities.
    pub fn in_order(mut self) -> Vec<Finding> {
        self.list.sort_by_key(|finding| finding.gravidade);
        self.list
    }

    fn put(
        &mut self,
        severity: Severity,
        caminho: String,
        codigo: &'static str,
        message: String,
        correction: String,
    ) -> Placed<'_> {
        // The bound first: a document may break a rule a million times, and
        // looking a rule up walks the catalogue.
        if self.list.len() >= MAX_FINDINGS || !rules::judges(codigo, self.model, self.regras) {
            return Placed(None);
        }
        let number = codigo.parse::<u16>().ok();
        let original = number.and_then(|number| data::cstat::get(self.model, number));
        self.list.push(Finding {
            gravidade: severity,
            caminho,
            codigo,
            mensagem: message,
            correcao: correction,
            valor: None,
            original: original.map(|response| response.text),
        });
        Placed(self.list.last_mut())
    }
}

/// A finding just made, to show the value of.
pub struct Placed<'a>(Option<&'a mut Finding>);

impl Placed<'_> {
    /// With what the document has: up to 80 characters are shown.
    pub fn value(self, value: &str) {
        if let Some(finding) = self.0 {
            finding.valor = Some(value.chars().take(80).collect());
        }
    }
}
