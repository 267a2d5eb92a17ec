//! How many documents of a period there are, and of which value: by day or by company, model and
//! state.
//!
//! Days that were added up ([`super::days`]) are read from their sums. The stretches of the
//! period between them are counted along the runs of an index. Each day is read at one moment,
//! in one of both ways.

use super::days::{DAY_MS, day_of, first_ms};
use crate::ids::{AccountId, EmitterId};
use crate::tables::notas::NotaStatus;
use crate::words::{Ambiente, Maybe, Model};
use crate::{Conn, DbResult, fetch_all, row};
use std::collections::{BTreeMap, BTreeSet};

row! {
    /// Documents of one group, model and state.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SumRow {
        /// Day number since 1970 in Brasília, or the company.
        pub grupo: String,
        pub modelo: Model,
        pub status: NotaStatus,
        pub documentos: i64,
        pub centavos: i64,
    }
}

row! {
    /// What sums of days say: that a day was added up, or a sum.
    struct KnownRow {
        /// A day that was added up; -1: the row is a sum.
        day: i64,
        grupo: String,
        /// Empty, as the state: the row is no sum.
        modelo: Maybe<Model>,
        status: Maybe<NotaStatus>,
        documentos: i64,
        centavos: i64,
    }
}

// All environments, models and states are named, so that the runs of an index answer alone.
const BY_DAY: &str = "SELECT CAST((n.created_at_ms - 10800000) / 86400000 AS TEXT) AS grupo, n.modelo, n.status, COUNT(*) AS documentos, CAST(COALESCE(SUM(n.valor_centavos), 0) AS BIGINT) AS centavos \
     FROM notas n WHERE n.account_id = $1 AND n.ambiente IN ($2, $3, $4) AND n.modelo IN ('nfse', '55', '65', '57', '58') \
     AND n.status IN ('rascunho', 'em_transmissao', 'pendente_prefeitura', 'autorizada', 'validada', 'rejeitada', 'cancelada') \
     AND n.created_at_ms >= $5 AND n.created_at_ms < $6 GROUP BY (n.created_at_ms - 10800000) / 86400000, n.modelo, n.status LIMIT CAST($7 AS BIGINT)";
const BY_DAY_OF_EMITTER_SQLITE: &str = "SELECT CAST((n.created_at_ms - 10800000) / 86400000 AS TEXT) AS grupo, n.modelo, n.status, COUNT(*) AS documentos, CAST(COALESCE(SUM(n.valor_centavos), 0) AS BIGINT) AS centavos \
     FROM emitters e CROSS JOIN notas n WHERE e.account_id = $1 AND e.id = $8 AND n.emitter_id = e.id AND n.ambiente IN ($2, $3, $4) AND n.modelo IN ('nfse', '55', '65', '57', '58') \
     AND n.status IN ('rascunho', 'em_transmissao', 'pendente_prefeitura', 'autorizada', 'validada', 'rejeitada', 'cancelada') \
     AND n.created_at_ms >= $5 AND n.created_at_ms < $6 GROUP BY (n.created_at_ms - 10800000) / 86400000, n.modelo, n.status LIMIT CAST($7 AS BIGINT)";
const BY_EMITTER_SQLITE: &str = "SELECT n.emitter_id AS grupo, n.modelo, n.status, COUNT(*) AS documentos, CAST(COALESCE(SUM(n.valor_centavos), 0) AS BIGINT) AS centavos \
     FROM emitters e CROSS JOIN notas n WHERE e.account_id = $1 AND ($8 = '' OR e.id = $8) AND n.emitter_id = e.id AND n.ambiente IN ($2, $3, $4) AND n.modelo IN ('nfse', '55', '65', '57', '58') \
     AND n.status IN ('rascunho', 'em_transmissao', 'pendente_prefeitura', 'autorizada', 'validada', 'rejeitada', 'cancelada') \
     AND n.created_at_ms >= $5 AND n.created_at_ms < $6 GROUP BY n.emitter_id, n.modelo, n.status LIMIT CAST($7 AS BIGINT)";
// PostgreSQL would read all that the index has of a company, and leave out what is of other days: it
// is told to look for each environment, model and state. Of an account with many companies only
// those are looked for that it has in the period.
const BY_DAY_OF_EMITTER_POSTGRES: &str = "SELECT CAST(y.day AS TEXT) AS grupo, m.modelo, s.status, y.documentos, y.centavos FROM emitters e \
     CROSS JOIN (SELECT DISTINCT w.ambiente FROM unnest(CAST(ARRAY[$2, $3, $4] AS TEXT[])) AS w (ambiente)) AS a CROSS JOIN unnest(ARRAY['nfse', '55', '65', '57', '58']) AS m (modelo) \
     CROSS JOIN unnest(ARRAY['rascunho', 'em_transmissao', 'pendente_prefeitura', 'autorizada', 'validada', 'rejeitada', 'cancelada']) AS s (status) \
     CROSS JOIN LATERAL (SELECT (n.created_at_ms - 10800000) / 86400000 AS day, COUNT(*) AS documentos, CAST(SUM(n.valor_centavos) AS BIGINT) AS centavos FROM notas n \
     WHERE n.emitter_id = e.id AND n.ambiente = a.ambiente AND n.modelo = m.modelo AND n.status = s.status AND n.created_at_ms >= $5 AND n.created_at_ms < $6 \
     GROUP BY (n.created_at_ms - 10800000) / 86400000) AS y WHERE e.account_id = $1 AND e.id = $8 LIMIT $7";
const BY_EMITTER_POSTGRES: &str = "WITH k AS MATERIALIZED (SELECT a.ambiente, m.modelo, s.status FROM (SELECT DISTINCT w.ambiente FROM unnest(CAST(ARRAY[$2, $3, $4] AS TEXT[])) AS w (ambiente)) AS a CROSS JOIN unnest(ARRAY['nfse', '55', '65', '57', '58']) AS m (modelo) \
     CROSS JOIN unnest(ARRAY['rascunho', 'em_transmissao', 'pendente_prefeitura', 'autorizada', 'validada', 'rejeitada', 'cancelada']) AS s (status) \
     CROSS JOIN LATERAL (SELECT n.id FROM notas n WHERE n.account_id = $1 AND n.ambiente = a.ambiente AND n.modelo = m.modelo AND n.status = s.status \
     AND n.created_at_ms >= $5 AND n.created_at_ms < $6 LIMIT 1) AS one) \
     SELECT e.id AS grupo, k.modelo, k.status, y.documentos, y.centavos FROM k CROSS JOIN emitters e \
     CROSS JOIN LATERAL (SELECT COUNT(*) AS documentos, CAST(SUM(n.valor_centavos) AS BIGINT) AS centavos FROM notas n \
     WHERE n.emitter_id = e.id AND n.ambiente = k.ambiente AND n.modelo = k.modelo AND n.status = k.status AND n.created_at_ms >= $5 AND n.created_at_ms < $6) AS y \
     WHERE e.account_id = $1 AND ($8 = '' OR e.id = $8) AND y.documentos > 0 LIMIT $7";
// One statement each, so that which days were added up and what their sums are is read at one
// moment. Without a company the sums of all companies together are read.
const KNOWN_BY_DAY: &str = "SELECT d.day AS day, '' AS grupo, '' AS modelo, '' AS status, CAST(0 AS BIGINT) AS documentos, CAST(0 AS BIGINT) AS centavos \
     FROM document_days d WHERE d.account_id = $1 AND d.day >= $5 AND d.day < $6 AND d.state = 1 \
     UNION ALL SELECT CAST(-1 AS BIGINT) AS day, y.grupo, y.modelo, y.status, y.documentos, y.centavos FROM ( \
     SELECT CAST(s.day AS TEXT) AS grupo, s.modelo AS modelo, s.status AS status, CAST(SUM(s.documentos) AS BIGINT) AS documentos, CAST(SUM(s.centavos) AS BIGINT) AS centavos \
     FROM document_sums s WHERE s.account_id = $1 AND s.emitter_id = $8 AND s.day >= $5 AND s.day < $6 AND s.ambiente IN ($2, $3, $4) \
     AND s.day IN (SELECT d.day FROM document_days d WHERE d.account_id = $1 AND d.day >= $5 AND d.day < $6 AND d.state = 1) \
     GROUP BY s.day, s.modelo, s.status) AS y LIMIT CAST($7 AS BIGINT)";
const KNOWN_BY_EMITTER: &str = "SELECT d.day AS day, '' AS grupo, '' AS modelo, '' AS status, CAST(0 AS BIGINT) AS documentos, CAST(0 AS BIGINT) AS centavos \
     FROM document_days d WHERE d.account_id = $1 AND d.day >= $5 AND d.day < $6 AND d.state = 1 \
     UNION ALL SELECT CAST(-1 AS BIGINT) AS day, y.grupo, y.modelo, y.status, y.documentos, y.centavos FROM ( \
     SELECT s.emitter_id AS grupo, s.modelo AS modelo, s.status AS status, CAST(SUM(s.documentos) AS BIGINT) AS documentos, CAST(SUM(s.centavos) AS BIGINT) AS centavos \
     FROM emitters e CROSS JOIN document_sums s WHERE e.account_id = $1 AND ($8 = '' OR e.id = $8) AND s.account_id = $1 AND s.emitter_id = e.id \
     AND s.day >= $5 AND s.day < $6 AND s.ambiente IN ($2, $3, $4) \
     AND s.day IN (SELECT d.day FROM document_days d WHERE d.account_id = $1 AND d.day >= $5 AND d.day < $6 AND d.state = 1) \
     GROUP BY s.emitter_id, s.modelo, s.status) AS y LIMIT CAST($7 AS BIGINT)";

/// Groups of a statement: more than days, models and states of a year, and than an
/// account has companies times models and states.
const SUMS: i64 = 50_000;

/// What documents are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Day,
    Emitter,
}

/// Sums by day of arrival in Brasília: the day's number since 1970. In the order of the days,
/// then of the words of model and state. `left_out`: as in [`super::Asked`].
///
/// # Errors
/// The database failed.
pub async fn sum_by_day(
    conn: &mut Conn,
    account: &AccountId,
    left_out: &str,
    period: (i64, i64),
    emitter: &Maybe<EmitterId>,
) -> DbResult<Vec<SumRow>> {
    summed(conn, account, By::Day, left_out, period, emitter).await
}

/// Sums by company, in the order of their ids. `left_out`: as in [`super::Asked`].
///
/// # Errors
/// The database failed.
pub async fn sum_by_emitter(
    conn: &mut Conn,
    account: &AccountId,
    left_out: &str,
    period: (i64, i64),
    emitter: &Maybe<EmitterId>,
) -> DbResult<Vec<SumRow>> {
    summed(conn, account, By::Emitter, left_out, period, emitter).await
}

async fn summed(
    conn: &mut Conn,
    account: &AccountId,
    by: By,
    left_out: &str,
    (from_ms, to_ms): (i64, i64),
    emitter: &Maybe<EmitterId>,
) -> DbResult<Vec<SumRow>> {
    let Some([one, two, three]) = environments(left_out) else {
        return Ok(Vec::new());
    };
    let sql = match by {
        By::Day => KNOWN_BY_DAY,
        By::Emitter => KNOWN_BY_EMITTER,
    };
    // A day of which the period has a part is counted.
    let first = day_of(from_ms.saturating_add(DAY_MS - 1));
    let end = day_of(to_ms);
    let known = fetch_all!(
        &mut *conn, KnownRow, sql, account, one, two, three, first, end, SUMS, emitter
    )?;
    let (mut days, mut totals) = (BTreeSet::new(), Totals::of(by));
    for row in known {
        if row.day >= 0 {
            days.insert(row.day);
        }
        if let (Maybe(Some(model)), Maybe(Some(status))) = (row.modelo, row.status) {
            totals.add(SumRow {
                grupo: row.grupo,
                modelo: model,
                status,
                documentos: row.documentos,
                centavos: row.centavos,
            });
        }
    }
    let is_server = matches!(conn, Conn::Postgres(_));
    let of_emitters = match (by, is_server) {
        (By::Day, false) => BY_DAY_OF_EMITTER_SQLITE,
        (By::Day, true) => BY_DAY_OF_EMITTER_POSTGRES,
        (By::Emitter, false) => BY_EMITTER_SQLITE,
        (By::Emitter, true) => BY_EMITTER_POSTGRES,
    };
    for (from_ms, to_ms) in between(&days, (from_ms, to_ms)) {
        let counted = if by == By::Day && emitter.is_none() {
            fetch_all!(
                &mut *conn, SumRow, BY_DAY, account, one, two, three, from_ms, to_ms, SUMS
            )
        } else {
            fetch_all!(
                &mut *conn,
                SumRow,
                of_emitters,
                account,
                one,
                two,
                three,
                from_ms,
                to_ms,
                SUMS,
                emitter
            )
        };
        for row in counted? {
            totals.add(row);
        }
    }
    Ok(totals.rows.into_values().collect())
}

/// The environments that are not left out, as the three parameters of a statement: where there
/// are fewer, the last one is named again. None: all are left out.
fn environments(left_out: &str) -> Option<[Ambiente; 3]> {
    let is_left_out = |one: Ambiente| left_out.split(',').any(|word| word == one.as_str());
    let mut all = Ambiente::ALL.iter().copied();
    let mut next = || all.find(|one| !is_left_out(*one));
    let one = next()?;
    let two = next().unwrap_or(one);
    let three = next().unwrap_or(two);
    Some([one, two, three])
}

/// The stretches of a period between whole days of it, as first moments and the first ones after
/// them.
fn between(days: &BTreeSet<i64>, (from_ms, to_ms): (i64, i64)) -> Vec<(i64, i64)> {
    let mut stretches = Vec::new();
    let mut from_ms = from_ms;
    for day in days {
        if first_ms(*day) > from_ms {
            stretches.push((from_ms, first_ms(*day)));
        }
        from_ms = first_ms(*day + 1);
    }
    if to_ms > from_ms {
        stretches.push((from_ms, to_ms));
    }
    stretches
}

/// Sums in their order, each group once.
struct Totals {
    by: By,
    rows: BTreeMap<(usize, String, &'static str, &'static str), SumRow>,
}

impl Totals {
    fn of(by: By) -> Totals {
        let rows = BTreeMap::new();
        Totals { by, rows }
    }

    fn add(&mut self, row: SumRow) {
        // Numbers of days: the longer one is the later one.
        let length = match self.by {
            By::Day => row.grupo.len(),
            By::Emitter => 0,
        };
        let (model, status) = (row.modelo.as_str(), row.status.as_str());
        let place = (length, row.grupo.clone(), model, status);
        match self.rows.get_mut(&place) {
            Some(total) => {
                total.documentos += row.documentos;
                total.centavos += row.centavos;
            }
            None => {
                self.rows.insert(place, row);
            }
        }
    }
}
