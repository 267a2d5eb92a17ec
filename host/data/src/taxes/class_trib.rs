//! Classification of IBS and CBS: CST, cClassTrib and cCredPres with the groups
//! of the layout each one calls for (IT 2025.002).

use rust_decimal::Decimal;
use time::Date;

use crate::table::{Tabela, Vigencia};

static CST: Tabela<Cst> = Tabela::new(include_str!("../../tables/cst_ibs_cbs.tsv"), |c| {
    Some(Cst {
        codigo: c.texto()?,
        g_ibs_cbs: c.marca()?,
        g_mono: c.marca()?,
        g_red: c.marca()?,
        g_dif: c.marca()?,
        g_transf_cred: c.marca()?,
        g_cred_pres_zfm: c.marca()?,
        g_ajuste_compet: c.marca()?,
        redutor_bc: c.marca()?,
        descricao: c.texto()?,
    })
});

static CLASSES: Tabela<ClassTrib> = Tabela::new(include_str!("../../tables/class_trib.tsv"), |c| {
    Some(ClassTrib {
        codigo: c.texto()?,
        tipo: match c.texto()? {
            "p" => TipoAliquota::Padrao,
            "s" => TipoAliquota::UniformeSetorial,
            "n" => TipoAliquota::UniformeNacional,
            "f" => TipoAliquota::Fixa,
            "-" => TipoAliquota::SemAliquota,
            _ => return None,
        },
        p_red_ibs: c.decimal()?,
        p_red_cbs: c.decimal()?,
        trib_regular: c.marca()?,
        cred_pres_oper: c.marca()?,
        mono_padrao: c.marca()?,
        mono_reten: c.marca()?,
        mono_ret: c.marca()?,
        mono_dif: c.marca()?,
        bio_diferenca: c.marca()?,
        estorno_cred: c.marca()?,
        tp_rbsn: c.numero()?,
        vigencia: c.vigencia()?,
        nfe: c.marca()?,
        nfce: c.marca()?,
        cte: c.marca()?,
        nfse: c.marca()?,
        lc214: c.texto()?,
        nome: c.texto()?,
    })
});

static CREDITOS: Tabela<CredPres> = Tabela::new(include_str!("../../tables/cred_pres.tsv"), |c| {
    Some(CredPres {
        codigo: c.numero()?,
        via_nota: c.marca()?,
        via_evento: c.marca()?,
        deduz: c.marca()?,
        g_ibs: c.marca()?,
        g_cbs: c.marca()?,
        p_ibs: c.decimal_opcional()?,
        p_cbs: c.decimal_opcional()?,
        vigencia_ibs: c.vigencia()?,
        vigencia_cbs: c.vigencia()?,
        descricao: c.texto()?,
    })
});

/// A CST of IBS/CBS: which groups it requires; what it does not require it
/// forbids (UB13-20 … UB64-10).
#[derive(Debug, PartialEq, Eq)]
pub struct Cst {
    /// Three digits.
    pub codigo: &'static str,
    pub g_ibs_cbs: bool,
    pub g_mono: bool,
    pub g_red: bool,
    pub g_dif: bool,
    pub g_transf_cred: bool,
    pub g_cred_pres_zfm: bool,
    pub g_ajuste_compet: bool,
    /// The base itself is reduced (CST 222).
    pub redutor_bc: bool,
    pub descricao: &'static str,
}

/// Where the nominal rate of a classification comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TipoAliquota {
    Padrao,
    UniformeSetorial,
    UniformeNacional,
    Fixa,
    SemAliquota,
}

/// A classification: what the operation is under LC 214/2025.
#[derive(Debug, PartialEq, Eq)]
pub struct ClassTrib {
    /// Six digits, the first three are the CST.
    pub codigo: &'static str,
    pub tipo: TipoAliquota,
    /// `pRedAliq` of IBS (UB27-10, UB46-10), percent of the rate.
    pub p_red_ibs: Decimal,
    /// `pRedAliq` of CBS (UB65-10), percent of the rate.
    pub p_red_cbs: Decimal,
    /// `gTribRegular` is required, and nominal rates are zero (UB68-10, UB18-10).
    pub trib_regular: bool,
    /// `gCredPresOper` is admitted (UB120-20).
    pub cred_pres_oper: bool,
    pub mono_padrao: bool,
    pub mono_reten: bool,
    pub mono_ret: bool,
    pub mono_dif: bool,
    pub bio_diferenca: bool,
    /// `gEstornoCred` is required (UB116-20).
    pub estorno_cred: bool,
    /// Kind of gross income of the Simples Nacional.
    pub tp_rbsn: u8,
    pub vigencia: Vigencia,
    /// Admitted in the model (UB14-25).
    pub nfe: bool,
    pub nfce: bool,
    pub cte: bool,
    pub nfse: bool,
    /// Article of LC 214/2025.
    pub lc214: &'static str,
    pub nome: &'static str,
}

impl ClassTrib {
    /// The CST it belongs to.
    pub fn cst(&self) -> &'static str {
        self.codigo.get(..3).unwrap_or_default()
    }

    pub fn em_vigor(&self, data: Date) -> bool {
        self.vigencia.contem(data)
    }
}

/// A presumed credit.
#[derive(Debug, PartialEq, Eq)]
pub struct CredPres {
    /// 1 to 13; two digits in the document.
    pub codigo: u8,
    /// Taken by the note itself.
    pub via_nota: bool,
    /// Taken by event.
    pub via_evento: bool,
    /// Comes off the item's `vIBS` (UB54a-10).
    pub deduz: bool,
    /// `gIBSCredPres` is required while in force, forbidden otherwise (UB123).
    pub g_ibs: bool,
    /// `gCBSCredPres` likewise (UB127).
    pub g_cbs: bool,
    /// Percent, where the law fixes one figure.
    pub p_ibs: Option<Decimal>,
    pub p_cbs: Option<Decimal>,
    pub vigencia_ibs: Vigencia,
    pub vigencia_cbs: Vigencia,
    pub descricao: &'static str,
}

impl CredPres {
    /// Does it apply to IBS on that day?
    pub fn ibs_em(&self, data: Date) -> bool {
        self.g_ibs && self.vigencia_ibs.contem(data)
    }

    /// Does it apply to CBS on that day?
    pub fn cbs_em(&self, data: Date) -> bool {
        self.g_cbs && self.vigencia_cbs.contem(data)
    }
}

/// The CST of three digits.
pub fn cst(codigo: &str) -> Option<&'static Cst> {
    CST.busca(|linha| linha.codigo.cmp(codigo))
}

/// The classification of six digits.
pub fn get(codigo: &str) -> Option<&'static ClassTrib> {
    CLASSES.busca(|linha| linha.codigo.cmp(codigo))
}

/// The presumed credit of one or two digits.
pub fn cred_pres(codigo: &str) -> Option<&'static CredPres> {
    let codigo: u8 = codigo.parse().ok()?;
    CREDITOS.busca(|linha| linha.codigo.cmp(&codigo))
}

/// All CST, by code.
pub fn csts() -> &'static [Cst] {
    CST.linhas()
}

/// All classifications, by code.
pub fn todas() -> &'static [ClassTrib] {
    CLASSES.linhas()
}

/// All presumed credits, by code.
pub fn creditos() -> &'static [CredPres] {
    CREDITOS.linhas()
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    #[test]
    fn the_tables_are_whole() {
        assert_eq!(crate::table::confere(&CST, |linha| linha.codigo), 18);
        assert_eq!(crate::table::confere(&CLASSES, |linha| linha.codigo), 164);
        assert_eq!(crate::table::confere(&CREDITOS, |linha| linha.codigo), 13);
        for classe in todas() {
            assert!(cst(classe.cst()).is_some(), "{classe:?}");
        }
    }

    #[test]
    fn a_reduction_needs_a_cst_that_has_one() {
        for classe in todas() {
            let reduz = !classe.p_red_ibs.is_zero() || !classe.p_red_cbs.is_zero();
            let g_red = cst(classe.cst()).is_some_and(|cst| cst.g_red);
            assert!(!reduz || g_red, "{}", classe.codigo);
        }
    }

    #[test]
    fn a_credit_applies_from_its_day() {
        let usados = cred_pres("4").expect("4");
        assert!(usados.deduz && !usados.cbs_em(date!(2026 - 12 - 31)));
        assert!(usados.cbs_em(date!(2027 - 01 - 01)));
        assert!(cred_pres("5").is_some_and(|c| !c.ibs_em(date!(2030 - 01 - 01))));
        assert_eq!(cred_pres("14"), None);
    }
}
