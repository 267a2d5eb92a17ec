//! The contents (`wit/schemas/pagamento.*.json`).

use sdk::{Conteudo, Failure, FieldError};
use serde::{Deserialize, Serialize};

/// Schema of [`Criar`].
pub const CRIAR: &str = "pagamento.criar/1";
/// Schema of [`Consultar`].
pub const CONSULTAR: &str = "pagamento.consultar/1";
/// Schema of [`RefundRequest`].
pub const REFUND_REQUEST: &str = "pagamento.reembolsar/1";
/// Schema of the state of a charge.
pub const CHARGE: &str = "pagamento.cobranca/1";
/// Schema of the state of a refund.
pub const REEMBOLSO: &str = "pagamento.reembolso/1";

/// Characters of an id.
const ID_CHARS: usize = 64;
/// Largest amount: more than a charge of the hub ever is.
const MAX_CENTS: i64 = 1_000_000_000;

/// Means of payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Means {
    Pix,
    Boleto,
    Cartao,
}

/// A charge to be made.
#[derive(Debug, Deserialize)]
pub struct Criar {
    pub compra_id: String,
    pub valor_centavos: i64,
    pub meio: Means,
    pub parcelas: u32,
    /// RFC 3339: after this nobody may pay it.
    pub expira_em: String,
    /// Due day of a boleto.
    #[serde(default)]
    pub vencimento: Option<String>,
    pub pagador: Payer,
}

/// Who pays.
#[derive(Debug, Deserialize, Serialize)]
pub struct Payer {
    pub nome: String,
    /// CPF or CNPJ.
    #[serde(default)]
    pub documento: Option<String>,
    #[serde(default)]
    pub email: Option<String>,
}

/// A charge somebody asks about.
#[derive(Debug, Deserialize)]
pub struct Consultar {
    pub compra_id: String,
}

/// Money to be given back.
#[derive(Debug, Deserialize)]
pub struct RefundRequest {
    pub compra_id: String,
    pub reembolso_id: String,
    pub valor_centavos: i64,
    #[serde(default)]
    pub motivo: Option<String>,
}

/// Reads the content of `pagamento.criar`.
///
/// # Errors
/// `invalid-input`.
pub fn create(content: &Conteudo) -> Result<Criar, Failure> {
    let read: Criar = sdk::read_conteudo(content, CRIAR)?;
    id("compra_id", &read.compra_id)?;
    cents(read.valor_centavos)?;
    if read.parcelas == 0 || read.parcelas > 1 && read.meio != Means::Cartao {
        return Err(wrong("parcelas", "Parcelas só com cartão, a partir de 1."));
    }
    if read.meio == Means::Boleto && read.vencimento.is_none() {
        return Err(wrong("vencimento", "Um boleto tem vencimento."));
    }
    Ok(read)
}

/// Reads the content of `pagamento.consultar`.
///
/// # Errors
/// `invalid-input`.
pub fn query(content: &Conteudo) -> Result<Consultar, Failure> {
    let read: Consultar = sdk::read_conteudo(content, CONSULTAR)?;
    id("compra_id", &read.compra_id)?;
    Ok(read)
}

/// Reads the content of `pagamento.reembolsar`.
///
/// # Errors
/// `invalid-input`.
pub fn refund(content: &Conteudo) -> Result<RefundRequest, Failure> {
    let read: RefundRequest = sdk::read_conteudo(content, REFUND_REQUEST)?;
    id("compra_id", &read.compra_id)?;
    id("reembolso_id", &read.reembolso_id)?;
    cents(read.valor_centavos)?;
    Ok(read)
}

/// An id becomes a part of a path and a header: letters, digits, `_` and `-`.
fn id(field: &str, text: &str) -> Result<(), Failure> {
    let simples = text
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if text.is_empty() || text.len() > ID_CHARS || !simples {
        return Err(wrong(field, "Identificador inválido."));
    }
    Ok(())
}

fn cents(value: i64) -> Result<(), Failure> {
    if (1..=MAX_CENTS).contains(&value) {
        return Ok(());
    }
    Err(wrong("valor_centavos", "Valor fora dos limites."))
}

fn wrong(field: &str, text: &str) -> Failure {
    Failure::invalid_input(vec![FieldError::new(field, "valor", text)])
}
