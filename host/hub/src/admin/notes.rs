//! `/admin/v1/notes`: notes of all accounts whose result is not known, what to do about
//! each, and the question that can be asked now. No content of a note is in it.

use super::asked::{Asked, InPath, JSON_BYTES, Nothing, Sent, named, parameter};
use super::desk::Desk;
use super::listing::{READ, cut};
use super::reason::{DOOR, Reason, by};
use authority::breaker::{self, Authorizer};
use axum::extract::{DefaultBodyLimit, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use base::errors::{Code, Failure, Refusal};
use base::when;
use flow::registry::Registry;
use gate::error::{ApiError, ApiResult};
use issuing::actions::operator;
use issuing::document::product::Impediment;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::ids::{AccountId, EmitterId, NotaId};
use store::stored;
use store::tables::notas::{self, NotaStatus};
use store::tables::stuck::{self, StuckRow};
use store::words::{Ambiente, Model};

/// Notes younger than this, in minutes, are on their way and not stuck, unless the request
/// says another age.
pub(super) const MINUTES: i64 = 10;
/// Oldest age that can be asked for: a year.
pub(super) const MOST_MINUTES: i64 = 525_600;
const DAY_MS: i64 = 86_400_000;

pub(super) fn routes() -> Router<Desk> {
    Router::new()
        .route("/stuck", get(list))
        .route("/{nota}/ask", post(ask))
        .layer(DefaultBodyLimit::max(JSON_BYTES))
}

/// Notes that are stuck, the oldest first.
#[derive(Serialize)]
pub(super) struct Stuck {
    pub notas: Vec<Shown>,
    /// The `depois` of the page that follows; null: it is the last one.
    pub proxima: Option<NotaId>,
}

/// A note without who it is for and what it says.
#[derive(Serialize)]
pub(super) struct Shown {
    pub id: NotaId,
    /// The same as `id`.
    pub nota_id: NotaId,
    pub conta: Owner,
    pub emitente_id: EmitterId,
    pub modelo: Model,
    pub ambiente: Ambiente,
    pub situacao: NotaStatus,
    pub serie: String,
    pub numero: i64,
    /// IBGE code; of a product note, where it was issued.
    pub municipio: String,
    pub sistema: String,
    pub criada_em: String,
    pub mudou_em: String,
    /// Null: a transmission or a question is under way, or nobody asks.
    pub proxima_consulta_em: Option<String>,
    pub motivo: String,
    pub o_que_fazer: String,
    /// The authority can be asked now.
    pub pode_consultar: bool,
}

/// Whose something is.
#[derive(Serialize)]
pub(super) struct Owner {
    pub id: AccountId,
    pub nome: String,
}

/// Why a note is stuck, and what to do.
struct Advice {
    why: String,
    todo: String,
}

fn advice(why: impl Into<String>, todo: impl Into<String>) -> Advice {
    Advice {
        why: why.into(),
        todo: todo.into(),
    }
}

/// What is kept of a product note, as far as operators need it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Kept {
    uf: String,
    impedimento: Option<Impediment>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    minutos: Option<i64>,
    /// The `proxima` of the page before.
    #[serde(default)]
    depois: String,
}

async fn list(State(desk): State<Desk>, Asked(wanted): Asked<Wanted>) -> ApiResult<Json<Stuck>> {
    let minutes = wanted.minutos.unwrap_or(MINUTES);
    if !(0..=MOST_MINUTES).contains(&minutes) {
        let message = format!("não está entre 0 e {MOST_MINUTES}");
        let correction = "Envie a idade mínima das notas, em minutos.";
        return Err(parameter("minutos", &message, correction));
    }
    Ok(Json(found(&desk, minutes, &wanted.depois).await?))
}

/// Notes at least so old (minutes), above an id.
///
/// # Errors
/// The database failed.
pub(super) async fn found(desk: &Desk, minutes: i64, after: &str) -> store::DbResult<Stuck> {
    let now_ms = desk.app.now_ms();
    // Nothing is called so, and PostgreSQL refuses to compare it.
    let after = if after.contains('\0') { "" } else { after };
    let mut walk = desk.app.db.walk(&AccountId::default()).await?;
    let until_ms = now_ms - minutes * 60_000;
    let mut rows = stuck::list(&mut walk, after, until_ms, READ).await?;
    drop(walk);
    let more = cut(&mut rows);
    let registry = desk.app.registry.load();
    let authorizers = breaker::all(&registry, &desk.app.breaker, now_ms);
    let last = rows.last().filter(|_| more).map(|row| row.id.clone());
    let notes = rows
        .into_iter()
        .map(|row| one(row, &registry, &authorizers, now_ms));
    Ok(Stuck {
        notas: notes.collect::<store::DbResult<_>>()?,
        proxima: last,
    })
}

fn one(
    row: StuckRow,
    registry: &Registry,
    authorizers: &[Authorizer],
    now_ms: i64,
) -> store::DbResult<Shown> {
    let kept = match row.detalhes.as_str() {
        // A service note has none.
        "" => Kept::default(),
        text => stored(text, "details of a note", &row.id)?,
    };
    let advice = advised(&row, &kept, registry, authorizers, now_ms);
    let running = row.leased == 1;
    let next_ms = if row.phase.is_some() {
        row.wake_at_ms
    } else {
        row.next_check_ms
    };
    Ok(Shown {
        id: row.id.clone(),
        nota_id: row.id,
        conta: Owner {
            id: row.account_id,
            nome: row.nome,
        },
        emitente_id: row.emitter_id,
        modelo: row.modelo,
        ambiente: row.ambiente,
        situacao: row.status,
        serie: row.serie,
        numero: row.numero,
        municipio: row.municipio,
        sistema: row.sistema,
        criada_em: when::rfc3339(row.created_at_ms),
        mudou_em: when::rfc3339(row.updated_at_ms),
        proxima_consulta_em: (next_ms > 0 && !running).then(|| when::rfc3339(next_ms)),
        motivo: advice.why,
        o_que_fazer: advice.todo,
        pode_consultar: !running,
    })
}

fn advised(
    row: &StuckRow,
    kept: &Kept,
    registry: &Registry,
    authorizers: &[Authorizer],
    now_ms: i64,
) -> Advice {
    if let Some(impediment) = &kept.impedimento {
        return advice(&impediment.mensagem, &impediment.dica);
    }
    if row.leased == 1 {
        return advice(
            "Uma transmissão ou consulta está em andamento.",
            "Espere: o resultado vem em seguida.",
        );
    }
    if let Some(paused) = paused(row, kept, registry, authorizers) {
        return advice(
            format!("O autorizador {} está em pausa.", paused.id),
            "Nada: o hub volta a perguntar sozinho. Veja a página da própria autoridade e avise os clientes.",
        );
    }
    let old = now_ms - row.created_at_ms >= DAY_MS;
    if row.status == NotaStatus::PendingCity {
        let todo = if old {
            "Faz mais de um dia: confira a nota no portal da prefeitura e fale com ela. Não emita de novo: seria uma segunda nota."
        } else {
            "Espere: o hub pergunta de novo no horário da próxima consulta."
        };
        return advice("A prefeitura colocou a nota na fila.", todo);
    }
    if row.phase.is_none() && row.next_check_ms == 0 {
        return advice(
            "Nada no hub cuida desta nota.",
            "É um defeito do hub: rode hub doctor e guarde uma cópia dos dados (hub backup). A consulta mostra o que a autoridade tem.",
        );
    }
    let todo = if old {
        "Faz mais de um dia: confira a nota na página da autoridade, pela chave ou pelo número. Não emita de novo: seria uma segunda nota."
    } else {
        "Espere: o hub pergunta de novo no horário da próxima consulta, em pausas que crescem. Se a autoridade já voltou, consulte agora."
    };
    advice("A autoridade não disse o que fez da nota.", todo)
}

/// The authorizer of a product note, while it is left alone.
fn paused<'a>(
    row: &StuckRow,
    kept: &Kept,
    registry: &Registry,
    authorizers: &'a [Authorizer],
) -> Option<&'a Authorizer> {
    let model = flow::registry::Model::from_codigo(row.modelo.as_str())?;
    let id = registry.autorizador(&kept.uf, model)?.autorizador;
    authorizers
        .iter()
        .find(|one| one.id == id && one.ambiente == row.ambiente && one.pause.is_some())
}

/// What a question showed.
#[derive(Serialize)]
pub(super) struct Heard {
    pub id: NotaId,
    /// The same as `id`.
    pub nota_id: NotaId,
    /// After the question.
    pub situacao: NotaStatus,
    /// The result is known now.
    pub mudou: bool,
    /// Why nothing was learned; null: the authority answered.
    pub codigo: Option<String>,
    pub mensagem: Option<String>,
}

async fn ask(
    State(desk): State<Desk>,
    path: InPath<NotaId>,
    Asked(Nothing {}): Asked<Nothing>,
    Sent(reason): Sent<Reason>,
) -> ApiResult<Json<Heard>> {
    let reason = reason.read()?;
    let id = named(path).ok_or_else(unknown)?;
    Ok(Json(heard(&desk, &id, &reason, DOOR).await?))
}

fn unknown() -> ApiError {
    let refusal = Refusal::new(Code::NaoEncontrado)
        .message("Nenhuma nota tem este id.")
        .hint("GET /admin/v1/notes/stuck mostra as notas sem resultado.");
    ApiError(refusal.into())
}

/// Has the authority asked, and says what came of it.
///
/// # Errors
/// The question cannot be asked now, or the database failed.
pub(super) async fn heard(
    desk: &Desk,
    id: &NotaId,
    reason: &str,
    door: &'static str,
) -> Result<Heard, Failure> {
    let operator = by(door, desk.app.now_ms());
    let answer = operator::ask(&desk.issuing, id, reason, &operator).await?;
    let mut conn = desk.app.db.read().await?;
    let nota = notas::by_id(&mut conn, id).await?;
    let status = nota.map(|nota| nota.status).unwrap_or_default();
    let body: Value = serde_json::from_str(&answer.body)?;
    let text = |name: &str| body[name].as_str().map(str::to_owned);
    let failed = answer.status >= 400;
    Ok(Heard {
        id: id.clone(),
        nota_id: id.clone(),
        situacao: status,
        mudou: !status.is_open(),
        codigo: text("codigo").filter(|_| failed),
        mensagem: text("mensagem").filter(|_| failed),
    })
}
