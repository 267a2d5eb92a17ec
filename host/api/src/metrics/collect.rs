//! Metrics that are not counted but read when somebody asks: from the database,
//! the breaker and the process.

use base::metrics::{counted, gauge};
use issuing::Issuing;
use std::sync::atomic::Ordering;
use std::time::Duration;
use store::ids::AccountId;
use store::tables::metrics::{self, Levels};
use tokio::sync::Mutex;

/// A database slower than this is not waited for.
const DATABASE: Duration = Duration::from_secs(3);

/// Answers with the numbers of a hub.
pub struct Collector {
    app: Issuing,
    /// What the database last said, and when (epoch milliseconds).
    last: Mutex<Option<(i64, Levels)>>,
}

impl Collector {
    pub fn new(app: Issuing) -> Collector {
        Collector {
            app,
            last: Mutex::default(),
        }
    }

    /// The text of all metrics. What the database does not answer is left out:
    /// `hub_database_up` says so.
    pub async fn text(&self) -> String {
        let mut text = counted();
        let app = &self.app;
        let now_ms = app.now_ms();
        let one = |value: f64| vec![(Vec::new(), value)];
        let levels = self.levels(now_ms).await;
        let mut put = |name: &str, help: &str, values| gauge(&mut text, name, help, values);
        put(
            "hub_database_up",
            "1 when the database answered this question.",
            one(f64::from(u8::from(levels.is_some()))),
        );
        if let Some(levels) = levels {
            for (name, help, value) in of_database(&levels, now_ms) {
                put(name, help, one(value));
            }
        }
        let (authorizers, companies) = app.breaker.open(now_ms);
        let of = |who: &str, count: usize| {
            let labels = vec![("who", who.to_owned())];
            (labels, number(i64::try_from(count).unwrap_or(i64::MAX)))
        };
        put(
            "hub_breaker_open",
            "Authorizers that are left alone, and companies that must wait.",
            vec![of("authorizer", authorizers), of("company", companies)],
        );
        put(
            "hub_flows_running",
            "Flows this process is running.",
            one(number(i64::try_from(app.running.len()).unwrap_or(0))),
        );
        let leaving = app.leaving.load(Ordering::Relaxed);
        put(
            "hub_draining",
            "1 when the process was told to stop.",
            one(f64::from(u8::from(leaving))),
        );
        put(
            "hub_start_time_seconds",
            "When the process began, seconds since 1970.",
            one(seconds(app.started_ms)),
        );
        let version = vec![("version", env!("CARGO_PKG_VERSION").to_owned())];
        put("hub_build_info", "The program.", vec![(version, 1.0)]);
        text
    }

    async fn levels(&self, now_ms: i64) -> Option<Levels> {
        let mut last = self.last.lock().await;
        let held = i64::try_from(self.app.config.metrics.collect_s).unwrap_or(i64::MAX);
        if let Some((at_ms, levels)) = &*last
            && (0..held.saturating_mul(1_000)).contains(&(now_ms - at_ms))
        {
            return Some(levels.clone());
        }
        let asked = async {
            let mut conn = self.app.db.walk(&AccountId::default()).await?;
            metrics::levels(&mut conn, now_ms).await
        };
        match tokio::time::timeout(DATABASE, asked).await {
            Ok(Ok(levels)) => {
                *last = Some((now_ms, levels.clone()));
                Some(levels)
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, "the database does not say its numbers");
                None
            }
            Err(_) => {
                tracing::warn!("the database is too slow to say its numbers");
                None
            }
        }
    }
}

/// Name, meaning and value of what the database said.
fn of_database(levels: &Levels, now_ms: i64) -> [(&'static str, &'static str, f64); 7] {
    let age = |since_ms: i64| match since_ms {
        0 => 0.0,
        since_ms => seconds(now_ms - since_ms),
    };
    [
        (
            "hub_unknown_documents",
            "Documents of which nobody knows yet what became (em_transmissao).",
            number(levels.unknown),
        ),
        (
            "hub_unknown_document_oldest_seconds",
            "Age of the oldest of them.",
            age(levels.unknown_since_ms),
        ),
        (
            "hub_held_credits",
            "Credits held for work in progress.",
            number(levels.held),
        ),
        (
            "hub_outbox_events",
            "Events that have no place in the order of their account yet.",
            number(levels.outbox),
        ),
        (
            "hub_outbox_lag_seconds",
            "Age of the oldest of them.",
            age(levels.outbox_since_ms),
        ),
        (
            "hub_webhook_deliveries_due",
            "Deliveries whose moment has come.",
            number(levels.deliveries),
        ),
        (
            "hub_webhook_lag_seconds",
            "How long the oldest of them has been due.",
            age(levels.deliveries_since_ms),
        ),
    ]
}

/// A count as Prometheus has them: exact up to 2^53.
fn number(count: i64) -> f64 {
    let clipped = i32::try_from(count);
    clipped.map_or_else(|_| count.to_string().parse().unwrap_or(f64::MAX), f64::from)
}

fn seconds(ms: i64) -> f64 {
    number(ms) / 1_000.0
}
