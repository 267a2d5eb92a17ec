//! Tables `catalog_own`, `catalog_own_words`, `catalog_reports` and `demo_uses`:
//! what an account knows of products, what it says of them, and how often
//! somebody without an account asked.

use crate::ids::{AccountId, ReportId};
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, fetch_value, row};

row! {
    /// A product an account knows.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct OwnRow {
        /// GTIN-14 as a number.
        pub gtin: i64,
        /// JSON.
        pub content: String,
    }
}

row! {
    /// An account says that a code gave the wrong product.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ReportRow {
        pub id: ReportId,
        pub account_id: AccountId,
        /// GTIN-14 as a number.
        pub gtin: i64,
        pub motivo: String,
        /// Empty: not said.
        pub nome_correto: String,
        pub created_at_ms: i64,
    }
}

const SAVE_OWN: &str = "INSERT INTO catalog_own (account_id, gtin, content, updated_at_ms) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (account_id, gtin) DO UPDATE SET content = excluded.content, updated_at_ms = excluded.updated_at_ms \
     WHERE catalog_own.content <> excluded.content";
const DROP_OWN_WORDS: &str = "DELETE FROM catalog_own_words WHERE account_id = $1 AND gtin = $2";
const ADD_OWN_WORD: &str = "INSERT INTO catalog_own_words (account_id, word, gtin) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
const GET_OWN: &str = "SELECT gtin, content FROM catalog_own WHERE account_id = $1 AND gtin = $2";
const OWN_OF_WORD: &str = "SELECT o.gtin, o.content FROM catalog_own_words w JOIN catalog_own o ON o.account_id = w.account_id AND o.gtin = w.gtin \
     WHERE w.account_id = $1 AND w.word = $2 ORDER BY w.gtin LIMIT CAST($3 AS BIGINT)";
const ADD_REPORT: &str = "INSERT INTO catalog_reports (id, account_id, gtin, motivo, nome_correto, created_at_ms) VALUES ($1, $2, $3, $4, $5, $6)";
const REPORTS_OF: &str =
    "SELECT * FROM catalog_reports WHERE account_id = $1 AND gtin = $2 ORDER BY id LIMIT 100";
const COUNT_DEMO: &str = "INSERT INTO demo_uses (day, subject, total) VALUES ($1, $2, 1) \
     ON CONFLICT (day, subject) DO UPDATE SET total = demo_uses.total + 1 WHERE demo_uses.total < $3 RETURNING total";
const DROP_OLD_DEMO: &str = "DELETE FROM demo_uses WHERE day < $1";

/// Keeps what an account knows of a product, with the words of its name;
/// whether that is new.
pub async fn save(
    conn: &mut Conn,
    account: &AccountId,
    own: &OwnRow,
    words: &[String],
    now_ms: i64,
) -> DbResult<bool> {
    let saved = execute!(
        &mut *conn,
        SAVE_OWN,
        account,
        own.gtin,
        &own.content,
        now_ms
    )?;
    if saved == 0 {
        return Ok(false);
    }
    execute!(&mut *conn, DROP_OWN_WORDS, account, own.gtin)?;
    for word in words {
        execute!(&mut *conn, ADD_OWN_WORD, account, word, own.gtin)?;
    }
    Ok(true)
}

/// What an account knows of a product.
pub async fn get(conn: &mut Conn, account: &AccountId, gtin: i64) -> DbResult<Option<OwnRow>> {
    fetch_optional!(conn, OwnRow, GET_OWN, account, gtin)
}

/// Products of an account whose names have a word.
pub async fn of_word(
    conn: &mut Conn,
    account: &AccountId,
    word: &str,
    limit: i64,
) -> DbResult<Vec<OwnRow>> {
    fetch_all!(conn, OwnRow, OWN_OF_WORD, account, word, limit)
}

/// Keeps a report.
pub async fn report(conn: &mut Conn, r: &ReportRow) -> DbResult<()> {
    execute!(
        conn,
        ADD_REPORT,
        &r.id,
        &r.account_id,
        r.gtin,
        &r.motivo,
        &r.nome_correto,
        r.created_at_ms
    )?;
    Ok(())
}

/// What an account said of a code.
pub async fn reports(conn: &mut Conn, account: &AccountId, gtin: i64) -> DbResult<Vec<ReportRow>> {
    fetch_all!(conn, ReportRow, REPORTS_OF, account, gtin)
}

/// Counts a call of the public search; the calls of the day with it, or None
/// where there were as many as there may be. Days before are forgotten.
pub async fn count_demo(
    conn: &mut Conn,
    day: &str,
    subject: &str,
    most: i64,
) -> DbResult<Option<i64>> {
    execute!(&mut *conn, DROP_OLD_DEMO, day)?;
    fetch_value!(conn, i64, COUNT_DEMO, day, subject, most)
}
