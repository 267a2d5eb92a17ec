//! Groups of particular goods and of foreign trade, in the order of `prod`.

use super::ide::{chave, data};
use crate::arithmetic::{f2, f4, fixo, r2, variavel, vezes};
use crate::assembly::parties;
use crate::context::{Contexto, Onde};
use fiscal::nfe::order::{
    Adicao, Arma, Cide, Combustivel, Encerrante, Importacao, Intermediacao, Item, Medicamento,
    OrigemCombustivel, VeiculoNovo,
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
    if let Some(pedido) = &item.pedido {
        let onde = onde.em("pedido");
        let numero = ctx.texto(onde.em("numero"), pedido.numero.as_deref(), 15);
        prod = prod
            .com_se("xPed", numero)
            .com_se("nItemPed", pedido.item.as_deref().map(str::trim));
    }
    prod = prod.com_se(
        "nFCI",
        item.fci
            .as_deref()
            .map(|fci| fci.trim().to_ascii_uppercase()),
    );
    rastreios(ctx, onde, item, &mut prod);
    if let Some(embalagem) = &item.embalagem {
        let onde = onde.em("embalagem");
        let descricao =
            ctx.texto_obrigatorio(onde.em("descricao"), embalagem.descricao.as_deref(), 8);
        let volume = ctx.numero(onde.em("volume"), embalagem.volume);
        let unidade = ctx.texto_obrigatorio(onde.em("unidade"), embalagem.unidade.as_deref(), 8);
        prod.poe(
            Elemento::grupo("infProdEmb")
                .com("xEmb", descricao)
                .com("qVolEmb", variavel(volume, 0, 3))
                .com("uEmb", unidade),
        );
    }
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
    if let Some(dados) = &item.veiculo_novo {
        prod.poe(veiculo(ctx, onde.em("veiculo_novo"), dados));
    }
    if let Some(dados) = &item.medicamento {
        prod.poe(medicamento(ctx, onde.em("medicamento"), dados));
    }
    limite(ctx, onde.em("armas"), item.armas.len(), MAX_LISTA);
    for (i, dados) in item.armas.iter().take(MAX_LISTA).enumerate() {
        prod.poe(arma(ctx, onde.n("armas", i), dados));
    }
    if let Some(dados) = &item.combustivel {
        prod.poe(combustivel(ctx, onde.em("combustivel"), dados));
    }
    prod.com_se("nRECOPI", ctx.codigo(item.recopi.as_deref()))
}

fn importacao(ctx: &mut Contexto<'_>, onde: Onde<'_>, di: &Importacao) -> Elemento {
    let numero = ctx.texto_obrigatorio(onde.em("numero"), di.numero.as_deref(), 15);
    let registrada = data(ctx, onde.em("data"), di.data.as_deref());
    let local = ctx.texto_obrigatorio(
        onde.em("local_desembaraco"),
        di.local_desembaraco.as_deref(),
        60,
    );
    let uf = ctx.texto_obrigatorio(onde.em("uf_desembaraco"), di.uf_desembaraco.as_deref(), 2);
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
    let afrmm = ctx.opcional(onde.em("valor_afrmm"), di.valor_afrmm);
    let intermediacao = di.intermediacao.unwrap_or(Intermediacao::ContaPropria);
    let terceiro = di.cpf_cnpj_terceiro.as_deref();
    let terceiro = parties::cpf_cnpj(ctx, onde.em("cpf_cnpj_terceiro"), terceiro);
    let exportador = ctx.texto_obrigatorio(
        onde.em("codigo_exportador"),
        di.codigo_exportador.as_deref(),
        60,
    );
    let mut grupo = Elemento::grupo("DI")
        .com("nDI", numero)
        .com("dDI", registrada.unwrap_or_default())
        .com("xLocDesemb", local)
        .com("UFDesemb", uf.to_ascii_uppercase())
        .com("dDesemb", desembaraco.unwrap_or_default())
        .com_se("tpViaTransp", di.via_transporte.map(|via| via.codigo()))
        .com_se("vAFRMM", afrmm.map(f2))
        .com("tpIntermedio", intermediacao.codigo())
        .filho_se(terceiro)
        .com_se(
            "UFTerceiro",
            di.uf_terceiro
                .as_deref()
                .map(|uf| uf.trim().to_ascii_uppercase()),
        )
        .com("cExportador", exportador);
    limite(ctx, onde.em("adicoes"), di.adicoes.len(), MAX_ADICOES);
    for (i, adicao) in di.adicoes.iter().take(MAX_ADICOES).enumerate() {
        grupo.poe(uma_adicao(ctx, onde.n("adicoes", i), i, adicao));
    }
    grupo
}

fn uma_adicao(ctx: &mut Contexto<'_>, onde: Onde<'_>, i: usize, adicao: &Adicao) -> Elemento {
    let posicao = (i + 1).to_string();
    let fabricante = ctx.texto_obrigatorio(
        onde.em("codigo_fabricante"),
        adicao.codigo_fabricante.as_deref(),
        60,
    );
    let desconto = ctx.opcional(onde.em("desconto"), adicao.desconto);
    let desconto = desconto.filter(|desconto| !desconto.is_zero());
    let drawback = ctx.texto(onde.em("drawback"), adicao.drawback.as_deref(), 20);
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
        .com("cFabricante", fabricante)
        .com_se("vDescDI", desconto.map(f2))
        .com_se("nDraw", drawback)
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
        let drawback = ctx.texto(onde.em("drawback"), exportacao.drawback.as_deref(), 20);
        let mut grupo = Elemento::grupo("detExport").com_se("nDraw", drawback);
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
        let agregacao = ctx.texto(
            onde.em("codigo_agregacao"),
            rastreio.codigo_agregacao.as_deref(),
            20,
        );
        prod.poe(
            Elemento::grupo("rastro")
                .com("nLote", lote)
                .com("qLote", lote_quantidade(quantidade))
                .com("dFab", feito.unwrap_or_default())
                .com("dVal", vence.unwrap_or_default())
                .com_se("cAgreg", agregacao),
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

fn veiculo(ctx: &mut Contexto<'_>, onde: Onde<'_>, v: &VeiculoNovo) -> Elemento {
    let mut grupo = Elemento::grupo("veicProd");
    for (elemento, campo, texto, maximo) in [
        ("tpOp", "tipo_operacao", &v.tipo_operacao, 1),
        ("chassi", "chassi", &v.chassi, 17),
        ("cCor", "codigo_cor", &v.codigo_cor, 4),
        ("xCor", "cor", &v.cor, 40),
        ("pot", "potencia", &v.potencia, 4),
        ("cilin", "cilindradas", &v.cilindradas, 4),
        ("pesoL", "peso_liquido", &v.peso_liquido, 9),
        ("pesoB", "peso_bruto", &v.peso_bruto, 9),
        ("nSerie", "serie", &v.serie, 9),
        ("tpComb", "tipo_combustivel", &v.tipo_combustivel, 2),
        ("nMotor", "motor", &v.motor, 21),
        ("CMT", "capacidade_tracao", &v.capacidade_tracao, 9),
        ("dist", "distancia_eixos", &v.distancia_eixos, 4),
        ("anoMod", "ano_modelo", &v.ano_modelo, 4),
        ("anoFab", "ano_fabricacao", &v.ano_fabricacao, 4),
        ("tpPint", "tipo_pintura", &v.tipo_pintura, 1),
        ("tpVeic", "tipo_veiculo", &v.tipo_veiculo, 2),
        ("espVeic", "especie", &v.especie, 1),
        ("VIN", "vin", &v.vin, 1),
        ("condVeic", "condicao", &v.condicao, 1),
        ("cMod", "codigo_modelo", &v.codigo_modelo, 6),
        (
            "cCorDENATRAN",
            "codigo_cor_denatran",
            &v.codigo_cor_denatran,
            2,
        ),
        ("lota", "lotacao", &v.lotacao, 3),
        ("tpRest", "restricao", &v.restricao, 1),
    ] {
        let texto = ctx.texto_obrigatorio(onde.em(campo), texto.as_deref(), maximo);
        grupo.poe(Elemento::campo(elemento, texto));
    }
    grupo
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
    let motivo = ctx.texto(
        onde.em("motivo_isencao"),
        dados.motivo_isencao.as_deref(),
        255,
    );
    let preco = ctx.numero(onde.em("preco_maximo"), dados.preco_maximo);
    Elemento::grupo("med")
        .com("cProdANVISA", codigo.unwrap_or_default())
        .com_se("xMotivoIsencao", motivo)
        .com("vPMC", f2(preco))
}

fn arma(ctx: &mut Contexto<'_>, onde: Onde<'_>, dados: &Arma) -> Elemento {
    let tipo = ctx.texto_obrigatorio(onde.em("tipo"), dados.tipo.as_deref(), 1);
    let serie = ctx.texto_obrigatorio(onde.em("serie"), dados.serie.as_deref(), 15);
    let cano = ctx.texto_obrigatorio(onde.em("cano"), dados.cano.as_deref(), 15);
    let descricao = ctx.texto_obrigatorio(onde.em("descricao"), dados.descricao.as_deref(), 256);
    Elemento::grupo("arma")
        .com("tpArma", tipo)
        .com("nSerie", serie)
        .com("nCano", cano)
        .com("descr", descricao)
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
    let partida = ctx.opcional(onde.em("valor_partida"), dados.valor_partida);
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
        .com_se("vPart", partida.map(f2))
        .com_se("CODIF", ctx.codigo(dados.codif.as_deref()))
        .com_se(
            "qTemp",
            temperatura.filter(|q| !q.is_zero()).map(|q| fixo(q, 4)),
        )
        .com("UFCons", uf.to_ascii_uppercase());
    if let Some(dados) = &dados.cide {
        grupo.poe(cide(ctx, onde.em("cide"), dados));
    }
    if let Some(dados) = &dados.encerrante {
        grupo.poe(encerrante(ctx, onde.em("encerrante"), dados));
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

fn encerrante(ctx: &mut Contexto<'_>, onde: Onde<'_>, encerrante: &Encerrante) -> Elemento {
    let bico = ctx.texto_obrigatorio(onde.em("bico"), encerrante.bico.as_deref(), 3);
    let tanque = ctx.texto_obrigatorio(onde.em("tanque"), encerrante.tanque.as_deref(), 3);
    let inicial = ctx.numero(onde.em("inicial"), encerrante.inicial);
    let no_fim = ctx.numero(onde.em("final"), encerrante.valor_final);
    Elemento::grupo("encerrante")
        .com("nBico", bico)
        .com_se("nBomba", encerrante.bomba.as_deref().map(str::trim))
        .com("nTanque", tanque)
        .com("vEncIni", fixo(inicial, 3))
        .com("vEncFin", fixo(no_fim, 3))
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
