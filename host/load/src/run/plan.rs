//! What somebody asks of a load.

use super::mix::Mix;
use super::schedule::Gaps;

/// A load.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Address of the hub, without `/api/v1`.
    pub url: String,
    pub key: String,
    /// Operations a second.
    pub rate: f64,
    pub seconds: u64,
    pub gaps: Gaps,
    pub seed: u64,
    pub mix: Mix,
    /// Connections at the same time.
    pub connections: usize,
    /// Operations that may wait for one of them; those beyond are not begun, and counted.
    pub waiting: usize,
    /// Whether a server that cannot be reached is asked again until it answers.
    pub tolerate_restart: bool,
    /// Whether events are received and timed.
    pub webhook: bool,
    /// Whether each minute is told.
    pub every_minute: bool,
    /// Processes whose memory is told.
    pub processes: Vec<u32>,
}
