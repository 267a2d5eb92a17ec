//! What the hub tells by itself, as events: certificates that end, gaps in the
//! numbering, a municipality that issues in another way than before or whose address is
//! out of service.

pub mod certificates;
pub mod coverage;
pub mod gaps;
pub mod room;

use crate::Issuing;
use std::time::Duration;
use store::rounds::Rounds;

/// How often a node looks. All are about days.
const EVERY: Duration = Duration::from_secs(600);
/// Rows read at a time.
const PAGE: i64 = 200;

/// The loop of a node.
pub async fn poll(app: Issuing) {
    let mut rounds = Rounds::every(&app, EVERY);
    loop {
        rounds.next().await;
        if let Err(error) = certificates::look(&app).await {
            tracing::error!(error = %format!("{error:#}"), "certificates that end cannot be told");
        }
        if let Err(error) = gaps::look(&app).await {
            tracing::error!(error = %format!("{error:#}"), "gaps in the numbering cannot be told");
        }
        if let Err(error) = coverage::look(&app).await {
            tracing::error!(error = %format!("{error:#}"), "changes of coverage cannot be told");
        }
    }
}
