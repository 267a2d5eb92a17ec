//! Amounts that the layouts ask for and the content does not have itself.

use crate::Fields;
use crate::tax;
use sdk::Decimal;
use sdk::nfse::{ModoTributos, Retencao, Valores};

/// What follows from the amounts of a content.
pub struct Assessed {
    pub deductions: Decimal,
    /// Price less deductions and unconditional discount.
    pub base: Decimal,
    /// None when no rate was given or no tax is due.
    pub iss: Option<Decimal>,
    /// What the taker pays: price less discounts and all that is withheld.
    pub net: Decimal,
}

/// The tax is withheld by somebody.
pub fn withheld(values: &Valores) -> bool {
    let iss = values.iss.as_ref();
    iss.is_some_and(|iss| iss.retencao != Retencao::NaoRetido)
}

/// Calculates them; a municipal benefit has no place in these layouts.
pub fn assess(values: &Valores, fields: &mut Fields) -> Assessed {
    let hundred = Decimal::new(100, 0).unwrap_or_default();
    let iss = values.iss.clone().unwrap_or_default();
    if iss.beneficio_municipal.is_some() {
        fields.error(
            "valores.iss.beneficio_municipal",
            "sem_equivalente",
            "O leiaute da prefeitura não tem campo para benefício municipal; informe a redução em valores.deducoes.",
        );
    }
    let unconditional = values.desconto_incondicionado.unwrap_or_default();
    let deductions = deductions(values);
    let base = values.servico - deductions - unconditional;
    let due = tax::due(tax::exigibility(&iss));
    let iss_value = iss
        .aliquota
        .filter(|_| due)
        .filter(|aliquota| !aliquota.is_negative() && *aliquota <= hundred)
        .and_then(|aliquota| base.checked_mul(aliquota.percent_to_fraction()))
        .map(|value| value.rounded(2));
    let mut net = values.servico
        - unconditional
        - values.desconto_condicionado.unwrap_or_default()
        - federal(values);
    if withheld(values) {
        net = net - iss_value.unwrap_or_default();
    }
    Assessed {
        deductions,
        base,
        iss: iss_value,
        net,
    }
}

/// By value, by percentage of the price, or the sum of the documents.
fn deductions(values: &Valores) -> Decimal {
    let Some(deductions) = &values.deducoes else {
        return Decimal::ZERO;
    };
    if let Some(value) = deductions.valor {
        return value;
    }
    if let Some(percent) = deductions.percentual {
        let value = values.servico.checked_mul(percent.percent_to_fraction());
        return value.unwrap_or_default().rounded(2);
    }
    deductions.documentos.iter().map(|d| d.valor_deducao).sum()
}

/// What is withheld for the Union, and other retentions.
pub fn federal(values: &Valores) -> Decimal {
    let Some(r) = &values.retencoes else {
        return Decimal::ZERO;
    };
    [r.pis, r.cofins, r.inss, r.ir, r.csll, r.outras]
        .into_iter()
        .flatten()
        .sum()
}

/// The approximate burden in R$, where it was given in R$.
pub fn taxes(values: &Valores) -> Option<Decimal> {
    let taxes = values.tributos_aproximados.as_ref()?;
    if taxes.modo != ModoTributos::Valores {
        return None;
    }
    let parts = [taxes.federal, taxes.estadual, taxes.municipal];
    Some(parts.into_iter().flatten().sum())
}
