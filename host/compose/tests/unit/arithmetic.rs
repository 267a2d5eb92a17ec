//! Money adds up, stays in bounds and is rounded as the MOC does.

use compose::arithmetic::{CAP, apportion, divided, f2, f4, plus, times, variable};
use rust_decimal::Decimal;

fn d(text: &str) -> Decimal {
    text.parse().expect(text)
}

#[test]
fn shares_add_up() {
    for (total, weights) in [
        ("10.00", vec!["1", "1", "1"]),
        ("0.01", vec!["3", "3", "3", "3"]),
        ("99.99", vec!["0.01", "1234567.89", "0"]),
        ("7", vec!["0", "0", "5"]),
    ] {
        let weights: Vec<Decimal> = weights.into_iter().map(d).collect();
        let parts = apportion(d(total), &weights);
        assert_eq!(parts.iter().sum::<Decimal>(), d(total));
        assert!(parts.iter().all(|part| !part.is_sign_negative()));
    }
}

#[test]
fn nothing_overflows() {
    let large = d("9999999999999.9999999999");
    assert_eq!(times(times(large, large), large), CAP);
    assert_eq!(CAP, Decimal::from(1_000_000_000_000_000_i64));
    let sum = (0..100_000).fold(Decimal::ZERO, |sum, _| plus(sum, CAP));
    assert_eq!(sum, CAP);
    assert_eq!(divided(large, Decimal::ZERO), Decimal::ZERO);
    assert_eq!(divided(large, d("0.0000000001")), CAP);
}

#[test]
fn rounding_is_half_up() {
    assert_eq!(f2(d("0.005")), "0.01");
    assert_eq!(f2(d("2.675")), "2.68");
    assert_eq!(f2(Decimal::ZERO - d("0.001")), "0.00");
    assert_eq!(variable(-Decimal::ZERO, 0, 4), "0");
    assert_eq!(f4(d("18")), "18.0000");
    assert_eq!(variable(d("2.000"), 0, 4), "2");
    assert_eq!(variable(d("4.9"), 2, 10), "4.90");
    assert_eq!(variable(d("4.98765432109"), 2, 10), "4.9876543211");
}
