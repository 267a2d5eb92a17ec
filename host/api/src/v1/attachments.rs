//! What the answer of an issued NFC-e carries besides its record, when the
//! query asks for it: the QR code as a picture, the DANFE as a PDF.

use base::errors::Failure;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate::Call;
use gate::docs::Docs;
use gate::request::list::{flag, only};
use issuing::document::print;
use issuing::document::product::Details;
use issuing::issue::Answer;
use issuing::model::Model;
use prints::qr::QrCode;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use store::ids::NotaId;
use store::tables::{artifacts, emitters, notas};

/// Pixels of a module: about 5 cm on a till's printer of 203 dpi.
const SCALE: usize = 6;

/// The parameters, as the operations that take them describe them.
pub fn documented(docs: Docs) -> Docs {
    let flag = || json!({ "type": "string", "enum": ["0", "1"] });
    docs.query(
        "qr_png",
        "1: a resposta traz o QR Code em PNG (qr_code_png_base64).",
        flag(),
    )
    .query(
        "danfe",
        "1: a resposta traz o DANFE NFC-e em PDF (danfe_nfce_base64).",
        flag(),
    )
}

// A note's answer with what was asked for besides.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComAnexos")]
pub struct WithAttachments<N> {
    #[serde(flatten)]
    nota: N,
    /// O QR Code em PNG, se foi pedido; `null` sem nota autorizada.
    #[serde(skip_serializing_if = "Option::is_none")]
    qr_code_png_base64: Option<Option<String>>,
    /// O DANFE NFC-e em PDF, se foi pedido; `null` sem nota autorizada.
    #[serde(skip_serializing_if = "Option::is_none")]
    danfe_nfce_base64: Option<Option<String>>,
}

/// What one call asks for.
#[derive(Clone, Copy, Debug)]
pub struct Attachments {
    qr_png: bool,
    danfe: bool,
}

impl Attachments {
    /// Reads the query of an operation that issues.
    ///
    /// # Errors
    /// 400 naming what this model does not know.
    pub fn of(call: &Call, model: Model) -> Result<Attachments, Failure> {
        let known: &[&str] = if model == Model::Nfce {
            &["qr_png", "danfe"]
        } else {
            &[]
        };
        only(&call.query, known)?;
        Ok(Attachments {
            qr_png: flag(&call.query, "qr_png")?,
            danfe: flag(&call.query, "danfe")?,
        })
    }

    /// The answer with what was asked for: null where there is none, because
    /// the note is not authorized yet.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn add(self, call: &Call, answer: Answer) -> Result<Answer, Failure> {
        if !(self.qr_png || self.danfe) || answer.status >= 300 {
            return Ok(answer);
        }
        let id = &answer.subject;
        let drawn = self.draw(call, &id.as_str().into()).await;
        // The note is issued and paid: a picture that cannot be made is no
        // failure of the call.
        let (png, pdf) = drawn.unwrap_or_else(|error| {
            tracing::error!(nota.id = %id, error = %format!("{error:#}"), "an issued note was not drawn");
            (None, None)
        });
        let shown = |wanted: bool, file: Option<Vec<u8>>| {
            wanted.then(|| file.map(|file| STANDARD.encode(file)))
        };
        // The members that were stored, with their own digits.
        let nota: BTreeMap<String, Box<RawValue>> = serde_json::from_str(&answer.body)?;
        let body = serde_json::to_string(&WithAttachments {
            nota,
            qr_code_png_base64: shown(self.qr_png, png),
            danfe_nfce_base64: shown(self.danfe, pdf),
        })?;
        Ok(Answer { body, ..answer })
    }

    /// Picture and PDF of an authorized note.
    async fn draw(
        self,
        call: &Call,
        id: &NotaId,
    ) -> anyhow::Result<(Option<Vec<u8>>, Option<Vec<u8>>)> {
        let account = &call.caller.account_id;
        let mut conn = call.app.db.read().await?;
        let Some(nota) = notas::get(&mut conn, account, id).await? else {
            return Ok((None, None));
        };
        let Some(xml) = artifacts::get(&mut conn, account, id, nota.modelo.as_str()).await? else {
            return Ok((None, None));
        };
        let emitter = emitters::get(&mut conn, account, &nota.emitter_id).await?;
        drop(conn);
        let registry = call.app.registry.load();
        let drawing = tokio::task::spawn_blocking(move || {
            let png = match self.qr_png {
                true => Some(QrCode::encode(Details::of(&nota)?.qr_code.as_bytes())?.png(SCALE)?),
                false => None,
            };
            let logo = emitter.as_ref().map(print::logo).transpose()?.flatten();
            let pdf = match self.danfe {
                true => {
                    let pdf = print::pdf(&registry, &nota, &xml.bytes, logo.as_deref())?;
                    Some(pdf)
                }
                false => None,
            };
            anyhow::Ok((png, pdf))
        });
        drawing.await?
    }
}
