//! From events to deliveries: places in the account's order, and who is told.

use super::catalogue;
use crate::accounts;
use crate::app::App;
use crate::db::deliveries::{self, Wanted};
use crate::db::webhooks::{self, WebhookRow};
use crate::db::{Conn, DbResult, TxError, outbox};
use crate::faultpoint;
use crate::mail::avisos::{self, Channels};
use std::convert::Infallible;

/// Events of an account that are dispatched in one transaction.
const BATCH: i64 = 500;

/// Dispatches what is new; true when there may be more.
///
/// # Errors
/// The database failed: what was not dispatched stays for the next time.
pub async fn dispatch(app: &App) -> anyhow::Result<bool> {
    let mut conn = app.db.read().await?;
    let accounts = outbox::accounts_with_new(&mut conn).await?;
    drop(conn);
    let mut more = false;
    let channels = Channels::of(app);
    for account in accounts {
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
            Ok(placed) => more |= placed == BATCH,
            // It waits for the next look; the others do not.
            Err(error) => tracing::error!(%error, "events of an account wait"),
        }
    }
    Ok(more)
}

async fn account_of(conn: &mut Conn, account: &str, channels: Channels, now_ms: i64) -> DbResult<i64> {
    let (after, upto) = outbox::place(conn, account, BATCH).await?;
    if upto > after {
        avisos::of_events(conn, channels, account, (after, upto), now_ms).await?;
        for webhook in webhooks::active(conn, account).await? {
            let wanted = wanted(&webhook);
            let made = deliveries::fan_out(conn, &webhook, (after, upto), &wanted, now_ms).await?;
            if made > 0 {
                webhooks::wake(conn, &webhook.id, now_ms).await?;
                faultpoint::hit("event, before its deliveries are durable");
            }
        }
    }
    Ok(upto - after)
}

/// What a webhook asked for, in the words of the query.
fn wanted(webhook: &WebhookRow) -> Wanted {
    let list = |text: &str| serde_json::from_str::<Vec<String>>(text).unwrap_or_default();
    let between = |names: &[&str]| {
        if names.is_empty() {
            String::new()
        } else {
            format!(",{},", names.join(","))
        }
    };
    let tipos: Vec<&str> = catalogue::wanted(&list(&webhook.eventos))
        .iter()
        .map(|tipo| tipo.nome)
        .collect();
    let emitters = list(&webhook.emitente_ids);
    let emitters: Vec<&str> = emitters.iter().map(String::as_str).collect();
    Wanted {
        tipos: between(&tipos),
        emitters: between(&emitters),
        unseen: accounts::unseen(webhook.kind == "test").to_owned(),
    }
}
