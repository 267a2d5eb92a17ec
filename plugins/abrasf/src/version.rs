//! Versions of the ABRASF conceptual model.

use sdk::nfse::table::edition;

/// A version; later ones compare greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LayoutVersion {
    V100,
    V200,
    V201,
    V202,
    V203,
    V204,
}

impl LayoutVersion {
    /// "2.02", as the registry writes it.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "1.00" => LayoutVersion::V100,
            "2.00" => LayoutVersion::V200,
            "2.01" => LayoutVersion::V201,
            "2.02" => LayoutVersion::V202,
            "2.03" => LayoutVersion::V203,
            "2.04" => LayoutVersion::V204,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            LayoutVersion::V100 => "1.00",
            LayoutVersion::V200 => "2.00",
            LayoutVersion::V201 => "2.01",
            LayoutVersion::V202 => "2.02",
            LayoutVersion::V203 => "2.03",
            LayoutVersion::V204 => "2.04",
        }
    }

    /// Its bit in the contract's table.
    pub fn edition(self) -> u16 {
        match self {
            LayoutVersion::V100 => edition::V100,
            LayoutVersion::V200 => edition::V200,
            LayoutVersion::V201 => edition::V201,
            LayoutVersion::V202 => edition::V202,
            LayoutVersion::V203 => edition::V203,
            LayoutVersion::V204 => edition::V204,
        }
    }

    /// 1.00 knows only batches, and has no substitution.
    pub fn first(self) -> bool {
        self == LayoutVersion::V100
    }
}
