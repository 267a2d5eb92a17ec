//! A document that waits for its number: the first transaction takes the
//! number and puts it, `cNF` and the access key into the finished text.

use crate::Issuing;
use crate::document::layout;
use crate::document::qr::Qr;
use crate::document::text::{Stretch, splice, with_supplement};
use crate::emitters::profile::Perfil;
use anyhow::Context as _;
use base::errors::{Failure, Refusal};
use compose::assembly::Nota;
use compose::frame::{Data, Model};
use compose::qrcode::Supplement;
use markup::ids::CpfCnpj;
use markup::ids::chave::{Parts, c_nf};
use store::Conn;
use store::tables::emitters::EmitterRow;

/// What is needed to number a document.
pub struct Template {
    /// `infNFe` under the provisional number.
    xml: String,
    parts: Parts,
    entropy: [u8; 8],
    qr: Option<Qr>,
}

/// A numbered document.
pub struct Numbered {
    pub chave: String,
    /// `NFe` without signature, canonical.
    pub xml: String,
    pub supplement: Option<Supplement>,
}

impl Template {
    /// Writes the note out.
    ///
    /// # Errors
    /// The layout has no place for something: what the customer laid over the
    /// tree by `inf_nfe`.
    #[expect(clippy::too_many_arguments, reason = "each is a fact of the one note")]
    pub async fn new(
        app: &Issuing,
        conn: &mut Conn,
        emitter: &EmitterRow,
        perfil: &Perfil,
        nota: &Nota,
        data: &Data,
        uf: &str,
        entropy: [u8; 8],
    ) -> Result<Template, Failure> {
        let written = nota.clone().write(data, None).map_err(layout::refusal)?;
        let documento = CpfCnpj::parse(&emitter.cnpj)
            .map_err(|error| anyhow::anyhow!("stored CNPJ: {error}"))?;
        let parts = Parts {
            uf: data::ufs::by_uf(uf).context("state of an emitter")?.codigo,
            year: u16::try_from(data.dh_emi.year()).context("year")?,
            month: data.dh_emi.month().into(),
            documento,
            model: data.modelo.codigo(),
            serie: data.serie,
            number: data.numero,
            tp_emis: data.tp_emis,
            c_nf: data.c_nf,
        };
        let qr = match data.modelo {
            Model::Nfe => None,
            Model::Nfce => Some(Qr::of(app, conn, emitter, perfil, uf, data.ambiente).await?),
        };
        // A state without addresses is told now, not when a number is taken.
        if let Some(qr) = &qr {
            let provisional = parts
                .chave()
                .map_err(|error| anyhow::anyhow!("provisional key: {error}"))?;
            qr.supplement(&provisional)
                .map_err(|field| Refusal::fields(vec![field]))?;
        }
        Ok(Template {
            xml: written.xml,
            parts,
            entropy,
            qr,
        })
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
        let stretch = |open, close, value| Stretch { open, close, value };
        let mut xml = splice(
            &self.xml,
            &[
                stretch(" Id=\"", "\"", &chave.id()),
                stretch("<cNF>", "<", &format!("{:08}", parts.c_nf)),
                stretch("<nNF>", "<", &number.to_string()),
                stretch("<cDV>", "<", &chave.dv().to_string()),
            ],
        )?;
        let supplement = match &self.qr {
            None => None,
            Some(qr) => Some(qr.supplement(&chave).ok()?),
        };
        if let Some(supplement) = &supplement {
            xml = with_supplement(&xml, supplement)?;
        }
        Some(Numbered {
            chave: chave.as_str().to_owned(),
            xml,
            supplement,
        })
    }
}
