//! IBS and CBS of an item and of a note (NT 2025.002, LC 214/2025): from
//! amounts and a classification to the groups `IBSCBS` and `IBSCBSTot`.
//!
//! Pure: the date, the regime and rates that the law left open come in. Paths
//! in problems are relative to the item's `ibs_cbs`, and a problem's code is
//! the id of the rule (UB35-10 …) that the authority would refuse by; the texts
//! of v1.51 and v1.52 were read second-hand. Amounts are rounded half to even,
//! as the calculator of the RFB does.

pub mod arithmetic;
mod credits;
mod input;
mod mono;
pub mod normal;
pub mod presence;
mod totals;

pub use fiscal::taxes::ibs_cbs::{Values, base};
pub use input::{
    BioDifference, Context, CredPresOperation, CredPresZfm, GovPurchase, Item, Model, MonoRate,
    MonoTax, Pair, Percentages, PeriodAdjustment, Purpose, Rates, SinglePhase, Tax, TribRegular,
    Version, Withheld, ZfmAlc,
};
pub use totals::{Sums, totals, v_item, v_nf_tot};

use time::Date;
use time::macros::date;

use markup::field::{Field, Fields};
use markup::tree::Node;

/// First day on which Simples and MEI inform IBS and CBS (NT 2025.002 v1.51,
/// UB12-10; second-hand).
pub const SIMPLES_START: Date = date!(2027 - 01 - 04);
/// First day of the duty of the regular regime (LC 214/2025, art. 348).
const REGULAR_START: Date = date!(2026 - 01 - 01);

/// What the emitter's regime says about the group on a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// The group may not be there.
    Forbidden,
    /// It may be there or not.
    Optional,
    /// A duty whose absence is not rejected: a warning. Rejection 1115 was
    /// planned for 2026-08-03 and suspended by Ato Técnico Conjunto RFB/CGIBS
    /// 1/2026 (second-hand; one source disagrees). Whether it holds for Simples
    /// from 2027-01-04 on was not known in November 2026.
    DueWithoutRejection,
}

/// Whether the group is due for a regime (CRT) on a date.
pub fn duty(crt: u8, data: Date) -> Duty {
    match crt {
        1 | 2 | 4 if data < SIMPLES_START => Duty::Forbidden,
        _ if data < REGULAR_START => Duty::Optional,
        _ => Duty::DueWithoutRejection,
    }
}

/// The group of an item and what it adds to the note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// `IBSCBS`, members in the order of the layout.
    pub element: Node,
    pub sums: Sums,
}

/// Builds the group `IBSCBS` of an item.
///
/// # Errors
/// Everything that is wrong, with paths relative to the item's `ibs_cbs`.
pub fn group(context: &Context, item: &Item) -> Result<Group, Vec<Field>> {
    let mut fields = Fields::default();
    if duty(context.crt, context.data) == Duty::Forbidden {
        fields.add(
            "",
            "UB12-10",
            "Emitente do Simples Nacional ou MEI não informa IBS e CBS antes de 04/01/2027.",
            "Retire o grupo ibs_cbs do item.",
        );
        return Err(fields.0);
    }
    let Some(class) = presence::classification(context, item, &mut fields) else {
        return Err(fields.0);
    };
    presence::check(context, item, &class, &mut fields);
    arithmetic::limits(context, item, &mut fields);
    // Arithmetic only on what is in bounds and belongs there.
    fields.into_result()?;

    let mut fields = Fields::default();
    let mut sums = Sums {
        informed: true,
        ..Sums::default()
    };
    let credit = credits::operation(context, item, &mut sums, &mut fields);
    let mut element = Node::group("IBSCBS")
        .with("CST", class.cst.codigo)
        .with("cClassTrib", class.class.codigo)
        .with_if("indDoacao", item.donation.then_some("1"));
    if class.cst.g_ibs_cbs && !presence::stock_loss(context) {
        let group = normal::group(context, item, &class, &mut sums, &mut fields);
        element = element.child_if(group);
    }
    if let Some(mono) = &item.mono {
        element.put(mono::group(context.version, mono, &mut sums));
    }
    element = element
        .child_if(item.credit_transfer.map(credits::transfer))
        .child_if(item.period_adjustment.as_ref().map(credits::adjustment))
        .child_if(item.reversal.map(|pair| credits::reversal(pair, &mut sums)))
        .child_if(credit)
        .child_if(item.cred_pres_zfm.as_ref().map(credits::zfm));
    fields.into_result()?;
    Ok(Group { element, sums })
}
