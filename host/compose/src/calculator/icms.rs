//! ICMS and poverty fund of the sale itself.

use super::facts::{Facts, Icms};
use super::output::{Lack, StepOut, TaxOut};
use super::rates::{self, Fund};
use crate::arithmetic::{f2, plus};
use fiscal::taxes::{Impossible, icms};
use rust_decimal::Decimal;

/// What the sale itself pays.
pub(super) struct Own {
    pub icms: TaxOut,
    pub fcp: TaxOut,
    /// The ICMS that substitution takes off: that of the sale, or what it would
    /// be outside of the Simples (Resolução CGSN 140/2018 art. 28).
    pub value: Result<Decimal, Lack>,
}

/// ICMS of the sale. Where its IPI is not known it counts as none.
///
/// # Errors
/// Numbers that the formulas do not take.
pub(super) fn own(facts: &Facts, ipi: Decimal) -> Result<Own, Impossible> {
    if facts.icms == Icms::Withheld {
        let [icms, fcp] = [withheld_before(), withheld_before()];
        let value = Ok(Decimal::ZERO);
        return Ok(Own { icms, fcp, value });
    }
    if let Some(value) = facts.given.icms {
        return Ok(Own {
            icms: TaxOut::given(rates::stated_amount("valor_icms", value), value),
            fcp: fund(facts, Ok(base(facts, ipi).0))?,
            value: Ok(value),
        });
    }
    if let Some(lack) = facts.icms_lack() {
        // What is charged once is not in the guide of the Simples.
        if facts.icms_in_simples() && facts.icms != Icms::Fuel {
            return Ok(in_simples(Err(lack)));
        }
        return without(facts, lack);
    }
    let (rate, step) = match rates::of_operation(facts) {
        Ok(known) => known,
        Err(lack) if facts.icms_in_simples() => return Ok(in_simples(Err(lack))),
        Err(lack) => return without(facts, lack),
    };
    let (value, of_ipi) = base(facts, ipi);
    let mut own = icms::Own {
        value,
        rate,
        ..icms::Own::default()
    };
    if facts.icms_in_simples() {
        let notional = icms::own(&own)?;
        return Ok(in_simples(Ok(notional.value)));
    }
    own.reduction = facts.rates.reduction;
    let charge = icms::own(&own)?;
    let (base, value) = (charge.base, charge.value);
    let before = [step].into_iter().chain(of_ipi).collect();
    Ok(Own {
        icms: TaxOut::calculated(before, charge),
        fcp: fund(facts, Ok(base))?,
        value: Ok(value),
    })
}

/// What is not due of goods whose ICMS was withheld in a sale before.
pub(super) fn withheld_before() -> TaxOut {
    TaxOut::not_due(
        "icms_retido_anteriormente",
        "ICMS retido anteriormente por substituição tributária.",
        "LC 87/1996, art. 6º; Convênio ICMS 142/2018",
    )
}

fn without(facts: &Facts, lack: Lack) -> Result<Own, Impossible> {
    Ok(Own {
        icms: TaxOut::without_table(lack.clone()),
        fcp: fund(facts, Err(lack.clone()))?,
        value: Err(lack),
    })
}

/// The operation; with IPI where the goods go no further.
fn base(facts: &Facts, ipi: Decimal) -> (Decimal, Option<StepOut>) {
    let operation = facts.amounts.operation();
    if !facts.for_use() || ipi.is_zero() {
        return (operation, None);
    }
    let base = plus(operation, ipi);
    let formula = format!("{} + {} = {}", f2(operation), f2(ipi), f2(base));
    let ground = "CF, art. 155, § 2º, XI; LC 87/1996, art. 13, § 2º";
    (
        base,
        Some(StepOut::new("icms_base_com_ipi", formula, ground)),
    )
}

fn in_simples(value: Result<Decimal, Lack>) -> Own {
    let not_due = |rule, name: &str| {
        let reason = format!("No Simples Nacional o {name} das próprias vendas está no DAS.");
        TaxOut::not_due(rule, reason, "LC 123/2006, art. 13, VII")
    };
    Own {
        icms: not_due("icms_no_das", "ICMS"),
        fcp: not_due("fcp_no_das", "FCP"),
        value,
    }
}

/// The fund of a sale within the state.
fn fund(facts: &Facts, base: Result<Decimal, Lack>) -> Result<TaxOut, Impossible> {
    if facts.interstate() {
        return Ok(TaxOut::not_due(
            "fcp_do_destino",
            "Entre estados o fundo é devido ao destino, com o DIFAL ou a ST.",
            "ADCT, art. 82, § 1º",
        ));
    }
    Ok(match (rates::fund(facts), base) {
        (Fund::No(reason, ground), _) => TaxOut::not_due("fcp_nao_devido", reason, ground),
        (Fund::Unknown(lack), _) | (_, Err(lack)) => TaxOut::without_table(lack),
        (Fund::Rate(rate, step), Ok(base)) => {
            TaxOut::calculated(vec![step], icms::fcp(base, rate)?)
        }
    })
}
