//! Municipalities of a transport.

use data::municipalities;

/// Code of the municipality that stands for any place abroad (MOC, `cMunIni`).
pub const ABROAD: &str = "9999999";

/// A municipality of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub name: &'static str,
    /// Two letters; `EX` abroad.
    pub uf: &'static str,
}

/// The municipality of a code, or what stands for any place abroad.
pub fn place(code: Option<&str>) -> Option<Place> {
    let code = code?.trim();
    if code == ABROAD {
        return Some(Place {
            name: "EXTERIOR",
            uf: "EX",
        });
    }
    let municipality = municipalities::get(code.parse().ok()?)?;
    Some(Place {
        name: municipality.name,
        uf: municipality.uf()?.abbreviation,
    })
}
