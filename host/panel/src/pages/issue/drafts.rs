//! Drafts: a form that is kept to be issued later. A draft is never changed: a
//! new one takes its place, so that of two pages that show it only one issues.
//! A form is kept with the texts that were written in it, also one that lacks something.

use super::body::{Line, code, lines, model, path};
use super::judge::Judged;
use super::past;
use super::wrong::{Refused, Said};
use crate::form::{Fields, Sent};
use crate::parts::encoded;
use crate::reply::{Problem, text};
use api::inside::Reply;
use axum::http::Method;
use issuing::issue::KeptForm;
use rust_decimal::Decimal;
use serde_json::{Value, json};

/// Most characters that lists show of whom an unfinished form is for, and its largest total.
const DOCUMENT: usize = 14;
const NAME: usize = 150;
const TOTAL: i64 = 1_000_000_000_000;

/// What became of keeping a form.
pub enum Kept {
    /// The draft of this id.
    As(String),
    Refused(Refused),
}

/// Keeps a form that was judged, in place of the draft it came of.
///
/// # Errors
/// It could not be asked for.
pub async fn keep(sent: &Sent, fields: &Fields, judged: &Judged) -> Result<Kept, Problem> {
    let body = with_bare_number(judged.body.clone());
    stored(sent, fields, Some(body)).await
}

/// A request with the CPF or CNPJ of whom it is for as the hub stores it: of a draft it is
/// kept and shown as it was asked for.
fn with_bare_number(mut body: Value) -> Value {
    for party in ["destinatario", "tomador"] {
        let number = code(text(&body[party], "cpf_cnpj"));
        if matches!(number.len(), 11 | 14) {
            body[party]["cpf_cnpj"] = number.into();
        }
    }
    body
}

/// Keeps a form from which no note can be made yet, as it was written.
///
/// # Errors
/// It could not be asked for.
pub async fn keep_unfinished(sent: &Sent, fields: &Fields) -> Result<Kept, Problem> {
    stored(sent, fields, None).await
}

/// Keeps a form with its texts, so that it is opened as it was left. `body`: what an
/// integration would send for it, where a note can be made of it.
async fn stored(sent: &Sent, fields: &Fields, body: Option<Value>) -> Result<Kept, Problem> {
    if let Some(refused) = elsewhere(sent, fields.get("rascunho")).await? {
        return Ok(Kept::Refused(refused));
    }
    let own = |name: &str| matches!(name, "acao" | "rascunho");
    let texts = fields.kept().filter(|(name, _)| !own(name)).cloned();
    let (lines, _) = lines(fields);
    let total: Decimal = lines.iter().map(Line::total).sum();
    let documento = code(fields.get("documento"))
        .chars()
        .take(DOCUMENT)
        .collect();
    let name = fields.get("nome").chars().take(NAME).collect();
    let model = model(fields);
    let old = fields.get("rascunho");
    let form = KeptForm {
        model,
        emitter: fields.get("emitente").into(),
        body,
        texts: texts.collect(),
        party: (documento, name),
        total: total.clamp(Decimal::ZERO, Decimal::from(TOTAL)),
        replaces: (!old.is_empty()).then(|| old.into()),
    };
    let to = format!("/api/v1/{}/criar", path(model));
    let reply = Box::pin(sent.keep(&to, &form)).await?;
    let answer = reply.json();
    let id = text(&answer, "nota_id");
    if reply.ok() {
        return Ok(Kept::As(id.to_owned()));
    }
    let gone = text(&answer, "codigo") == "estado_invalido" && id == old && !old.is_empty();
    if !gone {
        return Ok(Kept::Refused(Refused::of(&reply, fields)));
    }
    let said = Said::new(text(&answer, "mensagem")).to("/painel/documentos", "Ver os documentos");
    Ok(Kept::Refused(Refused {
        status: 409,
        ..Refused::saying(said)
    }))
}

/// Why a form does not take the place of a draft that was kept in the other world; None: it
/// was not. `old`: the draft; empty: the form is of none.
///
/// # Errors
/// The draft cannot be read.
pub async fn elsewhere(sent: &Sent, old: &str) -> Result<Option<Refused>, Problem> {
    if old.is_empty() {
        return Ok(None);
    }
    let row = past::row(&sent.visitor, old).await?;
    let elsewhere = past::elsewhere(&sent.visitor, row.as_ref())?;
    Ok(elsewhere.map(|kept| Refused {
        status: 404,
        ..Refused::saying(Said::new(kept.sentence).to(&kept.page, kept.words))
    }))
}

/// Issues a draft.
///
/// # Errors
/// It could not be asked for.
pub async fn issue(sent: &Sent, judged: &Judged, id: &str) -> Result<Reply, Problem> {
    let to = format!("/api/v1/{}/emitir", path(judged.model));
    let body = json!({ "nota_id": id });
    sent.ask(Method::POST, &to, Some(&body)).await
}

/// The address of a document in the API.
pub fn document(id: &str) -> String {
    format!("/api/v1/documentos/{}", encoded(id))
}
