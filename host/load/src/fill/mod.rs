//! A large store whose rows are as large as real ones. A few notes are issued by a hub of
//! their own with simulated authorities; here their rows are copied with other ids, numbers,
//! keys, names, values, days and signatures, into accounts that were opened as customers do.
//!
//! Few tables are named here: rows that name one another belong together, also in tables of
//! later migrations. Sums of rows are counted by the modules that keep them, in the
//! transaction that writes the rows; texts of settled notes are packed before.

mod model;
mod moments;
mod noise;
mod sheet;
mod slots;
mod text;

use crate::people::person;
use crate::seeded::Seeded;
use anyhow::Context as _;
use base::when;
use model::{Model, Running, Shared};
use sheet::{Placed, Sheet, integer, text as said, ulid};
use slots::{Company, Copied, Slot};
use std::collections::BTreeMap;
use std::num::NonZero;
use store::Conn;
use store::copy::bulk::{self, Numbers, Row, Table, Value};
use store::copy::packed;
use store::copy::sums::{Names, Sums};
use store::ids::{AccountId, EmitterId};
use store::tables::parties;

/// Numbers of the models have nine digits, so that texts show where they stand; those of copies
/// have as many.
pub const FIRST_OF_MODELS: u64 = 731_000_001;
pub const FIRST: u64 = 100_000_001;
/// What names of generated accounts begin with.
pub const ACCOUNT: &str = "Carga ";
/// Other parties of an account's notes.
const PERSONS: u64 = 20_000;
/// Notes of before, of which names are taken in one transaction.
const NAMES: i64 = 1_000;
/// Tables that say who issues.
const OWNERS: [&str; 8] = [
    "accounts",
    "api_keys",
    "certificates",
    "emitters",
    "event_order",
    "ledger_accounts",
    "number_sequences",
    "webhooks",
];

/// What a store should have.
#[derive(Clone, Debug)]
pub struct Plan {
    pub notes: u64,
    /// The part of the first account, 0 to 1; the others share the rest.
    pub largest: f64,
    pub seed: u64,
    /// When the first arrived and when the last did, epoch milliseconds.
    pub from_ms: i64,
    pub to_ms: i64,
    /// Copies of one transaction.
    pub batch: u64,
    /// Notes that did not change after this are written packed, epoch milliseconds; None: none
    /// is.
    pub packed_until_ms: Option<i64>,
}

/// An account that copies are of.
struct Account {
    id: AccountId,
    ulid: String,
    key_ulid: String,
    webhook_ulid: String,
    companies: Vec<Company>,
    emitters: Vec<EmitterId>,
    running: Running,
}

/// A series of a company: account, company, environment, model, series.
type Series = (usize, usize, String, String, String);

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
    /// Of the values of all their rows: what they take on disk is more, by the same factor.
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
    let shared = shared(&sheet)?;
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
    let accounts = accounts(&owners, shared.companies.len())?;
    let numbers = series(&owners, &accounts)?;
    let mut filling = Filling {
        plan,
        models: compiled,
        accounts,
        numbers,
        names: Names::default(),
        written: BTreeMap::new(),
    };
    let mut next = filling.begun(target).await?;
    bulk::hurry(target).await?;
    while next < plan.notes {
        let until = (next + plan.batch.max(1)).min(plan.notes);
        bulk::begin(target).await?;
        let written = filling.batch(target, &sheet, next, until).await;
        match written {
            Ok(()) => bulk::commit(target).await?,
            Err(error) => {
                bulk::rollback(target).await?;
                return Err(error);
            }
        }
        next = until;
        let progress = Progress {
            done: next,
            of: plan.notes,
        };
        if !go_on(progress) {
            break;
        }
    }
    older_names(target).await?;
    Ok(Filled {
        done: next,
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

/// A note to be copied: its number, and the figures of its account before it.
struct Assigned {
    n: u64,
    number: i64,
    running: Running,
}

struct Filling<'p> {
    plan: &'p Plan,
    models: Vec<Model>,
    accounts: Vec<Account>,
    /// The next number of each series.
    numbers: BTreeMap<Series, i64>,
    /// Those of the notes of this run.
    names: Names,
    written: BTreeMap<String, Written>,
}

impl Filling<'_> {
    /// What note number `n` is: its model and account, and where its values begin.
    fn drawn(&self, n: u64) -> (usize, usize, Seeded) {
        let mut seeded = Seeded::of(self.plan.seed, n);
        let model = seeded.below(self.models.len() as u64);
        let others = self.accounts.len() as u64 - 1;
        let account = match others {
            0 => 0,
            _ if seeded.part() < self.plan.largest => 0,
            _ => 1 + seeded.below(others),
        };
        let place = |number: u64| usize::try_from(number).unwrap_or_default();
        (place(model), place(account), seeded)
    }

    /// When note number `n` arrived: evenly, so that ids grow as they are written.
    fn at_ms(&self, n: u64) -> i64 {
        let span = i128::from(self.plan.to_ms - self.plan.from_ms);
        let passed = span * i128::from(n) / i128::from(self.plan.notes.max(1));
        self.plan.from_ms + i64::try_from(passed).unwrap_or_default()
    }

    fn copied(&self, n: u64, number: i64) -> (usize, Copied<'_>) {
        let (place, of, mut seeded) = self.drawn(n);
        let (model, account) = (&self.models[place], &self.accounts[of]);
        let at_ms = self.at_ms(n);
        let day = |ms| when::local(ms, "SP").date();
        let who = of as u64 * 1_000_000 + seeded.below(PERSONS);
        // Many small amounts and few large ones, from 10.00 on.
        let cents = 1_000 + seeded.exponential(60_000.0) as u64;
        let copied = Copied {
            account_ulid: &account.ulid,
            key_ulid: &account.key_ulid,
            webhook_ulid: &account.webhook_ulid,
            company: &account.companies[model.company],
            company_seed: (of * 1_000 + model.company) as u64,
            person: person(who),
            number,
            cents,
            reference: format!("pedido-{n}"),
            at_ms,
            later_ms: at_ms - model.at_ms,
            later_days: (day(at_ms) - day(model.at_ms)).whole_days(),
            seeded,
        };
        (place, copied)
    }

    /// How many notes there are already: they were written in their order.
    async fn begun(&self, target: &mut Conn) -> anyhow::Result<u64> {
        let (mut low, mut high) = (0, self.plan.notes);
        while low < high {
            let middle = low + (high - low) / 2;
            let (place, mut copied) = self.copied(middle, 1);
            let model = &self.models[place];
            let id = model.id(&model.values(&mut copied));
            if bulk::has_note(target, &id).await? {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    async fn batch(
        &mut self,
        target: &mut Conn,
        sheet: &Sheet,
        from: u64,
        until: u64,
    ) -> anyhow::Result<()> {
        let mut rows: BTreeMap<usize, Vec<Row>> = BTreeMap::new();
        let assigned = (from..until).map(|n| self.assigned(n));
        let assigned = assigned.collect::<anyhow::Result<Vec<Assigned>>>()?;
        let copies = self.copies(&sheet.tables, &assigned)?;
        let sums = Sums::of(&sheet.tables, copies.iter().flatten(), &mut self.names)?;
        for (one, copy) in assigned.iter().zip(copies) {
            let kind = self.models[self.drawn(one.n).0].kind();
            let written = self.written.entry(kind).or_default();
            let values = copy.iter().flat_map(|(_, row)| row);
            let bytes: usize = values.map(Value::bytes).sum();
            written.notes += 1;
            written.bytes += bytes as u64;
            for (place, row) in copy {
                rows.entry(place).or_default().push(row);
            }
        }
        // Tables come after those they refer to.
        for (place, rows) in rows {
            bulk::insert(target, &sheet.tables[place], rows).await?;
        }
        sums.add(target).await?;
        for ((account, company, ambiente, kind, serie), next) in &self.numbers {
            let numbers = Numbers {
                emitter_id: self.accounts[*account].emitters[*company].clone(),
                ambiente: ambiente.clone(),
                model: kind.clone(),
                serie: serie.clone(),
                first: i64::try_from(FIRST)?,
                next: *next,
            };
            bulk::set_numbers(target, &numbers).await?;
        }
        for account in &self.accounts {
            let Running { available, place } = account.running;
            bulk::set_account(target, &account.id, available, place).await?;
        }
        Ok(())
    }

    /// Gives note number `n` its number and its place in its account, which goes on.
    fn assigned(&mut self, n: u64) -> anyhow::Result<Assigned> {
        let (place, of, _) = self.drawn(n);
        let model = &self.models[place];
        let (ambiente, kind, serie) = (
            model.ambiente.clone(),
            model.model.clone(),
            model.serie.clone(),
        );
        let series = (of, model.company, ambiente, kind, serie);
        let next = *self.numbers.get(&series).unwrap_or(&i64::try_from(FIRST)?);
        let (adds, keeps) = (model.adds(), model.keeps);
        let running = self.accounts[of].running;
        let after = Running {
            available: running.available + adds.available,
            place: running.place + adds.place,
        };
        anyhow::ensure!(
            after.available >= 0,
            "an account has no credits left: give it more"
        );
        self.accounts[of].running = after;
        // A number that came back is that of the next note.
        if keeps {
            self.numbers.insert(series, next + 1);
        }
        Ok(Assigned {
            n,
            number: next,
            running,
        })
    }

    /// The rows of a note.
    fn copy(&self, tables: &[Table], assigned: &Assigned) -> anyhow::Result<Vec<Placed>> {
        let (place, mut copied) = self.copied(assigned.n, assigned.number);
        let model = &self.models[place];
        let values = model.values(&mut copied);
        let rows = model.rows(&copied, &values, assigned.running)?;
        Ok(match self.plan.packed_until_ms {
            Some(until_ms) => packed::packed(tables, rows, until_ms)?,
            None => rows,
        })
    }

    /// The rows of some notes, in their order, made on all processors.
    fn copies(&self, tables: &[Table], assigned: &[Assigned]) -> anyhow::Result<Vec<Vec<Placed>>> {
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        let each = assigned.len().div_ceil(threads).max(1);
        std::thread::scope(|scope| {
            let parts = assigned.chunks(each).map(|part| {
                scope.spawn(move || {
                    part.iter()
                        .map(|one| self.copy(tables, one))
                        .collect::<anyhow::Result<Vec<_>>>()
                })
            });
            let parts: Vec<_> = parts.collect();
            let mut all = Vec::new();
            for part in parts {
                let rows = part
                    .join()
                    .map_err(|_| anyhow::anyhow!("a thread ended"))??;
                all.extend(rows);
            }
            Ok(all)
        })
    }
}

/// What texts of the models name that is not theirs.
fn shared(sheet: &Sheet) -> anyhow::Result<Shared> {
    let mut ids = Vec::new();
    let single = [("accounts", Slot::Account), ("webhooks", Slot::Webhook)];
    for (name, slot) in single {
        let (table, rows) = sheet.of(name)?;
        anyhow::ensure!(rows.len() <= 1, "the models are of several {name}");
        let found = rows.iter().filter_map(|row| ulid(said(table, row, "id")?));
        ids.extend(found.map(|id| (id.to_owned(), slot.clone())));
    }
    let (table, rows) = sheet.of("api_keys")?;
    let keys = rows.iter().filter_map(|row| ulid(said(table, row, "id")?));
    ids.extend(keys.map(|id| (id.to_owned(), Slot::Key)));
    let (table, rows) = sheet.of("certificates")?;
    let certificates = rows.iter().filter_map(|row| ulid(said(table, row, "id")?));
    ids.extend(certificates.map(|id| (id.to_owned(), Slot::Certificate)));
    let (table, rows) = sheet.of("emitters")?;
    let text = |row, column| said(table, row, column).unwrap_or_default().to_owned();
    let companies: Vec<(String, String)> = rows
        .iter()
        .map(|row| (text(row, "id"), text(row, "cnpj")))
        .collect();
    let emitters = companies.iter().filter_map(|(id, _)| ulid(id));
    ids.extend(emitters.map(|id| (id.to_owned(), Slot::Emitter)));
    Ok(Shared { ids, companies })
}

/// The generated accounts, each with as many companies as the models have.
fn accounts(sheet: &Sheet, companies: usize) -> anyhow::Result<Vec<Account>> {
    let (table, rows) = sheet.of("accounts")?;
    let mut accounts = Vec::new();
    for row in rows {
        let text = |column| said(table, row, column).unwrap_or_default();
        if text("nome").starts_with(ACCOUNT) {
            let id = AccountId::from(text("id"));
            accounts.push(account(sheet, id, companies)?);
        }
    }
    anyhow::ensure!(
        !accounts.is_empty(),
        "there is no account whose name begins with {ACCOUNT:?}"
    );
    Ok(accounts)
}

fn account(sheet: &Sheet, id: AccountId, companies: usize) -> anyhow::Result<Account> {
    // The first row of the account that has this text in a column.
    let of = |name: &str, column: &str, is: &str| -> anyhow::Result<String> {
        let (table, rows) = sheet.of(name)?;
        let own = |row: &&Row| {
            said(table, row, "account_id") == Some(id.as_str())
                && (column.is_empty() || said(table, row, column) == Some(is))
        };
        let found = rows
            .iter()
            .find(own)
            .and_then(|row| ulid(said(table, row, "id")?));
        Ok(found.unwrap_or_default().to_owned())
    };
    let figure = |name: &str, column: &str, kind: &str| -> anyhow::Result<i64> {
        let (table, rows) = sheet.of(name)?;
        let own = |row: &&Row| {
            said(table, row, "account_id") == Some(id.as_str())
                && (kind.is_empty() || said(table, row, "kind") == Some(kind))
        };
        Ok(rows
            .iter()
            .find(own)
            .and_then(|row| integer(table, row, column))
            .unwrap_or_default())
    };
    let (table, rows) = sheet.of("emitters")?;
    let own = rows
        .iter()
        .filter(|row| said(table, row, "account_id") == Some(id.as_str()));
    let (mut found, mut emitters) = (Vec::new(), Vec::new());
    for row in own {
        let text = |column| said(table, row, column).unwrap_or_default();
        emitters.push(EmitterId::from(text("id")));
        found.push(Company {
            emitter_ulid: ulid(text("id")).unwrap_or_default().to_owned(),
            certificate_ulid: of("certificates", "emitter_id", text("id"))?,
            cnpj: text("cnpj").to_owned(),
        });
    }
    anyhow::ensure!(
        found.len() == companies,
        "account {id} has {} companies, the models {companies}",
        found.len()
    );
    Ok(Account {
        ulid: ulid(&id).context("an id of an account")?.to_owned(),
        key_ulid: of("api_keys", "kind", "live")?,
        webhook_ulid: of("webhooks", "", "")?,
        companies: found,
        emitters,
        running: Running {
            available: figure("ledger_accounts", "balance", "available")?,
            place: figure("event_order", "last", "")?,
        },
        id,
    })
}

/// The next number of each series that has one.
fn series(sheet: &Sheet, accounts: &[Account]) -> anyhow::Result<BTreeMap<Series, i64>> {
    let (table, rows) = sheet.of("number_sequences")?;
    let mut found = BTreeMap::new();
    for row in rows {
        let text = |column| said(table, row, column).unwrap_or_default().to_owned();
        let emitter = EmitterId::from(text("emitter_id"));
        for (account, known) in accounts.iter().enumerate() {
            if let Some(company) = known.emitters.iter().position(|known| *known == emitter) {
                let series = (
                    account,
                    company,
                    text("ambiente"),
                    text("modelo"),
                    text("serie"),
                );
                found.insert(series, integer(table, row, "next").context("next")?);
            }
        }
    }
    Ok(found)
}
