//! What the calculation takes: the note's circumstances and the item's amounts.

use fiscal::taxes::ibs_cbs::Values;
use rust_decimal::Decimal;
use time::Date;

use markup::layout::Layout;

/// Version of the layout: package of schemas, with its first day in production
/// (homologation is earlier).
/// The groups of IBS/CBS are the same in 010b and 010d.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// PL_010b (NT 2025.002 v1.30), from 2025-11-10.
    B,
    /// PL_010d (NT 2026.004), from 2026-07-01.
    D,
    /// PL_010e (NT 2025.002 v1.40), from 2026-08-03.
    E,
    /// PL_010f (NT 2025.002 v1.50), from 2026-11-03.
    F,
}

impl Version {
    /// The version a layout of notes is of: one calendar, that of the layouts,
    /// says which groups there are and how they are written.
    pub fn of(layout: &Layout) -> Version {
        // A layout after the last one known here is like that one.
        match layout.name() {
            name if name >= "nfe-010f" => Version::F,
            name if name >= "nfe-010e" => Version::E,
            name if name >= "nfe-010d" => Version::D,
            _ => Version::B,
        }
    }
}

/// Which document: the groups of an NFC-e are fewer (`TTribNFCe`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// 55.
    Nfe,
    /// 65.
    Nfce,
}

/// A pair of amounts or rates: one of IBS, one of CBS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    pub ibs: Decimal,
    pub cbs: Decimal,
}

/// Percentages by tax.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Percentages {
    pub ibs_uf: Decimal,
    pub ibs_mun: Decimal,
    pub cbs: Decimal,
}

/// Reference rates of the installation; a rate that the law has fixed comes
/// from the table by year and is not looked for here. Percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    pub ibs_uf: Option<Decimal>,
    pub ibs_mun: Option<Decimal>,
    pub cbs: Option<Decimal>,
}

/// What is the same for all items of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// Date of emission, in the emitter's zone.
    pub data: Date,
    pub model: Model,
    /// Regime of the emitter: 1, 2 (Simples), 3 (regular), 4 (MEI).
    pub crt: u8,
    pub version: Version,
    pub purpose: Purpose,
    /// From 2027 on the CBS is fixed by the Senate; the table has none until
    /// then, and calculating takes this one.
    pub reference: Rates,
    /// Group `gCompraGov` of the note, if it is a sale to government.
    pub gov_purchase: Option<GovPurchase>,
}

/// What the note is for (`finNFe` and the types of debit and credit notes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Purpose {
    /// 1 normal, 2 complementary, 3 adjustment, 4 return, 5 credit, 6 debit.
    pub fin_nfe: u8,
    /// `tpNFDebito`: 1 to 8.
    pub tp_nf_debito: Option<u8>,
    /// `tpNFCredito`: 1 to 6.
    pub tp_nf_credito: Option<u8>,
}

impl Default for Purpose {
    fn default() -> Purpose {
        Purpose {
            fin_nfe: 1,
            tp_nf_debito: None,
            tp_nf_credito: None,
        }
    }
}

/// Sale to government (`gCompraGov`), as far as it changes the calculation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GovPurchase {
    /// `pRedutor`, percent.
    pub p_redutor: Decimal,
}

/// An item as its `ibs_cbs` describes it. What is absent is calculated, or is
/// not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// Three digits.
    pub cst: String,
    /// Six digits, the first three are the CST.
    pub c_class_trib: String,
    /// `indDoacao`.
    pub donation: bool,
    /// `indBemMovelUsado` of the product: admits a presumed credit (UB120-20).
    pub used_movable_good: bool,
    pub values: Values,
    /// Base given by the caller instead of the formula.
    pub base: Option<Decimal>,
    pub ibs_uf: Tax,
    pub ibs_mun: Tax,
    pub cbs: Tax,
    /// How it would be taxed if the condition of a suspended or zero rate fails.
    pub trib_regular: Option<TribRegular>,
    /// CST 620.
    pub mono: Option<SinglePhase>,
    /// CST 800: amounts transferred.
    pub credit_transfer: Option<Pair>,
    /// CST 811.
    pub period_adjustment: Option<PeriodAdjustment>,
    /// Credit given back.
    pub reversal: Option<Pair>,
    pub cred_pres: Option<CredPresOperation>,
    /// CST 810.
    pub cred_pres_zfm: Option<CredPresZfm>,
    /// Zero CBS in the Zona Franca de Manaus and free trade areas (from 010e).
    pub zfm_alc: Option<ZfmAlc>,
}

/// What a caller says about one of the three taxes of an item. Percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tax {
    /// Nominal rate; has to be the year's, where the law fixed one (UB18-10,
    /// UB37-10, UB56-10).
    pub aliquota: Option<Decimal>,
    /// `pRedAliq`; has to be the table's (UB27-10, UB46-10, UB65-10).
    pub reduction: Option<Decimal>,
    /// `pDif`: CST 510 and 515.
    pub p_dif: Option<Decimal>,
    /// `pDevTrib` (CBS, from 010e).
    pub p_dev: Option<Decimal>,
    /// `vDevTrib` (before 010e, where there is no percentage).
    pub v_dev: Option<Decimal>,
}

/// `gTribRegular`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TribRegular {
    pub cst: String,
    pub c_class_trib: String,
}

/// `gIBSCBSMono`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SinglePhase {
    pub ibs: MonoTax,
    pub cbs: MonoTax,
}

/// Single-phase tax, IBS or CBS. Before 010f both taxes share quantity and
/// groups, and all of it is ad rem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MonoTax {
    /// `gMonoPadrao`.
    pub default: Option<MonoRate>,
    /// `gMonoReten`.
    pub withholding: Option<MonoRate>,
    /// `gMonoRet`.
    pub withheld: Option<Withheld>,
    /// `gMonoDif`, percent of the standard tax (before 010f).
    pub p_dif: Option<Decimal>,
    /// `gpBioDiferenca` (from 010f).
    pub bio: Option<BioDifference>,
}

/// A single-phase rate with what it applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MonoRate {
    /// Quantity (four decimals) and reais per unit.
    AdRem { quantity: Decimal, ad_rem: Decimal },
    /// Amount and percent (from 010f); of the state, for IBS, with what the
    /// municipality adds.
    AdValorem {
        base: Decimal,
        p: Decimal,
        p_mun: Decimal,
    },
}

/// Tax charged earlier in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// Quantity and reais per unit: what the layout asks before 010f.
    AdRem { quantity: Decimal, ad_rem: Decimal },
    /// Only the amount (from 010f).
    Value(Decimal),
}

/// More or less biofuel in the mixture than the law asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BioDifference {
    pub quantity: Decimal,
    pub value: Decimal,
}

/// `gAjusteCompet`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeriodAdjustment {
    /// `AAAA-MM`, from 2025-01.
    pub period: String,
    pub values: Pair,
}

/// `gCredPresOper`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CredPresOperation {
    /// `vBCCredPres`; the item's base when absent.
    pub base: Option<Decimal>,
    /// `cCredPres`, one or two digits.
    pub codigo: String,
    /// `pCredPres` of each tax; the table's when absent and fixed there. A tax
    /// without one gets no group.
    pub p_ibs: Option<Decimal>,
    pub p_cbs: Option<Decimal>,
    /// `vCredPresCondSus` instead of `vCredPres`: waits for a condition.
    pub suspensive: bool,
}

/// `gCredPresIBSZFM`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CredPresZfm {
    /// `AAAA-MM`.
    pub period: String,
    /// `tpCredPresIBSZFM`: 0 to 4.
    pub kind: u8,
    pub value: Decimal,
}

/// `gALCZFMCBS`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ZfmAlc {
    /// `tpALCZFMCBS`: 1 or 2.
    pub kind: u8,
    /// `nProcSuframa`, 8 to 12 characters.
    pub processo: Option<String>,
}
