//! Calls are counted again: those in the table and those in pages, a page at a time.

use super::Finding;
use crate::ids::{AccountId, KeyId};
use crate::tables::pages::{self, PageKind, PageRow};
use crate::tables::requests::RequestRow;
use crate::words::Maybe;
use crate::{Conn, DbResult, fetch_all, row};
use std::collections::BTreeMap;

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;
/// Findings of this rule that are told.
const MOST: usize = 20;

const RULE: &str = "usage has counted every call of a day once";
const PAGES_RULE: &str = "a page of old rows can be read";

// Accounts that have no page.
const MISCOUNTED: &str = "SELECT x.account_id || '/' || CAST(x.day AS TEXT) || '/' || x.operation || '/' || x.key_id AS id FROM ( \
     SELECT account_id, day, operation, key_id, calls FROM usage_calls \
     UNION ALL SELECT account_id, created_at_ms / 86400000, operation, key_id, -1 FROM requests) AS x \
     GROUP BY x.account_id, x.day, x.operation, x.key_id HAVING SUM(x.calls) <> 0 \
     AND NOT EXISTS (SELECT 1 FROM packed_pages p WHERE p.account_id = x.account_id AND p.kind = 'requests') LIMIT 20";
// What the pages of an account have to make up for. In one statement with the last of these
// pages: a page that is written meanwhile takes its calls out of the table.
const LEFT: &str = "SELECT x.day AS day, x.operation AS operation, x.key_id AS key_id, CAST(SUM(x.calls) AS BIGINT) AS calls, '' AS last_id FROM ( \
     SELECT day, operation, key_id, calls FROM usage_calls WHERE account_id = $1 \
     UNION ALL SELECT created_at_ms / 86400000, operation, key_id, -1 FROM requests WHERE account_id = $1) AS x \
     GROUP BY x.day, x.operation, x.key_id HAVING SUM(x.calls) <> 0 \
     UNION ALL SELECT 0, '', '', 0, COALESCE(MAX(p.last_id), '') FROM packed_pages p WHERE p.account_id = $1 AND p.kind = 'requests'";

row! {
    struct Found {
        id: String,
    }
}

row! {
    struct LeftRow {
        day: i64,
        operation: String,
        key_id: Maybe<KeyId>,
        calls: i64,
        /// Of the newest page, in a row of its own.
        last_id: String,
    }
}

/// Day, operation and key.
type Group = (i64, String, String);

/// Rows of usage that do not count the calls there are, and pages that cannot be read.
pub(super) async fn run(conn: &mut Conn) -> DbResult<Vec<Finding>> {
    let mut findings = Vec::new();
    for found in fetch_all!(&mut *conn, Found, MISCOUNTED)? {
        findings.push(Finding {
            rule: RULE,
            row: found.id,
        });
    }
    let mut account = AccountId::default();
    while let Some(next) = pages::next_account(conn, PageKind::Requests, &account).await? {
        account = next;
        of_account(conn, &account, &mut findings).await?;
        if findings.len() >= MOST {
            break;
        }
    }
    findings.truncate(MOST);
    Ok(findings)
}

async fn of_account(
    conn: &mut Conn,
    account: &AccountId,
    findings: &mut Vec<Finding>,
) -> DbResult<()> {
    let mut left: BTreeMap<Group, i64> = BTreeMap::new();
    let mut newest = String::new();
    for row in fetch_all!(&mut *conn, LeftRow, LEFT, account)? {
        if row.last_id.is_empty() {
            let key = row.key_id.as_str().to_owned();
            left.insert((row.day, row.operation, key), row.calls);
        } else {
            newest = row.last_id;
        }
    }
    let mut after = String::new();
    while let Some(page) = pages::after(conn, PageKind::Requests, account, &after).await? {
        if page.last_id > newest {
            break;
        }
        after.clone_from(&page.last_id);
        match count(&page) {
            Ok(counted) => {
                for (group, calls) in counted {
                    let missing = left.entry(group).or_default();
                    *missing -= calls;
                }
                left.retain(|_, calls| *calls != 0);
            }
            Err(error) => {
                tracing::error!(%error, "a page of calls cannot be read");
                findings.push(Finding {
                    rule: PAGES_RULE,
                    row: format!("{account}/{}", page.last_id),
                });
                // What its calls are is not known.
                return Ok(());
            }
        }
    }
    for (day, operation, key) in left.into_keys().take(MOST) {
        findings.push(Finding {
            rule: RULE,
            row: format!("{account}/{day}/{operation}/{key}"),
        });
    }
    Ok(())
}

fn count(page: &PageRow) -> DbResult<BTreeMap<Group, i64>> {
    let mut counted: BTreeMap<Group, i64> = BTreeMap::new();
    for row in page.read::<RequestRow>()? {
        let key = row.key_id.as_str().to_owned();
        let group = (row.created_at_ms / DAY_MS, row.operation, key);
        *counted.entry(group).or_default() += 1;
    }
    Ok(counted)
}
