//! Spans of a call that came with a trace, at a receiver of this machine; and a
//! receiver that hangs, which nobody waits for.

use crate::client::Order;
use crate::lane::{City, Lane};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;
use tests::app::Backend;
use tests::receiver::Receiver;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

/// Spans that arrived so far.
fn spans(receiver: &Receiver) -> Vec<Value> {
    let mut spans = Vec::new();
    for got in receiver.received() {
        assert_eq!(got.header("content-type"), "application/json");
        for resource in got.json()["resourceSpans"].as_array().expect("resources") {
            for scope in resource["scopeSpans"].as_array().expect("scopes") {
                spans.extend(scope["spans"].as_array().expect("spans").iter().cloned());
            }
        }
    }
    spans
}

fn attributes(span: &Value) -> BTreeMap<&str, String> {
    let all = span["attributes"].as_array().expect("attributes").iter();
    all.map(|one| {
        let value = &one["value"];
        let text = value["stringValue"].as_str().or(value["intValue"].as_str());
        (
            one["key"].as_str().expect("a key"),
            text.expect("a value").to_owned(),
        )
    })
    .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_is_followed_to_the_authority() {
    let receiver = Receiver::start().await;
    let url = receiver.url("/v1/traces");
    let settings = [
        ("HUB_TRACES_ENDPOINT", url.as_str()),
        ("HUB_TRACES_GATHER_MS", "20"),
    ];
    let lane = Lane::open_with(Backend::Sqlite, &[City::Sefaz], &settings).await;
    let lane = lane.expect("SQLite is always there");
    let node = lane.node().await;
    let answer = lane
        .http
        .post(format!("{}/api/v1/nfe", node.base_url))
        .bearer_auth(&lane.live_key)
        .header("content-type", "application/json")
        .header("traceparent", format!("00-{TRACE}-{CALLER}-01"))
        .body(lane.note(City::Sefaz).to_string())
        .send()
        .await
        .expect("an answer");
    assert_eq!(answer.status().as_u16(), 201);
    let request_id = answer.headers()["x-request-id"]
        .to_str()
        .expect("an id")
        .to_owned();
    let ours = || -> Vec<Value> {
        let all = spans(&receiver).into_iter();
        all.filter(|span| span["traceId"] == TRACE).collect()
    };
    lane.until("the spans of the call", async || {
        let names: Vec<Value> = ours().iter().map(|span| span["name"].clone()).collect();
        ["nfe.create", "issuance", "authority", "step done"]
            .iter()
            .all(|name| names.iter().any(|known| known == name))
    })
    .await;
    let ours = ours();
    let named = |name: &str| {
        let found = ours.iter().find(|span| span["name"] == name);
        found.expect("a span")
    };
    let (call, issuance) = (named("nfe.create"), named("issuance"));
    assert_eq!(
        (&call["parentSpanId"], &call["kind"]),
        (&CALLER.into(), &2.into())
    );
    assert_eq!(issuance["parentSpanId"], call["spanId"]);
    for below in ["authority", "step send", "step done"] {
        assert_eq!(named(below)["parentSpanId"], issuance["spanId"], "{below}");
    }
    let said = attributes(call);
    assert_eq!(
        (
            said["http.route"].as_str(),
            said["http.response.status_code"].as_str()
        ),
        ("/api/v1/nfe", "201")
    );
    assert_eq!(said["hub.request_id"], request_id);
    assert_eq!(attributes(named("authority"))["hub.result"], "2xx");
    let time = |span: &Value, which: &str| -> u128 {
        span[which]
            .as_str()
            .expect("a time")
            .parse()
            .expect("nanoseconds")
    };
    for span in &ours {
        assert!(
            time(span, "startTimeUnixNano") <= time(span, "endTimeUnixNano"),
            "{span}"
        );
        for id in ["traceId", "spanId"] {
            let id = span[id].as_str().expect("an id");
            assert!(id.chars().all(|c| c.is_ascii_hexdigit()), "{span}");
        }
        let text = span.to_string();
        for secret in [
            lane.live_key.as_str(),
            &lane.account_id,
            &lane.cnpj[&City::Sefaz],
        ] {
            assert!(!text.contains(secret), "{span}");
        }
    }
    assert!(lane.log().contains(TRACE), "the log names the trace");
    let told = lane.sim.notas();
    assert_eq!(told.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_hangs_holds_nobody_up() {
    let receiver = Receiver::counting().await;
    receiver.delay(Duration::from_secs(60));
    let url = receiver.url("/v1/traces");
    let settings = [
        ("HUB_TRACES_ENDPOINT", url.as_str()),
        ("HUB_TRACES_QUEUE", "4"),
        ("HUB_TRACES_BATCH", "1"),
        ("HUB_METRICS_LISTEN", "127.0.0.1:0"),
        ("HUB_SERVER_DRAIN_S", "1"),
    ];
    let lane = Lane::open_with(Backend::Sqlite, &[City::Sefaz], &settings).await;
    let lane = lane.expect("SQLite is always there");
    let mut node = lane.node().await;
    for n in 0..4 {
        let order = Order::issue(&lane, City::Sefaz, format!("nota-{n}"));
        assert_eq!(order.insist(&lane, &node).await.summary(), "201 autorizada");
    }
    let text = crate::metrics::metrics(&lane).await;
    assert!(
        text.contains("hub_trace_spans_dropped_total{reason=\"queue_full\"}"),
        "{text}"
    );
    lane.settled().await;
    assert_eq!(node.stop().await, Some(0));
    lane.check("nobody took the spans").await;
}
