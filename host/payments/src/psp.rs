//! The three questions to the PSP, and what its adapter makes of the answers.

use crate::offer::Oferta;
use authority::gateway::Gateway;
use base::when;
use flow::contract::{FailureReason, Mensagem, Outcome, Situacao};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::ids::{AccountId, CompraId, ReembolsoId};
use store::tables::compras::CompraRow;
use store::tables::reembolsos::ReembolsoRow;
use store::{DbResult, stored};

/// Who pays, as the PSP is told.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Pagador {
    pub nome: String,
    /// CPF or CNPJ without punctuation.
    pub documento: Option<String>,
    pub email: Option<String>,
}

/// What came of a question.
#[derive(Debug)]
pub enum Resposta<T> {
    Achada(T),
    NaoEncontrada,
    /// The PSP said no, for good.
    Recusada {
        codigo: String,
        texto: String,
    },
    /// Nobody knows. `existe`: what was asked for may have been done.
    Desconhecida {
        existe: bool,
    },
}

/// A charge as the adapter tells it (`pagamento.cobranca/1`).
#[derive(Clone, Debug, Deserialize)]
pub struct Cobranca {
    pub cobranca_id: String,
    pub compra_id: CompraId,
    pub valor_centavos: i64,
    pub meio: String,
    pub situacao: Estado,
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
pub enum Estado {
    Aguardando,
    Paga,
    Expirada,
    Cancelada,
}

/// A refund as the adapter tells it (`pagamento.reembolso/1`).
#[derive(Clone, Debug, Deserialize)]
pub struct Devolucao {
    pub reembolso_id: ReembolsoId,
    pub valor_centavos: i64,
    pub situacao: EstadoDaDevolucao,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EstadoDaDevolucao {
    Concluido,
    Processando,
    Recusado,
}

/// Makes the charge of a purchase, once.
///
/// # Errors
/// Who pays cannot be read; nobody was asked.
pub async fn criar(
    app: &Gateway,
    oferta: &Oferta,
    compra: &CompraRow,
) -> DbResult<Resposta<Cobranca>> {
    let pagador: Pagador = stored(&compra.pagador, "payer of a purchase", &compra.id)?;
    let conteudo = json!({
        "compra_id": compra.id, "valor_centavos": compra.creditos, "meio": compra.meio,
        "parcelas": compra.parcelas, "expira_em": when::rfc3339(compra.expira_ms),
        "vencimento": Some(&compra.vencimento).filter(|day| !day.is_empty()), "pagador": pagador,
    });
    let account = &compra.account_id;
    let asked = ask(
        app,
        oferta,
        account,
        "pagamento.criar",
        conteudo,
        "pagamento.cobranca/1",
    );
    Ok(asked.await)
}

/// The state of a purchase's charge.
pub async fn consultar(app: &Gateway, oferta: &Oferta, compra: &CompraRow) -> Resposta<Cobranca> {
    let conteudo = json!({ "compra_id": compra.id });
    let account = &compra.account_id;
    ask(
        app,
        oferta,
        account,
        "pagamento.consultar",
        conteudo,
        "pagamento.cobranca/1",
    )
    .await
}

/// Gives money back, once.
pub async fn reembolsar(app: &Gateway, oferta: &Oferta, row: &ReembolsoRow) -> Resposta<Devolucao> {
    let conteudo = json!({
        "compra_id": row.compra_id, "reembolso_id": row.id, "valor_centavos": row.creditos,
        "motivo": row.motivo,
    });
    let account = &row.account_id;
    ask(
        app,
        oferta,
        account,
        "pagamento.reembolsar",
        conteudo,
        "pagamento.reembolso/1",
    )
    .await
}

async fn ask<T: DeserializeOwned>(
    app: &Gateway,
    oferta: &Oferta,
    account: &AccountId,
    operacao: &str,
    conteudo: Value,
    answer: &str,
) -> Resposta<T> {
    match oferta.service.ask(app, account, operacao, &conteudo).await {
        Ok(outcome) => read(outcome, operacao, answer),
        Err(error) => {
            tracing::warn!(operacao, error = %format!("{error:#}"), "the PSP was not asked to the end");
            Resposta::Desconhecida { existe: true }
        }
    }
}

fn read<T: DeserializeOwned>(outcome: Outcome, operacao: &str, answer: &str) -> Resposta<T> {
    let failure = match outcome {
        Ok(success) if success.situacao == Situacao::NaoEncontrado => {
            return Resposta::NaoEncontrada;
        }
        Ok(success) => {
            let content = success.conteudo.filter(|content| content.schema == answer);
            let read = content.and_then(|content| serde_json::from_str(&content.json).ok());
            return match read {
                Some(read) => Resposta::Achada(read),
                None => {
                    tracing::error!(operacao, "the adapter of payments gave another content");
                    Resposta::Desconhecida { existe: true }
                }
            };
        }
        Err(failure) => failure,
    };
    let said = |mensagens: Vec<Mensagem>| {
        let first = mensagens.into_iter().next();
        let (codigo, texto) = first
            .map(|said| (said.codigo, said.texto))
            .unwrap_or_default();
        Resposta::Recusada { codigo, texto }
    };
    let existe = failure.may_exist;
    match failure.reason {
        FailureReason::Rejected(mensagens) if !existe => said(mensagens),
        FailureReason::InvalidInput(fields) if !existe => {
            tracing::error!(
                operacao,
                ?fields,
                "the adapter of payments cannot express this"
            );
            let texto = fields.into_iter().next().map(|field| field.texto);
            Resposta::Recusada {
                codigo: "conteudo".to_owned(),
                texto: texto.unwrap_or_default(),
            }
        }
        reason => {
            tracing::warn!(operacao, ?reason, existe, "the PSP gave no answer");
            Resposta::Desconhecida { existe }
        }
    }
}
