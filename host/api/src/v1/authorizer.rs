//! GET /api/v1/nfe/autorizador/status and its kin.

use base::errors::{Code, Failure, Refusal};
use base::when;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::Docs;
use gate::request::list::{Query, only};
use issuing::actions::authorizer;
use issuing::answer::NotaAmbiente;
use issuing::emitters::profile::Perfil;
use issuing::issue::{self, product, transport};
use issuing::model::Model;
use issuing::parts::situations::AuthorizerStatus;
use issuing::route;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use store::ids::EmitterId;

/// The parameters, as both operations take them.
pub fn docs(summary: &'static str) -> Docs {
    Docs::new(summary)
        .query(
            "uf",
            "Sigla; ausente: a do emitente.",
            json!({ "type": "string", "pattern": "^[A-Za-z]{2}$" }),
        )
        .query(
            "emitente_id",
            "De quem é o certificado da consulta; ausente: o padrão.",
            json!({ "type": "string" }),
        )
}

const PARAMETERS: &[&str] = &["uf", "emitente_id"];

/// A situação de um autorizador.
#[derive(Serialize, JsonSchema)]
pub struct AutorizadorOut {
    uf: String,
    modelo: Model,
    ambiente: NotaAmbiente,
    /// A SEFAZ que autoriza as notas da UF.
    autorizador: String,
    situacao: AuthorizerStatus,
    /// Código (cStat) da resposta.
    codigo: String,
    /// Texto (xMotivo) da resposta.
    motivo: String,
    /// Tempo médio de resposta que a SEFAZ informa, em segundos.
    tempo_medio_s: Option<u64>,
    consultado_em: String,
    /// A resposta é de uma consulta dos últimos minutos.
    cache: bool,
}

/// The state of the authorizer of a state, asked with an emitter's
/// certificate.
///
/// # Errors
/// 400 for an unknown state; 422 without certificate; 503 when it does not
/// answer.
pub async fn status(call: Call, query: &Query, model: Model) -> ApiAnswer<Charged<AutorizadorOut>> {
    only(query, PARAMETERS)?;
    charge::affordable(&call).await?;
    let body = state(&call, query, model).await?;
    charge::paid(&call, body).await
}

/// As [`status`], free.
///
/// # Errors
/// As [`status`].
pub async fn free(call: Call, query: &Query, model: Model) -> ApiAnswer<AutorizadorOut> {
    only(query, PARAMETERS)?;
    let body = state(&call, query, model).await?;
    call.ok(body)
}

async fn state(call: &Call, query: &Query, model: Model) -> Result<AutorizadorOut, Failure> {
    let mut conn = call.app.db.read().await?;
    let named = query
        .get("emitente_id")
        .map(|id| EmitterId::from(id.as_str()));
    let emitter = issue::emitter(&mut conn, &call.caller, named.as_ref()).await?;
    drop(conn);
    let perfil: Perfil = serde_json::from_str(&emitter.perfil)?;
    let registry = call.app.registry.load();
    let uf = match query.get("uf") {
        Some(uf) => uf.to_ascii_uppercase(),
        None => route::uf(&registry, perfil.municipality().unwrap_or_default()).to_owned(),
    };
    if data::ufs::by_uf(&uf).is_none() {
        return Err(Refusal::field(
            Code::ParametroInvalido,
            "uf",
            "UF desconhecida.",
            "Informe a sigla de um estado, como SP.",
        )
        .into());
    }
    let ambiente = match model.is_transport() {
        true => transport::ambiente(model, &call.caller, &emitter),
        false => product::ambiente(&call.caller, &emitter),
    };
    let (state, asked) = authorizer::status(&call.app, &emitter, &uf, model, ambiente).await?;
    Ok(AutorizadorOut {
        uf,
        modelo: model,
        ambiente: NotaAmbiente::of(ambiente),
        autorizador: state.autorizador,
        situacao: state.status,
        codigo: state.codigo,
        motivo: state.reason,
        tempo_medio_s: state.average_time_s,
        consultado_em: when::rfc3339(state.queried_ms),
        cache: !asked,
    })
}
