//! The rules of authorization, in the order of the MOC: identification,
//! parties, items, totals, payment, supplementary information, data base.
//! The first one that is broken is the refusal.

mod database;
pub mod identification;
pub mod ie;
pub mod items;
mod parties;
mod payment;
mod qrcode;
mod reform;
pub mod tables;
mod totals;

use rust_decimal::Decimal;

use super::cstat::Refusal;
use crate::sefaz::answer::Place;
use crate::sefaz::document::Dfe;
use crate::sefaz::memory::Call;
pub(super) use ie::ie_ok;

/// Differences up to this are taken as rounding (MOC, note *4).
const TOLERANCE: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

/// What the rules look at besides the note.
struct Context<'a> {
    nfe: &'a Dfe,
    place: Place,
    now_ms: i64,
}

/// Judges a note whose signature holds: `cStat` 100 or 150, or the refusal.
pub(super) fn nota(call: &Call<'_>, place: Place, nfe: &Dfe) -> Result<&'static str, Refusal> {
    let ctx = Context {
        nfe,
        place,
        now_ms: call.now_ms,
    };
    identification::check(&ctx)?;
    parties::check(&ctx)?;
    items::check(&ctx)?;
    reform::check(&ctx)?;
    totals::check(&ctx)?;
    payment::check(&ctx)?;
    qrcode::check(call, &ctx)?;
    database::check(call, &ctx)?;
    Ok(if identification::late(&ctx) {
        "150"
    } else {
        "100"
    })
}

fn refuse(code: &str) -> Result<(), Refusal> {
    Err(code.into())
}

/// Refuses when a condition does not hold.
fn require(holds: bool, code: &str) -> Result<(), Refusal> {
    if holds { Ok(()) } else { refuse(code) }
}

fn close(a: Decimal, b: Decimal) -> bool {
    (a - b).abs() <= TOLERANCE
}

fn cents(value: Decimal) -> Decimal {
    value.round_dp_with_strategy(2, rust_decimal::RoundingStrategy::MidpointAwayFromZero)
}
