//! Sums of a note against its items.

use super::read::{Reading, set};
use super::values::{decimal_at, flag_of, given, text_at};
use crate::names::{Counted, SUMS, Sum};
use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::{Map, Value};

type Item<'v> = &'v Map<String, Value>;

/// Holds every sum that is given against what the items say.
pub(super) fn check(body: &Map<String, Value>, items: &[Item<'_>], reading: &mut Reading<'_>) {
    for sum in SUMS {
        if given(body, sum.total).is_some() {
            one(sum, body, items, reading);
        }
    }
}

fn one(sum: &Sum, body: &Map<String, Value>, items: &[Item<'_>], reading: &mut Reading<'_>) {
    let Some(stated) = decimal_at(body, sum.total) else {
        reading.fault(
            sum.total,
            "Informe um número, com ponto nas casas decimais.",
        );
        return;
    };
    match added(sum, items) {
        Some(own) if own == stated => {}
        Some(own) => reading.fault(
            sum.total,
            format!("O total ({stated}) difere da soma dos itens ({own})."),
        ),
        None if stated.is_zero() => {}
        None => match sum.divided {
            Some(ours) => set(&mut reading.body, ours, stated.to_string().into()),
            None => reading.notice(
                sum.total,
                format!(
                    "Nenhum item tem {}: o hub calcula o total a partir dos itens.",
                    sum.part
                ),
            ),
        },
    }
}

/// The sum of the items; None where none of them has its member.
fn added(sum: &Sum, items: &[Item<'_>]) -> Option<Decimal> {
    let counted = items.iter().filter(|item| counts(sum.counted, item));
    let parts: Vec<Decimal> = counted.filter_map(|item| part(sum.part, item)).collect();
    let some = items.iter().any(|item| part(sum.part, item).is_some());
    some.then(|| parts.into_iter().fold(Decimal::ZERO, plus))
}

fn plus(a: Decimal, b: Decimal) -> Decimal {
    a.checked_add(b).unwrap_or(Decimal::MAX)
}

/// An item's own amount: `valor_bruto` may be left out.
fn part(name: &str, item: Item<'_>) -> Option<Decimal> {
    let own = decimal_at(item, name);
    if name != "valor_bruto" || own.is_some() {
        return own;
    }
    let quantity = decimal_at(item, "quantidade_comercial")?;
    let price = decimal_at(item, "valor_unitario_comercial")?;
    let gross = quantity.checked_mul(price)?;
    Some(gross.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero))
}

fn counts(counted: Counted, item: Item<'_>) -> bool {
    let service = || given(item, "issqn_item_lista_servico").is_some();
    match counted {
        Counted::All => true,
        Counted::Goods => in_total(item) && !service(),
        Counted::NoServices => !service(),
        Counted::Services => in_total(item) && service(),
        Counted::Taxed => {
            let situation = text_at(item, "icms_situacao_tributaria");
            !matches!(situation.as_deref(), Some("40" | "41" | "50"))
        }
    }
}

fn in_total(item: Item<'_>) -> bool {
    let said = given(item, "inclui_no_total").and_then(|value| flag_of(value, ("1", "0")));
    said != Some(false)
}
