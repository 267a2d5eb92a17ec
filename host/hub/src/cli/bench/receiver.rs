//! A server of a customer, as little of one as will do.

use anyhow::Context as _;
use load::posts::{self, Posts, header};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Ends with the runtime.
pub struct Receiver {
    address: SocketAddr,
    state: Arc<State>,
}

struct State {
    answers: bool,
    count: AtomicUsize,
    /// How many somebody waits for, who is woken then and not before: whoever counts would be
    /// measured with what is counted.
    wanted: AtomicUsize,
    reached: Notify,
    /// None: nobody asks for them.
    arrivals: Option<Mutex<HashMap<String, Instant>>>,
}

impl Receiver {
    /// A server that answers 200 at once.
    ///
    /// # Errors
    /// There is no port.
    pub async fn start() -> anyhow::Result<Receiver> {
        Receiver::with(true, None).await
    }

    /// The same, which says when each event arrived.
    ///
    /// # Errors
    /// There is no port.
    pub async fn timed() -> anyhow::Result<Receiver> {
        Receiver::with(true, Some(Mutex::default())).await
    }

    /// A server that reads and never answers.
    ///
    /// # Errors
    /// There is no port.
    pub async fn mute() -> anyhow::Result<Receiver> {
        Receiver::with(false, None).await
    }

    async fn with(
        answers: bool,
        arrivals: Option<Mutex<HashMap<String, Instant>>>,
    ) -> anyhow::Result<Receiver> {
        let state = Arc::new(State {
            answers,
            count: AtomicUsize::new(0),
            wanted: AtomicUsize::new(usize::MAX),
            reached: Notify::new(),
            arrivals,
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
        let state = &self.state;
        state.wanted.store(count, Ordering::SeqCst);
        let reached = async {
            loop {
                // Made before the look: it hears of what comes after it.
                let woken = state.reached.notified();
                if state.count.load(Ordering::SeqCst) >= count {
                    return;
                }
                woken.await;
            }
        };
        let reached = tokio::time::timeout(limit, reached).await;
        reached.with_context(|| format!("{count} deliveries did not arrive"))
    }

    /// When each event arrived first, at a [`Receiver::timed`].
    pub fn arrivals(&self) -> HashMap<String, Instant> {
        let arrivals = self.state.arrivals.as_ref();
        let arrivals = arrivals.map(|all| all.lock().unwrap_or_else(PoisonError::into_inner));
        arrivals.map(|all| all.clone()).unwrap_or_default()
    }
}

async fn talk(state: Arc<State>, mut posts: Posts) -> anyhow::Result<()> {
    while let Some(post) = posts.next().await? {
        // Bare posts have none, and are not counted.
        if let Some(id) = header(&post.head, "x-webhook-id") {
            if let Some(arrivals) = &state.arrivals {
                let mut arrivals = arrivals.lock().unwrap_or_else(PoisonError::into_inner);
                arrivals.entry(id.to_owned()).or_insert_with(Instant::now);
            }
            let count = state.count.fetch_add(1, Ordering::SeqCst) + 1;
            if count >= state.wanted.load(Ordering::SeqCst) {
                state.reached.notify_waiters();
            }
        }
        if state.answers {
            posts.answer().await?;
        }
    }
    Ok(())
}
