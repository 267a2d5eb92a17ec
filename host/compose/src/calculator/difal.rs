//! The destination's part of a sale to a consumer of another state.

use super::facts::Facts;
use super::output::{StepOut, TaxOut};
use super::rates::{self, Fund};
use crate::arithmetic::plus;
use data::icms::Base;
use fiscal::taxes::Impossible;
use fiscal::taxes::difal::{self as formulas, Difal};
use rust_decimal::Decimal;

/// Difference of rates, and the fund that comes with it.
///
/// # Errors
/// Numbers that the formulas do not take.
pub(super) fn difal(facts: &Facts, ipi: Decimal) -> Result<[TaxOut; 2], Impossible> {
    if let Some((rule, reason, ground)) = not_due(facts) {
        let not_due = || TaxOut::not_due(rule, reason, ground);
        return Ok([not_due(), not_due()]);
    }
    let rates = match facts.icms_lack() {
        Some(lack) => Err(lack),
        None => {
            rates::internal(facts).and_then(|internal| Ok((internal, rates::of_operation(facts)?)))
        }
    };
    let ((internal, of_internal), (inter, of_inter)) = match rates {
        Ok(known) => known,
        Err(lack) => {
            let without = || TaxOut::without_table(lack.clone());
            return Ok([without(), without()]);
        }
    };
    let fund = rates::fund(facts);
    let difal = Difal {
        operation: plus(facts.amounts.operation(), ipi),
        inter,
        internal,
        fcp: fund.rate(),
    };
    let row = data::icms::difal(facts.to.abbreviation);
    let base = row.map(|row| match facts.taxpayer {
        true => row.taxpayer,
        false => row.non_taxpayer,
    });
    let due = match (base, facts.taxpayer) {
        (Some(Base::Double), _) | (None, true) => formulas::double_base(&difal)?,
        (Some(Base::Single), _) | (None, false) => formulas::single_base(&difal)?,
    };
    let before: Vec<StepOut> = vec![of_inter, of_internal];
    let fcp = match (fund, due.fcp) {
        (Fund::Rate(_, step), Some(charge)) => TaxOut::calculated(vec![step], charge),
        (Fund::Rate(_, step), None) => {
            TaxOut::not_due("fcp_nao_devido", step.formula, step.fundamento)
        }
        (Fund::No(reason, ground), _) => TaxOut::not_due("fcp_nao_devido", reason, ground),
        (Fund::Unknown(lack), _) => TaxOut::without_table(lack),
    };
    Ok([TaxOut::calculated(before, due.icms), fcp])
}

/// Rule, reason and law, where nothing is due to the destination.
fn not_due(facts: &Facts) -> Option<(&'static str, &'static str, &'static str)> {
    if !facts.interstate() {
        return Some((
            "difal_operacao_interna",
            "A mercadoria não sai do estado.",
            "CF, art. 155, § 2º, VII",
        ));
    }
    if !facts.for_use() {
        return Some((
            "difal_destinatario_revende",
            "O destinatário não é consumidor final.",
            "CF, art. 155, § 2º, VII",
        ));
    }
    if !facts.taxpayer && facts.icms_in_simples() {
        return Some((
            "difal_simples",
            "Quem vende pelo Simples Nacional a não contribuinte não deve o DIFAL.",
            "STF, ADI 5464",
        ));
    }
    None
}
