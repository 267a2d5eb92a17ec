//! Companies the hub asks for by itself: those whose fiscal profile says so.
//! Nobody is charged for it.

use crate::ask::{Mode, Query, consult};
use crate::pause::WAIT_MS;
use base::errors::{Code, Failure};
use issuing::Issuing;
use issuing::emitters::inbound_schedule::automatic;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use store::ids::EmitterId;
use store::rounds::Rounds;
use store::tables::distribuicao::{self, DistribuicaoRow};
use store::tables::emitters;
use store::{DbResult, TxError};
use tokio::sync::Semaphore;

/// Companies asked for at the same time by one node.
const AT_ONCE: usize = 8;
/// A turn that a node took and did not end is another's after this long.
const TAKEN_MS: i64 = 600_000;

/// The loop of a node.
pub async fn poll(app: Issuing) {
    let mut rounds = Rounds::every(&app, Duration::from_millis(app.config.issuing.poll_ms));
    let places = Arc::new(Semaphore::new(AT_ONCE));
    loop {
        rounds.next().await;
        if let Err(error) = look(&app, &places).await {
            tracing::error!(%error, "due companies cannot be read");
        }
    }
}

/// Starts the turns that are due, as many as there are places.
async fn look(app: &Issuing, places: &Arc<Semaphore>) -> DbResult<()> {
    let free = i64::try_from(places.available_permits()).unwrap_or(0);
    if free == 0 {
        return Ok(());
    }
    let now_ms = app.now_ms();
    let mut conn = app.db.read().await?;
    let due = distribuicao::due(&mut conn, now_ms, free).await?;
    drop(conn);
    for one in due {
        let Ok(place) = places.clone().try_acquire_owned() else {
            return Ok(());
        };
        let until_ms = now_ms + TAKEN_MS;
        if !postpone(app, one.clone(), until_ms).await? {
            continue;
        }
        let app = app.clone();
        let taken = DistribuicaoRow {
            agendada_ms: until_ms,
            ..one
        };
        tokio::spawn(async move {
            let emitter = taken.emitter_id.clone();
            if let Err(error) = turn(&app, taken).await {
                tracing::error!(emitter.id = %emitter, %error, "turn of a company cannot be written");
            }
            drop(place);
        });
    }
    Ok(())
}

/// Asks for one company and sets its next turn.
async fn turn(app: &Issuing, taken: DistribuicaoRow) -> DbResult<()> {
    let mut conn = app.db.read().await?;
    let emitter = emitters::get(&mut conn, &taken.account_id, &taken.emitter_id).await?;
    drop(conn);
    let wanted = match emitter {
        Some(emitter) if emitter.ambiente == taken.ambiente && automatic(&emitter)? => emitter,
        _ => {
            postpone(app, taken, 0).await?;
            return Ok(());
        }
    };
    let query = Query {
        ambiente: wanted.ambiente.shown(),
        emitter: wanted,
        mode: Mode::New,
    };
    let asked = consult(app, query).await;
    let now_ms = app.now_ms();
    let next_ms = match asked {
        Ok(result) => result.next_ms.max(now_ms),
        Err(failure) => now_ms + pause_of(&failure, &taken.emitter_id),
    };
    postpone(app, taken, next_ms).await?;
    Ok(())
}

/// How long a company waits that could not be asked for.
fn pause_of(failure: &Failure, emitter: &EmitterId) -> i64 {
    match failure {
        Failure::Refused(refusal) => {
            tracing::info!(emitter.id = %emitter, code = refusal.code.as_str(), "company not asked for");
            // An adapter that is missing stays so until somebody installs it.
            let soon = refusal.code != Code::Manutencao;
            let seconds = refusal.retry_after_s.filter(|_| soon);
            let seconds = seconds.and_then(|s| i64::try_from(s).ok());
            seconds.map_or(WAIT_MS, |seconds| seconds.clamp(1, 86_400) * 1_000)
        }
        Failure::Internal(error) => {
            tracing::error!(emitter.id = %emitter, error = %format!("{error:#}"), "company cannot be asked for");
            WAIT_MS
        }
    }
}

async fn postpone(app: &Issuing, row: DistribuicaoRow, until_ms: i64) -> DbResult<bool> {
    let moved = app.db.write((row, until_ms), |(row, until_ms), conn| {
        Box::pin(async move {
            Ok::<_, TxError<Infallible>>(distribuicao::postpone(conn, row, *until_ms).await?)
        })
    });
    moved.await.map_err(|error| match error {
        TxError::Db(error) => error,
        TxError::Abort(never) => match never {},
    })
}
