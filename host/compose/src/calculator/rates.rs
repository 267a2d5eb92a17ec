//! Rates of ICMS and of the poverty fund: the request's, else the tables'.

use super::facts::Facts;
use super::output::{Lack, StepOut};
use data::Validity;
use data::icms;
use fiscal::taxes::icms::between;
use fiscal::taxes::money::{f2, variable};
use rust_decimal::Decimal;
use time::macros::date;

/// A rate with the step that names its source, or what it lacks.
pub(super) type Known = Result<(Decimal, StepOut), Lack>;

/// First days of the two resolutions of the Senate.
const BETWEEN_START: time::Date = date!(1989 - 06 - 01);
const IMPORTED_START: time::Date = date!(2013 - 01 - 01);

/// A rate that the request brought.
pub(super) fn stated(name: &'static str, rate: Decimal) -> StepOut {
    let formula = format!("{name} = {}", percent(rate));
    StepOut::new(
        "informado_no_pedido",
        formula,
        format!("Campo {name} do pedido"),
    )
}

/// An amount that the request brought.
pub(super) fn stated_amount(name: &'static str, value: Decimal) -> StepOut {
    let formula = format!("{name} = {}", f2(value));
    StepOut::new(
        "informado_no_pedido",
        formula,
        format!("Campo {name} do pedido"),
    )
}

pub(super) fn percent(rate: Decimal) -> String {
    format!("{}%", variable(rate, 2, 4))
}

/// The source of a row, with the day of its table.
pub(super) fn of_table(name: &str, source: &str) -> String {
    match data::versions::get(name) {
        Some(version) => format!("{source} (tabela {name}, {})", version.date),
        None => source.to_owned(),
    }
}

/// Rate between the two states; the internal one within a state.
pub(super) fn of_operation(facts: &Facts) -> Known {
    if !facts.interstate() {
        return internal(facts);
    }
    if let Some(rate) = facts.rates.inter {
        return Ok((rate, stated("aliquota_interestadual", rate)));
    }
    let (of, to) = (facts.of.abbreviation, facts.to.abbreviation);
    let start = match icms::imported_origin(facts.origin) {
        true => IMPORTED_START,
        false => BETWEEN_START,
    };
    let validity = Validity {
        start: Some(start),
        end: None,
    };
    between(of, to, facts.origin)
        .map(|(rate, step)| (rate, StepOut::from(step).valid(validity)))
        .ok_or_else(|| {
            Lack::new(
                "Não há alíquota entre estes estados.",
                &["aliquota_interestadual"],
            )
        })
}

/// Internal rate of the destination, without the poverty fund.
pub(super) fn internal(facts: &Facts) -> Known {
    if let Some(rate) = facts.rates.internal {
        return Ok((rate, stated("aliquota_icms", rate)));
    }
    let uf = facts.to.abbreviation;
    let Some(row) = icms::internal(uf, facts.day) else {
        let reason = format!(
            "A tabela não tem a alíquota interna de {uf} em {}.",
            facts.day
        );
        return Err(Lack::new(reason, &["aliquota_icms"]));
    };
    let validity = Validity {
        start: row.since,
        end: None,
    };
    let formula = format!("{uf}, alíquota modal: {}", percent(row.aliquota));
    let source = of_table("icms_interna", row.source);
    let step = StepOut::new("aliquota_interna_modal", formula, source);
    Ok((row.aliquota, step.valid(validity)))
}

/// The poverty fund of the destination on the goods.
pub(super) enum Fund {
    /// Not paid: why, and by which law.
    No(String, String),
    Rate(Decimal, StepOut),
    Unknown(Lack),
}

impl Fund {
    /// The rate, as far as one is known.
    pub fn rate(&self) -> Option<Decimal> {
        match self {
            Fund::Rate(rate, _) => Some(*rate),
            _ => None,
        }
    }
}

pub(super) fn fund(facts: &Facts) -> Fund {
    let uf = facts.to.abbreviation;
    let row = icms::fcp(uf);
    match (facts.rates.fcp, row) {
        (Some(rate), _) if rate.is_zero() => Fund::No(
            "O pedido diz que o produto não paga FCP.".to_owned(),
            "Campo fcp do pedido".to_owned(),
        ),
        (Some(rate), _) => Fund::Rate(rate, stated("fcp", rate)),
        (None, Some(row)) if row.maximum.is_zero() => Fund::No(
            format!("{uf} não instituiu o fundo."),
            "ADCT, art. 82, § 1º".to_owned(),
        ),
        (None, Some(row)) if !row.general.is_zero() => {
            let formula = format!("{uf}, alíquota geral: {}", percent(row.general));
            let step = StepOut::new("fcp_geral", formula, of_table("fcp", row.nota));
            Fund::Rate(row.general, step)
        }
        _ => {
            let reason = format!(
                "{uf} cobra o fundo de uma lista de produtos que não está carregada. Informe fcp: 0 se o produto não está nela."
            );
            Fund::Unknown(Lack::new(reason, &["fcp"]))
        }
    }
}
