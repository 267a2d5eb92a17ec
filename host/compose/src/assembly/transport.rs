//! `transp`.

use crate::arithmetic::{f2, f4, percent_of};
use crate::assembly::parties;
use crate::context::{Context, Place};
use fiscal::nfe::order::{ModalidadeFrete, RetencaoTransporte, Transporte, Veiculo, Volume};
use markup::tree::Node;

const MAX_TRAILERS: usize = 5;
const MAX_VOLUMES: usize = 5000;
/// Of a whole note; the layout's own limit is 5000 for each volume.
const MAX_SEALS: usize = 5000;

pub(super) fn transp(ctx: &mut Context<'_>) -> Node {
    let empty = Transporte::default();
    let given = ctx.request.transporte.as_ref().unwrap_or(&empty);
    let place = Place::root("transporte");
    let default = ctx.emitter.padroes.modalidade_frete.filter(|_| !ctx.nfce());
    let modality = given
        .modalidade_frete
        .or(default)
        .unwrap_or(ModalidadeFrete::SemFrete);
    let mut transp = Node::group("transp").with("modFrete", modality.codigo());
    if let Some(carrier) = &given.transportador {
        let place = place.at("transportador");
        let documento = parties::cpf_cnpj(ctx, place.at("cpf_cnpj"), carrier.cpf_cnpj.as_deref());
        let ie = carrier
            .ie
            .as_deref()
            .map(parties::only_ie)
            .filter(|ie| !ie.is_empty());
        transp.put(
            Node::group("transporta")
                .child_if(documento)
                .with_if("IE", ie),
        );
    }
    if let Some(withholding) = &given.retencao_icms {
        transp.put(icms_withholding(
            ctx,
            place.at("retencao_icms"),
            withholding,
        ));
    }
    if let Some(given) = &given.veiculo {
        transp.put(veiculo(ctx, place.at("veiculo"), "veicTransp", given));
    }
    if given.reboques.len() > MAX_TRAILERS {
        ctx.error(
            place.at("reboques"),
            "limite",
            "São no máximo 5 reboques.",
            "Retire os excedentes.",
        );
    }
    for (i, trailer) in given.reboques.iter().take(MAX_TRAILERS).enumerate() {
        transp.put(veiculo(ctx, place.n("reboques", i), "reboque", trailer));
    }
    let seals: usize = given.volumes.iter().map(|volume| volume.lacres.len()).sum();
    if given.volumes.len() > MAX_VOLUMES || seals > MAX_SEALS {
        ctx.error(
            place.at("volumes"),
            "limite",
            "São no máximo 5000 volumes e 5000 lacres.",
            "Agrupe os volumes.",
        );
        return transp;
    }
    for (i, given) in given.volumes.iter().enumerate() {
        transp.put(volume(ctx, place.n("volumes", i), given));
    }
    transp
}

fn icms_withholding(ctx: &mut Context<'_>, place: Place<'_>, given: &RetencaoTransporte) -> Node {
    let service = ctx.number(place.at("valor_servico"), given.valor_servico);
    let base = ctx
        .optional(place.at("base"), given.base)
        .unwrap_or(service);
    let rate = ctx.number(place.at("aliquota"), given.aliquota);
    let value = ctx.checked(place.at("valor"), given.valor, percent_of(base, rate));
    let cfop = ctx.codigo(given.cfop.as_deref());
    if cfop.is_none() {
        ctx.missing(place.at("cfop"), "Informe o CFOP do transporte.");
    }
    if given.municipio.is_none() {
        ctx.missing(
            place.at("municipio"),
            "Informe o código IBGE do início do transporte.",
        );
    }
    Node::group("retTransp")
        .with("vServ", f2(service))
        .with("vBCRet", f2(base))
        .with("pICMSRet", f4(rate))
        .with("vICMSRet", f2(value))
        .with("CFOP", cfop.unwrap_or_default())
        .with(
            "cMunFG",
            given.municipio.as_deref().unwrap_or_default().trim(),
        )
}

fn veiculo(ctx: &mut Context<'_>, place: Place<'_>, name: &'static str, given: &Veiculo) -> Node {
    let placa = ctx
        .codigo(given.placa.as_deref())
        .map(|placa| placa.to_ascii_uppercase());
    if placa.is_none() {
        ctx.missing(place.at("placa"), "Informe a placa.");
    }
    Node::group(name).with("placa", placa.unwrap_or_default())
}

fn volume(ctx: &mut Context<'_>, place: Place<'_>, given: &Volume) -> Node {
    let mut vol = Node::group("vol");
    for (i, seal) in given.lacres.iter().enumerate() {
        let seal = ctx.mandatory_text(place.n("lacres", i), Some(seal), 60);
        vol.put(Node::group("lacres").with("nLacre", seal));
    }
    vol
}
