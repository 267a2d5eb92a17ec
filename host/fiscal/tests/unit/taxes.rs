//! Formulas of taxes: cases of our own, and below them the worked examples.

mod examples;

use fiscal::taxes::burden::{Rates, burden};
use fiscal::taxes::difal::{self, Difal};
use fiscal::taxes::ibs_cbs::{self, Taxation, Values, Which};
use fiscal::taxes::icms::{self, Own};
use fiscal::taxes::money;
use fiscal::taxes::pis_cofins::{self, Contribution, Regime};
use fiscal::taxes::substitution::{self, Basis, Substitution};
use fiscal::taxes::{Charge, Impossible, Step, ipi};
use rust_decimal::{Decimal, RoundingStrategy};
use time::macros::date;

fn d(text: &str) -> Decimal {
    text.parse().expect(text)
}

/// Every step names its rule and its law, and ends in the number it gave.
fn explained(steps: &[Step]) {
    assert!(!steps.is_empty());
    for step in steps {
        assert!(!step.rule.is_empty() && !step.ground.is_empty(), "{step:?}");
        assert!(step.formula.chars().any(|c| c.is_ascii_digit()), "{step:?}");
    }
}

fn ends_in(charge: &Charge) {
    explained(&charge.steps);
    let last = charge.steps.last().expect("a step");
    let ending = format!("= {}", money::f2(charge.value));
    assert!(last.formula.ends_with(&ending), "{last:?}");
}

#[test]
fn rounding_is_that_of_the_library() {
    let half = RoundingStrategy::MidpointAwayFromZero;
    let even = RoundingStrategy::MidpointNearestEven;
    let mut digits: Vec<i128> = (0..=260).collect();
    for tens in 0..=27 {
        let unit = 10_i128.pow(tens);
        digits.extend([
            unit - 1,
            5 * unit - 1,
            5 * unit,
            5 * unit + 1,
            15 * unit,
            25 * unit,
        ]);
    }
    digits.extend([
        u64::MAX.into(),
        i128::from(u64::MAX) + 1,
        680_400,
        18_446_744_073_709_551_615,
    ]);
    for digits in digits.iter().flat_map(|digits| [*digits, -digits]) {
        for scale in [0, 1, 2, 3, 4, 6, 10, 12, 19, 20, 21, 28] {
            let Ok(value) = Decimal::try_from_i128_with_scale(digits, scale) else {
                continue;
            };
            for decimals in [0, 1, 2, 4, 10] {
                let same = |ours: Decimal, library: Decimal| {
                    let shown = |value: Decimal| (value.to_string(), value.is_sign_negative());
                    assert_eq!(shown(ours), shown(library), "{value} {decimals}");
                };
                let library = |rule| value.round_dp_with_strategy(decimals, rule);
                same(money::round(value, decimals), library(half));
                same(money::even(value, decimals), library(even));
            }
            let clamped = value.clamp(-money::CAP, money::CAP);
            assert_eq!(money::times(value, Decimal::ONE), clamped);
        }
    }
}

/// Number by number the quotient of the library: value, sign and places.
#[test]
fn what_is_divided_by_a_hundred_has_the_places_of_the_library() {
    let digits = (0..3_000_u64)
        .chain((0..20).flat_map(|zeros| {
            let power = 10_u64.pow(zeros);
            [power.saturating_sub(1), power, power.saturating_add(1)]
        }))
        .chain((0..64).flat_map(|bit| {
            let power = 1_u64 << bit;
            let tens = power.saturating_mul(10);
            [power - 1, power, tens, tens.saturating_mul(10), tens - 5]
        }))
        .chain([u64::MAX, u64::MAX - 15]);
    for digits in digits {
        for scale in [0, 1, 2, 4, 6, 10, 19, 20, 27, 28] {
            for negative in [false, true] {
                let mut value = Decimal::from_i128_with_scale(digits.into(), scale);
                value.set_sign_negative(negative);
                let expected = money::divided(value, Decimal::ONE_HUNDRED);
                let ours = money::by_hundred(value);
                assert_eq!(ours.to_string(), expected.to_string(), "{value}");
                assert_eq!(ours.scale(), expected.scale(), "{value}");
            }
        }
    }
}

#[test]
fn a_step_shows_its_numbers() {
    let charge = icms::own(&Own {
        value: d("820"),
        rate: d("18"),
        reduction: d("10"),
        without_tax: true,
    })
    .expect("a charge");
    let formulas: Vec<&str> = charge.steps.iter().map(|step| &*step.formula).collect();
    assert_eq!(
        formulas,
        [
            "820.00 / (1 - 18.00%) = 1000.00",
            "1000.00 x (1 - 10.00%) = 900.00",
            "900.00 x 18.00% = 162.00",
        ]
    );
    let rules: Vec<&str> = charge.steps.iter().map(|step| step.rule).collect();
    assert_eq!(rules, ["icms_por_dentro", "icms_base_reduzida", "icms"]);
}

#[test]
fn rates_between_states_name_their_resolution() {
    let rate = |of, to, goods| {
        let (rate, step) = icms::between(of, to, goods)?;
        Some((rate.to_string(), step.formula, step.ground))
    };
    let (seven, formula, ground) = rate("SP", "BA", "0").expect("a rate");
    assert_eq!((&*seven, &*formula), ("7", "SP para BA: 7.00%"));
    assert!(ground.contains("22/1989"));
    let (four, formula, ground) = rate("BA", "SP", "3").expect("a rate");
    assert_eq!((&*four, &*formula), ("4", "BA para SP, origem 3: 4.00%"));
    assert!(ground.contains("13/2012"));
    assert_eq!(rate("SP", "RJ", "5").expect("a rate").0, "12");
    assert!(rate("SP", "SP", "0").is_none());
    assert!(rate("SP", "EX", "0").is_none());
}

#[test]
fn a_margin_stays_where_the_internal_rate_is_no_more() {
    for (inter, internal) in [("12", "12"), ("12", "7")] {
        let (margin, step) =
            substitution::adjusted_margin(d("40"), d(inter), d(internal)).expect("a margin");
        assert_eq!(margin, d("40.00"));
        assert_eq!(step.rule, "mva_original");
    }
}

#[test]
fn substitution_by_a_listed_price_and_with_a_reduction() {
    let mut of = Substitution {
        basis: Basis::List {
            quantity: d("12"),
            price: d("8.50"),
        },
        reduction: Decimal::ZERO,
        rate: d("18"),
        own: d("10.00"),
        fcp: Some(d("2")),
        own_fcp: d("1.00"),
    };
    let due = substitution::substitution(&of).expect("due");
    assert_eq!((due.icms.base, due.icms.value), (d("102.00"), d("8.36")));
    assert_eq!(due.fcp.expect("a fund").value, d("1.04"));
    of.reduction = d("50");
    of.own = d("20");
    let due = substitution::substitution(&of).expect("due");
    assert_eq!(due.icms.base, d("51.00"));
    assert_eq!(due.icms.value, Decimal::ZERO, "9.18 is less than 20");
    assert_eq!(due.icms.steps[0].formula, "12 x 8.5 x (1 - 50.00%) = 51.00");
}

#[test]
fn the_fund_is_inside_of_a_double_base() {
    let due = difal::double_base(&Difal {
        operation: d("1000"),
        inter: d("12"),
        internal: d("20"),
        fcp: Some(d("2")),
    })
    .expect("due");
    // (1000 - 120) / 0.78
    assert_eq!(due.icms.base, d("1128.21"));
    assert_eq!(due.icms.value, d("105.64"));
    assert_eq!(due.fcp.expect("a fund").value, d("22.56"));
}

#[test]
fn nothing_is_due_where_the_destination_asks_less() {
    let of = Difal {
        operation: d("1000"),
        inter: d("12"),
        internal: d("7"),
        fcp: None,
    };
    assert_eq!(
        difal::single_base(&of).expect("due").icms.value,
        Decimal::ZERO
    );
    assert_eq!(
        difal::double_base(&of).expect("due").icms.value,
        Decimal::ZERO
    );
}

#[test]
fn taxes_by_unit() {
    let pis = pis_cofins::single_phase(Contribution::Pis, d("1000"), d("0.26")).expect("PIS");
    assert_eq!(
        (pis.base, pis.rate, pis.value),
        (d("1000"), d("0.26"), d("260.00"))
    );
    assert_eq!(pis.steps[0].formula, "1000 x R$ 0.26 = 260.00");
    let ipi = ipi::per_unit(d("20"), d("0.1025")).expect("IPI");
    assert_eq!(ipi.value, d("2.05"));
    let by_value = ipi::by_value(d("333.33"), d("9.75")).expect("IPI");
    assert_eq!(by_value.value, d("32.50"));
}

#[test]
fn halves_go_up_except_in_ibs_and_cbs() {
    assert_eq!(money::percent_of(d("25"), d("0.1")), d("0.03"));
    assert_eq!(ibs_cbs::percent_of(d("25"), d("0.1")), d("0.02"));
    assert_eq!(ibs_cbs::percent_of(d("35"), d("0.1")), d("0.04"));
}

#[test]
fn classifications_say_what_is_charged() {
    let of = |code: &str| {
        let class = data::class_trib::get(code).expect(code);
        ibs_cbs::taxation(class, data::class_trib::cst(class.cst()).expect(code))
    };
    let zero = Decimal::ZERO;
    assert_eq!(
        of("000001"),
        Taxation::Usual {
            ibs: zero,
            cbs: zero
        }
    );
    let sixty = d("60");
    assert_eq!(
        of("200034"),
        Taxation::Usual {
            ibs: sixty,
            cbs: sixty
        }
    );
    assert_eq!(of("410001"), Taxation::Outside);
    assert_eq!(of("550001"), Taxation::Zero);
    assert_eq!(of("620001"), Taxation::SinglePhase);
    assert_eq!(of("510001"), Taxation::Deferred);
    assert_eq!(of("220001"), Taxation::OwnRates);
    assert_eq!(of("222001"), Taxation::ReducedBase);
}

#[test]
fn what_cannot_be_is_an_error() {
    let own = |value: &str, rate: &str, reduction: &str| {
        icms::own(&Own {
            value: d(value),
            rate: d(rate),
            reduction: d(reduction),
            without_tax: true,
        })
        .expect_err("impossible")
    };
    assert_eq!(own("-1", "18", "0"), Impossible::Negative("value"));
    assert_eq!(own("1", "100", "0"), Impossible::WholeBase("rate"));
    assert_eq!(own("1", "-18", "0"), Impossible::Negative("rate"));
    assert_eq!(own("1", "18", "101"), Impossible::MoreThanAll("reduction"));
    assert_eq!(
        own("1000000000001", "18", "0"),
        Impossible::TooLarge("value")
    );
    assert_eq!(
        own("1000000000000", "99.99", "0"),
        Impossible::TooLarge("base")
    );
    let margin = |original: &str, inter: &str, internal: &str| {
        substitution::adjusted_margin(d(original), d(inter), d(internal)).expect_err("impossible")
    };
    assert_eq!(margin("-40", "12", "18"), Impossible::Negative("margin"));
    assert_eq!(margin("40", "12", "100"), Impossible::WholeBase("internal"));
    assert_eq!(margin("900", "4", "50"), Impossible::TooLarge("margin"));
    let difal = Difal {
        operation: d("1000"),
        inter: d("12"),
        internal: d("98"),
        fcp: Some(d("2")),
    };
    assert_eq!(
        difal::double_base(&difal).expect_err("impossible"),
        Impossible::WholeBase("internal")
    );
    assert_eq!(
        ipi::by_value(d("1"), d("-0.01")).expect_err("impossible"),
        Impossible::Negative("rate")
    );
    let sentence = Impossible::WholeBase("rate").to_string();
    assert_eq!(
        sentence,
        "rate is 100 % or more, of a base that the tax is part of"
    );
}

/// In bounds, where it is anything.
fn bounded(charge: Result<Charge, Impossible>) {
    let Ok(charge) = charge else { return };
    let limit = d("10000000000000");
    for amount in [charge.base, charge.value] {
        assert!(amount < limit, "{charge:?}");
        assert!(amount.is_zero() || amount.is_sign_positive(), "{charge:?}");
    }
}

fn both(icms: Charge, fcp: Option<Charge>) {
    bounded(Ok(icms));
    fcp.map(Ok).into_iter().for_each(bounded);
}

/// Every formula of three numbers.
fn of_three(a: Decimal, b: Decimal, c: Decimal) {
    bounded(icms::own(&Own {
        value: a,
        rate: b,
        reduction: c,
        without_tax: true,
    }));
    let (operation, margin) = (a, b);
    let (quantity, price) = (a, b);
    for basis in [
        Basis::Margin { operation, margin },
        Basis::List { quantity, price },
    ] {
        let due = substitution::substitution(&Substitution {
            basis,
            reduction: c,
            rate: b,
            own: c,
            fcp: Some(c),
            own_fcp: a,
        });
        due.into_iter().for_each(|due| both(due.icms, due.fcp));
    }
    if let Ok((margin, _)) = substitution::adjusted_margin(a, b, c) {
        assert!(margin <= d("900"));
    }
    let difal = Difal {
        operation: a,
        inter: b,
        internal: c,
        fcp: Some(b),
    };
    for due in [difal::single_base(&difal), difal::double_base(&difal)] {
        due.into_iter().for_each(|due| both(due.icms, due.fcp));
    }
    bounded(ibs_cbs::tax(Which::Cbs, a, b, c));
    let rates = Rates {
        federal: b,
        state: c,
        municipal: b,
    };
    if let Ok(burden) = burden(a, &rates) {
        assert_eq!(
            burden.value,
            burden.federal + burden.state + burden.municipal
        );
    }
}

#[test]
fn no_number_makes_a_formula_panic() {
    let odd = [
        Decimal::MAX,
        Decimal::MIN,
        Decimal::ZERO,
        -Decimal::ZERO,
        d("0.0000000000000000000000000001"),
        d("99.9999999999999999999999999"),
        d("899.99"),
        d("999999999999.9999999999"),
        d("1000000000000"),
    ];
    let pairs = odd.iter().flat_map(|a| odd.iter().map(move |b| (*a, *b)));
    for (a, b) in pairs {
        odd.iter().for_each(|c| of_three(a, b, *c));
        bounded(icms::fcp(a, b));
        bounded(ipi::by_value(a, b));
        bounded(ipi::per_unit(a, b));
        let regime = Regime::NonCumulative;
        bounded(pis_cofins::general(Contribution::Cofins, regime, a, b));
        bounded(pis_cofins::single_phase(Contribution::Pis, a, b));
        let values = Values {
            v_prod: a,
            v_icms: b,
            ..Values::default()
        };
        if let Ok((base, _)) = ibs_cbs::base_step(date!(2026 - 01 - 01), &values) {
            assert!(base >= Decimal::ZERO);
        }
    }
}
