//! Which groups of plain amounts a classification calls for: credits taken,
//! given back, moved.

use data::class_trib;

use super::super::{Context, Item, Model, Pair};
use super::{Class, demand, forbids, month, stock_loss};
use markup::field::Fields;

/// Credit transferred, adjustment of competence, credit given back.
pub(super) fn standalone(context: &Context, item: &Item, class: &Class, fields: &mut Fields) {
    transfer(context, item, class, fields);
    adjustment(context, item, class, fields);
    reversal(context, item, class, fields);
}

/// Neither of the two taxes has an amount.
fn nothing(pair: Pair) -> bool {
    pair.ibs.is_zero() && pair.cbs.is_zero()
}

fn transfer(context: &Context, item: &Item, class: &Class, fields: &mut Fields) {
    let field = "transferencia_credito";
    match (item.credit_transfer, class.cst.g_transf_cred) {
        (None, true) => demand(
            fields,
            field,
            "UB13-45",
            "Este CST exige a transferência de crédito.",
        ),
        (Some(_), false) => forbids(
            fields,
            field,
            "UB13-44",
            "Este CST não tem transferência de crédito.",
        ),
        (Some(pair), true) => {
            if nothing(pair) {
                demand(
                    fields,
                    field,
                    "UB106-40",
                    "A transferência de crédito precisa de valor.",
                );
            }
            if context.purpose.fin_nfe != 6 {
                forbids(
                    fields,
                    field,
                    "UB106-30",
                    "Transferência de crédito só cabe em nota de débito.",
                );
            } else if !matches!(context.purpose.tp_nf_debito, Some(1 | 5)) {
                forbids(
                    fields,
                    field,
                    "UB106-31",
                    "Transferência de crédito pede nota de débito tipo 01 ou 05.",
                );
            }
        }
        (None, false) => {}
    }
}

fn adjustment(context: &Context, item: &Item, class: &Class, fields: &mut Fields) {
    let field = "ajuste_competencia";
    match (&item.period_adjustment, class.cst.g_ajuste_compet) {
        (None, true) => demand(
            fields,
            field,
            "UB112-20",
            "Este CST exige o ajuste de competência.",
        ),
        (Some(_), false) => forbids(
            fields,
            field,
            "UB112-10",
            "Este CST não tem ajuste de competência.",
        ),
        (Some(adjustment), true) => {
            if nothing(adjustment.values) {
                demand(
                    fields,
                    field,
                    "UB112-30",
                    "O ajuste de competência precisa de valor.",
                );
            }
            month(
                fields,
                "ajuste_competencia.mes",
                "UB113",
                &adjustment.period,
                context.data,
            );
        }
        (None, false) => {}
    }
}

fn reversal(context: &Context, item: &Item, class: &Class, fields: &mut Fields) {
    let field = "estorno_credito";
    let loss = stock_loss(context);
    let nfce = context.model == Model::Nfce;
    match (item.reversal, class.class.credit_reversal || loss) {
        // TTribNFCe has no place for it, though two classifications that ask
        // for it are admitted in NFC-e; UB116-20 is a rule of model 55 only.
        (Some(_), _) if nfce => {
            forbids(
                fields,
                field,
                "UB116",
                "O leiaute da NFC-e não tem estorno de crédito.",
            );
        }
        (None, true) if !nfce => {
            demand(
                fields,
                field,
                "UB116-20",
                "Esta classificação exige o estorno de crédito.",
            );
        }
        (Some(_), false) => {
            forbids(
                fields,
                field,
                "UB116-10",
                "Esta classificação não tem estorno de crédito.",
            );
        }
        (Some(pair), true) if nothing(pair) && !loss => {
            demand(
                fields,
                field,
                "UB116-30",
                "O estorno de crédito precisa de valor.",
            );
        }
        _ => {}
    }
}

/// `gCredPresOper`.
pub(super) fn operation(context: &Context, item: &Item, class: &Class, fields: &mut Fields) {
    let Some(credit) = &item.cred_pres else {
        return;
    };
    let field = "credito_presumido";
    if context.model == Model::Nfce {
        forbids(
            fields,
            field,
            "UB120-10",
            "Crédito presumido não se informa em NFC-e.",
        );
        return;
    }
    if !class.class.cred_pres_operation && !item.used_movable_good {
        forbids(
            fields,
            field,
            "UB120-20",
            "Esta classificação não admite crédito presumido.",
        );
    }
    let Some(line) = class_trib::cred_pres(&credit.codigo) else {
        fields.add_value(
            "credito_presumido.codigo",
            "UB122-10",
            &credit.codigo,
            "Código de crédito presumido inexistente.",
            "Use um código da tabela cCredPres, de 1 a 13.",
        );
        return;
    };
    let sides = [
        (
            "aliquota_ibs",
            line.ibs_on(context.data),
            credit.p_ibs.or(line.p_ibs),
            credit.p_ibs,
            "UB123-20",
            "UB123-10",
        ),
        (
            "aliquota_cbs",
            line.cbs_on(context.data),
            credit.p_cbs.or(line.p_cbs),
            credit.p_cbs,
            "UB127-20",
            "UB127-10",
        ),
    ];
    for (name, applies, percent, stated, demanded, forbidden) in sides {
        let field = format!("credito_presumido.{name}");
        if applies && percent.is_none() {
            demand(
                fields,
                &field,
                demanded,
                "Falta o percentual do crédito presumido deste tributo.",
            );
        } else if !applies && stated.is_some() {
            forbids(
                fields,
                &field,
                forbidden,
                "Este crédito presumido não se aplica a este tributo nesta data.",
            );
        }
    }
    if credit.suspensive {
        suspensive_condition(context, line, fields);
    }
}

/// UB126-10 and UB130-10: which credit may be under a condition, and since when.
fn suspensive_condition(context: &Context, line: &class_trib::CredPres, fields: &mut Fields) {
    for (applies, since, rule) in [
        (line.ibs_on(context.data), 2033, "UB126-10"),
        (line.cbs_on(context.data), 2027, "UB130-10"),
    ] {
        if applies && (context.data.year() < since || line.codigo != 4) {
            forbids(
                fields,
                "credito_presumido.condicao_suspensiva",
                rule,
                "Condição suspensiva só cabe no crédito 4, de 2027 (CBS) ou 2033 (IBS) em diante.",
            );
        }
    }
}

/// `gCredPresIBSZFM`.
pub(super) fn zfm(context: &Context, item: &Item, class: &Class, fields: &mut Fields) {
    let field = "credito_presumido_zfm";
    let kind_02 = context.purpose.tp_nf_credito == Some(2);
    match (&item.cred_pres_zfm, class.cst.g_cred_pres_zfm) {
        (None, true) => demand(
            fields,
            field,
            "UB131-30",
            "Este CST exige o crédito presumido da ZFM.",
        ),
        (Some(_), false) => forbids(
            fields,
            field,
            "UB131-20",
            "Este CST não tem crédito presumido da ZFM.",
        ),
        (None, false) if kind_02 => {
            demand(
                fields,
                field,
                "UB131-50",
                "Nota de crédito tipo 02 exige o crédito presumido da ZFM.",
            );
        }
        (None, false) => {}
        (Some(zfm), true) => {
            if !kind_02 {
                forbids(
                    fields,
                    field,
                    "UB131-40",
                    "Crédito presumido da ZFM pede nota de crédito tipo 02.",
                );
            }
            if zfm.kind > 4 {
                fields.add_value(
                    "credito_presumido_zfm.tipo",
                    "UB133",
                    &zfm.kind.to_string(),
                    "Classificação do crédito presumido da ZFM inexistente.",
                    "Use de 0 a 4.",
                );
            }
            month(
                fields,
                "credito_presumido_zfm.mes",
                "UB132-10",
                &zfm.period,
                context.data,
            );
        }
    }
}
