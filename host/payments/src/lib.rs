//! Buying credits: purchases, their settlement, and refunds.
//!
//! The payment service provider (PSP) is spoken to by an adapter the operator
//! names. A row is there before anything is asked, with the id that is the
//! PSP's idempotency key: what a crash or a lost answer leaves behind, the job
//! takes up with the same id, and there is no second charge. Whatever says
//! that something was paid is a hint; credits come from what the PSP answers
//! when it is asked.

pub mod notice;
mod offer;
mod psp;
mod purchase;
mod refund;

pub use offer::{Offer, announce, offered};
pub use psp::Payer;
pub use purchase::{Means, PurchaseOrder, buy, notice_received};
pub use refund::{RefundOrder, Refunded, limit_ms, refund};

use authority::gateway::Gateway;
use authority::question::Question;
use futures::stream::{self, StreamExt as _};
use std::convert::Infallible;
use std::time::Duration;
use store::TxError;
use store::rounds::Rounds;
use store::tables::{compras, reembolsos};

/// Credits of the smallest and the largest purchase (R$ 120 and R$ 50,000).
pub const MIN_CREDITOS: i64 = 12_000;
pub const MAX_CREDITOS: i64 = 5_000_000;
/// Instalments of a card.
pub const MAX_INSTALLMENTS: i64 = 12;
/// Credits of the packages that are shown; any amount between is sold too.
pub const PACOTES: [i64; 7] = [12_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_200_000];

/// How often a node looks for what is due.
const LOOK_MS: u64 = 1_000;
/// Questions to the PSP at the same time, of one node's job.
const AT_ONCE: usize = 8;
/// Rows taken in one look.
const TAKEN: usize = 200;
/// What a lease outlives a question by.
const MARGIN: Duration = Duration::from_secs(5);

/// The loop of a node.
pub async fn poll(app: Gateway) {
    let mut rounds = Rounds::every(&app, Duration::from_millis(LOOK_MS));
    loop {
        rounds.next().await;
        if let Err(error) = turn(&app).await {
            tracing::error!(error = %format!("{error:#}"), "purchases cannot be taken up");
        }
    }
}

/// Asks the PSP about every purchase and refund that is due.
///
/// # Errors
/// The database failed.
pub async fn turn(app: &Gateway) -> anyhow::Result<()> {
    // Without a PSP there is nothing to ask about.
    let Some(offer) = offered(app) else {
        return Ok(());
    };
    let until_ms = app.now_ms() + lease_ms(app);
    each(taken(|| claim_purchase(app, until_ms)).await?, |row| {
        let offer = offer.clone();
        async move {
            let id = row.id.clone();
            if let Err(error) = purchase::go_on(app, &offer, row).await {
                tracing::error!(compra.id = %id, ?error, "a purchase is left to its lease");
            }
        }
    })
    .await;
    each(taken(|| claim_reembolso(app, until_ms)).await?, |row| {
        let offer = offer.clone();
        async move {
            let id = row.id.clone();
            if let Err(error) = refund::ask(app, &offer, row).await {
                tracing::error!(reembolso.id = %id, ?error, "a refund is left to its lease");
            }
        }
    })
    .await;
    Ok(())
}

/// Rows one after the other, until none is due.
async fn taken<R, F>(claim: impl Fn() -> F) -> anyhow::Result<Vec<R>>
where
    F: Future<Output = anyhow::Result<Option<R>>>,
{
    let mut rows = Vec::new();
    while rows.len() < TAKEN
        && let Some(row) = claim().await?
    {
        rows.push(row);
    }
    Ok(rows)
}

async fn each<R, F: Future<Output = ()>>(rows: Vec<R>, ask: impl Fn(R) -> F) {
    stream::iter(rows).for_each_concurrent(AT_ONCE, ask).await;
}

/// How long whoever asks the PSP has a row for himself.
fn lease_ms(app: &Gateway) -> i64 {
    let lease = Question::longest(app) + MARGIN;
    i64::try_from(lease.as_millis()).unwrap_or(i64::MAX / 2)
}

async fn claim_purchase(
    app: &Gateway,
    until_ms: i64,
) -> anyhow::Result<Option<compras::PurchaseRow>> {
    let now_ms = app.now_ms();
    let mut conn = app.db.read().await?;
    if !compras::due(&mut conn, now_ms).await? {
        return Ok(None);
    }
    drop(conn);
    let input = (app.name.clone(), until_ms, now_ms);
    let claimed = app.db.write(input, |(node, until_ms, now_ms), conn| {
        Box::pin(async move {
            let row = compras::claim_due(conn, node, *until_ms, *now_ms).await?;
            Ok::<_, TxError<Infallible>>(row)
        })
    });
    Ok(claimed.await?)
}

async fn claim_reembolso(
    app: &Gateway,
    until_ms: i64,
) -> anyhow::Result<Option<reembolsos::ReembolsoRow>> {
    let now_ms = app.now_ms();
    let mut conn = app.db.read().await?;
    if !reembolsos::due(&mut conn, now_ms).await? {
        return Ok(None);
    }
    drop(conn);
    let input = (app.name.clone(), until_ms, now_ms);
    let claimed = app.db.write(input, |(node, until_ms, now_ms), conn| {
        Box::pin(async move {
            let row = reembolsos::claim_due(conn, node, *until_ms, *now_ms).await?;
            Ok::<_, TxError<Infallible>>(row)
        })
    });
    Ok(claimed.await?)
}
