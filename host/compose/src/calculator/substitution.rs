//! ICMS and poverty fund by substitution, over the sales that follow.

use super::facts::{Facts, Icms};
use super::icms::{Own, withheld_before};
use super::input::MarginRow;
use super::output::{Lack, StepOut, TaxOut};
use super::rates::{self, Fund, percent, stated};
use crate::arithmetic::plus;
use fiscal::taxes::Impossible;
use fiscal::taxes::substitution::{self as formulas, Basis, Substitution};
use rust_decimal::Decimal;

/// Of a Simples emitter the margin is that of internal operations.
const SIMPLES: &str = "Convênio ICMS 142/2018, cláusula décima primeira: remetente do Simples Nacional usa a MVA das operações internas";

/// What the base is made of, with its steps.
type Found = (Basis, Vec<StepOut>);

/// ICMS and fund that the sale withholds.
///
/// # Errors
/// Numbers that the formulas do not take.
pub(super) fn substitution(
    facts: &Facts,
    ipi: Decimal,
    own: &Own,
    row: Option<&MarginRow>,
) -> Result<[TaxOut; 2], Impossible> {
    if facts.icms == Icms::Withheld {
        return Ok([withheld_before(), withheld_before()]);
    }
    if facts.for_use() {
        let ground = "LC 87/1996, art. 6º, § 1º";
        let not_due = || {
            let reason = "O destinatário é consumidor final: não há operação seguinte.";
            TaxOut::not_due("st_sem_operacao_seguinte", reason, ground)
        };
        return Ok([not_due(), not_due()]);
    }
    let fund = of_row(row).unwrap_or_else(|| rates::fund(facts));
    let rates = rates::internal(facts).and_then(|internal| {
        let inter = rates::of_operation(facts)?;
        Ok((internal, inter, own.value.clone()?))
    });
    let ((rate, internal), (inter, between), own_value) = match rates {
        Ok(known) => known,
        Err(lack) => return Ok(without(lack, fund)),
    };
    let operation = plus(facts.amounts.operation(), ipi);
    let Some((basis, of_margin)) = basis(facts, operation, (inter, rate), row)? else {
        let uf = facts.to.abbreviation;
        let reason = format!(
            "Nenhuma regra de substituição tributária carregada para {uf}. Informe a MVA se a mercadoria está sujeita a ela."
        );
        let lack = Lack::new(reason, &["mva_original", "mva_ajustada"]);
        return Ok(without(lack, fund));
    };
    let due = formulas::substitution(&Substitution {
        basis,
        reduction: row.and_then(|row| row.reduction).unwrap_or_default(),
        rate,
        own: own_value,
        fcp: fund.rate(),
        own_fcp: own.fcp.amount(),
    })?;
    let of_rates = match facts.interstate() {
        true => vec![between, internal],
        false => vec![internal],
    };
    let before = of_rates.into_iter().chain(of_margin).collect();
    let fcp = match (fund, due.fcp) {
        (Fund::Rate(_, step), Some(charge)) => TaxOut::calculated(vec![step], charge),
        (fund, _) => not_charged(fund),
    };
    Ok([TaxOut::calculated(before, due.icms), fcp])
}

/// The fund that the row of the table names.
fn of_row(row: Option<&MarginRow>) -> Option<Fund> {
    let row = row?;
    let rate = row.fcp?;
    let step = StepOut::new("fcp_st_da_tabela", percent(rate), row.agreement.as_str());
    Some(Fund::Rate(rate, step.valid(row.validity)))
}

fn without(lack: Lack, fund: Fund) -> [TaxOut; 2] {
    let fcp = match fund {
        Fund::No(..) => not_charged(fund),
        _ => TaxOut::without_table(lack.clone()),
    };
    [TaxOut::without_table(lack), fcp]
}

fn not_charged(fund: Fund) -> TaxOut {
    match fund {
        Fund::No(reason, ground) => TaxOut::not_due("fcp_nao_devido", reason, ground),
        Fund::Unknown(lack) => TaxOut::without_table(lack),
        Fund::Rate(_, step) => TaxOut::not_due("fcp_nao_devido", step.formula, step.fundamento),
    }
}

/// The request's margin, else that of the row; none without either.
fn basis(
    facts: &Facts,
    operation: Decimal,
    (inter, internal): (Decimal, Decimal),
    row: Option<&MarginRow>,
) -> Result<Option<Found>, Impossible> {
    let with = |margin, steps| Some((Basis::Margin { operation, margin }, steps));
    if let Some(margin) = facts.rates.adjusted_margin {
        return Ok(with(margin, vec![stated("mva_ajustada", margin)]));
    }
    if let Some(original) = facts.rates.margin {
        let of = stated("mva_original", original);
        let (margin, steps) = adjusted(facts, original, (inter, internal), of)?;
        return Ok(with(margin, steps));
    }
    let Some(row) = row else { return Ok(None) };
    let of_row = |rule, formula| StepOut::new(rule, formula, &*row.agreement).valid(row.validity);
    if let Some(price) = row.list_price {
        let quantity = facts.amounts.quantity;
        let formula = format!("Pauta de {} por unidade", price.normalize());
        let basis = Basis::List { quantity, price };
        return Ok(Some((basis, vec![of_row("pauta_da_tabela", formula)])));
    }
    let printed = row.at(inter).filter(|_| is_adjusted(facts));
    if let Some(margin) = printed {
        let formula = format!("MVA de {} para {}", percent(margin), percent(inter));
        return Ok(with(margin, vec![of_row("mva_da_tabela", formula)]));
    }
    let Some(original) = row.original else {
        return Ok(None);
    };
    let formula = format!("MVA original de {}", percent(original));
    let of = of_row("mva_da_tabela", formula);
    let (margin, steps) = adjusted(facts, original, (inter, internal), of)?;
    Ok(with(margin, steps))
}

/// Is the margin another one between states?
fn is_adjusted(facts: &Facts) -> bool {
    facts.interstate() && !facts.icms_in_simples()
}

/// The original margin, adjusted where it has to be.
fn adjusted(
    facts: &Facts,
    original: Decimal,
    (inter, internal): (Decimal, Decimal),
    of: StepOut,
) -> Result<(Decimal, Vec<StepOut>), Impossible> {
    if is_adjusted(facts) {
        let (margin, step) = formulas::adjusted_margin(original, inter, internal)?;
        return Ok((margin, vec![of, step.into()]));
    }
    if !facts.interstate() {
        return Ok((original, vec![of]));
    }
    let step = StepOut::new("mva_original", percent(original), SIMPLES);
    Ok((original, vec![of, step]))
}
