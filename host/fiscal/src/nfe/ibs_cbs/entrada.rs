//! What the calculation takes: the note's circumstances and the item's amounts.

use rust_decimal::Decimal;
use time::Date;
use time::macros::date;

/// Version of the layout: package of schemas in force in production on a date.
/// The groups of IBS/CBS are the same in 010b and 010d.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Versao {
    /// PL_010b (NT 2025.002 v1.30), from 2025-11-10.
    B,
    /// PL_010d (NT 2026.004), from 2026-07-01.
    D,
    /// PL_010e (NT 2025.002 v1.40), from 2026-08-03.
    E,
    /// PL_010f (NT 2025.002 v1.50), from 2026-11-03.
    F,
}

impl Versao {
    /// The version in force on an emission date (production calendar).
    pub fn em(data: Date) -> Versao {
        if data >= date!(2026 - 11 - 03) {
            Versao::F
        } else if data >= date!(2026 - 08 - 03) {
            Versao::E
        } else if data >= date!(2026 - 07 - 01) {
            Versao::D
        } else {
            Versao::B
        }
    }
}

/// Which document: the groups of an NFC-e are fewer (`TTribNFCe`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modelo {
    /// 55.
    Nfe,
    /// 65.
    Nfce,
}

/// A pair of amounts or rates: one of IBS, one of CBS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Par {
    pub ibs: Decimal,
    pub cbs: Decimal,
}

/// Percentages by tax.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Percentuais {
    pub ibs_uf: Decimal,
    pub ibs_mun: Decimal,
    pub cbs: Decimal,
}

/// Rates that somebody fixes instead of the table by year; a field that is
/// absent comes from the table. Percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aliquotas {
    pub ibs_uf: Option<Decimal>,
    pub ibs_mun: Option<Decimal>,
    pub cbs: Option<Decimal>,
}

/// What is the same for all items of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contexto {
    /// Date of emission, in the emitter's zone.
    pub data: Date,
    pub modelo: Modelo,
    /// Regime of the emitter: 1, 2 (Simples), 3 (regular), 4 (MEI).
    pub crt: u8,
    pub versao: Versao,
    /// Reference rates the installation configured: from 2027 on the CBS is
    /// fixed by the Senate, and the table has none until then.
    pub referencia: Aliquotas,
    /// Group `gCompraGov` of the note, if it is a sale to government.
    pub compra_gov: Option<CompraGov>,
}

/// Sale to government (`gCompraGov`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompraGov {
    /// `tpEnteGov`: 1 União, 2 Estado, 3 Distrito Federal, 4 Município and, in
    /// later layouts, 5 and 6.
    pub tp_ente: u8,
    /// `pRedutor`, percent.
    pub p_redutor: Decimal,
    /// `tpOperGov`: 1 to 4.
    pub tp_oper: u8,
}

/// Amounts of the item the base is made of, in reais, two decimals. What does
/// not apply stays zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Valores {
    pub v_prod: Decimal,
    pub v_serv: Decimal,
    pub v_frete: Decimal,
    pub v_seg: Decimal,
    pub v_outro: Decimal,
    pub v_ii: Decimal,
    pub v_desc: Decimal,
    pub v_pis: Decimal,
    pub v_cofins: Decimal,
    pub v_icms: Decimal,
    pub v_icms_uf_dest: Decimal,
    pub v_fcp: Decimal,
    pub v_fcp_uf_dest: Decimal,
    pub v_icms_mono: Decimal,
    pub v_issqn: Decimal,
    pub v_is: Decimal,
}

/// An item as its `ibs_cbs` describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// Three digits.
    pub cst: String,
    /// Six digits, the first three are the CST.
    pub c_class_trib: String,
    /// `indDoacao`.
    pub doacao: bool,
    pub valores: Valores,
    /// Base given by the caller instead of the formula (UB16-10 is not enforced).
    pub base: Option<Decimal>,
    /// Nominal rates of this item instead of the year's.
    pub aliquotas: Aliquotas,
    /// Rate reductions instead of the table's (CST whose table row leaves them
    /// open). Percent of the rate.
    pub reducao: Option<Par>,
    /// `pDif` of each tax: CST 510 and 515.
    pub diferimento: Option<Percentuais>,
    pub devolucao: Option<Devolucao>,
    /// How it would be taxed if the condition of a suspended or zero rate fails.
    pub trib_regular: Option<TribRegular>,
    /// CST 620.
    pub mono: Option<Monofasia>,
    /// CST 800: amounts transferred.
    pub transf_cred: Option<Par>,
    /// CST 811.
    pub ajuste_compet: Option<AjusteCompet>,
    /// Credit given back.
    pub estorno: Option<Par>,
    pub cred_pres: Option<CredPresOper>,
    /// CST 810.
    pub cred_pres_zfm: Option<CredPresZfm>,
    /// Zero CBS in the Zona Franca de Manaus and free trade areas (from 010e).
    pub zfm_alc: Option<ZfmAlc>,
}

/// Tax given back to low-income consumers (`gDevTrib`): amounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Devolucao {
    pub valores: Percentuais,
    /// `pDevTrib` (from 010f; left out before).
    pub percentuais: Option<Percentuais>,
}

/// `gTribRegular`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TribRegular {
    pub cst: String,
    pub c_class_trib: String,
}

/// A single-phase rate with what it applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaxaMono {
    /// Quantity (four decimals) and reais per unit.
    AdRem {
        quantidade: Decimal,
        ibs: Decimal,
        cbs: Decimal,
    },
    /// Amount and percentages (from 010f).
    AdValorem { base: Decimal, p: Percentuais },
}

/// Tax withheld earlier in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retido {
    /// Quantity and reais per unit; the layout asks them before 010f.
    AdRem {
        quantidade: Decimal,
        ibs: Decimal,
        cbs: Decimal,
    },
    /// Only the amounts (from 010f).
    Valores(Par),
}

/// `gIBSCBSMono`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Monofasia {
    pub padrao: Option<TaxaMono>,
    pub retencao: Option<TaxaMono>,
    pub retido: Option<Retido>,
    /// Before 010f.
    pub diferimento: Option<DiferimentoMono>,
    /// From 010f.
    pub bio: Option<BioDiferenca>,
}

/// `gMonoDif`: percentages of the standard single-phase tax.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiferimentoMono {
    pub p: Par,
}

/// `gpBioDiferenca`: more or less biofuel in the mixture than the law asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BioDiferenca {
    pub quantidade: Decimal,
    pub valores: Par,
}

/// `gAjusteCompet`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AjusteCompet {
    /// `AAAA-MM`, from 2025-01.
    pub compet: String,
    pub valores: Par,
}

/// May the presumed credit be taken now?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CondicaoCredito {
    /// `vCredPres`.
    #[default]
    Efetivo,
    /// `vCredPresCondSus`: under a suspensive condition.
    CondicaoSuspensiva,
}

/// `gCredPresOper`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CredPresOper {
    /// `vBCCredPres`; the item's base when absent.
    pub base: Option<Decimal>,
    /// `cCredPres`, one or two digits.
    pub codigo: String,
    /// `pCredPres` of each tax; a tax without one gets no group.
    pub p_ibs: Option<Decimal>,
    pub p_cbs: Option<Decimal>,
    pub condicao: CondicaoCredito,
}

/// `gCredPresIBSZFM`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CredPresZfm {
    /// `AAAA-MM`.
    pub compet: String,
    /// `tpCredPresIBSZFM`: 0 to 4.
    pub tipo: u8,
    pub valor: Decimal,
}

/// `gALCZFMCBS`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ZfmAlc {
    /// `tpALCZFMCBS`: 1 or 2.
    pub tipo: u8,
    /// `nProcSuframa`, 8 to 12 characters.
    pub processo: Option<String>,
}
