//! Rows of a note that a hub has no more, once the note is old: keys of calls, what webhooks
//! were told, what adapters had signed. They would only make a generated store larger than a
//! real one.

use super::sheet::{Placed, integer, text, ulid};
use std::collections::BTreeSet;
use store::copy::bulk::Table;

/// Since when a hub has rows, epoch milliseconds: it removed the older ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Purged {
    /// Idempotency keys (`issuing.idempotency_hours`).
    pub keys_ms: i64,
    /// Events and their deliveries (`webhooks.keep_days`).
    pub events_ms: i64,
    /// What adapters had signed (`adapters.audit_days`).
    pub uses_ms: i64,
}

impl Purged {
    /// Nothing was removed.
    pub const NOTHING: Purged = Purged {
        keys_ms: i64::MIN,
        events_ms: i64::MIN,
        uses_ms: i64::MIN,
    };

    /// The rows of a note that are left. Events of a document whose texts are in its tables
    /// stay: its record does not tell them.
    pub fn left(&self, tables: &[Table], rows: Vec<Placed>) -> Vec<Placed> {
        let records = rows.iter().filter_map(|(place, row)| {
            let table = tables.get(*place)?;
            let subject = text(table, row, "subject_id")?;
            (table.name == "packed_records").then(|| subject.to_owned())
        });
        let packed: BTreeSet<String> = records.collect();
        let is_left = |placed: &Placed| {
            let Some(table) = tables.get(placed.0) else {
                return true;
            };
            let said = |column: &str| text(table, &placed.1, column).unwrap_or_default();
            match table.name.as_str() {
                "idempotency_keys" => at(table, placed, "created_at_ms") >= self.keys_ms,
                "adapter_uses" => at(table, placed, "at_ms") >= self.uses_ms,
                "outbox" => {
                    told(said("id")) >= self.events_ms || !packed.contains(said("subject_id"))
                }
                "deliveries" => told(said("id")) >= self.events_ms,
                "delivery_attempts" => told(said("delivery_id")) >= self.events_ms,
                _ => true,
            }
        };
        rows.into_iter().filter(is_left).collect()
    }
}

/// A moment that a row says; what says none stays.
fn at(table: &Table, placed: &Placed, column: &str) -> i64 {
    integer(table, &placed.1, column).unwrap_or(i64::MAX)
}

/// When an event was told, by its id, which those of its deliveries begin with, as the hub
/// does.
fn told(id: &str) -> i64 {
    let ulid = ulid(id).map(|ulid| format!("x_{ulid}"));
    ulid.and_then(|id| base::ids::moment("x", &id))
        .unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::slots;
    use store::copy::bulk::{Column, Kind, Value};

    const DAY_MS: i64 = 86_400_000;
    const NOW_MS: i64 = 1_796_040_000_000;
    const PURGED: Purged = Purged {
        keys_ms: NOW_MS - 8 * DAY_MS,
        events_ms: NOW_MS - 90 * DAY_MS,
        uses_ms: NOW_MS - 1_826 * DAY_MS,
    };

    fn tables() -> Vec<Table> {
        let table = |name: &str, columns: &[&str]| Table {
            name: name.to_owned(),
            columns: columns
                .iter()
                .map(|name| Column {
                    name: (*name).to_owned(),
                    kind: if name.ends_with("_ms") {
                        Kind::Integer
                    } else {
                        Kind::Text
                    },
                })
                .collect(),
            key: vec![0],
            itself: None,
        };
        vec![
            table("notas", &["id", "created_at_ms"]),
            table("idempotency_keys", &["idempotency_key", "created_at_ms"]),
            table("outbox", &["id", "subject_id"]),
            table("deliveries", &["id"]),
            table("delivery_attempts", &["delivery_id"]),
            table("requests", &["id", "created_at_ms"]),
            table("packed_records", &["subject_id"]),
            table("adapter_uses", &["id", "at_ms"]),
        ]
    }

    /// Names of the tables in which a note of so many days has rows.
    fn left(days: i64, packed: bool) -> Vec<String> {
        let at_ms = NOW_MS - days * DAY_MS;
        let (ulid, tables) = (slots::id(at_ms, 7, 1), tables());
        let text = |text: String| Value::Text(text);
        let mut rows = vec![
            (0, vec![text("nfse_1".to_owned()), Value::Integer(at_ms)]),
            (1, vec![text("key-1".to_owned()), Value::Integer(at_ms)]),
            (
                2,
                vec![text(format!("evt_{ulid}")), text("nfse_1".to_owned())],
            ),
            (3, vec![text(format!("ent_{ulid}ABCDEFGHJK"))]),
            (4, vec![text(format!("ent_{ulid}ABCDEFGHJK"))]),
            (5, vec![text("req_1".to_owned()), Value::Integer(at_ms)]),
        ];
        rows.push((7, vec![text("use_1".to_owned()), Value::Integer(at_ms)]));
        if packed {
            rows.push((6, vec![text("nfse_1".to_owned())]));
        }
        let left = PURGED.left(&tables, rows);
        left.iter()
            .map(|(place, _)| tables[*place].name.clone())
            .collect()
    }

    #[test]
    fn an_old_note_has_neither_events_nor_deliveries_nor_a_key() {
        let old = ["notas", "requests", "adapter_uses", "packed_records"];
        assert_eq!(left(100, true), old);
        assert_eq!(left(2_000, true), ["notas", "requests", "packed_records"]);
    }

    #[test]
    fn a_young_note_has_them() {
        let young = [
            "notas",
            "outbox",
            "deliveries",
            "delivery_attempts",
            "requests",
            "adapter_uses",
            "packed_records",
        ];
        assert_eq!(left(10, true), young);
        assert_eq!(left(7, true).len(), 8);
    }

    #[test]
    fn events_stay_until_a_record_tells_them() {
        let unpacked = ["notas", "outbox", "requests", "adapter_uses"];
        assert_eq!(left(100, false), unpacked);
    }

    #[test]
    fn nothing_goes_where_nothing_was_removed() {
        let tables = tables();
        let rows = vec![(3, vec![Value::Text("ent_1".to_owned())])];
        assert_eq!(Purged::NOTHING.left(&tables, rows.clone()), rows);
    }
}
