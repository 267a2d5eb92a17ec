//! Groups of particular goods and of foreign trade, in the order of `prod`.

use super::ide::{chave, data};
use crate::arithmetic::{f2, f4, fixo, r2, variavel, vezes};
use crate::assembly::parties;
use crate::context::{Contexto, Onde};
use fiscal::nfe::order::{
    Adicao, Cide, Combustivel, Importacao, Intermediacao, Item, Medicamento, OrigemCombustivel,
};
use markup::tree::Elemento;
use rust_decimal::Decimal;

const MAX_DI: usize = 100;
const MAX_ADICOES: usize = 999;
const MAX_LISTA: usize = 500;
const MAX_ORIGENS: usize = 30;

/// Adds what comes after the amounts: import, export, order, batches, goods.
pub(super) fn no_prod(
    ctx: &mut Contexto<'_>,
    onde: Onde<'_>,
    item: &Item,
    mut prod: Elemento,
) -> Elemento {
    limite(ctx, onde.em("importacoes"), item.importacoes.len(), MAX_DI);
    for (i, di) in item.importacoes.iter().take(MAX_DI).enumerate() {
        prod.poe(importacao(ctx, onde.n("importacoes", i), di));
    }
    exportacoes(ctx, onde, item, &mut prod);
    rastreios(ctx, onde, item, &mut prod);
    mercadoria(ctx, onde, item, prod)
}

fn limite(ctx: &mut Contexto<'_>, onde: Onde<'_>, quantos: usize, maximo: usize) {
    if quantos > maximo {
        ctx.erro(
            onde,
            "limite",
            format!("São no máximo {maximo}."),
            "Retire os excedentes.",
        );
    }
}

/// The goods that have a group of their own: only one of them.
fn mercadoria(ctx: &mut Contexto<'_>, onde: Onde<'_>, item: &Item, mut prod: Elemento) -> Elemento {
    let quantas = [
        item.veiculo_novo.is_some(),
        item.medicamento.is_some(),
        !item.armas.is_empty(),
        item.combustivel.is_some(),
        item.recopi.is_some(),
    ];
    if quantas.into_iter().filter(|ha| *ha).count() > 1 {
        ctx.erro(
            onde,
            "grupos_excludentes",
            "Um item tem só um destes: veiculo_novo, medicamento, armas, combustivel, recopi.",
            "Separe em itens diferentes.",
        );
        return prod;
    }
    if let Some(dados) = &item.medicamento {
        prod.poe(medicamento(ctx, onde.em("medicamento"), dados));
    }
    limite(ctx, onde.em("armas"), item.armas.len(), MAX_LISTA);
    for _ in item.armas.iter().take(MAX_LISTA) {
        prod.poe(Elemento::grupo("arma"));
    }
    if let Some(dados) = &item.combustivel {
        prod.poe(combustivel(ctx, onde.em("combustivel"), dados));
    }
    prod
}

fn importacao(ctx: &mut Contexto<'_>, onde: Onde<'_>, di: &Importacao) -> Elemento {
    let registrada = data(ctx, onde.em("data"), di.data.as_deref());
    let desembaraco = data(
        ctx,
        onde.em("data_desembaraco"),
        di.data_desembaraco.as_deref(),
    );
    for (nome, veio) in [
        ("data", di.data.is_some()),
        ("data_desembaraco", di.data_desembaraco.is_some()),
        ("via_transporte", di.via_transporte.is_some()),
        ("adicoes", !di.adicoes.is_empty()),
    ] {
        if !veio {
            ctx.falta(
                onde.em(nome),
                "Informe como está na declaração de importação.",
            );
        }
    }
    let intermediacao = di.intermediacao.unwrap_or(Intermediacao::ContaPropria);
    let terceiro = di.cpf_cnpj_terceiro.as_deref();
    let terceiro = parties::cpf_cnpj(ctx, onde.em("cpf_cnpj_terceiro"), terceiro);
    let mut grupo = Elemento::grupo("DI")
        .com("dDI", registrada.unwrap_or_default())
        .com("dDesemb", desembaraco.unwrap_or_default())
        .com("tpIntermedio", intermediacao.codigo())
        .filho_se(terceiro);
    limite(ctx, onde.em("adicoes"), di.adicoes.len(), MAX_ADICOES);
    for (i, adicao) in di.adicoes.iter().take(MAX_ADICOES).enumerate() {
        grupo.poe(uma_adicao(ctx, onde.n("adicoes", i), i, adicao));
    }
    grupo
}

fn uma_adicao(ctx: &mut Contexto<'_>, onde: Onde<'_>, i: usize, adicao: &Adicao) -> Elemento {
    let posicao = (i + 1).to_string();
    let desconto = ctx.opcional(onde.em("desconto"), adicao.desconto);
    let desconto = desconto.filter(|desconto| !desconto.is_zero());
    Elemento::grupo("adi")
        .com_se(
            "nAdicao",
            adicao
                .numero
                .as_deref()
                .map(|n| n.trim().trim_start_matches('0')),
        )
        .com(
            "nSeqAdic",
            adicao
                .sequencia
                .as_deref()
                .map_or(posicao.as_str(), str::trim),
        )
        .com_se("vDescDI", desconto.map(f2))
}

fn exportacoes(ctx: &mut Contexto<'_>, onde: Onde<'_>, item: &Item, prod: &mut Elemento) {
    limite(
        ctx,
        onde.em("exportacoes"),
        item.exportacoes.len(),
        MAX_LISTA,
    );
    for (i, exportacao) in item.exportacoes.iter().take(MAX_LISTA).enumerate() {
        let onde = onde.n("exportacoes", i);
        let mut grupo = Elemento::grupo("detExport");
        if exportacao.chave.is_some() || exportacao.registro_exportacao.is_some() {
            let chave = chave(ctx, onde.em("chave"), exportacao.chave.as_deref());
            if exportacao.chave.is_none() {
                ctx.falta(
                    onde.em("chave"),
                    "Informe a chave da nota recebida para exportação.",
                );
            }
            let quantidade = ctx.numero(onde.em("quantidade"), exportacao.quantidade);
            grupo.poe(
                Elemento::grupo("exportInd")
                    .com(
                        "nRE",
                        ctx.codigo(exportacao.registro_exportacao.as_deref())
                            .unwrap_or_default(),
                    )
                    .com(
                        "chNFe",
                        chave.map(|chave| chave.to_string()).unwrap_or_default(),
                    )
                    .com("qExport", variavel(quantidade, 0, 4)),
            );
        }
        prod.poe(grupo);
    }
}

fn rastreios(ctx: &mut Contexto<'_>, onde: Onde<'_>, item: &Item, prod: &mut Elemento) {
    limite(ctx, onde.em("rastreios"), item.rastreios.len(), MAX_LISTA);
    for (i, rastreio) in item.rastreios.iter().take(MAX_LISTA).enumerate() {
        let onde = onde.n("rastreios", i);
        let lote = ctx.texto_obrigatorio(onde.em("lote"), rastreio.lote.as_deref(), 20);
        let quantidade = ctx.numero(onde.em("quantidade"), rastreio.quantidade);
        for (nome, veio) in [
            ("data_fabricacao", rastreio.data_fabricacao.is_some()),
            ("data_validade", rastreio.data_validade.is_some()),
        ] {
            if !veio {
                ctx.falta(onde.em(nome), "Informe a data do lote.");
            }
        }
        let feito = data(
            ctx,
            onde.em("data_fabricacao"),
            rastreio.data_fabricacao.as_deref(),
        );
        let vence = data(
            ctx,
            onde.em("data_validade"),
            rastreio.data_validade.as_deref(),
        );
        prod.poe(
            Elemento::grupo("rastro")
                .com("nLote", lote)
                .com("qLote", lote_quantidade(quantidade))
                .com("dFab", feito.unwrap_or_default())
                .com("dVal", vence.unwrap_or_default()),
        );
    }
}

/// TDec_0803v: below one it wants all three decimals.
fn lote_quantidade(quantidade: Decimal) -> String {
    match quantidade < Decimal::ONE && !quantidade.is_zero() {
        true => fixo(quantidade, 3),
        false => variavel(quantidade, 0, 3),
    }
}

fn medicamento(ctx: &mut Contexto<'_>, onde: Onde<'_>, dados: &Medicamento) -> Elemento {
    let codigo = ctx
        .codigo(dados.codigo_anvisa.as_deref())
        .map(|c| c.to_ascii_uppercase());
    if codigo.is_none() {
        ctx.falta(
            onde.em("codigo_anvisa"),
            "Informe o registro na ANVISA ou \"ISENTO\".",
        );
    }
    Elemento::grupo("med").com("cProdANVISA", codigo.unwrap_or_default())
}

fn combustivel(ctx: &mut Contexto<'_>, onde: Onde<'_>, dados: &Combustivel) -> Elemento {
    let codigo = ctx.codigo(dados.codigo_anp.as_deref()).unwrap_or_default();
    if codigo.is_empty() {
        ctx.falta(onde.em("codigo_anp"), "Informe o código de produto da ANP.");
    }
    let descricao = match dados.descricao_anp.as_deref() {
        None => data::anp::get(&codigo)
            .map(|produto| produto.descricao.chars().take(95).collect())
            .or_else(|| {
                ctx.falta(
                    onde.em("descricao_anp"),
                    "Informe a descrição do produto na ANP.",
                );
                None
            }),
        texto => ctx.texto(onde.em("descricao_anp"), texto, 95),
    };
    let mut percentual = |nome, valor| {
        let valor = ctx.opcional(onde.em(nome), valor);
        valor.filter(|valor| !valor.is_zero()).map(f4)
    };
    let glp = percentual("percentual_glp", dados.percentual_glp);
    let nacional = percentual("percentual_gas_nacional", dados.percentual_gas_nacional);
    let importado = percentual("percentual_gas_importado", dados.percentual_gas_importado);
    let temperatura = ctx.opcional(
        onde.em("quantidade_temperatura"),
        dados.quantidade_temperatura,
    );
    let biodiesel = ctx.opcional(onde.em("percentual_biodiesel"), dados.percentual_biodiesel);
    let uf = dados
        .uf_consumo
        .as_deref()
        .map_or(ctx.uf_destino, str::trim);
    let mut grupo = Elemento::grupo("comb")
        .com("cProdANP", codigo)
        .com("descANP", descricao.unwrap_or_default())
        .com_se("pGLP", glp)
        .com_se("pGNn", nacional)
        .com_se("pGNi", importado)
        .com_se(
            "qTemp",
            temperatura.filter(|q| !q.is_zero()).map(|q| fixo(q, 4)),
        )
        .com("UFCons", uf.to_ascii_uppercase());
    if let Some(dados) = &dados.cide {
        grupo.poe(cide(ctx, onde.em("cide"), dados));
    }
    grupo = grupo.com_se("pBio", biodiesel.filter(|p| !p.is_zero()).map(f4));
    limite(ctx, onde.em("origens"), dados.origens.len(), MAX_ORIGENS);
    for (i, origem) in dados.origens.iter().take(MAX_ORIGENS).enumerate() {
        grupo.poe(origem_combustivel(ctx, onde.n("origens", i), origem));
    }
    grupo
}

fn cide(ctx: &mut Contexto<'_>, onde: Onde<'_>, cide: &Cide) -> Elemento {
    let base = ctx.numero(onde.em("base"), cide.base);
    let taxa = ctx.numero(onde.em("aliquota"), cide.aliquota);
    let calculado = r2(vezes(base, taxa));
    let valor = ctx.conferido(onde.em("valor"), cide.valor, calculado);
    Elemento::grupo("CIDE")
        .com("qBCProd", variavel(base, 0, 4))
        .com("vAliqProd", f4(taxa))
        .com("vCIDE", f2(valor))
}

fn origem_combustivel(
    ctx: &mut Contexto<'_>,
    onde: Onde<'_>,
    origem: &OrigemCombustivel,
) -> Elemento {
    let uf = origem
        .uf
        .as_deref()
        .unwrap_or_default()
        .trim()
        .to_ascii_uppercase();
    let uf = data::ufs::por_sigla(&uf);
    if uf.is_none() {
        ctx.falta(onde.em("uf"), "Informe a sigla da UF de origem.");
    }
    let percentual = ctx.numero(onde.em("percentual"), origem.percentual);
    Elemento::grupo("origComb")
        .com(
            "indImport",
            if origem.importado == Some(true) {
                "1"
            } else {
                "0"
            },
        )
        .com(
            "cUFOrig",
            uf.map(|uf| uf.codigo.to_string()).unwrap_or_default(),
        )
        .com("pOrig", f4(percentual))
}
