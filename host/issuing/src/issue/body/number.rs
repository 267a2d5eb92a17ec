//! A document that waits for its number: the first transaction takes the
//! number and puts it, the random code and the access key into the finished
//! text.

use crate::document::qr::Qr;
use crate::document::text;
use anyhow::Context as _;
use base::errors::{Failure, Refusal};
use compose::qrcode::Supplement;
use markup::ids::CpfCnpj;
use markup::ids::chave::{Parts, c_nf};
use store::tables::emitters::EmitterRow;
use time::OffsetDateTime;
use zeroize::Zeroizing;

/// What is needed to number a document.
pub struct Template {
    /// The signed element under the provisional number.
    xml: String,
    parts: Parts,
    entropy: [u8; 8],
    qr: Option<Qr>,
    /// Secret of the technician's program, which is hashed with the key.
    csrt: Option<Zeroizing<String>>,
}

/// What a document is numbered with besides its text.
pub struct Provisional<'a> {
    /// State of the emitter, two letters.
    pub uf: &'a str,
    /// `dhEmi`.
    pub issued_at: OffsetDateTime,
    /// Model of the document, two digits.
    pub model: u8,
    pub serie: u16,
    pub tp_emis: u8,
    /// From which the random code of each number is made.
    pub entropy: [u8; 8],
    pub qr: Option<Qr>,
    pub csrt: Option<&'a str>,
}

/// A numbered document.
pub struct Numbered {
    pub chave: String,
    /// The document without signature, canonical.
    pub xml: String,
    pub supplement: Option<Supplement>,
}

impl Template {
    /// Keeps a document that was written under the number 1.
    ///
    /// # Errors
    /// The state has no address for the QR code.
    pub fn new(
        emitter: &EmitterRow,
        xml: String,
        provisional: Provisional<'_>,
    ) -> Result<Template, Failure> {
        let documento = CpfCnpj::parse(&emitter.cnpj)
            .map_err(|error| anyhow::anyhow!("stored CNPJ: {error}"))?;
        let issued_at = provisional.issued_at;
        let uf = data::ufs::by_uf(provisional.uf).context("state of an emitter")?;
        let parts = Parts {
            uf: uf.codigo,
            year: u16::try_from(issued_at.year()).context("year")?,
            month: issued_at.month().into(),
            documento,
            model: provisional.model,
            serie: provisional.serie,
            number: 1,
            tp_emis: provisional.tp_emis,
            c_nf: c_nf(provisional.entropy, 1),
        };
        // A state without addresses is told now, not when a number is taken.
        if let Some(qr) = &provisional.qr {
            let chave = parts
                .chave()
                .map_err(|error| anyhow::anyhow!("provisional key: {error}"))?;
            qr.supplement(&chave)
                .map_err(|field| Refusal::fields(vec![field]))?;
        }
        let csrt = provisional.csrt.map(|csrt| csrt.trim().to_owned());
        Ok(Template {
            xml,
            parts,
            entropy: provisional.entropy,
            qr: provisional.qr,
            csrt: csrt.map(Zeroizing::new),
        })
    }

    /// The document under its provisional number.
    pub fn text(&self) -> &str {
        &self.xml
    }

    /// The document under a number; None when the number is out of range or
    /// the text is not one of ours.
    pub fn numbered(&self, number: i64) -> Option<Numbered> {
        let number = u32::try_from(number).ok()?;
        let parts = Parts {
            number,
            c_nf: c_nf(self.entropy, number),
            ..self.parts
        };
        let chave = parts.chave().ok()?;
        let mut xml = text::numbered(&self.xml, &chave, &parts)?;
        if let Some(csrt) = &self.csrt
            && text::csrt_hash(&xml).is_some()
        {
            xml = text::with_csrt_hash(&xml, csrt, chave.as_str())?;
        }
        let supplement = match &self.qr {
            None => None,
            Some(qr) => Some(qr.supplement(&chave).ok()?),
        };
        if let Some(supplement) = &supplement {
            xml = text::with_supplement(&xml, supplement)?;
        }
        Some(Numbered {
            chave: chave.as_str().to_owned(),
            xml,
            supplement,
        })
    }
}
