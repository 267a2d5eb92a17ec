//! Versions of the ABRASF conceptual model.

use sdk::nfse::table::edition;

/// A version; later ones compare greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Versao {
    V100,
    V200,
    V201,
    V202,
    V203,
    V204,
}

impl Versao {
    /// "2.02", as the registry writes it.
    pub fn ler(nome: &str) -> Option<Self> {
        Some(match nome {
            "1.00" => Versao::V100,
            "2.00" => Versao::V200,
            "2.01" => Versao::V201,
            "2.02" => Versao::V202,
            "2.03" => Versao::V203,
            "2.04" => Versao::V204,
            _ => return None,
        })
    }

    pub fn nome(self) -> &'static str {
        match self {
            Versao::V100 => "1.00",
            Versao::V200 => "2.00",
            Versao::V201 => "2.01",
            Versao::V202 => "2.02",
            Versao::V203 => "2.03",
            Versao::V204 => "2.04",
        }
    }

    /// Its bit in the contract's table.
    pub fn edition(self) -> u16 {
        match self {
            Versao::V100 => edition::V100,
            Versao::V200 => edition::V200,
            Versao::V201 => edition::V201,
            Versao::V202 => edition::V202,
            Versao::V203 => edition::V203,
            Versao::V204 => edition::V204,
        }
    }

    /// 1.00 knows only batches, and has no substitution.
    pub fn primeira(self) -> bool {
        self == Versao::V100
    }
}
