//! Codes people punctuate: masks come off, but what has nothing beside masks,
//! or letters and digits of another script, is no code. It would be left out
//! without a word, and a default would stand in its place.

use crate::context::{Context, Place};
use fiscal::nfe::order::{Endereco, Item};

pub(super) fn codes(ctx: &mut Context<'_>) {
    let request = ctx.request;
    let who = ctx.receiver_place();
    if let Some(person) = request.receiver().1 {
        codigo(ctx, who.at("suframa"), person.suframa.as_deref());
        telefone(ctx, who.at("telefone"), person.telefone.as_deref());
        address(ctx, who, person.endereco.as_ref());
    }
    for (name, local) in [
        ("retirada", &request.retirada),
        ("entrega", &request.entrega),
    ] {
        if let Some(local) = local {
            let place = Place::root(name);
            telefone(ctx, place.at("telefone"), local.telefone.as_deref());
            address(ctx, place, local.endereco.as_ref());
        }
    }
    if let Some(technician) = &request.responsavel_tecnico {
        let place = Place::root("responsavel_tecnico");
        telefone(ctx, place.at("telefone"), technician.telefone.as_deref());
    }
    if let Some(transport) = &request.transporte {
        let place = Place::root("transporte");
        if let Some(veiculo) = &transport.veiculo {
            let place = place.at("veiculo");
            codigo(ctx, place.at("placa"), veiculo.placa.as_deref());
        }
        for (i, trailer) in transport.reboques.iter().enumerate() {
            let place = place.n("reboques", i);
            codigo(ctx, place.at("placa"), trailer.placa.as_deref());
        }
    }
    for (i, one) in request.itens.iter().enumerate() {
        item(ctx, Place::list("itens", i), one);
    }
}

fn address(ctx: &mut Context<'_>, place: Place<'_>, address: Option<&Endereco>) {
    let place = place.at("endereco");
    codigo(
        ctx,
        place.at("cep"),
        address.and_then(|address| address.cep.as_deref()),
    );
}

fn item(ctx: &mut Context<'_>, place: Place<'_>, item: &Item) {
    for (name, text) in [
        ("ncm", &item.ncm),
        ("cest", &item.cest),
        ("ex_tipi", &item.ex_tipi),
        ("cfop", &item.cfop),
        ("recopi", &item.recopi),
    ] {
        codigo(ctx, place.at(name), text.as_deref());
    }
    if let Some(fuel) = &item.combustivel {
        let place = place.at("combustivel");
        codigo(ctx, place.at("codigo_anp"), fuel.codigo_anp.as_deref());
        codigo(ctx, place.at("codif"), fuel.codif.as_deref());
    }
}

fn codigo(ctx: &mut Context<'_>, place: Place<'_>, text: Option<&str>) {
    check(ctx, place, text, |c| c.is_ascii_alphanumeric());
}

fn telefone(ctx: &mut Context<'_>, place: Place<'_>, text: Option<&str>) {
    check(ctx, place, text, |c| c.is_ascii_digit());
}

/// Blank counts as absent.
fn check(ctx: &mut Context<'_>, place: Place<'_>, text: Option<&str>, serve: fn(char) -> bool) {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
        return;
    };
    let foreign = |c: char| !c.is_ascii() && c.is_alphanumeric();
    if !text.chars().any(serve) || text.chars().any(foreign) {
        ctx.fields.add_value(
            place.to_string(),
            "codigo_invalido",
            text,
            "O campo não tem os dígitos de um código.",
            "Informe os dígitos, de 0 a 9, ou omita o campo.",
        );
    }
}
