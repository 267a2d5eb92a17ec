//! Rows as they stand, read in pages and written in groups.

use super::CopyError;
use super::schema::{Column, Kind, Table};
use crate::sqlite::FromValues;
use crate::{Conn, DbResult, contradiction, unreadable};
use rusqlite::types::{ToSqlOutput, ValueRef};
use sha2::{Digest as _, Sha256};
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Postgres, Row as _};

/// Rows of a page at most, and of the first one of a table.
const MOST_ROWS: usize = 500;
const FIRST_ROWS: usize = 32;
/// Bytes a page should have: an answer of an authority has up to 8 MiB.
const PAGE_BYTES: usize = 4 << 20;
/// Values of one statement.
const MOST_VALUES: usize = 30_000;

/// A value of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Null,
    Integer(i64),
    Text(String),
    Blob(Vec<u8>),
}

pub type Row = Vec<Value>;

/// A row and the place of its table among the tables.
pub type Placed = (usize, Row);

/// A row whose columns are found by their names.
#[derive(Clone, Copy)]
pub(super) struct Named<'r> {
    pub(super) table: &'r Table,
    pub(super) row: &'r Row,
}

impl<'r> Named<'r> {
    pub(super) fn of(tables: &'r [Table], placed: &'r Placed) -> DbResult<Named<'r>> {
        let table = tables.get(placed.0);
        let table = table.ok_or_else(|| contradiction("the place of a table", "a row"))?;
        Ok(Named {
            table,
            row: &placed.1,
        })
    }

    fn value(self, column: &str) -> Option<ValueRef<'r>> {
        Some(self.row.get(self.table.place(column)?)?.borrowed())
    }

    /// The text of a column.
    pub(super) fn text(self, column: &str) -> DbResult<&'r str> {
        match self.value(column) {
            Some(ValueRef::Text(text)) => std::str::from_utf8(text).ok(),
            _ => None,
        }
        .ok_or_else(|| unreadable(column, &self.table.name))
    }

    /// The row as its table's own module has it.
    pub(super) fn read<T: FromValues>(self) -> DbResult<T> {
        T::from_values(|column| self.value(column))
    }
}

impl Value {
    /// Its length; a number has the most it may take.
    pub fn bytes(&self) -> usize {
        match self {
            Value::Null | Value::Integer(_) => 8,
            Value::Text(text) => text.len(),
            Value::Blob(blob) => blob.len(),
        }
    }

    pub(super) fn borrowed(&self) -> ValueRef<'_> {
        match self {
            Value::Null => ValueRef::Null,
            Value::Integer(number) => ValueRef::Integer(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Blob(blob) => ValueRef::Blob(blob),
        }
    }
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(self.borrowed()))
    }
}

/// How many rows a table has, and the sum of their digests: the same on both
/// ends, whatever order they come in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    pub rows: u64,
    digest: u128,
}

impl Sum {
    fn add(&mut self, row: &Row) {
        let mut sha = Sha256::new();
        for value in row {
            let (tag, bytes): (u8, &[u8]) = match value {
                Value::Null => (0, &[]),
                Value::Integer(number) => (1, &number.to_be_bytes()),
                Value::Text(text) => (2, text.as_bytes()),
                Value::Blob(blob) => (3, blob),
            };
            sha.update([tag]);
            sha.update((bytes.len() as u64).to_be_bytes());
            sha.update(bytes);
        }
        let digest = sha.finalize();
        let half = digest.first_chunk().copied().unwrap_or_default();
        self.rows += 1;
        self.digest = self.digest.wrapping_add(u128::from_be_bytes(half));
    }
}

pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn names<'a>(columns: impl Iterator<Item = &'a Column>) -> String {
    let names: Vec<String> = columns.map(|column| quoted(&column.name)).collect();
    names.join(", ")
}

/// `$1, $2`, from a place on.
fn markers(from: usize, count: usize) -> String {
    let markers: Vec<String> = (from..from + count).map(|n| format!("${n}")).collect();
    markers.join(", ")
}

/// Rows that name another row of their table come after those that name none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    All,
    Naming(bool),
}

/// Walks a table in the order of its key.
pub struct Walk<'t> {
    table: &'t Table,
    turn: Turn,
    after: Option<Row>,
    rows: usize,
}

impl<'t> Walk<'t> {
    pub fn new(table: &'t Table) -> Walk<'t> {
        let turn = match table.itself {
            Some(_) => Turn::Naming(false),
            None => Turn::All,
        };
        Walk {
            table,
            turn,
            after: None,
            rows: FIRST_ROWS,
        }
    }

    /// The next page; empty after the last one.
    ///
    /// # Errors
    /// The database fails, or holds a value of another kind than its column.
    pub async fn next(&mut self, conn: &mut Conn) -> DbResult<Vec<Row>> {
        loop {
            let page = self.read(conn).await?;
            if page.is_empty() && self.turn == Turn::Naming(false) {
                (self.turn, self.after) = (Turn::Naming(true), None);
                continue;
            }
            if let Some(last) = page.last() {
                let key = self.table.key.iter();
                self.after = Some(key.map(|place| last[*place].clone()).collect());
                let bytes: usize = page.iter().flatten().map(Value::bytes).sum();
                let each = (bytes / page.len()).max(1);
                self.rows = (PAGE_BYTES / each).clamp(1, MOST_ROWS);
            }
            return Ok(page);
        }
    }

    fn sql(&self) -> String {
        let table = self.table;
        let key = names(table.key.iter().map(|place| &table.columns[*place]));
        let mut conditions = Vec::new();
        match (&table.itself, self.turn) {
            (Some(column), Turn::Naming(true)) => {
                conditions.push(format!("{} IS NOT NULL", quoted(column)));
            }
            (Some(column), Turn::Naming(false)) => {
                conditions.push(format!("{} IS NULL", quoted(column)));
            }
            _ => {}
        }
        if self.after.is_some() {
            conditions.push(format!("({key}) > ({})", markers(1, table.key.len())));
        }
        let columns = names(table.columns.iter());
        let from = quoted(&table.name);
        let condition = if conditions.is_empty() {
            String::new()
        } else {
            format!("WHERE {}", conditions.join(" AND "))
        };
        let order = format!("ORDER BY {key} LIMIT {}", self.rows);
        ["SELECT", &columns, "FROM", &from, &condition, &order].join(" ")
    }

    async fn read(&self, conn: &mut Conn) -> DbResult<Vec<Row>> {
        let sql = self.sql();
        let after = self.after.as_deref().unwrap_or_default();
        let columns = &self.table.columns;
        let foreign = |column: &Column| contradiction(&column.name, &self.table.name);
        match conn {
            Conn::Sqlite(sqlite) => sqlite.with(|connection| {
                let mut statement = connection.prepare_cached(&sql)?;
                let mut rows = statement.query(rusqlite::params_from_iter(after))?;
                let mut page = Vec::new();
                while let Some(row) = rows.next()? {
                    let mut values = Vec::with_capacity(columns.len());
                    for (place, column) in columns.iter().enumerate() {
                        let value = from_sqlite(row.get_ref(place)?, column.kind);
                        values.push(value.ok_or_else(|| {
                            rusqlite::Error::InvalidColumnType(
                                place,
                                foreign(column).to_string(),
                                rusqlite::types::Type::Null,
                            )
                        })?);
                    }
                    page.push(values);
                }
                Ok(page)
            }),
            Conn::Postgres(conn) => {
                let mut query = sqlx::query(AssertSqlSafe(sql));
                for (place, value) in self.table.key.iter().zip(after) {
                    query = bind(query, value, columns[*place].kind);
                }
                let rows = query.fetch_all(&mut **conn).await?;
                rows.iter().map(|row| from_postgres(row, columns)).collect()
            }
        }
    }
}

fn from_sqlite(value: ValueRef<'_>, kind: Kind) -> Option<Value> {
    match (value, kind) {
        (ValueRef::Null, _) => Some(Value::Null),
        (ValueRef::Integer(number), Kind::Integer) => Some(Value::Integer(number)),
        (ValueRef::Text(text), Kind::Text) => {
            let text = std::str::from_utf8(text).ok()?;
            Some(Value::Text(text.to_owned()))
        }
        (ValueRef::Blob(bytes), Kind::Blob) => Some(Value::Blob(bytes.to_vec())),
        _ => None,
    }
}

fn from_postgres(row: &PgRow, columns: &[Column]) -> DbResult<Row> {
    let mut values = Vec::with_capacity(columns.len());
    for (place, column) in columns.iter().enumerate() {
        let value = match column.kind {
            Kind::Integer => row.try_get::<Option<i64>, _>(place)?.map(Value::Integer),
            Kind::Text => row.try_get::<Option<String>, _>(place)?.map(Value::Text),
            Kind::Blob => row.try_get::<Option<Vec<u8>>, _>(place)?.map(Value::Blob),
        };
        values.push(value.unwrap_or(Value::Null));
    }
    Ok(values)
}

fn bind<'q>(
    query: Query<'q, Postgres, PgArguments>,
    value: &'q Value,
    kind: Kind,
) -> Query<'q, Postgres, PgArguments> {
    match (value, kind) {
        (Value::Integer(number), _) => query.bind(*number),
        (Value::Text(text), _) => query.bind(text.as_str()),
        (Value::Blob(blob), _) => query.bind(blob.as_slice()),
        (Value::Null, Kind::Integer) => query.bind(None::<i64>),
        (Value::Null, Kind::Text) => query.bind(None::<&str>),
        (Value::Null, Kind::Blob) => query.bind(None::<&[u8]>),
    }
}

/// Writes rows into a table.
///
/// # Errors
/// The database refuses one of them.
pub async fn insert(conn: &mut Conn, table: &Table, rows: &[Row]) -> DbResult<()> {
    let columns = table.columns.len();
    let head = {
        let (into, names) = (quoted(&table.name), names(table.columns.iter()));
        ["INSERT", "INTO", &into, &format!("({names})")].join(" ")
    };
    match conn {
        Conn::Sqlite(sqlite) => sqlite.with(|connection| {
            let values = format!("({})", markers(1, columns));
            let sql = [&head, "VALUES", &values].join(" ");
            let mut statement = connection.prepare_cached(&sql)?;
            for row in rows {
                statement.execute(rusqlite::params_from_iter(row))?;
            }
            Ok(())
        }),
        Conn::Postgres(conn) => {
            // An array for each column: one statement, however many rows there are.
            let arrays = (1..).zip(&table.columns).map(|(n, column)| {
                let array = match column.kind {
                    Kind::Text => "text[]",
                    Kind::Integer => "bigint[]",
                    Kind::Blob => "bytea[]",
                };
                format!("CAST(${n} AS {array})")
            });
            let arrays = arrays.collect::<Vec<_>>().join(", ");
            let sql = [&head, "SELECT", "*", "FROM", &format!("UNNEST({arrays})")].join(" ");
            for group in rows.chunks((MOST_VALUES / columns).max(1)) {
                let mut query = sqlx::query(AssertSqlSafe(sql.clone()));
                for place in 0..columns {
                    query = bind_column(query, table, group, place)?;
                }
                query.execute(&mut **conn).await?;
            }
            Ok(())
        }
    }
}

/// Binds a column of some rows as an array.
fn bind_column<'q>(
    query: Query<'q, Postgres, PgArguments>,
    table: &Table,
    rows: &'q [Row],
    place: usize,
) -> DbResult<Query<'q, Postgres, PgArguments>> {
    let column = &table.columns[place];
    let foreign = || contradiction(&column.name, &table.name);
    let values = rows.iter().map(|row| row.get(place).ok_or_else(foreign));
    Ok(match column.kind {
        Kind::Integer => {
            let values = values.map(|value| match value? {
                Value::Null => Ok(None),
                Value::Integer(number) => Ok(Some(*number)),
                Value::Text(_) | Value::Blob(_) => Err(foreign()),
            });
            query.bind(values.collect::<DbResult<Vec<Option<i64>>>>()?)
        }
        Kind::Text => {
            let values = values.map(|value| match value? {
                Value::Null => Ok(None),
                Value::Text(text) => Ok(Some(text.as_str())),
                Value::Integer(_) | Value::Blob(_) => Err(foreign()),
            });
            query.bind(values.collect::<DbResult<Vec<Option<&'q str>>>>()?)
        }
        Kind::Blob => {
            let values = values.map(|value| match value? {
                Value::Null => Ok(None),
                Value::Blob(blob) => Ok(Some(blob.as_slice())),
                Value::Integer(_) | Value::Text(_) => Err(foreign()),
            });
            query.bind(values.collect::<DbResult<Vec<Option<&'q [u8]>>>>()?)
        }
    })
}

/// Rows of a table.
///
/// # Errors
/// The database fails.
pub async fn count(conn: &mut Conn, table: &Table) -> DbResult<u64> {
    let from = quoted(&table.name);
    let sql = ["SELECT", "COUNT(*)", "FROM", &from].join(" ");
    let rows: i64 = match conn {
        Conn::Sqlite(sqlite) => {
            sqlite.with(|connection| connection.query_row(&sql, [], |row| row.get(0)))?
        }
        Conn::Postgres(conn) => {
            let query = sqlx::query_scalar(AssertSqlSafe(sql));
            query.fetch_one(&mut **conn).await?
        }
    };
    Ok(u64::try_from(rows).unwrap_or_default())
}

/// Reads a whole table.
///
/// # Errors
/// The database fails.
pub async fn sum(conn: &mut Conn, table: &Table) -> Result<Sum, CopyError> {
    let mut sum = Sum::default();
    let mut walk = Walk::new(table);
    loop {
        let page = walk.next(conn).await?;
        if page.is_empty() {
            return Ok(sum);
        }
        page.iter().for_each(|row| sum.add(row));
    }
}

/// Copies a table; what was read of it.
///
/// # Errors
/// Either database fails.
pub async fn copy(from: &mut Conn, to: &mut Conn, table: &Table) -> Result<Sum, CopyError> {
    let mut sum = Sum::default();
    let mut walk = Walk::new(table);
    loop {
        let page = walk.next(from).await?;
        if page.is_empty() {
            return Ok(sum);
        }
        page.iter().for_each(|row| sum.add(row));
        insert(to, table, &page).await?;
    }
}
