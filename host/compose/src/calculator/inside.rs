//! A price without its ICMS: the tax is part of its own base (LC 87/1996 art. 13
//! §1 I), so that the price is worked out before anything else.

use super::facts::{Facts, Icms};
use super::output::StepOut;
use super::rates;
use crate::arithmetic::plus;
use fiscal::taxes::icms;
use markup::field::{Field, Fields};

/// Puts the ICMS of the sale into its amounts; the step that tells it.
///
/// # Errors
/// The field that does not go with a price without the tax.
pub(super) fn put_inside(facts: &mut Facts) -> Result<Option<StepOut>, Vec<Field>> {
    if !facts.without_icms {
        return Ok(None);
    }
    let refused = |name, message: &str, correction: &str| {
        let mut fields = Fields::default();
        fields.add(name, "sem_icms_nao_cabe", message, correction);
        fields.0
    };
    if facts.icms_in_simples() || facts.icms != Icms::Usual {
        let message = "O ICMS desta venda não é calculado por dentro do preço.";
        return Err(refused(
            "sem_icms",
            message,
            "Informe o valor com o que se cobra, sem sem_icms.",
        ));
    }
    let other_base = !facts.rates.reduction.is_zero() || facts.given.icms.is_some();
    let ipi = facts.rates.ipi.is_some_and(|rate| !rate.is_zero()) || facts.given.ipi.is_some();
    if other_base || facts.for_use() && ipi {
        let message = "Com redução da base, IPI na base ou ICMS informado o preço não se calcula pela alíquota.";
        return Err(refused(
            "sem_icms",
            message,
            "Informe o valor da venda já com o ICMS.",
        ));
    }
    let Ok((rate, _)) = rates::of_operation(facts) else {
        let message = "A tabela não tem a alíquota desta venda.";
        return Err(refused(
            "aliquota_icms",
            message,
            "Informe a alíquota do ICMS.",
        ));
    };
    let value = facts.amounts.operation();
    let own = icms::Own {
        value,
        rate,
        without_tax: true,
        ..icms::Own::default()
    };
    let charge = icms::own(&own).map_err(|_| {
        let message = "Os valores não cabem no cálculo.";
        refused("valor", message, "Confira os valores e a alíquota.")
    })?;
    facts.amounts.other = plus(facts.amounts.other, plus(charge.base, -value));
    Ok(charge.steps.into_iter().next().map(StepOut::from))
}
