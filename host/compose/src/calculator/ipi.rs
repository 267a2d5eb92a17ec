//! IPI of the sale, at the rate of the request, else at that of the TIPI, where one is
//! loaded.

use super::facts::Facts;
use super::output::{Lack, StepOut, TaxOut};
use super::rates::{of_table, percent, stated, stated_amount};
use data::tipi;
use fiscal::taxes::{Impossible, ipi as formulas};

/// The step that names a row of the TIPI.
pub(super) const BY_TABLE: &str = "aliquota_tipi";
/// The law of the TIPI.
const GROUND: &str = "TIPI, Decreto 11.158/2022";

/// IPI.
///
/// # Errors
/// Numbers that the formula does not take.
pub(super) fn ipi(facts: &Facts) -> Result<TaxOut, Impossible> {
    if facts.in_simples() {
        let reason = "No Simples Nacional o IPI está no DAS.";
        return Ok(TaxOut::not_due(
            "ipi_no_das",
            reason,
            "LC 123/2006, art. 13, II",
        ));
    }
    if let Some(value) = facts.given.ipi {
        return Ok(TaxOut::given(stated_amount("valor_ipi", value), value));
    }
    let Some(rate) = facts.rates.ipi else {
        return by_table(facts);
    };
    let charge = formulas::by_value(facts.amounts.operation(), rate)?;
    Ok(TaxOut::calculated(
        vec![stated("aliquota_ipi", rate)],
        charge,
    ))
}

/// IPI at the rate of the TIPI.
fn by_table(facts: &Facts) -> Result<TaxOut, Impossible> {
    let ex = match facts.ex.as_str() {
        "" => String::new(),
        ex => format!(" (Ex {ex})"),
    };
    let row = tipi::get(&facts.ncm, &facts.ex);
    let Some(row) = row else {
        let reason = match data::versions::get("tipi") {
            None => "A TIPI não está carregada. Informe aliquota_ipi: 0 se quem vende não é contribuinte do IPI.".to_owned(),
            Some(version) => format!(
                "A TIPI carregada, de {}, não tem o NCM {}{ex}. Informe aliquota_ipi.",
                version.date, facts.ncm
            ),
        };
        return Ok(TaxOut::without_table(Lack::new(reason, &["aliquota_ipi"])));
    };
    let source = of_table("tipi", GROUND);
    let Some(rate) = row.percent else {
        let reason = format!(
            "A TIPI traz o NCM {}{ex} como não tributado (NT).",
            facts.ncm
        );
        return Ok(TaxOut::not_due("ipi_nao_tributado", reason, source));
    };
    let formula = format!("NCM {}{ex}: {}", facts.ncm, percent(rate));
    let charge = formulas::by_value(facts.amounts.operation(), rate)?;
    let step = StepOut::new(BY_TABLE, formula, source);
    Ok(TaxOut::calculated(vec![step], charge))
}
