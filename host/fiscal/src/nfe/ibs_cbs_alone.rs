//! Which taxes besides IBS and CBS a note may not carry, by what it is for:
//! rule B25-80 of NT 2025.002, rejection 1001. Exceptions as of v1.52 (read
//! second-hand).

/// Official names of the groups of an item that B25-80 forbids; the last four
/// may be on what is paid in advance. The rule would let IPI be there, too, but
/// no layout up to 010f has IPI without ICMS or ISSQN beside it.
const ALL: [&str; 10] = [
    "ICMS",
    "ISSQN",
    "II",
    "ICMSUFDest",
    "impostoDevol",
    "IPI",
    "PIS",
    "PISST",
    "COFINS",
    "COFINSST",
];
/// `tpNFCredito` of goods that come back and of reductions of value.
const FREE_CREDITS: [&str; 3] = ["03", "04", "06"];
/// `tpNFDebito` of stock that was lost.
const LOSS: &str = "07";
/// `tpNFDebito` of what is paid in advance.
const ADVANCE_PAYMENT: &str = "06";
/// Last year of PIS and COFINS (LC 214/2025 art. 542).
const LAST_PIS_YEAR: i32 = 2026;

/// What a note is for, by official codes; empty where it does not say.
#[derive(Clone, Copy, Default)]
pub struct Operation<'a> {
    /// `finNFe`.
    pub purpose: &'a str,
    /// `tpNFDebito`.
    pub debit: &'a str,
    /// `tpNFCredito`.
    pub credit: &'a str,
    /// `tpOperGov`.
    pub government: &'a str,
    /// Year of emission.
    pub year: i32,
}

impl Operation<'_> {
    /// Must the taxes of today be there? Notes of debit and credit, and the
    /// payment of a government purchase, do without (B25-90, Q01-20, S01-20).
    pub fn demands(&self) -> bool {
        !matches!(self.purpose, "5" | "6") && self.government != "2"
    }

    /// Names of the item's groups that the note may not have.
    pub fn forbidden(&self) -> &'static [&'static str] {
        let free = FREE_CREDITS.contains(&self.credit) || self.debit == LOSS;
        if self.demands() || free {
            return &[];
        }
        match self.debit {
            ADVANCE_PAYMENT if self.year <= LAST_PIS_YEAR => &ALL[..6],
            _ => &ALL,
        }
    }
}
