//! IBS and CBS of an item and of a note (NT 2025.002, LC 214/2025): from
//! amounts and a classification to the groups `IBSCBS` and `IBSCBSTot`.
//!
//! Pure: the date, the regime and rates that the law left open come in. Paths
//! in problems are relative to the item's `ibs_cbs`; rule ids (UB35-10 …) are
//! the note's own (text of v1.51 and v1.52, read second-hand).

mod entrada;

pub use entrada::{
    AjusteCompet, Aliquotas, BioDiferenca, CompraGov, CondicaoCredito, Contexto, CredPresOper,
    CredPresZfm, Devolucao, DiferimentoMono, Item, Modelo, Monofasia, Par, Percentuais, Retido,
    TaxaMono, TribRegular, Valores, Versao, ZfmAlc,
};

use rust_decimal::Decimal;
use time::Date;

use crate::arvore::Elemento;
use crate::campo::Campo;

/// What the emitter's regime says about the group on a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exigencia {
    /// The group may not be there.
    Vedado,
    /// A duty whose absence is not rejected (yet): a warning.
    DevidoSemRejeicao,
    /// Absence is rejected (1115).
    Obrigatorio,
}

/// Amounts of an item that the totals and `vItem` take in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Somas {
    /// The item has `gIBSCBS` (the totals group exists because of it, W34).
    pub normal: bool,
    /// The item has `gIBSCBSMono`.
    pub mono: bool,
    pub v_bc: Decimal,
    pub v_dif_ibs_uf: Decimal,
    pub v_dev_ibs_uf: Decimal,
    pub v_ibs_uf: Decimal,
    pub v_dif_ibs_mun: Decimal,
    pub v_dev_ibs_mun: Decimal,
    pub v_ibs_mun: Decimal,
    pub v_ibs: Decimal,
    pub v_dif_cbs: Decimal,
    pub v_dev_cbs: Decimal,
    pub v_cbs: Decimal,
    pub v_cred_pres_ibs: Decimal,
    pub v_cred_pres_cond_sus_ibs: Decimal,
    pub v_cred_pres_cbs: Decimal,
    pub v_cred_pres_cond_sus_cbs: Decimal,
    pub v_ibs_mono: Decimal,
    pub v_cbs_mono: Decimal,
    pub v_ibs_mono_reten: Decimal,
    pub v_cbs_mono_reten: Decimal,
    pub v_ibs_mono_ret: Decimal,
    pub v_cbs_mono_ret: Decimal,
    /// `vTotIBSMonoItem`, `vTotCBSMonoItem`.
    pub v_tot_mono: Par,
    /// The item has `gEstornoCred`.
    pub estorno: bool,
    pub v_estorno: Par,
}

/// The group of an item and what it adds to the note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grupo {
    /// `IBSCBS`, members in the order of the layout.
    pub elemento: Elemento,
    pub somas: Somas,
}

/// Builds the group `IBSCBS` of an item.
///
/// # Errors
/// Everything that is wrong, with paths relative to the item's `ibs_cbs`.
pub fn grupo(contexto: &Contexto, item: &Item) -> Result<Grupo, Vec<Campo>> {
    let _ = (contexto, item);
    Err(Vec::new())
}

/// Builds `IBSCBSTot`: plain sums of the items (W35 to W56). None when no item
/// calls for it (rules 1118 and 1119).
pub fn totais<'a>(versao: Versao, itens: impl IntoIterator<Item = &'a Somas>) -> Option<Elemento> {
    let _ = (versao, itens.into_iter().count());
    None
}

/// `vItem` (VB01-10): in 2025 and 2026 the item's share of `vNF`; from 2027 on
/// with IBS, CBS, IS and the single-phase totals on top. `vNFTot` is the sum of
/// all `vItem`.
pub fn v_item(data: Date, parcela_v_nf: Decimal, somas: &Somas, v_is: Decimal) -> Decimal {
    let _ = (data, somas, v_is);
    parcela_v_nf
}

/// Base of IBS and CBS by the formula in force on the date (UB16-10).
pub fn base(data: Date, valores: &Valores) -> Decimal {
    let _ = (data, valores);
    Decimal::ZERO
}

/// Whether the group is due for a regime (CRT) on a date.
pub fn exigencia(crt: u8, data: Date) -> Exigencia {
    let _ = (crt, data);
    Exigencia::DevidoSemRejeicao
}
