//! IPI of the sale, at the rate of the request.

use super::facts::Facts;
use super::output::{Lack, TaxOut};
use super::rates::{stated, stated_amount};
use fiscal::taxes::{Impossible, ipi as formulas};

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
        let reason = "A TIPI não está carregada. Informe aliquota_ipi: 0 se quem vende não é contribuinte do IPI.";
        return Ok(TaxOut::without_table(Lack::new(reason, &["aliquota_ipi"])));
    };
    let charge = formulas::by_value(facts.amounts.operation(), rate)?;
    Ok(TaxOut::calculated(
        vec![stated("aliquota_ipi", rate)],
        charge,
    ))
}
