//! A customer's server: takes what a hub delivers and answers as it is told.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU16, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Received {
    pub path: String,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// It is none.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }
}

/// Handle to the server; it ends with the test's runtime.
#[derive(Clone)]
pub struct Receiver(Arc<State>);

struct State {
    address: SocketAddr,
    received: Mutex<Vec<Received>>,
    count: AtomicUsize,
    status: AtomicU16,
    extra: Mutex<String>,
    delay_ms: AtomicU64,
    /// Whether answers are held back.
    held: watch::Sender<bool>,
    keep: bool,
    open: AtomicUsize,
    most_open: AtomicUsize,
}

impl Receiver {
    /// A server that answers 200 and keeps what it gets.
    pub async fn start() -> Receiver {
        Receiver::with(true).await
    }

    /// A server that only counts.
    pub async fn counting() -> Receiver {
        Receiver::with(false).await
    }

    async fn with(keep: bool) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("port");
        let state = Arc::new(State {
            address: listener.local_addr().expect("address"),
            received: Mutex::default(),
            count: AtomicUsize::new(0),
            status: AtomicU16::new(200),
            extra: Mutex::default(),
            delay_ms: AtomicU64::new(0),
            held: watch::Sender::new(false),
            keep,
            open: AtomicUsize::new(0),
            most_open: AtomicUsize::new(0),
        });
        let shared = state.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let state = shared.clone();
                tokio::spawn(async move {
                    let open = state.open.fetch_add(1, Ordering::SeqCst) + 1;
                    state.most_open.fetch_max(open, Ordering::SeqCst);
                    // A client that goes away ends the conversation.
                    drop(talk(&state, stream).await);
                    state.open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Receiver(state)
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.0.address)
    }

    pub fn port(&self) -> u16 {
        self.0.address.port()
    }

    /// What it answers from now on.
    pub fn answer(&self, status: u16) {
        self.0.status.store(status, Ordering::SeqCst);
    }

    /// From now on it gives no answer, and ends the connection when a request came.
    pub fn hang_up(&self) {
        self.answer(0);
    }

    /// Header lines it adds from now on, each ended by CRLF.
    pub fn add(&self, lines: &str) {
        lines.clone_into(&mut self.0.extra.lock().expect("lines"));
    }

    /// How long it takes to answer from now on.
    pub fn delay(&self, delay: Duration) {
        let ms = u64::try_from(delay.as_millis()).expect("a delay");
        self.0.delay_ms.store(ms, Ordering::SeqCst);
    }

    /// Answers nothing until [`Receiver::release`].
    pub fn hold(&self) {
        self.0.held.send_replace(true);
    }

    /// Answers what it holds back, and everything from now on.
    pub fn release(&self) {
        self.0.held.send_replace(false);
    }

    pub fn received(&self) -> Vec<Received> {
        self.0.received.lock().expect("requests").clone()
    }

    pub fn count(&self) -> usize {
        self.0.count.load(Ordering::SeqCst)
    }

    /// Connections there are.
    pub fn open(&self) -> usize {
        self.0.open.load(Ordering::SeqCst)
    }

    /// Connections there were at the same moment, at most.
    pub fn most_open(&self) -> usize {
        self.0.most_open.load(Ordering::SeqCst)
    }

    /// Waits until it got so many requests; all of them.
    ///
    /// # Panics
    /// They do not come within a minute.
    pub async fn until(&self, count: usize) -> Vec<Received> {
        crate::until(async || match self.count() {
            so_far if so_far < count => Err(format!("{so_far} requests instead of {count}")),
            _ => Ok(self.received()),
        })
        .await
    }
}

async fn talk(state: &State, mut stream: TcpStream) -> std::io::Result<()> {
    let mut buffer = Vec::new();
    loop {
        let head = loop {
            if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break end;
            }
            if stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        };
        let text = String::from_utf8_lossy(&buffer[..head]).into_owned();
        let mut lines = text.split("\r\n");
        let path = lines
            .next()
            .and_then(|line| line.split(' ').nth(1))
            .unwrap_or_default()
            .to_owned();
        let headers: BTreeMap<String, String> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let length: usize = headers
            .get("content-length")
            .and_then(|length| length.parse().ok())
            .unwrap_or(0);
        while buffer.len() < head + 4 + length {
            if stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        }
        let body = buffer[head + 4..head + 4 + length].to_vec();
        buffer.drain(..head + 4 + length);
        if state.keep {
            let received = Received {
                path,
                headers,
                body,
            };
            state.received.lock().expect("requests").push(received);
        }
        state.count.fetch_add(1, Ordering::SeqCst);
        let delay = state.delay_ms.load(Ordering::SeqCst);
        if delay > 0 {
            tokio::time::sleep(Duration::from_millis(delay)).await;
        }
        // The sender lives as long as the server.
        drop(state.held.subscribe().wait_for(|held| !held).await);
        let status = state.status.load(Ordering::SeqCst);
        if status == 0 {
            return Ok(());
        }
        let extra = state.extra.lock().expect("lines").clone();
        let answer = format!("HTTP/1.1 {status} x\r\ncontent-length: 2\r\n{extra}\r\nok");
        stream.write_all(answer.as_bytes()).await?;
    }
}
