//! Who carries, from where to where, and what leaves the country.

use crate::context::{Context, Place};
use crate::rules::general::municipality;
use fiscal::nfe::ie;
use fiscal::nfe::order::{Destino, TipoOperacao};

pub(super) fn transport(ctx: &mut Context<'_>) {
    let request = ctx.request;
    for (name, local) in [
        ("retirada", &request.retirada),
        ("entrega", &request.entrega),
    ] {
        let address = local.as_ref().and_then(|local| local.endereco.as_ref());
        if let Some(address) = address {
            municipality(ctx, Place::root(name).at("endereco"), address);
        }
    }
    export(ctx);
    let Some(transport) = &request.transporte else {
        return;
    };
    let place = Place::root("transporte");
    if ctx.destination == Destino::Interestadual {
        for (name, came) in [
            ("veiculo", transport.veiculo.is_some()),
            ("reboques", !transport.reboques.is_empty()),
        ] {
            if came {
                ctx.error(
                    place.at(name),
                    "nao_cabe_na_interestadual",
                    "Veículo e reboque não vão na nota interestadual, e sim no MDF-e (rejeição 868).",
                    "Retire o campo.",
                );
            }
        }
    }
    let Some(carrier) = &transport.transportador else {
        return;
    };
    let place = place.at("transportador");
    let uf = carrier.uf.as_deref().map(str::trim).unwrap_or_default();
    let uf = uf.to_ascii_uppercase();
    let Some(registration) = carrier.ie.as_deref().filter(|ie| !ie.trim().is_empty()) else {
        return;
    };
    if uf.is_empty() {
        ctx.missing(
            place.at("uf"),
            "Informe a UF da inscrição estadual do transportador (rejeição 559).",
        );
    } else if uf != "EX" && ie::le(&uf, registration).is_none() {
        ctx.fields.add_value(
            place.at("ie").to_string(),
            "ie_invalida",
            registration,
            format!("Inscrição estadual do transportador inválida para {uf} (rejeição 544)."),
            "Confira o número e a UF, ou informe ISENTO.",
        );
    }
}

/// The place of departure belongs to exports, and to all of them.
fn export(ctx: &mut Context<'_>) {
    let exports = ctx.operation == TipoOperacao::Saida && ctx.destination == Destino::Exterior;
    let came = ctx.request.exportacao.is_some();
    // Without items the group may come by its official name.
    let on_top = ctx.request.inf_nfe.as_ref();
    let on_top = on_top.is_some_and(|inf_nfe| inf_nfe.contains_key("exporta"));
    let place = Place::root("exportacao");
    if exports && !came && !on_top {
        ctx.missing(
            place,
            "Informe uf_embarque e local_embarque da mercadoria exportada (rejeição 355).",
        );
    } else if came && !exports && !ctx.nfce() {
        ctx.error(
            place,
            "exportacao_indevida",
            "O local de saída do país só vai em nota de exportação (rejeição 356).",
            "Retire o grupo, ou corrija o endereço do destinatário e o CFOP.",
        );
    }
}
