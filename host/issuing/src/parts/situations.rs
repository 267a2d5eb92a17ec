//! What authorizers last said of themselves.

use crate::model::{Ambiente, Model};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// How long an answer is told again: authorizers punish who asks more often
/// (cStat 656).
pub const CACHE_MS: i64 = 180_000;

/// Answers kept: 27 states, two models, three environments.
const KEPT: usize = 256;

/// What an authorizer last said of itself.
#[derive(Clone, Debug)]
pub struct AuthorizerState {
    pub autorizador: String,
    pub status: AuthorizerStatus,
    pub codigo: String,
    pub reason: String,
    pub average_time_s: Option<u64>,
    pub queried_ms: i64,
}

/// Se o autorizador está em operação, como ele mesmo diz.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SituacaoDoAutorizador")]
#[serde(rename_all = "snake_case")]
pub enum AuthorizerStatus {
    EmOperacao,
    ParalisadoTemporario,
    Paralisado,
}

/// Answers by state, model and environment.
#[derive(Default)]
pub struct AuthorizerStates(Mutex<HashMap<(String, Model, Ambiente), AuthorizerState>>);

impl AuthorizerStates {
    /// The last answer, while it is fresh.
    pub fn get(&self, which: &(String, Model, Ambiente), now_ms: i64) -> Option<AuthorizerState> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.get(which)?;
        // A later moment is of a clock that was set back since.
        let fresh = (-CACHE_MS..CACHE_MS).contains(&(now_ms - found.queried_ms));
        fresh.then(|| found.clone())
    }

    /// The last answer, however old it is.
    pub fn last(&self, which: &(String, Model, Ambiente)) -> Option<AuthorizerState> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(which).cloned()
    }

    /// Keeps an answer.
    pub fn put(&self, which: (String, Model, Ambiente), state: AuthorizerState) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(which, state);
    }
}
