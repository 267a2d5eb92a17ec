//! A customer's server on this machine: checks the signatures of events and how
//! long after their making they arrive.

use crate::histogram::Histogram;
use crate::posts::{self, Posts, header};
use base::when::Clock;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::Serialize;
use sha2::Sha256;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Ends with the runtime.
pub struct Receiver {
    address: SocketAddr,
    state: Arc<State>,
}

struct State {
    clock: Clock,
    secret: watch::Sender<Option<String>>,
    /// How many requests came.
    count: watch::Sender<u64>,
    heard: Mutex<Heard>,
}

#[derive(Default)]
struct Heard {
    delay: Histogram,
    events: u64,
    repeated: u64,
    forged: u64,
}

/// What arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Arrived {
    /// Events that arrived at the first attempt, signed as they should be.
    pub events: u64,
    /// Later attempts.
    pub repeated: u64,
    /// Requests whose signature is not the webhook's.
    pub forged: u64,
    /// From the making of an event to its arrival.
    pub p50_ms: f64,
    pub p99_ms: f64,
    pub max_ms: f64,
}

impl State {
    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Receiver {
    /// A server that answers 200 at once. `clock` is that of the hub, the machine's.
    ///
    /// # Errors
    /// There is no port.
    pub async fn start(clock: Clock) -> anyhow::Result<Receiver> {
        let state = Arc::new(State {
            clock,
            secret: watch::Sender::new(None),
            count: watch::Sender::new(0),
            heard: Mutex::default(),
        });
        let shared = state.clone();
        let address = posts::listen(move |posts| talk(shared.clone(), posts)).await?;
        Ok(Receiver { address, state })
    }

    pub fn url(&self) -> String {
        format!("http://{}/avisos", self.address)
    }

    /// The secret that requests are signed with from now on; those before wait for it.
    pub fn expect(&self, secret: String) {
        self.state.secret.send_replace(Some(secret));
    }

    /// Waits until nothing came for so long.
    pub async fn quiet(&self, pause: Duration) {
        let mut count = self.state.count.subscribe();
        while tokio::time::timeout(pause, count.changed()).await.is_ok() {}
    }

    pub fn arrived(&self) -> Arrived {
        let heard = self.state.heard();
        let ms = |part| heard.delay.quantile(part).as_secs_f64() * 1e3;
        Arrived {
            events: heard.events,
            repeated: heard.repeated,
            forged: heard.forged,
            p50_ms: ms(0.5),
            p99_ms: ms(0.99),
            max_ms: ms(1.0),
        }
    }
}

/// Requests of one connection.
async fn talk(state: Arc<State>, mut posts: Posts) -> anyhow::Result<()> {
    while let Some(post) = posts.next().await? {
        let now_ms = (state.clock)();
        let mut known = state.secret.subscribe();
        let secret = known.wait_for(Option::is_some).await?.clone();
        let signed = is_signed(&post.head, post.body, secret.as_deref().unwrap_or_default());
        take(&state, &post.head, signed, now_ms);
        posts.answer().await?;
    }
    Ok(())
}

fn take(state: &State, head: &str, signed: bool, now_ms: i64) {
    let mut heard = state.heard();
    let made_ms = header(head, "x-webhook-id").and_then(|id| base::ids::moment("evt", id));
    match made_ms {
        Some(made_ms) if signed && header(head, "x-webhook-attempt") == Some("1") => {
            heard.events += 1;
            let delay = u64::try_from(now_ms - made_ms).unwrap_or_default();
            heard.delay.record(Duration::from_millis(delay));
        }
        Some(_) if signed => heard.repeated += 1,
        _ => heard.forged += 1,
    }
    drop(heard);
    state.count.send_modify(|count| *count += 1);
}

/// Whether `X-Webhook-Signature-256` is that of the secret.
fn is_signed(head: &str, body: &[u8], secret: &str) -> bool {
    let (Some(id), Some(signature)) = (
        header(head, "x-webhook-id"),
        header(head, "x-webhook-signature-256"),
    ) else {
        return false;
    };
    let mut parts = signature.split(',');
    let Some(seconds) = parts.next().and_then(|part| part.strip_prefix("t=")) else {
        return false;
    };
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        return false;
    };
    for part in [seconds.as_bytes(), b".", id.as_bytes(), b".", body] {
        mac.update(part);
    }
    let made: String = mac
        .finalize()
        .into_bytes()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    parts.any(|part| part.strip_prefix("v1=") == Some(made.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    // The example of the guide for receivers.
    const SECRET: &str = "whsec_c2VncmVkbw==";
    const HEAD: &str = "POST /avisos HTTP/1.1\r\nX-Webhook-Id: evt_1\r\n\
        X-Webhook-Signature-256: t=1791206103,v1=226ddf25e242c95bbbfd927a80f89e1dd03429282113f07300c7648202627234\r\n\r\n";

    #[test]
    fn signatures_are_checked() {
        assert!(is_signed(HEAD, b"{}", SECRET));
        assert!(!is_signed(HEAD, b"{ }", SECRET));
        assert!(!is_signed(HEAD, b"{}", "whsec_other"));
        assert!(!is_signed("POST / HTTP/1.1\r\n\r\n", b"{}", SECRET));
    }
}
