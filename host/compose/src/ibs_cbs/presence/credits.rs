//! Which groups of plain amounts a classification calls for: credits taken,
//! given back, moved.

use data::class_trib;

use super::super::{Contexto, Item, Modelo, Par};
use super::{Classe, exige, mes, perda_em_estoque, veda};
use markup::field::Campos;

/// Credit transferred, adjustment of competence, credit given back.
pub(super) fn avulsos(contexto: &Contexto, item: &Item, classe: &Classe, campos: &mut Campos) {
    transferencia(contexto, item, classe, campos);
    ajuste(contexto, item, classe, campos);
    estorno(contexto, item, classe, campos);
}

/// Neither of the two taxes has an amount.
fn nada(par: Par) -> bool {
    par.ibs.is_zero() && par.cbs.is_zero()
}

fn transferencia(contexto: &Contexto, item: &Item, classe: &Classe, campos: &mut Campos) {
    let campo = "transferencia_credito";
    match (item.transf_cred, classe.cst.g_transf_cred) {
        (None, true) => exige(
            campos,
            campo,
            "UB13-45",
            "Este CST exige a transferência de crédito.",
        ),
        (Some(_), false) => veda(
            campos,
            campo,
            "UB13-44",
            "Este CST não tem transferência de crédito.",
        ),
        (Some(par), true) => {
            if nada(par) {
                exige(
                    campos,
                    campo,
                    "UB106-40",
                    "A transferência de crédito precisa de valor.",
                );
            }
            if contexto.finalidade.fin_nfe != 6 {
                veda(
                    campos,
                    campo,
                    "UB106-30",
                    "Transferência de crédito só cabe em nota de débito.",
                );
            } else if !matches!(contexto.finalidade.tp_nf_debito, Some(1 | 5)) {
                veda(
                    campos,
                    campo,
                    "UB106-31",
                    "Transferência de crédito pede nota de débito tipo 01 ou 05.",
                );
            }
        }
        (None, false) => {}
    }
}

fn ajuste(contexto: &Contexto, item: &Item, classe: &Classe, campos: &mut Campos) {
    let campo = "ajuste_competencia";
    match (&item.ajuste_compet, classe.cst.g_ajuste_compet) {
        (None, true) => exige(
            campos,
            campo,
            "UB112-20",
            "Este CST exige o ajuste de competência.",
        ),
        (Some(_), false) => veda(
            campos,
            campo,
            "UB112-10",
            "Este CST não tem ajuste de competência.",
        ),
        (Some(ajuste), true) => {
            if nada(ajuste.valores) {
                exige(
                    campos,
                    campo,
                    "UB112-30",
                    "O ajuste de competência precisa de valor.",
                );
            }
            mes(
                campos,
                "ajuste_competencia.mes",
                "UB113",
                &ajuste.compet,
                contexto.data,
            );
        }
        (None, false) => {}
    }
}

fn estorno(contexto: &Contexto, item: &Item, classe: &Classe, campos: &mut Campos) {
    let campo = "estorno_credito";
    let perda = perda_em_estoque(contexto);
    let nfce = contexto.modelo == Modelo::Nfce;
    match (item.estorno, classe.classe.estorno_cred || perda) {
        // TTribNFCe has no place for it, though two classifications that ask
        // for it are admitted in NFC-e; UB116-20 is a rule of model 55 only.
        (Some(_), _) if nfce => {
            veda(
                campos,
                campo,
                "UB116",
                "O leiaute da NFC-e não tem estorno de crédito.",
            );
        }
        (None, true) if !nfce => {
            exige(
                campos,
                campo,
                "UB116-20",
                "Esta classificação exige o estorno de crédito.",
            );
        }
        (Some(_), false) => {
            veda(
                campos,
                campo,
                "UB116-10",
                "Esta classificação não tem estorno de crédito.",
            );
        }
        (Some(par), true) if nada(par) && !perda => {
            exige(
                campos,
                campo,
                "UB116-30",
                "O estorno de crédito precisa de valor.",
            );
        }
        _ => {}
    }
}

/// `gCredPresOper`.
pub(super) fn operacao(contexto: &Contexto, item: &Item, classe: &Classe, campos: &mut Campos) {
    let Some(credito) = &item.cred_pres else {
        return;
    };
    let campo = "credito_presumido";
    if contexto.modelo == Modelo::Nfce {
        veda(
            campos,
            campo,
            "UB120-10",
            "Crédito presumido não se informa em NFC-e.",
        );
        return;
    }
    if !classe.classe.cred_pres_oper && !item.bem_movel_usado {
        veda(
            campos,
            campo,
            "UB120-20",
            "Esta classificação não admite crédito presumido.",
        );
    }
    let Some(linha) = class_trib::cred_pres(&credito.codigo) else {
        campos.add_value(
            "credito_presumido.codigo",
            "UB122-10",
            &credito.codigo,
            "Código de crédito presumido inexistente.",
            "Use um código da tabela cCredPres, de 1 a 13.",
        );
        return;
    };
    let lados = [
        (
            "aliquota_ibs",
            linha.ibs_em(contexto.data),
            credito.p_ibs.or(linha.p_ibs),
            credito.p_ibs,
            "UB123-20",
            "UB123-10",
        ),
        (
            "aliquota_cbs",
            linha.cbs_em(contexto.data),
            credito.p_cbs.or(linha.p_cbs),
            credito.p_cbs,
            "UB127-20",
            "UB127-10",
        ),
    ];
    for (nome, vale, percentual, dado, exigido, vedado) in lados {
        let campo = format!("credito_presumido.{nome}");
        if vale && percentual.is_none() {
            exige(
                campos,
                &campo,
                exigido,
                "Falta o percentual do crédito presumido deste tributo.",
            );
        } else if !vale && dado.is_some() {
            veda(
                campos,
                &campo,
                vedado,
                "Este crédito presumido não se aplica a este tributo nesta data.",
            );
        }
    }
    if credito.cond_sus {
        condicao_suspensiva(contexto, linha, campos);
    }
}

/// UB126-10 and UB130-10: which credit may be under a condition, and since when.
fn condicao_suspensiva(contexto: &Contexto, linha: &class_trib::CredPres, campos: &mut Campos) {
    for (vale, desde, regra) in [
        (linha.ibs_em(contexto.data), 2033, "UB126-10"),
        (linha.cbs_em(contexto.data), 2027, "UB130-10"),
    ] {
        if vale && (contexto.data.year() < desde || linha.codigo != 4) {
            veda(
                campos,
                "credito_presumido.condicao_suspensiva",
                regra,
                "Condição suspensiva só cabe no crédito 4, de 2027 (CBS) ou 2033 (IBS) em diante.",
            );
        }
    }
}

/// `gCredPresIBSZFM`.
pub(super) fn zfm(contexto: &Contexto, item: &Item, classe: &Classe, campos: &mut Campos) {
    let campo = "credito_presumido_zfm";
    let tipo_02 = contexto.finalidade.tp_nf_credito == Some(2);
    match (&item.cred_pres_zfm, classe.cst.g_cred_pres_zfm) {
        (None, true) => exige(
            campos,
            campo,
            "UB131-30",
            "Este CST exige o crédito presumido da ZFM.",
        ),
        (Some(_), false) => veda(
            campos,
            campo,
            "UB131-20",
            "Este CST não tem crédito presumido da ZFM.",
        ),
        (None, false) if tipo_02 => {
            exige(
                campos,
                campo,
                "UB131-50",
                "Nota de crédito tipo 02 exige o crédito presumido da ZFM.",
            );
        }
        (None, false) => {}
        (Some(zfm), true) => {
            if !tipo_02 {
                veda(
                    campos,
                    campo,
                    "UB131-40",
                    "Crédito presumido da ZFM pede nota de crédito tipo 02.",
                );
            }
            if zfm.tipo > 4 {
                campos.add_value(
                    "credito_presumido_zfm.tipo",
                    "UB133",
                    &zfm.tipo.to_string(),
                    "Classificação do crédito presumido da ZFM inexistente.",
                    "Use de 0 a 4.",
                );
            }
            mes(
                campos,
                "credito_presumido_zfm.mes",
                "UB132-10",
                &zfm.compet,
                contexto.data,
            );
        }
    }
}
