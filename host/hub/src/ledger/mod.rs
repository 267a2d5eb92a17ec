//! Credits. The only code that changes a balance.
//!
//! A transfer is never changed. A reserve is a `hold`; it ends once, in a
//! `post` (debited) or a `void` (returned). 1 credit = R$ 0.01.

use crate::db::ledger::{self as table, Balances, Transfer};
use crate::db::{Conn, DbResult};
use crate::ids;

/// What a movement belongs to.
#[derive(Clone, Debug)]
pub struct Movement<'a> {
    pub account_id: &'a str,
    /// Note or event.
    pub subject_id: &'a str,
    /// Operation id, for the usage report.
    pub operation: &'a str,
    pub request_id: &'a str,
    pub now_ms: i64,
}

/// Result of a reserve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reserve {
    /// Id of the hold; empty when the price is zero.
    Held(String),
    Insufficient {
        saldo: i64,
    },
}

/// Opens the balances of a new account.
pub async fn open(conn: &mut Conn, account_id: &str) -> DbResult<()> {
    table::open(conn, account_id, "available").await?;
    table::open(conn, account_id, "held").await
}

/// Credits given for testing; the same `reference` is given once.
pub async fn gift(
    conn: &mut Conn,
    movement: &Movement<'_>,
    amount: i64,
    reference: &str,
) -> DbResult<()> {
    let balance = table::add(conn, movement.account_id, "available", amount).await?;
    let transfer = transfer(
        movement,
        "gift",
        ("gifts", "available"),
        amount,
        reference,
        balance,
    );
    if table::insert(conn, &transfer).await? {
        Ok(())
    } else {
        table::take(conn, movement.account_id, "available", amount)
            .await?
            .map(|_| ())
            .ok_or(sqlx::Error::RowNotFound)
    }
}

/// Puts `amount` aside for a document about to be sent.
pub async fn reserve(conn: &mut Conn, movement: &Movement<'_>, amount: i64) -> DbResult<Reserve> {
    if amount == 0 {
        return Ok(Reserve::Held(String::new()));
    }
    let Some(balance) = table::take(conn, movement.account_id, "available", amount).await? else {
        let saldo = table::balance(conn, movement.account_id, "available").await?;
        return Ok(Reserve::Insufficient { saldo });
    };
    table::add(conn, movement.account_id, "held", amount).await?;
    let transfer = transfer(
        movement,
        "hold",
        ("available", "held"),
        amount,
        movement.subject_id,
        balance,
    );
    if !table::insert(conn, &transfer).await? {
        // A second hold for one subject would be a second charge: undo all.
        return Err(sqlx::Error::RowNotFound);
    }
    Ok(Reserve::Held(transfer.id))
}

/// How a hold ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    Debit,
    Return,
}

/// Ends a hold, once: a second call changes nothing and says so.
///
/// Returns whether this call ended it.
pub async fn resolve(
    conn: &mut Conn,
    movement: &Movement<'_>,
    hold_id: &str,
    resolution: Resolution,
) -> DbResult<bool> {
    if hold_id.is_empty() {
        return Ok(false);
    }
    let hold = table::get(conn, hold_id)
        .await?
        .ok_or(sqlx::Error::RowNotFound)?;
    let (kind, credit) = match resolution {
        Resolution::Debit => ("post", "revenue"),
        Resolution::Return => ("void", "available"),
    };
    // The available balance first, as a reserve does: two transactions that
    // lock both in different orders would wait for each other.
    let returned = if resolution == Resolution::Return {
        hold.amount
    } else {
        0
    };
    let available = table::add(conn, movement.account_id, "available", returned).await?;
    let mut transfer = transfer(
        movement,
        kind,
        ("held", credit),
        hold.amount,
        hold_id,
        available,
    );
    transfer.pending_id = Some(hold_id.to_owned());
    transfer.operation = hold.operation;
    if !table::insert(conn, &transfer).await? {
        table::take(conn, movement.account_id, "available", returned)
            .await?
            .ok_or(sqlx::Error::RowNotFound)?;
        return Ok(false);
    }
    table::take(conn, movement.account_id, "held", hold.amount)
        .await?
        .ok_or(sqlx::Error::RowNotFound)?;
    Ok(true)
}

/// Charges an operation whose result is already there.
pub async fn charge(conn: &mut Conn, movement: &Movement<'_>, amount: i64) -> DbResult<Reserve> {
    let Some(balance) = table::take(conn, movement.account_id, "available", amount).await? else {
        let saldo = table::balance(conn, movement.account_id, "available").await?;
        return Ok(Reserve::Insufficient { saldo });
    };
    let transfer = transfer(
        movement,
        "direct",
        ("available", "revenue"),
        amount,
        movement.request_id,
        balance,
    );
    if !table::insert(conn, &transfer).await? {
        return Err(sqlx::Error::RowNotFound);
    }
    Ok(Reserve::Held(transfer.id))
}

/// What the account can spend, and what is put aside.
pub async fn balances(conn: &mut Conn, account_id: &str) -> DbResult<Balances> {
    table::balances(conn, account_id).await
}

fn transfer(
    movement: &Movement<'_>,
    kind: &str,
    accounts: (&str, &str),
    amount: i64,
    reference: &str,
    balance_after: i64,
) -> Transfer {
    Transfer {
        id: ids::new("lan", movement.now_ms),
        account_id: movement.account_id.to_owned(),
        kind: kind.to_owned(),
        debit: accounts.0.to_owned(),
        credit: accounts.1.to_owned(),
        amount,
        pending_id: None,
        r#ref: reference.to_owned(),
        subject_id: movement.subject_id.to_owned(),
        operation: movement.operation.to_owned(),
        request_id: movement.request_id.to_owned(),
        balance_after,
        created_at_ms: movement.now_ms,
    }
}
