//! Groups that only carry amounts: credits taken, given back, moved.

use data::class_trib;
use rust_decimal::Decimal;

use super::normal::base_of_item;
use super::{Context, Item, Pair, Sums};
use crate::ibs_cbs::arithmetic::{percent_of, rate, value};
use crate::ibs_cbs::input::{CredPresZfm, PeriodAdjustment};
use markup::field::Fields;
use markup::tree::Node;

/// `gCredPresOper`.
pub(super) fn operation(
    context: &Context,
    item: &Item,
    sums: &mut Sums,
    fields: &mut Fields,
) -> Option<Node> {
    let credit = item.cred_pres.as_ref()?;
    let line = class_trib::cred_pres(&credit.codigo)?;
    let base = credit.base.unwrap_or_else(|| base_of_item(context, item));
    let side = |applies: bool, stated: Option<Decimal>, by_law: Option<Decimal>| {
        let p = stated.or(by_law).filter(|_| applies)?;
        Some((p, percent_of(base, p)))
    };
    let ibs = side(line.ibs_on(context.data), credit.p_ibs, line.p_ibs);
    let cbs = side(line.cbs_on(context.data), credit.p_cbs, line.p_cbs);

    for (name, side, rule) in [("ibs", ibs, "UB125-10"), ("cbs", cbs, "UB129-10")] {
        // Used goods: the credit cannot be more than the goods cost.
        if line.codigo == 4 && side.is_some_and(|(_, v)| v > item.values.v_prod) {
            fields.add(
                format!("credito_presumido.aliquota_{name}"),
                rule,
                "O crédito presumido passa do valor do produto.",
                "Confira a base e o percentual do crédito presumido.",
            );
        }
    }

    let v = |side: Option<(Decimal, Decimal)>| side.map_or(Decimal::ZERO, |(_, v)| v);
    if credit.suspensive {
        sums.v_cred_pres_suspensive = Pair {
            ibs: v(ibs),
            cbs: v(cbs),
        };
    } else {
        sums.v_cred_pres = Pair {
            ibs: v(ibs),
            cbs: v(cbs),
        };
        if line.deducts {
            sums.v_cred_pres_deducted = v(ibs);
        }
    }

    let field = if credit.suspensive {
        "vCredPresCondSus"
    } else {
        "vCredPres"
    };
    let group = |name: &'static str, side: Option<(Decimal, Decimal)>| {
        side.map(|(p, v)| {
            Node::group(name)
                .with("pCredPres", rate(p))
                .with(field, value(v))
        })
    };
    Some(
        Node::group("gCredPresOper")
            .with("vBCCredPres", value(base))
            .with("cCredPres", format!("{:02}", line.codigo))
            .child_if(group("gIBSCredPres", ibs))
            .child_if(group("gCBSCredPres", cbs)),
    )
}

/// `gTransfCred` (CST 800).
pub(super) fn transfer(pair: Pair) -> Node {
    Node::group("gTransfCred")
        .with("vIBS", value(pair.ibs))
        .with("vCBS", value(pair.cbs))
}

/// `gAjusteCompet` (CST 811).
pub(super) fn adjustment(adjustment: &PeriodAdjustment) -> Node {
    Node::group("gAjusteCompet")
        .with("competApur", adjustment.period.clone())
        .with("vIBS", value(adjustment.values.ibs))
        .with("vCBS", value(adjustment.values.cbs))
}

/// `gEstornoCred`.
pub(super) fn reversal(pair: Pair, sums: &mut Sums) -> Node {
    sums.reversal = true;
    sums.v_reversal = pair;
    Node::group("gEstornoCred")
        .with("vIBSEstCred", value(pair.ibs))
        .with("vCBSEstCred", value(pair.cbs))
}

/// `gCredPresIBSZFM` (CST 810).
pub(super) fn zfm(credit: &CredPresZfm) -> Node {
    Node::group("gCredPresIBSZFM")
        .with("competApur", credit.period.clone())
        .with("tpCredPresIBSZFM", credit.kind.to_string())
        .with("vCredPresIBSZFM", value(credit.value))
}
