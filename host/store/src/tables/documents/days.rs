//! Tables `document_days` and `document_sums`: the documents of past days, counted and added up,
//! so that a summary of a period ([`super::summary`]) costs what its days are, however many
//! documents they have.
//!
//! A day gets a row of `document_days` once it ended a day ago: from the first one with
//! [`MANY`] documents on, every day of the account, but for those that begin a month after its
//! last document. A small account has none. A row of state 0
//! has to be added up, one of state 1 has exact sums. Triggers of `notas` set 0 in the
//! transaction that changes a document of the day ([`sums`] says why none is missed), so what
//! is old and changes is counted from its rows until it is added up anew.

use super::Asked;
use super::page;
use crate::ids::{AccountId, EmitterId};
use crate::tables::notas::NotaStatus;
use crate::words::{Ambiente, Maybe, Model};
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, fetch_value, row};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// Milliseconds of a day.
pub(super) const DAY_MS: i64 = 86_400_000;
/// How far Brasília is behind UTC.
const BEHIND_MS: i64 = 10_800_000;

/// Documents of the first day that is added up: fewer are counted from their rows as fast.
const MANY: i64 = 64;
/// Days of an account that are looked at together.
const TOGETHER: i64 = 31;
/// How often it is asked whether the transactions before a number have ended, and how long it is
/// waited before each time but the first: those of hubs take some milliseconds.
const ASKED: u32 = 12;
const PAUSE: Duration = Duration::from_millis(20);

row! {
    /// An account some of whose days were not looked at.
    #[derive(Clone, Debug)]
    pub struct Behind {
        pub account_id: AccountId,
        /// All days before this one were looked at.
        before_day: i64,
        /// 1: one of these has a row of `document_days`.
        begun: i64,
    }
}

row! {
    /// A day that must be added up.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Day {
        pub account_id: AccountId,
        /// Its number since 1970 in Brasília.
        pub day: i64,
    }
}

row! {
    /// Documents of a day, of one company.
    #[derive(Clone, Debug)]
    struct Group {
        emitter_id: Maybe<EmitterId>,
        ambiente: Ambiente,
        modelo: Model,
        status: NotaStatus,
        documentos: i64,
        centavos: i64,
    }
}

row! {
    struct CountRow {
        day: i64,
        documentos: i64,
    }
}

const BEHIND: &str = "SELECT a.id AS account_id, COALESCE(p.before_day, 0) AS before_day, \
     CAST(CASE WHEN EXISTS (SELECT 1 FROM document_days d WHERE d.account_id = a.id AND d.day < COALESCE(p.before_day, 0)) THEN 1 ELSE 0 END AS BIGINT) AS begun \
     FROM accounts a LEFT JOIN document_progress p ON p.account_id = a.id WHERE a.id > $1 AND COALESCE(p.before_day, 0) < $2 ORDER BY a.id LIMIT 1";
// All environments, models and states are named, so that the runs of the index answer alone.
const COUNTS: &str = "SELECT (n.created_at_ms - 10800000) / 86400000 AS day, COUNT(*) AS documentos FROM notas n \
     WHERE n.account_id = $1 AND n.ambiente IN ('producao', 'homologacao', 'simulado') AND n.modelo IN ('nfse', '55', '65', '57', '58') \
     AND n.status IN ('rascunho', 'em_transmissao', 'pendente_prefeitura', 'autorizada', 'validada', 'rejeitada', 'cancelada') \
     AND n.created_at_ms >= $2 AND n.created_at_ms < $3 GROUP BY (n.created_at_ms - 10800000) / 86400000 LIMIT 100";
const INSERT_DAY: &str = "INSERT INTO document_days (account_id, day, state) VALUES ($1, $2, 0) ON CONFLICT (account_id, day) DO NOTHING";
const SET_PROGRESS: &str = "INSERT INTO document_progress (account_id, before_day) VALUES ($1, $2) \
     ON CONFLICT (account_id) DO UPDATE SET before_day = excluded.before_day WHERE document_progress.before_day < excluded.before_day";
const OPEN: &str = "SELECT account_id, day FROM document_days WHERE state = 0 AND (account_id, day) > ($1, $2) ORDER BY account_id, day LIMIT 1";
const CHANGES: &str =
    "SELECT changes FROM document_days WHERE account_id = $1 AND day = $2 AND state = 0";
const NUMBER_POSTGRES: &str = "SELECT CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT)";
const FIRST_RUNNING_POSTGRES: &str =
    "SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT)";
// The groups of all companies of an account.
const GROUPS_SQLITE: &str = "SELECT n.emitter_id, n.ambiente, n.modelo, n.status, COUNT(*) AS documentos, CAST(SUM(n.valor_centavos) AS BIGINT) AS centavos \
     FROM emitters e CROSS JOIN notas n WHERE e.account_id = $1 AND n.emitter_id = e.id AND n.ambiente IN ('producao', 'homologacao', 'simulado') AND n.modelo IN ('nfse', '55', '65', '57', '58') \
     AND n.status IN ('rascunho', 'em_transmissao', 'pendente_prefeitura', 'autorizada', 'validada', 'rejeitada', 'cancelada') \
     AND n.created_at_ms >= $2 AND n.created_at_ms < $3 GROUP BY n.emitter_id, n.ambiente, n.modelo, n.status";
// As in `BY_EMITTER_POSTGRES` of a summary.
const GROUPS_POSTGRES: &str = "WITH k AS MATERIALIZED (SELECT a.ambiente, m.modelo, s.status FROM unnest(ARRAY['producao', 'homologacao', 'simulado']) AS a (ambiente) CROSS JOIN unnest(ARRAY['nfse', '55', '65', '57', '58']) AS m (modelo) \
     CROSS JOIN unnest(ARRAY['rascunho', 'em_transmissao', 'pendente_prefeitura', 'autorizada', 'validada', 'rejeitada', 'cancelada']) AS s (status) \
     CROSS JOIN LATERAL (SELECT n.id FROM notas n WHERE n.account_id = $1 AND n.ambiente = a.ambiente AND n.modelo = m.modelo AND n.status = s.status \
     AND n.created_at_ms >= $2 AND n.created_at_ms < $3 LIMIT 1) AS one) \
     SELECT e.id AS emitter_id, k.ambiente, k.modelo, k.status, y.documentos, y.centavos FROM k CROSS JOIN emitters e \
     CROSS JOIN LATERAL (SELECT COUNT(*) AS documentos, CAST(SUM(n.valor_centavos) AS BIGINT) AS centavos FROM notas n \
     WHERE n.emitter_id = e.id AND n.ambiente = k.ambiente AND n.modelo = k.modelo AND n.status = k.status AND n.created_at_ms >= $2 AND n.created_at_ms < $3) AS y \
     WHERE e.account_id = $1 AND y.documentos > 0";
const SET_EXACT: &str = "UPDATE document_days SET state = 1 WHERE account_id = $1 AND day = $2 AND state = 0 AND changes = $3";
const DELETE_SUMS: &str = "DELETE FROM document_sums WHERE account_id = $1 AND day = $2 \
     AND emitter_id IN (SELECT '' UNION ALL SELECT e.id FROM emitters e WHERE e.account_id = $1)";
const INSERT_SUMS_SQLITE: &str = "INSERT INTO document_sums (account_id, day, emitter_id, ambiente, modelo, status, documentos, centavos) \
     SELECT $1, $2, x.value ->> 0, x.value ->> 1, x.value ->> 2, x.value ->> 3, x.value ->> 4, x.value ->> 5 FROM json_each($3) x";
const INSERT_SUMS_POSTGRES: &str = "INSERT INTO document_sums (account_id, day, emitter_id, ambiente, modelo, status, documentos, centavos) \
     SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), x.value ->> 0, x.value ->> 1, x.value ->> 2, x.value ->> 3, CAST(x.value ->> 4 AS BIGINT), CAST(x.value ->> 5 AS BIGINT) \
     FROM jsonb_array_elements(CAST($3 AS jsonb)) AS x (value)";
const FORGET: &str = "DELETE FROM document_progress WHERE account_id = $1";

/// The day of a moment (epoch milliseconds): its number since 1970 in Brasília.
pub fn day_of(ms: i64) -> i64 {
    (ms - BEHIND_MS).div_euclid(DAY_MS)
}

/// The first moment of a day, epoch milliseconds.
pub fn first_ms(day: i64) -> i64 {
    day.saturating_mul(DAY_MS).saturating_add(BEHIND_MS)
}

/// The first day that is not added up yet at a moment: all before it ended a day ago. So clocks
/// of nodes may differ, and what is written today changes no day that was added up.
pub fn until(now_ms: i64) -> i64 {
    day_of(now_ms - DAY_MS)
}

/// The next account behind one in the order of their ids (empty: the first) some of whose days
/// before `until` were not looked at.
///
/// # Errors
/// The database failed.
pub async fn behind(conn: &mut Conn, after: &AccountId, until: i64) -> DbResult<Option<Behind>> {
    fetch_optional!(conn, Behind, BEHIND, after, until)
}

/// What was found in days of an account, before it is written.
#[derive(Clone, Debug)]
pub struct Looked {
    account_id: AccountId,
    /// Days that get a row: from the first one on, before the second one.
    days: (i64, i64),
    /// All days before this one were looked at.
    before_day: i64,
    /// Documents were counted.
    pub is_counted: bool,
}

/// Looks at the next days of an account, so many that it takes no long time. Nothing is written:
/// a document that comes meanwhile makes a day at most one that is counted from its rows.
///
/// # Errors
/// The database failed.
pub async fn look(conn: &mut Conn, behind: &Behind, until: i64) -> DbResult<Looked> {
    let account = &behind.account_id;
    let mut looked = Looked {
        account_id: account.clone(),
        days: (until, until),
        before_day: until,
        is_counted: false,
    };
    let mut from = behind.before_day;
    let has_begun = behind.begun != 0;
    // Days without documents have rows, too, but not for ever in an account that is used no more.
    let since = if has_begun { from - TOGETHER } else { from };
    let Some(at_ms) = oldest(conn, account, first_ms(since)).await? else {
        return Ok(looked);
    };
    if !has_begun {
        // Nothing is in the days before the next document.
        from = from.max(day_of(at_ms));
    }
    if from >= until {
        return Ok(looked);
    }
    looked.before_day = until.min(from + TOGETHER);
    looked.is_counted = true;
    let mut first = has_begun.then_some(from);
    if first.is_none() {
        let (from_ms, to_ms) = (first_ms(from), first_ms(looked.before_day));
        let counted = fetch_all!(conn, CountRow, COUNTS, account, from_ms, to_ms)?;
        let many = counted.into_iter().filter(|row| row.documentos >= MANY);
        first = many.map(|row| row.day).min();
    }
    looked.days = (first.unwrap_or(looked.before_day), looked.before_day);
    Ok(looked)
}

/// When the oldest document of an account arrived, of those since a moment; where the search
/// ended early, a moment before that.
async fn oldest(conn: &mut Conn, account: &AccountId, from_ms: i64) -> DbResult<Option<i64>> {
    let asked = Asked {
        from_ms,
        ascending: true,
        limit: 1,
        ..Asked::default()
    };
    let found = page::page(conn, account, &asked).await?;
    let first = found.rows.first().map(|row| row.created_at_ms);
    Ok(first.or(found.stopped.map(|(at_ms, _)| at_ms)))
}

impl Looked {
    /// Days that get a row.
    pub fn days(&self) -> u64 {
        (self.days.1 - self.days.0).unsigned_abs()
    }

    /// Days before that moment are left to be looked at.
    pub fn leaves(&self, until: i64) -> bool {
        self.before_day < until
    }

    /// Writes it. Another node may have written the same.
    ///
    /// # Errors
    /// The database failed.
    pub async fn write(&self, conn: &mut Conn) -> DbResult<()> {
        for day in self.days.0..self.days.1 {
            execute!(&mut *conn, INSERT_DAY, &self.account_id, day)?;
        }
        execute!(conn, SET_PROGRESS, &self.account_id, self.before_day)?;
        Ok(())
    }
}

/// The next day behind one, in the order of account and day, that must be added up.
///
/// # Errors
/// The database failed.
pub async fn open(conn: &mut Conn, after: &Day) -> DbResult<Option<Day>> {
    fetch_optional!(conn, Day, OPEN, &after.account_id, after.day)
}

/// What a day is added up to, before it is written.
#[derive(Clone, Debug)]
pub struct Sums {
    day: Day,
    /// Of the day, before its documents were read.
    changes: i64,
    groups: Vec<Group>,
}

/// Adds a day up; None: it needs no adding up, or not now. In no transaction: nobody waits,
/// however many documents the day has.
///
/// A change of a document that this does not see must be noticed when the sums are written
/// ([`Sums::write`]). Its trigger counts it in the row of the day, on PostgreSQL when its transaction
/// ends. So the count is read first: what is counted already is committed and seen afterwards, and
/// what is not is counted later.
///
/// On PostgreSQL there is one more kind: a transaction that wrote a document before others could
/// see the row of the day. Its trigger found no row and counted nothing, and it may still be under way.
/// It has a number that was given before the row was seen here, and so a smaller one than is
/// given here after that. Once every transaction with a smaller number has ended (the first one
/// that runs, `xmin` of a snapshot, has no smaller one), none of these is under way, and what they
/// wrote is read by the next statement. Those with greater numbers are not waited for: on a busy
/// server some always run. A day before which one runs for long is left for another time.
///
/// # Errors
/// The database failed.
pub async fn sums(conn: &mut Conn, day: &Day) -> DbResult<Option<Sums>> {
    let account = &day.account_id;
    let Some(changes) = fetch_value!(&mut *conn, i64, CHANGES, account, day.day)? else {
        return Ok(None);
    };
    let is_server = matches!(conn, Conn::Postgres(_));
    if is_server && !earlier_ended(conn).await? {
        return Ok(None);
    }
    let groups = if is_server {
        GROUPS_POSTGRES
    } else {
        GROUPS_SQLITE
    };
    let (from_ms, to_ms) = (first_ms(day.day), first_ms(day.day + 1));
    Ok(Some(Sums {
        day: day.clone(),
        changes,
        groups: fetch_all!(conn, Group, groups, account, from_ms, to_ms)?,
    }))
}

/// Waits until the transactions have ended whose numbers were given before now; false: one
/// takes longer.
async fn earlier_ended(conn: &mut Conn) -> DbResult<bool> {
    let number = fetch_value!(&mut *conn, i64, NUMBER_POSTGRES)?;
    for asked in 0..ASKED {
        if asked > 0 {
            tokio::time::sleep(PAUSE).await;
        }
        if fetch_value!(&mut *conn, i64, FIRST_RUNNING_POSTGRES)? >= number {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Sums {
    /// Writes the sums, in a transaction of its own; false: a document of the day changed
    /// meanwhile, or another node wrote them, and nothing is written.
    ///
    /// # Errors
    /// The database failed.
    pub async fn write(&self, conn: &mut Conn) -> DbResult<bool> {
        let (account, day) = (&self.day.account_id, self.day.day);
        if execute!(&mut *conn, SET_EXACT, account, day, self.changes)? == 0 {
            return Ok(false);
        }
        execute!(&mut *conn, DELETE_SUMS, account, day)?;
        let sql = match conn {
            Conn::Sqlite(_) => INSERT_SUMS_SQLITE,
            Conn::Postgres(_) => INSERT_SUMS_POSTGRES,
        };
        execute!(conn, sql, account, day, &self.rows())?;
        Ok(true)
    }

    /// The rows as JSON: the groups, and for all companies together their totals.
    fn rows(&self) -> String {
        let mut totals: BTreeMap<_, (i64, i64)> = BTreeMap::new();
        let mut rows = Vec::with_capacity(self.groups.len() * 2);
        for group in &self.groups {
            let words = (group.ambiente, group.modelo, group.status);
            let total = totals.entry(words).or_default();
            total.0 += group.documentos;
            total.1 += group.centavos;
            rows.push(row_of(
                &group.emitter_id,
                words,
                (group.documentos, group.centavos),
            ));
        }
        rows.extend(
            totals
                .into_iter()
                .map(|(words, total)| row_of(&Maybe(None), words, total)),
        );
        Value::Array(rows).to_string()
    }
}

fn row_of(
    emitter: &Maybe<EmitterId>,
    (ambiente, model, status): (Ambiente, Model, NotaStatus),
    (documents, cents): (i64, i64),
) -> Value {
    json!([
        emitter.as_str(),
        ambiente.as_str(),
        model.as_str(),
        status.as_str(),
        documents,
        cents
    ])
}

/// Looks at all days of an account again: documents of past days were written into the database
/// past the hub.
///
/// # Errors
/// The database failed.
pub(crate) async fn forget(conn: &mut Conn, account: &AccountId) -> DbResult<()> {
    execute!(conn, FORGET, account)?;
    Ok(())
}
