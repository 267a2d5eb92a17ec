//! Where a note of a batch stands, and how many stand alike.

use store::tables::lotes::{LoteCountRow, LoteLineRow, LoteNotaStatus};
use store::tables::notas::NotaStatus;

/// Where a note of a batch stands, as people see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Something is to be corrected in the file.
    Wrong,
    Ready,
    /// Sent, and nobody knows what becomes of it.
    Open,
    Issued,
    Refused,
    Uncertain,
    /// Left out: another batch issued its like.
    Repeated,
}

impl Standing {
    fn of(status: LoteNotaStatus, note: Option<NotaStatus>) -> Standing {
        match (status, note) {
            (LoteNotaStatus::Wrong, _) => Standing::Wrong,
            (LoteNotaStatus::Ready, _) => Standing::Ready,
            (LoteNotaStatus::Uncertain, _) => Standing::Uncertain,
            // The note of its row is the other one.
            (LoteNotaStatus::Repeated, _) => Standing::Repeated,
            (_, Some(NotaStatus::Rejected | NotaStatus::NotSent)) => Standing::Refused,
            (LoteNotaStatus::Refused, _) => Standing::Refused,
            (
                LoteNotaStatus::Sent,
                Some(NotaStatus::Authorized | NotaStatus::Validated | NotaStatus::Cancelled),
            ) => Standing::Issued,
            (LoteNotaStatus::Sent | LoteNotaStatus::Sending, _) => Standing::Open,
        }
    }

    pub fn words(self) -> &'static str {
        match self {
            Standing::Wrong => "a corrigir",
            Standing::Ready => "pronta",
            Standing::Open => "em transmissão",
            Standing::Issued => "emitida",
            Standing::Refused => "recusada",
            Standing::Uncertain => "a conferir",
            Standing::Repeated => "repetida",
        }
    }

    /// Class of its seal.
    pub fn class(self) -> &'static str {
        match self {
            Standing::Wrong | Standing::Refused => "selo erro",
            Standing::Open | Standing::Uncertain => "selo aviso",
            Standing::Issued => "selo ok",
            Standing::Ready | Standing::Repeated => "selo",
        }
    }
}

/// Where the note of a line stands.
pub fn standing(row: &LoteLineRow) -> Standing {
    Standing::of(row.status, row.nota_status.0)
}

/// How many notes of a batch stand how, and the value of those to issue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub wrong: i64,
    pub ready: i64,
    pub open: i64,
    pub issued: i64,
    pub refused: i64,
    pub uncertain: i64,
    pub repeated: i64,
    /// Of those that are ready, in cents.
    pub ready_cents: i64,
}

impl Counts {
    pub fn of(rows: &[LoteCountRow]) -> Counts {
        let mut counts = Counts::default();
        for row in rows {
            let standing = Standing::of(row.status, row.nota_status.0);
            counts.add(standing, row.notas, row.valor_centavos);
        }
        counts
    }

    /// Counts notes that stand alike, and their value.
    pub fn add(&mut self, standing: Standing, notes: i64, cents: i64) {
        let place = match standing {
            Standing::Wrong => &mut self.wrong,
            Standing::Ready => {
                self.ready_cents += cents;
                &mut self.ready
            }
            Standing::Open => &mut self.open,
            Standing::Issued => &mut self.issued,
            Standing::Refused => &mut self.refused,
            Standing::Uncertain => &mut self.uncertain,
            Standing::Repeated => &mut self.repeated,
        };
        *place += notes;
    }

    /// All notes that were or will be sent.
    pub fn sending(self) -> i64 {
        self.ready + self.open + self.done()
    }

    /// Those of which the end is known.
    pub fn done(self) -> i64 {
        self.issued + self.refused + self.uncertain
    }
}
