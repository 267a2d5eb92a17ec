//! Items and payments: rows of fields with the same names. The first row has
//! the plain names, `descricao`; those of the others end in their number,
//! `descricao-2`.

use super::inputs::{ITEM, ITEM_MORE, Input, PAYMENT};
use crate::form::Fields;

/// Most rows of a form: as many items as a note has (MOC, H01).
const MOST: usize = 990;

/// The rows of one kind.
#[derive(Clone, Copy)]
pub struct Rows {
    inputs: [&'static [Input]; 2],
}

pub const ITEMS: Rows = Rows {
    inputs: [ITEM, ITEM_MORE],
};
pub const PAYMENTS: Rows = Rows {
    inputs: [PAYMENT, &[]],
};

/// The name of a field in a row, which count from 1.
pub fn named(name: &str, row: usize) -> String {
    if row <= 1 {
        name.to_owned()
    } else {
        format!("{name}-{row}")
    }
}

/// The plain name of a field, and its row.
pub fn plain(name: &str) -> (&str, usize) {
    let parts = name.rsplit_once('-');
    match parts.and_then(|(plain, row)| Some((plain, row.parse().ok()?))) {
        Some((plain, row)) => (plain, row),
        None => (name, 1),
    }
}

impl Rows {
    fn names(self) -> impl Iterator<Item = &'static str> {
        self.inputs.into_iter().flatten().map(|input| input.name)
    }

    /// How many rows a form has: at least one.
    pub fn count(self, fields: &Fields) -> usize {
        let there = |row: usize| self.names().any(|name| fields.has(&named(name, row)));
        (2..=MOST).take_while(|row| there(*row)).count() + 1
    }

    /// Whether nothing was written in a row. What is chosen from a list always
    /// has a value and does not count.
    pub fn is_blank(self, fields: &Fields, row: usize) -> bool {
        self.names()
            .filter(|name| *name != "forma")
            .all(|name| fields.get(&named(name, row)).is_empty())
    }

    /// The rows in which something was written; the first one if there is none.
    pub fn used(self, fields: &Fields) -> Vec<usize> {
        let rows = 1..=self.count(fields);
        let used: Vec<usize> = rows.filter(|row| !self.is_blank(fields, *row)).collect();
        if used.is_empty() { vec![1] } else { used }
    }

    /// Adds an empty row; its number.
    pub fn append(self, fields: &mut Fields) -> usize {
        let last = self.count(fields);
        if last >= MOST {
            return last;
        }
        for name in self.names() {
            fields.set(&named(name, last + 1), "");
        }
        last + 1
    }

    /// Takes a row away, and those behind it move up. The only row stays, empty.
    pub fn remove(self, fields: &mut Fields, row: usize) {
        let last = self.count(fields);
        if !(1..=last).contains(&row) {
            return;
        }
        for name in self.names() {
            for at in row..last {
                let next = fields.raw(&named(name, at + 1)).to_owned();
                fields.set(&named(name, at), next);
            }
            if last == 1 {
                fields.set(name, "");
            } else {
                fields.take(&named(name, last));
            }
        }
    }
}
