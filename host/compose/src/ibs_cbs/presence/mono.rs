//! Which single-phase groups a classification calls for.

use data::class_trib::ClassTrib;
use time::Date;
use time::macros::date;

use super::super::{Context, Item, Version};
use super::{Class, demand, forbids};
use crate::ibs_cbs::input::{MonoRate, MonoTax, SinglePhase, Withheld};
use markup::field::Fields;

/// From this day on single-phase groups are rejected when missing; until then
/// the rules are "implementação futura" (NT 2025.002, UB13-40 and UB84a-10 on;
/// second-hand).
const MONO_START: Date = date!(2027 - 01 - 04);

/// Groups of the single phase that are missing or out of place.
pub(super) fn check(context: &Context, item: &Item, class: &Class, fields: &mut Fields) {
    let line = class.class;
    let asks_any =
        line.mono_standard || line.mono_withholding || line.mono_ret || line.bio_difference;
    let Some(mono) = &item.mono else {
        if class.cst.g_mono && asks_any && context.data >= MONO_START {
            demand(
                fields,
                "mono",
                "UB13-40",
                "Este CST exige a tributação monofásica.",
            );
        }
        return;
    };
    if !class.cst.g_mono {
        forbids(
            fields,
            "mono",
            "UB13-39",
            "Este CST não tem tributação monofásica.",
        );
        return;
    }
    let is_old = context.version < Version::F;
    for (name, tax) in [("mono.ibs", &mono.ibs), ("mono.cbs", &mono.cbs)] {
        groups(name, tax, line, is_old, fields);
    }
    if is_old {
        old(mono, fields);
    }
}

/// The groups of one of the two taxes. `antigo`: layouts before 010f.
fn groups(name: &str, tax: &MonoTax, line: &ClassTrib, old: bool, fields: &mut Fields) {
    // 620003 has no group of its own in 010f: either main group may come.
    let free = line.mono_dif;
    let groups = [
        (
            "quantidade",
            tax.default.is_some(),
            line.mono_standard,
            free,
            "UB84a-10",
        ),
        (
            "quantidade_retencao",
            tax.withholding.is_some(),
            line.mono_withholding,
            free,
            "UB90-10",
        ),
        (
            "valor_retido",
            tax.withheld.is_some(),
            line.mono_ret,
            false,
            "UB94-10",
        ),
        (
            "diferimento",
            tax.p_dif.is_some(),
            line.mono_dif && old,
            false,
            "UB99-10",
        ),
        (
            "quantidade_biocombustivel",
            tax.bio.is_some(),
            line.bio_difference && !old,
            false,
            "UB89a",
        ),
    ];
    for (field, has, asks, admits, rule) in groups {
        let field = format!("{name}.{field}");
        if asks && !has {
            demand(
                fields,
                &field,
                rule,
                "Esta classificação exige este grupo da monofasia.",
            );
        } else if has && !asks && !admits {
            forbids(
                fields,
                &field,
                rule,
                "Esta classificação não admite este grupo da monofasia.",
            );
        }
    }
}

/// Before 010f IBS and CBS share each group: ad rem, with one quantity.
fn old(mono: &SinglePhase, fields: &mut Fields) {
    let quantity = |rate: Option<MonoRate>| match rate {
        Some(MonoRate::AdRem { quantity, .. }) => Some(Some(quantity)),
        Some(MonoRate::AdValorem { .. }) => None,
        None => Some(None),
    };
    let withheld = |tax: &MonoTax| match tax.withheld {
        Some(Withheld::AdRem { quantity, .. }) => Some(Some(quantity)),
        Some(Withheld::Value(_)) => None,
        None => Some(None),
    };
    let pairs = [
        (
            "quantidade",
            quantity(mono.ibs.default),
            quantity(mono.cbs.default),
        ),
        (
            "quantidade_retencao",
            quantity(mono.ibs.withholding),
            quantity(mono.cbs.withholding),
        ),
        ("valor_retido", withheld(&mono.ibs), withheld(&mono.cbs)),
        (
            "diferimento",
            Some(mono.ibs.p_dif.map(|_| 0.into())),
            Some(mono.cbs.p_dif.map(|_| 0.into())),
        ),
    ];
    for (field, ibs, cbs) in pairs {
        if ibs.is_none() || cbs.is_none() || ibs != cbs {
            fields.add(
                format!("mono.cbs.{field}"),
                "UB84a-10",
                "Até 02/11/2026 a monofasia de IBS e CBS é por quantidade, a mesma nos dois tributos.",
                "Informe a mesma quantidade e a alíquota por unidade em IBS e CBS.",
            );
        }
    }
}
