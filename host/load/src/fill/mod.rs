//! A large store whose rows are as large as real ones. A few notes are issued by a hub of
//! their own with simulated authorities; here their rows are copied with other ids, numbers,
//! keys, names, values, days and signatures, into accounts that were opened as customers do.
//!
//! Few tables are named here: rows that name one another belong together, also in tables of
//! later migrations. Sums of rows are counted by the modules that keep them, in the
//! transaction that writes the rows; texts of settled notes are packed before.

mod make;
mod model;
mod moments;
mod noise;
mod owners;
mod purged;
mod sheet;
mod slots;
mod text;

pub use make::Plan;
pub use owners::ACCOUNT;
pub use purged::Purged;

use make::{Assigned, Maker};
use model::{Model, Running};
use owners::{OWNERS, Series};
use sheet::Sheet;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::Conn;
use store::copy::bulk::{self, Numbers, Row, Value};
use store::copy::packed::{Certificates, PackedRows};
use store::copy::sums::{Names, Sums};
use store::tables::parties;
use tokio::task::JoinHandle;

/// Numbers of the models have nine digits, so that texts show where they stand; those of copies
/// have as many.
pub const FIRST_OF_MODELS: u64 = 731_000_001;
pub const FIRST: u64 = 100_000_001;
/// Notes of before, of which names are taken in one transaction.
const NAMES: i64 = 1_000;

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub done: u64,
    pub of: u64,
}

/// What was written of a kind of notes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    pub notes: u64,
    /// Of the values of all their rows; on disk, rows and indexes take more.
    pub bytes: u64,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Filled {
    /// Notes that are there now.
    pub done: u64,
    /// Those of this run, by `nfse` or `nfe, 10 items`.
    pub written: BTreeMap<String, Written>,
}

/// Copies the notes of `models` into `target` until it has so many, or `go_on` says no after a
/// transaction. With the same plan it goes on where it stopped.
///
/// # Errors
/// A database fails, or has not what this needs.
pub async fn fill(
    models: &mut Conn,
    target: &mut Conn,
    plan: &Plan,
    go_on: &mut dyn FnMut(Progress) -> bool,
) -> anyhow::Result<Filled> {
    let sheet = Sheet::read(models, None).await?;
    let shared = owners::shared(&sheet)?;
    let compiled = sheet
        .groups()
        .into_iter()
        .map(|group| Model::compiled(&sheet, group, &shared));
    let mut compiled = compiled.collect::<anyhow::Result<Vec<Model>>>()?;
    // In the same order whenever they are issued.
    compiled.sort_by(|one, other| one.reference.cmp(&other.reference));
    anyhow::ensure!(!compiled.is_empty(), "no note was issued to be copied");
    let owners = Sheet::read(target, Some(&OWNERS)).await?;
    anyhow::ensure!(
        owners.tables == sheet.tables,
        "the two databases do not have the same tables"
    );
    let accounts = owners::accounts(&owners, shared.companies.len())?;
    let mut filling = Filling {
        after: After {
            numbers: owners::series(&owners, &accounts)?,
            running: accounts.iter().map(|account| account.before).collect(),
        },
        maker: Arc::new(Maker {
            plan: plan.clone(),
            models: compiled,
            accounts,
            tables: sheet.tables,
        }),
        names: Names::default(),
        certificates: Certificates::default(),
        written: BTreeMap::new(),
    };
    let mut done = filling.begun(target).await?;
    bulk::hurry(target).await?;
    let mut batch = filling.ahead(done)?;
    while let Some(made) = batch {
        let copies = made.copies.await??;
        // The next ones are made while these are written.
        batch = filling.ahead(made.until)?;
        bulk::begin(target).await?;
        let written = filling.write(target, &made.assigned, copies, &made.after);
        match written.await {
            Ok(()) => bulk::commit(target).await?,
            Err(error) => {
                bulk::rollback(target).await?;
                return Err(error);
            }
        }
        done = made.until;
        let progress = Progress {
            done,
            of: plan.notes,
        };
        if !go_on(progress) {
            break;
        }
    }
    older_names(target).await?;
    bulk::settle(target).await?;
    Ok(Filled {
        done,
        written: filling.written,
    })
}

/// Takes the names of notes that a store of before the table of names has: otherwise the next
/// hub would.
async fn older_names(target: &mut Conn) -> anyhow::Result<()> {
    loop {
        bulk::begin(target).await?;
        match parties::fill(target, NAMES).await {
            Ok(done) => {
                bulk::commit(target).await?;
                if done {
                    return Ok(());
                }
            }
            Err(error) => {
                bulk::rollback(target).await?;
                return Err(error.into());
            }
        }
    }
}

/// Figures of the accounts that go on from note to note.
#[derive(Clone)]
struct After {
    /// The next number of each series.
    numbers: BTreeMap<Series, i64>,
    /// Of each account.
    running: Vec<Running>,
}

/// Notes that are being made.
struct Batch {
    /// The number behind the last of them.
    until: u64,
    assigned: Arc<Vec<Assigned>>,
    copies: JoinHandle<anyhow::Result<Vec<PackedRows>>>,
    after: After,
}

struct Filling {
    maker: Arc<Maker>,
    after: After,
    /// Those of the notes of this run.
    names: Names,
    certificates: Certificates,
    written: BTreeMap<String, Written>,
}

impl Filling {
    /// How many notes there are already: they were written in their order.
    async fn begun(&self, target: &mut Conn) -> anyhow::Result<u64> {
        let (mut low, mut high) = (0, self.maker.plan.notes);
        while low < high {
            let middle = low + (high - low) / 2;
            if bulk::has_note(target, &self.maker.id(middle)).await? {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// Begins to make the notes from a number on that one transaction will write; None: there
    /// are no more.
    fn ahead(&mut self, from: u64) -> anyhow::Result<Option<Batch>> {
        let plan = &self.maker.plan;
        let until = (from + plan.batch.max(1)).min(plan.notes);
        if from >= until {
            return Ok(None);
        }
        let assigned = (from..until).map(|n| self.assigned(n));
        let assigned = Arc::new(assigned.collect::<anyhow::Result<Vec<Assigned>>>()?);
        let (maker, of) = (self.maker.clone(), assigned.clone());
        Ok(Some(Batch {
            until,
            assigned,
            copies: tokio::task::spawn_blocking(move || maker.copies(&of)),
            after: self.after.clone(),
        }))
    }

    async fn write(
        &mut self,
        target: &mut Conn,
        assigned: &[Assigned],
        copies: Vec<PackedRows>,
        after: &After,
    ) -> anyhow::Result<()> {
        let Maker {
            tables,
            models,
            accounts,
            ..
        } = &*self.maker;
        let all = copies.iter().flat_map(|copy| &copy.rows);
        let sums = Sums::of(tables, all, &mut self.names)?;
        self.certificates.keep(target, &copies).await?;
        let mut rows: BTreeMap<usize, Vec<Row>> = BTreeMap::new();
        for (one, copy) in assigned.iter().zip(copies) {
            let written = self.written.entry(models[one.model].kind()).or_default();
            let values = copy.rows.iter().flat_map(|(_, row)| row);
            let bytes: usize = values.map(Value::bytes).sum();
            written.notes += 1;
            written.bytes += bytes as u64;
            for (place, row) in copy.rows {
                rows.entry(place).or_default().push(row);
            }
        }
        // Tables come after those they refer to.
        for (place, rows) in rows {
            bulk::insert(target, &tables[place], rows).await?;
        }
        sums.add(target).await?;
        for ((account, company, ambiente, kind, serie), next) in &after.numbers {
            let numbers = Numbers {
                emitter_id: accounts[*account].emitters[*company].clone(),
                ambiente: ambiente.clone(),
                model: kind.clone(),
                serie: serie.clone(),
                first: i64::try_from(FIRST)?,
                next: *next,
            };
            bulk::set_numbers(target, &numbers).await?;
        }
        for (account, running) in accounts.iter().zip(&after.running) {
            let Running { available, place } = *running;
            bulk::set_account(target, &account.id, available, place).await?;
        }
        Ok(())
    }

    /// Gives note number `n` its number and its place in its account, which goes on.
    fn assigned(&mut self, n: u64) -> anyhow::Result<Assigned> {
        let (place, of, _) = self.maker.drawn(n);
        let model = &self.maker.models[place];
        let (ambiente, kind, serie) = (
            model.ambiente.clone(),
            model.model.clone(),
            model.serie.clone(),
        );
        let series = (of, model.company, ambiente, kind, serie);
        let numbers = &mut self.after.numbers;
        let next = *numbers.get(&series).unwrap_or(&i64::try_from(FIRST)?);
        let (adds, keeps) = (model.adds(), model.keeps);
        let running = self.after.running[of];
        let after = Running {
            available: running.available + adds.available,
            place: running.place + adds.place,
        };
        anyhow::ensure!(
            after.available >= 0,
            "an account has no credits left: give it more"
        );
        self.after.running[of] = after;
        // A number that came back is that of the next note.
        if keeps {
            numbers.insert(series, next + 1);
        }
        Ok(Assigned {
            n,
            model: place,
            number: next,
            running,
        })
    }
}
