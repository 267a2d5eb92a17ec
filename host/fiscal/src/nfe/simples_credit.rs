//! The credit of ICMS a buyer may take from an issuer of the Simples Nacional:
//! what the note has to say of it (LC 123/2006 art. 23; CGSN Resolution
//! 140/2018 art. 58, wording second-hand).

use markup::format::{money, percentage};
use rust_decimal::Decimal;
use std::collections::BTreeMap;

/// The sentence for the `pCredSN` and `vCredICMSSN` of the items, once for each
/// rate. None where no item gives credit; what is no number is told by the
/// layout.
pub fn texto<'t>(itens: impl Iterator<Item = (&'t str, &'t str)>) -> Option<String> {
    let mut por_taxa: BTreeMap<Decimal, Decimal> = BTreeMap::new();
    for (taxa, valor) in itens {
        let (Ok(taxa), Ok(valor)) = (taxa.parse(), valor.parse::<Decimal>()) else {
            continue;
        };
        if valor > Decimal::ZERO {
            let soma = por_taxa.entry(taxa).or_default();
            *soma = soma.checked_add(valor)?;
        }
    }
    let frases: Vec<String> = por_taxa
        .iter()
        .map(|(taxa, valor)| {
            format!(
                "PERMITE O APROVEITAMENTO DO CRÉDITO DE ICMS NO VALOR DE {}; CORRESPONDENTE À ALÍQUOTA DE {}, NOS TERMOS DO ART. 23 DA LEI COMPLEMENTAR Nº 123, DE 2006",
                money(Some(*valor)),
                percentage(Some(*taxa))
            )
        })
        .collect();
    (!frases.is_empty()).then(|| frases.join(" | "))
}

/// Does a text say so already, in words of the issuer's?
pub fn ja_diz(texto: &str) -> bool {
    let texto = texto.to_lowercase().replace('é', "e");
    texto.contains("aproveitamento do credito")
}
