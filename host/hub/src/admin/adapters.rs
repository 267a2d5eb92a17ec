//! `/admin/v1/adapters`: what `hub adapter install|list|canary|promote|activate|
//! rollback|history` does, for programs.

use super::ACTIONS;
use super::asked::{Asked, JSON_BYTES, Name, Nothing, Room, Sent, Whole, parameter, parsed};
use super::desk::{Desk, Yes};
use super::inspect;
use super::refusals::not_changed;
use crate::adapter::inspection;
use crate::releases::LISTED;
use crate::releases::change::{self, Change};
use crate::releases::install::Installed;
use crate::releases::source::{self, Offered, Signature};
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::{get, post};
use axum::{Json, Router};
use base::errors::{Code, Failure, Refusal};
use base::when;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate::error::ApiResult;
use serde::{Deserialize, Serialize};
use store::tables::releases::{self, ActionRow, ReleaseRow};

/// Header with the signature file, in base64.
const SIGNATURE: &str = "x-minisig";
/// Media type of a component in the body.
const WASM: &str = "application/wasm";
/// Who did it, in the rows of `adapter_actions`.
const ACTOR: &str = "admin";

/// `most`: bytes of the largest component.
pub(super) fn routes(most: u64) -> Router<Desk> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let install = post(installs).layer(DefaultBodyLimit::max(most));
    Router::new()
        .route("/", install.get(list))
        .route("/acoes", get(actions))
        .route("/{nome}/inspect", get(inspect::inspect))
        .route("/{nome}/canary", post(canary))
        .route("/{nome}/activate", post(activate))
        .route("/{nome}/promote", post(promote))
        .route("/{nome}/rollback", post(rollback))
        .layer(DefaultBodyLimit::max(JSON_BYTES))
}

/// A release as it is shown.
#[derive(Serialize)]
struct Shown {
    nome: String,
    versao: String,
    digest: String,
    #[serde(flatten)]
    state: inspection::State,
}

impl From<ReleaseRow> for Shown {
    fn from(row: ReleaseRow) -> Shown {
        Shown {
            state: inspection::State::from(&row),
            nome: row.name,
            versao: row.version,
            digest: row.digest,
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

async fn list(
    State(desk): State<Desk>,
    Asked(Nothing {}): Asked<Nothing>,
) -> ApiResult<Json<Listed>> {
    let mut conn = desk.app.db.read().await?;
    let rows = releases::listed(&mut conn, LISTED).await?;
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
    id: String,
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
            id: row.id,
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Earlier {
    /// The `id` of an action: what was done before it.
    antes: Option<String>,
}

async fn actions(
    State(desk): State<Desk>,
    Asked(earlier): Asked<Earlier>,
) -> ApiResult<Json<Actions>> {
    let mut conn = desk.app.db.read().await?;
    let rows = match &earlier.antes {
        Some(id) => releases::actions_before(&mut conn, id, ACTIONS).await?,
        None => releases::actions(&mut conn, ACTIONS).await?,
    };
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
struct Kept {
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
    Asked(wanted): Asked<Wanted>,
    headers: HeaderMap,
    _room: Room,
    Whole(body): Whole,
) -> ApiResult<(StatusCode, Json<Kept>)> {
    if wanted.permitir_mais && !wanted.ativar {
        let correction = "Envie também ativar=true.";
        let message = "só vale para uma instalação que ativa";
        return Err(parameter("permitir_mais", message, correction));
    }
    let offered = offered(&desk, &headers, body).await?;
    let judged = desk.judged(offered, desk.actor(ACTOR)).await?;
    let installed = judged.map_err(not_taken)?;
    if wanted.ativar {
        put_in_use(&desk, &installed, wanted.permitir_mais).await?;
    }
    let status = if installed.new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    let kept = Kept {
        nome: installed.name,
        versao: installed.version,
        digest: installed.digest,
        nova: installed.new,
        permissoes: installed.may,
    };
    Ok((status, Json(kept)))
}

/// Activates what was installed. That it is active already is no failure: the request may
/// be one that is repeated.
async fn put_in_use(desk: &Desk, installed: &Installed, allow_more: bool) -> ApiResult<()> {
    let activate = Change::Activate(installed.digest.clone());
    let yes = Yes::more(allow_more);
    let changed = desk.changed(&installed.name, activate, yes, desk.actor(ACTOR));
    change::or_active(changed.await).map_err(not_changed)?;
    Ok(())
}

/// What the request brings or names.
async fn offered(desk: &Desk, headers: &HeaderMap, body: Bytes) -> ApiResult<Offered> {
    let media = headers.get(header::CONTENT_TYPE);
    let media = media.and_then(|value| value.to_str().ok());
    if media != Some(WASM) {
        let place: Place = parsed(&body)?;
        if !place.url.contains("://") {
            let correction = "Envie um endereço https:// ou oci://.";
            return Err(parameter("url", "não é um endereço", correction));
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
        signature: signature.transpose()?.map(|text| Signature {
            label: "X-Minisig".to_owned(),
            text,
        }),
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
    Name(name): Name,
    Asked(Nothing {}): Asked<Nothing>,
    Sent(canary): Sent<Canary>,
) -> ApiResult<Json<Changed>> {
    if !(1..=99).contains(&canary.percentual) {
        let message = "não está entre 1 e 99";
        return Err(parameter("percentual", message, "Envie de 1 a 99."));
    }
    let change = Change::Canary(canary.digest, canary.percentual);
    let yes = Yes::more(canary.permitir_mais);
    changed(&desk, &name, change, yes).await
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
    Name(name): Name,
    Asked(Nothing {}): Asked<Nothing>,
    Sent(chosen): Sent<Chosen>,
) -> ApiResult<Json<Changed>> {
    let yes = Yes::more(chosen.permitir_mais);
    changed(&desk, &name, Change::Activate(chosen.digest), yes).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Promoted {
    #[serde(default)]
    permitir_mais: bool,
}

/// Which release is to be promoted or given up. A request that names it makes no second
/// change when it is repeated.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Meant {
    digest: Option<String>,
}

async fn promote(
    State(desk): State<Desk>,
    Name(name): Name,
    Asked(wanted): Asked<Promoted>,
    Sent(meant): Sent<Meant>,
) -> ApiResult<Json<Changed>> {
    let yes = Yes {
        meant: meant.digest,
        ..Yes::more(wanted.permitir_mais)
    };
    changed(&desk, &name, Change::Promote, yes).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rollback {
    /// Nothing may be in use after it.
    #[serde(default)]
    nada: bool,
}

async fn rollback(
    State(desk): State<Desk>,
    Name(name): Name,
    Asked(wanted): Asked<Rollback>,
    Sent(meant): Sent<Meant>,
) -> ApiResult<Json<Changed>> {
    let yes = Yes {
        nothing: wanted.nada,
        meant: meant.digest,
        ..Yes::default()
    };
    changed(&desk, &name, Change::Rollback, yes).await
}

/// The releases of the adapter after a change.
#[derive(Serialize)]
struct Changed {
    versoes: Vec<Shown>,
}

async fn changed(desk: &Desk, name: &str, change: Change, yes: Yes) -> ApiResult<Json<Changed>> {
    let changed = desk.changed(name, change, yes, desk.actor(ACTOR));
    let rows = changed.await.map_err(not_changed)?;
    let versoes = rows.into_iter().map(Shown::from).collect();
    Ok(Json(Changed { versoes }))
}

/// The sentence with which a component is refused, for whoever installs it.
fn not_taken(error: anyhow::Error) -> Failure {
    let refusal = Refusal::new(Code::ValidacaoPrevia)
        .message(format!("{error:#}"))
        .hint("O componente não foi guardado. Corrija o que a mensagem diz e envie de novo.");
    refusal.into()
}
