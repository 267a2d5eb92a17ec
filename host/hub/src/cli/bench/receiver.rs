//! A server of a customer, as little of one as will do.

use anyhow::Context as _;
use load::posts::{self, Posts, header};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Ends with the runtime.
pub struct Receiver {
    address: SocketAddr,
    state: Arc<State>,
}

struct State {
    answers: bool,
    count: watch::Sender<usize>,
    arrivals: Mutex<HashMap<String, Instant>>,
}

impl Receiver {
    /// A server that answers 200 at once.
    ///
    /// # Errors
    /// There is no port.
    pub async fn start() -> anyhow::Result<Receiver> {
        Receiver::with(true).await
    }

    /// A server that reads and never answers.
    ///
    /// # Errors
    /// There is no port.
    pub async fn mute() -> anyhow::Result<Receiver> {
        Receiver::with(false).await
    }

    async fn with(answers: bool) -> anyhow::Result<Receiver> {
        let state = Arc::new(State {
            answers,
            count: watch::Sender::new(0),
            arrivals: Mutex::default(),
        });
        let shared = state.clone();
        let address = posts::listen(move |posts| talk(shared.clone(), posts)).await?;
        Ok(Receiver { address, state })
    }

    pub fn url(&self) -> String {
        format!("http://{}/avisos", self.address)
    }

    /// Waits until so many deliveries of events arrived.
    ///
    /// # Errors
    /// They do not in this time.
    pub async fn until(&self, count: usize, limit: Duration) -> anyhow::Result<()> {
        let mut counted = self.state.count.subscribe();
        let reached = counted.wait_for(|so_far| *so_far >= count);
        let reached = tokio::time::timeout(limit, reached).await;
        reached.with_context(|| format!("{count} deliveries did not arrive"))??;
        Ok(())
    }

    /// When each event arrived first.
    pub fn arrivals(&self) -> HashMap<String, Instant> {
        let arrivals = self.state.arrivals.lock();
        arrivals.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn talk(state: Arc<State>, mut posts: Posts) -> anyhow::Result<()> {
    while let Some(post) = posts.next().await? {
        // Bare posts have none, and are not counted.
        if let Some(id) = header(&post.head, "x-webhook-id") {
            let now = Instant::now();
            let mut arrivals = state
                .arrivals
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            arrivals.entry(id.to_owned()).or_insert(now);
            drop(arrivals);
            state.count.send_modify(|count| *count += 1);
        }
        if state.answers {
            posts.answer().await?;
        }
    }
    Ok(())
}
