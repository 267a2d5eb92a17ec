//! A document that waits for its number: the first transaction takes the
//! number and puts it, `cNF` and the access key into the finished text.

use crate::Issuing;
use crate::document::layout;
use crate::document::qr::Qr;
use crate::document::text::{Trecho, splice, with_suplemento};
use crate::emitters::profile::Perfil;
use anyhow::Context as _;
use base::errors::{Failure, Refusal};
use compose::assembly::Nota;
use compose::frame::{Dados, Modelo};
use compose::qrcode::Suplemento;
use markup::ids::CpfCnpj;
use markup::ids::chave::{Partes, c_nf};
use store::Conn;
use store::tables::emitters::EmitterRow;

/// What is needed to number a document.
pub struct Molde {
    /// `infNFe` under the provisional number.
    xml: String,
    partes: Partes,
    entropy: [u8; 8],
    qr: Option<Qr>,
}

/// A numbered document.
pub struct Numerado {
    pub chave: String,
    /// `NFe` without signature, canonical.
    pub xml: String,
    pub suplemento: Option<Suplemento>,
}

impl Molde {
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
        dados: &Dados,
        uf: &str,
        entropy: [u8; 8],
    ) -> Result<Molde, Failure> {
        let written = nota
            .clone()
            .escrever(dados, None)
            .map_err(layout::refusal)?;
        let documento = CpfCnpj::parse(&emitter.cnpj)
            .map_err(|error| anyhow::anyhow!("stored CNPJ: {error}"))?;
        let partes = Partes {
            uf: data::ufs::por_sigla(uf)
                .context("state of an emitter")?
                .codigo,
            ano: u16::try_from(dados.dh_emi.year()).context("year")?,
            mes: dados.dh_emi.month().into(),
            documento,
            modelo: dados.modelo.codigo(),
            serie: dados.serie,
            numero: dados.numero,
            tp_emis: dados.tp_emis,
            c_nf: dados.c_nf,
        };
        let qr = match dados.modelo {
            Modelo::Nfe => None,
            Modelo::Nfce => Some(Qr::of(app, conn, emitter, perfil, uf, dados.ambiente).await?),
        };
        // A state without addresses is told now, not when a number is taken.
        if let Some(qr) = &qr {
            let provisional = partes
                .chave()
                .map_err(|error| anyhow::anyhow!("provisional key: {error}"))?;
            qr.suplemento(&provisional)
                .map_err(|campo| Refusal::fields(vec![campo]))?;
        }
        Ok(Molde {
            xml: written.xml,
            partes,
            entropy,
            qr,
        })
    }

    /// The document under a number; None when the number is out of range or
    /// the text is not one of ours.
    pub fn numbered(&self, numero: i64) -> Option<Numerado> {
        let numero = u32::try_from(numero).ok()?;
        let partes = Partes {
            numero,
            c_nf: c_nf(self.entropy, numero),
            ..self.partes
        };
        let chave = partes.chave().ok()?;
        let trecho = |open, close, value| Trecho { open, close, value };
        let mut xml = splice(
            &self.xml,
            &[
                trecho(" Id=\"", "\"", &chave.id()),
                trecho("<cNF>", "<", &format!("{:08}", partes.c_nf)),
                trecho("<nNF>", "<", &numero.to_string()),
                trecho("<cDV>", "<", &chave.dv().to_string()),
            ],
        )?;
        let suplemento = match &self.qr {
            None => None,
            Some(qr) => Some(qr.suplemento(&chave).ok()?),
        };
        if let Some(suplemento) = &suplemento {
            xml = with_suplemento(&xml, suplemento)?;
        }
        Some(Numerado {
            chave: chave.as_str().to_owned(),
            xml,
            suplemento,
        })
    }
}
