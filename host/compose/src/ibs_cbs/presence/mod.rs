//! Which groups a classification calls for, and which it forbids.

mod credits;
mod mono;

use data::class_trib::{self, ClassTrib, Cst};
use time::Date;

use super::{Context, Item, Model, Version};
use markup::field::Fields;

/// First year in which a sale to government turns IBS and CBS over to the buyer
/// (LC 214/2025, art. 473; share by year second-hand): not modelled.
const SHARING_START: i32 = 2029;

/// Classifications that only go with one type of debit or credit note
/// (UB14-60, UB14-70, UB14-80): code, `tpNFDebito`, `tpNFCredito`.
const CLASS_BY_NOTA: [(&str, Option<u8>, Option<u8>); 7] = [
    ("800002", Some(1), None),
    ("811001", Some(2), None),
    ("811002", Some(3), None),
    ("800001", Some(5), Some(5)),
    ("410030", Some(7), None),
    ("811003", Some(8), None),
    ("810001", None, Some(2)),
];

/// What the tables say about an item.
pub struct Class {
    /// The row of its CST.
    pub cst: &'static Cst,
    /// The row of its classification.
    pub class: &'static ClassTrib,
}

/// The item's rows of the tables, if they exist and fit each other.
pub(super) fn classification(context: &Context, item: &Item, fields: &mut Fields) -> Option<Class> {
    let cst = class_trib::cst(&item.cst);
    let class = class_trib::get(&item.c_class_trib).filter(|row| row.in_force(context.data));
    if cst.is_none() {
        fields.add_value(
            "cst",
            "UB13-10",
            &item.cst,
            "CST do IBS/CBS inexistente.",
            "Use um CST da tabela, como 000 (tributação integral).",
        );
    }
    let Some(class) = class else {
        fields.add_value(
            "cclass_trib",
            "UB14-10",
            &item.c_class_trib,
            "Classificação tributária do IBS/CBS inexistente ou fora de vigência.",
            "Use um cClassTrib da tabela em vigor, como 000001.",
        );
        return None;
    };
    let cst = cst?;
    if class.cst() != cst.codigo {
        fields.add_value(
            "cclass_trib",
            "UB14-20",
            &item.c_class_trib,
            "A classificação tributária não pertence ao CST informado.",
            format!(
                "Os três primeiros dígitos são o CST: use CST {}.",
                class.cst()
            ),
        );
        return None;
    }
    let permitted = match context.model {
        Model::Nfe => class.nfe,
        Model::Nfce => class.nfce,
    };
    if !permitted {
        fields.add_value(
            "cclass_trib",
            "UB14-25",
            &item.c_class_trib,
            "Esta classificação tributária não vale para este modelo de documento.",
            "Escolha uma classificação admitida no modelo, ou emita o documento próprio.",
        );
        return None;
    }
    Some(Class { cst, class })
}

/// Stock lost (`tpNFDebito` 07): only credits are given back, and `gIBSCBS` is
/// not asked for (UB13-30, UB116-20).
pub(super) fn stock_loss(context: &Context) -> bool {
    context.purpose.tp_nf_debito == Some(7)
}

/// Groups that are missing, and groups that may not be there.
pub(super) fn check(context: &Context, item: &Item, class: &Class, fields: &mut Fields) {
    if context.gov_purchase.is_some() && context.data.year() >= SHARING_START {
        fields.add(
            "compra_governamental",
            "lc214_art_473",
            "A repartição dos tributos em compras governamentais a partir de 2029 ainda não é calculada.",
            "Emita sem o grupo de compra governamental ou fale com o suporte.",
        );
    }
    purpose(context, item, fields);
    taxes(context, item, class, fields);
    regular(context, item, class, fields);
    mono::check(context, item, class, fields);
    credits::standalone(context, item, class, fields);
    credits::operation(context, item, class, fields);
    credits::zfm(context, item, class, fields);
    incentive_area(context, item, class, fields);
}

fn purpose(context: &Context, item: &Item, fields: &mut Fields) {
    let nota = &context.purpose;
    let codigo = item.c_class_trib.as_str();
    let of_class = CLASS_BY_NOTA.iter().find(|(class, ..)| *class == codigo);
    if let Some((_, debit, credit)) = of_class {
        let serve = (debit.is_some() && nota.tp_nf_debito == *debit)
            || (credit.is_some() && nota.tp_nf_credito == *credit);
        if !serve {
            fields.add_value(
                "cclass_trib",
                "UB14-60",
                codigo,
                "Esta classificação só cabe em um tipo próprio de nota de débito ou de crédito.",
                "Use a finalidade e o tipo de nota de débito ou crédito correspondentes.",
            );
        }
    }
    let asks = |debit: bool| {
        CLASS_BY_NOTA.iter().find(|(_, d, c)| {
            if debit {
                d.is_some() && *d == nota.tp_nf_debito
            } else {
                c.is_some() && *c == nota.tp_nf_credito
            }
        })
    };
    for (debit, rule) in [(true, "UB14-70"), (false, "UB14-80")] {
        if let Some((expected, ..)) = asks(debit).filter(|(class, ..)| *class != codigo) {
            fields.add_value(
                "cclass_trib",
                rule,
                codigo,
                "O tipo da nota de débito ou crédito pede outra classificação tributária.",
                format!("Use o cClassTrib {expected}."),
            );
        }
    }
    if codigo == "620005" && nota.fin_nfe != 5 {
        fields.add_value(
            "cclass_trib",
            "UB14-40",
            codigo,
            "O cClassTrib 620005 só cabe em nota de crédito.",
            "Use a finalidade nota de crédito.",
        );
    }
}

/// Deferral, reduction and tax given back, for each of the three taxes.
fn taxes(context: &Context, item: &Item, class: &Class, fields: &mut Fields) {
    let normal = class.cst.g_ibs_cbs;
    let all = [
        (
            "ibs_uf",
            &item.ibs_uf,
            class.class.p_red_ibs,
            "UB22-10",
            "UB22-20",
            "UB26-10",
            "UB27-10",
        ),
        (
            "ibs_mun",
            &item.ibs_mun,
            class.class.p_red_ibs,
            "UB40-20",
            "UB40-10",
            "UB45-10",
            "UB46-10",
        ),
        (
            "cbs",
            &item.cbs,
            class.class.p_red_cbs,
            "UB59-20",
            "UB59-10",
            "UB64-10",
            "UB65-10",
        ),
    ];
    for (name, tax, reduction, dif_forbidden, dif_demanded, reduction_forbidden, reduction_valid) in
        all
    {
        if !normal && tax.aliquota.is_some() {
            forbids(
                fields,
                &format!("{name}.aliquota"),
                "UB13-20",
                "Este CST não leva alíquotas de IBS e CBS.",
            );
        }
        if !class.cst.g_dif && tax.p_dif.is_some() {
            forbids(
                fields,
                &format!("{name}.diferimento"),
                dif_forbidden,
                "Este CST não tem diferimento.",
            );
        }
        if class.cst.g_dif && tax.p_dif.is_none() {
            demand(
                fields,
                &format!("{name}.diferimento"),
                dif_demanded,
                "Este CST exige o percentual de diferimento.",
            );
        }
        match tax.reduction {
            Some(stated_rate) if !class.cst.g_red && !stated_rate.is_zero() => {
                forbids(
                    fields,
                    &format!("{name}.reducao"),
                    reduction_forbidden,
                    "Este CST não tem redução de alíquota.",
                );
            }
            Some(stated_rate) if class.cst.g_red && stated_rate != reduction => fields.add_value(
                format!("{name}.reducao"),
                reduction_valid,
                &stated_rate.to_string(),
                "A redução de alíquota não é a desta classificação.",
                format!("Use {reduction}% ou deixe em branco."),
            ),
            _ => {}
        }
    }
    goods_return(context, item, normal, fields);
}

/// Tax given back to consumers: since v1.40 only CBS, only in NF-e, by percent.
fn goods_return(context: &Context, item: &Item, normal: bool, fields: &mut Fields) {
    let by_percent = context.version >= Version::E;
    for (name, tax, rule) in [
        ("ibs_uf", &item.ibs_uf, "UB24-10"),
        ("ibs_mun", &item.ibs_mun, "UB43-10"),
        ("cbs", &item.cbs, "UB62-10"),
    ] {
        if tax.p_dev.is_none() && tax.v_dev.is_none() {
            continue;
        }
        let field = format!("{name}.percentual_devolvido");
        if !normal {
            forbids(
                fields,
                &field,
                "UB13-20",
                "Este CST não leva valores de IBS e CBS.",
            );
        } else if by_percent && name != "cbs" {
            forbids(fields, &field, rule, "Só a CBS pode ser devolvida.");
        } else if by_percent && context.model == Model::Nfce {
            forbids(
                fields,
                &field,
                rule,
                "A devolução da CBS não se informa em NFC-e.",
            );
        } else if by_percent && tax.p_dev.is_none() {
            demand(
                fields,
                &field,
                "UB62a-10",
                "Falta o percentual da CBS devolvida.",
            );
        } else if !by_percent && tax.v_dev.is_none() {
            demand(
                fields,
                &format!("{name}.valor_devolvido"),
                "UB63",
                "Este leiaute pede o valor devolvido.",
            );
        }
    }
}

fn regular(context: &Context, item: &Item, class: &Class, fields: &mut Fields) {
    let field = "tributacao_regular";
    match (&item.trib_regular, class.class.trib_regular) {
        (None, true) => demand(
            fields,
            field,
            "UB68-10",
            "Esta classificação exige a tributação regular: como seria tributado sem o benefício.",
        ),
        (Some(_), false) => forbids(
            fields,
            field,
            "UB68-11",
            "Esta classificação não admite tributação regular.",
        ),
        (None, false) => {}
        (Some(regular), true) => {
            if class_trib::cst(&regular.cst).is_none() {
                fields.add_value(
                    "tributacao_regular.cst",
                    "UB69-10",
                    &regular.cst,
                    "CST da tributação regular inexistente.",
                    "Use o CST que valeria sem o benefício, como 000.",
                );
            }
            let class = class_trib::get(&regular.c_class_trib)
                .filter(|row| row.in_force(context.data) && row.cst() == regular.cst);
            if class.is_none() {
                fields.add_value(
                    "tributacao_regular.cclass_trib",
                    "UB70-10",
                    &regular.c_class_trib,
                    "Classificação da tributação regular inexistente, fora de vigência ou de outro CST.",
                    "Use o cClassTrib que valeria sem o benefício, como 000001.",
                );
            }
        }
    }
}

fn incentive_area(context: &Context, item: &Item, class: &Class, fields: &mut Fields) {
    let Some(area) = &item.zfm_alc else {
        return;
    };
    let field = "alc_zfm_cbs";
    if context.version < Version::E {
        forbids(
            fields,
            field,
            "UB66a",
            "O leiaute desta data não tem o grupo de área incentivada.",
        );
    }
    if !class.cst.g_ibs_cbs {
        forbids(
            fields,
            field,
            "UB13-20",
            "Este CST não leva valores de IBS e CBS.",
        );
    }
    if !matches!(area.kind, 1 | 2) {
        fields.add_value(
            "alc_zfm_cbs.tipo",
            "UB66b",
            &area.kind.to_string(),
            "Tipo de área incentivada inexistente.",
            "Use 1 ou 2.",
        );
    }
    let processo = area.processo.as_deref();
    let serve = |text: &str| {
        (8..=12).contains(&text.chars().count()) && text.bytes().all(|b| b.is_ascii_graphic())
    };
    if processo.is_some_and(|text| !serve(text)) {
        fields.add(
            "alc_zfm_cbs.processo_suframa",
            "UB66c-10",
            "Número do processo da Suframa inválido.",
            "Informe de 8 a 12 caracteres, sem espaços.",
        );
    }
}

/// `AAAA-MM` from 2025-01 to the month of emission.
fn month(fields: &mut Fields, field: &str, rule: &str, text: &str, data: Date) {
    let read = || {
        let (year, month) = text.split_once('-')?;
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        let form = year.len() == 4 && month.len() == 2 && digits(year) && digits(month);
        let (year, month): (i32, u8) = (year.parse().ok()?, month.parse().ok()?);
        (form && (1..=12).contains(&month)).then_some((year, month))
    };
    let serve = read().is_some_and(|(year, month)| {
        year >= 2025 && (year, month) <= (data.year(), u8::from(data.month()))
    });
    if !serve {
        fields.add_value(
            field,
            rule,
            text,
            "Mês de apuração inválido.",
            "Informe AAAA-MM, de 2025-01 ao mês da emissão.",
        );
    }
}

fn demand(fields: &mut Fields, field: &str, rule: &str, message: &str) {
    fields.add(
        field,
        rule,
        message,
        "Informe este grupo ou mude a classificação tributária.",
    );
}

fn forbids(fields: &mut Fields, field: &str, rule: &str, message: &str) {
    fields.add(
        field,
        rule,
        message,
        "Retire este campo ou mude a classificação tributária.",
    );
}
