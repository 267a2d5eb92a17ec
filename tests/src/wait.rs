//! Waiting for what comes by itself.

use std::fmt::Debug;
use std::time::{Duration, Instant};

/// The longest wait, and the pause between two looks.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(20);

/// Looks until what was waited for is there; until then a look says what is
/// there instead.
///
/// # Panics
/// It does not come within a minute.
pub async fn until<T, E: Debug>(mut look: impl AsyncFnMut() -> Result<T, E>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match look().await {
            Ok(found) => return found,
            Err(so_far) => assert!(Instant::now() < deadline, "still {so_far:?}"),
        }
        tokio::time::sleep(PAUSE).await;
    }
}
