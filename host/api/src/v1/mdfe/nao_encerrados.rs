//! POST /api/v1/mdfe/nao-encerrados: a company's MDF-e that were not closed.

use super::released;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::body;
use issuing::actions::open_manifests;
use issuing::issue::{self, transport};
use issuing::model::Model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::EmitterId;

pub fn built() -> Built {
    Built {
        operation: "mdfe.nao-encerrados",
        route: |method| on(method, open),
        docs: Docs::new("Pergunta à SEFAZ quais MDF-e do emitente não foram encerrados.")
            .body::<OpenMdfesIn>()
            .success::<Charged<OpenMdfesOut>>(),
    }
}

/// De quem são os MDF-e.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "NaoEncerradosIn")]
struct OpenMdfesIn {
    /// Ausente: o emitente padrão da conta.
    emitente_id: Option<EmitterId>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NaoEncerrados")]
struct OpenMdfesOut {
    itens: Vec<OpenMdfe>,
    /// Código (cStat) da resposta.
    status_sefaz: String,
    /// Texto (xMotivo) da resposta.
    mensagem_sefaz: String,
}

/// Um MDF-e que não foi encerrado.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NaoEncerrado")]
struct OpenMdfe {
    chave: String,
    protocolo: String,
}

async fn open(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<OpenMdfesOut>> {
    released(&call).await?;
    let value = body::parse(&call, &headers, &bytes)?;
    let body: OpenMdfesIn = body::read(value, call.tolerant)?;
    charge::affordable(&call).await?;
    let mut conn = call.app.db.read().await?;
    let emitter = issue::emitter(&mut conn, &call.caller, body.emitente_id.as_ref()).await?;
    drop(conn);
    let ambiente = transport::ambiente(Model::Mdfe, &call.caller, &emitter);
    let found = open_manifests::search(&call.app, &emitter, ambiente).await?;
    let items = found.itens.into_iter().map(|one| OpenMdfe {
        chave: one.chave,
        protocolo: one.protocolo,
    });
    let out = OpenMdfesOut {
        itens: items.collect(),
        status_sefaz: found.cstat,
        mensagem_sefaz: found.motivo,
    };
    charge::paid(&call, out).await
}
