//! `gIBSCBS`: base, rates, deferral, reduction and amounts of the three taxes.

use data::class_trib::{self, TipoAliquota};
use rust_decimal::Decimal;

use super::{Contexto, Item, Percentuais, Somas};
use crate::ibs_cbs::arithmetic::{por_cento, quatro, reais, reduz, taxa, valor};
use crate::ibs_cbs::input::Tributo;
use crate::ibs_cbs::presence::Classe;
use markup::field::Campos;
use markup::tree::Elemento;

/// Names and rules of one of the three taxes.
struct Nomes {
    campo: &'static str,
    grupo: &'static str,
    aliquota: &'static str,
    valor: &'static str,
    /// Rule of the nominal rate.
    regra_aliquota: &'static str,
    /// Rule of the amount.
    regra_valor: &'static str,
}

const IBS_UF: Nomes = Nomes {
    campo: "ibs_uf",
    grupo: "gIBSUF",
    aliquota: "pIBSUF",
    valor: "vIBSUF",
    regra_aliquota: "UB18-10",
    regra_valor: "UB35-10",
};

const IBS_MUN: Nomes = Nomes {
    campo: "ibs_mun",
    grupo: "gIBSMun",
    aliquota: "pIBSMun",
    valor: "vIBSMun",
    regra_aliquota: "UB37-10",
    regra_valor: "UB54-10",
};

const CBS: Nomes = Nomes {
    campo: "cbs",
    grupo: "gCBS",
    aliquota: "pCBS",
    valor: "vCBS",
    regra_aliquota: "UB56-10",
    regra_valor: "UB67-10",
};

/// What came out of one tax.
struct Calculado {
    elemento: Elemento,
    /// The rate that was applied.
    p_efetivo: Decimal,
    v_dif: Decimal,
    v_dev: Decimal,
    valor: Decimal,
}

/// Builds `gIBSCBS`. None when a rate is not known or an amount would be
/// negative: the problem is in `campos`.
pub(super) fn grupo(
    contexto: &Contexto,
    item: &Item,
    classe: &Classe,
    somas: &mut Somas,
    campos: &mut Campos,
) -> Option<Elemento> {
    let v_bc = base_do_item(contexto, item);
    let lei = da_lei(contexto);
    let uf = tributo(contexto, item, classe, &IBS_UF, (v_bc, lei[0]), campos);
    let mun = tributo(contexto, item, classe, &IBS_MUN, (v_bc, lei[1]), campos);
    let cbs = tributo(contexto, item, classe, &CBS, (v_bc, lei[2]), campos);
    let (uf, mun, cbs) = (uf?, mun?, cbs?);

    // UB54a-10: some presumed credits come off the item's IBS.
    let v_ibs = uf.valor + mun.valor - somas.v_cred_pres_deduzido;
    if v_ibs.is_sign_negative() && !v_ibs.is_zero() {
        campos.add(
            "credito_presumido",
            "UB54a-10",
            "O crédito presumido é maior que o IBS do item.",
            "Confira a base e o percentual do crédito presumido.",
        );
        return None;
    }

    somas.normal = true;
    somas.v_bc = v_bc;
    somas.v_dif_ibs_uf = uf.v_dif;
    somas.v_dev_ibs_uf = uf.v_dev;
    somas.v_ibs_uf = uf.valor;
    somas.v_dif_ibs_mun = mun.v_dif;
    somas.v_dev_ibs_mun = mun.v_dev;
    somas.v_ibs_mun = mun.valor;
    somas.v_ibs = v_ibs;
    somas.v_dif_cbs = cbs.v_dif;
    somas.v_dev_cbs = cbs.v_dev;
    somas.v_cbs = cbs.valor;

    let p = Percentuais {
        ibs_uf: uf.p_efetivo,
        ibs_mun: mun.p_efetivo,
        cbs: cbs.p_efetivo,
    };
    // UB82a-10: how the sale to government would be shared out; UB82a-20: the
    // amounts add up to the item's.
    let compra_gov = contexto.compra_gov.map(|_| {
        Elemento::grupo("gTribCompraGov")
            .com("pAliqIBSUF", taxa(p.ibs_uf))
            .com("vTribIBSUF", valor(uf.valor))
            .com("pAliqIBSMun", taxa(p.ibs_mun))
            .com("vTribIBSMun", valor(mun.valor))
            .com("pAliqCBS", taxa(p.cbs))
            .com("vTribCBS", valor(cbs.valor))
    });
    Some(
        Elemento::grupo("gIBSCBS")
            .com("vBC", valor(v_bc))
            .filho(uf.elemento)
            .filho(mun.elemento)
            .com("vIBS", valor(v_ibs))
            .filho(cbs.elemento)
            .filho_se(regular(contexto, item, v_bc, &lei))
            .filho_se(compra_gov),
    )
}

/// `vBC`: the caller's, or by the formula.
pub(super) fn base_do_item(contexto: &Contexto, item: &Item) -> Decimal {
    item.base
        .map_or_else(|| super::base(contexto.data, &item.valores), reais)
}

/// Nominal rates in force: the law's, or what the installation configured
/// where the law is still open.
fn da_lei(contexto: &Contexto) -> [Option<Decimal>; 3] {
    let ano = data::rates::do_ano(contexto.data.year());
    let referencia = &contexto.referencia;
    [
        ano.and_then(|ano| ano.ibs_uf).or(referencia.ibs_uf),
        ano.and_then(|ano| ano.ibs_mun).or(referencia.ibs_mun),
        ano.and_then(|ano| ano.cbs).or(referencia.cbs),
    ]
}

/// Notes whose rates are those of another day: returns, and credit notes of
/// types 03, 04 and 06 (exceptions of UB18-10, UB37-10 and, in part, UB56-10).
fn aliquota_livre(contexto: &Contexto) -> bool {
    contexto.finalidade.fin_nfe == 4 || matches!(contexto.finalidade.tp_nf_credito, Some(3 | 4 | 6))
}

/// The nominal rate: zero where the law says so, the caller's where it may
/// differ, the law's otherwise.
fn nominal(
    contexto: &Contexto,
    item: &Item,
    classe: &Classe,
    nomes: &Nomes,
    entrada: &Tributo,
    lei: Option<Decimal>,
    campos: &mut Campos,
) -> Option<Decimal> {
    let campo = format!("{}.aliquota", nomes.campo);
    let zero = classe.classe.trib_regular || (nomes.campo == "cbs" && item.zfm_alc.is_some());
    let esperada = if zero { Some(Decimal::ZERO) } else { lei };
    let propria = matches!(
        classe.classe.tipo,
        TipoAliquota::Fixa | TipoAliquota::UniformeSetorial | TipoAliquota::UniformeNacional
    );
    match (entrada.aliquota, esperada) {
        (Some(dada), Some(esperada))
            if dada != esperada && (zero || !(propria || aliquota_livre(contexto))) =>
        {
            campos.add_value(
                campo,
                nomes.regra_aliquota,
                &dada.to_string(),
                "A alíquota não é a que a lei fixa para esta data e classificação.",
                format!("Use {}% ou deixe em branco.", esperada.normalize()),
            );
            None
        }
        (Some(dada), _) => Some(dada),
        (None, Some(esperada)) => Some(esperada),
        (None, None) => {
            campos.add(
                campo,
                "aliquota_indefinida",
                format!(
                    "A alíquota de {} para {} ainda não está fixada na tabela.",
                    nomes.grupo.trim_start_matches('g'),
                    contexto.data.year()
                ),
                "Configure a alíquota de referência ou informe-a no item.",
            );
            None
        }
    }
}

fn tributo(
    contexto: &Contexto,
    item: &Item,
    classe: &Classe,
    nomes: &Nomes,
    (v_bc, lei): (Decimal, Option<Decimal>),
    campos: &mut Campos,
) -> Option<Calculado> {
    let (entrada, reducao) = match nomes.campo {
        "ibs_uf" => (&item.ibs_uf, classe.classe.p_red_ibs),
        "ibs_mun" => (&item.ibs_mun, classe.classe.p_red_ibs),
        _ => (&item.cbs, classe.classe.p_red_cbs),
    };
    let p = nominal(contexto, item, classe, nomes, entrada, lei, campos)?;

    // UB26-20: the group is there for the CST, and for any sale to government
    // (then with zero where the CST has none).
    let tem_reducao = classe.cst.g_red || contexto.compra_gov.is_some();
    let reducao = if classe.cst.g_red {
        reducao
    } else {
        Decimal::ZERO
    };
    let p_efetivo = if tem_reducao {
        efetiva(contexto, p, reducao)
    } else {
        p
    };

    let bruto = por_cento(v_bc, p_efetivo);
    // UB23-10, UB42-10, UB61-10: base x rate x percentage.
    let v_dif = entrada
        .p_dif
        .map(|p_dif| reais(reduz_a(v_bc, p_efetivo, p_dif)));
    // UB63-10; before 010e the caller's own amount.
    let v_dev = match entrada.p_dev {
        Some(p_dev) => Some(reais(reduz_a(v_bc, p_efetivo, p_dev))),
        None => entrada.v_dev,
    };
    let v_dev_zero = v_dev.unwrap_or_default();
    let v_dif_zero = v_dif.unwrap_or_default();
    let liquido = liquido(bruto - v_dif_zero - v_dev_zero, nomes, campos)?;

    let p_dev = entrada
        .p_dev
        .filter(|_| contexto.versao >= super::Versao::E);
    let elemento = Elemento::grupo(nomes.grupo)
        .com(nomes.aliquota, taxa(p))
        .filho_se(v_dif.map(|v_dif| {
            Elemento::grupo("gDif")
                .com("pDif", taxa(entrada.p_dif.unwrap_or_default()))
                .com("vDif", valor(v_dif))
        }))
        .filho_se(v_dev.map(|v_dev| {
            Elemento::grupo("gDevTrib")
                .com_se("pDevTrib", p_dev.map(taxa))
                .com("vDevTrib", valor(v_dev))
        }))
        .filho_se(tem_reducao.then(|| {
            Elemento::grupo("gRed")
                .com("pRedAliq", taxa(reducao))
                .com("pAliqEfet", taxa(p_efetivo))
        }))
        .filho_se(area_incentivada(contexto, item, nomes, v_bc, lei))
        .com(nomes.valor, valor(liquido));
    Some(Calculado {
        elemento,
        p_efetivo,
        v_dif: v_dif_zero,
        v_dev: v_dev_zero,
        valor: liquido,
    })
}

/// UB28-10, UB47-10, UB66-10: four decimals. Sales to government move nothing
/// between the three taxes until 2028 (LC 214/2025, art. 473 with the transition;
/// second-hand); later ones are refused before this.
fn efetiva(contexto: &Contexto, p: Decimal, reducao: Decimal) -> Decimal {
    let redutor = contexto
        .compra_gov
        .map_or(Decimal::ZERO, |compra| compra.p_redutor);
    quatro(reduz(reduz(p, reducao), redutor))
}

/// base x rate x percentage, not rounded.
fn reduz_a(v_bc: Decimal, p: Decimal, parte: Decimal) -> Decimal {
    v_bc * p / Decimal::ONE_HUNDRED * parte / Decimal::ONE_HUNDRED
}

/// `gALCZFMCBS`: what the CBS would be outside of the area.
fn area_incentivada(
    contexto: &Contexto,
    item: &Item,
    nomes: &Nomes,
    v_bc: Decimal,
    lei: Option<Decimal>,
) -> Option<Elemento> {
    let area = item.zfm_alc.as_ref().filter(|_| nomes.campo == "cbs")?;
    let p = efetiva(contexto, lei.unwrap_or_default(), Decimal::ZERO);
    Some(
        Elemento::grupo("gALCZFMCBS")
            .com("tpALCZFMCBS", area.tipo.to_string())
            .com_se("nProcSuframa", area.processo.clone())
            .com("pAliqEfetRegCBS", taxa(p))
            .com("vTribRegCBS", valor(por_cento(v_bc, p))),
    )
}

/// `gTribRegular` (UB72-10, UB72b-10, UB72d-10): base x effective regular rate.
fn regular(
    contexto: &Contexto,
    item: &Item,
    v_bc: Decimal,
    lei: &[Option<Decimal>; 3],
) -> Option<Elemento> {
    let regular = item.trib_regular.as_ref()?;
    let cst = class_trib::cst(&regular.cst)?;
    let classe = class_trib::get(&regular.c_class_trib)?;
    let p = |tributo: usize, reducao: Decimal| {
        let nominal = lei.get(tributo).copied().flatten().unwrap_or_default();
        if cst.g_ibs_cbs && !classe.trib_regular {
            efetiva(contexto, nominal, reducao)
        } else {
            Decimal::ZERO
        }
    };
    let (uf, mun, cbs) = (
        p(0, classe.p_red_ibs),
        p(1, classe.p_red_ibs),
        p(2, classe.p_red_cbs),
    );
    Some(
        Elemento::grupo("gTribRegular")
            .com("CSTReg", cst.codigo)
            .com("cClassTribReg", classe.codigo)
            .com("pAliqEfetRegIBSUF", taxa(uf))
            .com("vTribRegIBSUF", valor(por_cento(v_bc, uf)))
            .com("pAliqEfetRegIBSMun", taxa(mun))
            .com("vTribRegIBSMun", valor(por_cento(v_bc, mun)))
            .com("pAliqEfetRegCBS", taxa(cbs))
            .com("vTribRegCBS", valor(por_cento(v_bc, cbs))),
    )
}

/// The tax that is left; None, and told, where more was deferred and given back
/// than there was.
fn liquido(resto: Decimal, nomes: &Nomes, campos: &mut Campos) -> Option<Decimal> {
    // A cent may come from rounding the parts; more is the caller's.
    if resto < Decimal::new(-2, 2) {
        campos.add(
            nomes.campo,
            nomes.regra_valor,
            "Diferimento e devolução passam do tributo do item.",
            "Confira os percentuais e o valor devolvido.",
        );
        return None;
    }
    Some(resto.max(Decimal::ZERO))
}
