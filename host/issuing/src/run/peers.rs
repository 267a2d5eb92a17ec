//! Nodes that died, where several share one database: what they worked on is
//! taken as soon as their sessions are gone.

use crate::Issuing;
use std::collections::HashMap;
use std::convert::Infallible;
use std::time::Duration;
use store::presence::{self, PREFIX};
use store::{Engine, TxError};
use tokio::time::Instant;

/// How long a session must be gone before its node counts as dead: one that
/// lives and lost it has noticed by then, and sends nothing.
const GRACE: Duration = Duration::from_secs(1);

/// Owners of leases whose sessions were gone at the last look, since when.
#[derive(Default)]
pub struct Peers(HashMap<String, Instant>);

impl Peers {
    /// Looks once, and frees what dead nodes held.
    ///
    /// # Errors
    /// The database failed.
    pub async fn look(&mut self, app: &Issuing) -> Result<(), TxError<Infallible>> {
        if app.db.engine() == Engine::Sqlite {
            return Ok(());
        }
        let gone = {
            let mut conn = app.db.read().await?;
            let mut gone = Vec::new();
            for owner in presence::owners(&mut conn, &app.name).await? {
                let session = owner
                    .split_once('_')
                    .is_some_and(|(prefix, _)| prefix == PREFIX);
                if session && presence::gone(&mut conn, &owner).await? {
                    gone.push(owner);
                }
            }
            gone
        };
        self.0.retain(|owner, _| gone.contains(owner));
        for owner in gone {
            let since = *self.0.entry(owner.clone()).or_insert_with(Instant::now);
            if since.elapsed() < GRACE {
                continue;
            }
            let taken = app.db.write(owner.clone(), |owner, conn| {
                Box::pin(
                    async move { Ok::<_, TxError<Infallible>>(presence::take(conn, owner).await?) },
                )
            });
            if taken.await? {
                tracing::warn!(node = %owner, "a node is gone; its work is taken up");
            }
            self.0.remove(&owner);
        }
        Ok(())
    }
}
