//! What the database says of itself, as metrics.

use base::metrics::Value;
use store::tables::metrics::{CertificateLevels, Levels};
use store::tables::sizes::TableLevel;

/// What costs the database more than the rest.
#[derive(Clone, Debug)]
pub struct Slow {
    pub certificates: CertificateLevels,
    pub database_bytes: i64,
}

/// Name, meaning and value of what the database said.
pub fn of_database(levels: &Levels, now_ms: i64) -> [(&'static str, &'static str, f64); 12] {
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
        (
            "hub_webhooks_behind",
            "Webhooks that something is to be sent to and that have no delivery of it yet: what arrives at once has none before.",
            number(levels.behind.webhooks),
        ),
        (
            "hub_webhook_events_behind",
            "Events that they may have to be told of: at most so many, because those that they did not ask for are counted, too.",
            number(levels.behind.events),
        ),
        (
            "hub_webhook_behind_seconds",
            "How long the first of these webhooks has been due, or had something left after a turn.",
            age(levels.behind.since_ms),
        ),
        (
            "hub_mails_waiting",
            "Mails and messages that wait, due or not.",
            number(levels.mails.waiting),
        ),
        (
            "hub_mail_lag_seconds",
            "How long the oldest mail or message has been due.",
            age(levels.mails.due_since_ms),
        ),
    ]
}

/// What the tables take and hold.
pub fn of_tables(tables: &[TableLevel], put: &mut impl FnMut(&str, &str, Vec<Value>)) {
    let of = |table: &TableLevel, level: Option<i64>| {
        Some((vec![("table", table.name.clone())], number(level?)))
    };
    put(
        "hub_table_bytes",
        "What a table takes on disk, with its indexes; of a SQLite file above 4 GiB about what its rows take, without them.",
        tables
            .iter()
            .filter_map(|table| of(table, table.bytes))
            .collect(),
    );
    put(
        "hub_table_rows",
        "Rows of a table, about.",
        tables
            .iter()
            .filter_map(|table| of(table, table.rows))
            .collect(),
    );
}

/// Certificates that companies sign with, by when they end: nothing tells whose.
pub fn of_certificates(
    levels: &CertificateLevels,
    now_ms: i64,
    put: &mut impl FnMut(&str, &str, Vec<Value>),
) {
    let by_end = [
        ("ended", levels.ended),
        ("7d", levels.days_7),
        ("30d", levels.days_30),
        ("later", levels.later),
    ];
    let values = by_end.map(|(ends, count)| (vec![("ends", ends.to_owned())], number(count)));
    put(
        "hub_certificates",
        "Certificates that companies sign with, by when they end: ended, within 7 days, within 30, later.",
        values.into(),
    );
    if levels.next_ms > 0 {
        put(
            "hub_certificate_next_end_seconds",
            "Time until the next of them ends.",
            vec![(Vec::new(), seconds(levels.next_ms - now_ms))],
        );
    }
}

/// A count as Prometheus has them: exact up to 2^53.
pub fn number(count: i64) -> f64 {
    let clipped = i32::try_from(count);
    clipped.map_or_else(|_| count.to_string().parse().unwrap_or(f64::MAX), f64::from)
}

pub fn seconds(ms: i64) -> f64 {
    number(ms) / 1_000.0
}
