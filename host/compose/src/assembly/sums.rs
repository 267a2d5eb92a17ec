//! Amounts of an item that the totals add up.

use crate::arithmetic::plus;
use rust_decimal::Decimal;

macro_rules! sums {
    ($( $(#[$meta:meta])* $field:ident ),* $(,)?) => {
        /// Reais, except the `q_` ones (units of the fuel).
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub(super) struct Sums {
            $( $(#[$meta])* pub $field: Decimal ),*
        }

        impl Sums {
            pub fn add(&mut self, other: &Sums) {
                $( if !other.$field.is_zero() { self.$field = plus(self.$field, other.$field); } )*
            }
        }
    };
}

sums!(
    bc,
    icms,
    relieved,
    /// Part of `relieved` that comes off the total (`indDeduzDeson`).
    relieved_deducted,
    fcp_uf_dest,
    icms_uf_dest,
    icms_uf_origin,
    fcp,
    bc_st,
    st,
    fcp_st,
    fcp_st_withheld,
    q_mono,
    mono,
    q_mono_withholding,
    mono_withholding,
    q_mono_ret,
    mono_ret,
    /// Goods, of items that make up the total.
    prod,
    frete,
    insurance,
    discount,
    ii,
    ipi,
    ipi_returned,
    pis,
    cofins,
    /// PIS/COFINS-ST that make up the total.
    contributions_st,
    other,
    taxes,
    is,
    /// Services, of items that make up the total.
    services,
    bc_iss,
    iss,
    services_pis,
    services_cofins,
    services_deduction,
    services_other,
    unconditional_discount,
    conditional_discount,
    iss_withheld,
);

impl Sums {
    /// What an item, or a note, adds to `vNF` (MOC, W16-10).
    pub fn total(&self) -> Decimal {
        [
            self.prod,
            self.services,
            self.st,
            self.fcp_st,
            self.mono_withholding,
            self.frete,
            self.insurance,
            self.other,
            self.ii,
            self.ipi,
            self.ipi_returned,
            self.contributions_st,
            -self.discount,
            -self.relieved_deducted,
        ]
        .into_iter()
        .fold(Decimal::ZERO, plus)
    }
}
