//! `[lookups]`: who is asked about addresses, companies, vehicles, routes and products.

use super::{ConfigError, within};
use serde::Deserialize;
use std::path::PathBuf;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lookups {
    pub adapter: String,
    pub sources_file: PathBuf,
    pub cep: Vec<String>,
    pub company: Vec<String>,
    pub vehicle: Vec<String>,
    pub fipe: Vec<String>,
    pub coordinates: Vec<String>,
    pub route: Vec<String>,
    pub product: Vec<String>,
    pub cep_days: u32,
    pub company_days: u32,
    pub vehicle_days: u32,
    pub fipe_days: u32,
    pub coordinates_days: u32,
    pub route_days: u32,
    pub product_days: u32,
    pub missing_hours: u32,
    pub rest_s: u32,
}

impl Lookups {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        for (key, days) in [
            ("lookups.cep_days", self.cep_days),
            ("lookups.company_days", self.company_days),
            ("lookups.vehicle_days", self.vehicle_days),
            ("lookups.fipe_days", self.fipe_days),
            ("lookups.coordinates_days", self.coordinates_days),
            ("lookups.route_days", self.route_days),
            ("lookups.product_days", self.product_days),
        ] {
            within(key, days, 0..=365)?;
        }
        within("lookups.missing_hours", self.missing_hours, 0..=720)?;
        within("lookups.rest_s", self.rest_s, 1..=3_600)
    }
}
