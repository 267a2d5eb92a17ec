//! Classification of IBS and CBS: CST, cClassTrib and cCredPres with the groups
//! of the layout each one calls for (IT 2025.002).

use rust_decimal::Decimal;
use time::Date;

use crate::search::{Found, Search, SearchText};
use crate::table::{Table, Validity, head};

pub(crate) static CST: Table<Cst> = Table::new(include_str!("../../tables/cst_ibs_cbs.tsv"), |c| {
    let codigo = c.text()?;
    Some(Cst {
        head: head(codigo),
        codigo,
        g_ibs_cbs: c.mark()?,
        g_mono: c.mark()?,
        g_red: c.mark()?,
        g_dif: c.mark()?,
        g_transf_cred: c.mark()?,
        g_cred_pres_zfm: c.mark()?,
        g_ajuste_compet: c.mark()?,
        reduces_base: c.mark()?,
        description: c.text()?,
    })
});

pub(crate) static CLASSES: Table<ClassTrib> =
    Table::new(include_str!("../../tables/class_trib.tsv"), |c| {
        let codigo = c.text()?;
        Some(ClassTrib {
            head: head(codigo),
            codigo,
            kind: match c.text()? {
                "p" => AliquotaKind::Standard,
                "s" => AliquotaKind::SectoralUniform,
                "n" => AliquotaKind::NationalUniform,
                "f" => AliquotaKind::Fixed,
                "-" => AliquotaKind::WithoutAliquota,
                _ => return None,
            },
            p_red_ibs: c.decimal()?,
            p_red_cbs: c.decimal()?,
            trib_regular: c.mark()?,
            cred_pres_operation: c.mark()?,
            mono_standard: c.mark()?,
            mono_withholding: c.mark()?,
            mono_ret: c.mark()?,
            mono_dif: c.mark()?,
            bio_difference: c.mark()?,
            credit_reversal: c.mark()?,
            gross_income_kind: c.number()?,
            validity: c.validity()?,
            nfe: c.mark()?,
            nfce: c.mark()?,
            cte: c.mark()?,
            nfse: c.mark()?,
            lc214: c.text()?,
            name: c.text()?,
        })
    });

pub(crate) static CREDITOS: Table<CredPres> =
    Table::new(include_str!("../../tables/cred_pres.tsv"), |c| {
        Some(CredPres {
            codigo: c.number()?,
            via_nota: c.mark()?,
            via_evento: c.mark()?,
            deducts: c.mark()?,
            g_ibs: c.mark()?,
            g_cbs: c.mark()?,
            p_ibs: c.optional_decimal()?,
            p_cbs: c.optional_decimal()?,
            ibs_validity: c.validity()?,
            cbs_validity: c.validity()?,
            description: c.text()?,
        })
    });

static SEARCH: Search<ClassTrib> = Search::new(all, |row| SearchText {
    codigo: row.codigo.to_owned(),
    text: {
        let cst = cst(row.cst()).map_or("", |cst| cst.description);
        format!("{} {cst} {}", row.name, row.lc214)
    },
    heading: false,
});

/// A CST of IBS/CBS: which groups it requires; what it does not require it
/// forbids (UB13-20 … UB64-10).
#[derive(Debug, PartialEq, Eq)]
pub struct Cst {
    head: u64,
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
    pub reduces_base: bool,
    pub description: &'static str,
}

/// Where the nominal rate of a classification comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AliquotaKind {
    Standard,
    SectoralUniform,
    NationalUniform,
    Fixed,
    WithoutAliquota,
}

/// A classification: what the operation is under LC 214/2025.
#[derive(Debug, PartialEq, Eq)]
pub struct ClassTrib {
    head: u64,
    /// Six digits, the first three are the CST.
    pub codigo: &'static str,
    pub kind: AliquotaKind,
    /// `pRedAliq` of IBS (UB27-10, UB46-10), percent of the rate.
    pub p_red_ibs: Decimal,
    /// `pRedAliq` of CBS (UB65-10), percent of the rate.
    pub p_red_cbs: Decimal,
    /// `gTribRegular` is required, and nominal rates are zero (UB68-10, UB18-10).
    pub trib_regular: bool,
    /// `gCredPresOper` is admitted (UB120-20).
    pub cred_pres_operation: bool,
    pub mono_standard: bool,
    pub mono_withholding: bool,
    pub mono_ret: bool,
    pub mono_dif: bool,
    pub bio_difference: bool,
    /// `gEstornoCred` is required (UB116-20).
    pub credit_reversal: bool,
    /// Kind of gross income of the Simples Nacional.
    pub gross_income_kind: u8,
    pub validity: Validity,
    /// Admitted in the model (UB14-25).
    pub nfe: bool,
    pub nfce: bool,
    pub cte: bool,
    pub nfse: bool,
    /// Article of LC 214/2025.
    pub lc214: &'static str,
    pub name: &'static str,
}

impl ClassTrib {
    /// The CST it belongs to.
    pub fn cst(&self) -> &'static str {
        self.codigo.get(..3).unwrap_or_default()
    }

    pub fn in_force(&self, data: Date) -> bool {
        self.validity.contains(data)
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
    pub deducts: bool,
    /// `gIBSCredPres` is required while in force, forbidden otherwise (UB123).
    pub g_ibs: bool,
    /// `gCBSCredPres` likewise (UB127).
    pub g_cbs: bool,
    /// Percent, where the law fixes one figure.
    pub p_ibs: Option<Decimal>,
    pub p_cbs: Option<Decimal>,
    pub ibs_validity: Validity,
    pub cbs_validity: Validity,
    pub description: &'static str,
}

impl CredPres {
    /// Does it apply to IBS on that day?
    pub fn ibs_on(&self, data: Date) -> bool {
        self.g_ibs && self.ibs_validity.contains(data)
    }

    /// Does it apply to CBS on that day?
    pub fn cbs_on(&self, data: Date) -> bool {
        self.g_cbs && self.cbs_validity.contains(data)
    }
}

/// The CST of three digits.
pub fn cst(codigo: &str) -> Option<&'static Cst> {
    let head = head(codigo);
    let then = |line: &Cst| line.codigo.cmp(codigo);
    CST.find(|line| line.head.cmp(&head).then_with(|| then(line)))
}

/// The classification of six digits.
pub fn get(codigo: &str) -> Option<&'static ClassTrib> {
    let head = head(codigo);
    let then = |line: &ClassTrib| line.codigo.cmp(codigo);
    CLASSES.find(|line| line.head.cmp(&head).then_with(|| then(line)))
}

/// The presumed credit of one or two digits.
pub fn cred_pres(codigo: &str) -> Option<&'static CredPres> {
    let codigo: u8 = codigo.parse().ok()?;
    CREDITOS.find(|line| line.codigo.cmp(&codigo))
}

/// Classifications whose code, name, article or CST has the words of the query.
pub fn search(query: &str, limit: usize) -> Found<'static, ClassTrib> {
    SEARCH.find(query, limit)
}

/// All classifications, by code.
pub fn all() -> &'static [ClassTrib] {
    CLASSES.lines()
}

/// All presumed credits, by code.
pub fn creditos() -> &'static [CredPres] {
    CREDITOS.lines()
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    #[test]
    fn the_tables_are_whole() {
        assert_eq!(crate::table::check(&CST, |line| line.codigo), 18);
        assert_eq!(crate::table::check(&CLASSES, |line| line.codigo), 164);
        assert_eq!(crate::table::check(&CREDITOS, |line| line.codigo), 13);
        for class in all() {
            assert!(cst(class.cst()).is_some(), "{class:?}");
        }
    }

    #[test]
    fn a_code_is_found_as_it_stands_and_in_no_other_form() {
        for class in all() {
            let codigo = class.codigo;
            assert_eq!(get(codigo), Some(class));
            assert!(cst(class.cst()).is_some_and(|cst| cst.codigo == class.cst()));
            for other in [
                format!("{codigo}0"),
                format!("{codigo}\0"),
                format!("{codigo}0000"),
                format!(" {codigo}"),
                codigo[1..].to_owned(),
                class.cst().to_owned(),
            ] {
                assert_eq!(get(&other), None, "{other:?}");
            }
        }
        assert_eq!(get(""), None);
        assert_eq!(cst(""), None);
    }

    #[test]
    fn a_reduction_needs_a_cst_that_has_one() {
        for class in all() {
            let reduces = !class.p_red_ibs.is_zero() || !class.p_red_cbs.is_zero();
            let g_red = cst(class.cst()).is_some_and(|cst| cst.g_red);
            assert!(!reduces || g_red, "{}", class.codigo);
        }
    }

    #[test]
    fn a_credit_applies_from_its_day() {
        let used = cred_pres("4").expect("4");
        assert!(used.deducts && !used.cbs_on(date!(2026 - 12 - 31)));
        assert!(used.cbs_on(date!(2027 - 01 - 01)));
        assert!(cred_pres("5").is_some_and(|c| !c.ibs_on(date!(2030 - 01 - 01))));
        assert_eq!(cred_pres("14"), None);
    }
}
