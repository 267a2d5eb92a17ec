//! Spans on their way to the receiver, in groups.

use super::{Span, Value};
use crate::config;
use crate::metrics::SPANS_DROPPED;
use anyhow::Context as _;
use serde_json::{Value as Json, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// How often a receiver that does not take spans is told of.
const TOLD: Duration = Duration::from_secs(60);
/// OTLP's code of a span that failed.
const FAILED: u8 = 2;

/// Sends until nobody is left who could hand spans in.
pub(super) fn run(
    settings: config::Traces,
    mut receiver: mpsc::Receiver<Span>,
    waiting: Arc<AtomicU64>,
) -> anyhow::Result<impl Future<Output = ()> + Send> {
    let client = reqwest::Client::builder()
        .tls_backend_native()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(Duration::from_millis(settings.timeout_ms))
        .user_agent(concat!("hub/", env!("CARGO_PKG_VERSION")))
        .build()
        .context("client of traces")?;
    Ok(async move {
        let mut told: Option<Instant> = None;
        let mut group = Vec::new();
        while receiver.recv_many(&mut group, settings.batch).await > 0 {
            if group.len() < settings.batch {
                tokio::time::sleep(Duration::from_millis(settings.gather_ms)).await;
                while group.len() < settings.batch
                    && let Ok(span) = receiver.try_recv()
                {
                    group.push(span);
                }
            }
            let request = client
                .post(&settings.endpoint)
                .header("content-type", "application/json")
                .body(body(&group).to_string());
            // Sent once: what a receiver may have had is not sent again.
            let problem = match request.send().await {
                Ok(answer) if answer.status().is_success() => None,
                Ok(answer) => Some(format!("it answered {}", answer.status())),
                // The address may hold a secret.
                Err(error) => Some(error.without_url().to_string()),
            };
            if let Some(problem) = problem {
                group
                    .iter()
                    .for_each(|_| SPANS_DROPPED.count(["not_taken"]));
                if told.is_none_or(|told| told.elapsed() > TOLD) {
                    told = Some(Instant::now());
                    tracing::warn!(
                        problem,
                        spans = group.len(),
                        "the receiver of traces does not take them"
                    );
                }
            }
            waiting.fetch_sub(group.len() as u64, Ordering::AcqRel);
            group.clear();
        }
    })
}

/// `ExportTraceServiceRequest` in the JSON mapping of OTLP: ids in hex, 64-bit
/// numbers as texts.
fn body(group: &[Span]) -> Json {
    let spans: Vec<Json> = group.iter().map(span).collect();
    let text = |text: &str| json!({ "stringValue": text });
    json!({ "resourceSpans": [{
        "resource": { "attributes": [
            { "key": "service.name", "value": text("hub") },
            { "key": "service.version", "value": text(env!("CARGO_PKG_VERSION")) },
        ] },
        "scopeSpans": [{ "scope": { "name": "hub" }, "spans": spans }],
    }] })
}

fn span(span: &Span) -> Json {
    let attributes: Vec<Json> = span
        .ended
        .attributes
        .iter()
        .map(|(key, value)| {
            let value = match value {
                Value::Text(text) => json!({ "stringValue": text }),
                Value::Number(number) => json!({ "intValue": number.to_string() }),
            };
            json!({ "key": key, "value": value })
        })
        .collect();
    let mut made = json!({
        "traceId": flow::hex(&span.own.trace), "spanId": flow::hex(&span.own.span),
        "name": span.name, "kind": span.kind as u8,
        "startTimeUnixNano": span.start_ns.to_string(), "endTimeUnixNano": span.end_ns.to_string(),
        "attributes": attributes,
    });
    if let Some(parent) = span.parent {
        made["parentSpanId"] = json!(flow::hex(&parent));
    }
    if span.ended.failed {
        made["status"] = json!({ "code": FAILED });
    }
    made
}
