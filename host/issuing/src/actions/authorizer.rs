//! Is the authorizer of a state working? Asked at most every few minutes.

use crate::Issuing;
use crate::actions::event::{Receiver, rumo};
use crate::model::{Ambiente, Issued as _, Model};
use crate::parts::situations::{AuthorizerState, AuthorizerStatus};
use crate::route;
use authority::question::{NoAnswer, ask};
use base::errors::{Failure, Refusal};
use flow::contract::{FailureReason, Outcome, Situacao};
use serde::Deserialize;
use serde_json::json;
use store::tables::emitters::EmitterRow;

/// The authorizer's state, from the cache or asked now; true when asked.
///
/// # Errors
/// 422 without authorizer or certificate; 503 when it does not answer.
pub async fn status(
    app: &Issuing,
    emitter: &EmitterRow,
    uf: &str,
    model: Model,
    ambiente: Ambiente,
) -> Result<(AuthorizerState, bool), Failure> {
    let which = (uf.to_owned(), model, ambiente);
    if let Some(known) = app.authorizer_states.get(&which, app.now_ms()) {
        return Ok((known, false));
    }
    let registry = app.registry.load();
    let autorizador = route::sefaz(&registry, uf, model)?.autorizador;
    let rumo = rumo(app, emitter, uf, model, Receiver::Autorizador, ambiente).await?;
    let silent = || Refusal::new(model.unavailable()).retry_after(60);
    let outcome = ask(
        app,
        &emitter.account_id,
        &rumo,
        "status",
        "sefaz.status/1",
        json!({ "modelo": model }).to_string(),
    )
    .await
    .map_err(|error| match error.is::<NoAnswer>() {
        true => Failure::from(silent()),
        false => error.into(),
    })?;
    let answer = answer_of(&outcome);
    let status = match (&outcome, answer.cstat.as_deref()) {
        (Ok(success), _) if success.situacao == Situacao::EmOperacao => {
            AuthorizerStatus::EmOperacao
        }
        (_, Some("108")) => AuthorizerStatus::ParalisadoTemporario,
        (_, Some("109")) => AuthorizerStatus::Paralisado,
        _ => return Err(silent().into()),
    };
    let state = AuthorizerState {
        autorizador,
        status,
        codigo: answer.cstat.unwrap_or_default(),
        reason: answer.motivo.unwrap_or_default(),
        average_time_s: answer.tempo_medio_s,
        queried_ms: app.now_ms(),
    };
    app.authorizer_states.put(which, state.clone());
    Ok((state, true))
}

/// What this process knows of the authorizer of a state, without asking it.
pub struct Known {
    pub uf: &'static str,
    pub model: Model,
    pub autorizador: String,
    /// It is left alone until then, because it did not answer or said that it is
    /// down (epoch milliseconds).
    pub down_until_ms: Option<i64>,
    /// What it last said of itself.
    pub said: Option<AuthorizerState>,
}

/// What is known of the authorizers of all states, for NF-e and NFC-e; those
/// without an authorizer are left out. `environments`: of which the answers count.
pub fn known(app: &Issuing, environments: &[Ambiente]) -> Vec<Known> {
    let registry = app.registry.load();
    let now_ms = app.now_ms();
    let mut all = Vec::new();
    for uf in &data::ufs::UFS {
        for model in [Model::Nfe, Model::Nfce] {
            let Ok(sefaz) = route::sefaz(&registry, uf.abbreviation, model) else {
                continue;
            };
            let down = environments.iter().filter_map(|ambiente| {
                let address = sefaz.endpoints(*ambiente).get("autorizacao")?;
                app.breaker
                    .down_until(route::mode(app, *ambiente), address, now_ms)
            });
            let said = environments.iter().filter_map(|ambiente| {
                let which = (uf.abbreviation.to_owned(), model, *ambiente);
                app.authorizer_states.last(&which)
            });
            all.push(Known {
                uf: uf.abbreviation,
                model,
                down_until_ms: down.max(),
                said: said.max_by_key(|state| state.queried_ms),
                autorizador: sefaz.autorizador,
            });
        }
    }
    all
}

/// What an authorizer says of itself (wit/schemas/sefaz.status.resposta.json).
#[derive(Default, Deserialize)]
#[serde(default)]
struct Said {
    cstat: Option<String>,
    motivo: Option<String>,
    tempo_medio_s: Option<u64>,
}

/// The structured answer, of a yes or of a pause; empty where there is none.
fn answer_of(outcome: &Outcome) -> Said {
    let said = match outcome {
        Ok(success) => {
            let content = success.conteudo.as_ref();
            content.and_then(|content| serde_json::from_str(&content.json).ok())
        }
        Err(failure) => match &failure.reason {
            FailureReason::Unavailable(unavailable) => {
                unavailable.mensagens.first().map(|message| Said {
                    cstat: Some(message.codigo.clone()),
                    motivo: Some(message.texto.clone()),
                    tempo_medio_s: None,
                })
            }
            _ => None,
        },
    };
    said.unwrap_or_default()
}
