//! Amounts of an item before taxes: quantities, gross value, its part of the
//! note's freight, insurance, charges and discount.

use crate::arithmetic::{apportion, dec, plus, r2, times};
use crate::context::{Context, Place};
use fiscal::nfe::order::{Destino, Item, Number, TipoOperacao};
use rust_decimal::Decimal;

/// Origins of goods (Ajuste SINIEF 20/2012).
const ORIGINS: [&str; 9] = ["0", "1", "2", "3", "4", "5", "6", "7", "8"];

/// Reais, two decimals.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Values {
    pub prod: Decimal,
    pub frete: Decimal,
    pub insurance: Decimal,
    pub discount: Decimal,
    pub other: Decimal,
}

impl Values {
    /// Value of the operation.
    pub fn operation(&self) -> Decimal {
        let added = [self.prod, self.frete, self.insurance, self.other];
        fiscal::taxes::icms::operation(added, self.discount)
    }
}

/// An item with what the taxes need to know of it.
pub(super) struct Line<'a> {
    pub item: &'a Item,
    pub place: Place<'a>,
    pub values: Values,
    pub composes_total: bool,
    pub service: bool,
    pub origin: &'static str,
    pub quantity: Decimal,
    pub unit_value: Decimal,
    pub taxable_quantity: Decimal,
    /// Goods that come from abroad in this very operation.
    pub import: bool,
    pub customs_expenses: Decimal,
}

/// Amounts of all items, with the note's own shared out.
pub(super) fn values(ctx: &mut Context<'_>) -> Vec<Values> {
    let request = ctx.request;
    let mut all: Vec<Values> = request
        .itens
        .iter()
        .enumerate()
        .map(|(i, item)| of_item(ctx, Place::list("itens", i), item))
        .collect();
    let composing: Vec<bool> = request
        .itens
        .iter()
        .map(|item| item.compoe_total.unwrap_or(true))
        .collect();
    type Part = fn(&mut Values) -> &mut Decimal;
    let parts: [(&'static str, Option<Number>, Part); 4] = [
        ("desconto", request.desconto, |v| &mut v.discount),
        ("frete", request.frete, |v| &mut v.frete),
        ("seguro", request.seguro, |v| &mut v.insurance),
        ("outras_despesas", request.outras_despesas, |v| &mut v.other),
    ];
    for (name, total, part) in parts {
        let place = Place::root(name);
        let Some(total) = ctx
            .optional(place, total)
            .map(r2)
            .filter(|total| !total.is_zero())
        else {
            continue;
        };
        let weights: Vec<Decimal> = all
            .iter()
            .zip(&composing)
            .map(|(v, composes)| match composes {
                true => (v.prod - v.discount).max(Decimal::ZERO),
                false => Decimal::ZERO,
            })
            .collect();
        let sum = weights
            .iter()
            .fold(Decimal::ZERO, |sum, weight| plus(sum, *weight));
        if sum.is_zero() || (name == "desconto" && total > sum) {
            ctx.error(
                place,
                "rateio_impossivel",
                "O valor da nota não cabe nos itens que compõem o total.",
                "Informe um valor menor, ou informe-o item a item.",
            );
            continue;
        }
        for (v, value) in all.iter_mut().zip(apportion(total, &weights)) {
            *part(v) = plus(*part(v), value);
        }
    }
    for (i, v) in all.iter().enumerate() {
        if v.discount > v.prod {
            let items = Place::list("itens", i);
            ctx.error(
                items.at("desconto"),
                "desconto_maior_que_valor",
                "O desconto é maior que o valor do item.",
                "Reduza o desconto.",
            );
        }
    }
    all
}

fn of_item(ctx: &mut Context<'_>, place: Place<'_>, item: &Item) -> Values {
    // A negative factor is told where it is read; what would follow from it is not.
    let factor = |number| dec(number).unwrap_or_default().max(Decimal::ZERO);
    let product = times(factor(item.quantidade), factor(item.valor_unitario));
    let prod = ctx.checked(place.at("valor_bruto"), item.valor_bruto, r2(product));
    let mut part = |name, value| {
        ctx.optional(place.at(name), value)
            .map(r2)
            .unwrap_or_default()
    };
    Values {
        prod,
        frete: part("frete", item.frete),
        insurance: part("seguro", item.seguro),
        discount: part("desconto", item.desconto),
        other: part("outras_despesas", item.outras_despesas),
    }
}

/// Puts the line of an item together.
pub(super) fn line<'l>(
    ctx: &mut Context<'_>,
    place: Place<'l>,
    item: &'l Item,
    values: Values,
) -> Line<'l> {
    let quantity = ctx.number(place.at("quantidade"), item.quantidade);
    let unit_value = ctx.number(place.at("valor_unitario"), item.valor_unitario);
    let taxable = ctx.optional(
        place.at("quantidade_tributavel"),
        item.quantidade_tributavel,
    );
    let default = ctx.emitter.padroes.origem.as_deref();
    let origin = item.origem.as_deref().or(default).unwrap_or("0").trim();
    let known = ORIGINS.into_iter().find(|codigo| *codigo == origin);
    if known.is_none() {
        ctx.fields.add_value(
            place.at("origem").to_string(),
            "origem_invalida",
            origin,
            "Origem da mercadoria inexistente.",
            "Informe um dígito de 0 a 8.",
        );
    }
    let impostos = item.impostos.as_ref();
    Line {
        item,
        place,
        values,
        composes_total: item.compoe_total.unwrap_or(true),
        service: impostos.is_some_and(|impostos| impostos.issqn.is_some()),
        origin: known.unwrap_or("0"),
        quantity,
        unit_value,
        taxable_quantity: taxable.unwrap_or(quantity),
        import: ctx.destination == Destino::Exterior && ctx.operation == TipoOperacao::Entrada,
        customs_expenses: impostos
            .and_then(|impostos| impostos.ii.as_ref())
            .and_then(|ii| dec(ii.despesas_aduaneiras))
            .unwrap_or_default(),
    }
}
