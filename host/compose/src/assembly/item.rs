//! `det`: goods, taxes and what belongs to the item.

use super::{difal, icms, ide, ipi, issqn};
use crate::arithmetic::{self, f2, fixed, plus, variable};
use crate::assembly::line::{self, Line, Values};
use crate::assembly::parties;
use crate::assembly::sums::Sums;
use crate::assembly::{contributions, particular, reform};
use crate::context::{Context, Place};
use crate::frame::Ambiente;
use crate::ibs_cbs;
use fiscal::nfe::order::{Destino, Finalidade, Icms, Impostos, IndicadorIe, Item, TipoOperacao};
use markup::ids::is_valid_gtin;
use markup::tree::Node;
use rust_decimal::Decimal;

/// What the first item of an NFC-e is called in homologation (MOC, I04-10;
/// rejection 373).
const HOMOLOGACAO_DESCRIPTION: &str =
    "NOTA FISCAL EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL";

/// An item put together.
pub(super) struct BuiltItem {
    pub det: Node,
    pub sums: Sums,
    pub reforma: ibs_cbs::Sums,
    pub v_item: Decimal,
}

/// Builds the item at a position, from 0.
pub(super) fn det(ctx: &mut Context<'_>, i: usize, item: &Item, values: Values) -> BuiltItem {
    let place = Place::list("itens", i);
    if item
        .numero
        .is_some_and(|number| *number != Decimal::from(i + 1))
    {
        ctx.error(
            place.at("numero"),
            "numero_do_item",
            "Os itens são numerados em sequência, a partir de 1.",
            "Omita numero ou informe a posição do item.",
        );
    }
    let line = line::line(ctx, place, item, values);
    let mut sums = Sums::default();
    let prod = prod(ctx, i, &line);
    let tax = tax(ctx, &line, &mut sums);
    let v = &line.values;
    if line.composes_total {
        match line.service {
            true => sums.services = v.prod,
            false => sums.prod = v.prod,
        }
    }
    sums.frete = v.frete;
    sums.insurance = v.insurance;
    sums.discount = v.discount;
    sums.other = v.other;
    let goods_return = goods_return(ctx, place, item, &mut sums);
    // The IS is part of the base of IBS and CBS (LC 214/2025 art. 12 §1 V).
    let selective = reform::selective(ctx, &line, &mut sums);
    let reforma = reform::ibs_cbs(ctx, &line, &sums);
    let mut tax = tax.child_if(selective);
    let portion = sums.total();
    if portion.is_sign_negative() {
        ctx.error(
            place,
            "item_negativo",
            "Descontos e desonerações do item passam do que ele soma ao total.",
            "Reduza-os; um item com compoe_total false não soma seu valor.",
        );
    }
    let v_item = ibs_cbs::v_item(ctx.given.dh_emi.date(), portion, &reforma.sums, sums.is);
    let with_v_item = reforma.element.is_some();
    if let Some(group) = reforma.element {
        tax.put(group);
    }
    let referenced = referenced(ctx, place, item);
    let det = Node::group("det")
        .attribute("nItem", (i + 1).to_string())
        .child(prod)
        .child(tax)
        .child_if(goods_return)
        .with_if("vItem", with_v_item.then(|| f2(v_item)))
        .child_if(referenced);
    BuiltItem {
        det,
        sums,
        reforma: reforma.sums,
        v_item,
    }
}

fn prod(ctx: &mut Context<'_>, i: usize, line: &Line<'_>) -> Node {
    let (item, place, v) = (line.item, line.place, &line.values);
    let description = description(ctx, i, line);
    let cfop = cfop(ctx, place, item);
    let codigo = ctx
        .text(place.at("codigo"), item.codigo.as_deref(), 60)
        // MOC, I02: without a code, "CFOP" and the code of the operation.
        .unwrap_or_else(|| format!("CFOP{cfop}"));
    let gtin = gtin(ctx, place.at("gtin"), item.gtin.as_deref());
    let taxable_gtin = match &item.gtin_tributavel {
        Some(text) => self::gtin(ctx, place.at("gtin_tributavel"), Some(text)),
        None => gtin.clone(),
    };
    let ncm = ncm(ctx, place, item);
    let (unit, taxable) = units(ctx, place, item);
    let taxable_unit_value = taxable_unit_value(ctx, line);
    let cest = ctx.codigo(item.cest.as_deref());
    let has_cest = cest.is_some();
    let maker = has_cest.then(|| maker(ctx, place, item)).flatten();
    let scale = item.escala_relevante.filter(|_| has_cest);
    let unless_zero = |value: Decimal| (!value.is_zero()).then(|| f2(value));
    let mut prod = Node::group_of("prod", 20)
        .with("cProd", codigo)
        .with("cEAN", gtin)
        .with("xProd", description)
        .with("NCM", ncm.unwrap_or_default())
        .children(
            item.nve
                .iter()
                .take(9)
                .map(|nve| Node::field("NVE", nve.trim().to_ascii_uppercase())),
        )
        .with_if("CEST", cest)
        .with_if(
            "indEscala",
            scale.map(|relevant| if relevant { "S" } else { "N" }),
        )
        .child_if(maker);
    prod = prod
        .children(creditos(ctx, place, item))
        .with("CFOP", cfop)
        .with("uCom", unit)
        .with("qCom", variable(line.quantity, 0, 4))
        .with("vUnCom", variable(line.unit_value, 2, 10))
        .with("vProd", f2(v.prod))
        .with("cEANTrib", taxable_gtin)
        .with("uTrib", taxable)
        .with("qTrib", variable(line.taxable_quantity, 0, 4))
        .with("vUnTrib", variable(taxable_unit_value, 2, 10))
        .with_if("vFrete", unless_zero(v.frete))
        .with_if("vSeg", unless_zero(v.insurance))
        .with_if("vDesc", unless_zero(v.discount))
        .with_if("vOutro", unless_zero(v.other))
        .with("indTot", if line.composes_total { "1" } else { "0" })
        .with_if(
            "indBemMovelUsado",
            (item.bem_movel_usado == Some(true)).then_some("1"),
        );
    particular::no_prod(ctx, place, item, prod)
}

fn description(ctx: &mut Context<'_>, i: usize, line: &Line<'_>) -> String {
    let description = ctx.mandatory_text(
        line.place.at("descricao"),
        line.item.descricao.as_deref(),
        120,
    );
    let homologacao = ctx.nfce() && i == 0 && ctx.given.ambiente == Ambiente::Homologacao;
    if homologacao {
        HOMOLOGACAO_DESCRIPTION.to_owned()
    } else {
        description
    }
}

/// Who made it; the layout has a place for it beside the CEST alone.
fn maker(ctx: &mut Context<'_>, place: Place<'_>, item: &Item) -> Option<Node> {
    let text = item.cnpj_fabricante.as_deref()?;
    parties::cnpj(ctx, place.at("cnpj_fabricante"), "CNPJFab", Some(text))
}

fn ncm(ctx: &mut Context<'_>, place: Place<'_>, item: &Item) -> Option<String> {
    let ncm = ctx.codigo(item.ncm.as_deref());
    if ncm.is_none() {
        ctx.missing(
            place.at("ncm"),
            "Informe o NCM de 8 dígitos (\"00\" para serviços).",
        );
    }
    ncm
}

/// Units of what is sold and of what is taxed.
fn units(ctx: &mut Context<'_>, place: Place<'_>, item: &Item) -> (String, String) {
    let default = ctx.emitter.padroes.unidade.as_deref();
    let unit = ctx
        .text(place.at("unidade"), item.unidade.as_deref().or(default), 6)
        .unwrap_or_else(|| "UN".to_owned());
    let taxable = ctx
        .text(
            place.at("unidade_tributavel"),
            item.unidade_tributavel.as_deref(),
            6,
        )
        .unwrap_or_else(|| unit.clone());
    (unit, taxable)
}

/// Unit value of the taxable unit; by the gross value when it is another unit.
fn taxable_unit_value(ctx: &mut Context<'_>, line: &Line<'_>) -> Decimal {
    let item = line.item;
    let place = line.place.at("valor_unitario_tributavel");
    match ctx.optional(place, item.valor_unitario_tributavel) {
        Some(value) => {
            // Rejection 630.
            let product = arithmetic::r2(arithmetic::times(value, line.taxable_quantity));
            let gross = line.values.prod;
            if ctx.purpose == Finalidade::Normal && (product - gross).abs() > arithmetic::TOLERANCE
            {
                let unit_value = variable(arithmetic::divided(gross, line.taxable_quantity), 2, 10);
                ctx.fields.add_value(
                    place.to_string(),
                    "valor_divergente",
                    &value.to_string(),
                    format!(
                        "Valor unitário vezes quantidade tributável dá {product}, e o item custa {gross} (rejeição 630)."
                    ),
                    format!("Informe {unit_value}, corrija quantidade_tributavel, ou omita o campo."),
                );
            }
            value
        }
        None if item.quantidade_tributavel.is_some() => {
            arithmetic::divided(line.values.prod, line.taxable_quantity)
        }
        None => line.unit_value,
    }
}

/// The item's, else the profile's for this kind of operation.
fn cfop(ctx: &mut Context<'_>, place: Place<'_>, item: &Item) -> String {
    if let Some(cfop) = ctx.codigo(item.cfop.as_deref()) {
        return cfop;
    }
    let defaults = &ctx.emitter.padroes;
    let default = match (ctx.operation, ctx.destination) {
        (TipoOperacao::Entrada, _) => None,
        (_, Destino::Interna) => defaults.cfop_interno.as_deref(),
        (_, Destino::Interestadual) => defaults.cfop_interestadual.as_deref(),
        (_, Destino::Exterior) => defaults.cfop_exportacao.as_deref(),
    };
    let normal = ctx.purpose == Finalidade::Normal;
    let Some(default) = default.filter(|_| normal) else {
        ctx.missing(
            place.at("cfop"),
            "Informe o CFOP, ou configure padroes.cfop_interno e cfop_interestadual no perfil fiscal.",
        );
        return String::new();
    };
    // Sales to who is not a taxpayer have codes of their own between states.
    match (default, ctx.ie_indicator) {
        ("6101", IndicadorIe::NaoContribuinte) => "6107".to_owned(),
        ("6102", IndicadorIe::NaoContribuinte) => "6108".to_owned(),
        _ => default.to_owned(),
    }
}

/// A GTIN with its check digit right, or `SEM GTIN`.
fn gtin(ctx: &mut Context<'_>, place: Place<'_>, text: Option<&str>) -> String {
    let text = text.unwrap_or_default().trim();
    if text.is_empty() || text.eq_ignore_ascii_case("sem gtin") {
        return "SEM GTIN".to_owned();
    }
    if is_valid_gtin(text) {
        return text.to_owned();
    }
    ctx.fields.add_value(
        place.to_string(),
        "gtin_invalido",
        text,
        "GTIN inválido: confira os dígitos e o dígito verificador.",
        "Informe o código de barras GS1 (8, 12, 13 ou 14 dígitos), omita o campo, ou use codigo_barras para código próprio.",
    );
    String::new()
}

fn creditos(ctx: &mut Context<'_>, place: Place<'_>, item: &Item) -> Vec<Node> {
    let mut groups = Vec::new();
    for (i, credit) in item.creditos_presumidos.iter().take(5).enumerate() {
        let place = place.n("creditos_presumidos", i);
        let rate = ctx.number(place.at("aliquota"), credit.aliquota);
        let value = ctx.number(place.at("valor"), credit.valor);
        groups.push(
            Node::group("gCred")
                .with(
                    "cCredPresumido",
                    credit.codigo.as_deref().unwrap_or_default().trim(),
                )
                .with("pCredPresumido", crate::arithmetic::f4(rate))
                .with("vCredPresumido", f2(value)),
        );
    }
    groups
}

fn tax(ctx: &mut Context<'_>, line: &Line<'_>, sums: &mut Sums) -> Node {
    let impostos = line.place.at("impostos");
    let given = line.item.impostos.as_ref();
    let approximate = given.and_then(|given| given.valor_aproximado);
    let approximate = ctx.optional(impostos.at("valor_aproximado"), approximate);
    sums.taxes = approximate.map(crate::arithmetic::r2).unwrap_or_default();
    let mut tax = Node::group("imposto").with_if("vTotTrib", approximate.map(f2));
    forbidden(ctx, line);
    if line.service && !ctx.forbids("ISSQN") {
        of_service(ctx, line);
        let ipi = ipi::ipi(ctx, line, sums);
        tax = tax.child_if(ipi);
        tax.put(issqn::issqn(ctx, line, sums));
        return contributions::contributions(ctx, line, sums, tax);
    }
    // Duties first: ICMS on imports is worked out over them.
    let ii = ipi::ii(ctx, line, sums);
    let ipi = ipi::ipi(ctx, line, sums);
    if line.import {
        let after = contributions::contributions(ctx, line, sums, Node::group("imposto"));
        tax = tax.child_if(icms::icms(ctx, line, sums));
        tax = tax.child_if(ipi).child_if(ii);
        return tax.children(after.list().iter().cloned());
    }
    tax = tax.child_if(icms::icms(ctx, line, sums));
    tax = tax.child_if(ipi).child_if(ii);
    tax = contributions::contributions(ctx, line, sums, tax);
    tax.child_if(difal::difal(ctx, line, sums))
}

/// Tells the taxes the item has and the note may not (B25-80).
fn forbidden(ctx: &mut Context<'_>, line: &Line<'_>) {
    let empty = Impostos::default();
    let given = line.item.impostos.as_ref().unwrap_or(&empty);
    let impostos = line.place.at("impostos");
    for (group, place, came) in [
        ("ICMS", impostos.at("icms"), given.icms.is_some()),
        ("ISSQN", impostos.at("issqn"), given.issqn.is_some()),
        ("II", impostos.at("ii"), given.ii.is_some()),
        ("IPI", impostos.at("ipi"), given.ipi.is_some()),
        ("PIS", impostos.at("pis"), given.pis.is_some()),
        ("PISST", impostos.at("pis_st"), given.pis_st.is_some()),
        ("COFINS", impostos.at("cofins"), given.cofins.is_some()),
        (
            "COFINSST",
            impostos.at("cofins_st"),
            given.cofins_st.is_some(),
        ),
        (
            "impostoDevol",
            line.place.at("devolucao"),
            line.item.devolucao.is_some(),
        ),
    ] {
        if came && ctx.forbids(group) {
            ctx.error(
                place,
                "tributo_indevido",
                "Esta nota de débito, de crédito ou de recebimento de compra governamental só leva IBS e CBS (rejeição 1001).",
                "Retire o grupo do item, ou corrija a finalidade e o tipo da nota.",
            );
        }
    }
}

/// ISSQN is in the place of ICMS, and services are not imported as goods are.
fn of_service(ctx: &mut Context<'_>, line: &Line<'_>) {
    let Some(given) = line.item.impostos.as_ref() else {
        return;
    };
    let impostos = line.place.at("impostos");
    let icms = given.icms.as_ref();
    for (name, came) in [
        ("icms", icms.is_some_and(|icms| *icms != Icms::default())),
        ("ii", given.ii.is_some()),
    ] {
        if came {
            ctx.error(
                impostos.at(name),
                "grupos_excludentes",
                format!("Foram informados issqn e {name} no mesmo item."),
                "Informe issqn para serviço, os outros para mercadoria.",
            );
        }
    }
}

fn goods_return(
    ctx: &mut Context<'_>,
    place: Place<'_>,
    item: &Item,
    sums: &mut Sums,
) -> Option<Node> {
    let goods_return = item.devolucao.as_ref();
    let goods_return = goods_return.filter(|_| !ctx.forbids("impostoDevol"))?;
    let place = place.at("devolucao");
    let percent = ctx.optional(place.at("percentual"), goods_return.percentual);
    let percent = percent.unwrap_or(Decimal::ONE_HUNDRED);
    let value = ctx.number(place.at("valor_ipi"), goods_return.valor_ipi);
    sums.ipi_returned = plus(crate::arithmetic::r2(value), Decimal::ZERO);
    Some(
        Node::group("impostoDevol")
            .with("pDevol", fixed(percent, 2))
            .child(Node::group("IPI").with("vIPIDevol", f2(value))),
    )
}

/// `DFeReferenciado`: the item's own, else the only document a return is of.
fn referenced(ctx: &mut Context<'_>, place: Place<'_>, item: &Item) -> Option<Node> {
    let own_data = item.documento_referenciado.as_ref();
    if let Some(documento) = own_data {
        let place = place.at("documento_referenciado");
        if documento.chave.is_none() {
            ctx.missing(
                place.at("chave"),
                "Informe a chave do documento referenciado.",
            );
        }
        let chave = ide::chave(ctx, place.at("chave"), documento.chave.as_deref())?;
        let number = ctx.optional(place.at("item"), documento.item);
        return Some(
            Node::group("DFeReferenciado")
                .with("chaveAcesso", chave.as_str())
                .with_if("nItem", number.map(|number| variable(number, 0, 0))),
        );
    }
    if !ide::return_per_item(ctx) {
        return None;
    }
    let mut chaves = ctx
        .request
        .referencias
        .iter()
        .filter_map(|reference| reference.chave.as_deref());
    match (chaves.next(), chaves.next()) {
        (Some(unica), None) => {
            let chave = markup::ids::chave::Chave::parse(unica).ok()?;
            Some(Node::group("DFeReferenciado").with("chaveAcesso", chave.as_str()))
        }
        (Some(_), Some(_)) => {
            ctx.missing(
                place.at("documento_referenciado"),
                "A devolução de vários documentos diz, em cada item, de qual é: informe chave e item.",
            );
            None
        }
        (None, _) => None,
    }
}
