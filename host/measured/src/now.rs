//! A question while a call waits.

use crate::job::{db, keep, lease_until};
use crate::probe::Prober;
use authority::gateway::Gateway;
use flow::registry::{Address, Registry};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use store::tables::probes::{self, ProbeRow};
use store::{DbResult, TxError};
use tokio::sync::Semaphore;

/// Questions of calls that a process has on the way at the same moment.
static PLACES: Semaphore = Semaphore::const_new(16);

/// What is known of an address, asked again if that is older than `probes.fresh_s`.
/// The wait is bounded by `probes.call_ms`: after it, and while somebody else asks the
/// host, what was known before. None: nothing was ever measured.
///
/// # Errors
/// The database failed.
pub async fn fresh(
    app: &Gateway,
    registry: &Arc<Registry>,
    address: &Address,
) -> DbResult<Option<ProbeRow>> {
    let known = known(app, &address.url).await?;
    let oldest_ms = app.now_ms() - i64::from(app.config.probes.fresh_s) * 1_000;
    let is_fresh = known.as_ref().is_some_and(|row| row.at_ms > oldest_ms);
    if is_fresh || !crate::on(app) || app.config.authorities.refuses_plain(&address.url) {
        return Ok(known);
    }
    let Ok(place) = PLACES.try_acquire() else {
        return Ok(known);
    };
    let Some(host) = address.authority().map(str::to_ascii_lowercase) else {
        return Ok(known);
    };
    let prober = match Prober::open(app).await {
        Ok(prober) => prober,
        Err(error) => {
            tracing::error!(%error, "an address cannot be asked");
            return Ok(known);
        }
    };
    let now_ms = app.now_ms();
    let until_ms = lease_until(&prober, now_ms);
    if !take(app, &host, now_ms, until_ms).await? {
        return Ok(known);
    }
    // It goes on when the call has waited long enough: the next call finds the answer.
    let (task_app, registry, address) = (app.clone(), registry.clone(), address.clone());
    let url = address.url.clone();
    let asking = tokio::spawn(async move {
        let finding = prober.ask(&registry, &address, now_ms).await;
        if let Err(error) = keep(&task_app, finding, &host, until_ms).await {
            tracing::error!(address = %address.url, %error, "what an address showed is not kept");
        }
        drop(place);
    });
    let bound = Duration::from_millis(app.config.probes.call_ms);
    match tokio::time::timeout(bound, asking).await {
        Ok(_) => self::known(app, &url).await,
        Err(_elapsed) => Ok(known),
    }
}

/// What is known of an address, without asking it.
///
/// # Errors
/// The database failed.
pub async fn known(app: &Gateway, url: &str) -> DbResult<Option<ProbeRow>> {
    let mut conn = app.db.read().await?;
    probes::get(&mut conn, url).await
}

/// Takes a host, whether its turn has come or not.
async fn take(app: &Gateway, host: &str, now_ms: i64, until_ms: i64) -> DbResult<bool> {
    let next_ms = now_ms + app.config.probes.every_ms();
    let input = (host.to_owned(), next_ms, now_ms, until_ms);
    let taken = app
        .db
        .write(input, |(host, next_ms, now_ms, until_ms), conn| {
            Box::pin(async move {
                probes::seed(conn, host, *next_ms).await?;
                Ok::<_, TxError<Infallible>>(probes::take(conn, host, *now_ms, *until_ms).await?)
            })
        });
    taken.await.map_err(db)
}
