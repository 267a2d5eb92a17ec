//! A document that waits for its number: the first transaction takes the
//! number and puts it, `cNF` and the access key into the finished text.

use crate::app::App;
use crate::db::Conn;
use crate::db::emitters::EmitterRow;
use crate::errors::{Failure, Refusal};
use crate::issuing::Caller;
use crate::issuing::customer::secret_aad;
use crate::issuing::evento::layout_refusal;
use crate::issuing::perfil::Perfil;
use anyhow::Context as _;
use fiscal::campo::Campo;
use fiscal::ids::CpfCnpj;
use fiscal::nfe::chave::{Chave, Partes, c_nf};
use fiscal::nfe::montagem::{Ambiente, Dados, Modelo, Nota};
use fiscal::nfe::qrcode::{self, Csc, Suplemento, Versao};
use zeroize::Zeroizing;

/// What is needed to number a document.
pub struct Molde {
    /// `infNFe` under the provisional number.
    xml: String,
    partes: Partes,
    entropy: [u8; 8],
    qr: Option<Qr>,
}

/// What the QR code of an NFC-e is made with.
struct Qr {
    uf: String,
    ambiente: Ambiente,
    csc: Option<(String, Zeroizing<String>)>,
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
        app: &App,
        conn: &mut Conn,
        caller: &Caller,
        emitter: &EmitterRow,
        perfil: &Perfil,
        nota: &Nota,
        dados: &Dados,
        uf: &str,
        entropy: [u8; 8],
    ) -> Result<Molde, Failure> {
        let written = nota.clone().escrever(dados, None).map_err(layout_refusal)?;
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
            Modelo::Nfce => Some(Qr {
                uf: uf.to_owned(),
                ambiente: dados.ambiente,
                csc: csc(app, conn, caller, emitter, perfil).await?,
            }),
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
        let mut xml = String::with_capacity(self.xml.len() + 512);
        let mut rest = self.xml.as_str();
        let c_nf = format!("{:08}", partes.c_nf);
        let numero = numero.to_string();
        let dv = &chave.as_str()[43..];
        for (open, close, value) in [
            (" Id=\"", "\"", chave.id().as_str()),
            ("<cNF>", "<", &c_nf),
            ("<nNF>", "<", &numero),
            ("<cDV>", "<", dv),
        ] {
            let (before, after) = rest.split_once(open)?;
            let end = after.find(close)?;
            xml.push_str(before);
            xml.push_str(open);
            xml.push_str(value);
            rest = &after[end..];
        }
        xml.push_str(rest);
        let suplemento = match &self.qr {
            None => None,
            Some(qr) => Some(qr.suplemento(&chave).ok()?),
        };
        if let Some(suplemento) = &suplemento {
            let end = xml.rfind("</NFe>")?;
            xml.insert_str(end, &group(suplemento));
        }
        Some(Numerado {
            chave: chave.as_str().to_owned(),
            xml,
            suplemento,
        })
    }
}

impl Qr {
    fn suplemento(&self, chave: &Chave) -> Result<Suplemento, Campo> {
        let csc = self.csc.as_ref().map(|(id, codigo)| Csc { id, codigo });
        // With a security code the customer chose version 2; 3 needs none.
        let versao = if csc.is_some() {
            Versao::V2
        } else {
            Versao::V3
        };
        qrcode::online(versao, &self.uf, self.ambiente, chave, csc)
    }
}

/// The group of the QR code as canonical text: it is not signed, and stands
/// between `infNFe` and the signature.
fn group(suplemento: &Suplemento) -> String {
    let escaped = |text: &str| {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    };
    format!(
        "<infNFeSupl><qrCode>{}</qrCode><urlChave>{}</urlChave></infNFeSupl>",
        escaped(&suplemento.qr_code),
        escaped(&suplemento.url_chave)
    )
}

/// The emitter's security code, if it has one.
async fn csc(
    app: &App,
    conn: &mut Conn,
    caller: &Caller,
    emitter: &EmitterRow,
    perfil: &Perfil,
) -> Result<Option<(String, Zeroizing<String>)>, Failure> {
    let Some(id) = perfil.nfce.as_ref().and_then(|nfce| nfce.csc_id.clone()) else {
        return Ok(None);
    };
    let rows = crate::db::secrets::of_emitter(conn, &caller.account_id, &emitter.id).await?;
    let Some(row) = rows.into_iter().find(|row| row.nome == "csc") else {
        return Ok(None);
    };
    let plain = app
        .keyring
        .open(&row.blob, &secret_aad(&caller.account_id, &emitter.id))
        .context("CSC of an emitter")?;
    let codigo = String::from_utf8(plain.to_vec()).context("CSC of an emitter")?;
    Ok(Some((id, Zeroizing::new(codigo))))
}
