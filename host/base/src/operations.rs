//! The operations table: the one source of method, path, price, when it is
//! charged, availability and family.
//!
//! Rows 1 to 164 are the product's operations; the rows that begin with C are
//! the control plane, outside that count.

use std::sync::OnceLock;

const TABLE: &str = include_str!("../operations.csv");

/// One row.
#[derive(Clone, Debug, serde::Deserialize)]
pub struct Operation {
    pub n: String,
    /// Operation id, `nfse.create`.
    pub operation: String,
    pub method: String,
    pub path: String,
    /// Credits; `8|20` where the price has tiers.
    pub credits: String,
    /// `authorized`, `call`, `found`, `found (each)`, `never`.
    pub charged_when: String,
    /// `production`, `test`, `support`, `beta`, `refused`.
    pub availability: String,
    pub family: String,
    /// `key` or `none`.
    pub auth: String,
}

impl Operation {
    /// The price, where there is one: None for prices with tiers.
    pub fn price(&self) -> Option<i64> {
        self.credits.parse().ok()
    }

    /// The prices by size, the smallest size first.
    pub fn tiers(&self) -> Vec<i64> {
        let tiers = self.credits.split('|');
        tiers.filter_map(|price| price.parse().ok()).collect()
    }
}

/// All rows, in the order of the file.
pub fn all() -> &'static [Operation] {
    static ROWS: OnceLock<Vec<Operation>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let mut reader = csv::Reader::from_reader(TABLE.as_bytes());
        // The file is part of the program; a test reads every row.
        reader.deserialize().filter_map(Result::ok).collect()
    })
}

/// The row of an operation id.
pub fn get(operation: &str) -> Option<&'static Operation> {
    all().iter().find(|row| row.operation == operation)
}
