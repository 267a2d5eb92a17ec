//! `transp`.

use crate::arithmetic::{f2, f4, por_cento};
use crate::assembly::parties;
use crate::context::{Contexto, Onde};
use fiscal::nfe::order::{ModalidadeFrete, RetencaoTransporte, Transporte, Veiculo, Volume};
use markup::tree::Elemento;

const MAX_REBOQUES: usize = 5;
const MAX_VOLUMES: usize = 5000;
/// Of a whole note; the layout's own limit is 5000 for each volume.
const MAX_LACRES: usize = 5000;

pub(super) fn transp(ctx: &mut Contexto<'_>) -> Elemento {
    let vazio = Transporte::default();
    let dados = ctx.pedido.transporte.as_ref().unwrap_or(&vazio);
    let onde = Onde::raiz("transporte");
    let padrao = ctx
        .emitente
        .padroes
        .modalidade_frete
        .filter(|_| !ctx.nfce());
    let modalidade = dados
        .modalidade_frete
        .or(padrao)
        .unwrap_or(ModalidadeFrete::SemFrete);
    let mut transp = Elemento::grupo("transp").com("modFrete", modalidade.codigo());
    if let Some(transportador) = &dados.transportador {
        let onde = onde.em("transportador");
        let documento =
            parties::cpf_cnpj(ctx, onde.em("cpf_cnpj"), transportador.cpf_cnpj.as_deref());
        let ie = transportador
            .ie
            .as_deref()
            .map(parties::so_ie)
            .filter(|ie| !ie.is_empty());
        transp.poe(
            Elemento::grupo("transporta")
                .filho_se(documento)
                .com_se("IE", ie),
        );
    }
    if let Some(retencao) = &dados.retencao_icms {
        transp.poe(retencao_icms(ctx, onde.em("retencao_icms"), retencao));
    }
    if let Some(dados) = &dados.veiculo {
        transp.poe(veiculo(ctx, onde.em("veiculo"), "veicTransp", dados));
    }
    if dados.reboques.len() > MAX_REBOQUES {
        ctx.erro(
            onde.em("reboques"),
            "limite",
            "São no máximo 5 reboques.",
            "Retire os excedentes.",
        );
    }
    for (i, reboque) in dados.reboques.iter().take(MAX_REBOQUES).enumerate() {
        transp.poe(veiculo(ctx, onde.n("reboques", i), "reboque", reboque));
    }
    let lacres: usize = dados.volumes.iter().map(|volume| volume.lacres.len()).sum();
    if dados.volumes.len() > MAX_VOLUMES || lacres > MAX_LACRES {
        ctx.erro(
            onde.em("volumes"),
            "limite",
            "São no máximo 5000 volumes e 5000 lacres.",
            "Agrupe os volumes.",
        );
        return transp;
    }
    for (i, dados) in dados.volumes.iter().enumerate() {
        transp.poe(volume(ctx, onde.n("volumes", i), dados));
    }
    transp
}

fn retencao_icms(ctx: &mut Contexto<'_>, onde: Onde<'_>, dados: &RetencaoTransporte) -> Elemento {
    let servico = ctx.numero(onde.em("valor_servico"), dados.valor_servico);
    let base = ctx.opcional(onde.em("base"), dados.base).unwrap_or(servico);
    let taxa = ctx.numero(onde.em("aliquota"), dados.aliquota);
    let valor = ctx.conferido(onde.em("valor"), dados.valor, por_cento(base, taxa));
    let cfop = ctx.codigo(dados.cfop.as_deref());
    if cfop.is_none() {
        ctx.falta(onde.em("cfop"), "Informe o CFOP do transporte.");
    }
    if dados.municipio.is_none() {
        ctx.falta(
            onde.em("municipio"),
            "Informe o código IBGE do início do transporte.",
        );
    }
    Elemento::grupo("retTransp")
        .com("vServ", f2(servico))
        .com("vBCRet", f2(base))
        .com("pICMSRet", f4(taxa))
        .com("vICMSRet", f2(valor))
        .com("CFOP", cfop.unwrap_or_default())
        .com(
            "cMunFG",
            dados.municipio.as_deref().unwrap_or_default().trim(),
        )
}

fn veiculo(
    ctx: &mut Contexto<'_>,
    onde: Onde<'_>,
    nome: &'static str,
    dados: &Veiculo,
) -> Elemento {
    let placa = ctx
        .codigo(dados.placa.as_deref())
        .map(|placa| placa.to_ascii_uppercase());
    if placa.is_none() {
        ctx.falta(onde.em("placa"), "Informe a placa.");
    }
    Elemento::grupo(nome).com("placa", placa.unwrap_or_default())
}

fn volume(ctx: &mut Contexto<'_>, onde: Onde<'_>, dados: &Volume) -> Elemento {
    let mut vol = Elemento::grupo("vol");
    for (i, lacre) in dados.lacres.iter().enumerate() {
        let lacre = ctx.texto_obrigatorio(onde.n("lacres", i), Some(lacre), 60);
        vol.poe(Elemento::grupo("lacres").com("nLacre", lacre));
    }
    vol
}
