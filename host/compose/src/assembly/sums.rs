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
    desonerado,
    /// Part of `desonerado` that comes off the total (`indDeduzDeson`).
    desonerado_deduzido,
    fcp_uf_dest,
    icms_uf_dest,
    icms_uf_remet,
    fcp,
    bc_st,
    st,
    fcp_st,
    fcp_st_retido,
    q_mono,
    mono,
    q_mono_reten,
    mono_reten,
    q_mono_ret,
    mono_ret,
    /// Goods, of items that make up the total.
    prod,
    frete,
    seguro,
    desconto,
    ii,
    ipi,
    ipi_devolvido,
    pis,
    cofins,
    /// PIS/COFINS-ST that make up the total.
    contribuicoes_st,
    outro,
    tributos,
    is,
    /// Services, of items that make up the total.
    serv,
    bc_iss,
    iss,
    pis_serv,
    cofins_serv,
    deducao_serv,
    outro_serv,
    desc_incond,
    desc_cond,
    iss_retido,
);

impl Sums {
    /// What an item, or a note, adds to `vNF` (MOC, W16-10).
    pub fn total(&self) -> Decimal {
        [
            self.prod,
            self.serv,
            self.st,
            self.fcp_st,
            self.mono_reten,
            self.frete,
            self.seguro,
            self.outro,
            self.ii,
            self.ipi,
            self.ipi_devolvido,
            self.contribuicoes_st,
            -self.desconto,
            -self.desonerado_deduzido,
        ]
        .into_iter()
        .fold(Decimal::ZERO, plus)
    }
}
