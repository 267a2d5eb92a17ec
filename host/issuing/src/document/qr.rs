//! What the QR code of a document is made with.

use crate::Issuing;
use crate::emitters::profile::Perfil;
use anyhow::Context as _;
use authority::customer::secret_aad;
use compose::frame::Ambiente;
use compose::qrcode::{self, Csc, Supplement, Version};
use markup::field::Field;
use markup::ids::chave::Chave;
use store::Conn;
use store::tables::emitters::EmitterRow;
use zeroize::Zeroizing;

/// The QR code of a document that has one.
pub enum Qr {
    /// NFC-e: state, environment and, where the customer has one, the security
    /// code.
    Consumer {
        uf: String,
        ambiente: Ambiente,
        csc: Option<(String, Zeroizing<String>)>,
    },
    /// CT-e: state and environment.
    Cte { uf: String, ambiente: Ambiente },
    /// MDF-e: the environment; all states have one address.
    Mdfe { ambiente: Ambiente },
}

impl Qr {
    /// That of an NFC-e of an emitter of a state.
    ///
    /// # Errors
    /// The security code cannot be read.
    pub async fn of(
        app: &Issuing,
        conn: &mut Conn,
        emitter: &EmitterRow,
        perfil: &Perfil,
        uf: &str,
        ambiente: Ambiente,
    ) -> anyhow::Result<Qr> {
        Ok(Qr::Consumer {
            uf: uf.to_owned(),
            ambiente,
            csc: csc(app, conn, emitter, perfil).await?,
        })
    }

    /// QR code and address of the query for a key.
    ///
    /// # Errors
    /// The state has no address, or the code does not fit.
    pub fn supplement(&self, chave: &Chave) -> Result<Supplement, Field> {
        let alone = |qr_code| Supplement {
            qr_code,
            url_chave: String::new(),
        };
        let (uf, ambiente, csc) = match self {
            Qr::Consumer { uf, ambiente, csc } => (uf, *ambiente, csc),
            Qr::Cte { uf, ambiente } => {
                let code = freight::cte::qrcode::address(uf, *ambiente, chave);
                return Ok(alone(code));
            }
            Qr::Mdfe { ambiente } => {
                let code = freight::mdfe::qrcode::address(*ambiente, chave, None);
                return Ok(alone(code));
            }
        };
        let csc = csc.as_ref().map(|(id, codigo)| Csc { id, codigo });
        // With a security code the customer chose version 2; 3 needs none.
        let version = if csc.is_some() {
            Version::V2
        } else {
            Version::V3
        };
        qrcode::online(version, uf, ambiente, chave, csc)
    }
}

/// The emitter's security code, if it has one.
async fn csc(
    app: &Issuing,
    conn: &mut Conn,
    emitter: &EmitterRow,
    perfil: &Perfil,
) -> anyhow::Result<Option<(String, Zeroizing<String>)>> {
    let Some(id) = perfil.nfce.as_ref().and_then(|nfce| nfce.csc_id.clone()) else {
        return Ok(None);
    };
    let rows = store::tables::secrets::of_emitter(conn, &emitter.account_id, &emitter.id).await?;
    let Some(row) = rows.into_iter().find(|row| row.nome == "csc") else {
        return Ok(None);
    };
    let plain = app
        .keyring
        .open(&row.blob, &secret_aad(&emitter.account_id, &emitter.id))
        .context("CSC of an emitter")?;
    let codigo = String::from_utf8(plain.to_vec()).context("CSC of an emitter")?;
    Ok(Some((id, Zeroizing::new(codigo))))
}
