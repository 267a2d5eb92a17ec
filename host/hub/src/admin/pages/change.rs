//! What the forms do: a change of the releases of an adapter, and an installation.

use super::list::listed;
use super::{COMPONENT, FORM, HOME, Operator, Pages, absent, failed, problem};
use crate::admin::asked::{AGAIN_S, Name};
use crate::admin::desk::Yes;
use crate::admin::refusals::sentence;
use crate::releases::change::{Change, Refused};
use crate::releases::source::{self, Offered, Signature};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use gate::error::ApiError;
use page::form::Fields;
use page::parts::alert;
use store::TxError;

pub(super) async fn change(
    State(pages): State<Pages>,
    operator: Operator,
    name: Result<Name, ApiError>,
    request: Request,
) -> Result<Response, Response> {
    let Name(name) = name.map_err(|_| absent().into_response())?;
    let fields = operator.form(request, FORM).await?;
    let change = match wanted(&fields) {
        Ok(change) => change,
        Err(why) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return told(&pages, &operator, status, why).await;
        }
    };
    let yes = Yes {
        allow_more: fields.on("permitir_mais"),
        seen: Some(fields.get("visto").to_owned()),
        nothing: fields.on("nada"),
        meant: None,
    };
    let changed = pages.desk.changed(&name, change, yes, pages.actor());
    match changed.await {
        Ok(_rows) => {
            let to = format!("{HOME}?feito={}", fields.get("acao"));
            Ok(Redirect::to(&to).into_response())
        }
        Err(TxError::Abort(why)) => {
            let status = match why {
                Refused::Moved(_) => StatusCode::CONFLICT,
                _ => StatusCode::UNPROCESSABLE_ENTITY,
            };
            told(&pages, &operator, status, &sentence(&why)).await
        }
        Err(TxError::Db(error)) => Err(failed(error.into()).into_response()),
    }
}

/// The change a form asks for; the sentence that says why it asks for none.
fn wanted(fields: &Fields) -> Result<Change, &'static str> {
    let digest = || fields.get("digest").to_owned();
    match fields.get("acao") {
        "canario" => match fields.get("percentual").parse() {
            Ok(percent @ 1..=99) => Ok(Change::Canary(digest(), percent)),
            _ => Err("A parte dos emitentes é um número inteiro de 1 a 99."),
        },
        "ativar" => Ok(Change::Activate(digest())),
        "promover" => Ok(Change::Promote),
        "desfazer" => Ok(Change::Rollback),
        _ => Err("O formulário não diz o que fazer. Recarregue a página."),
    }
}

pub(super) async fn install(
    State(pages): State<Pages>,
    operator: Operator,
    request: Request,
) -> Result<Response, Response> {
    let Some(_room) = pages.desk.room() else {
        let sentence = format!(
            "Outros componentes estão sendo instalados. Tente de novo em {AGAIN_S} segundos."
        );
        return Err(problem(503, "Espere um pouco", &sentence).into_response());
    };
    let fields = operator.form(request, COMPONENT).await?;
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    let offered = match offered(&pages, &fields).await {
        Ok(offered) => offered,
        Err(why) => return told(&pages, &operator, status, &why).await,
    };
    let judged = pages.desk.judged(offered, pages.actor()).await;
    match judged.map_err(|error| failed(error.into()).into_response())? {
        Ok(_installed) => Ok(Redirect::to(&format!("{HOME}?feito=instalar")).into_response()),
        Err(why) => {
            let why = format!("O componente não foi guardado: {why:#}.");
            told(&pages, &operator, status, &why).await
        }
    }
}

/// What the form brings or names; the sentence that says why it cannot be had.
async fn offered(pages: &Pages, fields: &Fields) -> Result<Offered, String> {
    let (url, bytes) = (fields.get("url"), fields.file("componente"));
    match (url.is_empty(), bytes.is_empty()) {
        (true, true) => Err("Envie um endereço ou um arquivo.".to_owned()),
        (false, false) => Err("Envie um endereço ou um arquivo, e não os dois.".to_owned()),
        (false, true) if !url.contains("://") => {
            Err("O endereço começa com https:// ou oci://.".to_owned())
        }
        (false, true) => {
            let fetched = source::of(url, &pages.desk.app.config).await;
            fetched.map_err(|why| format!("O componente não foi buscado: {why:#}."))
        }
        (true, false) => {
            let signature = fields.file("assinatura");
            let text = std::str::from_utf8(signature);
            let text = text.map_err(|_| "A assinatura não é um texto.".to_owned())?;
            let signature = (!text.is_empty()).then(|| Signature {
                label: "assinatura".to_owned(),
                text: text.to_owned(),
            });
            Ok(Offered {
                label: "componente".to_owned(),
                bytes: bytes.to_vec(),
                signature,
            })
        }
    }
}

/// The list with the sentence that says why nothing was changed.
async fn told(
    pages: &Pages,
    operator: &Operator,
    status: StatusCode,
    why: &str,
) -> Result<Response, Response> {
    let page = listed(pages, operator, alert(why)).await;
    let page = page.map_err(IntoResponse::into_response)?;
    Ok((status, page).into_response())
}
