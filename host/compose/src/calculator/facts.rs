//! The facts of a sale that its taxes are worked out of.

use crate::emitter::Regime;
use data::class_trib::ClassTrib;
use data::ufs::Uf;
use fiscal::taxes::{icms, pis_cofins};
use rust_decimal::Decimal;
use time::Date;

/// One sale.
pub(super) struct Facts {
    pub day: Date,
    /// Eight digits, of the nomenclature.
    pub ncm: String,
    pub of: &'static Uf,
    pub to: &'static Uf,
    pub amounts: Amounts,
    /// `orig`, one digit.
    pub origin: &'static str,
    pub regime: Regime,
    pub taxpayer: bool,
    pub consumer: bool,
    pub fuel: bool,
    pub rates: Rates,
    pub contributions: Option<pis_cofins::Regime>,
    pub class: Option<&'static ClassTrib>,
}

/// Reais, two decimals.
pub(super) struct Amounts {
    pub goods: Decimal,
    pub frete: Decimal,
    pub insurance: Decimal,
    pub other: Decimal,
    pub discount: Decimal,
    /// Units, not reais.
    pub quantity: Decimal,
}

/// Rates of the request, percent.
pub(super) struct Rates {
    pub internal: Option<Decimal>,
    pub inter: Option<Decimal>,
    pub reduction: Decimal,
    pub margin: Option<Decimal>,
    pub adjusted_margin: Option<Decimal>,
    pub fcp: Option<Decimal>,
    pub ipi: Option<Decimal>,
    pub pis: Option<Decimal>,
    pub cofins: Option<Decimal>,
}

impl Amounts {
    pub fn operation(&self) -> Decimal {
        let added = [self.goods, self.frete, self.insurance, self.other];
        icms::operation(added, self.discount)
    }
}

impl Facts {
    pub fn interstate(&self) -> bool {
        self.of != self.to
    }

    /// Are federal taxes, IBS and CBS in the single guide of the Simples?
    pub fn in_simples(&self) -> bool {
        self.regime != Regime::Normal
    }

    /// Is the ICMS of its own sales in that guide, too?
    pub fn icms_in_simples(&self) -> bool {
        self.regime.uses_csosn()
    }

    /// Are the goods not going on to be sold or made into others?
    pub fn for_use(&self) -> bool {
        self.consumer || !self.taxpayer
    }
}
