//! Exact decimals without floats, small enough for a component.

use serde::{Deserialize, Deserializer, de};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// Longest number accepted: the layouts hold 15 + 2 digits.
const MAX_CHARS: usize = 26;
/// Most decimal places kept.
const MAX_PLACES: u32 = 10;

/// A decimal number: `mantissa / 10^places`. Sums are exact; nothing here
/// rounds unless its name says so.
#[derive(Clone, Copy, Debug, Default)]
pub struct Decimal {
    mantissa: i128,
    places: u32,
}

/// The text is not `-?[0-9]+(\.[0-9]+)?` or has too many digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotADecimal;

impl fmt::Display for NotADecimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a decimal number")
    }
}

impl Decimal {
    pub const ZERO: Decimal = Decimal {
        mantissa: 0,
        places: 0,
    };

    /// `mantissa / 10^places`; None beyond ten places.
    pub fn new(mantissa: i64, places: u32) -> Option<Self> {
        (places <= MAX_PLACES).then_some(Decimal {
            mantissa: i128::from(mantissa),
            places,
        })
    }

    pub fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    pub fn is_negative(self) -> bool {
        self.mantissa < 0
    }

    /// Text with exactly `places` decimals, or None when that would lose a
    /// digit other than zero. Layouts that want "1500.00" use `fixed(2)`.
    pub fn fixed(self, places: u32) -> Option<String> {
        let rounded = self.rounded(places);
        (rounded == self).then(|| rounded.to_string())
    }

    /// Rounded half away from zero to `places` decimals (at most ten), and
    /// shown with exactly that many.
    #[must_use]
    pub fn rounded(self, places: u32) -> Self {
        let places = places.min(MAX_PLACES);
        let mantissa = if places >= self.places {
            self.mantissa.saturating_mul(power(places - self.places))
        } else {
            let divisor = power(self.places - places);
            let half = if self.mantissa < 0 {
                -(divisor / 2)
            } else {
                divisor / 2
            };
            self.mantissa.saturating_add(half) / divisor
        };
        Decimal { mantissa, places }
    }

    /// Exact product, rounded to ten places; None when it does not fit.
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        let mantissa = self.mantissa.checked_mul(other.mantissa)?;
        let places = self.places + other.places;
        if places <= MAX_PLACES {
            return Some(Decimal { mantissa, places });
        }
        let divisor = power(places - MAX_PLACES);
        let half = if mantissa < 0 {
            -(divisor / 2)
        } else {
            divisor / 2
        };
        Some(Decimal {
            mantissa: mantissa.checked_add(half)? / divisor,
            places: MAX_PLACES,
        })
    }

    /// A percentage as a fraction: 2.5 becomes 0.025 (old ABRASF rates).
    /// Rounds only what exceeds ten places.
    #[must_use]
    pub fn percent_to_fraction(self) -> Self {
        Decimal {
            mantissa: self.mantissa,
            places: self.places + 2,
        }
        .normalized_places()
    }

    fn normalized_places(self) -> Self {
        if self.places > MAX_PLACES {
            self.rounded(MAX_PLACES)
        } else {
            self
        }
    }

    /// Both mantissas at the larger number of places.
    fn aligned(self, other: Self) -> (i128, i128, u32) {
        let places = self.places.max(other.places);
        let scale = |value: Self| value.mantissa.saturating_mul(power(places - value.places));
        (scale(self), scale(other), places)
    }
}

/// 10^n for the small exponents used here.
fn power(exponent: u32) -> i128 {
    10_i128.checked_pow(exponent).unwrap_or(i128::MAX)
}

impl FromStr for Decimal {
    type Err = NotADecimal;

    fn from_str(text: &str) -> Result<Self, NotADecimal> {
        let text = text.trim();
        if text.len() > MAX_CHARS {
            return Err(NotADecimal);
        }
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = match digits.split_once('.') {
            Some((whole, fraction)) if !fraction.is_empty() => {
                (whole, fraction.trim_end_matches('0'))
            }
            Some(_) => return Err(NotADecimal),
            None => (digits, ""),
        };
        let all_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty()
            || !all_digits(whole)
            || !all_digits(fraction)
            || fraction.len() > MAX_PLACES as usize
        {
            return Err(NotADecimal);
        }
        let mut mantissa: i128 = 0;
        for digit in whole.bytes().chain(fraction.bytes()) {
            mantissa = mantissa * 10 + i128::from(digit - b'0');
        }
        Ok(Decimal {
            mantissa: if negative { -mantissa } else { mantissa },
            places: fraction.len() as u32,
        })
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.mantissa < 0 { "-" } else { "" };
        let digits = self.mantissa.unsigned_abs();
        if self.places == 0 {
            return write!(f, "{sign}{digits}");
        }
        let divisor = power(self.places).unsigned_abs();
        let width = self.places as usize;
        write!(f, "{sign}{}.{:0width$}", digits / divisor, digits % divisor)
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b, _) = self.aligned(*other);
        a.cmp(&b)
    }
}

impl std::ops::Add for Decimal {
    type Output = Decimal;

    fn add(self, other: Self) -> Self {
        let (a, b, places) = self.aligned(other);
        Decimal {
            mantissa: a.saturating_add(b),
            places,
        }
    }
}

impl std::ops::Sub for Decimal {
    type Output = Decimal;

    fn sub(self, other: Self) -> Self {
        let (a, b, places) = self.aligned(other);
        Decimal {
            mantissa: a.saturating_sub(b),
            places,
        }
    }
}

impl std::iter::Sum for Decimal {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Decimal::ZERO, |a, b| a + b)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    /// From decimal text, as the contract writes it; whole JSON numbers are
    /// taken too. A JSON number with a point is refused: it passed through a
    /// float on its way.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Decimal;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a decimal number as text")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Decimal, E> {
                text.parse().map_err(|_| E::custom("not a decimal number"))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Decimal, E> {
                Ok(Decimal {
                    mantissa: i128::from(number),
                    places: 0,
                })
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Decimal, E> {
                Ok(Decimal {
                    mantissa: i128::from(number),
                    places: 0,
                })
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dec(text: &str) -> Decimal {
        text.parse().expect(text)
    }

    #[test]
    fn fixed_places_never_lose_a_digit() {
        assert_eq!(dec("1500").fixed(2).as_deref(), Some("1500.00"));
        assert_eq!(dec("0.1").fixed(4).as_deref(), Some("0.1000"));
        assert_eq!(dec("-0.05").fixed(2).as_deref(), Some("-0.05"));
        assert_eq!(dec("2.500").fixed(2).as_deref(), Some("2.50"));
        assert_eq!(dec("2.505").fixed(2), None);
        assert_eq!(
            dec("999999999999999.99").fixed(2).as_deref(),
            Some("999999999999999.99")
        );
    }

    #[test]
    fn rounding_is_half_away_from_zero() {
        assert_eq!(dec("2.505").rounded(2).to_string(), "2.51");
        assert_eq!(dec("-2.505").rounded(2).to_string(), "-2.51");
        assert_eq!(dec("2.504999").rounded(2).to_string(), "2.50");
    }

    #[test]
    fn arithmetic_and_order() {
        assert_eq!(dec("0.1") + dec("0.2"), dec("0.3"));
        assert_eq!((dec("10") - dec("0.01")).to_string(), "9.99");
        assert_eq!(dec("1500").checked_mul(dec("0.025")), Some(dec("37.5")));
        assert_eq!(dec("2.5").percent_to_fraction(), dec("0.025"));
        assert!(dec("1.10") == dec("1.1") && dec("1.1") < dec("1.11"));
        assert_eq!(
            [dec("1"), dec("2.5")].into_iter().sum::<Decimal>(),
            dec("3.5")
        );
    }

    #[test]
    fn junk_is_refused() {
        for junk in [
            "",
            "-",
            ".",
            "1.",
            ".5",
            "1,5",
            "1e3",
            "+1",
            "1.2.3",
            "NaN",
            "99999999999999999999999999999",
            "٣",
        ] {
            assert_eq!(junk.parse::<Decimal>(), Err(NotADecimal), "{junk}");
        }
        assert!(serde_json::from_str::<Decimal>("1.5").is_err());
        assert_eq!(serde_json::from_str::<Decimal>("15").ok(), Some(dec("15")));
    }
}
