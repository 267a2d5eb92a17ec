//! The three questions to the PSP, and what its adapter makes of the answers.

use crate::offer::Offer;
use authority::gateway::Gateway;
use base::when;
use flow::contract::{FailureReason, Mensagem, Outcome, Situacao};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::ids::{AccountId, CompraId, ReembolsoId};
use store::tables::compras::PurchaseRow;
use store::tables::reembolsos::ReembolsoRow;
use store::{DbResult, stored};

/// Who pays, as the PSP is told.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Payer {
    pub nome: String,
    /// CPF or CNPJ without punctuation.
    pub documento: Option<String>,
    pub email: Option<String>,
}

/// What came of a question.
#[derive(Debug)]
pub enum Answer<T> {
    Found(T),
    NotFound,
    /// The PSP said no, for good.
    Refused {
        codigo: String,
        text: String,
    },
    /// Nobody knows. `exists`: what was asked for may have been done.
    Unknown {
        exists: bool,
    },
}

/// A charge as the adapter tells it (`pagamento.cobranca/1`).
#[derive(Clone, Debug, Deserialize)]
pub struct Charge {
    pub cobranca_id: String,
    pub compra_id: CompraId,
    pub valor_centavos: i64,
    pub meio: String,
    pub situacao: State,
    pub pago_centavos: i64,
    #[serde(default)]
    pub pix: Option<Value>,
    #[serde(default)]
    pub boleto: Option<Value>,
    #[serde(default)]
    pub cartao: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Aguardando,
    Paga,
    Expirada,
    Cancelada,
}

/// A refund as the adapter tells it (`pagamento.reembolso/1`).
#[derive(Clone, Debug, Deserialize)]
pub struct Refund {
    pub reembolso_id: ReembolsoId,
    pub valor_centavos: i64,
    pub situacao: RefundState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefundState {
    Concluido,
    Processando,
    Recusado,
}

/// Makes the charge of a purchase, once.
///
/// # Errors
/// Who pays cannot be read; nobody was asked.
pub async fn create(
    app: &Gateway,
    offer: &Offer,
    purchase: &PurchaseRow,
) -> DbResult<Answer<Charge>> {
    let payer: Payer = stored(&purchase.pagador, "payer of a purchase", &purchase.id)?;
    let content = json!({
        "compra_id": purchase.id, "valor_centavos": purchase.creditos, "meio": purchase.meio,
        "parcelas": purchase.parcelas, "expira_em": when::rfc3339(purchase.expira_ms),
        "vencimento": Some(&purchase.vencimento).filter(|day| !day.is_empty()), "pagador": payer,
    });
    let account = &purchase.account_id;
    let asked = ask(
        app,
        offer,
        account,
        "pagamento.criar",
        content,
        "pagamento.cobranca/1",
    );
    Ok(asked.await)
}

/// The state of a purchase's charge.
pub async fn query(app: &Gateway, offer: &Offer, purchase: &PurchaseRow) -> Answer<Charge> {
    let content = json!({ "compra_id": purchase.id });
    let account = &purchase.account_id;
    ask(
        app,
        offer,
        account,
        "pagamento.consultar",
        content,
        "pagamento.cobranca/1",
    )
    .await
}

/// Gives money back, once.
pub async fn refund(app: &Gateway, offer: &Offer, row: &ReembolsoRow) -> Answer<Refund> {
    let content = json!({
        "compra_id": row.compra_id, "reembolso_id": row.id, "valor_centavos": row.creditos,
        "motivo": row.motivo,
    });
    let account = &row.account_id;
    ask(
        app,
        offer,
        account,
        "pagamento.reembolsar",
        content,
        "pagamento.reembolso/1",
    )
    .await
}

async fn ask<T: DeserializeOwned>(
    app: &Gateway,
    offer: &Offer,
    account: &AccountId,
    operation: &str,
    content: Value,
    answer: &str,
) -> Answer<T> {
    match offer.service.ask(app, account, operation, &content).await {
        Ok(outcome) => read(outcome, operation, answer),
        Err(error) => {
            tracing::warn!(operation, error = %format!("{error:#}"), "the PSP was not asked to the end");
            Answer::Unknown { exists: true }
        }
    }
}

fn read<T: DeserializeOwned>(outcome: Outcome, operation: &str, answer: &str) -> Answer<T> {
    let failure = match outcome {
        Ok(success) if success.situacao == Situacao::NaoEncontrado => {
            return Answer::NotFound;
        }
        Ok(success) => {
            let content = success.conteudo.filter(|content| content.schema == answer);
            let read = content.and_then(|content| serde_json::from_str(&content.json).ok());
            return match read {
                Some(read) => Answer::Found(read),
                None => {
                    tracing::error!(operation, "the adapter of payments gave another content");
                    Answer::Unknown { exists: true }
                }
            };
        }
        Err(failure) => failure,
    };
    let said = |messages: Vec<Mensagem>| {
        let first = messages.into_iter().next();
        let (codigo, text) = first
            .map(|said| (said.codigo, said.texto))
            .unwrap_or_default();
        Answer::Refused { codigo, text }
    };
    let exists = failure.may_exist;
    match failure.reason {
        FailureReason::Rejected(messages) if !exists => said(messages),
        FailureReason::InvalidInput(fields) if !exists => {
            tracing::error!(
                operation,
                ?fields,
                "the adapter of payments cannot express this"
            );
            let text = fields.into_iter().next().map(|field| field.texto);
            Answer::Refused {
                codigo: "conteudo".to_owned(),
                text: text.unwrap_or_default(),
            }
        }
        reason => {
            tracing::warn!(operation, ?reason, exists, "the PSP gave no answer");
            Answer::Unknown { exists }
        }
    }
}
