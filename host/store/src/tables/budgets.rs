//! Table `budgets`: what the keys of a spending limit have spent. Only
//! `accounts::ledger` changes a row.

use crate::ids::{AccountId, BudgetId};
use crate::{Conn, DbResult, execute, fetch_optional, row};

row! {
    /// What was spent, holds included, in the periods that begin at these
    /// moments.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Spent {
        pub dia_ms: i64,
        pub gasto_dia: i64,
        pub mes_ms: i64,
        pub gasto_mes: i64,
    }
}

row! {
    /// The same with the account's available balance.
    #[derive(Clone, Copy, Debug)]
    pub struct BalanceAndSpent {
        pub saldo: i64,
        pub dia_ms: i64,
        pub gasto_dia: i64,
        pub mes_ms: i64,
        pub gasto_mes: i64,
    }
}

const INSERT: &str = "INSERT INTO budgets (id, account_id) VALUES ($1, $2)";
// A period only goes forward: a call that began before midnight and comes
// after another of the new day counts in the new day.
const SPEND: &str = "UPDATE budgets SET \
     gasto_dia = CASE WHEN dia_ms >= CAST($4 AS BIGINT) THEN gasto_dia ELSE 0 END + CAST($3 AS BIGINT), \
     dia_ms = CASE WHEN dia_ms >= CAST($4 AS BIGINT) THEN dia_ms ELSE CAST($4 AS BIGINT) END, \
     gasto_mes = CASE WHEN mes_ms >= CAST($5 AS BIGINT) THEN gasto_mes ELSE 0 END + CAST($3 AS BIGINT), \
     mes_ms = CASE WHEN mes_ms >= CAST($5 AS BIGINT) THEN mes_ms ELSE CAST($5 AS BIGINT) END \
     WHERE account_id = $1 AND id = $2 \
     AND CASE WHEN dia_ms >= CAST($4 AS BIGINT) THEN gasto_dia ELSE 0 END + CAST($3 AS BIGINT) <= CAST($6 AS BIGINT) \
     AND CASE WHEN mes_ms >= CAST($5 AS BIGINT) THEN gasto_mes ELSE 0 END + CAST($3 AS BIGINT) <= CAST($7 AS BIGINT)";
const GIVE_BACK: &str = "UPDATE budgets SET \
     gasto_dia = gasto_dia - CASE WHEN dia_ms = CAST($4 AS BIGINT) THEN CAST($3 AS BIGINT) ELSE 0 END, \
     gasto_mes = gasto_mes - CASE WHEN mes_ms = CAST($5 AS BIGINT) THEN CAST($3 AS BIGINT) ELSE 0 END \
     WHERE account_id = $1 AND id = $2";
const GET: &str =
    "SELECT dia_ms, gasto_dia, mes_ms, gasto_mes FROM budgets WHERE account_id = $1 AND id = $2";
const WITH_BALANCE: &str = "SELECT l.balance AS saldo, b.dia_ms, b.gasto_dia, b.mes_ms, b.gasto_mes FROM ledger_accounts l \
     JOIN budgets b ON b.account_id = l.account_id AND b.id = $2 WHERE l.account_id = $1 AND l.kind = 'available'";

/// Days and months by their first moment, limits as the most that may be spent.
#[derive(Clone, Copy, Debug)]
pub struct Within {
    pub day_ms: i64,
    pub month_ms: i64,
    pub daily: i64,
    pub monthly: i64,
}

pub async fn insert(conn: &mut Conn, account: &AccountId, id: &BudgetId) -> DbResult<()> {
    execute!(conn, INSERT, id, account)?;
    Ok(())
}

/// Counts an amount if it stays within both limits; false when it does not.
pub async fn spend(
    conn: &mut Conn,
    account: &AccountId,
    id: &BudgetId,
    amount: i64,
    within: Within,
) -> DbResult<bool> {
    let rows = execute!(
        conn,
        SPEND,
        account,
        id,
        amount,
        within.day_ms,
        within.month_ms,
        within.daily,
        within.monthly
    )?;
    Ok(rows == 1)
}

/// Takes back what was counted in the day and month that began then, where
/// they are not over.
pub async fn give_back(
    conn: &mut Conn,
    account: &AccountId,
    id: &BudgetId,
    amount: i64,
    day_ms: i64,
    month_ms: i64,
) -> DbResult<bool> {
    Ok(execute!(conn, GIVE_BACK, account, id, amount, day_ms, month_ms)? == 1)
}

pub async fn get(conn: &mut Conn, account: &AccountId, id: &BudgetId) -> DbResult<Option<Spent>> {
    fetch_optional!(conn, Spent, GET, account, id)
}

/// The available balance of the account and what the budget has spent, in one
/// statement.
pub async fn with_balance(
    conn: &mut Conn,
    account: &AccountId,
    id: &BudgetId,
) -> DbResult<Option<BalanceAndSpent>> {
    fetch_optional!(conn, BalanceAndSpent, WITH_BALANCE, account, id)
}
