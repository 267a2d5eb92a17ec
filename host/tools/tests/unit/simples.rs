use data::simples::{Annex, Tax};
use rust_decimal::Decimal;
use tools::simples::{Assessed, LIMIT, RevenueError, SimplesError, annual, assess, factor_r};

fn decimal(text: &str) -> Decimal {
    text.parse().expect(text)
}

fn rate_of(assessed: &Assessed, tax: Tax) -> Decimal {
    let share = assessed.shares.iter().find(|share| share.tax == tax);
    share.expect("a share").rate
}

/// Annex III, notes: ISS is at most 5 %, the rest goes to the federal taxes.
#[test]
fn the_iss_is_capped() {
    let assessed = assess(Annex::Iii, decimal("3600000")).expect("a rate");
    assert_eq!(assessed.effective, decimal("17.51"));
    assert!(assessed.iss_capped && !assessed.above_sublimit);
    assert_eq!(rate_of(&assessed, Tax::Iss), decimal("5"));
    assert_eq!(rate_of(&assessed, Tax::Irpj), decimal("0.752481"));
    let sum: Decimal = assessed.shares.iter().map(|share| share.rate).sum();
    assert!(
        (sum - assessed.effective).abs() < decimal("0.00001"),
        "{sum}"
    );
    // 14.92537 % is where ISS reaches 5 %.
    let below = assess(Annex::Iii, decimal("2000000")).expect("a rate");
    assert!(!below.iss_capped);
}

#[test]
fn the_sixth_bracket_has_neither_icms_nor_iss() {
    let assessed = assess(Annex::I, decimal("3600000.01")).expect("a rate");
    assert!(assessed.above_sublimit);
    assert!(
        assessed
            .shares
            .iter()
            .all(|share| !matches!(share.tax, Tax::Icms | Tax::Iss))
    );
}

#[test]
fn limits_of_the_revenue() {
    let none = assess(Annex::V, Decimal::ZERO).expect("a rate");
    assert_eq!(none.effective, decimal("15.5"));
    assert!(assess(Annex::V, LIMIT).is_ok());
    let above = LIMIT + Decimal::new(1, 2);
    assert_eq!(
        assess(Annex::V, above).err(),
        Some(SimplesError::AboveLimit)
    );
    assert_eq!(
        assess(Annex::V, Decimal::NEGATIVE_ONE).err(),
        Some(SimplesError::Negative)
    );
}

#[test]
fn a_year_is_projected_from_fewer_months() {
    let month = [Decimal::ONE_THOUSAND; 13];
    assert_eq!(
        annual(&month[..12], None).map(|year| (year.rbt12, year.projected)),
        Ok((decimal("12000"), false))
    );
    assert_eq!(
        annual(&month[..7], None).map(|year| (year.rbt12, year.projected)),
        Ok((decimal("12000"), true))
    );
    assert_eq!(
        annual(&month, None).err(),
        Some(RevenueError::TooManyMonths)
    );
    assert_eq!(annual(&[], None).err(), Some(RevenueError::NoRevenue));
    assert_eq!(
        annual(&[Decimal::NEGATIVE_ONE], None).err(),
        Some(RevenueError::Negative)
    );
    assert_eq!(
        annual(&[Decimal::MAX, Decimal::MAX], None).err(),
        Some(RevenueError::TooBig)
    );
}

#[test]
fn a_factor_without_payroll_or_revenue() {
    let ratio = |payroll: Decimal, rbt12: Decimal| {
        factor_r(payroll, rbt12)
            .map(|found| (found.ratio, found.annex))
            .expect("a factor")
    };
    assert_eq!(
        ratio(Decimal::ZERO, Decimal::ONE_THOUSAND),
        (decimal("0.01"), Annex::V)
    );
    assert_eq!(
        ratio(Decimal::ONE, Decimal::ZERO),
        (decimal("0.28"), Annex::Iii)
    );
}
