//! POST /api/v1/mdfe/incluir-dfe: NF-e are added (event 110115).

use super::released;
use crate::v1::event::{described, read, transport};
use crate::v1::product;
use crate::v1::stored::StoredAnswer;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use freight::event::{Inclusion, add_documents};
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
        operation: "mdfe.incluir-dfe",
        route: |method| on(method, include),
        docs: Docs::new("Inclui NF-e em um MDF-e autorizado com carregamento posterior.")
            .body::<IncluirDfeIn>()
            .idempotent()
            .success::<WithEvent<Mdfe, RegisteredEvent>>()
            .success_at::<WithEvent<Mdfe, TransmittedEvent>>(202)
            .answers(&[(200, "Inclusão registrada."), (202, "Ainda sem resultado.")])
            .sends("Location", &[202]),
    }
}

/// NF-e a incluir.
#[derive(Deserialize, JsonSchema)]
struct IncluirDfeIn {
    /// nota_id ou chave do MDF-e.
    r#ref: String,
    /// Município onde a carga foi carregada.
    codigo_ibge_carregamento: String,
    /// Município onde a carga será entregue.
    codigo_ibge_descarga: String,
    /// Chaves de acesso das NF-e.
    chaves: Vec<String>,
}

async fn include(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> StoredAnswer<WithEvent<Mdfe, RegisteredEvent>, WithEvent<Mdfe, TransmittedEvent>> {
    released(&call).await?;
    let (body, key): (IncluirDfeIn, _) = read(&call, &headers, &bytes)?;
    let nota = product::nota(&call, &body.r#ref, Model::Mdfe).await?;
    let inclusion = Inclusion {
        loading: &body.codigo_ibge_carregamento,
        unloading: &body.codigo_ibge_descarga,
        chaves: &body.chaves,
    };
    let documents = described(add_documents(&nota.protocolo, &inclusion))?;
    let details = json!({
        "codigo_ibge_carregamento": body.codigo_ibge_carregamento,
        "codigo_ibge_descarga": body.codigo_ibge_descarga,
        "chaves": body.chaves,
    });
    transport(call, nota, documents, EventKind::Documents, details, key).await
}
