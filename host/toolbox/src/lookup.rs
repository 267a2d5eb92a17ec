//! What operations that ask outside sources have in common.

use base::errors::{Code, Failure, Refusal};
use base::when;
use gate::Call;
use lookups::{Asked, Found, LookedResult, Question};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Seconds after which a source may be asked again.
const AGAIN_S: u64 = 30;

/// De onde vem a resposta.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Origin {
    /// Nome da fonte; `simulado` onde as autoridades são simuladas.
    pub fonte: String,
    /// Quando a fonte respondeu; respostas são guardadas por algum tempo.
    pub consultado_em: String,
}

impl Origin {
    pub(super) fn of<T>(found: &Found<T>) -> Origin {
        Origin {
            fonte: found.source.clone(),
            consultado_em: when::rfc3339(found.fetched_ms),
        }
    }
}

/// Asks, and answers with what was found.
///
/// # Errors
/// Nothing was found: 404 when a source says that there is none, 502, 503 or 504
/// when none answered.
pub(super) async fn found<T: DeserializeOwned>(
    call: &Call,
    question: &Question,
) -> Result<Found<T>, Failure> {
    let mut asked = ask(call, question).await?;
    match asked.found.take() {
        Some(found) => Ok(found),
        None => Err(nothing(&asked).into()),
    }
}

/// Asks.
///
/// # Errors
/// The database failed.
pub(super) async fn ask<T: DeserializeOwned>(
    call: &Call,
    question: &Question,
) -> Result<Asked<T>, Failure> {
    let account = &call.caller.account_id;
    Ok(lookups::ask(&call.app.lookups, account, question).await?)
}

/// The refusal of a question nobody answered.
pub(super) fn nothing<T>(asked: &Asked<T>) -> Refusal {
    let timed_out = |looked: &lookups::Looked| looked.result == LookedResult::TimedOut;
    let refusal = if asked.missing {
        Refusal::new(Code::SemResultado)
    } else if asked.looked.is_empty() {
        Refusal::new(Code::FonteNaoConfigurada)
    } else if asked.looked.iter().all(timed_out) {
        Refusal::new(Code::FonteTempoEsgotado).retry_after(AGAIN_S)
    } else {
        Refusal::new(Code::FonteIndisponivel).retry_after(AGAIN_S)
    };
    refusal.with("procurado_em", looked(asked))
}

/// Where it was looked, for customers.
pub(super) fn looked<T>(asked: &Asked<T>) -> Value {
    let all = asked.looked.iter().map(|looked| {
        let result = match looked.result {
            LookedResult::Found => "achado",
            LookedResult::Missing => "inexistente",
            LookedResult::Resting => "em_pausa",
            LookedResult::Failed => "falhou",
            LookedResult::TimedOut => "sem_resposta",
        };
        json!({ "fonte": looked.source, "resultado": result })
    });
    all.collect()
}
