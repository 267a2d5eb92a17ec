//! Difference of rates between the states (DIFAL), due to the state where the
//! goods are consumed (CF art. 155 §2 VII, LC 190/2022).

use super::money::{HUNDRED, f2, left_of, percent_of, with_tax_inside};
use super::step::{Charge, Impossible, Step, amount, charge, inside, product, shown};
use rust_decimal::Decimal;

const SINGLE: &str = "CF, art. 155, § 2º, VII; LC 87/1996, art. 13, X e § 7º, red. LC 190/2022; Convênio ICMS 236/2021";
const DOUBLE: &str = "LC 87/1996, art. 13, IX e §§ 1º e 6º, red. LC 190/2022";
const FCP: &str = "ADCT, art. 82, § 1º; Convênio ICMS 236/2021";
const ORIGIN: &str = "CF, art. 155, § 2º, VII";

/// A sale to a consumer of another state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Difal {
    /// Value of the operation, with IPI.
    pub operation: Decimal,
    pub inter: Decimal,
    /// Internal rate of the destination, without the poverty fund.
    pub internal: Decimal,
    /// Poverty fund of the destination.
    pub fcp: Option<Decimal>,
}

/// What the destination gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// ICMS of the state of origin over the same operation.
    pub origin: Decimal,
    /// With a single base the rate is the difference, with a double one the
    /// internal rate.
    pub icms: Charge,
    pub fcp: Option<Charge>,
}

/// The difference of the rates over one base; two decimals.
pub fn single(base: Decimal, inter: Decimal, internal: Decimal) -> Decimal {
    percent_of(base, (internal - inter).max(Decimal::ZERO))
}

/// One base for both states: sale to who is no taxpayer.
///
/// # Errors
/// Negative or too large numbers, rates that come to 100 % or more.
pub fn single_base(of: &Difal) -> Result<Due, Impossible> {
    let of = checked(of)?;
    let value = single(of.operation, of.inter, of.internal);
    let difference = format!("({} - {})", shown(of.internal), shown(of.inter));
    let formula = format!("{} x {difference} = {}", f2(of.operation), f2(value));
    let rate = (of.internal - of.inter).max(Decimal::ZERO);
    let steps = vec![Step::new("difal_base_unica", formula, SINGLE)];
    Ok(Due {
        origin: percent_of(of.operation, of.inter),
        icms: charge(of.operation, rate, value, steps)?,
        fcp: fund(of.operation, of.fcp)?,
    })
}

/// A base of the destination's own, with its tax inside: purchase of a
/// taxpayer for use.
///
/// # Errors
/// Negative or too large numbers, rates that come to 100 % or more.
pub fn double_base(of: &Difal) -> Result<Due, Impossible> {
    let of = checked(of)?;
    let origin = percent_of(of.operation, of.inter);
    let first = Step::new(
        "icms_origem",
        product(of.operation, of.inter, origin),
        ORIGIN,
    );
    let within = of.internal + of.fcp.unwrap_or_default();
    let base = with_tax_inside(left_of(of.operation, origin), within);
    let without = format!("({} - {})", f2(of.operation), f2(origin));
    let formula = format!("{without} / (1 - {}) = {}", shown(within), f2(base));
    let second = Step::new("difal_base_dupla", formula, DOUBLE);
    let value = left_of(percent_of(base, of.internal), origin);
    let tax = format!("{} x {}", f2(base), shown(of.internal));
    let formula = format!("{tax} - {} = {}", f2(origin), f2(value));
    let third = Step::new("difal", formula, DOUBLE);
    Ok(Due {
        origin,
        icms: charge(base, of.internal, value, vec![first, second, third])?,
        fcp: fund(base, of.fcp)?,
    })
}

fn checked(of: &Difal) -> Result<Difal, Impossible> {
    let fcp = of.fcp.map(|rate| inside("fcp", rate)).transpose()?;
    let internal = inside("internal", of.internal)?;
    if internal + fcp.unwrap_or_default() >= HUNDRED {
        return Err(Impossible::WholeBase("internal"));
    }
    Ok(Difal {
        operation: amount("operation", of.operation)?,
        inter: inside("inter", of.inter)?,
        internal,
        fcp,
    })
}

fn fund(base: Decimal, rate: Option<Decimal>) -> Result<Option<Charge>, Impossible> {
    let Some(rate) = rate else { return Ok(None) };
    let value = percent_of(base, rate);
    let step = Step::new("fcp_destino", product(base, rate, value), FCP);
    charge(base, rate, value, vec![step]).map(Some)
}
