//! Money, as answers show it.

use rust_decimal::{Decimal, RoundingStrategy};
use schemars::JsonSchema;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::Number;

/// R$, com duas casas decimais.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(transparent)]
pub struct Reais(#[schemars(with = "f64")] pub Decimal);

impl Reais {
    /// An amount in cents; a credit is one.
    pub fn of_cents(cents: i64) -> Reais {
        Reais(Decimal::new(cents, 2))
    }
}

impl Serialize for Reais {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let cents = self
            .0
            .round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
        let number: Number = format!("{cents:.2}").parse().map_err(S::Error::custom)?;
        number.serialize(serializer)
    }
}
