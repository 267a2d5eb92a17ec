//! `gIBSCBSMono`: fuels taxed once in the chain.

use rust_decimal::Decimal;

use super::{Par, Somas, Versao};
use crate::ibs_cbs::arithmetic::{por_cento, quantidade, reais, taxa, valor};
use crate::ibs_cbs::input::{MonoTributo, Monofasia, Retido, TaxaMono};
use markup::tree::{Elemento, Nome};

/// Amounts of one of the two taxes.
#[derive(Clone, Copy, Default)]
struct Calculado {
    padrao: Decimal,
    retencao: Decimal,
    retido: Decimal,
    diferido: Decimal,
}

impl Calculado {
    /// UB104-10, UB105-10 (text of the layouts before 010f; second-hand): what
    /// was charged before is not part of it. Whether 010f adds or subtracts the
    /// difference of biofuel is not known here, and it is left out.
    fn total(&self) -> Decimal {
        self.padrao + self.retencao - self.diferido
    }
}

/// Builds the group; what may be in it was judged before.
pub(super) fn grupo(versao: Versao, mono: &Monofasia, somas: &mut Somas) -> Elemento {
    let ibs = calcula(&mono.ibs);
    let cbs = calcula(&mono.cbs);
    somas.mono = true;
    somas.v_mono = par(ibs.padrao, cbs.padrao);
    somas.v_mono_reten = par(ibs.retencao, cbs.retencao);
    somas.v_mono_ret = par(ibs.retido, cbs.retido);
    somas.v_tot_mono = par(ibs.total(), cbs.total());

    let grupo = Elemento::grupo("gIBSCBSMono");
    let grupo = if versao >= Versao::F {
        grupo
            .filho_se(tributo("IBS", &mono.ibs, &ibs))
            .filho_se(tributo("CBS", &mono.cbs, &cbs))
    } else {
        antigo(grupo, mono, &ibs, &cbs)
    };
    grupo
        .com("vTotIBSMonoItem", valor(ibs.total()))
        .com("vTotCBSMonoItem", valor(cbs.total()))
}

fn par(ibs: Decimal, cbs: Decimal) -> Par {
    Par { ibs, cbs }
}

fn calcula(tributo: &MonoTributo) -> Calculado {
    let padrao = tributo.padrao.map_or(Decimal::ZERO, valor_da_taxa);
    Calculado {
        padrao,
        retencao: tributo.retencao.map_or(Decimal::ZERO, valor_da_taxa),
        retido: tributo.retido.map_or(Decimal::ZERO, |retido| match retido {
            Retido::AdRem { quantidade, ad_rem } => reais(quantidade * ad_rem),
            Retido::Valor(valor) => reais(valor),
        }),
        diferido: tributo
            .p_dif
            .map_or(Decimal::ZERO, |p_dif| por_cento(padrao, p_dif)),
    }
}

fn valor_da_taxa(taxa: TaxaMono) -> Decimal {
    match taxa {
        TaxaMono::AdRem { quantidade, ad_rem } => reais(quantidade * ad_rem),
        // Each part is a field of its own; the whole is their sum.
        TaxaMono::AdValorem { base, p, p_mun } => por_cento(base, p) + por_cento(base, p_mun),
    }
}

/// 010f: `gIBSMonoAdRem`, `gIBSMonoAdValorem` and the same of CBS.
fn tributo(sigla: &'static str, tributo: &MonoTributo, v: &Calculado) -> Option<Elemento> {
    let nada = tributo.padrao.is_none()
        && tributo.retencao.is_none()
        && tributo.retido.is_none()
        && tributo.bio.is_none();
    if nada {
        return None;
    }
    let ad_valorem = [tributo.padrao, tributo.retencao]
        .iter()
        .any(|taxa| matches!(taxa, Some(TaxaMono::AdValorem { .. })));
    let forma = if ad_valorem { "AdValorem" } else { "AdRem" };
    let grupo = Elemento::grupo(nome(&["g", sigla, "Mono", forma]))
        .filho_se(tributo.padrao.map(|taxa| padrao(sigla, taxa, v.padrao)))
        .filho_se(
            tributo
                .retencao
                .map(|taxa| retencao(sigla, taxa, v.retencao)),
        )
        .filho_se(tributo.retido.map(|_| {
            Elemento::grupo("gMonoRet").com(nome(&["v", sigla, "MonoRet"]), valor(v.retido))
        }))
        .filho_se(tributo.bio.map(|bio| {
            Elemento::grupo("gpBioDiferenca")
                .com("qBCBioComb", quantidade(bio.quantidade))
                .com(nome(&["v", sigla, "Diferenca"]), valor(bio.valor))
        }));
    Some(grupo)
}

fn padrao(sigla: &'static str, forma: TaxaMono, total: Decimal) -> Elemento {
    let grupo = Elemento::grupo("gMonoPadrao");
    let grupo = match forma {
        TaxaMono::AdRem {
            quantidade: q,
            ad_rem,
        } => grupo
            .com("qBCMono", quantidade(q))
            .com(nome(&["adRem", sigla]), taxa(ad_rem)),
        TaxaMono::AdValorem { base, p, p_mun } if sigla == "IBS" => grupo
            .com("vBCMono", valor(base))
            .com("pAliqMonoUF", taxa(p))
            .com("vIBSMonoUF", valor(por_cento(base, p)))
            .com("pAliqMonoMun", taxa(p_mun))
            .com("vIBSMonoMun", valor(por_cento(base, p_mun))),
        TaxaMono::AdValorem { base, p, .. } => grupo
            .com("vBCMono", valor(base))
            .com("pAliqMonoCBS", taxa(p)),
    };
    grupo.com(nome(&["v", sigla, "Mono"]), valor(total))
}

fn retencao(sigla: &'static str, forma: TaxaMono, total: Decimal) -> Elemento {
    let grupo = Elemento::grupo("gMonoReten");
    let grupo = match forma {
        TaxaMono::AdRem {
            quantidade: q,
            ad_rem,
        } => grupo
            .com("qBCMonoReten", quantidade(q))
            .com(nome(&["adRem", sigla, "Reten"]), taxa(ad_rem)),
        TaxaMono::AdValorem { base, p, p_mun } => grupo
            .com("vBCMonoReten", valor(base))
            .com("pAliqMonoReten", taxa(p + p_mun)),
    };
    grupo.com(nome(&["v", sigla, "MonoReten"]), valor(total))
}

/// Before 010f: both taxes in each group, ad rem.
fn antigo(grupo: Elemento, mono: &Monofasia, ibs: &Calculado, cbs: &Calculado) -> Elemento {
    let (i, c) = (&mono.ibs, &mono.cbs);
    grupo
        .filho_se(dupla(i.padrao, c.padrao).map(|(q, a, b)| {
            Elemento::grupo("gMonoPadrao")
                .com("qBCMono", q)
                .com("adRemIBS", a)
                .com("adRemCBS", b)
                .com("vIBSMono", valor(ibs.padrao))
                .com("vCBSMono", valor(cbs.padrao))
        }))
        .filho_se(dupla(i.retencao, c.retencao).map(|(q, a, b)| {
            Elemento::grupo("gMonoReten")
                .com("qBCMonoReten", q)
                .com("adRemIBSReten", a)
                .com("vIBSMonoReten", valor(ibs.retencao))
                .com("adRemCBSReten", b)
                .com("vCBSMonoReten", valor(cbs.retencao))
        }))
        .filho_se(dupla_retida(i.retido, c.retido).map(|(q, a, b)| {
            Elemento::grupo("gMonoRet")
                .com("qBCMonoRet", q)
                .com("adRemIBSRet", a)
                .com("vIBSMonoRet", valor(ibs.retido))
                .com("adRemCBSRet", b)
                .com("vCBSMonoRet", valor(cbs.retido))
        }))
        .filho_se(i.p_dif.zip(c.p_dif).map(|(a, b)| {
            Elemento::grupo("gMonoDif")
                .com("pDifIBS", taxa(a))
                .com("vIBSMonoDif", valor(ibs.diferido))
                .com("pDifCBS", taxa(b))
                .com("vCBSMonoDif", valor(cbs.diferido))
        }))
}

/// Quantity and both rates, as written.
fn dupla(ibs: Option<TaxaMono>, cbs: Option<TaxaMono>) -> Option<(String, String, String)> {
    match (ibs?, cbs?) {
        (
            TaxaMono::AdRem {
                quantidade: q,
                ad_rem: a,
            },
            TaxaMono::AdRem { ad_rem: b, .. },
        ) => Some((quantidade(q), taxa(a), taxa(b))),
        _ => None,
    }
}

fn dupla_retida(ibs: Option<Retido>, cbs: Option<Retido>) -> Option<(String, String, String)> {
    match (ibs?, cbs?) {
        (
            Retido::AdRem {
                quantidade: q,
                ad_rem: a,
            },
            Retido::AdRem { ad_rem: b, .. },
        ) => Some((quantidade(q), taxa(a), taxa(b))),
        _ => None,
    }
}

fn nome(partes: &[&str]) -> Nome {
    Nome::Owned(partes.concat())
}
