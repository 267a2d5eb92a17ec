//! PIS and COFINS of the sale: at the rates of the request, else the general
//! ones, which goods taxed at the producer's do not have.

use super::facts::Facts;
use super::icms::Own;
use super::output::{Lack, TaxOut};
use super::rates::{percent, stated, stated_amount};
use fiscal::taxes::Impossible;
use fiscal::taxes::pis_cofins::{Contribution, by_rate, general};
use rust_decimal::Decimal;
use time::Date;
use time::macros::date;

/// First day without them (ADCT art. 126 II).
const END: Date = date!(2027 - 01 - 01);

/// PIS and COFINS.
///
/// # Errors
/// Numbers that the formulas do not take.
pub(super) fn contributions(facts: &Facts, own: &Own) -> Result<[TaxOut; 2], Impossible> {
    let both = |tax: TaxOut| Ok([tax.clone(), tax]);
    if facts.day >= END {
        let reason = "O PIS e a COFINS deram lugar à CBS em 2027.";
        let ground = "ADCT, art. 126, II (EC 132/2023)";
        return both(TaxOut::not_due("pis_cofins_extintos", reason, ground));
    }
    if facts.in_simples() {
        let reason = "No Simples Nacional o PIS e a COFINS estão no DAS.";
        let ground = "LC 123/2006, art. 13, IV e V";
        return both(TaxOut::not_due("pis_cofins_no_das", reason, ground));
    }
    // The fund stays in (Solução de Consulta Cosit 61/2024).
    let icms = own.icms.known();
    Ok([
        one(facts, Contribution::Pis, &icms)?,
        one(facts, Contribution::Cofins, &icms)?,
    ])
}

fn one(
    facts: &Facts,
    of: Contribution,
    icms: &Result<Decimal, Lack>,
) -> Result<TaxOut, Impossible> {
    let given = match of {
        Contribution::Pis => ("valor_pis", facts.given.pis),
        Contribution::Cofins => ("valor_cofins", facts.given.cofins),
    };
    if let (name, Some(value)) = given {
        return Ok(TaxOut::given(stated_amount(name, value), value));
    }
    let icms = match icms {
        Ok(icms) => *icms,
        Err(lack) => return Ok(TaxOut::without_table(lack.clone())),
    };
    let operation = facts.amounts.operation();
    let (name, rate) = match of {
        Contribution::Pis => ("aliquota_pis", facts.rates.pis),
        Contribution::Cofins => ("aliquota_cofins", facts.rates.cofins),
    };
    if let Some(rate) = rate {
        let charge = by_rate(of, operation, icms, rate, "Alíquota informada no pedido")?;
        return Ok(TaxOut::calculated(vec![stated(name, rate)], charge));
    }
    if data::monophasic::is_monophasic(&facts.ncm) {
        let reason = taxed_once(of, &facts.ncm);
        return Ok(TaxOut::without_table(Lack::new(reason, &[name])));
    }
    let Some(regime) = facts.contributions else {
        let reason = "A alíquota depende do regime de apuração.";
        let lack = Lack::new(reason, &["regime_pis_cofins"]);
        return Ok(TaxOut::without_table(lack));
    };
    let charge = general(of, regime, operation, icms)?;
    Ok(TaxOut::calculated(Vec::new(), charge))
}

/// What the table has for goods that are taxed once, at the producer's.
fn taxed_once(of: Contribution, ncm: &str) -> String {
    let candidates = data::monophasic::by_ncm(ncm);
    let mut rates: Vec<String> = candidates
        .iter()
        .filter(|candidate| candidate.ex.is_none())
        .map(|candidate| match of {
            Contribution::Pis => candidate.regime.pis,
            Contribution::Cofins => candidate.regime.cofins,
        })
        .map(percent)
        .collect();
    rates.sort();
    rates.dedup();
    let rates = rates.join(" ou ");
    format!(
        "O NCM tem tributação concentrada: quem produz ou importa paga {rates}, conforme o comprador e a embalagem; quem revende, zero."
    )
}
