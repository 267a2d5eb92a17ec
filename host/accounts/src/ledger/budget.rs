//! What a key may spend per day and per month, of the calendar of Brasília.
//!
//! Holds count when they are made and come back when they are returned. The
//! check and the count are one statement, so calls at the same moment cannot
//! spend the same allowance.

use super::Movement;
use base::when;
use store::ids::{AccountId, BudgetId, KeyId};
use store::tables::budgets as table;
use store::tables::budgets::{Spent, Within};
use store::words::Maybe;
use store::{Conn, DbResult, Present as _, contradiction};

/// Attempts at counting: between a refusal and the look at its cause, a
/// returned hold may have made room.
const ATTEMPTS: u32 = 4;

/// The key a movement is made with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payer {
    /// Empty where no key acts.
    pub key_id: Maybe<KeyId>,
    /// None: nothing limits the key.
    pub budget: Option<Budget>,
}

/// Nobody in particular: what the hub does by itself.
pub static NOBODY: Payer = Payer {
    key_id: Maybe(None),
    budget: None,
};

/// What a key may spend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Id of the row in `budgets`; a key shares it with the key it was made
    /// from.
    pub id: BudgetId,
    /// Credits per day.
    pub daily: Option<i64>,
    /// Credits per month.
    pub monthly: Option<i64>,
}

/// The limit a movement would pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// `dia` or `mes`.
    pub period: &'static str,
    pub limit: i64,
    pub spent: i64,
    /// When the next period begins.
    pub renews_ms: i64,
}

/// The day and the month of a moment, of the calendar of Brasília: when they
/// begin and end, in epoch milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Periods {
    /// First moment of the day.
    pub day_ms: i64,
    /// First moment of the next day.
    pub tomorrow_ms: i64,
    /// First moment of the month.
    pub month_ms: i64,
    /// First moment of the next month.
    pub next_month_ms: i64,
}

impl Periods {
    /// The periods a moment is in; `now_ms` are epoch milliseconds.
    pub fn at(now_ms: i64) -> Periods {
        let day = when::today(now_ms, "DF");
        let month = day.replace_day(1).unwrap_or(day);
        // A month after its first day, whatever its length.
        let next = month.saturating_add(time::Duration::days(31));
        let next = next.replace_day(1).unwrap_or(next);
        Periods {
            day_ms: when::brasilia(day),
            tomorrow_ms: when::brasilia(day.saturating_add(time::Duration::DAY)),
            month_ms: when::brasilia(month),
            next_month_ms: when::brasilia(next),
        }
    }
}

/// What was spent in the day and the month of a moment.
pub fn spent_at(spent: &Spent, now_ms: i64) -> (i64, i64) {
    let periods = Periods::at(now_ms);
    let of = |begin_ms, since_ms, used| if begin_ms >= since_ms { used } else { 0 };
    (
        of(spent.dia_ms, periods.day_ms, spent.gasto_dia),
        of(spent.mes_ms, periods.month_ms, spent.gasto_mes),
    )
}

impl Budget {
    /// The limit that an amount would pass: of two, the one that lasts longer.
    pub fn exceeded(&self, spent: &Spent, amount: i64, now_ms: i64) -> Option<Exceeded> {
        let periods = Periods::at(now_ms);
        let (day, month) = spent_at(spent, now_ms);
        let passes = |limit: Option<i64>, used: i64| {
            limit.filter(|limit| used.saturating_add(amount) > *limit)
        };
        if let Some(most) = passes(self.monthly, month) {
            return Some(Exceeded {
                period: "mes",
                limit: most,
                spent: month,
                renews_ms: periods.next_month_ms,
            });
        }
        passes(self.daily, day).map(|most| Exceeded {
            period: "dia",
            limit: most,
            spent: day,
            renews_ms: periods.tomorrow_ms,
        })
    }
}

/// Counts a movement that is about to be written; the limit it would pass, if
/// it would: nothing was counted then.
pub(super) async fn spend(
    conn: &mut Conn,
    movement: &Movement<'_>,
    amount: i64,
) -> DbResult<Option<Exceeded>> {
    let Some(budget) = &movement.payer.budget else {
        return Ok(None);
    };
    let (account, now_ms) = (movement.account_id, movement.now_ms);
    let periods = Periods::at(now_ms);
    let within = Within {
        day_ms: periods.day_ms,
        month_ms: periods.month_ms,
        daily: budget.daily.unwrap_or(i64::MAX),
        monthly: budget.monthly.unwrap_or(i64::MAX),
    };
    for _ in 0..ATTEMPTS {
        if table::spend(conn, account, &budget.id, amount, within).await? {
            return Ok(None);
        }
        let spent = table::get(conn, account, &budget.id)
            .await?
            .present("budget", &budget.id)?;
        if let Some(exceeded) = budget.exceeded(&spent, amount, now_ms) {
            return Ok(Some(exceeded));
        }
    }
    Err(contradiction("budget", &budget.id))
}

/// Gives back what a hold of `held_at_ms` counted; a day or a month that is
/// over keeps what it had.
pub(super) async fn give_back(
    conn: &mut Conn,
    account: &AccountId,
    budget_id: &BudgetId,
    amount: i64,
    held_at_ms: i64,
) -> DbResult<()> {
    let Periods {
        day_ms, month_ms, ..
    } = Periods::at(held_at_ms);
    let found = table::give_back(conn, account, budget_id, amount, day_ms, month_ms).await?;
    found.then_some(()).present("budget", budget_id)
}
