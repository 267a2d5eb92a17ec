//! Answers of operations that are charged when they answer: the price is taken
//! after the result is there, and not at all with a test key.

use crate::answer::ApiAnswer;
use crate::call::Call;
use crate::person::ChargedOnce;
use accounts::ledger::{self, Movement};
use base::errors::{Failure, Refusal};
use issuing::answer::CallCredits;
use issuing::issue::credit;
use schemars::JsonSchema;
use serde::Serialize;
use store::TxError;
use store::tables::idempotency::{self, Asker, Scope, Taken};

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
    let (debited, balance) = take(call, price).await?;
    told(call, status, body, debited, balance)
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
    let caller = &call.caller;
    let now_ms = call.app.now_ms();
    let kept_from_ms = now_ms - call.app.config.issuing.idempotency_window_ms();
    let mut conn = call.app.db.read().await?;
    if let Some(once) = once(call)
        && let Some(before) = idempotency::get(&mut conn, &once).await?
        && before.created_at_ms >= kept_from_ms
    {
        // It was charged within the window: the answer costs nothing now. A charge older than
        // that is forgotten, and `take` takes the price again.
        return Ok(());
    }
    let refused =
        ledger::refusal(&mut conn, &caller.account_id, &caller.payer, price, now_ms).await?;
    if let Some(refused) = refused {
        credit::held(refused, price)?;
    }
    Ok(())
}

/// The place of a call that is charged once.
fn once(call: &Call) -> Option<Scope> {
    let ChargedOnce(key) = call.once.clone()?;
    Some(Scope {
        account_id: call.caller.account_id.clone(),
        kind: Asker::Panel,
        route: format!("{} {}", call.operation.method, call.operation.path),
        key,
    })
}

/// Takes the price, unless the call was charged before; tells what was taken and the balance
/// after it.
async fn take(call: &Call, price: i64) -> Result<(i64, i64), Failure> {
    let window_ms = call.app.config.issuing.idempotency_window_ms();
    let input = (
        call.caller.clone(),
        call.operation.operation.clone(),
        once(call).filter(|_| price > 0),
        price,
        (call.app.now_ms(), window_ms),
    );
    let written = call.app.db.write(
        input,
        |(caller, operation, once, price, (now_ms, window_ms)), conn| {
            Box::pin(async move {
                // Key and charge are written together: of two calls at once one is charged.
                let before = match once {
                    None => false,
                    Some(once) => {
                        let id = &caller.request_id;
                        let taken =
                            idempotency::take(conn, once, "", id, *now_ms, *window_ms).await?;
                        matches!(taken, Taken::Theirs(_))
                    }
                };
                let debited = if before { 0 } else { *price };
                let movement = Movement {
                    account_id: &caller.account_id,
                    subject_id: "",
                    operation,
                    request_id: &caller.request_id,
                    payer: &caller.payer,
                    now_ms: *now_ms,
                };
                if debited > 0 {
                    let held = ledger::charge(conn, &movement, debited).await?;
                    credit::held(held, debited)
                        .map_err(|refusal| TxError::<Refusal>::Abort(*refusal))?;
                }
                let balance = ledger::balances(conn, &caller.account_id).await?.available;
                Ok((debited, balance))
            })
        },
    );
    Ok(written.await?)
}
