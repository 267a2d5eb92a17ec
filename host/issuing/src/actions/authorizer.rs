//! Is the authorizer of a state working? Asked at most every few minutes.

use crate::Issuing;
use crate::actions::event::{Receptor, rumo};
use crate::model::{Ambiente, Issued as _, Modelo};
use crate::parts::situations::{SituacaoDoAutorizador, Situado};
use authority::question::{SemResposta, perguntar};
use base::errors::{Failure, Refusal};
use flow::contract::{FailureReason, Outcome, Situacao};
use serde::Deserialize;
use store::tables::emitters::EmitterRow;

/// The authorizer's state, from the cache or asked now; true when asked.
///
/// # Errors
/// 422 without authorizer or certificate; 503 when it does not answer.
pub async fn situacao(
    app: &Issuing,
    emitter: &EmitterRow,
    uf: &str,
    modelo: Modelo,
    ambiente: Ambiente,
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
    let situacao = match (&outcome, answer.cstat.as_deref()) {
        (Ok(success), _) if success.situacao == Situacao::EmOperacao => {
            SituacaoDoAutorizador::EmOperacao
        }
        (_, Some("108")) => SituacaoDoAutorizador::ParalisadoTemporario,
        (_, Some("109")) => SituacaoDoAutorizador::Paralisado,
        _ => return Err(silent().into()),
    };
    let situado = Situado {
        autorizador,
        situacao,
        codigo: answer.cstat.unwrap_or_default(),
        motivo: answer.motivo.unwrap_or_default(),
        tempo_medio_s: answer.tempo_medio_s,
        consultado_ms: app.now_ms(),
    };
    app.situacoes.put(which, situado.clone());
    Ok((situado, true))
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
            let conteudo = success.conteudo.as_ref();
            conteudo.and_then(|conteudo| serde_json::from_str(&conteudo.json).ok())
        }
        Err(failure) => match &failure.reason {
            FailureReason::Unavailable(unavailable) => {
                unavailable.mensagens.first().map(|mensagem| Said {
                    cstat: Some(mensagem.codigo.clone()),
                    motivo: Some(mensagem.texto.clone()),
                    tempo_medio_s: None,
                })
            }
            _ => None,
        },
    };
    said.unwrap_or_default()
}
