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
pub fn held(reserve: Reserve, price: i64) -> Result<Maybe<TransferId>, Box<Refusal>> {
    match reserve {
        Reserve::Held(id) => Ok(id),
        Reserve::Insufficient { balance } => Err(Box::new(insufficient(price, balance))),
        Reserve::LimitReached(exceeded) => Err(Box::new(limited(price, &exceeded))),
    }
}

/// 402: the operation costs more than the account has.
fn insufficient(price: i64, balance: i64) -> Refusal {
    Refusal::new(Code::SaldoInsuficiente)
        .message(format!(
            "Saldo insuficiente: a operação custa {price} créditos e o saldo é {balance}."
        ))
        .with("preco", price)
        .with("saldo", balance)
        .with("faltam", price - balance)
}

/// 402: the operation costs more than the key may still spend.
fn limited(price: i64, exceeded: &Exceeded) -> Refusal {
    let Exceeded { limit, spent, .. } = exceeded;
    let period = if exceeded.period == "mes" {
        "mês"
    } else {
        "dia"
    };
    let renews_at = when::format(when::local(exceeded.renews_ms, "DF"));
    Refusal::new(Code::LimiteDaChave)
        .message(format!(
            "A operação custa {price} créditos; a chave pode gastar {limit} por {period} e já gastou {spent}."
        ))
        .with("preco", price)
        .with("periodo", exceeded.period)
        .with("limite", *limit)
        .with("gasto", *spent)
        .with("renova_em", renews_at)
}
