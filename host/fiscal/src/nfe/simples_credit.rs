//! The credit of ICMS a buyer may take from an issuer of the Simples Nacional:
//! what the note has to say of it (LC 123/2006 art. 23; CGSN Resolution
//! 140/2018 art. 58, wording second-hand).

use markup::format::{money, percentage};
use rust_decimal::Decimal;
use std::collections::BTreeMap;

/// The sentence for the `pCredSN` and `vCredICMSSN` of the items, once for each
/// rate. None where no item gives credit; what is no number is told by the
/// layout.
pub fn text<'t>(items: impl Iterator<Item = (&'t str, &'t str)>) -> Option<String> {
    let mut by_rate: BTreeMap<Decimal, Decimal> = BTreeMap::new();
    for (rate, value) in items {
        let (Ok(rate), Ok(value)) = (rate.parse(), value.parse::<Decimal>()) else {
            continue;
        };
        if value > Decimal::ZERO {
            let sum = by_rate.entry(rate).or_default();
            *sum = sum.checked_add(value)?;
        }
    }
    let phrases: Vec<String> = by_rate
        .iter()
        .map(|(rate, value)| {
            format!(
                "PERMITE O APROVEITAMENTO DO CRÉDITO DE ICMS NO VALOR DE {}; CORRESPONDENTE À ALÍQUOTA DE {}, NOS TERMOS DO ART. 23 DA LEI COMPLEMENTAR Nº 123, DE 2006",
                money(Some(*value)),
                percentage(Some(*rate))
            )
        })
        .collect();
    (!phrases.is_empty()).then(|| phrases.join(" | "))
}

/// Does a text say so already, in words of the issuer's?
pub fn already_says(text: &str) -> bool {
    let text = text.to_lowercase().replace('é', "e");
    text.contains("aproveitamento do credito")
}
