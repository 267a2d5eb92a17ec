//! IBS and CBS of an item and of a note (NT 2025.002, LC 214/2025): from
//! amounts and a classification to the groups `IBSCBS` and `IBSCBSTot`.
//!
//! Pure: the date, the regime and rates that the law left open come in. Paths
//! in problems are relative to the item's `ibs_cbs`, and a problem's code is
//! the id of the rule (UB35-10 …) that the authority would refuse by; the texts
//! of v1.51 and v1.52 were read second-hand. Amounts are rounded half to even,
//! as the calculator of the RFB does.

mod arithmetic;
mod credits;
mod input;
mod mono;
mod normal;
mod presence;
#[cfg(test)]
pub(crate) mod tests;
mod totals;

pub use input::{
    AjusteCompet, Aliquotas, BioDiferenca, CompraGov, Contexto, CredPresOper, CredPresZfm,
    Finalidade, Item, Modelo, MonoTributo, Monofasia, Par, Percentuais, Retido, TaxaMono,
    TribRegular, Tributo, Valores, Versao, ZfmAlc,
};
pub use totals::{Somas, totals, v_item, v_nf_tot};

use rust_decimal::Decimal;
use time::Date;
use time::macros::date;

use markup::field::{Campo, Campos};
use markup::tree::Elemento;

/// First day on which Simples and MEI inform IBS and CBS (NT 2025.002 v1.51,
/// UB12-10; second-hand).
pub const INICIO_SIMPLES: Date = date!(2027 - 01 - 04);
/// First day of the duty of the regular regime (LC 214/2025, art. 348).
const INICIO_REGULAR: Date = date!(2026 - 01 - 01);

/// What the emitter's regime says about the group on a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exigencia {
    /// The group may not be there.
    Vedado,
    /// It may be there or not.
    Facultativo,
    /// A duty whose absence is not rejected: a warning. Rejection 1115 was
    /// planned for 2026-08-03 and suspended by Ato Técnico Conjunto RFB/CGIBS
    /// 1/2026 (second-hand; one source disagrees). Whether it holds for Simples
    /// from 2027-01-04 on was not known in November 2026.
    DevidoSemRejeicao,
}

/// Whether the group is due for a regime (CRT) on a date.
pub fn exigencia(crt: u8, data: Date) -> Exigencia {
    match crt {
        1 | 2 | 4 if data < INICIO_SIMPLES => Exigencia::Vedado,
        _ if data < INICIO_REGULAR => Exigencia::Facultativo,
        _ => Exigencia::DevidoSemRejeicao,
    }
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
    let mut campos = Campos::default();
    if exigencia(contexto.crt, contexto.data) == Exigencia::Vedado {
        campos.add(
            "",
            "UB12-10",
            "Emitente do Simples Nacional ou MEI não informa IBS e CBS antes de 04/01/2027.",
            "Retire o grupo ibs_cbs do item.",
        );
        return Err(campos.0);
    }
    let Some(classe) = presence::classificacao(contexto, item, &mut campos) else {
        return Err(campos.0);
    };
    presence::confere(contexto, item, &classe, &mut campos);
    arithmetic::limites(contexto, item, &mut campos);
    // Arithmetic only on what is in bounds and belongs there.
    campos.into_result()?;

    let mut campos = Campos::default();
    let mut somas = Somas {
        informado: true,
        ..Somas::default()
    };
    let credito = credits::operacao(contexto, item, &mut somas, &mut campos);
    let mut elemento = Elemento::grupo("IBSCBS")
        .com("CST", classe.cst.codigo)
        .com("cClassTrib", classe.classe.codigo)
        .com_se("indDoacao", item.doacao.then_some("1"));
    if classe.cst.g_ibs_cbs && !presence::perda_em_estoque(contexto) {
        let grupo = normal::grupo(contexto, item, &classe, &mut somas, &mut campos);
        elemento = elemento.filho_se(grupo);
    }
    if let Some(mono) = &item.mono {
        elemento.poe(mono::grupo(contexto.versao, mono, &mut somas));
    }
    elemento = elemento
        .filho_se(item.transf_cred.map(credits::transferencia))
        .filho_se(item.ajuste_compet.as_ref().map(credits::ajuste))
        .filho_se(item.estorno.map(|par| credits::estorno(par, &mut somas)))
        .filho_se(credito)
        .filho_se(item.cred_pres_zfm.as_ref().map(credits::zfm));
    campos.into_result()?;
    Ok(Grupo { elemento, somas })
}

/// Base of IBS and CBS by the formula in force on the date (UB16-10), two
/// decimals; never below zero.
///
/// The rule itself is marked "implementação futura" and NT 2026.008 takes it
/// away: the base is then a matter of LC 214/2025, art. 12 alone, which this
/// formula follows.
pub fn base(data: Date, valores: &Valores) -> Decimal {
    match Formula::em(data) {
        Formula::Nt2025002 => base_nt_2025_002(valores),
    }
}

/// Versions of the base's formula.
enum Formula {
    Nt2025002,
}

impl Formula {
    /// One so far; PIS and COFINS are simply zero once they are gone (2027),
    /// ICMS and ISSQN once they are (2033).
    fn em(_data: Date) -> Formula {
        Formula::Nt2025002
    }
}

/// UB16-10: what the operation is worth, less the taxes inside of the price,
/// plus the IS.
fn base_nt_2025_002(v: &Valores) -> Decimal {
    let soma = [
        v.v_prod, v.v_serv, v.v_frete, v.v_seg, v.v_outro, v.v_ii, v.v_is,
    ];
    let menos = [
        v.v_desc,
        v.v_pis,
        v.v_cofins,
        v.v_icms,
        v.v_icms_uf_dest,
        v.v_fcp,
        v.v_fcp_uf_dest,
        v.v_icms_mono,
        v.v_issqn,
    ];
    let total = |valores: &[Decimal]| {
        valores
            .iter()
            .fold(Decimal::ZERO, |total, valor| total.saturating_add(*valor))
    };
    let base = total(&soma).saturating_sub(total(&menos));
    arithmetic::reais(base.max(Decimal::ZERO))
}
