//! The contents (`wit/schemas/pagamento.*.json`).

use sdk::{Conteudo, Failure, FieldError};
use serde::{Deserialize, Serialize};

/// Schema of [`Criar`].
pub const CRIAR: &str = "pagamento.criar/1";
/// Schema of [`Consultar`].
pub const CONSULTAR: &str = "pagamento.consultar/1";
/// Schema of [`Reembolsar`].
pub const REEMBOLSAR: &str = "pagamento.reembolsar/1";
/// Schema of the state of a charge.
pub const COBRANCA: &str = "pagamento.cobranca/1";
/// Schema of the state of a refund.
pub const REEMBOLSO: &str = "pagamento.reembolso/1";

/// Characters of an id.
const ID_CHARS: usize = 64;
/// Largest amount: more than a charge of the hub ever is.
const MAX_CENTAVOS: i64 = 1_000_000_000;

/// Means of payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Meio {
    Pix,
    Boleto,
    Cartao,
}

/// A charge to be made.
#[derive(Debug, Deserialize)]
pub struct Criar {
    pub compra_id: String,
    pub valor_centavos: i64,
    pub meio: Meio,
    pub parcelas: u32,
    /// RFC 3339: after this nobody may pay it.
    pub expira_em: String,
    /// Due day of a boleto.
    #[serde(default)]
    pub vencimento: Option<String>,
    pub pagador: Pagador,
}

/// Who pays.
#[derive(Debug, Deserialize, Serialize)]
pub struct Pagador {
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
pub struct Reembolsar {
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
pub fn criar(conteudo: &Conteudo) -> Result<Criar, Failure> {
    let lido: Criar = sdk::read_conteudo(conteudo, CRIAR)?;
    id("compra_id", &lido.compra_id)?;
    centavos(lido.valor_centavos)?;
    if lido.parcelas == 0 || lido.parcelas > 1 && lido.meio != Meio::Cartao {
        return Err(errado("parcelas", "Parcelas só com cartão, a partir de 1."));
    }
    if lido.meio == Meio::Boleto && lido.vencimento.is_none() {
        return Err(errado("vencimento", "Um boleto tem vencimento."));
    }
    Ok(lido)
}

/// Reads the content of `pagamento.consultar`.
///
/// # Errors
/// `invalid-input`.
pub fn consultar(conteudo: &Conteudo) -> Result<Consultar, Failure> {
    let lido: Consultar = sdk::read_conteudo(conteudo, CONSULTAR)?;
    id("compra_id", &lido.compra_id)?;
    Ok(lido)
}

/// Reads the content of `pagamento.reembolsar`.
///
/// # Errors
/// `invalid-input`.
pub fn reembolsar(conteudo: &Conteudo) -> Result<Reembolsar, Failure> {
    let lido: Reembolsar = sdk::read_conteudo(conteudo, REEMBOLSAR)?;
    id("compra_id", &lido.compra_id)?;
    id("reembolso_id", &lido.reembolso_id)?;
    centavos(lido.valor_centavos)?;
    Ok(lido)
}

/// An id becomes a part of a path and a header: letters, digits, `_` and `-`.
fn id(campo: &str, texto: &str) -> Result<(), Failure> {
    let simples = texto
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if texto.is_empty() || texto.len() > ID_CHARS || !simples {
        return Err(errado(campo, "Identificador inválido."));
    }
    Ok(())
}

fn centavos(valor: i64) -> Result<(), Failure> {
    if (1..=MAX_CENTAVOS).contains(&valor) {
        return Ok(());
    }
    Err(errado("valor_centavos", "Valor fora dos limites."))
}

fn errado(campo: &str, texto: &str) -> Failure {
    Failure::invalid_input(vec![FieldError::new(campo, "valor", texto)])
}
