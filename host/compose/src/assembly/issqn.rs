//! `ISSQN` of a service on a product note (conjugada).

use crate::arithmetic::{f2, f4, mais, por_cento, r2};
use crate::assembly::line::Linha;
use crate::assembly::sums::Somas;
use crate::context::{Contexto, Onde};
use fiscal::nfe::order::{ExigibilidadeIss, Issqn};
use markup::tree::Elemento;
use rust_decimal::Decimal;

pub(super) fn issqn(ctx: &mut Contexto<'_>, linha: &Linha<'_>, somas: &mut Somas) -> Elemento {
    let vazio = Issqn::default();
    let dados = linha
        .item
        .impostos
        .as_ref()
        .and_then(|impostos| impostos.issqn.as_ref())
        .unwrap_or(&vazio);
    let impostos = linha.onde.em("impostos");
    let onde = impostos.em("issqn");
    let mut reais = |nome, numero| ctx.opcional(onde.em(nome), numero).map(r2);
    let deducao = reais("deducao", dados.deducao);
    let outro = reais("outras_retencoes", dados.outras_retencoes);
    let incond = reais("desconto_incondicionado", dados.desconto_incondicionado);
    let cond = reais("desconto_condicionado", dados.desconto_condicionado);
    let retido = reais("iss_retido", dados.iss_retido);
    let base = match ctx.opcional(onde.em("base"), dados.base) {
        Some(base) => r2(base),
        None => {
            let fora = mais(deducao.unwrap_or_default(), incond.unwrap_or_default());
            mais(linha.valores.operacao(), -fora).max(Decimal::ZERO)
        }
    };
    let taxa = ctx.numero(onde.em("aliquota"), dados.aliquota);
    let valor = ctx.conferido(onde.em("valor"), dados.valor, por_cento(base, taxa));
    let item = item_da_lista(ctx, onde, dados);
    let municipio = municipio(ctx, dados);
    let servico = ctx.texto(
        onde.em("codigo_servico"),
        dados.codigo_servico.as_deref(),
        20,
    );
    let processo = ctx.texto(
        onde.em("numero_processo"),
        dados.numero_processo.as_deref(),
        30,
    );
    somas.bc_iss = base;
    somas.iss = valor;
    somas.deducao_serv = deducao.unwrap_or_default();
    somas.outro_serv = outro.unwrap_or_default();
    somas.desc_incond = incond.unwrap_or_default();
    somas.desc_cond = cond.unwrap_or_default();
    somas.iss_retido = retido.unwrap_or_default();
    let se = |valor: Option<Decimal>| valor.filter(|valor| !valor.is_zero()).map(f2);
    Elemento::grupo("ISSQN")
        .com("vBC", f2(base))
        .com("vAliq", f4(taxa))
        .com("vISSQN", f2(valor))
        .com("cMunFG", municipio)
        .com("cListServ", item)
        .com_se("vDeducao", se(deducao))
        .com_se("vOutro", se(outro))
        .com_se("vDescIncond", se(incond))
        .com_se("vDescCond", se(cond))
        .com_se("vISSRet", se(retido))
        .com(
            "indISS",
            dados
                .exigibilidade
                .unwrap_or(ExigibilidadeIss::Exigivel)
                .codigo(),
        )
        .com_se("cServico", servico)
        .com_se("cMun", dados.municipio_incidencia.as_deref().map(str::trim))
        .com_se("cPais", dados.codigo_pais.as_deref().map(str::trim))
        .com_se("nProcesso", processo)
        .com(
            "indIncentivo",
            if dados.incentivo == Some(true) {
                "1"
            } else {
                "2"
            },
        )
}

/// Where the tax is due: the emitter's municipality if none is given.
fn municipio(ctx: &Contexto<'_>, dados: &Issqn) -> String {
    let municipio = dados.municipio.as_deref();
    let municipio = municipio.or(ctx.emitente.endereco.codigo_ibge.as_deref());
    municipio.unwrap_or_default().trim().to_owned()
}

/// Item of the list of LC 116/2003, as the layout wants it.
fn item_da_lista(ctx: &mut Contexto<'_>, onde: Onde<'_>, dados: &Issqn) -> String {
    let item = dados
        .item_lista_servico
        .as_deref()
        .unwrap_or_default()
        .trim();
    if item.is_empty() {
        ctx.falta(
            onde.em("item_lista_servico"),
            "Informe o item da LC 116/2003, como 14.01.",
        );
    }
    // The layout wants two digits on each side of the point.
    match item.split_once('.') {
        Some((grupo, resto)) => format!("{grupo:0>2}.{resto:0>2}"),
        None => item.to_owned(),
    }
}
