//! What became of real service notes in a municipality, as far as it may be shown.
//!
//! The counts are of all accounts together. While they are of few accounts, each of
//! them could work out from its own notes what another one issued: then only classes
//! are shown, and the day of the last note instead of its moment is shown always.

use store::tables::nfse_outcomes::{self, NfseOutcome, OutcomeRow};
use store::words::Ambiente;
use store::{Conn, DbResult};

/// Days of the window that is counted.
pub const WINDOW_DAYS: i64 = 90;
/// Days a count is kept, for the day of the last note.
pub const KEPT_DAYS: i64 = 400;
/// Accounts from which on counts are shown. With four others at least, what is left
/// after one's own notes are taken away is not the figure of a competitor.
pub const MIN_ACCOUNTS: i64 = 5;
/// Notes from which on a share has a class: of fewer it tells about single notes.
const MIN_NOTES: i64 = 10;
/// Reasons shown.
const REASONS: usize = 5;
const DAY_MS: i64 = 86_400_000;

/// How many notes, roughly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Fewer than ten.
    Few,
    /// 10 to 99.
    Some,
    /// 100 and more.
    Many,
}

/// Which share of the notes was issued, roughly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Less than half.
    Low,
    /// Half and more.
    Medium,
    /// Nine in ten and more.
    High,
}

/// Exact counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    pub issued: i64,
    pub refused: i64,
    pub failed: i64,
    /// Codes of refusals and failures that happened to as many accounts, with their
    /// notes, the most first.
    pub reasons: Vec<(String, i64)>,
}

impl Counted {
    /// All notes.
    pub fn all(&self) -> i64 {
        self.issued + self.refused + self.failed
    }

    /// Hundredths of the notes that were issued.
    pub fn percent(&self) -> i64 {
        self.issued * 100 / self.all().max(1)
    }
}

/// What may be shown of the notes of a municipality.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Day of the last note, in days since 1970-01-01, UTC. None: there was none.
    pub last_day: Option<i64>,
    /// None: no notes in the window.
    pub amount: Option<Amount>,
    /// None: fewer than ten notes.
    pub share: Option<Share>,
    /// None: no notes, or of too few accounts.
    pub counted: Option<Counted>,
}

/// The day of a moment, in days since 1970-01-01, UTC.
pub fn day(ms: i64) -> i64 {
    ms.div_euclid(DAY_MS)
}

/// What became of the notes of a municipality in the days up to now.
///
/// # Errors
/// The database failed.
pub async fn of(
    conn: &mut Conn,
    municipality: &str,
    ambiente: Ambiente,
    now_ms: i64,
) -> DbResult<Usage> {
    let since = day(now_ms) - WINDOW_DAYS;
    let last = nfse_outcomes::last(conn, municipality, ambiente).await?;
    let rows = nfse_outcomes::of_window(conn, municipality, ambiente, since).await?;
    let counted = counted(&rows);
    let all = counted.all();
    let mut usage = Usage {
        last_day: last.map(day),
        ..Usage::default()
    };
    if all == 0 {
        return Ok(usage);
    }
    usage.amount = Some(match all {
        ..=9 => Amount::Few,
        10..=99 => Amount::Some,
        _ => Amount::Many,
    });
    usage.share = (all >= MIN_NOTES).then(|| match counted.percent() {
        ..=49 => Share::Low,
        50..=89 => Share::Medium,
        _ => Share::High,
    });
    let accounts = nfse_outcomes::accounts(conn, municipality, ambiente, since).await?;
    usage.counted = (accounts >= MIN_ACCOUNTS).then_some(counted);
    Ok(usage)
}

fn counted(rows: &[OutcomeRow]) -> Counted {
    let sum = |outcome: NfseOutcome| {
        let of = rows.iter().filter(|row| row.resultado == outcome);
        of.map(|row| row.notas).sum()
    };
    // A reason of few accounts would be theirs.
    let common = |row: &&OutcomeRow| !row.motivo.is_empty() && row.contas >= MIN_ACCOUNTS;
    let with_reason = rows.iter().filter(common);
    let reasons = with_reason.map(|row| (row.motivo.clone(), row.notas));
    Counted {
        issued: sum(NfseOutcome::Issued),
        refused: sum(NfseOutcome::Refused),
        failed: sum(NfseOutcome::Failed),
        reasons: reasons.take(REASONS).collect(),
    }
}
