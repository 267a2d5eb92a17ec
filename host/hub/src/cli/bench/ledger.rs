//! How many durable transactions the ledger makes of one disk.

use super::turns::{self, Rounds};
use accounts::ledger::{self, Movement, NOBODY, Reserve, Resolution};
use anyhow::Context as _;
use std::convert::Infallible;
use std::io::Write as _;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use store::ids::{AccountId, RequestId};
use store::{Db, TxError};

const CLIENTS: u64 = 64;
/// How long each side is measured in a round, and rounds.
const TIME: Duration = Duration::from_millis(500);
const ROUNDS: usize = 8;
/// What one flush writes: a page of the database.
const PAGE: [u8; 4096] = [0x5a; 4096];
/// Credits of the account: nobody runs out in two seconds.
const CREDITS: i64 = 1_000_000_000;

static ACCOUNT: LazyLock<AccountId> = LazyLock::new(|| "con_bench".into());
static REQUEST: LazyLock<RequestId> = LazyLock::new(|| "req_bench".into());

/// Reserve and settle, a transaction each, as every note does; SQLite, on the
/// disk of the data. Flushes are counted before, between and after.
///
/// # Errors
/// The database or the disk failed.
pub async fn transactions_over_fsyncs(folder: &Path) -> anyhow::Result<Rounds> {
    let db = opened(folder).await?;
    let (mut transactions, mut flushes) = (Vec::new(), vec![fsyncs_per_s(folder)?]);
    for round in 0..ROUNDS {
        transactions.push(transactions_per_s(&db, round).await?);
        flushes.push(fsyncs_per_s(folder)?);
    }
    turns::between(&transactions, &flushes)
}

fn fsyncs_per_s(folder: &Path) -> anyhow::Result<f64> {
    let path = folder.join("fsync");
    let mut file = std::fs::File::create(&path)?;
    let begun = Instant::now();
    let mut done = 0_u32;
    while begun.elapsed() < TIME {
        file.write_all(&PAGE)?;
        file.sync_data()?;
        done += 1;
    }
    let rate = f64::from(done) / begun.elapsed().as_secs_f64();
    std::fs::remove_file(&path)?;
    Ok(rate)
}

/// A database with the account.
async fn opened(folder: &Path) -> anyhow::Result<Db> {
    let db = Db::open(&format!("sqlite:{}", folder.join("ledger.db").display()), 1).await?;
    db.write((), |(), conn| {
        Box::pin(async move {
            let account = store::tables::accounts::Account {
                id: ACCOUNT.clone(),
                nome: "bench".to_owned(),
                requests_per_minute: 1,
                created_at_ms: 0,
                cte_released: 0,
                mdfe_released: 0,
                blocked_at_ms: 0,
                blocked_reason: String::new(),
            };
            store::tables::accounts::insert(conn, &account).await?;
            ledger::open(conn, &account.id).await?;
            ledger::gift(conn, &movement("gift"), CREDITS, "bench").await?;
            Ok::<_, TxError<Infallible>>(())
        })
    })
    .await?;
    Ok(db)
}

async fn transactions_per_s(db: &Db, round: usize) -> anyhow::Result<f64> {
    let begun = Instant::now();
    let clients = (0..CLIENTS).map(|client| {
        let name = format!("{round}-{client}");
        tokio::spawn(one_client(db.clone(), name, begun))
    });
    let mut transactions = 0_u32;
    for client in clients.collect::<Vec<_>>() {
        transactions += client.await??;
    }
    Ok(f64::from(transactions) / begun.elapsed().as_secs_f64())
}

/// Notes one after the other until the time is over; the transactions made.
async fn one_client(db: Db, name: String, begun: Instant) -> anyhow::Result<u32> {
    let mut done = 0;
    while begun.elapsed() < TIME {
        let subject = format!("note-{name}-{done}");
        let hold = db
            .write(subject.clone(), |subject, conn| {
                Box::pin(async move {
                    Ok::<_, TxError<Infallible>>(
                        ledger::reserve(conn, &movement(subject), 4).await?,
                    )
                })
            })
            .await?;
        let Reserve::Held(hold) = hold else {
            anyhow::bail!("out of credits")
        };
        let settled = db
            .write(hold, |hold, conn| {
                Box::pin(async move {
                    Ok::<_, TxError<Infallible>>(
                        ledger::resolve(conn, hold, Resolution::Debit, 0).await?,
                    )
                })
            })
            .await?;
        settled.then_some(()).context("a hold was settled before")?;
        done += 2;
    }
    Ok(done)
}

fn movement(subject: &str) -> Movement<'_> {
    Movement {
        account_id: &ACCOUNT,
        subject_id: subject,
        operation: "bench",
        request_id: &REQUEST,
        payer: &NOBODY,
        now_ms: 0,
    }
}
