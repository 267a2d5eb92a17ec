//! Cancelling an NFS-e.

use super::query::{Action, act};
use crate::Issuing;
use crate::document::naming::{ref_of, sent_ms};
use crate::issue::Answer;
use accounts::caller::Caller;
use base::errors::{Code, Failure, Refusal};
use fiscal::nfse::{Cancelamento, CancellationReason};
use store::Readable as _;
use store::tables::eventos::EventKind;
use store::tables::flows::FlowOperation;
use store::tables::idempotency::Scope;
use store::tables::notas::{NotaRow, NotaStatus, Via};

/// Cancels a note that exists.
///
/// # Errors
/// The note's state does not allow it, or the municipality does not (before
/// anything is reserved).
pub async fn cancel(
    app: &Issuing,
    caller: Caller,
    nota: NotaRow,
    reason: CancellationReason,
    justification: String,
    price: i64,
    idempotency: Option<(Scope, String)>,
) -> Result<Answer, Failure> {
    match nota.status {
        NotaStatus::Authorized | NotaStatus::Validated => {}
        // With a key, the same call must get the same answer again.
        NotaStatus::Cancelled if idempotency.is_some() => {}
        NotaStatus::Cancelled => {
            return Err(Refusal::new(Code::JaCancelada).nota(&nota.id).into());
        }
        NotaStatus::InTransmission | NotaStatus::PendingCity => {
            return Err(Refusal::new(Code::EmTransmissao).nota(&nota.id).into());
        }
        NotaStatus::Draft | NotaStatus::Rejected | NotaStatus::NotSent => {
            let status = nota.status.in_words();
            return Err(Refusal::new(Code::EstadoInvalido)
                .message(format!("Uma nota {status} não pode ser cancelada."))
                .nota(&nota.id)
                .into());
        }
    }
    refuse_by_registry(app, &nota)?;
    let sent_ms = {
        let mut conn = app.db.read().await?;
        sent_ms(&mut conn, &nota).await?
    };
    let content = Cancelamento {
        documento: ref_of(&nota, sent_ms)?,
        codigo_motivo: reason,
        justificativa: justification,
    };
    let document = serde_json::to_string(&content)?;
    act(
        app,
        Action {
            caller,
            nota,
            kind: EventKind::Cancelamento,
            flow_operation: FlowOperation::Cancelar,
            operation: "nfse.cancelar".to_owned(),
            content: document,
            documento: None,
            rumo: None,
            price,
            idempotency,
        },
    )
    .await
}

/// Refusals of municipalities are data of the registry.
fn refuse_by_registry(app: &Issuing, nota: &NotaRow) -> Result<(), Failure> {
    let registry = app.registry.load();
    let ibge = nota.municipio.parse();
    let ibge = ibge.readable("municipality of a note", &nota.id)?;
    let Some(municipality) = registry.municipality(ibge) else {
        return Ok(());
    };
    // The refusal is the city's: notes of the national environment are not its.
    match municipality.refusals.get("cancelar") {
        Some(refusal) if nota.via != Via::Nacional => {
            Err(Refusal::new(Code::CancelamentoNaoSuportado)
                .message(refusal.reason.clone())
                .nota(&nota.id)
                .with("fonte", refusal.cited.name.clone())
                .into())
        }
        _ => Ok(()),
    }
}
