//! Answers of operations that are charged when they answer: the price is taken
//! after the result is there, and not at all with a test key.

use crate::answer::ApiAnswer;
use crate::call::Call;
use accounts::ledger::{self, Movement};
use base::errors::{Failure, Refusal};
use issuing::answer::CallCredits;
use issuing::issue::credit;
use schemars::JsonSchema;
use serde::Serialize;
use store::TxError;

/// O que uma chamada cobrada responde, e o que custou.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Charged<T> {
    #[serde(flatten)]
    body: T,
    /// O preço foi cobrado.
    consumiu_credito: bool,
    creditos: CallCredits,
}

/// Takes the operation's price and answers.
///
/// # Errors
/// 402 when the balance is short.
pub async fn paid<T: Serialize>(call: &Call, body: T) -> ApiAnswer<Charged<T>> {
    let price = call.price()?;
    paid_at(call, body, price).await
}

/// As [`paid`], where the operation says which of its prices holds, in credits.
///
/// # Errors
/// As [`paid`].
pub async fn paid_at<T: Serialize>(call: &Call, body: T, price: i64) -> ApiAnswer<Charged<T>> {
    paid_with(call, 200, body, price).await
}

/// As [`paid_at`], with another status.
///
/// # Errors
/// As [`paid`].
pub async fn paid_with<T: Serialize>(
    call: &Call,
    status: u16,
    body: T,
    price: i64,
) -> ApiAnswer<Charged<T>> {
    let price = if call.caller.is_test() { 0 } else { price };
    let balance = take(call, price).await?;
    told(call, status, body, price, balance)
}

/// Takes the price of each result and answers with 207.
///
/// # Errors
/// As [`paid`].
pub async fn paid_each<T: Serialize>(call: &Call, body: T, count: usize) -> ApiAnswer<Charged<T>> {
    paid_with(call, 207, body, of_each(call, count)?).await
}

/// As [`affordable`], for as many results.
///
/// # Errors
/// As [`affordable`].
pub async fn affordable_each(call: &Call, count: usize) -> Result<(), Failure> {
    affordable_at(call, of_each(call, count)?).await
}

fn of_each(call: &Call, count: usize) -> Result<i64, Failure> {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    Ok(call.price()?.saturating_mul(count))
}

/// Answers without a charge: there was no result.
///
/// # Errors
/// The database failed.
pub async fn free<T: Serialize>(call: &Call, body: T) -> ApiAnswer<Charged<T>> {
    let mut conn = call.app.db.read().await?;
    let balance = ledger::available(&mut conn, &call.caller.account_id).await?;
    drop(conn);
    told(call, 200, body, 0, balance)
}

fn told<T: Serialize>(
    call: &Call,
    status: u16,
    body: T,
    debited: i64,
    balance: i64,
) -> ApiAnswer<Charged<T>> {
    let body = Charged {
        body,
        consumiu_credito: debited > 0,
        creditos: CallCredits::new(0, debited, balance),
    };
    Ok(call.answer(status, body)?.charged(debited, balance))
}

/// Refuses before the work when the balance cannot pay it, or the key may not.
///
/// # Errors
/// 402 when the balance is short or the key has spent its share.
pub async fn affordable(call: &Call) -> Result<(), Failure> {
    affordable_at(call, call.price()?).await
}

/// As [`affordable`], where the operation says which of its prices holds.
///
/// # Errors
/// As [`affordable`].
pub async fn affordable_at(call: &Call, price: i64) -> Result<(), Failure> {
    if call.caller.is_test() {
        return Ok(());
    }
    let mut conn = call.app.db.read().await?;
    let caller = &call.caller;
    let now_ms = call.app.now_ms();
    let refused =
        ledger::refusal(&mut conn, &caller.account_id, &caller.payer, price, now_ms).await?;
    if let Some(refused) = refused {
        credit::held(refused, price)?;
    }
    Ok(())
}

/// Takes the price and tells the balance after it.
async fn take(call: &Call, price: i64) -> Result<i64, Failure> {
    let input = (
        call.caller.clone(),
        call.operation.operation.clone(),
        price,
        call.app.now_ms(),
    );
    let charged = call
        .app
        .db
        .write(input, |(caller, operation, price, now_ms), conn| {
            Box::pin(async move {
                let movement = Movement {
                    account_id: &caller.account_id,
                    subject_id: "",
                    operation,
                    request_id: &caller.request_id,
                    payer: &caller.payer,
                    now_ms: *now_ms,
                };
                if *price > 0 {
                    let charged = ledger::charge(conn, &movement, *price).await?;
                    credit::held(charged, *price)
                        .map_err(|refusal| TxError::<Refusal>::Abort(*refusal))?;
                }
                Ok(ledger::balances(conn, &caller.account_id).await?.available)
            })
        });
    Ok(charged.await?)
}
