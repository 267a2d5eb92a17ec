//! The rows of a store, by the names of their columns; and those that belong together.

use anyhow::Context as _;
use std::collections::{BTreeMap, BTreeSet};
use store::Conn;
pub use store::copy::bulk::Placed;
use store::copy::bulk::{self, Row, Table, Value};

/// Tables whose rows many notes share: they are made, not copied.
const SHARED: [&str; 9] = [
    "accounts",
    "api_keys",
    "audit",
    "budgets",
    "certificates",
    "emitters",
    "objetos",
    "users",
    "webhooks",
];
/// Letters of a ULID, and signs of Crockford's base 32.
const ULID: usize = 26;
const SIGNS: &[u8] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A small store, read whole.
pub struct Sheet {
    pub tables: Vec<Table>,
    rows: Vec<Vec<Row>>,
}

/// The ULID that an id begins with behind its prefix. That of a delivery is its event's.
pub fn ulid(text: &str) -> Option<&str> {
    let (prefix, rest) = text.split_once('_')?;
    let ulid = rest.get(..ULID)?;
    let is_prefix =
        (2..=6).contains(&prefix.len()) && prefix.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_prefix && ulid.bytes().all(|byte| SIGNS.contains(&byte))).then_some(ulid)
}

fn ulids(row: &Row) -> impl Iterator<Item = &str> {
    row.iter().filter_map(|value| match value {
        Value::Text(text) => ulid(text),
        _ => None,
    })
}

/// The text of a column.
pub fn text<'r>(table: &Table, row: &'r Row, column: &str) -> Option<&'r str> {
    let place = table
        .columns
        .iter()
        .position(|known| known.name == column)?;
    match row.get(place)? {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// The number of a column.
pub fn integer(table: &Table, row: &Row, column: &str) -> Option<i64> {
    let place = table
        .columns
        .iter()
        .position(|known| known.name == column)?;
    match row.get(place)? {
        Value::Integer(number) => Some(*number),
        _ => None,
    }
}

impl Sheet {
    /// All tables, or those of these names.
    ///
    /// # Errors
    /// The database fails.
    pub async fn read(conn: &mut Conn, only: Option<&[&str]>) -> anyhow::Result<Sheet> {
        let tables = bulk::tables(conn).await?;
        let mut rows = Vec::with_capacity(tables.len());
        for table in &tables {
            let wanted = only.is_none_or(|names| names.contains(&table.name.as_str()));
            rows.push(if wanted {
                bulk::all(conn, table).await?
            } else {
                Vec::new()
            });
        }
        Ok(Sheet { tables, rows })
    }

    /// Tables without rows.
    #[cfg(test)]
    pub fn empty(tables: Vec<Table>) -> Sheet {
        let rows = tables.iter().map(|_| Vec::new()).collect();
        Sheet { tables, rows }
    }

    /// A table with its rows.
    ///
    /// # Errors
    /// There is no such table.
    pub fn of(&self, name: &str) -> anyhow::Result<(&Table, &[Row])> {
        let place = self.tables.iter().position(|table| table.name == name);
        let place = place.with_context(|| format!("there is no table {name}"))?;
        Ok((&self.tables[place], &self.rows[place]))
    }

    fn keys(&self, place: usize) -> impl Iterator<Item = &str> {
        let table = &self.tables[place];
        let rows = self.rows[place].iter();
        rows.flat_map(|row| table.key.iter().filter_map(|key| row.get(*key)))
            .filter_map(|value| match value {
                Value::Text(text) => ulid(text),
                _ => None,
            })
    }

    /// The rows of each note: those that name one another by ids that nothing shared has.
    pub fn groups(&self) -> Vec<Vec<Placed>> {
        let is_shared = |place: &usize| SHARED.contains(&self.tables[*place].name.as_str());
        let (shared, own): (Vec<usize>, Vec<usize>) = (0..self.tables.len()).partition(is_shared);
        let shared: BTreeSet<&str> = shared.iter().flat_map(|place| self.keys(*place)).collect();
        let private: BTreeSet<&str> = own
            .iter()
            .flat_map(|place| self.keys(*place))
            .filter(|id| !shared.contains(id))
            .collect();
        // Which of the ids of a group stands for it.
        let mut heads: BTreeMap<&str, &str> = private.iter().map(|id| (*id, *id)).collect();
        let rows = || {
            own.iter()
                .flat_map(|place| self.rows[*place].iter().map(move |row| (*place, row)))
        };
        for (_, row) in rows() {
            let mut ids = ulids(row).filter(|id| private.contains(id));
            if let Some(first) = ids.next() {
                for other in ids {
                    let (one, two) = (head(&heads, first), head(&heads, other));
                    heads.insert(two, one);
                }
            }
        }
        let mut groups: BTreeMap<&str, Vec<Placed>> = BTreeMap::new();
        for (place, row) in rows() {
            if let Some(id) = ulids(row).find(|id| private.contains(id)) {
                let group = groups.entry(head(&heads, id)).or_default();
                group.push((place, row.clone()));
            }
        }
        let notes = self.tables.iter().position(|table| table.name == "notas");
        let is_note = |group: &Vec<Placed>| {
            group
                .iter()
                .filter(|(place, _)| Some(*place) == notes)
                .count()
                == 1
        };
        groups.into_values().filter(is_note).collect()
    }
}

fn head<'i>(heads: &BTreeMap<&'i str, &'i str>, mut id: &'i str) -> &'i str {
    while let Some(next) = heads.get(id).filter(|next| **next != id) {
        id = next;
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::copy::bulk::{Column, Kind};

    fn table(name: &str, columns: &[&str], key: &[usize]) -> Table {
        let columns = columns.iter().map(|name| Column {
            name: (*name).to_owned(),
            kind: Kind::Text,
        });
        Table {
            name: name.to_owned(),
            columns: columns.collect(),
            key: key.to_vec(),
            itself: None,
        }
    }

    fn row(values: &[&str]) -> Row {
        values
            .iter()
            .map(|value| Value::Text((*value).to_owned()))
            .collect()
    }

    #[test]
    fn an_id_has_a_ulid() {
        assert_eq!(
            ulid("nfse_01KAEXEMP10000000000000000"),
            Some("01KAEXEMP10000000000000000")
        );
        assert_eq!(
            ulid("ent_01KAEXEMP10000000000000000ABCDEFGHJK"),
            Some("01KAEXEMP10000000000000000")
        );
        for other in [
            "",
            "em_transmissao",
            "01KAEXEMP10000000000000000",
            "x_01KAEXEMP1000000000000000",
            "nota_digitada_pelo_cliente_em_casa",
        ] {
            assert_eq!(ulid(other), None, "{other}");
        }
    }

    #[test]
    fn rows_belong_to_the_note_they_name() {
        let id = |prefix: &str, n: u32| format!("{prefix}_{n:026}");
        let (account, one, two, flow, event) = (
            id("con", 1),
            id("nfse", 2),
            id("nfse", 3),
            id("flw", 4),
            id("evt", 5),
        );
        let sheet = Sheet {
            tables: vec![
                table("accounts", &["id"], &[0]),
                table("notas", &["account_id", "id"], &[1]),
                table("flows", &["id", "subject_id"], &[0]),
                table("turns", &["flow_id", "step"], &[0, 1]),
                table("outbox", &["id", "subject_id"], &[0]),
                table("deliveries", &["id", "account_id"], &[0]),
                table("totals", &["account_id", "day"], &[0, 1]),
            ],
            rows: vec![
                vec![row(&[&account])],
                vec![row(&[&account, &one]), row(&[&account, &two])],
                vec![row(&[&flow, &one])],
                vec![row(&[&flow, "1"]), row(&[&flow, "2"])],
                vec![row(&[&event, &two])],
                vec![row(&[
                    &format!("{event}ABCDEFGHJK").replace("evt", "ent"),
                    &account,
                ])],
                vec![row(&[&account, "1"])],
            ],
        };
        let groups = sheet.groups();
        let tables: Vec<Vec<usize>> = groups
            .iter()
            .map(|group| group.iter().map(|(place, _)| *place).collect())
            .collect();
        assert_eq!(tables, [vec![1, 2, 3, 3], vec![1, 4, 5]]);
    }
}
