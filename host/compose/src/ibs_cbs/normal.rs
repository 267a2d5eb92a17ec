//! `gIBSCBS`: base, rates, deferral, reduction and amounts of the three taxes.

use data::class_trib::{self, AliquotaKind};
use fiscal::taxes::ibs_cbs as formulas;
use rust_decimal::Decimal;

use super::{Context, Item, Percentages, Sums};
use crate::ibs_cbs::arithmetic::{percent_of, rate, two_places, value};
use crate::ibs_cbs::input::Tax;
use crate::ibs_cbs::presence::Class;
use markup::field::Fields;
use markup::tree::Node;

/// Names and rules of one of the three taxes.
struct Names {
    field: &'static str,
    group: &'static str,
    aliquota: &'static str,
    value: &'static str,
    /// Rule of the nominal rate.
    aliquota_rule: &'static str,
    /// Rule of the amount.
    value_rule: &'static str,
}

const IBS_UF: Names = Names {
    field: "ibs_uf",
    group: "gIBSUF",
    aliquota: "pIBSUF",
    value: "vIBSUF",
    aliquota_rule: "UB18-10",
    value_rule: "UB35-10",
};

const IBS_MUN: Names = Names {
    field: "ibs_mun",
    group: "gIBSMun",
    aliquota: "pIBSMun",
    value: "vIBSMun",
    aliquota_rule: "UB37-10",
    value_rule: "UB54-10",
};

const CBS: Names = Names {
    field: "cbs",
    group: "gCBS",
    aliquota: "pCBS",
    value: "vCBS",
    aliquota_rule: "UB56-10",
    value_rule: "UB67-10",
};

/// What came out of one tax.
struct Computed {
    element: Node,
    /// The rate that was applied.
    p_effective: Decimal,
    v_dif: Decimal,
    v_dev: Decimal,
    value: Decimal,
}

/// Builds `gIBSCBS` and puts its amounts into `sums`. None when a rate is not
/// known or an amount would be negative: the problem is in `fields`.
pub fn group(
    context: &Context,
    item: &Item,
    class: &Class,
    sums: &mut Sums,
    fields: &mut Fields,
) -> Option<Node> {
    let v_bc = base_of_item(context, item);
    let law = by_law(context);
    let uf = tax(context, item, class, &IBS_UF, (v_bc, law[0]), fields);
    let mun = tax(context, item, class, &IBS_MUN, (v_bc, law[1]), fields);
    let cbs = tax(context, item, class, &CBS, (v_bc, law[2]), fields);
    let (uf, mun, cbs) = (uf?, mun?, cbs?);

    // UB54a-10: some presumed credits come off the item's IBS.
    let v_ibs = uf.value + mun.value - sums.v_cred_pres_deducted;
    if v_ibs.is_sign_negative() && !v_ibs.is_zero() {
        fields.add(
            "credito_presumido",
            "UB54a-10",
            "O crédito presumido é maior que o IBS do item.",
            "Confira a base e o percentual do crédito presumido.",
        );
        return None;
    }

    sums.normal = true;
    sums.v_bc = v_bc;
    sums.v_dif_ibs_uf = uf.v_dif;
    sums.v_dev_ibs_uf = uf.v_dev;
    sums.v_ibs_uf = uf.value;
    sums.v_dif_ibs_mun = mun.v_dif;
    sums.v_dev_ibs_mun = mun.v_dev;
    sums.v_ibs_mun = mun.value;
    sums.v_ibs = v_ibs;
    sums.v_dif_cbs = cbs.v_dif;
    sums.v_dev_cbs = cbs.v_dev;
    sums.v_cbs = cbs.value;

    let p = Percentages {
        ibs_uf: uf.p_effective,
        ibs_mun: mun.p_effective,
        cbs: cbs.p_effective,
    };
    // UB82a-10: how the sale to government would be shared out; UB82a-20: the
    // amounts add up to the item's.
    let gov_purchase = context.gov_purchase.map(|_| {
        Node::group("gTribCompraGov")
            .with("pAliqIBSUF", rate(p.ibs_uf))
            .with("vTribIBSUF", value(uf.value))
            .with("pAliqIBSMun", rate(p.ibs_mun))
            .with("vTribIBSMun", value(mun.value))
            .with("pAliqCBS", rate(p.cbs))
            .with("vTribCBS", value(cbs.value))
    });
    Some(
        Node::group_of("gIBSCBS", 8)
            .with("vBC", value(v_bc))
            .child(uf.element)
            .child(mun.element)
            .with("vIBS", value(v_ibs))
            .child(cbs.element)
            .child_if(regular(context, item, v_bc, &law))
            .child_if(gov_purchase),
    )
}

/// `vBC`: the caller's, or by the formula.
pub(super) fn base_of_item(context: &Context, item: &Item) -> Decimal {
    item.base
        .map_or_else(|| super::base(context.data, &item.values), two_places)
}

/// Nominal rates in force: the law's, or what the installation configured
/// where the law is still open.
fn by_law(context: &Context) -> [Option<Decimal>; 3] {
    let year = data::rates::of_year(context.data.year());
    let reference = &context.reference;
    [
        year.and_then(|year| year.ibs_uf).or(reference.ibs_uf),
        year.and_then(|year| year.ibs_mun).or(reference.ibs_mun),
        year.and_then(|year| year.cbs).or(reference.cbs),
    ]
}

/// Notes whose rates are those of another day: returns, and credit notes of
/// types 03, 04 and 06 (exceptions of UB18-10, UB37-10 and, in part, UB56-10).
fn free_rate(context: &Context) -> bool {
    context.purpose.fin_nfe == 4 || matches!(context.purpose.tp_nf_credito, Some(3 | 4 | 6))
}

/// The nominal rate: zero where the law says so, the caller's where it may
/// differ, the law's otherwise.
fn nominal(
    context: &Context,
    item: &Item,
    class: &Class,
    names: &Names,
    entrada: &Tax,
    law: Option<Decimal>,
    fields: &mut Fields,
) -> Option<Decimal> {
    let field = || format!("{}.aliquota", names.field);
    let zero = class.class.trib_regular || (names.field == "cbs" && item.zfm_alc.is_some());
    let expected = if zero { Some(Decimal::ZERO) } else { law };
    let own = matches!(
        class.class.kind,
        AliquotaKind::Fixed | AliquotaKind::SectoralUniform | AliquotaKind::NationalUniform
    );
    match (entrada.aliquota, expected) {
        (Some(stated_rate), Some(expected))
            if stated_rate != expected && (zero || !(own || free_rate(context))) =>
        {
            fields.add_value(
                field(),
                names.aliquota_rule,
                &stated_rate.to_string(),
                "A alíquota não é a que a lei fixa para esta data e classificação.",
                format!("Use {}% ou deixe em branco.", expected.normalize()),
            );
            None
        }
        (Some(stated_rate), _) => Some(stated_rate),
        (None, Some(expected)) => Some(expected),
        (None, None) => {
            fields.add(
                field(),
                "aliquota_indefinida",
                format!(
                    "A alíquota de {} para {} ainda não está fixada na tabela.",
                    names.group.trim_start_matches('g'),
                    context.data.year()
                ),
                "Configure a alíquota de referência ou informe-a no item.",
            );
            None
        }
    }
}

fn tax(
    context: &Context,
    item: &Item,
    class: &Class,
    names: &Names,
    (v_bc, law): (Decimal, Option<Decimal>),
    fields: &mut Fields,
) -> Option<Computed> {
    let (entrada, reduction) = match names.field {
        "ibs_uf" => (&item.ibs_uf, class.class.p_red_ibs),
        "ibs_mun" => (&item.ibs_mun, class.class.p_red_ibs),
        _ => (&item.cbs, class.class.p_red_cbs),
    };
    let p = nominal(context, item, class, names, entrada, law, fields)?;

    // UB26-20: the group is there for the CST, and for any sale to government
    // (then with zero where the CST has none).
    let has_reduction = class.cst.g_red || context.gov_purchase.is_some();
    let reduction = if class.cst.g_red {
        reduction
    } else {
        Decimal::ZERO
    };
    let p_effective = if has_reduction {
        effective_rate(context, p, reduction)
    } else {
        p
    };

    let gross = percent_of(v_bc, p_effective);
    // UB23-10, UB42-10, UB61-10: base x rate x percentage.
    let v_dif = entrada
        .p_dif
        .map(|p_dif| two_places(formulas::share_of_tax(v_bc, p_effective, p_dif)));
    // UB63-10; before 010e the caller's own amount.
    let v_dev = match entrada.p_dev {
        Some(p_dev) => Some(two_places(formulas::share_of_tax(v_bc, p_effective, p_dev))),
        None => entrada.v_dev,
    };
    let v_dev_zero = v_dev.unwrap_or_default();
    let v_dif_zero = v_dif.unwrap_or_default();
    let net = net(gross - v_dif_zero - v_dev_zero, names, fields)?;

    let p_dev = entrada
        .p_dev
        .filter(|_| context.version >= super::Version::E);
    let element = Node::group(names.group)
        .with(names.aliquota, rate(p))
        .child_if(v_dif.map(|v_dif| {
            Node::group("gDif")
                .with("pDif", rate(entrada.p_dif.unwrap_or_default()))
                .with("vDif", value(v_dif))
        }))
        .child_if(v_dev.map(|v_dev| {
            Node::group("gDevTrib")
                .with_if("pDevTrib", p_dev.map(rate))
                .with("vDevTrib", value(v_dev))
        }))
        .child_if(has_reduction.then(|| {
            Node::group("gRed")
                .with("pRedAliq", rate(reduction))
                .with("pAliqEfet", rate(p_effective))
        }))
        .child_if(incentive_area(context, item, names, v_bc, law))
        .with(names.value, value(net));
    Some(Computed {
        element,
        p_effective,
        v_dif: v_dif_zero,
        v_dev: v_dev_zero,
        value: net,
    })
}

/// With the reducer of a sale to government. Such sales move nothing between
/// the three taxes until 2028 (LC 214/2025, art. 473 with the transition;
/// second-hand); later ones are refused before this.
fn effective_rate(context: &Context, p: Decimal, reduction: Decimal) -> Decimal {
    let reducer = context
        .gov_purchase
        .map_or(Decimal::ZERO, |purchase| purchase.p_redutor);
    formulas::effective_rate(p, reduction, reducer)
}

/// `gALCZFMCBS`: what the CBS would be outside of the area.
fn incentive_area(
    context: &Context,
    item: &Item,
    names: &Names,
    v_bc: Decimal,
    law: Option<Decimal>,
) -> Option<Node> {
    let area = item.zfm_alc.as_ref().filter(|_| names.field == "cbs")?;
    let p = effective_rate(context, law.unwrap_or_default(), Decimal::ZERO);
    Some(
        Node::group("gALCZFMCBS")
            .with("tpALCZFMCBS", area.kind.to_string())
            .with_if("nProcSuframa", area.processo.clone())
            .with("pAliqEfetRegCBS", rate(p))
            .with("vTribRegCBS", value(percent_of(v_bc, p))),
    )
}

/// `gTribRegular` (UB72-10, UB72b-10, UB72d-10): base x effective regular rate.
fn regular(
    context: &Context,
    item: &Item,
    v_bc: Decimal,
    law: &[Option<Decimal>; 3],
) -> Option<Node> {
    let regular = item.trib_regular.as_ref()?;
    let cst = class_trib::cst(&regular.cst)?;
    let class = class_trib::get(&regular.c_class_trib)?;
    let p = |tax: usize, reduction: Decimal| {
        let nominal = law.get(tax).copied().flatten().unwrap_or_default();
        if cst.g_ibs_cbs && !class.trib_regular {
            effective_rate(context, nominal, reduction)
        } else {
            Decimal::ZERO
        }
    };
    let (uf, mun, cbs) = (
        p(0, class.p_red_ibs),
        p(1, class.p_red_ibs),
        p(2, class.p_red_cbs),
    );
    Some(
        Node::group("gTribRegular")
            .with("CSTReg", cst.codigo)
            .with("cClassTribReg", class.codigo)
            .with("pAliqEfetRegIBSUF", rate(uf))
            .with("vTribRegIBSUF", value(percent_of(v_bc, uf)))
            .with("pAliqEfetRegIBSMun", rate(mun))
            .with("vTribRegIBSMun", value(percent_of(v_bc, mun)))
            .with("pAliqEfetRegCBS", rate(cbs))
            .with("vTribRegCBS", value(percent_of(v_bc, cbs))),
    )
}

/// The tax that is left; None, and told, where more was deferred and given back
/// than there was.
fn net(rest: Decimal, names: &Names, fields: &mut Fields) -> Option<Decimal> {
    // A cent may come from rounding the parts; more is the caller's.
    if rest < Decimal::new(-2, 2) {
        fields.add(
            names.field,
            names.value_rule,
            "Diferimento e devolução passam do tributo do item.",
            "Confira os percentuais e o valor devolvido.",
        );
        return None;
    }
    Some(rest.max(Decimal::ZERO))
}
