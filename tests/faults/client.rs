//! A client that repeats until it knows.

use crate::lane::{City, Lane, Node};
use serde_json::Value;
use std::time::{Duration, Instant};
use tests::Answer;

/// One request under one Idempotency-Key.
#[derive(Clone)]
pub struct Order {
    pub path: &'static str,
    pub body: Value,
    pub key: String,
}

impl Order {
    /// A note of a city.
    pub fn issue(lane: &Lane, city: City, key: impl Into<String>) -> Order {
        Order {
            path: match city {
                City::Sefaz => "/api/v1/nfe",
                _ => "/api/v1/nfse",
            },
            body: lane.note(city),
            key: key.into(),
        }
    }

    /// Sends once; None when the connection broke.
    pub async fn send(&self, lane: &Lane, node: &Node) -> Option<Answer> {
        self.send_to(lane, &node.base_url).await
    }

    /// The same, to the hub at an address.
    pub async fn send_to(&self, lane: &Lane, base_url: &str) -> Option<Answer> {
        let request = lane
            .http
            .post(format!("{base_url}{}", self.path))
            .bearer_auth(&lane.live_key)
            .header("content-type", "application/json")
            .header("idempotency-key", &self.key)
            .timeout(Duration::from_secs(30))
            .body(self.body.to_string());
        let response = request.send().await.ok()?;
        Answer::read(response).await.ok()
    }

    /// Repeats while the answer says that it is not the last one.
    ///
    /// # Panics
    /// The node dies, or does not get to an end.
    pub async fn insist(&self, lane: &Lane, node: &Node) -> Answer {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let answer = self.send(lane, node).await;
            let answer =
                answer.unwrap_or_else(|| panic!("{}: no answer\n{}", self.path, lane.log()));
            if !answer.is_open() {
                return answer;
            }
            assert!(
                Instant::now() < deadline,
                "{}: still {}\n{}",
                self.path,
                answer.text,
                lane.log()
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}
