//! A server of a customer, as little of one as will do.

use anyhow::Context as _;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Largest request.
const MOST: usize = 64 << 10;
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

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
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let state = Arc::new(State {
            answers,
            count: watch::Sender::new(0),
            arrivals: Mutex::default(),
        });
        let shared = state.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let state = shared.clone();
                tokio::spawn(async move {
                    if let Err(error) = talk(&state, stream).await {
                        tracing::debug!(%error, "a connection of the benchmark ended");
                    }
                });
            }
        });
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

async fn talk(state: &State, mut stream: TcpStream) -> anyhow::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = Vec::new();
    loop {
        let end = loop {
            if let Some(at) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            anyhow::ensure!(buffer.len() < MOST, "too much");
            if stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        };
        let head = String::from_utf8_lossy(&buffer[..end]).to_ascii_lowercase();
        let header = |name: &str| {
            let mut lines = head.lines().filter_map(|line| line.split_once(':'));
            lines.find_map(|(given, value)| (given == name).then(|| value.trim().to_owned()))
        };
        let length: usize = header("content-length").context("no length")?.parse()?;
        while buffer.len() < end + length {
            anyhow::ensure!(buffer.len() < MOST, "too much");
            anyhow::ensure!(stream.read_buf(&mut buffer).await? > 0, "cut");
        }
        buffer.drain(..end + length);
        // Bare posts have none, and are not counted.
        if let Some(id) = header("x-webhook-id") {
            let now = Instant::now();
            let id = id.replacen("evt_", "", 1).to_ascii_uppercase();
            let mut arrivals = state
                .arrivals
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            arrivals.entry(format!("evt_{id}")).or_insert(now);
            drop(arrivals);
            state.count.send_modify(|count| *count += 1);
        }
        if state.answers {
            stream.write_all(ANSWER).await?;
        }
    }
}
