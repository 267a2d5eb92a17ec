//! Numbers of this process for Prometheus, on a listener of their own
//! (`metrics.listen`).
//!
//! Labels come from short lists: operations, models, adapters, hosts of the
//! registry. Never an account, a key or a CNPJ.

pub mod process;
mod registry;

pub use registry::{Counters, Histograms, SERIES, Value, gauge};

/// Bounds of calls, seconds: a look-up takes a millisecond, and a call waits
/// 25 s for an authority.
const CALLS: [f64; 13] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 15.0, 30.0,
];
/// Bounds of what authorities take, seconds.
const ROUND_TRIPS: [f64; 11] = [0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];
/// Bounds of documents, seconds: one may be asked about for days.
const DOCUMENTS: [f64; 12] = [
    0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 600.0, 3_600.0, 86_400.0,
];
/// Bounds of waits for a connection, seconds.
const WAITS: [f64; 9] = [0.0001, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 10.0];
/// Bounds of a group of transactions.
const GROUPS: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];

pub static HTTP: Counters<2> = Counters::new(
    "hub_http_requests_total",
    ["operation", "status"],
    "Calls answered, by operation and class of status.",
);
pub static HTTP_SECONDS: Histograms<1> = Histograms::new(
    "hub_http_request_duration_seconds",
    ["operation"],
    &CALLS,
    "Time to the head of the answer, by operation.",
);
pub static ISSUED: Counters<2> = Counters::new(
    "hub_issuance_total",
    ["model", "outcome"],
    "Flows of documents that ended, by model (55, 65, nfse; evento: what happens to a document) and outcome.",
);
pub static ISSUED_SECONDS: Histograms<2> = Histograms::new(
    "hub_issuance_duration_seconds",
    ["model", "outcome"],
    &DOCUMENTS,
    "Time from a document's row to the end of its flow, by model and outcome.",
);
pub static AUTHORITY_SECONDS: Histograms<3> = Histograms::new(
    "hub_authority_request_duration_seconds",
    ["system", "host", "result"],
    &ROUND_TRIPS,
    "Round trips to authorities, by adapter, host and result (class of HTTP status, or what failed).",
);
pub static FLOW_STEPS: Counters<2> = Counters::new(
    "hub_flow_steps_total",
    ["system", "next"],
    "Steps adapters took, by what they wanted next.",
);
pub static FLOW_TRAPS: Counters<1> = Counters::new(
    "hub_flow_traps_total",
    ["system"],
    "Flows whose adapter trapped, ran out of a limit or broke the contract.",
);
pub static ADAPTER_CHANGES: Counters<2> = Counters::new(
    "hub_adapter_changes_total",
    ["system", "status"],
    "Releases of adapters that this hub began to use (active, canary) or gave up because they failed (quarantined).",
);
pub static WEBHOOK_ATTEMPTS: Counters<1> = Counters::new(
    "hub_webhook_attempts_total",
    ["result"],
    "Attempts to deliver, by class of HTTP status, or no_answer.",
);
pub static WRITER_BATCH: Histograms<0> = Histograms::new(
    "hub_writer_batch_size",
    [],
    &GROUPS,
    "Transactions of one commit of the SQLite writer.",
);
pub static POOL_WAIT: Histograms<1> = Histograms::new(
    "hub_pool_wait_seconds",
    ["pool"],
    &WAITS,
    "Waits for a connection to the database, or for the SQLite writer to take a transaction.",
);
pub static SPANS_DROPPED: Counters<1> = Counters::new(
    "hub_trace_spans_dropped_total",
    ["reason"],
    "Spans that were not sent: the queue was full, or the receiver did not take them.",
);

/// Classes of HTTP status that alerts and dashboards look at.
const LOOKED_AT: [&str; 3] = ["2xx", "4xx", "5xx"];
/// What becomes of the documents of each model (`55`, `65`, …) that alerts look at.
const ISSUED_AS: [&str; 2] = ["autorizada", "rejeitada"];
/// Why spans are dropped.
const DROPPED: [&str; 2] = ["queue_full", "not_taken"];
/// What attempts at webhooks come to, besides the classes of HTTP status.
const NO_ANSWER: &str = "no_answer";

/// Begins the counters that a hub may alarm with, at 0: once, when it begins to tell its
/// numbers.
pub fn begin<'n>(operations: impl Iterator<Item = &'n str>, models: impl Iterator<Item = &'n str>) {
    for operation in operations {
        for class in LOOKED_AT {
            HTTP.begin([operation, class]);
        }
    }
    for model in models {
        for outcome in ISSUED_AS {
            ISSUED.begin([model, outcome]);
        }
    }
    for result in LOOKED_AT.into_iter().chain([NO_ANSWER]) {
        WEBHOOK_ATTEMPTS.begin([result]);
    }
    for reason in DROPPED {
        SPANS_DROPPED.begin([reason]);
    }
}

/// The same of an adapter, by its name and the words of what may become of its releases:
/// adapters come while a hub runs.
pub fn begin_adapter(name: &str, statuses: &[&str]) {
    FLOW_TRAPS.begin([name]);
    for status in statuses {
        ADAPTER_CHANGES.begin([name, status]);
    }
}

/// `2xx`: the class of an HTTP status.
pub fn class(status: u16) -> &'static str {
    match status / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        5 => "5xx",
        _ => "other",
    }
}

/// What was counted so far, as text.
pub fn counted() -> String {
    let mut text = String::new();
    HTTP.write(&mut text);
    HTTP_SECONDS.write(&mut text);
    ISSUED.write(&mut text);
    ISSUED_SECONDS.write(&mut text);
    AUTHORITY_SECONDS.write(&mut text);
    FLOW_STEPS.write(&mut text);
    FLOW_TRAPS.write(&mut text);
    ADAPTER_CHANGES.write(&mut text);
    WEBHOOK_ATTEMPTS.write(&mut text);
    WRITER_BATCH.write(&mut text);
    POOL_WAIT.write(&mut text);
    SPANS_DROPPED.write(&mut text);
    text
}
