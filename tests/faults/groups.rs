//! Transactions that come together: on SQLite they share a commit, and one that
//! fails takes nothing of the others with it.

use futures::future::join_all;
use std::convert::Infallible;
use std::sync::Arc;
use store::TxError;
use store::ids::{AccountId, AuditId};
use store::tables::audit::{self, AuditRow};
use tests::both;
use tokio::sync::Semaphore;

const TOGETHER: usize = 40;
const MORE_THAN_ALL: i64 = 1_000;

/// What a transaction of these tests is asked to do.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Committed,
    Undone,
    Panics,
    /// A statement fails: the row is there already.
    Refused,
}

struct Input {
    account: AccountId,
    number: usize,
    end: End,
}

async fn write(app: &tests::TestApp, input: Input) -> bool {
    let written = app.app.db.write(input, |input, conn| {
        Box::pin(async move {
            let row = AuditRow {
                id: AuditId::new(1),
                account_id: input.account.clone(),
                action: format!("grupo.{}", input.number),
                ..AuditRow::default()
            };
            audit::insert(conn, &row).await?;
            match input.end {
                End::Committed => Ok(()),
                End::Refused => Ok(audit::insert(conn, &row).await?),
                End::Undone => Err(TxError::Abort(())),
                End::Panics => panic!("a transaction that panics"),
            }
        })
    });
    written.await.is_ok()
}

/// Keeps the thread that writes busy until the transactions after this one wait.
async fn hold(app: &tests::TestApp, gate: Arc<Semaphore>) {
    let held = app.app.db.write(gate, |gate, _| {
        Box::pin(async move {
            drop(gate.acquire().await);
            Ok::<_, TxError<Infallible>>(())
        })
    });
    held.await.expect("no database error");
}

/// Writes so many at once, ended as asked: which were told that they are written.
async fn together(app: &tests::TestApp, from: usize, end: fn(usize) -> End) -> Vec<bool> {
    let gate = Arc::new(Semaphore::new(0));
    let inputs = (from..from + TOGETHER).map(|number| Input {
        account: app.account_id.clone(),
        number,
        end: end(number),
    });
    let all = join_all(inputs.map(|input| write(app, input)));
    // In this order: the first is at work, the others wait, the first may end.
    let released = async { gate.add_permits(1) };
    let ((), told, ()) = tokio::join!(hold(app, gate.clone()), all, released);
    told
}

async fn kept(app: &tests::TestApp) -> Vec<usize> {
    let mut conn = app.app.db.read().await.expect("connection");
    let rows = audit::list(&mut conn, &app.account_id, "~", MORE_THAN_ALL).await;
    let rows = rows.expect("rows").into_iter();
    let numbers = rows.filter_map(|row| row.action.strip_prefix("grupo.")?.parse().ok());
    let mut numbers: Vec<usize> = numbers.collect();
    numbers.sort_unstable();
    numbers
}

fn first_fails(number: usize) -> End {
    match number % TOGETHER {
        0 => End::Undone,
        _ => End::Committed,
    }
}

fn last_fails(number: usize) -> End {
    match number % TOGETHER {
        39 => End::Refused,
        _ => End::Committed,
    }
}

fn most_fail(number: usize) -> End {
    match number % 8 {
        0 => End::Committed,
        1 => End::Panics,
        2 => End::Refused,
        _ => End::Undone,
    }
}

fn some_fail(number: usize) -> End {
    match number % 10 {
        3 => End::Undone,
        7 => End::Panics,
        _ => End::Committed,
    }
}

both! {
    async fn a_transaction_that_fails_takes_nothing_of_the_others_with_it(app: TestApp) {
        let mut expected = Vec::new();
        let mut from = 0;
        let rounds: [fn(usize) -> End; 6] =
            [|_| End::Committed, some_fail, first_fails, last_fails, most_fail, |_| End::Committed];
        for end in rounds {
            let told = together(&app, from, end).await;
            for (number, told) in (from..).zip(told) {
                assert_eq!(told, end(number) == End::Committed, "{number}");
                expected.extend(told.then_some(number));
            }
            assert_eq!(kept(&app).await, expected);
            from += TOGETHER;
        }
    }
}

/// Writes a row whose id is made when it is written; with what it is refused otherwise.
async fn named(app: &tests::TestApp, refused: bool) -> Result<(), TxError<String>> {
    let account = app.account_id.clone();
    let written = app
        .app
        .db
        .write((account, refused), |(account, refused), conn| {
            Box::pin(async move {
                let rows = audit::list(conn, account, "~", MORE_THAN_ALL).await?;
                let known = rows.iter().find(|row| row.action == "grupo.nome");
                if let (true, Some(known)) = (*refused, known) {
                    return Err(TxError::Abort(known.id.to_string()));
                }
                let row = AuditRow {
                    id: AuditId::new(1),
                    account_id: account.clone(),
                    action: "grupo.nome".to_owned(),
                    ..AuditRow::default()
                };
                Ok(audit::insert(conn, &row).await?)
            })
        });
    written.await
}

both! {
    async fn what_a_refusal_names_is_what_was_written(app: TestApp) {
        let gate = Arc::new(Semaphore::new(0));
        let released = async { gate.add_permits(1) };
        let ((), first, second, ()) =
            tokio::join!(hold(&app, gate.clone()), named(&app, false), named(&app, true), released);
        assert!(first.is_ok(), "{first:?}");
        let mut conn = app.app.db.read().await.expect("connection");
        let rows = audit::list(&mut conn, &app.account_id, "~", MORE_THAN_ALL).await.expect("rows");
        let there: Vec<String> = rows
            .iter()
            .filter(|row| row.action == "grupo.nome")
            .map(|row| row.id.to_string())
            .collect();
        // On PostgreSQL the second may have come before the first, and is not refused then.
        match second {
            Err(TxError::Abort(id)) => assert_eq!(there, [id]),
            other => assert!(other.is_ok() && there.len() == 2, "{other:?}"),
        }
    }
}
