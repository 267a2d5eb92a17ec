//! Is the authorizer of a state working? Asked at most every few minutes.

use crate::Issuing;
use crate::actions::event::{Receptor, rumo};
use crate::model::{Ambiente, Issued as _, Modelo};
use crate::parts::situations::Situado;
use authority::question::{SemResposta, perguntar};
use base::errors::{Failure, Refusal};
use flow::contract::{FailureReason, Outcome, Situacao};
use serde_json::{Value, json};
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
