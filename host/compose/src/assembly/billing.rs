//! `cobr`: the invoice and its instalments.
//!
//! The authority wants the invoice whole as soon as there is an instalment
//! (rejections 851 and 905) and numbers the instalments itself: 001, 002, …
//! (rejection 852, rule Y08-10 of NT 2016.002 v1.60). What the request leaves
//! out follows from the rest; numbers of the company's own go to the text of
//! the note.

use crate::arithmetic::{f2, plus, r2};
use crate::context::{Context, Place};
use fiscal::nfe::order::{Duplicata, Fatura};
use markup::tree::Node;
use rust_decimal::Decimal;

const MAX_INSTALLMENTS: usize = 120;

/// The group, for a note of this total.
pub(super) fn cobr(ctx: &mut Context<'_>, total: Decimal) -> Option<Node> {
    let given = ctx.request.cobranca.as_ref()?;
    let place = Place::root("cobranca");
    if given.fatura.is_none() && given.duplicatas.is_empty() {
        return None;
    }
    if given.duplicatas.len() > MAX_INSTALLMENTS {
        ctx.error(
            place.at("duplicatas"),
            "limite",
            "São no máximo 120 duplicatas.",
            "Agrupe as parcelas.",
        );
        return None;
    }
    let mut sum = Decimal::ZERO;
    let mut installments = Vec::with_capacity(given.duplicatas.len());
    for (i, installment) in given.duplicatas.iter().enumerate() {
        let (portion, value) = dup(ctx, place.n("duplicatas", i), i, installment);
        sum = plus(sum, value);
        installments.push(portion);
    }
    let sum = (!installments.is_empty()).then_some(sum);
    let empty = Fatura::default();
    let invoice = given.fatura.as_ref().unwrap_or(&empty);
    let fat = fat(ctx, place.at("fatura"), invoice, sum, total);
    Some(Node::group("cobr").child(fat).children(installments))
}

/// `fat`: what is not told follows from the instalments, or from the note.
fn fat(
    ctx: &mut Context<'_>,
    place: Place<'_>,
    invoice: &Fatura,
    installments: Option<Decimal>,
    total: Decimal,
) -> Node {
    let number = ctx.text(place.at("numero"), invoice.numero.as_deref(), 60);
    let number = number.unwrap_or_else(|| ctx.given.numero.to_string());
    let original = ctx
        .optional(place.at("valor_original"), invoice.valor_original)
        .map(r2);
    let discount = ctx
        .optional(place.at("desconto"), invoice.desconto)
        .map_or(Decimal::ZERO, r2);
    let net = ctx
        .optional(place.at("valor_liquido"), invoice.valor_liquido)
        .map(r2);
    let original = original
        .or(net.map(|net| plus(net, discount)))
        .or(installments.map(|sum| plus(sum, discount)))
        .unwrap_or(total);
    if discount > original {
        ctx.error(
            place.at("desconto"),
            "desconto_maior_que_valor",
            "O desconto da fatura passa do valor original (rejeição 901).",
            "Corrija o desconto ou o valor original.",
        );
        return Node::group("fat");
    }
    let expected = original - discount;
    if let Some(net) = net.filter(|net| *net != expected) {
        let right = f2(expected);
        ctx.fields.add_value(
            place.at("valor_liquido").to_string(),
            "valor_divergente",
            &net.to_string(),
            format!(
                "O valor líquido da fatura é o original menos o desconto: {right} (rejeição 902)."
            ),
            format!("Informe {right} ou omita o campo."),
        );
    } else if let Some(sum) = installments.filter(|sum| *sum != expected) {
        ctx.error(
            Place::root("cobranca").at("duplicatas"),
            "valor_divergente",
            format!(
                "As parcelas somam {} e o valor líquido da fatura é {} (rejeição 851).",
                f2(sum),
                f2(expected)
            ),
            "Corrija as parcelas, ou o valor da fatura.",
        );
    }
    Node::group("fat")
        .with("nFat", number)
        .with("vOrig", f2(original))
        .with("vDesc", f2(discount))
        .with("vLiq", f2(expected))
}

/// `dup` and its amount.
fn dup(
    ctx: &mut Context<'_>,
    place: Place<'_>,
    i: usize,
    installment: &Duplicata,
) -> (Node, Decimal) {
    let own_data = ctx.text(place.at("numero"), installment.numero.as_deref(), 60);
    if own_data.is_some_and(|number| !is_the_position(&number, i)) {
        ctx.aviso(
            place.at("numero"),
            "A SEFAZ numera as parcelas 001, 002, … (rejeição 852): os números informados \
             foram para as informações complementares.",
        );
    }
    let value = r2(ctx.number(place.at("valor"), installment.valor));
    let dup = Node::group("dup")
        .with("nDup", position(i))
        .with("vDup", f2(value));
    (dup, value)
}

fn position(i: usize) -> String {
    format!("{:03}", i + 1)
}

/// Is a number of the request the position itself: `1`, `01`, `001`?
fn is_the_position(number: &str, i: usize) -> bool {
    number.parse() == Ok(i + 1)
}

/// The company's own numbers of its instalments, for people to read.
pub(super) fn own_numbers(ctx: &Context<'_>) -> Option<String> {
    let installments = &ctx.request.cobranca.as_ref()?.duplicatas;
    let own_numbers: Vec<String> = installments
        .iter()
        .take(MAX_INSTALLMENTS)
        .enumerate()
        .filter_map(|(i, installment)| {
            let number = installment.numero.as_deref()?.trim();
            let outside = number.is_empty() || is_the_position(number, i);
            (!outside).then(|| format!("{} = {number}", position(i)))
        })
        .collect();
    (!own_numbers.is_empty()).then(|| format!("Duplicatas: {}", own_numbers.join("; ")))
}
