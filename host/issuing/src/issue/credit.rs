//! Refusals for want of credits, of the account or of the key.

use accounts::ledger::{Exceeded, Reserve};
use base::errors::{Code, Refusal};
use base::when;
use store::ids::TransferId;
use store::words::Maybe;

/// The id of what was put aside or charged.
///
/// # Errors
/// 402 that says whose credits are short.
pub fn held(reserve: Reserve, preco: i64) -> Result<Maybe<TransferId>, Box<Refusal>> {
    match reserve {
        Reserve::Held(id) => Ok(id),
        Reserve::Insufficient { saldo } => Err(Box::new(insufficient(preco, saldo))),
        Reserve::LimitReached(exceeded) => Err(Box::new(limited(preco, &exceeded))),
    }
}

/// 402: the operation costs more than the account has.
fn insufficient(preco: i64, saldo: i64) -> Refusal {
    Refusal::new(Code::SaldoInsuficiente)
        .message(format!(
            "Saldo insuficiente: a operação custa {preco} créditos e o saldo é {saldo}."
        ))
        .with("preco", preco)
        .with("saldo", saldo)
        .with("faltam", preco - saldo)
}

/// 402: the operation costs more than the key may still spend.
fn limited(preco: i64, exceeded: &Exceeded) -> Refusal {
    let Exceeded { limite, gasto, .. } = exceeded;
    let periodo = if exceeded.periodo == "mes" {
        "mês"
    } else {
        "dia"
    };
    let renova_em = when::format(when::local(exceeded.renova_ms, "DF"));
    Refusal::new(Code::LimiteDaChave)
        .message(format!(
            "A operação custa {preco} créditos; a chave pode gastar {limite} por {periodo} e já gastou {gasto}."
        ))
        .with("preco", preco)
        .with("periodo", exceeded.periodo)
        .with("limite", *limite)
        .with("gasto", *gasto)
        .with("renova_em", renova_em)
}
