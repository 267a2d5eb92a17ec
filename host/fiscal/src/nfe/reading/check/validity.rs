//! Rules that hold since a day: a document is judged by those of its own day,
//! because what was authorized then was judged by them.
//!
//! Sources: the technical notes' calendars (second-hand where the note itself
//! is not at hand). A rule that is not named here came with layout 4.00 or
//! before it.

use time::{Date, macros::date};

/// A set of rules: those of the one before it and what its day brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Regras {
    /// NT 2016.002: layout 4.00. Older notes are judged by it, too.
    Layout400,
    /// Manual do DANFE NFC-e 5.0: version 1 of the QR code ends.
    QrCode2,
    /// NT 2016.002: the invoice whole; notes of mid-2018 without its number were
    /// still authorized. Convênio ICMS 142/2018: the list of CEST.
    Invoice,
    /// NT 2019.001: `cNF` that cannot be guessed, items in order.
    NumericCode,
    /// NT 2020.006: other payments are described.
    Payment,
    /// The edition of the NCM table that the hub has.
    Ncm,
    /// LC 214/2025, NT 2025.002: IBS and CBS. The addresses of QR codes that the
    /// hub knows are of this time.
    Reforma,
}

/// A set, its name, its first day in production and in homologation.
type Start = (Regras, &'static str, Date, Date);

/// All sets, in the order of their days.
pub const CALENDAR: [Start; 7] = [
    (
        Regras::Layout400,
        "nfe-2017-12-04",
        date!(2017 - 12 - 04),
        date!(2017 - 11 - 20),
    ),
    (
        Regras::QrCode2,
        "nfe-2018-10-01",
        date!(2018 - 10 - 01),
        date!(2018 - 10 - 01),
    ),
    (
        Regras::Invoice,
        "nfe-2019-01-01",
        date!(2019 - 01 - 01),
        date!(2019 - 01 - 01),
    ),
    (
        Regras::NumericCode,
        "nfe-2019-09-02",
        date!(2019 - 09 - 02),
        date!(2019 - 07 - 22),
    ),
    (
        Regras::Payment,
        "nfe-2021-09-01",
        date!(2021 - 09 - 01),
        date!(2021 - 05 - 03),
    ),
    (
        Regras::Ncm,
        "nfe-2022-04-01",
        date!(2022 - 04 - 01),
        date!(2022 - 04 - 01),
    ),
    (
        Regras::Reforma,
        "nfe-2026-01-01",
        date!(2026 - 01 - 01),
        date!(2026 - 01 - 01),
    ),
];

impl Regras {
    /// The set in force on a day; the oldest for all days before it.
    pub fn at(day: Date, homologacao: bool) -> Regras {
        let began = |(_, _, production, test): &&Start| {
            let since = if homologacao { *test } else { *production };
            since <= day
        };
        let start = CALENDAR.iter().rev().find(began);
        start.map_or(Regras::Layout400, |start| start.0)
    }

    /// `nfe-2021-09-01`: named after its first day in production.
    pub fn name(self) -> &'static str {
        let start = CALENDAR.iter().find(|start| start.0 == self);
        start.map_or("", |start| start.1)
    }
}
