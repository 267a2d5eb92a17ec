//! Events that a webhook is to be told of and that have no delivery yet.
//!
//! A delivery that arrives at once, as nearly all do, is written once, with its result. So where
//! a webhook is expected to take what is sent ([`is_quick`]), its events are only given their
//! places: whoever serves it finds those above `made_upto` that it asked for. For any other
//! webhook, and before anything of it changes, deliveries are made ([`make`]), so that lists show
//! what waits.

use super::catalogue;
use accounts::opening;
use store::tables::deliveries::{self, Wanted};
use store::tables::webhooks::{self, WebhookRow};
use store::words::KeyKind;
use store::{Conn, DbResult, stored};

/// How many events of its account may be given places since a webhook was last looked after,
/// wanted by it or not: as many deliveries may wait that no list shows, and are read again by
/// each look at what is new.
const AHEAD: i64 = 2_048;
/// After how many of them it is looked whether a webhook asked for none: then `made_upto` moves
/// on. Each batch of events would cost such a webhook a write otherwise.
const LAG: i64 = 256;

/// Why a webhook was turned off whose choices are damaged; for its owner.
pub const UNREADABLE: &str =
    "as escolhas guardadas deste webhook não puderam ser lidas; cadastre-o de novo";

/// Whether there is something to send to a webhook of the events in places `after + 1 ..= upto`,
/// which were just given. Its deliveries are made, from the first event that has none on, unless
/// it is expected to take what is sent: then they are written when that was tried.
///
/// # Errors
/// The database failed.
pub async fn to_send(
    conn: &mut Conn,
    webhook: &WebhookRow,
    wanted: &Wanted,
    (after, upto): (i64, i64),
    now_ms: i64,
) -> DbResult<bool> {
    if !is_quick(webhook, upto, now_ms) {
        return Ok(make(conn, webhook, wanted, upto, now_ms).await? > 0);
    }
    let first = deliveries::fresh(conn, webhook, (after, upto), wanted, 1).await?;
    if !first.is_empty() {
        return Ok(true);
    }
    if upto - webhook.made_upto > LAG {
        let places = (webhook.made_upto, after);
        let first = deliveries::fresh(conn, webhook, places, wanted, 1).await?;
        if first.is_empty() {
            webhooks::make(conn, &webhook.id, upto).await?;
        }
    }
    Ok(false)
}

/// Whether events up to a place wait for their first attempt without deliveries.
fn is_quick(webhook: &WebhookRow, upto: i64, now_ms: i64) -> bool {
    webhook.failures == 0 && webhook.cool_until_ms <= now_ms && upto - webhook.made_upto <= AHEAD
}

/// What a webhook asked for, in the words of the query.
///
/// # Errors
/// Its choices cannot be read: it must not get events it did not ask for.
pub fn wanted(webhook: &WebhookRow) -> DbResult<Wanted> {
    let list = |text: &str, what: &str| stored::<Vec<String>>(text, what, &webhook.id);
    let between = |names: &[&str]| {
        if names.is_empty() {
            String::new()
        } else {
            format!(",{},", names.join(","))
        }
    };
    let eventos = list(&webhook.eventos, "kinds of events of a webhook")?;
    let tipos: Vec<&str> = catalogue::wanted(&eventos)
        .iter()
        .map(|kind| kind.name)
        .collect();
    let emitters = list(&webhook.emitente_ids, "companies of a webhook")?;
    let emitters: Vec<&str> = emitters.iter().map(String::as_str).collect();
    Ok(Wanted {
        tipos: between(&tipos),
        emitters: between(&emitters),
        unseen: opening::unseen(webhook.kind == KeyKind::Test).to_owned(),
    })
}

/// Makes deliveries of what is fresh up to a place; how many. The caller holds the account's
/// order or the webhook's row, so that what the webhook asks for does not change meanwhile.
///
/// # Errors
/// The database failed.
pub async fn make(
    conn: &mut Conn,
    webhook: &WebhookRow,
    wanted: &Wanted,
    upto: i64,
    now_ms: i64,
) -> DbResult<u64> {
    // First the webhook, then its deliveries: the order in which all lock them.
    if !webhooks::make(conn, &webhook.id, upto).await? {
        return Ok(0);
    }
    let places = (webhook.made_upto, upto);
    deliveries::fan_out(conn, webhook, places, wanted, now_ms).await
}

/// The same before a webhook is changed, turned off or removed: what it asked for until now stays
/// as it was. One whose choices cannot be read was told of nothing.
///
/// # Errors
/// The database failed.
pub async fn make_before_change(
    conn: &mut Conn,
    webhook: &WebhookRow,
    upto: i64,
    now_ms: i64,
) -> DbResult<()> {
    if webhook.ativo == 0 {
        return Ok(());
    }
    match wanted(webhook) {
        Ok(wanted) => make(conn, webhook, &wanted, upto, now_ms).await.map(drop),
        Err(error) => {
            tracing::error!(webhook.id = %webhook.id, %error, "events of a webhook are left out");
            Ok(())
        }
    }
}

/// Turns off a webhook whose stored choices cannot be read. Its owner is told why; the other
/// webhooks of the account go on.
///
/// # Errors
/// The database failed.
pub async fn close_unreadable(conn: &mut Conn, webhook: &WebhookRow, now_ms: i64) -> DbResult<()> {
    if webhooks::close(conn, webhook, UNREADABLE, now_ms).await? {
        deliveries::give_up_all(conn, &webhook.id, UNREADABLE, now_ms).await?;
    }
    Ok(())
}
