//! `/admin/v1/accounts`: what `hub accounts` does, for programs.

pub mod shown;

use super::asked::{Asked, InPath, JSON_BYTES, Nothing, Sent, named, parameter};
use super::desk::Desk;
use super::reason::DOOR;
use accounts::operator::{self, Change, Operator, Refused, Rule, TEXT_CHARS};
use axum::extract::{DefaultBodyLimit, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use base::errors::{Code, Failure, Refusal};
use gate::error::{ApiError, ApiResult};
use serde::Deserialize;
use shown::Changed;
use store::TxError;
use store::ids::AccountId;
use store::tables::accounts::{Released, Sought};

/// Hint of a refusal: the request that lists the accounts.
const SHOWS: &str = "GET /admin/v1/accounts mostra as contas; ?busca= procura por nome, id, CNPJ de uma empresa ou e-mail de uma pessoa.";

pub(super) fn routes() -> Router<Desk> {
    Router::new()
        .route("/", get(list))
        .route("/{conta}", get(one))
        .route("/{conta}/block", post(block))
        .route("/{conta}/unblock", post(unblock))
        .route("/{conta}/credit", post(credit))
        .route("/{conta}/limits", post(limits))
        .route("/{conta}/release", post(release))
        .layer(DefaultBodyLimit::max(JSON_BYTES))
}

fn unknown() -> ApiError {
    let refusal = Refusal::new(Code::NaoEncontrado)
        .message("Nenhuma conta tem este id.")
        .hint(SHOWS);
    ApiError(refusal.into())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    #[serde(default)]
    busca: String,
    #[serde(default)]
    bloqueadas: bool,
    /// The `proxima` of the page before.
    #[serde(default)]
    antes: String,
}

async fn list(
    State(desk): State<Desk>,
    Asked(wanted): Asked<Wanted>,
) -> ApiResult<Json<shown::Accounts>> {
    let sought = shown::sought(wanted.busca, wanted.bloqueadas, wanted.antes);
    Ok(Json(found(&desk, &sought).await?))
}

/// The accounts that are sought. A search reads them all: one at a time, beside the
/// customers' calls.
///
/// # Errors
/// The database failed.
pub(super) async fn found(desk: &Desk, sought: &Sought) -> store::DbResult<shown::Accounts> {
    let mut walk = desk.app.db.walk(&AccountId::default()).await?;
    shown::list(&mut walk, sought).await
}

async fn one(
    State(desk): State<Desk>,
    path: InPath<AccountId>,
    Asked(Nothing {}): Asked<Nothing>,
) -> ApiResult<Json<shown::Whole>> {
    let id = named(path).ok_or_else(unknown)?;
    let mut conn = desk.app.db.read().await?;
    let whole = shown::one(&mut conn, &id).await?;
    whole.map(Json).ok_or_else(unknown)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reason {
    motivo: String,
}

async fn block(
    State(desk): State<Desk>,
    path: InPath<AccountId>,
    Asked(Nothing {}): Asked<Nothing>,
    Sent(reason): Sent<Reason>,
) -> ApiResult<Json<Changed>> {
    let reason = reason.motivo;
    changed(&desk, path, Change::Block { reason }).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unblock {
    #[serde(default)]
    motivo: Option<String>,
}

async fn unblock(
    State(desk): State<Desk>,
    path: InPath<AccountId>,
    Asked(Nothing {}): Asked<Nothing>,
    Sent(unblock): Sent<Unblock>,
) -> ApiResult<Json<Changed>> {
    let reason = unblock.motivo;
    changed(&desk, path, Change::Unblock { reason }).await
}

/// A grant. The reference makes a request that is repeated grant nothing again.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Grant {
    creditos: i64,
    referencia: String,
    motivo: String,
}

async fn credit(
    State(desk): State<Desk>,
    path: InPath<AccountId>,
    Asked(Nothing {}): Asked<Nothing>,
    Sent(grant): Sent<Grant>,
) -> ApiResult<Json<Changed>> {
    let change = Change::Credit {
        credits: grant.creditos,
        reference: grant.referencia,
        reason: grant.motivo,
    };
    changed(&desk, path, change).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Limits {
    requisicoes_por_minuto: i64,
    #[serde(default)]
    motivo: Option<String>,
}

async fn limits(
    State(desk): State<Desk>,
    path: InPath<AccountId>,
    Asked(Nothing {}): Asked<Nothing>,
    Sent(limits): Sent<Limits>,
) -> ApiResult<Json<Changed>> {
    let change = Change::Limit {
        requests_per_minute: limits.requisicoes_por_minuto,
        reason: limits.motivo,
    };
    changed(&desk, path, change).await
}

/// A document that is not for everybody.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Document {
    Cte,
    Mdfe,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Release {
    documento: Document,
    /// False takes the release back.
    liberado: bool,
    #[serde(default)]
    motivo: Option<String>,
}

async fn release(
    State(desk): State<Desk>,
    path: InPath<AccountId>,
    Asked(Nothing {}): Asked<Nothing>,
    Sent(release): Sent<Release>,
) -> ApiResult<Json<Changed>> {
    let document = match release.documento {
        Document::Cte => Released::Cte,
        Document::Mdfe => Released::Mdfe,
    };
    let change = Change::Release {
        document,
        released: release.liberado,
        reason: release.motivo,
    };
    changed(&desk, path, change).await
}

async fn changed(desk: &Desk, path: InPath<AccountId>, change: Change) -> ApiResult<Json<Changed>> {
    let id = named(path).ok_or_else(unknown)?;
    let operator = Operator {
        door: DOOR,
        now_ms: desk.app.now_ms(),
    };
    let made = operator::change(&desk.app.db, &id, change, &operator).await;
    let made = made.map_err(not_changed)?;
    let mut conn = desk.app.db.read().await?;
    let conta = shown::one(&mut conn, &id).await?.ok_or_else(unknown)?;
    Ok(Json(Changed {
        mudou: made.new,
        conta,
    }))
}

/// Why an account was not changed, for programs.
fn not_changed(error: TxError<Refused>) -> ApiError {
    let refused = match error {
        TxError::Db(error) => return ApiError(Failure::from(error)),
        TxError::Abort(refused) => refused,
    };
    match refused {
        Refused::Unknown => unknown(),
        Refused::Wrong(name, rule) => {
            let correction = format!("Corrija {name} e envie de novo.");
            parameter(name, &required(rule), &correction)
        }
        Refused::OtherAmount(_) => {
            let refusal = Refusal::new(Code::EstadoInvalido)
                .message(sentence(&refused))
                .hint("Para outra concessão, envie outra referencia.");
            ApiError(refusal.into())
        }
    }
}

/// What a value must be, in the words of a sentence.
fn required(rule: Rule) -> String {
    match rule {
        Rule::Line => format!("tem de 1 a {TEXT_CHARS} caracteres, em uma linha"),
        Rule::UpTo(most) => format!("é um número inteiro de 1 a {most}"),
    }
}

/// A refusal in one sentence.
pub(super) fn sentence(refused: &Refused) -> String {
    match refused {
        Refused::Unknown => "Nenhuma conta tem este id.".to_owned(),
        Refused::Wrong(name, rule) => format!("{name}: {}.", required(*rule)),
        Refused::OtherAmount(credits) => {
            format!("Com esta referência já foram concedidos {credits} créditos.")
        }
    }
}
