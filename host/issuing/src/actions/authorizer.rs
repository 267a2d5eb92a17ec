//! Is the authorizer of a state working? Asked at most every few minutes.

use crate::Issuing;
use crate::actions::event::{Receptor, rumo};
use crate::model::Modelo;
use crate::route::AmbienteNota;
use authority::question::{SemResposta, perguntar};
use base::errors::{Failure, Refusal};
use flow::contract::{FailureReason, Outcome, Situacao};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use store::tables::emitters::EmitterRow;

/// How long an answer is told again: authorizers punish who asks more often
/// (cStat 656).
pub const CACHE_MS: i64 = 180_000;
/// Answers kept: 27 states, two models, three environments.
const KEPT: usize = 256;

/// What an authorizer last said of itself.
#[derive(Clone, Debug)]
pub struct Situado {
    pub autorizador: String,
    /// `em_operacao`, `paralisado_temporario` or `paralisado`.
    pub situacao: &'static str,
    pub codigo: String,
    pub motivo: String,
    pub tempo_medio_s: Option<u64>,
    pub consultado_ms: i64,
}

/// Answers by state, model and environment.
#[derive(Default)]
pub struct Situacoes(Mutex<HashMap<(String, Modelo, AmbienteNota), Situado>>);

impl Situacoes {
    /// The last answer, while it is fresh.
    pub fn get(&self, which: &(String, Modelo, AmbienteNota), now_ms: i64) -> Option<Situado> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.get(which)?;
        (now_ms - found.consultado_ms < CACHE_MS).then(|| found.clone())
    }

    fn put(&self, which: (String, Modelo, AmbienteNota), situado: Situado) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(which, situado);
    }
}

/// The authorizer's state, from the cache or asked now; true when asked.
///
/// # Errors
/// 422 without authorizer or certificate; 503 when it does not answer.
pub async fn situacao(
    app: &Issuing,
    emitter: &EmitterRow,
    uf: &str,
    modelo: Modelo,
    ambiente: AmbienteNota,
) -> Result<(Situado, bool), Failure> {
    let which = (uf.to_owned(), modelo, ambiente);
    if let Some(known) = app.situacoes.get(&which, app.now_ms()) {
        return Ok((known, false));
    }
    let registry = app.registry.load();
    let autorizador = crate::route::sefaz(&registry, uf, modelo)?.autorizador;
    let rumo = rumo(app, emitter, uf, modelo, Receptor::Autorizador, ambiente).await?;
    let silent = || Refusal::new(modelo.indisponivel()).retry_after(60);
    let outcome = perguntar(
        app,
        &emitter.account_id,
        &rumo,
        "status",
        "sefaz.status/1",
        "{}".to_owned(),
    )
    .await
    .map_err(|error| match error.is::<SemResposta>() {
        true => Failure::from(silent()),
        false => error.into(),
    })?;
    let answer = answer_of(&outcome);
    let situacao = match (&outcome, answer["cstat"].as_str()) {
        (Ok(success), _) if success.situacao == Situacao::EmOperacao => "em_operacao",
        (_, Some("108")) => "paralisado_temporario",
        (_, Some("109")) => "paralisado",
        _ => return Err(silent().into()),
    };
    let situado = Situado {
        autorizador,
        situacao,
        codigo: answer["cstat"].as_str().unwrap_or_default().to_owned(),
        motivo: answer["motivo"].as_str().unwrap_or_default().to_owned(),
        tempo_medio_s: answer["tempo_medio_s"].as_u64(),
        consultado_ms: app.now_ms(),
    };
    app.situacoes.put(which, situado.clone());
    Ok((situado, true))
}

/// The structured answer, of a yes or of a pause.
fn answer_of(outcome: &Outcome) -> Value {
    match outcome {
        Ok(success) => success
            .conteudo
            .as_ref()
            .and_then(|conteudo| serde_json::from_str(&conteudo.json).ok())
            .unwrap_or(Value::Null),
        Err(failure) => match &failure.reason {
            FailureReason::Unavailable(unavailable) => {
                let first = unavailable.mensagens.first();
                first.map_or(
                    Value::Null,
                    |mensagem| json!({ "cstat": mensagem.codigo, "motivo": mensagem.texto }),
                )
            }
            _ => Value::Null,
        },
    }
}
