//! Nothing is reserved, debited or given twice, whatever form its row has: before migration 0037
//! the `ref` of a hold was written out where it is its subject, and that of an end where it is
//! its hold.

use sqlx::{
    AssertSqlSafe, Connection as _, Executor as _, PgConnection, SqlSafeStr as _, SqliteConnection,
};
use store::ids::{AccountId, TransferId};
use store::tables::ledger::{self, LedgerAccount, Transfer, TransferKind};
use store::words::Maybe;
use store::{Conn, copy};
use tests::postgres;

/// What a hub of before the migration wrote.
const BEFORE: &str = "INSERT INTO transfers (id, account_id, kind, debit, credit, amount, pending_id, ref, subject_id, operation, request_id, balance_after, created_at_ms) VALUES ";

fn transfer(id: &str, kind: TransferKind, subject: &str, reference: &str) -> Transfer {
    Transfer {
        id: id.into(),
        account_id: "con_1".into(),
        kind,
        debit: LedgerAccount::Available,
        credit: LedgerAccount::Held,
        amount: 4,
        pending_id: None,
        r#ref: reference.to_owned(),
        subject_id: subject.to_owned(),
        operation: "nfse.create".to_owned(),
        request_id: "req_1".into(),
        key_id: Maybe::of("key_1"),
        budget_id: Maybe::of("bud_1"),
        balance_after: 6,
        created_at_ms: 1,
    }
}

fn end(id: &str, kind: TransferKind, subject: &str, hold: &str) -> Transfer {
    Transfer {
        pending_id: Some(hold.into()),
        ..transfer(id, kind, subject, hold)
    }
}

async fn done(conn: &mut Conn, transfer: &Transfer) -> bool {
    ledger::insert(conn, transfer).await.expect("written")
}

/// A database's rows past the code that writes them.
enum Raw {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Raw {
    async fn open(url: &str) -> Raw {
        if url.starts_with("sqlite:") {
            Raw::Sqlite(SqliteConnection::connect(url).await.expect("connection"))
        } else {
            Raw::Postgres(PgConnection::connect(url).await.expect("connection"))
        }
    }

    /// False: a constraint refuses it.
    async fn write(&mut self, sql: &str) -> bool {
        let sql = AssertSqlSafe(sql.to_owned()).into_sql_str();
        let refused = match self {
            Raw::Sqlite(conn) => conn.execute(sql).await.err(),
            Raw::Postgres(conn) => conn.execute(sql).await.err(),
        };
        let Some(error) = refused else {
            return true;
        };
        let database = error.as_database_error();
        let twice = database.is_some_and(|one| one.is_unique_violation());
        assert!(twice, "{error}");
        false
    }

    /// A text of each transfer.
    async fn texts(&mut self, text: &str) -> Vec<String> {
        let sql = AssertSqlSafe(format!("SELECT {text} FROM transfers ORDER BY id"));
        let read = match self {
            Raw::Sqlite(conn) => sqlx::query_scalar::<_, String>(sql).fetch_all(conn).await,
            Raw::Postgres(conn) => sqlx::query_scalar::<_, String>(sql).fetch_all(conn).await,
        };
        read.expect("texts")
    }

    async fn accounts(&mut self) {
        for account in ["con_1", "con_2"] {
            let sql = format!(
                "INSERT INTO accounts (id, nome, requests_per_minute, created_at_ms) VALUES ('{account}', '', 1, 0)"
            );
            assert!(self.write(&sql).await);
        }
    }
}

async fn holds_are_made_once(url: &str) {
    use TransferKind::Hold;
    let mut conn = copy::migrated(url).await.expect("migrated");
    let mut raw = Raw::open(url).await;
    raw.accounts().await;
    // Both forms, each against itself and against the other one.
    assert!(done(&mut conn, &transfer("lan_1", Hold, "nfe_1", "nfe_1")).await);
    assert!(!done(&mut conn, &transfer("lan_2", Hold, "nfe_1", "nfe_1")).await);
    let old = |id: &str, subject: &str, reference: &str| {
        format!(
            "{BEFORE}('{id}', 'con_1', 'hold', 'available', 'held', 4, NULL, '{reference}', '{subject}', 'nfse.create', 'req_1', 6, 1)"
        )
    };
    assert!(!raw.write(&old("lan_2", "nfe_1", "nfe_1")).await);
    assert!(raw.write(&old("lan_3", "nfe_2", "nfe_2")).await);
    assert!(!raw.write(&old("lan_4", "nfe_2", "nfe_2")).await);
    assert!(!done(&mut conn, &transfer("lan_4", Hold, "nfe_2", "nfe_2")).await);
    // One for each attempt, of any subject.
    assert!(done(&mut conn, &transfer("lan_5", Hold, "nfe_1", "nfe_1/req_1")).await);
    assert!(!done(&mut conn, &transfer("lan_6", Hold, "nfe_1", "nfe_1/req_1")).await);
    assert!(!done(&mut conn, &transfer("lan_6", Hold, "nfe_3", "nfe_1/req_1")).await);
    assert!(!raw.write(&old("lan_6", "nfe_1", "nfe_1/req_1")).await);
    assert!(done(&mut conn, &transfer("lan_6", Hold, "nfe_1", "nfe_1/req_2")).await);
    assert_eq!(
        raw.texts("ref").await,
        ["", "nfe_2", "nfe_1/req_1", "nfe_1/req_2"]
    );
}

async fn holds_end_once(url: &str) {
    use TransferKind::{Hold, Post, Void};
    let mut conn = copy::migrated(url).await.expect("migrated");
    let mut raw = Raw::open(url).await;
    raw.accounts().await;
    for (id, subject) in [("lan_1", "nfe_1"), ("lan_2", "nfe_2"), ("lan_3", "nfe_3")] {
        assert!(done(&mut conn, &transfer(id, Hold, subject, subject)).await);
    }
    let old = |id: &str, kind: &str, hold: &str, subject: &str| {
        format!(
            "{BEFORE}('{id}', 'con_1', '{kind}', 'held', 'revenue', 4, '{hold}', '{hold}', '{subject}', 'nfse.create', 'req_1', 6, 1)"
        )
    };
    assert!(done(&mut conn, &end("lan_4", Post, "nfe_1", "lan_1")).await);
    assert!(!done(&mut conn, &end("lan_5", Post, "nfe_1", "lan_1")).await);
    assert!(!done(&mut conn, &end("lan_5", Void, "nfe_1", "lan_1")).await);
    assert!(!raw.write(&old("lan_5", "void", "lan_1", "nfe_1")).await);
    assert!(raw.write(&old("lan_5", "post", "lan_2", "nfe_2")).await);
    assert!(!done(&mut conn, &end("lan_6", Post, "nfe_2", "lan_2")).await);
    assert!(!done(&mut conn, &end("lan_6", Void, "nfe_2", "lan_2")).await);
    assert!(done(&mut conn, &end("lan_6", Void, "nfe_3", "lan_3")).await);
    assert_eq!(raw.texts("ref").await, ["", "", "", "", "lan_2", ""]);
    // Both are found, and read as they were written.
    let account = AccountId::from("con_1");
    for (subject, hold, end) in [("nfe_1", "lan_1", "lan_4"), ("nfe_2", "lan_2", "lan_5")] {
        let found = ledger::of_subject(&mut conn, &account, subject)
            .await
            .expect("transfers");
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|one| (one.id.as_str(), one.r#ref.as_str()))
            .collect();
        assert_eq!(found, [(hold, subject), (end, hold)]);
        let nota = ledger::of_nota(&mut conn, &account, &subject.into(), 1)
            .await
            .expect("transfers");
        assert_eq!(nota[0].id.as_str(), end);
    }
    // What an end has from its hold is written once.
    let written = raw
        .texts("subject_id || operation || request_id || key_id || budget_id")
        .await;
    let [hold, old] = ["nfe_1", "nfe_2"].map(|nota| format!("{nota}nfse.createreq_1key_1bud_1"));
    assert_eq!(
        (written[0].as_str(), written[3].as_str()),
        (hold.as_str(), "")
    );
    assert_eq!(written[4], old.replace("key_1bud_1", ""));
    let statement = ledger::statement(&mut conn, &account, "", 10)
        .await
        .expect("a statement");
    let statement: Vec<String> = statement
        .iter()
        .map(|one| {
            let (key, budget) = (one.key_id.as_str(), one.budget_id.as_str());
            format!(
                "{}{}{}{key}{budget}",
                one.subject_id,
                one.operation,
                one.request_id.as_str()
            )
        })
        .collect();
    let third = hold.replace("nfe_1", "nfe_3");
    assert_eq!(
        statement,
        [&third, &old, &hold, &third, &old, &hold].map(Clone::clone)
    );
    let other = ledger::of_subject(&mut conn, &"con_2".into(), "nfe_1")
        .await
        .expect("transfers");
    assert!(other.is_empty());
    let one = ledger::get(&mut conn, &TransferId::from("lan_6"))
        .await
        .expect("transfer");
    assert_eq!(one.expect("a transfer").r#ref, "lan_3");
}

async fn the_rest_is_done_once(url: &str) {
    use TransferKind::{Adjust, Direct, Gift, Purchase, Refund};
    let mut conn = copy::migrated(url).await.expect("migrated");
    Raw::open(url).await.accounts().await;
    for (place, kind) in [Gift, Purchase, Refund, Adjust, Direct]
        .into_iter()
        .enumerate()
    {
        let id = |part: &str| format!("lan_{place}{part}");
        // The subject may be the reference: that of a purchase is.
        assert!(
            done(&mut conn, &transfer(&id("a"), kind, "cpr_1", "cpr_1")).await,
            "{kind:?}"
        );
        assert!(
            !done(&mut conn, &transfer(&id("b"), kind, "cpr_1", "cpr_1")).await,
            "{kind:?}"
        );
        assert!(
            !done(&mut conn, &transfer(&id("b"), kind, "", "cpr_1")).await,
            "{kind:?}"
        );
        assert!(
            done(&mut conn, &transfer(&id("b"), kind, "cpr_1", "")).await,
            "{kind:?}"
        );
        assert!(
            !done(&mut conn, &transfer(&id("c"), kind, "cpr_2", "")).await,
            "{kind:?}"
        );
        let theirs = Transfer {
            account_id: "con_2".into(),
            ..transfer(&id("c"), kind, "cpr_1", "cpr_1")
        };
        assert!(done(&mut conn, &theirs).await, "{kind:?}");
    }
    let account = AccountId::from("con_1");
    let direct = ledger::direct_of(&mut conn, &account, &"cpr_1".into())
        .await
        .expect("transfer");
    assert_eq!(direct.expect("a charge").id.as_str(), "lan_4a");
    let gift = ledger::gift(&mut conn, &account, "cpr_1")
        .await
        .expect("a gift");
    assert_eq!(gift, Some(4));
}

/// One after the other, each in a database of its own.
macro_rules! on_both {
    ($($name:ident => $run:ident;)+) => {$(
        #[tokio::test]
        async fn $name() {
            let folder = tempfile::tempdir().expect("folder");
            $run(&copy::sqlite_url(&folder.path().join("hub.db"))).await;
            if let Some(url) = postgres::database().await {
                $run(&url).await;
            }
        }
    )+};
}

on_both! {
    a_hold_of_either_form_is_made_once => holds_are_made_once;
    a_hold_of_either_form_ends_once => holds_end_once;
    a_charge_a_gift_and_a_purchase_are_made_once => the_rest_is_done_once;
}
