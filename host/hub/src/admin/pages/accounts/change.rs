//! What the forms of an account's page do.

use super::one::shown_with;
use super::{absent, way};
use crate::admin::accounts::sentence;
use crate::admin::pages::{ACTOR, FORM, Operator, Pages, failed};
use accounts::operator::{self, Change, Operator as Actor};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use panel::form::Fields;
use panel::parts::alert;
use store::TxError;
use store::ids::AccountId;
use store::tables::accounts::Released;

pub(super) async fn change(
    State(pages): State<Pages>,
    operator: Operator,
    path: Result<Path<AccountId>, PathRejection>,
    request: Request,
) -> Result<Response, Response> {
    let Ok(Path(id)) = path else {
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
        Ok(_) => {
            let to = format!("{}?feito={}", way(&id), fields.get("acao"));
            Ok(Redirect::to(&to).into_response())
        }
        Err(TxError::Abort(operator::Refused::Unknown)) => Err(absent().into_response()),
        Err(TxError::Abort(why)) => told(&pages, &operator, &id, &sentence(&why)).await,
        Err(TxError::Db(error)) => Err(failed(error.into()).into_response()),
    }
}

/// The change a form asks for; the sentence that says why it asks for none.
fn wanted(fields: &Fields) -> Result<Change, &'static str> {
    let number = |name| fields.get(name).trim().replace('.', "").parse().ok();
    match fields.get("acao") {
        "bloquear" => Ok(Change::Block {
            reason: fields.get("motivo").to_owned(),
        }),
        "desbloquear" => Ok(Change::Unblock),
        "conceder" => Ok(Change::Credit {
            credits: number("creditos").ok_or("Créditos é um número inteiro.")?,
            reference: fields.get("referencia").to_owned(),
            reason: fields.get("motivo-do-credito").to_owned(),
        }),
        "limitar" => Ok(Change::Limit {
            requests_per_minute: number("requisicoes_por_minuto")
                .ok_or("Requisições por minuto é um número inteiro.")?,
        }),
        "liberar" => Ok(Change::Release {
            document: match fields.get("documento") {
                "cte" => Released::Cte,
                "mdfe" => Released::Mdfe,
                _ => return Err("O formulário não diz qual documento. Recarregue a página."),
            },
            released: fields.get("liberado") == "1",
        }),
        _ => Err("O formulário não diz o que fazer. Recarregue a página."),
    }
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
