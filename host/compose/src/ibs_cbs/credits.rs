//! Groups that only carry amounts: credits taken, given back, moved.

use data::class_trib;
use rust_decimal::Decimal;

use super::normal::base_do_item;
use super::{Contexto, Item, Par, Somas};
use crate::ibs_cbs::arithmetic::{por_cento, taxa, valor};
use crate::ibs_cbs::input::{AjusteCompet, CredPresZfm};
use markup::field::Campos;
use markup::tree::Elemento;

/// `gCredPresOper`.
pub(super) fn operacao(
    contexto: &Contexto,
    item: &Item,
    somas: &mut Somas,
    campos: &mut Campos,
) -> Option<Elemento> {
    let credito = item.cred_pres.as_ref()?;
    let linha = class_trib::cred_pres(&credito.codigo)?;
    let base = credito.base.unwrap_or_else(|| base_do_item(contexto, item));
    let lado = |vale: bool, dado: Option<Decimal>, da_lei: Option<Decimal>| {
        let p = dado.or(da_lei).filter(|_| vale)?;
        Some((p, por_cento(base, p)))
    };
    let ibs = lado(linha.ibs_em(contexto.data), credito.p_ibs, linha.p_ibs);
    let cbs = lado(linha.cbs_em(contexto.data), credito.p_cbs, linha.p_cbs);

    for (nome, lado, regra) in [("ibs", ibs, "UB125-10"), ("cbs", cbs, "UB129-10")] {
        // Used goods: the credit cannot be more than the goods cost.
        if linha.codigo == 4 && lado.is_some_and(|(_, v)| v > item.valores.v_prod) {
            campos.add(
                format!("credito_presumido.aliquota_{nome}"),
                regra,
                "O crédito presumido passa do valor do produto.",
                "Confira a base e o percentual do crédito presumido.",
            );
        }
    }

    let v = |lado: Option<(Decimal, Decimal)>| lado.map_or(Decimal::ZERO, |(_, v)| v);
    if credito.cond_sus {
        somas.v_cred_pres_cond_sus = Par {
            ibs: v(ibs),
            cbs: v(cbs),
        };
    } else {
        somas.v_cred_pres = Par {
            ibs: v(ibs),
            cbs: v(cbs),
        };
        if linha.deduz {
            somas.v_cred_pres_deduzido = v(ibs);
        }
    }

    let campo = if credito.cond_sus {
        "vCredPresCondSus"
    } else {
        "vCredPres"
    };
    let grupo = |nome: &'static str, lado: Option<(Decimal, Decimal)>| {
        lado.map(|(p, v)| {
            Elemento::grupo(nome)
                .com("pCredPres", taxa(p))
                .com(campo, valor(v))
        })
    };
    Some(
        Elemento::grupo("gCredPresOper")
            .com("vBCCredPres", valor(base))
            .com("cCredPres", format!("{:02}", linha.codigo))
            .filho_se(grupo("gIBSCredPres", ibs))
            .filho_se(grupo("gCBSCredPres", cbs)),
    )
}

/// `gTransfCred` (CST 800).
pub(super) fn transferencia(par: Par) -> Elemento {
    Elemento::grupo("gTransfCred")
        .com("vIBS", valor(par.ibs))
        .com("vCBS", valor(par.cbs))
}

/// `gAjusteCompet` (CST 811).
pub(super) fn ajuste(ajuste: &AjusteCompet) -> Elemento {
    Elemento::grupo("gAjusteCompet")
        .com("competApur", ajuste.compet.clone())
        .com("vIBS", valor(ajuste.valores.ibs))
        .com("vCBS", valor(ajuste.valores.cbs))
}

/// `gEstornoCred`.
pub(super) fn estorno(par: Par, somas: &mut Somas) -> Elemento {
    somas.estorno = true;
    somas.v_estorno = par;
    Elemento::grupo("gEstornoCred")
        .com("vIBSEstCred", valor(par.ibs))
        .com("vCBSEstCred", valor(par.cbs))
}

/// `gCredPresIBSZFM` (CST 810).
pub(super) fn zfm(credito: &CredPresZfm) -> Elemento {
    Elemento::grupo("gCredPresIBSZFM")
        .com("competApur", credito.compet.clone())
        .com("tpCredPresIBSZFM", credito.tipo.to_string())
        .com("vCredPresIBSZFM", valor(credito.valor))
}
