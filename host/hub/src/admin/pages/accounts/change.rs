//! What the forms of an account's page do.

use super::one::shown_with;
use super::{absent, way};
use crate::admin::accounts::sentence;
use crate::admin::asked::{InPath, named};
use crate::admin::pages::{ACTOR, FORM, Operator, Pages, failed};
use accounts::operator::{self, Change, Operator as Actor};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use page::form::Fields;
use page::parts::alert;
use store::TxError;
use store::ids::AccountId;
use store::tables::accounts::Released;

pub(super) async fn change(
    State(pages): State<Pages>,
    operator: Operator,
    path: InPath<AccountId>,
    request: Request,
) -> Result<Response, Response> {
    let Some(id) = named(path) else {
        return Err(absent().into_response());
    };
    let fields = operator.form(request, FORM).await?;
    let change = match wanted(&fields) {
        Ok(change) => change,
        Err(why) => return told(&pages, &operator, &id, why).await,
    };
    let actor = Actor {
        door: ACTOR,
        now_ms: pages.desk.app.now_ms(),
    };
    match operator::change(&pages.desk.app.db, &id, change, &actor).await {
        Ok(made) => {
            let done = if made.new { fields.get("acao") } else { "nada" };
            let to = format!("{}?feito={done}", way(&id));
            Ok(Redirect::to(&to).into_response())
        }
        Err(TxError::Abort(operator::Refused::Unknown)) => Err(absent().into_response()),
        Err(TxError::Abort(why)) => told(&pages, &operator, &id, &sentence(&why)).await,
        Err(TxError::Db(error)) => Err(failed(error.into()).into_response()),
    }
}

/// The change a form asks for; the sentence that says why it asks for none.
fn wanted(fields: &Fields) -> Result<Change, &'static str> {
    let number = |name| number(fields.get(name));
    let reason = || Some(fields.get("motivo").to_owned()).filter(|text| !text.trim().is_empty());
    match fields.get("acao") {
        "bloquear" => Ok(Change::Block {
            reason: fields.get("motivo").to_owned(),
        }),
        "desbloquear" => Ok(Change::Unblock { reason: reason() }),
        "conceder" => Ok(Change::Credit {
            credits: number("creditos").ok_or("Créditos é um número inteiro.")?,
            reference: fields.get("referencia").to_owned(),
            reason: fields.get("motivo-do-credito").to_owned(),
        }),
        "limitar" => Ok(Change::Limit {
            requests_per_minute: number("requisicoes_por_minuto")
                .ok_or("Requisições por minuto é um número inteiro.")?,
            reason: reason(),
        }),
        "liberar" => Ok(Change::Release {
            document: match fields.get("documento") {
                "cte" => Released::Cte,
                "mdfe" => Released::Mdfe,
                _ => return Err("O formulário não diz qual documento. Recarregue a página."),
            },
            released: fields.get("liberado") == "1",
            reason: reason(),
        }),
        _ => Err("O formulário não diz o que fazer. Recarregue a página."),
    }
}

/// A whole number as it is written in Brazil, with or without points between thousands.
/// `1.5` is none.
fn number(text: &str) -> Option<i64> {
    let mut groups = text.trim().split('.');
    let first = groups.next()?;
    let grouped = text.contains('.');
    let thousands = groups.all(|group| group.len() == 3);
    (thousands && (!grouped || (1..=3).contains(&first.len())))
        .then(|| text.trim().replace('.', ""))
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
        .and_then(|digits| digits.parse().ok())
}

/// The page of the account with the sentence that says why nothing was changed.
async fn told(
    pages: &Pages,
    operator: &Operator,
    id: &AccountId,
    why: &str,
) -> Result<Response, Response> {
    let page = shown_with(pages, operator, id, alert(why)).await;
    let page = page.map_err(IntoResponse::into_response)?;
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}
