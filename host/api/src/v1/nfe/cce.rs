//! POST /api/v1/nfe/cce: a correction letter (event 110110).

use crate::v1::event::{Asked, read, send};
use crate::v1::product;
use crate::v1::stored::StoredAnswer;
use anyhow::Context as _;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{Nfe, RegisteredEvent, TransmittedEvent, WithEvent};
use issuing::model::Model;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::tables::eventos::EventKind;

pub fn built() -> Built {
    Built {
        operation: "nfe.cce",
        route: |method| on(method, cce),
        docs: Docs::new("Registra uma carta de correção; cada uma substitui a anterior.")
            .explained("Use para corrigir um dado que não muda valores, tributos, partes nem datas, como o transportador ou um texto; escreva nela todas as correções, também as das cartas anteriores. Recusa nota cancelada e texto fora do tamanho do leiaute; valores e destinatário só se corrigem com outra nota.")
            .body::<CceIn>()
            .idempotent()
            .success::<WithEvent<Nfe, RegisteredEvent>>()
            .success_at::<WithEvent<Nfe, TransmittedEvent>>(202)
            .answers(&[(200, "Carta registrada."), (202, "Ainda sem resultado.")])
            .sends("Location", &[202]),
    }
}

#[derive(Deserialize, JsonSchema)]
struct CceIn {
    /// nota_id ou chave da nota.
    r#ref: String,
    /// 15 a 1000 caracteres; o texto inteiro, com o que as cartas anteriores
    /// disseram.
    correcao: String,
}

async fn cce(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> StoredAnswer<WithEvent<Nfe, RegisteredEvent>, WithEvent<Nfe, TransmittedEvent>> {
    let (body, key): (CceIn, _) = read(&call, &headers, &bytes)?;
    let nota = product::nota(&call, &body.r#ref, Model::Nfe).await?;
    let correction = body.correcao.trim();
    let (kind, data) = fiscal::nfe::event::cce(correction).context("event of a letter")?;
    let asked = Asked {
        nota,
        kind,
        name: EventKind::Cce,
        data,
        sequence: None,
        seen: None,
        details: json!({ "correcao": correction }),
        key,
    };
    send(call, asked).await
}
