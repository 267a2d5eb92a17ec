//! A product as it is stored.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// What the catalogue knows of a product. Names of members are short because
/// there are millions; what is not known is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Product {
    /// Digits as the source has them, with the check digit.
    #[serde(rename = "g")]
    pub gtin: String,
    #[serde(rename = "n")]
    pub name: String,
    #[serde(rename = "b", default, skip_serializing_if = "String::is_empty")]
    pub brand: String,
    /// Eight digits, or empty.
    #[serde(rename = "m", default, skip_serializing_if = "String::is_empty")]
    pub ncm: String,
    /// Seven digits, or empty.
    #[serde(rename = "c", default, skip_serializing_if = "String::is_empty")]
    pub cest: String,
    /// Unit of sale, as `UN`, or empty.
    #[serde(rename = "u", default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    #[serde(rename = "i", default, skip_serializing_if = "String::is_empty")]
    pub image_url: String,
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    pub weight_kg: Option<Decimal>,
    #[serde(rename = "h", default, skip_serializing_if = "Option::is_none")]
    pub height_cm: Option<Decimal>,
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    pub width_cm: Option<Decimal>,
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    pub depth_cm: Option<Decimal>,
}

impl Product {
    /// Fills what is not known from another source.
    pub fn fill(&mut self, other: &Product) {
        let text = |own: &mut String, others: &String| {
            if own.is_empty() {
                own.clone_from(others);
            }
        };
        text(&mut self.brand, &other.brand);
        text(&mut self.ncm, &other.ncm);
        text(&mut self.cest, &other.cest);
        text(&mut self.unit, &other.unit);
        text(&mut self.image_url, &other.image_url);
        self.weight_kg = self.weight_kg.or(other.weight_kg);
        if self.height_cm.is_none() && self.width_cm.is_none() && self.depth_cm.is_none() {
            (self.height_cm, self.width_cm, self.depth_cm) =
                (other.height_cm, other.width_cm, other.depth_cm);
        }
    }
}
