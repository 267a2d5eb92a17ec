//! A movement of credits as the API shows it.

use base::when;
use issuing::model::Model;
use schemars::JsonSchema;
use serde::Serialize;
use store::ids::{CompraId, EventoId, NotaId, RequestId, TransferId};
use store::tables::ledger::{LedgerAccount, Transfer, TransferKind};

/// O que um movimento é.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Tipo")]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Reserva,
    Debito,
    Devolucao,
    Compra,
    Presente,
    Reembolso,
    Ajuste,
}

impl Kind {
    /// The customer's word for a kind of transfer.
    pub fn of(kind: TransferKind) -> Kind {
        match kind {
            TransferKind::Hold => Kind::Reserva,
            TransferKind::Post | TransferKind::Direct => Kind::Debito,
            TransferKind::Void => Kind::Devolucao,
            TransferKind::Purchase => Kind::Compra,
            TransferKind::Gift => Kind::Presente,
            TransferKind::Refund => Kind::Reembolso,
            TransferKind::Adjust => Kind::Ajuste,
        }
    }
}

/// Um movimento de créditos.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Movimento")]
pub struct Movement {
    id: TransferId,
    /// Quando (RFC 3339, UTC).
    em: String,
    tipo: Kind,
    /// O efeito no saldo que pode ser gasto: a soma dá o saldo. Uma reserva
    /// tira, o débito dela só confirma.
    creditos: i64,
    /// A quantia movida.
    valor: i64,
    saldo_apos: i64,
    /// A reserva que este movimento resolve.
    reserva_id: Option<TransferId>,
    operacao: String,
    nota_id: Option<NotaId>,
    compra_id: Option<CompraId>,
    evento_id: Option<EventoId>,
    /// A chamada que o causou.
    request_id: Option<RequestId>,
}

impl From<&Transfer> for Movement {
    fn from(transfer: &Transfer) -> Movement {
        let creditos = if transfer.credit == LedgerAccount::Available {
            transfer.amount
        } else if transfer.debit == LedgerAccount::Available {
            -transfer.amount
        } else {
            0
        };
        let subject = |is: fn(&str) -> bool| Some(transfer.subject_id.as_str()).filter(|id| is(id));
        Movement {
            id: transfer.id.clone(),
            em: when::rfc3339(transfer.created_at_ms),
            tipo: Kind::of(transfer.kind),
            creditos,
            valor: transfer.amount,
            saldo_apos: transfer.balance_after,
            reserva_id: transfer.pending_id.clone(),
            operacao: transfer.operation.clone(),
            nota_id: subject(Model::is_nota).map(NotaId::from),
            compra_id: subject(CompraId::is).map(CompraId::from),
            evento_id: subject(EventoId::is).map(EventoId::from),
            request_id: Some(transfer.request_id.clone()).filter(|id| !id.is_empty()),
        }
    }
}
