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

/// Annexes III and IV, notes: ISS is at most 5 %, and (rate - 5 %) goes to the
/// others by the percentages of the note.
#[test]
fn the_iss_is_capped() {
    let assessed = assess(Annex::Iii, decimal("3600000")).expect("a rate");
    assert_eq!(assessed.effective, decimal("17.51"));
    assert!(assessed.iss_capped && !assessed.above_sublimit);
    assert_eq!(rate_of(&assessed, Tax::Iss), decimal("5"));
    // 12.51 % x 6.02 %, and x 65.26 %.
    assert_eq!(rate_of(&assessed, Tax::Irpj), decimal("0.753102"));
    assert_eq!(rate_of(&assessed, Tax::Cpp), decimal("8.164026"));
    let sum: Decimal = assessed.shares.iter().map(|share| share.rate).sum();
    assert!(
        (sum - assessed.effective).abs() < decimal("0.00001"),
        "{sum}"
    );
    // 14.92537 % is where ISS reaches 5 %.
    let below = assess(Annex::Iii, decimal("2000000")).expect("a rate");
    assert!(!below.iss_capped);
    // 11.895 % x 31.33 %, and x 30.13 %.
    let fourth = assess(Annex::Iv, decimal("3600000")).expect("a rate");
    assert_eq!(fourth.effective, decimal("16.895"));
    assert_eq!(rate_of(&fourth, Tax::Irpj), decimal("3.726704"));
    assert_eq!(rate_of(&fourth, Tax::Cofins), decimal("3.583964"));
}

/// Of the rounded rate, 9.848809 %, it would be 19,562.77.
#[test]
fn a_month_pays_the_exact_rate() {
    let assessed = assess(Annex::Ii, decimal("1665198.23")).expect("a rate");
    let due = assessed.due(decimal("198630.75"));
    assert_eq!(due, Some(decimal("19562.76")));
    let first = assess(Annex::I, Decimal::ZERO).expect("a rate");
    assert_eq!(first.due(decimal("100.13")), Some(decimal("4.01")));
}

/// The mean of seven months has no end; brackets go by cents.
#[test]
fn a_projected_year_is_rounded_for_its_bracket_alone() {
    let months = [
        "15000", "15000", "15000", "15000", "15000", "15000", "15000.01",
    ];
    let months: Vec<Decimal> = months.into_iter().map(decimal).collect();
    let year = annual(&months, None).expect("a year").rbt12;
    assert!(
        year > decimal("180000.01") && year < decimal("180000.02"),
        "{year}"
    );
    assert_eq!(
        assess(Annex::I, year).map(|found| found.bracket.number),
        Ok(2)
    );
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
