//! POST /api/v1/mdfe/encerrar: the transport is over (event 110112).

use super::released;
use crate::v1::event::{described, read, transport};
use crate::v1::product;
use crate::v1::stored::StoredAnswer;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::when;
use freight::event::{Closing, close};
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{Mdfe, RegisteredEvent, TransmittedEvent, WithEvent};
use issuing::model::Model;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::tables::eventos::EventKind;

pub fn built() -> Built {
    Built {
        operation: "mdfe.encerrar",
        route: |method| on(method, encerrar),
        docs: Docs::new("Encerra um MDF-e: a viagem terminou. Sem o encerramento a SEFAZ recusa outro MDF-e do veículo.")
            .body::<EncerrarIn>()
            .idempotent()
            .success::<WithEvent<Mdfe, RegisteredEvent>>()
            .success_at::<WithEvent<Mdfe, TransmittedEvent>>(202)
            .answers(&[(200, "Encerramento registrado."), (202, "Ainda sem resultado.")])
            .sends("Location", &[202]),
    }
}

/// Encerramento de um MDF-e.
#[derive(Deserialize, JsonSchema)]
struct EncerrarIn {
    /// nota_id ou chave do MDF-e.
    r#ref: String,
    /// Sigla da UF onde a viagem terminou; EX no exterior.
    uf: String,
    /// Código IBGE do município; 9999999 no exterior.
    codigo_ibge: String,
    /// `AAAA-MM-DD`; ausente: hoje.
    #[serde(default)]
    data: Option<String>,
}

async fn encerrar(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> StoredAnswer<WithEvent<Mdfe, RegisteredEvent>, WithEvent<Mdfe, TransmittedEvent>> {
    released(&call).await?;
    let (body, key): (EncerrarIn, _) = read(&call, &headers, &bytes)?;
    let nota = product::nota(&call, &body.r#ref, Model::Mdfe).await?;
    let today = when::local(call.app.now_ms(), &body.uf).date();
    let closing = Closing {
        uf: &body.uf,
        codigo_ibge: &body.codigo_ibge,
        data: body.data.as_deref(),
    };
    let closing = described(close(&nota.protocolo, &closing, today))?;
    let details = json!({ "uf": body.uf, "codigo_ibge": body.codigo_ibge, "data": body.data });
    transport(call, nota, closing, EventKind::Closing, details, key).await
}
