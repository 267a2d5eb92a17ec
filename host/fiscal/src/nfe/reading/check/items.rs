//! Each item by itself: numbering, quantity times price, bar codes.

use std::borrow::Cow;

use rust_decimal::Decimal;

use super::nota::{Item, number, reais};
use super::{Findings, Nota};
use markup::ids::is_valid_gtin;

/// One cent, the tolerance of products and taxes (MOC, annex I).
pub(super) const CENT: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

pub(super) fn check(nota: &Nota<'_>, findings: &mut Findings) {
    // Complementary and adjusting notes carry amounts without goods.
    let with_goods = !nota.purpose(&["2", "3"]);
    for (position, item) in nota.items.iter().enumerate() {
        let number = item.det.attribute("nItem").unwrap_or("");
        if number != (position + 1).to_string() {
            findings
                .error(
                    format!("{}/@nItem", item.caminho),
                    "927",
                    format!(
                        "O item na posição {} tem o número {}.",
                        position + 1,
                        number.chars().take(4).collect::<String>()
                    ),
                    "Numere os itens 1, 2, 3… na ordem da nota.",
                )
                .value(number);
        }
        if with_goods {
            product(item, ("qCom", "vUnCom", "629"), findings);
            product(item, ("qTrib", "vUnTrib", "630"), findings);
        }
        gtin(item, ("cEAN", "611"), findings);
        gtin(item, ("cEANTrib", "612"), findings);
    }
}

fn product(
    item: &Item<'_>,
    (quantity, unit_value, codigo): (&str, &str, &'static str),
    findings: &mut Findings,
) {
    let read = |name: &str| item.prod(name).and_then(|text| number(&text));
    let (Some(amount), Some(price), Some(total)) =
        (read(quantity), read(unit_value), read("vProd"))
    else {
        return;
    };
    let Some(product) = amount.checked_mul(price) else {
        return;
    };
    let product =
        product.round_dp_with_strategy(2, rust_decimal::RoundingStrategy::MidpointAwayFromZero);
    if (product - total).abs() > CENT {
        findings
            .error(
                format!("{}/prod/vProd", item.caminho),
                codigo,
                format!(
                    "vProd é {}, mas {quantity} × {unit_value} dá {}.",
                    reais(total),
                    reais(product)
                ),
                format!("Corrija vProd, {quantity} ou {unit_value}."),
            )
            .value(&total.to_string());
    }
}

fn gtin(item: &Item<'_>, (field, codigo): (&str, &'static str), findings: &mut Findings) {
    let Some(gtin) = item.prod(field) else { return };
    if gtin == "SEM GTIN" || is_valid_gtin(&gtin) {
        return;
    }
    findings
        .error(
            format!("{}/prod/{field}", item.caminho),
            codigo,
            "O código de barras não é um GTIN: o tamanho ou o dígito verificador não confere.",
            "Copie o código da embalagem, ou informe SEM GTIN.",
        )
        .value(&gtin);
}

/// The value of a field for a message.
pub(super) fn or_empty(value: Option<Cow<'_, str>>) -> String {
    value.map_or_else(String::new, |text| text.chars().take(20).collect())
}
