//! What the questions to addresses say of a municipality, and of a system.

use base::config::Config;
use flow::registry::{Registry, Scope};
use std::collections::{BTreeMap, HashMap};
use store::tables::probes::{self, ProbeResult, ProbeRow};
use store::{Conn, DbResult};
use time::Date;

/// Whether the way to a service is open. The order is from best to worst, but for the
/// first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Nobody asked yet.
    #[default]
    NotMeasured,
    /// It answers.
    Answers,
    /// It failed, not often enough to say more; or it answers with an error.
    Unsteady,
    /// The address is http, and its host is not in `authorities.plain_http`: nothing is
    /// sent there.
    PlainHttp,
    /// It failed `probes.down_after` times in a row.
    Down,
}

impl State {
    /// What an address with this row is.
    fn of(url: &str, row: Option<&ProbeRow>, config: &Config) -> State {
        match row {
            _ if config.authorities.never_sends(url) => State::PlainHttp,
            None => State::NotMeasured,
            Some(row) if row.failures >= config.probes.down_after => State::Down,
            Some(row) if row.failures > 0 => State::Unsteady,
            Some(row) => match row.result {
                ProbeResult::Blocked => State::NotMeasured,
                ProbeResult::ServerError | ProbeResult::Unreadable => State::Unsteady,
                _ => State::Answers,
            },
        }
    }
}

/// What is known of the addresses of one route, the worst of them first.
#[derive(Clone, Debug, Default)]
pub struct Access {
    pub state: State,
    /// The question that shows it. None: not measured, or plain http.
    pub shown: Option<ProbeRow>,
}

impl Access {
    /// What is known of one address.
    pub fn one(url: &str, row: Option<ProbeRow>, config: &Config) -> Access {
        let state = State::of(url, row.as_ref(), config);
        let shown = row.filter(|_| state != State::PlainHttp);
        Access { state, shown }
    }
}

/// Whether the last question to an address found nobody.
pub fn failed(row: &ProbeRow) -> bool {
    row.failures > 0 && row.failing_since_ms > row.answered_ms
}

/// What is known of some addresses: that of the worst.
///
/// # Errors
/// The database failed.
pub async fn of(conn: &mut Conn, urls: &[String], config: &Config) -> DbResult<Access> {
    let mut worst = Access::default();
    for url in urls {
        let row = probes::get(conn, url).await?;
        let access = Access::one(url, row, config);
        let says_more = access.state == worst.state && worst.shown.is_none();
        if access.state > worst.state || says_more {
            worst = access;
        }
    }
    Ok(worst)
}

/// Addresses of a system, counted by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub addresses: u32,
    pub answering: u32,
    pub unsteady: u32,
    pub down: u32,
    pub plain_http: u32,
    pub not_measured: u32,
    /// Of the newest question, epoch milliseconds; 0: none.
    pub newest_ms: i64,
}

/// The addresses of each system, by its name in the registry.
///
/// # Errors
/// The database failed.
pub async fn by_system(
    conn: &mut Conn,
    registry: &Registry,
    on: Date,
    config: &Config,
) -> DbResult<BTreeMap<String, Counts>> {
    let known = probes::all(conn).await?;
    let known: HashMap<&str, &ProbeRow> = known
        .iter()
        .map(|row| (row.address.as_str(), row))
        .collect();
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    for address in registry.addresses(on, &Scope::default()) {
        let row = known.get(address.url.as_str()).copied();
        let state = State::of(&address.url, row, config);
        for system in address.systems {
            let count = counts.entry(system).or_default();
            count.addresses += 1;
            *match state {
                State::NotMeasured => &mut count.not_measured,
                State::Answers => &mut count.answering,
                State::Unsteady => &mut count.unsteady,
                State::PlainHttp => &mut count.plain_http,
                State::Down => &mut count.down,
            } += 1;
            count.newest_ms = count.newest_ms.max(row.map_or(0, |row| row.at_ms));
        }
    }
    Ok(counts)
}

/// Addresses that are out of service now, each with the moment it failed first.
///
/// # Errors
/// The database failed.
pub async fn down(conn: &mut Conn, down_after: i64) -> DbResult<HashMap<String, i64>> {
    let known = probes::all(conn).await?.into_iter();
    let down = known.filter(|row| row.failures >= down_after);
    Ok(down
        .map(|row| (row.address, row.failing_since_ms))
        .collect())
}
