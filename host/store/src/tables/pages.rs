//! Table `packed_pages`: old rows of tables that are only added and read, many in one
//! compressed page. Their tables read them here, so nobody else notices.
//!
//! A page has rows of one account in the order of their ids, which sort by time; pages of an
//! account do not overlap. A row that comes late, below the last id of the newest page, stays
//! a row: lists are put together by ids.

use crate::ids::AccountId;
use crate::sqlite::{FromSqlite, FromValues};
use crate::words::words;
use crate::{
    Conn, DbResult, Present as _, Readable as _, contradiction, execute, fetch_all, fetch_optional,
    row, unreadable,
};
use packing::{Page, Values};
use rusqlite::types::ValueRef;
use serde_json::json;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row as _};
use std::collections::BTreeMap;

/// Rows of a page. A list of an account decompresses one or two of them.
pub const ROWS: usize = 256;

words! {
    /// Whose rows a page has: a table.
    pub enum PageKind {
        Requests = "requests",
        /// Their pages are of no account: operators read them over all accounts.
        AdapterUses = "adapter_uses",
    }
}

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PageRow {
        pub account_id: AccountId,
        pub kind: PageKind,
        pub last_id: String,
        pub first_id: String,
        pub rows: i64,
        pub bytes: Vec<u8>,
    }
}

row! {
    struct IdRow {
        id: String,
    }
}

row! {
    struct RowsRow {
        rows: i64,
    }
}

/// How the rows of a table become pages.
#[derive(Clone, Copy, Debug)]
pub struct Statements {
    /// The id of the row that fills a page after an id (`$2`) and before another one (`$3`), of
    /// an account (`$1`; empty: of all).
    pub last_of_page: &'static str,
    /// The rows after an id (`$2`) up to that one (`$3`).
    pub of_page: &'static str,
    /// Removes rows by their ids as JSON (`$2`), of which `$3` and `$4` are the first and the
    /// last one.
    pub delete_sqlite: &'static str,
    pub delete_postgres: &'static str,
}

/// A row that pages hold.
pub trait Paged:
    FromValues + FromSqlite + for<'r> FromRow<'r, PgRow> + PartialEq + Send + Unpin + 'static
{
    const KIND: PageKind;
    const STATEMENTS: Statements;

    /// Unique in its table, sorts by time.
    fn id(&self) -> &str;

    /// The rows by columns, which have the names of the fields. A field that is added later
    /// is in no page that was written before: `value` has to say what it is there.
    fn page(rows: &[Self]) -> Page;
}

const NEWEST: &str = "SELECT last_id AS id FROM packed_pages WHERE account_id = $1 AND kind = $2 ORDER BY last_id DESC LIMIT 1";
const HOLDING: &str = "SELECT account_id, kind, last_id, first_id, rows, bytes FROM packed_pages \
     WHERE account_id = $1 AND kind = $2 AND last_id >= $3 ORDER BY last_id LIMIT 1";
const BELOW: &str = "SELECT account_id, kind, last_id, first_id, rows, bytes FROM packed_pages \
     WHERE account_id = $1 AND kind = $2 AND last_id < $3 AND last_id >= $4 ORDER BY last_id DESC LIMIT 1";
const AFTER: &str = "SELECT account_id, kind, last_id, first_id, rows, bytes FROM packed_pages \
     WHERE account_id = $1 AND kind = $2 AND last_id > $3 ORDER BY last_id LIMIT 1";
const NEXT_ACCOUNT: &str = "SELECT account_id AS id FROM packed_pages WHERE account_id > $1 AND kind = $2 ORDER BY account_id LIMIT 1";
const INSERT: &str = "INSERT INTO packed_pages (account_id, kind, last_id, first_id, rows, bytes) VALUES ($1, $2, $3, $4, $5, $6)";
const PURGE: &str = "DELETE FROM packed_pages WHERE account_id = $1 AND kind = $2 AND last_id < $3 AND last_id IN (SELECT p.last_id FROM packed_pages p \
     WHERE p.account_id = $1 AND p.kind = $2 AND p.last_id < $3 ORDER BY p.last_id LIMIT CAST($4 AS BIGINT)) RETURNING rows";

/// Behind every id: ids begin with a prefix in small letters.
const BEHIND: &str = "zzzz";

/// The last id of the newest page of an account; empty: it has none.
pub async fn newest(conn: &mut Conn, kind: PageKind, account: &AccountId) -> DbResult<String> {
    let newest = fetch_optional!(conn, IdRow, NEWEST, account, kind)?;
    Ok(newest.map(|row| row.id).unwrap_or_default())
}

/// The next page of an account after an id, in the order of their ids.
pub async fn after(
    conn: &mut Conn,
    kind: PageKind,
    account: &AccountId,
    id: &str,
) -> DbResult<Option<PageRow>> {
    fetch_optional!(conn, PageRow, AFTER, account, kind, id)
}

/// The next account that has pages, in the order of their ids.
pub async fn next_account(
    conn: &mut Conn,
    kind: PageKind,
    account: &AccountId,
) -> DbResult<Option<AccountId>> {
    let next = fetch_optional!(conn, IdRow, NEXT_ACCOUNT, account, kind)?;
    Ok(next.map(|row| row.id.into()))
}

/// The page whose first and last id this one lies between; the row of the id may be none of
/// its own.
async fn holding(
    conn: &mut Conn,
    kind: PageKind,
    account: &AccountId,
    id: &str,
) -> DbResult<Option<PageRow>> {
    let page = fetch_optional!(conn, PageRow, HOLDING, account, kind, id)?;
    Ok(page.filter(|page| page.first_id.as_str() <= id))
}

/// A row that is in a page; None: it is in none.
pub(super) async fn get<R: Paged>(
    conn: &mut Conn,
    account: &AccountId,
    id: &str,
) -> DbResult<Option<R>> {
    let Some(page) = holding(conn, R::KIND, account, id).await? else {
        return Ok(None);
    };
    let mut rows = page.read::<R>()?.into_iter();
    Ok(rows.find(|row| row.id() == id))
}

/// The newest `limit` rows from an id on and before another one (empty: the end), the newest
/// first. `rows`: those of the table, which were read first: a row that is packed meanwhile is
/// in both. One that cannot be read is an error if the list has it: where those around it went into
/// a page it stays a row, and so is among the newest of the table.
pub(super) async fn merged<R: Paged>(
    conn: &mut Conn,
    account: &AccountId,
    rows: Vec<Tried<R>>,
    (from, before): (&str, &str),
    limit: i64,
) -> DbResult<Vec<R>> {
    let limit = usize::try_from(limit).unwrap_or(0);
    let before = if before.is_empty() { BEHIND } else { before };
    let mut all: BTreeMap<String, Tried<R>> = BTreeMap::new();
    all.extend(rows.into_iter().map(|row| (row.id().to_owned(), row)));
    let mut page = match before {
        BEHIND => None,
        before => holding(&mut *conn, R::KIND, account, before).await?,
    };
    let mut below = before.to_owned();
    loop {
        for row in page.as_ref().map_or(Ok(Vec::new()), PageRow::read::<R>)? {
            if row.id() >= from && row.id() < before {
                let id = row.id().to_owned();
                all.entry(id).or_insert(Tried::Row(row));
            }
        }
        while all.len() > limit {
            all.pop_first();
        }
        // Pages that are older than all of a full list are not read.
        let oldest = all.first_key_value().map_or(from, |(id, _)| id.as_str());
        let oldest = if all.len() < limit { from } else { oldest };
        page = fetch_optional!(&mut *conn, PageRow, BELOW, account, R::KIND, &below, oldest)?;
        match &page {
            Some(next) => below.clone_from(&next.last_id),
            None => return all.into_values().rev().map(Tried::row).collect(),
        }
    }
}

/// Removes the oldest pages all of whose rows are before an id, as many as have `limit` rows
/// or a little more; how many rows they had.
pub(super) async fn purge(
    conn: &mut Conn,
    kind: PageKind,
    account: &AccountId,
    before: &str,
    limit: i64,
) -> DbResult<u64> {
    let limit = (limit.max(1) - 1) / ROWS as i64 + 1;
    let purged = fetch_all!(conn, RowsRow, PURGE, account, kind, before, limit)?;
    let rows: i64 = purged.iter().map(|page| page.rows).sum();
    u64::try_from(rows).readable("rows of pages", kind.as_str())
}

impl PageRow {
    /// Its rows, the oldest first.
    ///
    /// # Errors
    /// They are not what was written: never a part of them.
    pub fn read<R: Paged>(&self) -> DbResult<Vec<R>> {
        let page = Page::unpack(&self.bytes);
        let page = page.map_err(|error| {
            let (kind, account, last) = (self.kind, &self.account_id, &self.last_id);
            sqlx::Error::Decode(format!("packed page {kind} {account} {last}: {error}").into())
        })?;
        let mut rows = Vec::with_capacity(page.rows());
        for place in 0..page.rows() {
            rows.push(R::from_values(|column| value(&page, column, place))?);
        }
        let ids = (rows.first().map(R::id), rows.last().map(R::id));
        if ids != (Some(&*self.first_id), Some(&*self.last_id)) || rows.len() as i64 != self.rows {
            return Err(unreadable("packed page", &self.last_id));
        }
        Ok(rows)
    }

    /// A page of rows in the order of their ids.
    ///
    /// # Errors
    /// There is none, or they are too large for a page.
    pub fn of<R: Paged>(account: &AccountId, rows: &[R]) -> DbResult<PageRow> {
        let name = account.as_str();
        let first = rows.first().present("a row of a page", name)?;
        let last = rows.last().present("a row of a page", name)?;
        let bytes = R::page(rows).pack();
        Ok(PageRow {
            account_id: account.clone(),
            kind: R::KIND,
            last_id: last.id().to_owned(),
            first_id: first.id().to_owned(),
            rows: rows.len() as i64,
            bytes: bytes.map_err(|error| sqlx::Error::Encode(Box::new(error)))?,
        })
    }
}

fn value<'p>(page: &'p Page, column: &str, place: usize) -> Option<ValueRef<'p>> {
    Some(match page.column(column)? {
        Values::Texts(texts) => ValueRef::Text(texts.get(place)?.as_bytes()),
        Values::Numbers(numbers) => ValueRef::Integer(*numbers.get(place)?),
    })
}

/// A column of texts of a page.
pub(super) fn texts<'r, R>(rows: &'r [R], text: impl Fn(&'r R) -> &'r str) -> Values {
    Values::Texts(rows.iter().map(|row| text(row).to_owned()).collect())
}

/// A column of numbers of a page.
pub(super) fn numbers<R>(rows: &[R], number: impl Fn(&R) -> i64) -> Values {
    Values::Numbers(rows.iter().map(number).collect())
}

/// A page that takes the place of its rows, before it is written.
#[derive(Clone, Debug)]
pub struct Pack {
    page: PageRow,
    statements: Statements,
    /// The ids of the rows, as JSON.
    ids: String,
    /// The last id of the newest page when the rows were read.
    after: String,
}

/// The oldest rows of an account that are in no page, as many as a page has.
#[derive(Clone, Debug)]
pub struct OldRows {
    /// The page of those that can be read; None: none of them can.
    pub pack: Option<Pack>,
    /// Those that cannot.
    pub unreadable: Vec<Unreadable>,
    /// The id of the last of all of them.
    pub last: String,
}

/// A row that cannot be read: it stays a row, and no page has it.
#[derive(Clone, Debug)]
pub struct Unreadable {
    pub id: String,
    pub why: String,
}

/// A row, read or not.
pub(super) enum Tried<R> {
    Row(R),
    Not(Unreadable),
}

impl<R: Paged> Tried<R> {
    fn id(&self) -> &str {
        match self {
            Tried::Row(row) => row.id(),
            Tried::Not(row) => &row.id,
        }
    }

    fn row(self) -> DbResult<R> {
        match self {
            Tried::Row(row) => Ok(row),
            Tried::Not(Unreadable { id, why }) => {
                Err(sqlx::Error::Decode(format!("row {id}: {why}").into()))
            }
        }
    }
}

impl<R: FromSqlite> FromSqlite for Tried<R> {
    fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Tried<R>> {
        Ok(match R::read(row) {
            Ok(read) => Tried::Row(read),
            Err(error) => Tried::Not(Unreadable {
                id: row.get("id")?,
                why: error.to_string(),
            }),
        })
    }
}

impl<'r, R: FromRow<'r, PgRow>> FromRow<'r, PgRow> for Tried<R> {
    fn from_row(row: &'r PgRow) -> DbResult<Tried<R>> {
        Ok(match R::from_row(row) {
            Ok(read) => Tried::Row(read),
            Err(error) => Tried::Not(Unreadable {
                id: row.try_get("id")?,
                why: error.to_string(),
            }),
        })
    }
}

/// The oldest rows of an account after its newest page and before an id; None: too few for a page.
/// `past`: none up to this id, where rows behind the newest page were found that cannot be read.
pub(super) async fn oldest<R: Paged>(
    conn: &mut Conn,
    account: &AccountId,
    past: &str,
    before: &str,
) -> DbResult<Option<OldRows>> {
    let statements = R::STATEMENTS;
    let after = newest(&mut *conn, R::KIND, account).await?;
    let from = past.max(after.as_str());
    let sql = statements.last_of_page;
    let last = fetch_optional!(&mut *conn, IdRow, sql, account, from, before)?;
    let Some(IdRow { id: last }) = last else {
        return Ok(None);
    };
    let tried = fetch_all!(conn, Tried<R>, statements.of_page, account, from, &last)?;
    if tried.len() < ROWS {
        return Ok(None);
    }
    let (mut rows, mut unreadable) = (Vec::with_capacity(ROWS), Vec::new());
    for one in tried {
        match one {
            Tried::Row(row) => rows.push(row),
            Tried::Not(one) => unreadable.push(one),
        }
    }
    let pack = if rows.is_empty() {
        None
    } else {
        Some(Pack::of(account, &rows, after)?)
    };
    Ok(Some(OldRows {
        pack,
        unreadable,
        last,
    }))
}

impl Pack {
    fn of<R: Paged>(account: &AccountId, rows: &[R], after: String) -> DbResult<Pack> {
        let page = PageRow::of(account, rows)?;
        // What is not read again the same is not deleted.
        if page.read::<R>()? != rows {
            return Err(contradiction("a page is not its rows", &page.last_id));
        }
        let ids: Vec<&str> = rows.iter().map(R::id).collect();
        Ok(Pack {
            ids: json!(ids).to_string(),
            page,
            statements: R::STATEMENTS,
            after,
        })
    }

    /// How many rows it has.
    pub fn rows(&self) -> u64 {
        self.page.rows.unsigned_abs()
    }

    /// Bytes of the page.
    pub fn bytes(&self) -> u64 {
        self.page.bytes.len() as u64
    }

    /// Writes the page in the place of its rows; false: they are not all there, or another page
    /// was written, and the transaction is to be given up.
    pub async fn write(&self, conn: &mut Conn) -> DbResult<bool> {
        let page = &self.page;
        let (account, ids) = (&page.account_id, &self.ids);
        if newest(&mut *conn, page.kind, account).await? != self.after {
            return Ok(false);
        }
        let sql = match conn {
            Conn::Sqlite(_) => self.statements.delete_sqlite,
            Conn::Postgres(_) => self.statements.delete_postgres,
        };
        let (first, last) = (&page.first_id, &page.last_id);
        let deleted = execute!(&mut *conn, sql, account, ids, first, last)?;
        if deleted != self.rows() {
            return Ok(false);
        }
        execute!(
            conn,
            INSERT,
            &page.account_id,
            page.kind,
            &page.last_id,
            &page.first_id,
            page.rows,
            &page.bytes
        )?;
        Ok(true)
    }
}
