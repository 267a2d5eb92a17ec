//! Who carries, from where to where, and what leaves the country.

use crate::context::{Contexto, Onde};
use crate::rules::general::municipio;
use fiscal::nfe::ie;
use fiscal::nfe::order::{Destino, TipoOperacao};

pub(super) fn transport(ctx: &mut Contexto<'_>) {
    let pedido = ctx.pedido;
    for (nome, local) in [("retirada", &pedido.retirada), ("entrega", &pedido.entrega)] {
        let endereco = local.as_ref().and_then(|local| local.endereco.as_ref());
        if let Some(endereco) = endereco {
            municipio(ctx, Onde::raiz(nome).em("endereco"), endereco);
        }
    }
    exportacao(ctx);
    let Some(transporte) = &pedido.transporte else {
        return;
    };
    let onde = Onde::raiz("transporte");
    if ctx.destino == Destino::Interestadual {
        for (nome, veio) in [
            ("veiculo", transporte.veiculo.is_some()),
            ("reboques", !transporte.reboques.is_empty()),
        ] {
            if veio {
                ctx.erro(
                    onde.em(nome),
                    "nao_cabe_na_interestadual",
                    "Veículo e reboque não vão na nota interestadual, e sim no MDF-e (rejeição 868).",
                    "Retire o campo.",
                );
            }
        }
    }
    let Some(transportador) = &transporte.transportador else {
        return;
    };
    let onde = onde.em("transportador");
    let uf = transportador
        .uf
        .as_deref()
        .map(str::trim)
        .unwrap_or_default();
    let uf = uf.to_ascii_uppercase();
    let Some(inscricao) = transportador
        .ie
        .as_deref()
        .filter(|ie| !ie.trim().is_empty())
    else {
        return;
    };
    if uf.is_empty() {
        ctx.falta(
            onde.em("uf"),
            "Informe a UF da inscrição estadual do transportador (rejeição 559).",
        );
    } else if uf != "EX" && ie::le(&uf, inscricao).is_none() {
        ctx.campos.add_value(
            onde.em("ie").to_string(),
            "ie_invalida",
            inscricao,
            format!("Inscrição estadual do transportador inválida para {uf} (rejeição 544)."),
            "Confira o número e a UF, ou informe ISENTO.",
        );
    }
}

/// The place of departure belongs to exports, and to all of them.
fn exportacao(ctx: &mut Contexto<'_>) {
    let exporta = ctx.operacao == TipoOperacao::Saida && ctx.destino == Destino::Exterior;
    let veio = ctx.pedido.exportacao.is_some();
    // Without items the group may come by its official name.
    let por_fora = ctx.pedido.inf_nfe.as_ref();
    let por_fora = por_fora.is_some_and(|inf_nfe| inf_nfe.contains_key("exporta"));
    let onde = Onde::raiz("exportacao");
    if exporta && !veio && !por_fora {
        ctx.falta(
            onde,
            "Informe uf_embarque e local_embarque da mercadoria exportada (rejeição 355).",
        );
    } else if veio && !exporta && !ctx.nfce() {
        ctx.erro(
            onde,
            "exportacao_indevida",
            "O local de saída do país só vai em nota de exportação (rejeição 356).",
            "Retire o grupo, ou corrija o endereço do destinatário e o CFOP.",
        );
    }
}
