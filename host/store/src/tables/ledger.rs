//! Tables `ledger_accounts` and `transfers`. Only `accounts::ledger` calls this.

use super::usage::{self, Moved};
use crate::ids::{AccountId, BudgetId, KeyId, NotaId, RequestId, TransferId};
use crate::words::{Maybe, words};
use crate::{Conn, DbResult, Present as _, execute, fetch_all, fetch_optional, fetch_value, row};

words! {
    /// What a transfer is.
    pub enum TransferKind {
        /// Credits given for testing.
        Gift = "gift",
        /// Credits bought.
        Purchase = "purchase",
        /// Put aside for a document about to be sent.
        Hold = "hold",
        /// The end of a hold: debited.
        Post = "post",
        /// The end of a hold: returned.
        Void = "void",
        /// Debited without a hold.
        Direct = "direct",
        /// Bought credits taken out for a refund.
        Refund = "refund",
        /// Credits of a refund that came to nothing.
        Adjust = "adjust",
    }
}

words! {
    /// The accounts between which a transfer moves credits.
    pub enum LedgerAccount {
        /// What the customer can spend.
        Available = "available",
        /// What is put aside for open documents.
        Held = "held",
        /// This and the next ones are the platform's side. They have no row
        /// with a balance: it is the sum of their transfers.
        Gifts = "gifts",
        Purchases = "purchases",
        Refunds = "refunds",
        Revenue = "revenue",
    }
}

/// A balance that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Balance {
    Available,
    Held,
}

impl Balance {
    /// Its account.
    const fn account(self) -> LedgerAccount {
        match self {
            Balance::Available => LedgerAccount::Available,
            Balance::Held => LedgerAccount::Held,
        }
    }
}

row! {
    #[derive(Clone, Debug)]
    pub struct Transfer {
        pub id: TransferId,
        pub account_id: AccountId,
        pub kind: TransferKind,
        pub debit: LedgerAccount,
        pub credit: LedgerAccount,
        pub amount: i64,
        pub pending_id: Option<TransferId>,
        /// What is never done twice: there is one transfer of a kind for it.
        pub r#ref: String,
        pub subject_id: String,
        pub operation: String,
        pub request_id: RequestId,
        /// The key that spent; empty for what no key did.
        pub key_id: Maybe<KeyId>,
        /// The budget it spent from; empty when nothing limits the key.
        pub budget_id: Maybe<BudgetId>,
        /// Available balance right after.
        pub balance_after: i64,
        pub created_at_ms: i64,
    }
}

impl Transfer {
    /// The `ref` of a transfer whose row has none: an end is that of its hold, a hold that of
    /// its subject. Rows of before migration 0037 have it written out.
    fn usual_ref(&self) -> &str {
        match (&self.pending_id, self.kind) {
            (Some(hold), _) => hold.as_str(),
            (None, TransferKind::Hold) => &self.subject_id,
            (None, _) => "",
        }
    }

    /// What is written of what an end has from its hold: nothing.
    fn own<'t>(&self, text: &'t str) -> &'t str {
        if self.pending_id.is_some() { "" } else { text }
    }

    fn stored_ref(&self) -> &str {
        if self.r#ref == self.usual_ref() {
            ""
        } else {
            &self.r#ref
        }
    }

    /// As it was before it was written.
    fn read(mut self) -> Transfer {
        if self.r#ref.is_empty() {
            self.r#ref = self.usual_ref().to_owned();
        }
        self
    }
}

row! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Balances {
        pub available: i64,
        pub held: i64,
    }
}

row! {
    /// A balance after something was spent.
    #[derive(Clone, Debug)]
    pub struct Spent {
        pub balance: i64,
        /// Thresholds of the alert, joined by commas.
        pub limiares: String,
    }
}

const OPEN: &str = "INSERT INTO ledger_accounts (account_id, kind, balance) VALUES ($1, $2, 0)";
const ADD: &str = "UPDATE ledger_accounts SET balance = balance + $3 WHERE account_id = $1 AND kind = $2 RETURNING balance";
const TAKE: &str = "UPDATE ledger_accounts SET balance = balance - $3 WHERE account_id = $1 AND kind = $2 AND balance >= $3 RETURNING balance";
const SPEND: &str = "UPDATE ledger_accounts SET balance = balance - $2 WHERE account_id = $1 AND kind = 'available' AND balance >= $2 RETURNING balance, limiares";
const SET_THRESHOLDS: &str =
    "UPDATE ledger_accounts SET limiares = $2 WHERE account_id = $1 AND kind = 'available'";
const BALANCE: &str = "SELECT balance FROM ledger_accounts WHERE account_id = $1 AND kind = $2";
// A row that is only kept is not written anew: of one that changes hundreds of times a second each new version makes the next one slower.
const KEEP_POSTGRES: &str =
    "SELECT balance FROM ledger_accounts WHERE account_id = $1 AND kind = $2 FOR NO KEY UPDATE";
const BALANCES: &str = "SELECT CAST(COALESCE(SUM(CASE WHEN kind = 'available' THEN balance ELSE 0 END), 0) AS BIGINT) AS available, \
     CAST(COALESCE(SUM(CASE WHEN kind = 'held' THEN balance ELSE 0 END), 0) AS BIGINT) AS held \
     FROM ledger_accounts WHERE account_id = $1";
const INSERT: &str = "INSERT INTO transfers (id, account_id, kind, debit, credit, amount, pending_id, ref, subject_id, operation, request_id, key_id, budget_id, balance_after, created_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT DO NOTHING";
// What an end has from its hold is in the row of the hold, here and below.
const GET: &str = "SELECT t.id, t.account_id, t.kind, t.debit, t.credit, t.amount, t.pending_id, t.ref, COALESCE(o.subject_id, t.subject_id) AS subject_id, COALESCE(o.operation, t.operation) AS operation, \
     COALESCE(o.request_id, t.request_id) AS request_id, COALESCE(o.key_id, t.key_id) AS key_id, COALESCE(o.budget_id, t.budget_id) AS budget_id, t.balance_after, t.created_at_ms \
     FROM transfers t LEFT JOIN transfers o ON o.id = t.pending_id WHERE t.id = $1";
// Holds are found by their subject, and ends by their hold. `account_id || ''` keeps SQLite
// from walking all of the account's transfers in the order of their ids.
const OF_SUBJECT: &str = "SELECT t.id, t.account_id, t.kind, t.debit, t.credit, t.amount, t.pending_id, t.ref, COALESCE(o.subject_id, t.subject_id) AS subject_id, COALESCE(o.operation, t.operation) AS operation, \
     COALESCE(o.request_id, t.request_id) AS request_id, COALESCE(o.key_id, t.key_id) AS key_id, COALESCE(o.budget_id, t.budget_id) AS budget_id, t.balance_after, t.created_at_ms \
     FROM transfers t LEFT JOIN transfers o ON o.id = t.pending_id WHERE t.account_id || '' = $1 AND t.id IN (SELECT h.id FROM transfers h WHERE h.kind = 'hold' AND h.subject_id = $2 \
     UNION ALL SELECT r.id FROM transfers p CROSS JOIN transfers r WHERE p.kind = 'hold' AND p.subject_id = $2 AND r.pending_id = p.id) ORDER BY t.id LIMIT 50";
const OF_NOTA: &str = "SELECT t.id, t.account_id, t.kind, t.debit, t.credit, t.amount, t.pending_id, t.ref, COALESCE(o.subject_id, t.subject_id) AS subject_id, COALESCE(o.operation, t.operation) AS operation, \
     COALESCE(o.request_id, t.request_id) AS request_id, COALESCE(o.key_id, t.key_id) AS key_id, COALESCE(o.budget_id, t.budget_id) AS budget_id, t.balance_after, t.created_at_ms \
     FROM transfers t LEFT JOIN transfers o ON o.id = t.pending_id WHERE t.account_id || '' = $1 AND t.id IN (SELECT h.id FROM transfers h WHERE h.kind = 'hold' \
     AND h.subject_id IN (SELECT CAST($2 AS TEXT) UNION ALL SELECT e.id FROM eventos e WHERE e.nota_id = $2) \
     UNION ALL SELECT r.id FROM transfers p CROSS JOIN transfers r WHERE p.kind = 'hold' \
     AND p.subject_id IN (SELECT CAST($2 AS TEXT) UNION ALL SELECT e.id FROM eventos e WHERE e.nota_id = $2) AND r.pending_id = p.id) \
     ORDER BY t.id DESC LIMIT CAST($3 AS BIGINT)";
// `pending_id IS NULL AND kind <> 'hold'`, here and below, is of the condition of the index of
// references: without it all transfers of the account are read.
const DIRECT_OF: &str = "SELECT id, account_id, kind, debit, credit, amount, pending_id, ref, subject_id, operation, request_id, key_id, budget_id, balance_after, created_at_ms \
     FROM transfers WHERE account_id = $1 AND kind = 'direct' AND ref = $2 AND pending_id IS NULL AND kind <> 'hold'";
const GIFT: &str = "SELECT amount FROM transfers WHERE account_id = $1 AND kind = 'gift' AND ref = $2 AND pending_id IS NULL AND kind <> 'hold'";
const STATEMENT: &str = "SELECT t.id, t.account_id, t.kind, t.debit, t.credit, t.amount, t.pending_id, t.ref, COALESCE(o.subject_id, t.subject_id) AS subject_id, COALESCE(o.operation, t.operation) AS operation, \
     COALESCE(o.request_id, t.request_id) AS request_id, COALESCE(o.key_id, t.key_id) AS key_id, COALESCE(o.budget_id, t.budget_id) AS budget_id, t.balance_after, t.created_at_ms \
     FROM transfers t LEFT JOIN transfers o ON o.id = t.pending_id WHERE t.account_id = $1 AND t.id < CASE WHEN $2 = '' THEN 'zzzz' ELSE $2 END ORDER BY t.id DESC LIMIT CAST($3 AS BIGINT)";
// Few rows, found by their kind: what was spent need not be added up.
const BOUGHT: &str = "SELECT CAST(COALESCE(SUM(CASE WHEN debit = 'available' THEN -amount ELSE amount END), 0) AS BIGINT) \
     FROM transfers WHERE account_id = $1 AND kind IN ('purchase', 'refund', 'adjust') AND pending_id IS NULL AND kind <> 'hold'";

pub async fn open(conn: &mut Conn, account: &AccountId, kind: Balance) -> DbResult<()> {
    execute!(conn, OPEN, account, kind.account())?;
    Ok(())
}

/// Adds to a balance and returns it.
pub async fn add(
    conn: &mut Conn,
    account: &AccountId,
    kind: Balance,
    amount: i64,
) -> DbResult<i64> {
    fetch_value!(conn, i64, ADD, account, kind.account(), amount)?
        .present("balance of an account", account)
}

/// A balance, kept from every other transaction until this one ends.
pub async fn keep(conn: &mut Conn, account: &AccountId, kind: Balance) -> DbResult<i64> {
    match conn {
        // A transaction that writes has the whole file for itself.
        Conn::Sqlite(_) => fetch_value!(conn, i64, BALANCE, account, kind.account())?,
        Conn::Postgres(_) => fetch_value!(conn, i64, KEEP_POSTGRES, account, kind.account())?,
    }
    .present("balance of an account", account)
}

/// Takes from a balance if it suffices; None when it does not.
pub async fn take(
    conn: &mut Conn,
    account: &AccountId,
    kind: Balance,
    amount: i64,
) -> DbResult<Option<i64>> {
    fetch_value!(conn, i64, TAKE, account, kind.account(), amount)
}

/// Takes from what can be spent if it suffices; None when it does not.
pub async fn spend(conn: &mut Conn, account: &AccountId, amount: i64) -> DbResult<Option<Spent>> {
    fetch_optional!(conn, Spent, SPEND, account, amount)
}

pub async fn set_thresholds(
    conn: &mut Conn,
    account: &AccountId,
    thresholds: &str,
) -> DbResult<()> {
    execute!(conn, SET_THRESHOLDS, account, thresholds)?;
    Ok(())
}

pub async fn balance(conn: &mut Conn, account: &AccountId, kind: Balance) -> DbResult<i64> {
    Ok(fetch_value!(conn, i64, BALANCE, account, kind.account())?.unwrap_or(0))
}

pub async fn balances(conn: &mut Conn, account: &AccountId) -> DbResult<Balances> {
    let row = fetch_optional!(conn, Balances, BALANCES, account)?;
    Ok(row.unwrap_or(Balances {
        available: 0,
        held: 0,
    }))
}

/// Writes a transfer and counts it in the account's usage; false when one with the same `ref` or the same
/// `pending_id` already exists.
pub async fn insert(conn: &mut Conn, transfer: &Transfer) -> DbResult<bool> {
    let rows = execute!(
        conn,
        INSERT,
        &transfer.id,
        &transfer.account_id,
        transfer.kind,
        transfer.debit,
        transfer.credit,
        transfer.amount,
        transfer.pending_id.as_deref(),
        transfer.stored_ref(),
        transfer.own(&transfer.subject_id),
        transfer.own(&transfer.operation),
        transfer.own(&transfer.request_id),
        transfer.own(transfer.key_id.as_str()),
        transfer.own(transfer.budget_id.as_str()),
        transfer.balance_after,
        transfer.created_at_ms
    )?;
    if rows == 0 {
        return Ok(false);
    }
    used(conn, transfer).await?;
    Ok(true)
}

/// Counts a transfer in the account's usage: holds, and what is bought or given, are none.
async fn used(conn: &mut Conn, transfer: &Transfer) -> DbResult<()> {
    let (debited, returned, refunded) = match transfer.kind {
        TransferKind::Post | TransferKind::Direct => (transfer.amount, 0, 0),
        TransferKind::Void => (0, transfer.amount, 0),
        TransferKind::Refund => (0, 0, transfer.amount),
        TransferKind::Gift | TransferKind::Purchase | TransferKind::Hold | TransferKind::Adjust => {
            return Ok(());
        }
    };
    let moved = Moved {
        account_id: &transfer.account_id,
        operation: &transfer.operation,
        key_id: &transfer.key_id,
        subject_id: &transfer.subject_id,
        at_ms: transfer.created_at_ms,
        debited,
        returned,
        refunded,
    };
    usage::add(conn, &moved).await
}

pub async fn get(conn: &mut Conn, id: &TransferId) -> DbResult<Option<Transfer>> {
    let found = fetch_optional!(conn, Transfer, GET, id)?;
    Ok(found.map(Transfer::read))
}

/// The holds of a note or event and their ends, the oldest first: 50 at most.
pub async fn of_subject(
    conn: &mut Conn,
    account: &AccountId,
    subject: &str,
) -> DbResult<Vec<Transfer>> {
    let found = fetch_all!(conn, Transfer, OF_SUBJECT, account, subject)?;
    Ok(found.into_iter().map(Transfer::read).collect())
}

/// The newest movements of a note and of what was done to it, newest first.
pub async fn of_nota(
    conn: &mut Conn,
    account: &AccountId,
    nota: &NotaId,
    limit: i64,
) -> DbResult<Vec<Transfer>> {
    let found = fetch_all!(conn, Transfer, OF_NOTA, account, nota, limit)?;
    Ok(found.into_iter().map(Transfer::read).collect())
}

/// The charge of a call that had no document.
pub async fn direct_of(
    conn: &mut Conn,
    account: &AccountId,
    request_id: &RequestId,
) -> DbResult<Option<Transfer>> {
    fetch_optional!(conn, Transfer, DIRECT_OF, account, request_id)
}

/// The credits given with a reference; None: none were.
pub async fn gift(conn: &mut Conn, account: &AccountId, reference: &str) -> DbResult<Option<i64>> {
    fetch_value!(conn, i64, GIFT, account, reference)
}

pub async fn statement(
    conn: &mut Conn,
    account: &AccountId,
    before: &str,
    limit: i64,
) -> DbResult<Vec<Transfer>> {
    let found = fetch_all!(conn, Transfer, STATEMENT, account, before, limit)?;
    Ok(found.into_iter().map(Transfer::read).collect())
}

/// Credits ever bought, less those given back.
pub async fn bought(conn: &mut Conn, account: &AccountId) -> DbResult<i64> {
    Ok(fetch_value!(conn, i64, BOUGHT, account)?.unwrap_or(0))
}
