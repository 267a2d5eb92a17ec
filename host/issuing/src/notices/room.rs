//! Tells operators when a disk begins to be full, is full, and has room again: in the
//! log and in `/admin/v1/actions`.

use accounts::operator::{self, Done, Operator};
use base::files::Space;
use std::convert::Infallible;
use std::time::Duration;
use store::TxError;
use store::node::Node;
use store::node::room::{Left, Look};
use store::rounds::Rounds;

/// How often a node looks at its disks.
const EVERY: Duration = Duration::from_secs(10);

/// The loop of a node.
pub async fn poll(node: Node) {
    let mut rounds = Rounds::every(&node, EVERY);
    loop {
        rounds.next().await;
        if let Err(error) = look(&node).await {
            tracing::error!(error = %format!("{error:#}"), "operators cannot be told of the disks");
        }
    }
}

/// Looks at the disks once, and tells what changed.
///
/// # Errors
/// The database failed, as it does where the disk is full; the log has it.
pub async fn look(node: &Node) -> anyhow::Result<()> {
    let Look { now, disks } = node.room.look();
    let Some(before) = node.room.news(now) else {
        return Ok(());
    };
    for disk in disks {
        let Space { free, total } = disk.space;
        let state = disk.left.as_str();
        match disk.left {
            Left::Enough => tracing::info!(folder = disk.folder, free, total, state, "a disk"),
            Left::Low => tracing::warn!(folder = disk.folder, free, total, state, "a disk"),
            Left::Spent => {
                tracing::error!(
                    folder = disk.folder,
                    free,
                    total,
                    state,
                    "a disk: nothing is issued"
                );
            }
        }
    }
    let told = told(node, before, now).await;
    if told.is_err() {
        // They were told of nothing: the next look tries again.
        node.room.news(before);
    }
    told
}

async fn told(node: &Node, before: Left, now: Left) -> anyhow::Result<()> {
    let action = match now {
        Left::Enough => "sistema.espaco_suficiente",
        Left::Low => "sistema.espaco_baixo",
        Left::Spent => "sistema.espaco_esgotado",
    };
    let input = (node.name.clone(), node.now_ms(), action, before);
    let told = node
        .db
        .write(input, |(name, now_ms, action, before), conn| {
            Box::pin(async move {
                let done = Done {
                    account: None,
                    action,
                    target: name,
                    detail: &format!("antes: {}", before.as_str()),
                };
                let hub = Operator {
                    door: "hub",
                    now_ms: *now_ms,
                };
                Ok::<_, TxError<Infallible>>(operator::record(conn, &done, &hub).await?)
            })
        });
    told.await?;
    Ok(())
}
