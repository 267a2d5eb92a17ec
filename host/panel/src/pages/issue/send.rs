//! A form on its way: judged, asked about, kept as a draft, issued.

use super::State;
use super::body::path;
use super::city::Cities;
use super::companies::companies;
use super::drafts::{self, Kept};
use super::judge::{Judged, judge, with_missing};
use super::question::question;
use super::wrong::{Refused, Said};
use super::{customers, drafts::document};
use crate::form::{Fields, Sent};
use crate::once;
use crate::parts::encoded;
use crate::reply::{Problem, text};
use api::inside::Reply;
use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};

/// Issues a form; in Produção a person is asked first.
pub async fn issue(sent: &Sent) -> Result<Response, Problem> {
    let draft = sent.fields.get("rascunho");
    if let Some(refused) = drafts::elsewhere(sent, draft).await? {
        return refuse(sent, refused).await;
    }
    let (fields, judged) = match judged(sent).await? {
        Ok(judged) => judged,
        Err(refused) => return refuse(sent, refused).await,
    };
    if sent.visitor.live() && !fields.on("confirmado") {
        return asked(sent, &fields, &judged).await;
    }
    let reply = if fields.get("rascunho").is_empty() {
        let to = format!("/api/v1/{}", path(judged.model));
        sent.ask(Method::POST, &to, Some(&judged.body)).await?
    } else {
        match Box::pin(drafts::keep(sent, &fields, &judged)).await? {
            Kept::As(id) => {
                let reply = Box::pin(drafts::issue(sent, &judged, &id)).await?;
                if !reply.ok() && text(&reply.json(), "nota_id").is_empty() {
                    // It is still there, under the new id.
                    return not_issued(sent, &fields, &reply, &id).await;
                }
                reply
            }
            Kept::Refused(refused) => return refuse(sent, refused).await,
        }
    };
    after(sent, &fields, &judged, &reply).await
}

/// Shows total, taxes and price of a form.
pub async fn ask(sent: &Sent) -> Result<Response, Problem> {
    let draft = sent.fields.get("rascunho");
    if let Some(refused) = drafts::elsewhere(sent, draft).await? {
        return refuse(sent, refused).await;
    }
    match judged(sent).await? {
        Ok((fields, judged)) => asked(sent, &fields, &judged).await,
        Err(refused) => refuse(sent, refused).await,
    }
}

/// Keeps a form as a draft. A draft may lack what a note must have.
pub async fn keep(sent: &Sent) -> Result<Response, Problem> {
    let kept = match judged(sent).await? {
        Ok((fields, judged)) => drafts::keep(sent, &fields, &judged).await?,
        Err(_) => drafts::keep_unfinished(sent, &with_company(sent).await?).await?,
    };
    match kept {
        Kept::As(id) => {
            sent.visitor.note("rascunho.guardado", &id, "").await?;
            Ok(to_document(&id))
        }
        Kept::Refused(refused) => refuse(sent, refused).await,
    }
}

/// The fields of a form, with the company that is chosen where it says none.
async fn with_company(sent: &Sent) -> Result<Fields, Problem> {
    let mut fields = sent.fields.clone();
    if fields.get("emitente").is_empty() {
        let all = companies(&sent.visitor, "").await?;
        fields.set("emitente", all.default);
    }
    Ok(fields)
}

/// The form as it is judged.
async fn judged(sent: &Sent) -> Result<Result<(Fields, Judged), Refused>, Problem> {
    let fields = with_company(sent).await?;
    let judged = Box::pin(judge(&sent.visitor, &fields, &mut Cities::default())).await?;
    Ok(match judged {
        Ok(judged) => Ok((fields, judged)),
        Err(refused) => Err(with_missing(refused, &fields)),
    })
}

async fn asked(sent: &Sent, fields: &Fields, judged: &Judged) -> Result<Response, Problem> {
    let page = question(&sent.visitor, fields, sent.token(), judged).await?;
    Ok(page.into_response())
}

async fn refuse(sent: &Sent, refused: Refused) -> Result<Response, Problem> {
    State::of(sent).refused(refused).page(&sent.visitor).await
}

/// The form of a draft that could not be issued; the draft has a new id.
async fn not_issued(
    sent: &Sent,
    fields: &Fields,
    reply: &Reply,
    draft: &str,
) -> Result<Response, Problem> {
    let mut state = State::of(sent);
    state.fields.set("rascunho", draft);
    // The old token stands for keeping the draft.
    state.token = once::token(&sent.visitor.panel.app);
    let refused = Refused::of(reply, fields);
    state.refused(refused).page(&sent.visitor).await
}

/// What is shown after an issuing operation answered.
async fn after(
    sent: &Sent,
    fields: &Fields,
    judged: &Judged,
    reply: &Reply,
) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    let id = text(&reply.json(), "nota_id").to_owned();
    if reply.ok() && !id.is_empty() {
        visitor.note("documento.emitido", &id, "").await?;
        // A form that is sent again is of before: the customer may have changed since.
        if !reply.headers.contains_key("idempotent-replayed") {
            customers::keep(visitor, fields, &judged.body).await?;
        }
        return Ok(to_document(&id));
    }
    if id.is_empty() {
        return refuse(sent, Refused::of(reply, fields)).await;
    }
    let shown = visitor.ask(Method::GET, &document(&id), None).await?.json();
    let over = matches!(text(&shown, "status"), "rejeitada" | "nao_enviada");
    if !over {
        // The note of an earlier send: its page says what becomes of it.
        return Ok(to_document(&id));
    }
    // The form keeps its token: the operation takes the corrected body under it,
    // once, and a copy of the form that is sent later leads to that note.
    let mut refused = Refused::of(reply, fields);
    let page = format!("/painel/documentos/{}", encoded(&id));
    refused
        .said
        .push(Said::new("A nota recusada fica guardada.").to(&page, "Ver a nota recusada"));
    let mut state = State::of(sent);
    state.fields.take("rascunho");
    state.refused(refused).page(visitor).await
}

fn to_document(id: &str) -> Response {
    Redirect::to(&format!("/painel/documentos/{}", encoded(id))).into_response()
}
