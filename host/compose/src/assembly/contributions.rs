//! `PIS`, `PISST`, `COFINS`, `COFINSST` of an item.

use crate::arithmetic::{self, dec, f2, f4, percent_of, plus, r2, variable};
use crate::assembly::leftovers::{self, Situation};
use crate::assembly::line::Line;
use crate::assembly::sums::Sums;
use crate::context::{Context, Place};
use fiscal::nfe::order::{Contribuicao, ContribuicaoSt};
use fiscal::taxes::pis_cofins::without_icms;
use markup::tree::Node;
use rust_decimal::Decimal;
use std::borrow::Cow;

/// Names of one of the two.
struct Which {
    field: &'static str,
    group: &'static str,
    rate_group: &'static str,
    by_quantity: &'static str,
    nt: &'static str,
    outr: &'static str,
    p: &'static str,
    v: &'static str,
    st: &'static str,
    st_field: &'static str,
    st_sum: &'static str,
}

const PIS: Which = Which {
    field: "pis",
    group: "PIS",
    rate_group: "PISAliq",
    by_quantity: "PISQtde",
    nt: "PISNT",
    outr: "PISOutr",
    p: "pPIS",
    v: "vPIS",
    st: "PISST",
    st_field: "pis_st",
    st_sum: "indSomaPISST",
};

const COFINS: Which = Which {
    field: "cofins",
    group: "COFINS",
    rate_group: "COFINSAliq",
    by_quantity: "COFINSQtde",
    nt: "COFINSNT",
    outr: "COFINSOutr",
    p: "pCOFINS",
    v: "vCOFINS",
    st: "COFINSST",
    st_field: "cofins_st",
    st_sum: "indSomaCOFINSST",
};

/// Members of a contribution by rate, and by unit.
const BY_RATE: [&str; 4] = ["cst", "base", "aliquota", "valor"];
const BY_UNIT: [&str; 4] = ["cst", "quantidade", "aliquota_unidade", "valor"];

/// Adds the four groups to `imposto`.
pub(super) fn contributions(
    ctx: &mut Context<'_>,
    line: &Line<'_>,
    sums: &mut Sums,
    mut tax: Node,
) -> Node {
    let given = line.item.impostos.as_ref();
    let defaults = &ctx.emitter.padroes;
    let (default_pis, default_cofins) = (defaults.pis.as_ref(), defaults.cofins.as_ref());
    let pis = one(
        ctx,
        line,
        sums,
        &PIS,
        given.and_then(|d| d.pis.as_ref()),
        default_pis,
    );
    let pis_st = st(ctx, line, sums, &PIS, given.and_then(|d| d.pis_st.as_ref()));
    let cofins = one(
        ctx,
        line,
        sums,
        &COFINS,
        given.and_then(|d| d.cofins.as_ref()),
        default_cofins,
    );
    let cofins_st = st(
        ctx,
        line,
        sums,
        &COFINS,
        given.and_then(|d| d.cofins_st.as_ref()),
    );
    let (pis_value, cofins_value) = (pis.1, cofins.1);
    if line.service {
        sums.services_pis = pis_value;
        sums.services_cofins = cofins_value;
    } else {
        sums.pis = pis_value;
        sums.cofins = cofins_value;
    }
    for group in [pis.0, pis_st, cofins.0, cofins_st].into_iter().flatten() {
        tax.put(group);
    }
    tax
}

fn one(
    ctx: &mut Context<'_>,
    line: &Line<'_>,
    sums: &Sums,
    which: &Which,
    own_data: Option<&Contribuicao>,
    default: Option<&Contribuicao>,
) -> (Option<Node>, Decimal) {
    if ctx.forbids(which.group) {
        return (None, Decimal::ZERO);
    }
    let default = default.filter(|_| !ctx.only_ibs_cbs());
    let impostos = line.place.at("impostos");
    let place = impostos.at(which.field);
    let given = match (own_data, default) {
        (Some(own_data), Some(default)) if own_data.cst.is_none() => {
            let mut joined = own_data.clone();
            joined.cst = default.cst.clone();
            if joined.aliquota_unidade.is_none() {
                joined.aliquota = joined.aliquota.or(default.aliquota);
            }
            Cow::Owned(joined)
        }
        (Some(own_data), _) => Cow::Borrowed(own_data),
        (None, Some(default)) => Cow::Borrowed(default),
        (None, None) => Cow::Owned(Contribuicao::default()),
    };
    let cst = match given.cst.as_deref().map(str::trim) {
        Some(cst) if !cst.is_empty() => cst,
        // Inside of the Simples the two are paid by its single guide.
        _ if ctx.calcular && !ctx.only_ibs_cbs() && ctx.emitter.regime.uses_csosn() => "49",
        // The groups are optional in an NFC-e and in notes of debit and credit.
        _ if (ctx.nfce() || !ctx.demands_old) && *given == Contribuicao::default() => {
            return (None, Decimal::ZERO);
        }
        _ => {
            ctx.missing(
                place.at("cst"),
                format!(
                    "Informe o CST, ou configure padroes.{} no perfil fiscal.",
                    which.field
                ),
            );
            return (None, Decimal::ZERO);
        }
    };
    outside(ctx, line, which, cst, &given, own_data);
    let (group, value) = match cst {
        "01" | "02" => by_rate(
            ctx,
            line,
            sums,
            place,
            which,
            &given,
            Node::group(which.rate_group).with("CST", cst),
        ),
        "03" => by_unit(
            ctx,
            line,
            place,
            which,
            &given,
            Node::group(which.by_quantity).with("CST", cst),
        ),
        "04" | "05" | "06" | "07" | "08" | "09" => {
            (Node::group(which.nt).with("CST", cst), Decimal::ZERO)
        }
        _ => {
            let group = Node::group(which.outr).with("CST", cst);
            match given.aliquota_unidade.is_some() {
                true => by_unit(ctx, line, place, which, &given, group),
                false => by_rate(ctx, line, sums, place, which, &given, group),
            }
        }
    };
    (Some(Node::group(which.group).child(group)), value)
}

/// Tells what the situation has no place for: of the item, or of the profile
/// where the item says nothing.
fn outside(
    ctx: &mut Context<'_>,
    line: &Line<'_>,
    which: &Which,
    cst: &str,
    given: &Contribuicao,
    own_data: Option<&Contribuicao>,
) {
    let by_unit = given.aliquota_unidade.is_some();
    let fitting: &[&str] = match cst {
        "01" | "02" => &BY_RATE,
        "03" => &BY_UNIT,
        "04" | "05" | "06" | "07" | "08" | "09" => &["cst"],
        _ if by_unit => &BY_UNIT,
        _ => &BY_RATE,
    };
    let situation = Situation {
        tax: which.field,
        name: &format_args!("no CST {cst} de {}", which.group),
        of_perfil: own_data.is_none(),
    };
    leftovers::tell(
        ctx,
        line.place,
        &situation,
        own_data.unwrap_or(given),
        fitting,
    );
}

fn by_rate(
    ctx: &mut Context<'_>,
    line: &Line<'_>,
    sums: &Sums,
    place: Place<'_>,
    which: &Which,
    given: &Contribuicao,
    group: Node,
) -> (Node, Decimal) {
    let mandatory = group.name == which.rate_group;
    let rate = match ctx.optional(place.at("aliquota"), given.aliquota) {
        Some(rate) => rate,
        None => {
            if mandatory {
                ctx.missing(place.at("aliquota"), "Informe a alíquota.");
            }
            Decimal::ZERO
        }
    };
    let base = match ctx.optional(place.at("base"), given.base) {
        Some(base) => r2(base),
        // Other operations without a rate have nothing to tell.
        None if rate.is_zero() && !mandatory => Decimal::ZERO,
        None => base_usual(line, sums),
    };
    let value = ctx.checked(place.at("valor"), given.valor, percent_of(base, rate));
    let group = group
        .with("vBC", f2(base))
        .with(which.p, f4(rate))
        .with(which.v, f2(value));
    (group, value)
}

/// The operation without the ICMS charged in it (STF Tema 69; IN RFB
/// 2.121/2022 art. 26 XII), but with its poverty fund (Solução de Consulta Cosit
/// 61/2024); on import the customs value (Lei 10.865/2004 art. 7 I).
fn base_usual(line: &Line<'_>, sums: &Sums) -> Decimal {
    let v = &line.values;
    if line.import {
        let customs = line.item.impostos.as_ref().and_then(|i| i.ii.as_ref());
        let customs = customs.and_then(|ii| dec(ii.base));
        return customs
            .map_or(v.operation() - v.other, r2)
            .max(Decimal::ZERO);
    }
    without_icms(v.operation(), sums.icms)
}

fn by_unit(
    ctx: &mut Context<'_>,
    line: &Line<'_>,
    place: Place<'_>,
    which: &Which,
    given: &Contribuicao,
    group: Node,
) -> (Node, Decimal) {
    let quantity = ctx.optional(place.at("quantidade"), given.quantidade);
    let quantity = quantity.unwrap_or(line.taxable_quantity);
    let rate = ctx.number(place.at("aliquota_unidade"), given.aliquota_unidade);
    let value = ctx.checked(
        place.at("valor"),
        given.valor,
        arithmetic::by_unit(quantity, rate),
    );
    let group = group
        .with("qBCProd", variable(quantity, 0, 4))
        .with("vAliqProd", f4(rate))
        .with(which.v, f2(value));
    (group, value)
}

fn st(
    ctx: &mut Context<'_>,
    line: &Line<'_>,
    sums: &mut Sums,
    which: &Which,
    given: Option<&ContribuicaoSt>,
) -> Option<Node> {
    let given = given.filter(|_| !ctx.forbids(which.st))?;
    let impostos = line.place.at("impostos");
    let place = impostos.at(which.st_field);
    let (fitting, form) = match given.aliquota_unidade.is_some() {
        true => (BY_UNIT, "unidade"),
        false => (BY_RATE, "alíquota"),
    };
    let situation = Situation {
        tax: which.st_field,
        name: &format_args!("no {} por {form}", which.st),
        of_perfil: false,
    };
    let fitting = [&fitting[..], &["compoe_total"]].concat();
    leftovers::tell(ctx, line.place, &situation, given, &fitting);
    let same = Contribuicao {
        cst: None,
        base: given.base,
        aliquota: given.aliquota,
        quantidade: given.quantidade,
        aliquota_unidade: given.aliquota_unidade,
        valor: given.valor,
    };
    let group = Node::group(which.st);
    let (group, value) = match same.aliquota_unidade.is_some() {
        true => by_unit(ctx, line, place, which, &same, group),
        false => by_rate(ctx, line, sums, place, which, &same, group),
    };
    let composes = given.compoe_total == Some(true);
    if composes {
        sums.contributions_st = plus(sums.contributions_st, value);
    }
    Some(
        group.with_if(
            which.st_sum,
            given
                .compoe_total
                .map(|composes| if composes { "1" } else { "0" }),
        ),
    )
}
