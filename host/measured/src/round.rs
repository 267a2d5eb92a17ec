//! Agreements of many municipalities, asked about one after the other.

use crate::agreement::{Asker, Told};
use base::when::Clock;
use flow::registry::Municipality;
use std::collections::HashMap;
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use store::tables::agreements::{self, AgreementRow};
use store::{Db, DbResult, TxError};

/// Municipalities in a row at which the service fails, after which nobody else is asked.
const SILENT: u32 = 10;

/// What a round came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Municipalities that were told of, and those of them in the national environment.
    pub told: u32,
    pub national: u32,
    pub silent: u32,
    /// It ended before the last municipality.
    pub stopped: bool,
}

impl Round {
    /// It went to its end, and something was told.
    pub fn went_well(&self) -> bool {
        !self.stopped && self.told > 0
    }
}

/// Asks about each municipality, and keeps what is told at once. Those that nobody was
/// told of come first, then those whose answer is the oldest, so that a round that was
/// stopped is continued by the next one. After a municipality at which the service fails
/// the next one is any other: those at which it always fails are together at the
/// beginning, and would stop every round there. `heard` gets each answer.
///
/// # Errors
/// The database failed.
pub async fn round(
    asker: &Asker,
    db: &Db,
    cities: &[&Municipality],
    clock: &Clock,
    heard: impl FnMut(&Municipality, &Told),
) -> Result<Round, TxError<Infallible>> {
    let ask = async |city: &Municipality, at_ms: i64| asker.ask(city.ibge, at_ms).await;
    round_of(ask, db, cities, clock, heard).await
}

/// As [`round`], with whatever answers.
///
/// # Errors
/// The database failed.
pub async fn round_of(
    ask: impl AsyncFn(&Municipality, i64) -> Told,
    db: &Db,
    cities: &[&Municipality],
    clock: &Clock,
    mut heard: impl FnMut(&Municipality, &Told),
) -> Result<Round, TxError<Infallible>> {
    let mut round = Round::default();
    let mut in_a_row = 0;
    let mut left = oldest_first(db, cities).await?;
    let began_ms = clock();
    while !left.is_empty() {
        let next = match in_a_row {
            0 => 0,
            _ => any(began_ms, left.len()),
        };
        let city = left.remove(next);
        let told = ask(city, clock()).await;
        heard(city, &told);
        match told {
            Told::Agreement(row) => {
                in_a_row = 0;
                round.told += 1;
                round.national += u32::from(row.ambiente_nacional == 1);
                keep(db, row).await?;
            }
            Told::Nothing(_) => {
                in_a_row = 0;
                round.silent += 1;
            }
            Told::Silent(_) => {
                in_a_row += 1;
                round.silent += 1;
            }
            Told::Stop(_) => in_a_row = SILENT,
        }
        if in_a_row >= SILENT {
            round.stopped = true;
            break;
        }
    }
    Ok(round)
}

/// One of so many places, another one at each step and in each round.
fn any(began_ms: i64, places: usize) -> usize {
    let mut hasher = DefaultHasher::new();
    (began_ms, places).hash(&mut hasher);
    let places = u64::try_from(places).unwrap_or(u64::MAX).max(1);
    usize::try_from(hasher.finish() % places).unwrap_or_default()
}

async fn oldest_first<'m>(db: &Db, cities: &[&'m Municipality]) -> DbResult<Vec<&'m Municipality>> {
    let mut conn = db.read().await?;
    let rows = agreements::all(&mut conn).await?;
    let asked: HashMap<String, i64> = rows
        .into_iter()
        .map(|row| (row.codigo_ibge, row.at_ms))
        .collect();
    let mut cities = cities.to_vec();
    cities.sort_by_key(|city| asked.get(&format!("{:07}", city.ibge)).copied());
    Ok(cities)
}

async fn keep(db: &Db, row: AgreementRow) -> Result<(), TxError<Infallible>> {
    db.write(row, |row, conn| {
        Box::pin(async move { Ok::<_, TxError<Infallible>>(agreements::keep(conn, row).await?) })
    })
    .await
}
