//! Which single-phase groups a classification calls for.

use data::class_trib::ClassTrib;
use time::Date;
use time::macros::date;

use super::super::{Contexto, Item, Versao};
use super::{Classe, exige, veda};
use crate::ibs_cbs::input::{MonoTributo, Monofasia, Retido, TaxaMono};
use markup::field::Campos;

/// From this day on single-phase groups are rejected when missing; until then
/// the rules are "implementação futura" (NT 2025.002, UB13-40 and UB84a-10 on;
/// second-hand).
const INICIO_MONOFASIA: Date = date!(2027 - 01 - 04);

/// Groups of the single phase that are missing or out of place.
pub(super) fn confere(contexto: &Contexto, item: &Item, classe: &Classe, campos: &mut Campos) {
    let linha = classe.classe;
    let pede_algum = linha.mono_padrao || linha.mono_reten || linha.mono_ret || linha.bio_diferenca;
    let Some(mono) = &item.mono else {
        if classe.cst.g_mono && pede_algum && contexto.data >= INICIO_MONOFASIA {
            exige(
                campos,
                "mono",
                "UB13-40",
                "Este CST exige a tributação monofásica.",
            );
        }
        return;
    };
    if !classe.cst.g_mono {
        veda(
            campos,
            "mono",
            "UB13-39",
            "Este CST não tem tributação monofásica.",
        );
        return;
    }
    let antigo = contexto.versao < Versao::F;
    for (nome, tributo) in [("mono.ibs", &mono.ibs), ("mono.cbs", &mono.cbs)] {
        grupos(nome, tributo, linha, antigo, campos);
    }
    if antigo {
        antiga(mono, campos);
    }
}

/// The groups of one of the two taxes. `antigo`: layouts before 010f.
fn grupos(nome: &str, tributo: &MonoTributo, linha: &ClassTrib, antigo: bool, campos: &mut Campos) {
    // 620003 has no group of its own in 010f: either main group may come.
    let livre = linha.mono_dif;
    let grupos = [
        (
            "quantidade",
            tributo.padrao.is_some(),
            linha.mono_padrao,
            livre,
            "UB84a-10",
        ),
        (
            "quantidade_retencao",
            tributo.retencao.is_some(),
            linha.mono_reten,
            livre,
            "UB90-10",
        ),
        (
            "valor_retido",
            tributo.retido.is_some(),
            linha.mono_ret,
            false,
            "UB94-10",
        ),
        (
            "diferimento",
            tributo.p_dif.is_some(),
            linha.mono_dif && antigo,
            false,
            "UB99-10",
        ),
        (
            "quantidade_biocombustivel",
            tributo.bio.is_some(),
            linha.bio_diferenca && !antigo,
            false,
            "UB89a",
        ),
    ];
    for (campo, tem, pede, admite, regra) in grupos {
        let campo = format!("{nome}.{campo}");
        if pede && !tem {
            exige(
                campos,
                &campo,
                regra,
                "Esta classificação exige este grupo da monofasia.",
            );
        } else if tem && !pede && !admite {
            veda(
                campos,
                &campo,
                regra,
                "Esta classificação não admite este grupo da monofasia.",
            );
        }
    }
}

/// Before 010f IBS and CBS share each group: ad rem, with one quantity.
fn antiga(mono: &Monofasia, campos: &mut Campos) {
    let quantidade = |taxa: Option<TaxaMono>| match taxa {
        Some(TaxaMono::AdRem { quantidade, .. }) => Some(Some(quantidade)),
        Some(TaxaMono::AdValorem { .. }) => None,
        None => Some(None),
    };
    let retido = |tributo: &MonoTributo| match tributo.retido {
        Some(Retido::AdRem { quantidade, .. }) => Some(Some(quantidade)),
        Some(Retido::Valor(_)) => None,
        None => Some(None),
    };
    let pares = [
        (
            "quantidade",
            quantidade(mono.ibs.padrao),
            quantidade(mono.cbs.padrao),
        ),
        (
            "quantidade_retencao",
            quantidade(mono.ibs.retencao),
            quantidade(mono.cbs.retencao),
        ),
        ("valor_retido", retido(&mono.ibs), retido(&mono.cbs)),
        (
            "diferimento",
            Some(mono.ibs.p_dif.map(|_| 0.into())),
            Some(mono.cbs.p_dif.map(|_| 0.into())),
        ),
    ];
    for (campo, ibs, cbs) in pares {
        if ibs.is_none() || cbs.is_none() || ibs != cbs {
            campos.add(
                format!("mono.cbs.{campo}"),
                "UB84a-10",
                "Até 02/11/2026 a monofasia de IBS e CBS é por quantidade, a mesma nos dois tributos.",
                "Informe a mesma quantidade e a alíquota por unidade em IBS e CBS.",
            );
        }
    }
}
