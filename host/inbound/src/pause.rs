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

const HOUR_MS: i64 = 3_600_000;
/// The wait, with a minute for clocks that differ.
pub const WAIT_MS: i64 = HOUR_MS + 60_000;
/// How long one question may take: `pergunta` gives up after 60 s.
const TURN_MS: i64 = 90_000;
/// Questions by key or NSU within an hour.
const SINGLES: usize = 20;

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
    /// When the turn runs out. The moment also distinguishes this turn from a
    /// later one.
    until_ms: i64,
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
    let wanted = Turn {
        documento: documento.to_owned(),
        ambiente,
        kind,
        until_ms: app.now_ms() + TURN_MS,
    };
    let taken = app
        .db
        .write((wanted, app.now_ms()), |(turn, now_ms), conn| {
            Box::pin(async move {
                let mut pause = distribuicao::pause(conn, &turn.documento, turn.ambiente).await?;
                if let Some(until_ms) = open(&mut pause, turn, *now_ms)? {
                    return Err(TxError::Abort(too_early(until_ms, *now_ms)));
                }
                distribuicao::save_pause(conn, &turn.documento, turn.ambiente, &pause).await?;
                Ok(turn.clone())
            })
        });
    Ok(taken.await?)
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

/// Opens the turn, or returns until when it is shut. If the questions of the
/// last hour cannot be read, this is an error, not "none". The wait after a
/// question about new documents is written now, before it is asked: if the
/// process dies with the turn, nobody asks before the wait is over.
fn open(pause: &mut PauseRow, turn: &Turn, now_ms: i64) -> DbResult<Option<i64>> {
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
            if asked.len() >= SINGLES {
                let first = asked.iter().min().copied().unwrap_or(now_ms);
                return Ok(Some(first + WAIT_MS));
            }
            asked.push(now_ms);
            pause.pontuais = serde_json::json!(asked).to_string();
        }
    }
    pause.ocupada_ate_ms = turn.until_ms;
    Ok(None)
}

fn close(pause: &mut PauseRow, turn: &mut Turn, end: End, now_ms: i64) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// As the row of a company begins.
    fn fresh() -> PauseRow {
        PauseRow {
            pontuais: "[]".to_owned(),
            ..PauseRow::default()
        }
    }

    fn open(pause: &mut PauseRow, turn: &Turn, now_ms: i64) -> Result<(), i64> {
        let shut = super::open(pause, turn, now_ms).expect("a row that can be read");
        shut.map_or(Ok(()), Err)
    }

    #[test]
    fn questions_of_the_last_hour_that_cannot_be_read_open_no_turn() {
        for damaged in ["", "[1,", "{}", "[\"1\"]"] {
            let mut pause = PauseRow {
                pontuais: damaged.to_owned(),
                ..PauseRow::default()
            };
            let before = pause.clone();
            let opened = super::open(&mut pause, &turn(Kind::Single, 0), 0);
            assert!(opened.is_err(), "{damaged}");
            assert_eq!(pause, before, "{damaged}");
        }
    }

    fn turn(kind: Kind, now_ms: i64) -> Turn {
        Turn {
            documento: "11222333000181".to_owned(),
            ambiente: Ambiente::Production,
            kind,
            until_ms: now_ms + TURN_MS,
        }
    }

    /// A simulated national environment: what trips 656.
    #[derive(Default)]
    struct Authority {
        wait_until: i64,
        singles: Vec<i64>,
    }

    impl Authority {
        fn asked(&mut self, kind: Kind, at: i64, nothing: bool) {
            match kind {
                Kind::New => {
                    assert!(at >= self.wait_until, "656 at {at}");
                    if nothing {
                        self.wait_until = at + HOUR_MS;
                    }
                }
                Kind::Single => {
                    self.singles.retain(|before| at - before < HOUR_MS);
                    assert!(self.singles.len() < SINGLES, "656 at {at}");
                    self.singles.push(at);
                }
            }
        }
    }

    #[test]
    fn no_order_of_questions_trips_the_authority() {
        let mut pause = fresh();
        let mut authority = Authority::default();
        let (mut now, mut seed, mut asked) = (1_000_000_i64, 12_345_u64, 0);
        for _ in 0..20_000 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let draw = |of: u64, shift: u32| (seed >> shift) % of;
            now += i64::try_from(draw(240_000, 33)).expect("small");
            let kind = if draw(2, 20) == 0 {
                Kind::New
            } else {
                Kind::Single
            };
            let mut mine = turn(kind, now);
            match open(&mut pause, &mine, now) {
                Err(until) => assert!(until > now),
                Ok(()) => {
                    asked += 1;
                    let nothing = draw(3, 10) == 0;
                    authority.asked(kind, now, nothing);
                    now += i64::try_from(draw(100_000, 40)).expect("small");
                    // A process may also die with the turn in hand.
                    if draw(10, 50) != 0 {
                        let end = if nothing {
                            End::Wait(WAIT_MS)
                        } else {
                            End::Free
                        };
                        close(&mut pause, &mut mine, end, now);
                    }
                }
            }
        }
        assert!(asked > 1_000, "{asked}");
    }

    #[test]
    fn one_turn_at_a_time_and_a_lost_one_costs_an_hour() {
        let mut pause = fresh();
        assert_eq!(open(&mut pause, &turn(Kind::New, 0), 0), Ok(()));
        assert_eq!(open(&mut pause, &turn(Kind::Single, 1), 1), Err(TURN_MS));
        assert_eq!(
            open(&mut pause, &turn(Kind::Single, TURN_MS), TURN_MS),
            Ok(())
        );
        let late = 3 * TURN_MS;
        assert_eq!(open(&mut pause, &turn(Kind::New, late), late), Err(WAIT_MS));
    }

    #[test]
    fn a_turn_that_ran_out_takes_nothing_from_the_next_one() {
        let mut pause = fresh();
        let mut old = turn(Kind::New, 0);
        open(&mut pause, &old, 0).expect("free");
        let now = WAIT_MS;
        let next = turn(Kind::New, now);
        open(&mut pause, &next, now).expect("free again");
        let before = pause.clone();
        close(&mut pause, &mut old, End::Free, now + 1);
        assert_eq!(pause, before);
        close(&mut pause, &mut old, End::Blocked, now + 1);
        assert_eq!(pause.bloqueada_ate_ms, now + 1 + WAIT_MS);
        assert_eq!(pause.ocupada_ate_ms, next.until_ms);
    }
}
