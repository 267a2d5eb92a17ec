//! `/admin/v1/adapters`: what `hub adapter install|list|canary|promote|activate|
//! rollback|history` does, for programs.

use super::Desk;
use crate::releases::change::{self, Actor, Change, Consent, Refused};
use crate::releases::install;
use crate::releases::source::{self, Offered};
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::{get, post};
use axum::{Json, Router};
use base::errors::{Code, Failure, Refusal};
use base::when;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate::error::{ApiError, ApiResult};
use serde::{Deserialize, Serialize};
use store::TxError;
use store::tables::releases::{self, ActionRow, ReleaseRow, ReleaseStatus};

/// Header with the signature file, in base64.
const SIGNATURE: &str = "x-minisig";
/// Media type of a component in the body.
const WASM: &str = "application/wasm";
/// Actions that are shown.
const SHOWN: i64 = 100;
/// Who did it, in the rows of `adapter_actions`.
const ACTOR: &str = "admin";

/// `most`: bytes of the largest component.
pub(super) fn routes(most: u64) -> Router<Desk> {
    Router::new()
        .route("/", get(list).post(installs))
        .route("/acoes", get(actions))
        .route("/{nome}/canary", post(canary))
        .route("/{nome}/activate", post(activate))
        .route("/{nome}/promote", post(promote))
        .route("/{nome}/rollback", post(rollback))
        .layer(DefaultBodyLimit::max(
            usize::try_from(most).unwrap_or(usize::MAX),
        ))
}

/// A release as it is shown.
#[derive(Serialize)]
struct Shown {
    nome: String,
    versao: String,
    digest: String,
    estado: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    percentual: Option<i64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    assinado_por: String,
    mudou_em: String,
}

impl From<ReleaseRow> for Shown {
    fn from(row: ReleaseRow) -> Shown {
        Shown {
            percentual: (row.status == ReleaseStatus::Canary).then_some(row.percent),
            estado: row.status.as_str(),
            nome: row.name,
            versao: row.version,
            digest: row.digest,
            assinado_por: row.signed_by,
            mudou_em: when::format(when::utc(row.changed_at_ms)),
        }
    }
}

#[derive(Serialize)]
struct Listed {
    versoes: Vec<Shown>,
    /// What new flows of this node use.
    em_uso: Vec<InUse>,
}

#[derive(Serialize)]
struct InUse {
    nome: String,
    versao: String,
    digest: String,
}

async fn list(State(desk): State<Desk>) -> ApiResult<Json<Listed>> {
    let mut conn = desk.app.db.read().await?;
    let rows = releases::all(&mut conn).await?;
    let in_use = desk.app.catalog.all().into_iter().map(|component| InUse {
        nome: component.description.name.clone(),
        versao: component.description.version.clone(),
        digest: component.digest.clone(),
    });
    let listed = Listed {
        versoes: rows.into_iter().map(Shown::from).collect(),
        em_uso: in_use.collect(),
    };
    Ok(Json(listed))
}

#[derive(Serialize)]
struct Action {
    em: String,
    acao: String,
    nome: String,
    digest: String,
    quem: String,
    detalhe: String,
}

impl From<ActionRow> for Action {
    fn from(row: ActionRow) -> Action {
        Action {
            em: when::format(when::utc(row.at_ms)),
            acao: row.action,
            nome: row.name,
            digest: row.digest,
            quem: row.actor,
            detalhe: row.detail,
        }
    }
}

#[derive(Serialize)]
struct Actions {
    acoes: Vec<Action>,
}

async fn actions(State(desk): State<Desk>) -> ApiResult<Json<Actions>> {
    let mut conn = desk.app.db.read().await?;
    let rows = releases::actions(&mut conn, SHOWN).await?;
    let acoes = rows.into_iter().map(Action::from).collect();
    Ok(Json(Actions { acoes }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    #[serde(default)]
    ativar: bool,
    /// The release may ask for more than the one in use.
    #[serde(default)]
    permitir_mais: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    url: String,
}

#[derive(Serialize)]
struct Installed {
    nome: String,
    versao: String,
    digest: String,
    /// False: it had been installed before.
    nova: bool,
    /// What it may do, one line each.
    permissoes: Vec<String>,
}

/// The component is the body (`application/wasm`, with its signature in `X-Minisig`),
/// or is fetched from the address in a JSON body.
async fn installs(
    State(desk): State<Desk>,
    wanted: Result<Query<Wanted>, QueryRejection>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> ApiResult<(StatusCode, Json<Installed>)> {
    let body = body.map_err(|_| ApiError(Refusal::new(Code::CorpoGrandeDemais).into()))?;
    let wanted = query(wanted)?;
    let offered = offered(&desk, &headers, body).await?;
    let actor = actor(&desk);
    let registry = desk.app.registry.load();
    let installed = {
        let _alone = desk.installing.lock().await;
        let (config, db) = (&desk.app.config, &desk.app.db);
        install::install(config, db, registry, offered, None, &actor).await
    };
    let installed = installed.map_err(not_taken)?;
    if wanted.ativar {
        let activate = Change::Activate(installed.digest.clone());
        let _releases = changed(&desk, &installed.name, activate, wanted.permitir_mais).await?;
    }
    let status = if installed.new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    let shown = Installed {
        nome: installed.name,
        versao: installed.version,
        digest: installed.digest,
        nova: installed.new,
        permissoes: installed.may,
    };
    Ok((status, Json(shown)))
}

/// What the request brings or names.
async fn offered(desk: &Desk, headers: &HeaderMap, body: Bytes) -> ApiResult<Offered> {
    let media = headers.get(header::CONTENT_TYPE);
    let media = media.and_then(|value| value.to_str().ok());
    if media != Some(WASM) {
        let place: Place = parsed(&body)?;
        if !place.url.contains("://") {
            return Err(parameter(
                "url",
                "não é um endereço",
                "Envie um endereço https.",
            ));
        }
        let fetched = source::of(&place.url, &desk.app.config).await;
        return Ok(fetched.map_err(not_taken)?);
    }
    let signature = headers.get(SIGNATURE).map(|value| {
        let text = STANDARD.decode(value.as_bytes()).ok();
        let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
        text.ok_or_else(|| {
            let correction = "Envie o arquivo .minisig em base64.";
            parameter("X-Minisig", "não é base64 de um texto", correction)
        })
    });
    Ok(Offered {
        label: "component".to_owned(),
        bytes: body.to_vec(),
        signature: signature.transpose()?,
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Canary {
    digest: String,
    percentual: u8,
    #[serde(default)]
    permitir_mais: bool,
}

async fn canary(
    State(desk): State<Desk>,
    Path(name): Path<String>,
    body: Bytes,
) -> ApiResult<Json<Changed>> {
    let canary: Canary = parsed(&body)?;
    if !(1..=99).contains(&canary.percentual) {
        return Err(parameter(
            "percentual",
            "não está entre 1 e 99",
            "Envie de 1 a 99.",
        ));
    }
    let change = Change::Canary(canary.digest, canary.percentual);
    changed(&desk, &name, change, canary.permitir_mais).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chosen {
    digest: String,
    #[serde(default)]
    permitir_mais: bool,
}

async fn activate(
    State(desk): State<Desk>,
    Path(name): Path<String>,
    body: Bytes,
) -> ApiResult<Json<Changed>> {
    let chosen: Chosen = parsed(&body)?;
    let more = chosen.permitir_mais;
    changed(&desk, &name, Change::Activate(chosen.digest), more).await
}

async fn promote(
    State(desk): State<Desk>,
    Path(name): Path<String>,
    wanted: Result<Query<Promoted>, QueryRejection>,
) -> ApiResult<Json<Changed>> {
    let wanted = query(wanted)?;
    changed(&desk, &name, Change::Promote, wanted.permitir_mais).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Promoted {
    #[serde(default)]
    permitir_mais: bool,
}

async fn rollback(State(desk): State<Desk>, Path(name): Path<String>) -> ApiResult<Json<Changed>> {
    changed(&desk, &name, Change::Rollback, false).await
}

/// The releases of the adapter after a change.
#[derive(Serialize)]
struct Changed {
    versoes: Vec<Shown>,
}

/// Makes the change; this node follows at once, the others within two seconds.
async fn changed(
    desk: &Desk,
    name: &str,
    change: Change,
    allow_more: bool,
) -> ApiResult<Json<Changed>> {
    let in_folder = desk.app.catalog.in_folder(name);
    let consent = Consent {
        allow_more,
        in_folder: in_folder.and_then(|it| it.permissions.as_deref().cloned()),
    };
    let made = change::make(&desk.app.db, name, change, &consent, &actor(desk)).await;
    let rows = made.map_err(not_changed)?;
    crate::releases::look(&desk.app, &desk.releases).await?;
    let versoes = rows.into_iter().map(Shown::from).collect();
    Ok(Json(Changed { versoes }))
}

fn actor(desk: &Desk) -> Actor {
    Actor {
        name: ACTOR.to_owned(),
        now_ms: desk.app.now_ms(),
    }
}

fn parsed<T: serde::de::DeserializeOwned>(body: &[u8]) -> ApiResult<T> {
    serde_json::from_slice(body).map_err(|error| {
        let refusal = Refusal::new(Code::JsonInvalido).message(format!("Corpo: {error}"));
        ApiError(refusal.into())
    })
}

fn query<T>(given: Result<Query<T>, QueryRejection>) -> ApiResult<T> {
    given.map(|Query(query)| query).map_err(|rejection| {
        let refusal = Refusal::new(Code::ParametroInvalido).message(rejection.body_text());
        ApiError(refusal.into())
    })
}

fn parameter(name: &str, message: &str, correction: &str) -> ApiError {
    let refusal = Refusal::field(Code::ParametroInvalido, name, message, correction);
    ApiError(refusal.into())
}

/// The sentence with which a component is refused, for whoever installs it.
fn not_taken(error: anyhow::Error) -> Failure {
    let refusal = Refusal::new(Code::ValidacaoPrevia)
        .message(format!("{error:#}"))
        .hint("O componente não foi guardado. Corrija o que a mensagem diz e envie de novo.");
    refusal.into()
}

fn not_changed(error: TxError<Refused>) -> Failure {
    let refused = match error {
        TxError::Db(error) => return Failure::Internal(error.into()),
        TxError::Abort(refused) => refused,
    };
    let code = match refused {
        Refused::Nothing(_) | Refused::Unknown(..) => Code::NaoEncontrado,
        Refused::Ambiguous(..) => Code::ParametroInvalido,
        _ => Code::EstadoInvalido,
    };
    let refusal = Refusal::new(code)
        .message(refused.to_string())
        .hint("GET /admin/v1/adapters mostra o que está instalado e em que estado.");
    refusal.into()
}
