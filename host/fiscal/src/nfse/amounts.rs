//! What follows from the values of a service note before it is sent: the base, the ISS, what
//! the customer pays. Who issues the note has the last word: a city may know another rate, or
//! owe the company a benefit.

use crate::nfse::FieldValue;
use crate::nfse::dps::{
    Content, Deductions, Exigibility, Iss, SimplesAssessment, SimplesOption, SpecialRegime,
    Taxation, Values, Withholding, Withholdings,
};
use rust_decimal::{Decimal, RoundingStrategy};

/// Amounts in R$.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amounts {
    /// Deductions and municipal benefits.
    pub deductions: Decimal,
    /// Price less deductions and unconditional discount; None where the note says no ISS.
    pub base: Option<Decimal>,
    /// Percent; None where none is known, or the note says no ISS.
    pub rate: Option<Decimal>,
    pub iss: Option<Decimal>,
    /// All that the customer keeps back, the ISS among it where the customer owes it.
    pub withheld: Decimal,
    /// What the customer pays: price less discounts and what is withheld.
    pub net: Decimal,
}

/// Calculates them, of a content that was completed by the company's profile and checked.
pub fn amounts(content: &Content) -> Amounts {
    let values = &content.valores;
    let iss = values.iss.clone().unwrap_or_default();
    let price = *values.servico;
    let unconditional = amount(values.desconto_incondicionado);
    let mut found = Amounts::default();
    if is_on_the_note(content, &iss) {
        found.deductions = deductions(values.deducoes.as_ref(), price) + benefit(&iss, price);
        let base = (price - unconditional - found.deductions).max(Decimal::ZERO);
        found.base = Some(cents(base));
        found.rate = iss.aliquota.map(|rate| *rate);
        found.iss = found.rate.map(|rate| part(cents(base), rate));
    }
    found.withheld = cents(federal(values));
    if iss.retencao != Withholding::NaoRetido {
        found.withheld += found.iss.unwrap_or_default();
    }
    let discounts = unconditional + amount(values.desconto_condicionado);
    found.net = cents(price - discounts - found.withheld);
    found
}

/// Whether the note itself says an ISS. It does not where none is due or the tax is suspended,
/// where a special regime or the MEI pays it by the month, and where it is part of what the
/// Simples Nacional pays (national rules E1302, E1303, E1307, E1311). What the customer
/// withholds is said in the Simples, too.
fn is_on_the_note(content: &Content, iss: &Iss) -> bool {
    let due = match iss.exigibilidade {
        Some(exigibility) => exigibility == Exigibility::Exigivel,
        None => iss.tributacao == Taxation::Tributavel,
    };
    let Some(regime) = &content.regime else {
        return due;
    };
    let withheld = iss.retencao != Withholding::NaoRetido;
    let by_simples = regime.opcao_simples == SimplesOption::MeEpp
        && regime.apuracao_simples == Some(SimplesAssessment::FederaisEMunicipalPeloSn);
    due && regime.opcao_simples != SimplesOption::Mei
        && regime.especial == SpecialRegime::Nenhum
        && (withheld || !by_simples)
}

/// By value, by percentage of the price, or the sum of the documents.
fn deductions(deductions: Option<&Deductions>, price: Decimal) -> Decimal {
    let Some(deductions) = deductions else {
        return Decimal::ZERO;
    };
    match (deductions.valor, deductions.percentual) {
        (Some(value), _) => *value,
        (None, Some(percent)) => part(price, *percent),
        (None, None) => {
            let documents = deductions.documentos.iter();
            documents.map(|document| *document.valor_deducao).sum()
        }
    }
}

/// A municipal benefit that reduces the base.
fn benefit(iss: &Iss, price: Decimal) -> Decimal {
    let Some(benefit) = &iss.beneficio_municipal else {
        return Decimal::ZERO;
    };
    match (benefit.valor_reducao, benefit.percentual_reducao) {
        (Some(value), _) => *value,
        (None, Some(percent)) => part(price, *percent),
        (None, None) => Decimal::ZERO,
    }
}

/// What is withheld for the Union, and other retentions.
fn federal(values: &Values) -> Decimal {
    let default = Withholdings::default();
    let withheld = values.retencoes.as_ref().unwrap_or(&default);
    [
        withheld.pis,
        withheld.cofins,
        withheld.inss,
        withheld.ir,
        withheld.csll,
        withheld.outras,
    ]
    .into_iter()
    .map(amount)
    .sum()
}

fn amount(value: Option<FieldValue>) -> Decimal {
    value.map(|value| *value).unwrap_or_default()
}

fn part(of: Decimal, percent: Decimal) -> Decimal {
    cents(of * percent / Decimal::ONE_HUNDRED)
}

/// In cents, and written with both places.
fn cents(value: Decimal) -> Decimal {
    let mut rounded = value.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
    rounded.rescale(2);
    rounded
}
