//! Questions to a hub's database that only these tests ask.

use store::{Conn, Db};

/// One number.
///
/// # Panics
/// The database does not answer.
pub async fn count(db: &Db, sql: &'static str) -> i64 {
    let counted = match db.read().await.expect("connection") {
        Conn::Sqlite(mut conn) => conn.first(sql, &[]).map(|number| number.expect("a row")),
        Conn::Postgres(mut conn) => sqlx::query_scalar(sql).fetch_one(&mut *conn).await,
    };
    counted.expect(sql)
}

/// Damages something.
///
/// # Panics
/// The database does not allow it.
pub async fn execute(db: &Db, sql: &'static str) {
    let done = match db.read().await.expect("connection") {
        Conn::Sqlite(mut conn) => conn.execute(sql, &[]).map(|_| ()),
        Conn::Postgres(mut conn) => sqlx::query(sql).execute(&mut *conn).await.map(|_| ()),
    };
    done.expect(sql);
}
