//! Whose turn it is to ask for a CNPJ, and when it may be asked again: one
//! row for all accounts and nodes of the hub.
//!
//! Limits: NT 2014.002 (second-hand): an hour after 137 or at the end of the
//! queue, an hour after 656, twenty questions by key or NSU in an hour.

use base::errors::{Code, Failure, Refusal};
use base::when;
use issuing::Issuing;
use store::tables::distribuicao::{self, PauseRow};
use store::words::Ambiente;
use store::{Conn, DbResult, TxError, stored};

/// The hour that the authority counts questions in and shuts out for, in
/// milliseconds.
pub const HOUR_MS: i64 = 3_600_000;
/// The wait, with a minute for clocks that differ, in milliseconds.
pub const WAIT_MS: i64 = HOUR_MS + 60_000;
/// How long one question may take, in milliseconds.
pub const TURN_MS: i64 = 90_000;
/// Questions by key or NSU within an hour.
pub const SINGLES: usize = 20;

/// What is about to be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// New documents, from an NSU on.
    #[default]
    New,
    /// One document, by key or NSU.
    Single,
}

/// The right to ask one question; no other one is asked for this CNPJ until
/// it is given back or runs out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    pub documento: String,
    pub ambiente: Ambiente,
    pub kind: Kind,
    /// When the turn runs out, epoch milliseconds. The moment also
    /// distinguishes this turn from a later one.
    pub until_ms: i64,
}

/// What a question led to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// More documents are waiting: the caller goes on with the same turn.
    Continues,
    /// It may be asked again at once.
    #[default]
    Free,
    /// Not before this many milliseconds.
    Wait(i64),
    /// 656: nothing at all for an hour.
    Blocked,
}

/// Takes the turn of a CNPJ.
///
/// # Errors
/// 423 with `Retry-After`: somebody asks at this moment, or it is too early.
pub async fn take(
    app: &Issuing,
    documento: &str,
    ambiente: Ambiente,
    kind: Kind,
) -> Result<Turn, Failure> {
    let now_ms = app.now_ms();
    let wanted = Turn {
        documento: documento.to_owned(),
        ambiente,
        kind,
        until_ms: now_ms + TURN_MS,
    };
    let shut = app
        .db
        .write((wanted.clone(), now_ms), |(turn, now_ms), conn| {
            Box::pin(async move {
                let mut pause = distribuicao::pause(conn, &turn.documento, turn.ambiente).await?;
                let shut = open(&mut pause, turn, *now_ms)?;
                // Where it is shut, too: a wait is shortened once, or it would never end.
                distribuicao::save_pause(conn, &turn.documento, turn.ambiente, &pause).await?;
                Ok::<_, TxError<Refusal>>(shut)
            })
        });
    match shut.await? {
        Some(until_ms) => Err(too_early(until_ms, now_ms).into()),
        None => Ok(wanted),
    }
}

/// Writes what a question led to, in the caller's transaction. Returns when
/// new documents may be asked for.
///
/// # Errors
/// The database failed.
pub async fn give_back(conn: &mut Conn, turn: &mut Turn, end: End, now_ms: i64) -> DbResult<i64> {
    let mut pause = distribuicao::pause(conn, &turn.documento, turn.ambiente).await?;
    close(&mut pause, turn, end, now_ms);
    distribuicao::save_pause(conn, &turn.documento, turn.ambiente, &pause).await?;
    Ok(pause.livre_ms.max(pause.bloqueada_ate_ms))
}

/// 423: not before this moment.
pub fn too_early(until_ms: i64, now_ms: i64) -> Refusal {
    let seconds = u64::try_from((until_ms - now_ms).max(1_000)).unwrap_or(1_000);
    Refusal::new(Code::ConsumoIndevidoBloqueado)
        .retry_after(seconds.div_ceil(1_000))
        .with("proxima_consulta_em", when::rfc3339(until_ms + 999))
}

/// Opens the turn in its row, or returns until when it is shut, in epoch
/// milliseconds. The wait after a question about new documents is written now,
/// before it is asked: if the process dies with the turn, nobody asks before
/// the wait is over. What is further ahead than any wait is of a clock that was
/// set back since: it is brought to the longest wait from now.
///
/// # Errors
/// The questions of the last hour cannot be read: this is not "none".
pub fn open(pause: &mut PauseRow, turn: &Turn, now_ms: i64) -> DbResult<Option<i64>> {
    for (moment_ms, longest_ms) in [
        (&mut pause.livre_ms, WAIT_MS),
        (&mut pause.bloqueada_ate_ms, WAIT_MS),
        (&mut pause.ocupada_ate_ms, TURN_MS),
    ] {
        *moment_ms = (*moment_ms).min(now_ms + longest_ms);
    }
    let mut until_ms = pause.bloqueada_ate_ms.max(pause.ocupada_ate_ms);
    if turn.kind == Kind::New {
        until_ms = until_ms.max(pause.livre_ms);
    }
    if until_ms > now_ms {
        return Ok(Some(until_ms));
    }
    match turn.kind {
        Kind::New => pause.livre_ms = now_ms + WAIT_MS,
        Kind::Single => {
            let what = "questions of the last hour";
            let mut asked: Vec<i64> = stored(&pause.pontuais, what, &turn.documento)?;
            asked.retain(|at_ms| now_ms - at_ms < WAIT_MS);
            for at_ms in &mut asked {
                *at_ms = (*at_ms).min(now_ms);
            }
            let first_ms = asked.iter().min().copied().unwrap_or(now_ms);
            let full = asked.len() >= SINGLES;
            if !full {
                asked.push(now_ms);
            }
            pause.pontuais = serde_json::json!(asked).to_string();
            if full {
                return Ok(Some(first_ms + WAIT_MS));
            }
        }
    }
    pause.ocupada_ate_ms = turn.until_ms;
    Ok(None)
}

/// Writes into the row what a question led to, and gives the turn back, or
/// prolongs it where the caller goes on. A turn that ran out may only lengthen
/// a wait.
pub fn close(pause: &mut PauseRow, turn: &mut Turn, end: End, now_ms: i64) {
    // Somebody else has the turn: what was learned may only lengthen a wait.
    let mine = pause.ocupada_ate_ms == turn.until_ms;
    if mine {
        pause.ocupada_ate_ms = 0;
    }
    match end {
        End::Continues if mine => {
            turn.until_ms = now_ms + TURN_MS;
            pause.ocupada_ate_ms = turn.until_ms;
            pause.livre_ms = now_ms + WAIT_MS;
        }
        End::Continues => {}
        End::Blocked => {
            pause.bloqueada_ate_ms = pause.bloqueada_ate_ms.max(now_ms + WAIT_MS);
        }
        End::Free | End::Wait(_) if turn.kind == Kind::Single => {}
        End::Free if mine => pause.livre_ms = now_ms,
        End::Free => {}
        End::Wait(ms) if mine => pause.livre_ms = now_ms + ms,
        End::Wait(ms) => pause.livre_ms = pause.livre_ms.max(now_ms + ms),
    }
}
