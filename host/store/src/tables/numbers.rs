//! Tables `number_sequences` and `number_free`: fiscal numbers.

use crate::ids::{AccountId, EmitterId, EventoId};
use crate::words::{Ambiente, Maybe, Model};
use crate::{Conn, DbResult, Present as _, execute, fetch_all, fetch_value, row};

row! {
    /// A number in no note.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct FreeRow {
        pub emitter_id: EmitterId,
        pub ambiente: Ambiente,
        pub modelo: Model,
        pub serie: String,
        pub numero: i64,
    }
}

/// A series of one emitter in one environment.
#[derive(Clone, Debug)]
pub struct Series {
    pub emitter_id: EmitterId,
    pub ambiente: Ambiente,
    pub model: Model,
    pub serie: String,
}

row! {
    /// A number that came back long ago, and whose it is.
    #[derive(Clone, Debug)]
    pub struct StaleRow {
        pub account_id: AccountId,
        pub emitter_id: EmitterId,
        pub ambiente: Ambiente,
        pub modelo: Model,
        pub serie: String,
        pub numero: i64,
        pub freed_at_ms: i64,
    }
}

impl StaleRow {
    /// Is the other the next number of the same series?
    pub fn precedes(&self, other: &StaleRow) -> bool {
        (
            &self.emitter_id,
            self.ambiente,
            self.modelo,
            &self.serie,
            self.numero + 1,
        ) == (
            &other.emitter_id,
            other.ambiente,
            other.modelo,
            &other.serie,
            other.numero,
        )
    }
}

impl Series {
    /// A series; `serie` in its one form.
    pub fn new(emitter_id: &EmitterId, ambiente: Ambiente, model: Model, serie: &str) -> Series {
        Series {
            emitter_id: emitter_id.to_owned(),
            ambiente,
            model,
            serie: serie.to_owned(),
        }
    }
}

const CREATE: &str = "INSERT INTO number_sequences (emitter_id, ambiente, modelo, serie, first, next) VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT DO NOTHING";
const TAKE_NEXT: &str = "UPDATE number_sequences SET next = next + 1 WHERE emitter_id = $1 AND ambiente = $2 AND modelo = $3 AND serie = $4 RETURNING next - 1";
const TAKE_FREE: &str = "DELETE FROM number_free WHERE emitter_id = $1 AND ambiente = $2 AND modelo = $3 AND serie = $4 \
     AND numero = (SELECT MIN(numero) FROM number_free WHERE emitter_id = $1 AND ambiente = $2 AND modelo = $3 AND serie = $4) RETURNING numero";
const FREE: &str = "INSERT INTO number_free (emitter_id, ambiente, modelo, serie, numero, freed_at_ms) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
const BURN: &str = "UPDATE number_sequences SET skipped = skipped + 1 WHERE emitter_id = $1 AND ambiente = $2 AND modelo = $3 AND serie = $4";
const RAISE: &str = "UPDATE number_sequences SET skipped = skipped + $5 - next, next = $5 WHERE emitter_id = $1 AND ambiente = $2 AND modelo = $3 AND serie = $4 AND next <= $5";
const LOCK: &str = "UPDATE number_sequences SET next = next WHERE emitter_id = $1 AND ambiente = $2 AND modelo = $3 AND serie = $4 RETURNING next";
const ADVANCE: &str = "UPDATE number_sequences SET next = $5 WHERE emitter_id = $1 AND ambiente = $2 AND modelo = $3 AND serie = $4 AND next < $5";
const NEXT: &str = "SELECT next FROM number_sequences WHERE emitter_id = $1 AND ambiente = $2 AND modelo = $3 AND serie = $4";
const VOID: &str = "INSERT INTO number_void (emitter_id, ambiente, modelo, serie, numero, evento_id, was_free) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
const DELETE_FREE: &str = "DELETE FROM number_free WHERE emitter_id = $1 AND ambiente = $2 AND modelo = $3 AND serie = $4 AND numero = $5";
const UNVOID_FREE: &str = "INSERT INTO number_free (emitter_id, ambiente, modelo, serie, numero, freed_at_ms) \
     SELECT emitter_id, ambiente, modelo, serie, numero, $2 FROM number_void WHERE evento_id = $1 AND was_free = 1 ON CONFLICT DO NOTHING";
const UNVOID: &str = "DELETE FROM number_void WHERE evento_id = $1";
const FREE_OF: &str = "SELECT f.emitter_id, f.ambiente, f.modelo, f.serie, f.numero FROM number_free f JOIN emitters e ON e.id = f.emitter_id \
     WHERE e.account_id = $1 AND ($2 = '' OR e.id = $2) AND f.modelo IN ('55', '65') AND f.ambiente <> 'simulado' AND f.ambiente <> $4 \
     ORDER BY f.emitter_id, f.ambiente, f.modelo, f.serie, f.numero LIMIT CAST($3 AS BIGINT)";
const STALE: &str = "SELECT e.account_id, f.emitter_id, f.ambiente, f.modelo, f.serie, f.numero, f.freed_at_ms FROM number_free f \
     JOIN emitters e ON e.id = f.emitter_id WHERE f.told_at_ms = 0 AND f.freed_at_ms <= $1 AND f.modelo IN ('55', '65') AND f.ambiente <> 'simulado' \
     ORDER BY f.emitter_id, f.ambiente, f.modelo, f.serie, f.numero LIMIT CAST($2 AS BIGINT)";
const TOLD: &str = "UPDATE number_free SET told_at_ms = $6 WHERE emitter_id = $1 AND ambiente = $2 AND modelo = $3 AND serie = $4 AND numero = $5 AND told_at_ms = 0";
const DELETE_OF: &str = "DELETE FROM number_sequences WHERE emitter_id = $1";
const DELETE_FREE_OF: &str = "DELETE FROM number_free WHERE emitter_id = $1";

/// The lowest number that came back, else the next of the sequence. A new
/// sequence begins at `first`.
pub async fn take(conn: &mut Conn, series: &Series, first: i64) -> DbResult<i64> {
    let Series {
        emitter_id,
        ambiente,
        model,
        serie,
    } = series;
    if let Some(number) = fetch_value!(conn, i64, TAKE_FREE, emitter_id, ambiente, model, serie)? {
        return Ok(number);
    }
    if let Some(number) = fetch_value!(conn, i64, TAKE_NEXT, emitter_id, ambiente, model, serie)? {
        return Ok(number);
    }
    execute!(conn, CREATE, emitter_id, ambiente, model, serie, first)?;
    fetch_value!(conn, i64, TAKE_NEXT, emitter_id, ambiente, model, serie)?
        .present("series of an emitter", emitter_id)
}

/// Gives a number back after a definitive "no document".
pub async fn free(conn: &mut Conn, series: &Series, number: i64, now_ms: i64) -> DbResult<()> {
    execute!(
        conn,
        FREE,
        &series.emitter_id,
        series.ambiente,
        series.model,
        &series.serie,
        number,
        now_ms
    )?;
    Ok(())
}

/// Takes a number that was given out away for good.
pub async fn burn(conn: &mut Conn, series: &Series) -> DbResult<()> {
    execute!(
        conn,
        BURN,
        &series.emitter_id,
        series.ambiente,
        series.model,
        &series.serie
    )?;
    Ok(())
}

/// Sets the next number; false when that would go back.
pub async fn raise(conn: &mut Conn, series: &Series, next: i64) -> DbResult<bool> {
    let Series {
        emitter_id,
        ambiente,
        model,
        serie,
    } = series;
    execute!(conn, CREATE, emitter_id, ambiente, model, serie, next)?;
    Ok(execute!(conn, RAISE, emitter_id, ambiente, model, serie, next)? == 1)
}

/// The next number, with the sequence locked: nobody takes it before this
/// transaction ends. A new sequence begins at `first`.
pub async fn lock(conn: &mut Conn, series: &Series, first: i64) -> DbResult<i64> {
    let Series {
        emitter_id,
        ambiente,
        model,
        serie,
    } = series;
    execute!(conn, CREATE, emitter_id, ambiente, model, serie, first)?;
    fetch_value!(conn, i64, LOCK, emitter_id, ambiente, model, serie)?
        .present("series of an emitter", emitter_id)
}

/// Sets the next number of a locked sequence, unless it is higher; the
/// numbers passed over are the caller's.
pub async fn advance(conn: &mut Conn, series: &Series, next: i64) -> DbResult<()> {
    let Series {
        emitter_id,
        ambiente,
        model,
        serie,
    } = series;
    execute!(conn, ADVANCE, emitter_id, ambiente, model, serie, next)?;
    Ok(())
}

/// Takes one number away to void it, free or, if `new`, never given out;
/// false when it is void already.
pub async fn void(
    conn: &mut Conn,
    series: &Series,
    number: i64,
    new: bool,
    evento: &EventoId,
) -> DbResult<bool> {
    let Series {
        emitter_id,
        ambiente,
        model,
        serie,
    } = series;
    let free = execute!(
        conn,
        DELETE_FREE,
        emitter_id,
        ambiente,
        model,
        serie,
        number
    )? == 1;
    let rows = execute!(
        conn,
        VOID,
        emitter_id,
        ambiente,
        model,
        serie,
        number,
        evento,
        i64::from(free || new)
    )?;
    Ok(rows == 1)
}

/// Gives back what a refused request wanted to void.
pub async fn unvoid(conn: &mut Conn, evento: &EventoId, now_ms: i64) -> DbResult<()> {
    execute!(conn, UNVOID_FREE, evento, now_ms)?;
    execute!(conn, UNVOID, evento)?;
    Ok(())
}

/// Numbers of NF-e and NFC-e that came back and that no note has: what is
/// left of them must be voided.
pub async fn free_of(
    conn: &mut Conn,
    account: &AccountId,
    emitter: &Maybe<EmitterId>,
    limit: i64,
    unseen: &str,
) -> DbResult<Vec<FreeRow>> {
    fetch_all!(conn, FreeRow, FREE_OF, account, emitter, limit, unseen)
}

/// Numbers of NF-e and NFC-e of all accounts that came back before a moment,
/// that no note took and of which nobody was told.
pub async fn stale(conn: &mut Conn, before_ms: i64, limit: i64) -> DbResult<Vec<StaleRow>> {
    fetch_all!(conn, StaleRow, STALE, before_ms, limit)
}

/// Marks one of them as told; false when a note took it, or it was told.
pub async fn told(conn: &mut Conn, row: &StaleRow, now_ms: i64) -> DbResult<bool> {
    let rows = execute!(
        conn,
        TOLD,
        &row.emitter_id,
        row.ambiente,
        row.modelo,
        &row.serie,
        row.numero,
        now_ms
    )?;
    Ok(rows == 1)
}

/// The next number, when the series was used or set.
pub async fn next(conn: &mut Conn, series: &Series) -> DbResult<Option<i64>> {
    fetch_value!(
        conn,
        i64,
        NEXT,
        &series.emitter_id,
        series.ambiente,
        series.model,
        &series.serie
    )
}

pub async fn delete_of(conn: &mut Conn, emitter: &EmitterId) -> DbResult<()> {
    execute!(conn, DELETE_OF, emitter)?;
    execute!(conn, DELETE_FREE_OF, emitter)?;
    Ok(())
}
