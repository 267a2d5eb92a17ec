//! POST /api/v1/nfse/cancelar: cancels an authorized note.

use crate::v1::stored::{StoredAnswer, stored};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::Refusal;
use fiscal::nfse::CancellationReason;
use gate::Call;
use gate::docs::{Built, Docs};
use gate::request::{body, idempotency};
use issuing::actions::cancel;
use issuing::answer::{Nfse, NfseCancellation, RequestedEvent, WithEvent};
use markup::field::Fields;
use schemars::JsonSchema;
use serde::Deserialize;

pub fn built() -> Built {
    Built {
        operation: "nfse.cancelar",
        route: |method| on(method, cancelar),
        docs: Docs::new("Cancela uma NFS-e autorizada.")
            .explained("Use quando o serviço não foi prestado ou a nota saiu errada; codigo_motivo diz qual dos casos. GET /api/v1/nfse/cancelamento/exigencias mostra antes o que a cidade pede e o prazo. Onde a cidade não cancela por sistema, recusa e diz onde pedir; para trocar uma nota por outra certa, use POST /api/v1/nfse/substituir.")
            .body::<CancelarIn>()
            .idempotent()
            .success::<WithEvent<Nfse, NfseCancellation>>()
            .success_at::<WithEvent<Nfse, RequestedEvent>>(202)
            .answers(&[
                (200, "Cancelamento registrado."),
                (202, "A prefeitura ainda analisa, ou não se sabe."),
            ])
            .sends("Location", &[202]),
    }
}

#[derive(Deserialize, JsonSchema)]
struct CancelarIn {
    /// nota_id ou chave da nota.
    r#ref: String,
    codigo_motivo: CancellationReason,
    /// 15 a 255 caracteres.
    justificativa: String,
}

async fn cancelar(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> StoredAnswer<WithEvent<Nfse, NfseCancellation>, WithEvent<Nfse, RequestedEvent>> {
    let mut value = body::parse(&call, &headers, &bytes)?;
    let key = idempotency::key(&call, &headers, &mut value)?;
    let body: CancelarIn = body::read(value, call.tolerant)?;
    let mut fields = Fields::default();
    let justification = body.justificativa.trim().to_owned();
    if !(15..=255).contains(&justification.chars().count()) {
        fields.add(
            "justificativa",
            "tamanho_invalido",
            "A justificativa tem de 15 a 255 caracteres.",
            "Descreva o motivo.",
        );
    }
    fields.into_result().map_err(|fields| {
        Refusal::fields(fields).message("O cancelamento tem pontos a corrigir.")
    })?;
    let nota = super::nota(&call, &body.r#ref).await?;
    let price = call.price()?;
    let answer = cancel::cancel(
        &call.app,
        call.caller.clone(),
        nota,
        body.codigo_motivo,
        justification,
        price,
        key,
    )
    .await?;
    stored(&call, answer)
}
