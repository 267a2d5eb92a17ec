//! What tables a database has, as the database itself says: a table that a
//! later migration adds is copied without anybody naming it here.

use super::CopyError;
use crate::{Conn, fetch_all, row};
use std::collections::BTreeMap;

/// What a column holds. The schema knows no other kinds: booleans and moments
/// are integers, money is integer credits, JSON is text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Integer,
    Blob,
}

impl Kind {
    /// By the engine's own name of the type.
    fn of(word: &str) -> Option<Kind> {
        match word.to_ascii_lowercase().as_str() {
            "text" => Some(Kind::Text),
            "bigint" => Some(Kind::Integer),
            "blob" | "bytea" => Some(Kind::Blob),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub kind: Kind,
}

/// A table, the same on both engines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    /// By name: the engines may have them in another order.
    pub columns: Vec<Column>,
    /// Places of the columns of the primary key, in its order.
    pub key: Vec<usize>,
    /// The column that names another row of this table.
    pub itself: Option<String>,
}

impl Table {
    /// The place of a column.
    pub fn place(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|known| known.name == column)
    }
}

row! {
    struct ColumnRow {
        tabela: String,
        coluna: String,
        tipo: String,
        chave: i64,
    }
}

row! {
    struct ReferenceRow {
        tabela: String,
        coluna: String,
        alvo: String,
    }
}

// `chave` is the place in the primary key from 1, or 0. The letters of names (`party_words`,
// `person_words`) are indexes that SQLite keeps in tables: triggers write them of the rows that are
// copied.
const COLUMNS_SQLITE: &str = "SELECT m.name AS tabela, c.name AS coluna, c.type AS tipo, c.pk AS chave FROM sqlite_master m, pragma_table_info(m.name) c \
     WHERE m.type = 'table' AND substr(m.name, 1, 7) <> 'sqlite_' AND m.name <> '_sqlx_migrations' \
     AND substr(m.name, 1, 11) <> 'party_words' AND substr(m.name, 1, 12) <> 'person_words' ORDER BY m.name, c.name";
const COLUMNS_POSTGRES: &str = "SELECT c.table_name::text AS tabela, c.column_name::text AS coluna, c.data_type::text AS tipo, \
     COALESCE((SELECT k.ordinal_position::bigint FROM information_schema.table_constraints t JOIN information_schema.key_column_usage k \
         ON k.constraint_schema = t.constraint_schema AND k.constraint_name = t.constraint_name AND k.table_name = t.table_name \
         WHERE t.constraint_type = 'PRIMARY KEY' AND t.table_schema = c.table_schema AND t.table_name = c.table_name AND k.column_name = c.column_name), 0) AS chave \
     FROM information_schema.columns c JOIN information_schema.tables b ON b.table_schema = c.table_schema AND b.table_name = c.table_name \
     WHERE c.table_schema = current_schema() AND b.table_type = 'BASE TABLE' AND c.table_name <> '_sqlx_migrations' \
     ORDER BY c.table_name::text COLLATE \"C\", c.column_name::text COLLATE \"C\"";

const REFERENCES_SQLITE: &str = "SELECT m.name AS tabela, f.\"from\" AS coluna, f.\"table\" AS alvo FROM sqlite_master m, pragma_foreign_key_list(m.name) f \
     WHERE m.type = 'table' ORDER BY m.name, f.\"from\"";
const REFERENCES_POSTGRES: &str = "SELECT t.relname::text AS tabela, a.attname::text AS coluna, m.relname::text AS alvo FROM pg_constraint c \
     JOIN pg_class t ON t.oid = c.conrelid JOIN pg_class m ON m.oid = c.confrelid JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1] \
     JOIN pg_namespace n ON n.oid = t.relnamespace WHERE c.contype = 'f' AND n.nspname = current_schema() ORDER BY 1, 2";

/// What a row of the first table is changed by: a row that is written into the second one. These
/// come first, so that the copy stays as it was read.
const CHANGED_BY: [(&str, &str); 1] = [("document_days", "notas")];

/// All tables but that of the migrations, each after those it refers to.
///
/// # Errors
/// The database fails, or has something the copy was not made for.
pub async fn tables(conn: &mut Conn) -> Result<Vec<Table>, CopyError> {
    let (columns, references) = match conn {
        Conn::Sqlite(_) => (COLUMNS_SQLITE, REFERENCES_SQLITE),
        Conn::Postgres(_) => (COLUMNS_POSTGRES, REFERENCES_POSTGRES),
    };
    let columns = fetch_all!(&mut *conn, ColumnRow, columns)?;
    let mut references = fetch_all!(&mut *conn, ReferenceRow, references)?;
    let mut found: BTreeMap<String, Table> = BTreeMap::new();
    let mut keys: BTreeMap<String, Vec<(i64, usize)>> = BTreeMap::new();
    for row in columns {
        let kind = Kind::of(&row.tipo).ok_or_else(|| {
            let ColumnRow {
                tabela: of_table,
                coluna: column,
                tipo: column_type,
                ..
            } = &row;
            CopyError::Refused(format!(
                "{of_table}.{column} is {column_type}: only text, bigint and blob or bytea can be copied"
            ))
        })?;
        let table = found.entry(row.tabela.clone()).or_insert_with(|| Table {
            name: row.tabela.clone(),
            columns: Vec::new(),
            key: Vec::new(),
            itself: None,
        });
        if row.chave > 0 {
            let key = keys.entry(row.tabela).or_default();
            key.push((row.chave, table.columns.len()));
        }
        table.columns.push(Column {
            name: row.coluna,
            kind,
        });
    }
    for table in found.values_mut() {
        let mut key = keys.remove(&table.name).unwrap_or_default();
        key.sort_unstable();
        table.key = key.into_iter().map(|(_, place)| place).collect();
        if table.key.is_empty() {
            let name = &table.name;
            return Err(CopyError::Refused(format!("{name} has no primary key")));
        }
    }
    for reference in &references {
        if reference.tabela == reference.alvo
            && let Some(table) = found.get_mut(&reference.tabela)
        {
            table.itself = Some(reference.coluna.clone());
        }
    }
    references.extend(CHANGED_BY.map(|(changed, by)| ReferenceRow {
        tabela: changed.to_owned(),
        coluna: String::new(),
        alvo: by.to_owned(),
    }));
    in_order(found, &references)
}

/// Tables that are referred to first; in the order of their names otherwise.
fn in_order(
    mut left: BTreeMap<String, Table>,
    references: &[ReferenceRow],
) -> Result<Vec<Table>, CopyError> {
    let mut ordered = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let waits = |name: &str| {
            references.iter().any(|reference| {
                reference.tabela == name
                    && reference.alvo != name
                    && left.contains_key(&reference.alvo)
            })
        };
        let free: Vec<String> = left.keys().filter(|name| !waits(name)).cloned().collect();
        if free.is_empty() {
            let names: Vec<&str> = left.keys().map(String::as_str).collect();
            let names = names.join(", ");
            return Err(CopyError::Refused(format!(
                "tables refer to each other in a circle: {names}"
            )));
        }
        ordered.extend(free.iter().filter_map(|name| left.remove(name)));
    }
    Ok(ordered)
}
