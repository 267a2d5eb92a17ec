//! Cancelling an NFS-e.

use super::query::{Action, act};
use crate::Issuing;
use crate::document::naming::ref_of;
use crate::issue::Answer;
use accounts::caller::Caller;
use base::errors::{Code, Failure, Refusal};
use fiscal::nfse::{Cancelamento, MotivoCancelamento};
use store::Readable as _;
use store::tables::eventos::EventoTipo;
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
    motivo: MotivoCancelamento,
    justificativa: String,
    preco: i64,
    idempotency: Option<(Scope, String)>,
) -> Result<Answer, Failure> {
    match nota.status {
        NotaStatus::Autorizada | NotaStatus::Validada => {}
        // With a key, the same call must get the same answer again.
        NotaStatus::Cancelada if idempotency.is_some() => {}
        NotaStatus::Cancelada => {
            return Err(Refusal::new(Code::JaCancelada).nota(&nota.id).into());
        }
        NotaStatus::EmTransmissao | NotaStatus::PendentePrefeitura => {
            return Err(Refusal::new(Code::EmTransmissao).nota(&nota.id).into());
        }
        NotaStatus::Rascunho | NotaStatus::Rejeitada | NotaStatus::NaoEnviada => {
            let status = nota.status.in_words();
            return Err(Refusal::new(Code::EstadoInvalido)
                .message(format!("Uma nota {status} não pode ser cancelada."))
                .nota(&nota.id)
                .into());
        }
    }
    refuse_by_registry(app, &nota)?;
    let content = Cancelamento {
        documento: ref_of(&nota)?,
        codigo_motivo: motivo,
        justificativa,
    };
    let conteudo = serde_json::to_string(&content)?;
    act(
        app,
        Action {
            caller,
            nota,
            tipo: EventoTipo::Cancelamento,
            operacao: FlowOperation::Cancelar,
            operation: "nfse.cancelar".to_owned(),
            conteudo,
            documento: None,
            rumo: None,
            preco,
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
    let Some(municipio) = registry.municipio(ibge) else {
        return Ok(());
    };
    // The refusal is the city's: notes of the national environment are not its.
    match municipio.recusas.get("cancelar") {
        Some(recusa) if nota.via != Via::Nacional => {
            Err(Refusal::new(Code::CancelamentoNaoSuportado)
                .message(recusa.motivo.clone())
                .nota(&nota.id)
                .with("fonte", recusa.fonte.nome.clone())
                .into())
        }
        _ => Ok(()),
    }
}
