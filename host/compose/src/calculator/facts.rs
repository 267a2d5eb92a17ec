//! The facts of a sale that its taxes are worked out of.

use super::output::Lack;
use crate::emitter::Regime;
use data::cfop::Cfop;
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
    /// Exception of the TIPI, two digits; empty: none.
    pub ex: String,
    pub of: &'static Uf,
    pub to: &'static Uf,
    pub amounts: Amounts,
    /// `orig`, one digit.
    pub origin: &'static str,
    pub regime: Regime,
    pub taxpayer: bool,
    pub consumer: bool,
    pub icms: Icms,
    pub rates: Rates,
    pub given: Given,
    /// The amounts are without the ICMS of the sale.
    pub without_icms: bool,
    pub contributions: Option<pis_cofins::Regime>,
    pub class: Option<&'static ClassTrib>,
}

/// What the CFOP says of the ICMS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Icms {
    /// By the rates of the states.
    Usual,
    /// Fuels and lubricants: some are charged once, by unit.
    Fuel,
    /// Withheld by substitution in a sale before this one.
    Withheld,
    /// A sale to the Zona Franca de Manaus or an Área de Livre Comércio.
    FreeArea,
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

/// Taxes that the request brings, reais.
#[derive(Default)]
pub(super) struct Given {
    pub icms: Option<Decimal>,
    pub ipi: Option<Decimal>,
    pub pis: Option<Decimal>,
    pub cofins: Option<Decimal>,
}

impl Icms {
    pub fn of(cfop: &Cfop) -> Icms {
        match cfop.codigo {
            5405 | 6404 => Icms::Withheld,
            5109 | 5110 | 6109 | 6110 => Icms::FreeArea,
            _ if cfop.is_fuel() => Icms::Fuel,
            _ => Icms::Usual,
        }
    }
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

    /// Why the rates of the states do not give the ICMS.
    pub fn icms_lack(&self) -> Option<Lack> {
        match self.icms {
            Icms::Fuel if self.rates.internal.is_none() => Some(Lack::new(
                "O ICMS pode ser monofásico (LC 192/2022: gasolina, etanol anidro, diesel, biodiesel e GLP), em reais por unidade, e essas alíquotas não estão carregadas. Informe aliquota_icms se o produto é outro.",
                &["aliquota_icms"],
            )),
            Icms::FreeArea => Some(Lack::new(
                "A isenção das vendas à Zona Franca de Manaus e às Áreas de Livre Comércio não está nas tabelas.",
                &[],
            )),
            Icms::Usual | Icms::Fuel | Icms::Withheld => None,
        }
    }

    /// Are the goods not going on to be sold or made into others?
    pub fn for_use(&self) -> bool {
        self.consumer || !self.taxpayer
    }
}
