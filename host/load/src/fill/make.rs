//! Copies of notes, made on all processors ahead of who writes them.

use super::model::{Model, Running};
use super::owners::Account;
use super::purged::Purged;
use super::slots::Copied;
use crate::people::person;
use crate::seeded::Seeded;
use base::when;
use std::sync::atomic::{AtomicUsize, Ordering};
use store::copy::bulk::Table;
use store::copy::packed::{self, PackedRows};

/// Notes that a thread takes at once.
const PORTION: usize = 8;
/// Of so many records one is read back.
const READ_BACK: u64 = 64;

/// What a store should have.
#[derive(Clone, Debug)]
pub struct Plan {
    pub notes: u64,
    /// The part of the first account, 0 to 1; the others share the rest.
    pub largest: f64,
    /// Other parties of each account's notes.
    pub persons: u64,
    pub seed: u64,
    /// When the first arrived and when the last did, epoch milliseconds.
    pub from_ms: i64,
    pub to_ms: i64,
    /// Copies of one transaction.
    pub batch: u64,
    /// Threads that make copies while others are written. The store is the same, however many.
    pub threads: usize,
    /// Notes that did not change after this are written packed, epoch milliseconds; None: none
    /// is.
    pub packed_until_ms: Option<i64>,
    pub purged: Purged,
}

/// A note to be copied: its number, its model, and the figures of its account before it.
pub struct Assigned {
    pub n: u64,
    pub model: usize,
    pub number: i64,
    pub running: Running,
}

/// Everything copies are made of.
pub struct Maker {
    pub plan: Plan,
    pub models: Vec<Model>,
    pub accounts: Vec<Account>,
    pub tables: Vec<Table>,
}

impl Maker {
    /// What note number `n` is: its model and account, and where its values begin.
    pub fn drawn(&self, n: u64) -> (usize, usize, Seeded) {
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

    fn copied(&self, n: u64, number: i64) -> (&Model, Copied<'_>) {
        let (place, of, mut seeded) = self.drawn(n);
        let (model, account) = (&self.models[place], &self.accounts[of]);
        let at_ms = self.at_ms(n);
        let day = |ms| when::local(ms, "SP").date();
        let who = of as u64 * 1_000_000 + seeded.below(self.plan.persons);
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
        (model, copied)
    }

    /// The id of note number `n`, whatever its number in its series.
    pub fn id(&self, n: u64) -> String {
        let (model, mut copied) = self.copied(n, 1);
        model.id(&model.values(&mut copied))
    }

    /// The rows of a note, as a hub has them by now.
    fn copy(&self, assigned: &Assigned) -> anyhow::Result<PackedRows> {
        let (model, mut copied) = self.copied(assigned.n, assigned.number);
        let values = model.values(&mut copied);
        let rows = model.rows(&copied, &values, assigned.running)?;
        let read_back = assigned.n.is_multiple_of(READ_BACK);
        let mut copy = match self.plan.packed_until_ms {
            Some(until_ms) => packed::packed(&self.tables, rows, until_ms, read_back)?,
            None => PackedRows {
                rows,
                certificates: Vec::new(),
            },
        };
        copy.rows = self.plan.purged.left(&self.tables, copy.rows);
        Ok(copy)
    }

    /// The rows of some notes, in their order.
    ///
    /// # Errors
    /// A model gives no row that its table can have.
    pub fn copies(&self, assigned: &[Assigned]) -> anyhow::Result<Vec<PackedRows>> {
        in_order(assigned.len(), self.plan.threads, |place| {
            self.copy(&assigned[place])
        })
    }
}

/// What `make` gives for each number below `many`, in their order, on some threads.
fn in_order<T: Send>(
    many: usize,
    threads: usize,
    make: impl Fn(usize) -> anyhow::Result<T> + Sync,
) -> anyhow::Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let work = || -> anyhow::Result<Vec<(usize, T)>> {
        let mut made = Vec::new();
        loop {
            let from = next.fetch_add(PORTION, Ordering::Relaxed);
            if from >= many {
                return Ok(made);
            }
            for place in from..(from + PORTION).min(many) {
                made.push((place, make(place)?));
            }
        }
    };
    let mut all = Vec::with_capacity(many);
    std::thread::scope(|scope| -> anyhow::Result<()> {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            let made = thread.join();
            all.extend(made.map_err(|_| anyhow::anyhow!("a thread ended"))??);
        }
        Ok(())
    })?;
    all.sort_by_key(|(place, _)| *place);
    Ok(all.into_iter().map(|(_, made)| made).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::model::Shared;
    use crate::fill::sheet::Sheet;
    use crate::fill::slots::{Company, Slot};
    use store::copy::bulk::{Column, Kind, Value};
    use store::ids::{AccountId, EmitterId};

    const MODEL_ULID: &str = "01KAEXEMP10000000000000009";
    const EMITTER_ULID: &str = "01KAEXEMP10000000000000003";

    fn notes() -> Table {
        let columns = [
            ("id", Kind::Text),
            ("emitter_id", Kind::Text),
            ("created_at_ms", Kind::Integer),
            ("number_active", Kind::Integer),
            ("modelo", Kind::Text),
            ("referencia", Kind::Text),
            ("tomador_nome", Kind::Text),
            ("conteudo", Kind::Text),
        ];
        Table {
            name: "notas".to_owned(),
            columns: columns
                .into_iter()
                .map(|(name, kind)| Column {
                    name: name.to_owned(),
                    kind,
                })
                .collect(),
            key: vec![0],
            itself: None,
        }
    }

    /// Copies of one note, in two accounts.
    fn maker(threads: usize) -> Maker {
        let sheet = Sheet::empty(vec![notes()]);
        let emitter = format!("emi_{EMITTER_ULID}");
        let text = |text: &str| Value::Text(text.to_owned());
        let signed = format!("<SignatureValue>{}</SignatureValue>", "q".repeat(40));
        let note = vec![
            text(&format!("nfse_{MODEL_ULID}")),
            text(&emitter),
            Value::Integer(1_796_040_000_000),
            Value::Integer(1),
            text("nfse"),
            text("referencia-do-modelo-00001"),
            text("Cliente do Modelo"),
            text(&format!("Cliente do Modelo {signed}")),
        ];
        let shared = Shared {
            ids: vec![(EMITTER_ULID.to_owned(), Slot::Emitter)],
            companies: vec![(emitter, "11222333000181".to_owned())],
        };
        let model = Model::compiled(&sheet, vec![(0, note)], &shared).expect("a model");
        let account = |n: u32| Account {
            id: AccountId::from(format!("con_{n:026}").as_str()),
            ulid: format!("{n:026}"),
            key_ulid: format!("{n:026}"),
            webhook_ulid: format!("{n:026}"),
            companies: vec![Company {
                emitter_ulid: format!("{n:026}"),
                ..Company::default()
            }],
            emitters: vec![EmitterId::from(format!("emi_{n:026}").as_str())],
            before: Running::default(),
        };
        Maker {
            plan: Plan {
                notes: 500,
                largest: 0.5,
                persons: 20_000,
                seed: 3,
                from_ms: 1_764_504_000_000,
                to_ms: 1_796_040_000_000,
                batch: 500,
                threads,
                packed_until_ms: None,
                purged: Purged::NOTHING,
            },
            models: vec![model],
            accounts: vec![account(1), account(2)],
            tables: sheet.tables,
        }
    }

    #[test]
    fn copies_are_the_same_on_one_thread_and_on_four() {
        let assigned: Vec<Assigned> = (0..500)
            .map(|n| Assigned {
                n,
                model: 0,
                number: 100_000_001,
                running: Running::default(),
            })
            .collect();
        let one = maker(1).copies(&assigned).expect("copies");
        let four = maker(4).copies(&assigned).expect("copies");
        assert_eq!(one.len(), 500);
        assert!(one == four);
        let maker = maker(1);
        assert_eq!(one[499].rows[0].1[0], Value::Text(maker.id(499)));
        assert_ne!(one[0].rows[0].1[7], one[1].rows[0].1[7]);
    }

    #[test]
    fn what_threads_make_is_in_order() {
        let expected: Vec<usize> = (0..1_003).map(|place| place * 7).collect();
        for threads in [0, 1, 4] {
            let made = in_order(1_003, threads, |place| Ok(place * 7)).expect("made");
            assert_eq!(made, expected, "{threads} threads");
        }
        assert!(in_order(0, 4, Ok).expect("made").is_empty());
    }

    #[test]
    fn an_error_of_one_is_that_of_all() {
        let made = in_order(100, 4, |place| {
            anyhow::ensure!(place != 77, "it is {place}");
            Ok(place)
        });
        assert_eq!(
            made.map_err(|error| error.to_string()),
            Err("it is 77".to_owned())
        );
    }
}
