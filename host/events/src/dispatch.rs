//! From events to those who are told: gives events their places in the
//! account's order, wakes webhooks or makes their deliveries, and writes the mails of
//! notices.

use crate::mail::notices::{self, Channels};
use crate::parts::Events;
use crate::webhooks::fresh;
use base::faultpoint;
use futures::StreamExt as _;
use futures::stream;
use std::convert::Infallible;
use std::time::Duration;
use store::ids::AccountId;
use store::rounds::Rounds;
use store::tables::outbox;
use store::tables::webhooks;
use store::{Cause, Conn, DbResult, TxError};

/// How often a node looks for new events of others; its own commits call.
const LOOK: Duration = Duration::from_millis(100);
/// Events of an account that are dispatched in one transaction: the first of many are sent
/// while the deliveries of the next are made.
const BATCH: i64 = 64;
/// Accounts at a time: on SQLite they share a flush of the disk, on PostgreSQL each has a
/// connection.
const ACCOUNTS: usize = 4;

pub use crate::webhooks::fresh::UNREADABLE;

/// The loop of a node.
pub async fn poll(app: Events) {
    let mut rounds = Rounds::called(&app, LOOK, Cause::Events);
    loop {
        rounds.next().await;
        if let Err(error) = round(&app).await {
            tracing::error!(error = %format!("{error:#}"), "events wait");
        }
    }
}

async fn round(app: &Events) -> anyhow::Result<()> {
    while dispatch(app).await? {}
    Ok(())
}

/// Dispatches what is new; true when there may be more. What was not dispatched
/// stays for the next time.
async fn dispatch(app: &Events) -> anyhow::Result<bool> {
    let mut conn = app.db.read().await?;
    let accounts = outbox::accounts_with_new(&mut conn).await?;
    drop(conn);
    let channels = Channels::of(app);
    let full = stream::iter(accounts)
        .map(|account| written(app, account, channels))
        .buffer_unordered(ACCOUNTS)
        .fold(false, |more, full| std::future::ready(more | full));
    Ok(full.await)
}

/// Dispatches what is new of an account; true when there may be more.
async fn written(app: &Events, account: AccountId, channels: Channels) -> bool {
    let written = app.db.write(
        (account, channels, app.now_ms()),
        |(account, channels, now_ms), conn| {
            Box::pin(async move {
                let placed = account_of(conn, account, *channels, *now_ms).await?;
                Ok::<_, TxError<Infallible>>(placed)
            })
        },
    );
    match written.await {
        Ok(placed) => placed == BATCH,
        // It waits for the next look; the others do not.
        Err(error) => {
            tracing::error!(%error, "events of an account wait");
            false
        }
    }
}

async fn account_of(
    conn: &mut Conn,
    account: &AccountId,
    channels: Channels,
    now_ms: i64,
) -> DbResult<i64> {
    let (after, upto) = outbox::place(conn, account, BATCH).await?;
    if upto > after {
        notices::of_events(conn, channels, account, (after, upto), now_ms).await?;
        for webhook in webhooks::active(conn, account).await? {
            let wanted = match fresh::wanted(&webhook) {
                Ok(wanted) => wanted,
                Err(error) => {
                    tracing::error!(account.id = %account, webhook.id = %webhook.id, %error, "a webhook is turned off");
                    fresh::close_unreadable(conn, &webhook, now_ms).await?;
                    continue;
                }
            };
            if fresh::to_send(conn, &webhook, &wanted, (after, upto), now_ms).await? {
                webhooks::wake(conn, &webhook.id, now_ms).await?;
                faultpoint::hit("event, before its deliveries are durable");
            }
        }
    }
    Ok(upto - after)
}
