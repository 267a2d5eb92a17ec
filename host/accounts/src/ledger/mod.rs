//! Credits. The only code that changes a balance.
//!
//! A transfer is never changed. A reserve is a `hold`; it ends once, in a
//! `post` (debited) or a `void` (returned). 1 credit = R$ 0.01.

mod alerta;
mod budget;
mod order;

pub use budget::{Budget, Exceeded, NOBODY, Payer, Periods, spent_at};

pub use alerta::{MAX_THRESHOLDS, set_thresholds, thresholds};
use store::ids::{AccountId, RequestId, TransferId};
use store::tables::budgets::{self, Spent};
use store::tables::ledger as table;
use store::tables::ledger::{Balance, Balances, LedgerAccount, Transfer, TransferKind};
use store::words::Maybe;
use store::{Conn, DbResult, Present as _, contradiction};

/// What a movement belongs to.
#[derive(Clone, Debug)]
pub struct Movement<'a> {
    pub account_id: &'a AccountId,
    /// Note or event.
    pub subject_id: &'a str,
    /// Operation id, for the usage report.
    pub operation: &'a str,
    pub request_id: &'a RequestId,
    /// Who spends.
    pub payer: &'a Payer,
    pub now_ms: i64,
}

/// Result of a reserve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reserve {
    /// Id of the hold; empty when the price is zero.
    Held(Maybe<TransferId>),
    Insufficient {
        balance: i64,
    },
    /// The account could pay, the key may not.
    LimitReached(Exceeded),
}

/// Opens the balances of a new account.
pub async fn open(conn: &mut Conn, account_id: &AccountId) -> DbResult<()> {
    table::open(conn, account_id, Balance::Available).await?;
    table::open(conn, account_id, Balance::Held).await
}

/// Credits given for testing, or by an operator; the same `reference` is given once.
/// Returns whether this call did it.
pub async fn gift(
    conn: &mut Conn,
    movement: &Movement<'_>,
    amount: i64,
    reference: &str,
) -> DbResult<bool> {
    let accounts = (LedgerAccount::Gifts, LedgerAccount::Available);
    credit(
        conn,
        movement,
        TransferKind::Gift,
        accounts,
        amount,
        reference,
    )
    .await
}

/// Puts `amount` aside for a document about to be sent.
pub async fn reserve(conn: &mut Conn, movement: &Movement<'_>, amount: i64) -> DbResult<Reserve> {
    reserve_as(conn, movement, amount, movement.subject_id).await
}

/// As [`reserve`], for a document that may have a hold for each of several
/// attempts: there is at most one hold for a `reference`.
pub async fn reserve_as(
    conn: &mut Conn,
    movement: &Movement<'_>,
    amount: i64,
    reference: &str,
) -> DbResult<Reserve> {
    if amount == 0 {
        return Ok(Reserve::Held(Maybe(None)));
    }
    let Some(balance) = spend(conn, movement, amount).await? else {
        let funds = table::balance(conn, movement.account_id, Balance::Available).await?;
        return Ok(Reserve::Insufficient { balance: funds });
    };
    if let Some(exceeded) = budget::spend(conn, movement, amount).await? {
        table::add(conn, movement.account_id, Balance::Available, amount).await?;
        return Ok(Reserve::LimitReached(exceeded));
    }
    table::add(conn, movement.account_id, Balance::Held, amount).await?;
    let transfer = transfer(
        movement,
        TransferKind::Hold,
        (LedgerAccount::Available, LedgerAccount::Held),
        amount,
        reference,
        balance,
    );
    if !table::insert(conn, &transfer).await? {
        // It would be a second charge: undo all.
        return Err(contradiction("second hold of a subject", reference));
    }
    Ok(Reserve::Held(transfer.id.into()))
}

/// How a hold ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    Debit,
    Return,
}

/// A hold that has ended.
struct Ended {
    /// By this call.
    now: bool,
    /// What the account can spend after it.
    available: i64,
}

/// Ends a hold, once: a second call changes nothing. Account, key and document
/// are those of the hold. An empty id means that there is no hold.
///
/// Returns whether this call ended it.
pub async fn resolve(
    conn: &mut Conn,
    hold_id: &Maybe<TransferId>,
    resolution: Resolution,
    now_ms: i64,
) -> DbResult<bool> {
    let ended = end(conn, hold_id, resolution, now_ms).await?;
    Ok(ended.is_some_and(|ended| ended.now))
}

/// Debits a hold, once, as [`resolve`] does, and tells what its account can spend then;
/// where there is no hold, nothing is told.
pub async fn debit(
    conn: &mut Conn,
    hold_id: &Maybe<TransferId>,
    now_ms: i64,
) -> DbResult<Option<i64>> {
    let ended = end(conn, hold_id, Resolution::Debit, now_ms).await?;
    Ok(ended.map(|ended| ended.available))
}

async fn end(
    conn: &mut Conn,
    hold_id: &Maybe<TransferId>,
    resolution: Resolution,
    now_ms: i64,
) -> DbResult<Option<Ended>> {
    let Some(hold_id) = hold_id.as_ref() else {
        return Ok(None);
    };
    let hold = table::get(conn, hold_id).await?.present("hold", hold_id)?;
    let account = &hold.account_id;
    let (kind, credit, returned) = match resolution {
        Resolution::Debit => (TransferKind::Post, LedgerAccount::Revenue, 0),
        Resolution::Return => (TransferKind::Void, LedgerAccount::Available, hold.amount),
    };
    // The available balance first, as a reserve does: two transactions that
    // lock both in different orders would wait for each other.
    let available = match returned {
        0 => table::keep(conn, account, Balance::Available).await?,
        returned => table::add(conn, account, Balance::Available, returned).await?,
    };
    let (id, created_at_ms) = order::next(account, now_ms);
    let end = Transfer {
        id,
        kind,
        debit: LedgerAccount::Held,
        credit,
        pending_id: Some(hold_id.to_owned()),
        r#ref: hold_id.to_string(),
        balance_after: available,
        created_at_ms,
        ..hold.clone()
    };
    if !table::insert(conn, &end).await? {
        let taken = table::take(conn, account, Balance::Available, returned).await?;
        let available = taken.present("balance of an account", account)?;
        return Ok(Some(Ended {
            now: false,
            available,
        }));
    }
    let taken = table::take(conn, account, Balance::Held, hold.amount).await?;
    taken.present("held balance of an account", account)?;
    if resolution == Resolution::Return
        && let Some(id) = hold.budget_id.as_ref()
    {
        budget::give_back(conn, account, id, hold.amount, hold.created_at_ms).await?;
    }
    Ok(Some(Ended {
        now: true,
        available,
    }))
}

/// Charges an operation whose result is already there.
pub async fn charge(conn: &mut Conn, movement: &Movement<'_>, amount: i64) -> DbResult<Reserve> {
    let Some(balance) = spend(conn, movement, amount).await? else {
        let funds = table::balance(conn, movement.account_id, Balance::Available).await?;
        return Ok(Reserve::Insufficient { balance: funds });
    };
    if let Some(exceeded) = budget::spend(conn, movement, amount).await? {
        table::add(conn, movement.account_id, Balance::Available, amount).await?;
        return Ok(Reserve::LimitReached(exceeded));
    }
    let transfer = transfer(
        movement,
        TransferKind::Direct,
        (LedgerAccount::Available, LedgerAccount::Revenue),
        amount,
        movement.request_id,
        balance,
    );
    if !table::insert(conn, &transfer).await? {
        return Err(contradiction(
            "second charge of a call",
            movement.request_id,
        ));
    }
    Ok(Reserve::Held(transfer.id.into()))
}

/// Why a call of this price would be refused now: the balance or the limit of
/// the key does not suffice. None: it would not be. Takes nothing.
pub async fn refusal(
    conn: &mut Conn,
    account_id: &AccountId,
    payer: &Payer,
    amount: i64,
    now_ms: i64,
) -> DbResult<Option<Reserve>> {
    let Some(budget) = &payer.budget else {
        let balance = available(conn, account_id).await?;
        return Ok((balance < amount).then_some(Reserve::Insufficient { balance }));
    };
    let found = budgets::with_balance(conn, account_id, &budget.id)
        .await?
        .present("budget", &budget.id)?;
    if found.saldo < amount {
        let balance = found.saldo;
        return Ok(Some(Reserve::Insufficient { balance }));
    }
    let spent = Spent {
        dia_ms: found.dia_ms,
        gasto_dia: found.gasto_dia,
        mes_ms: found.mes_ms,
        gasto_mes: found.gasto_mes,
    };
    let exceeded = budget.exceeded(&spent, amount, now_ms);
    Ok(exceeded.map(Reserve::LimitReached))
}

/// Credits bought; the same `reference` is credited once. Returns whether
/// this call did it.
pub async fn purchase(
    conn: &mut Conn,
    movement: &Movement<'_>,
    amount: i64,
    reference: &str,
) -> DbResult<bool> {
    let accounts = (LedgerAccount::Purchases, LedgerAccount::Available);
    credit(
        conn,
        movement,
        TransferKind::Purchase,
        accounts,
        amount,
        reference,
    )
    .await
}

/// Takes bought credits out for a refund, so that nobody spends them while it
/// is on its way. False when the balance is short.
pub async fn refund(
    conn: &mut Conn,
    movement: &Movement<'_>,
    amount: i64,
    reference: &str,
) -> DbResult<bool> {
    let Some(balance) = spend(conn, movement, amount).await? else {
        return Ok(false);
    };
    let accounts = (LedgerAccount::Available, LedgerAccount::Refunds);
    let transfer = transfer(
        movement,
        TransferKind::Refund,
        accounts,
        amount,
        reference,
        balance,
    );
    if !table::insert(conn, &transfer).await? {
        return Err(contradiction("second transfer of a refund", reference));
    }
    Ok(true)
}

/// Brings the credits of a refund back that came to nothing, once.
pub async fn refund_returned(
    conn: &mut Conn,
    movement: &Movement<'_>,
    amount: i64,
    reference: &str,
) -> DbResult<bool> {
    let accounts = (LedgerAccount::Refunds, LedgerAccount::Available);
    credit(
        conn,
        movement,
        TransferKind::Adjust,
        accounts,
        amount,
        reference,
    )
    .await
}

async fn credit(
    conn: &mut Conn,
    movement: &Movement<'_>,
    kind: TransferKind,
    accounts: (LedgerAccount, LedgerAccount),
    amount: i64,
    reference: &str,
) -> DbResult<bool> {
    let balance = table::add(conn, movement.account_id, Balance::Available, amount).await?;
    let transfer = transfer(movement, kind, accounts, amount, reference, balance);
    if table::insert(conn, &transfer).await? {
        return Ok(true);
    }
    let taken = table::take(conn, movement.account_id, Balance::Available, amount).await?;
    taken.present(kind.as_str(), reference)?;
    Ok(false)
}

/// Takes an amount from the available balance, and writes the events of the
/// alert. Returns the balance after it; None when it does not suffice.
async fn spend(conn: &mut Conn, movement: &Movement<'_>, amount: i64) -> DbResult<Option<i64>> {
    let Some(spent) = table::spend(conn, movement.account_id, amount).await? else {
        return Ok(None);
    };
    alerta::crossed(conn, movement, &spent, amount).await?;
    Ok(Some(spent.balance))
}

/// Holds the account's balance until the transaction ends: nothing is spent
/// or credited meanwhile.
pub async fn lock(conn: &mut Conn, account_id: &AccountId) -> DbResult<()> {
    table::add(conn, account_id, Balance::Available, 0).await?;
    Ok(())
}

/// Where the credits of an account come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    pub available: i64,
    pub held: i64,
    /// Of both: what was given.
    pub gifted: i64,
    /// Of both: what was bought.
    pub purchased: i64,
    /// Bought, and neither spent nor held.
    pub refundable: i64,
}

/// Where the credits of an account come from. Gifts are spent, and held,
/// before what was bought, whenever they were given.
pub async fn origin(conn: &mut Conn, account_id: &AccountId) -> DbResult<Origin> {
    let Balances { available, held } = table::balances(conn, account_id).await?;
    let all = available + held;
    // All there is came by gifts and purchases: gifts less what was spent.
    let left = all - table::bought(conn, account_id).await?;
    let gifted = left.clamp(0, all);
    Ok(Origin {
        available,
        held,
        gifted,
        purchased: all - gifted,
        refundable: available - (left - held).clamp(0, available),
    })
}

/// What the account can spend.
pub async fn available(conn: &mut Conn, account_id: &AccountId) -> DbResult<i64> {
    table::balance(conn, account_id, Balance::Available).await
}

/// What the account can spend, and what is put aside.
pub async fn balances(conn: &mut Conn, account_id: &AccountId) -> DbResult<Balances> {
    table::balances(conn, account_id).await
}

fn transfer(
    movement: &Movement<'_>,
    kind: TransferKind,
    accounts: (LedgerAccount, LedgerAccount),
    amount: i64,
    reference: &str,
    balance_after: i64,
) -> Transfer {
    let (id, created_at_ms) = order::next(movement.account_id, movement.now_ms);
    Transfer {
        id,
        account_id: movement.account_id.to_owned(),
        kind,
        debit: accounts.0,
        credit: accounts.1,
        amount,
        pending_id: None,
        r#ref: reference.to_owned(),
        subject_id: movement.subject_id.to_owned(),
        operation: movement.operation.to_owned(),
        request_id: movement.request_id.to_owned(),
        key_id: movement.payer.key_id.clone(),
        budget_id: Maybe(
            movement
                .payer
                .budget
                .as_ref()
                .map(|budget| budget.id.clone()),
        ),
        balance_after,
        created_at_ms,
    }
}
