//! `det`: goods, taxes and what belongs to the item.

use super::{difal, icms, ide, ipi, issqn};
use crate::arithmetic::{self, f2, fixo, mais, variavel};
use crate::assembly::line::{self, Linha, Valores};
use crate::assembly::parties;
use crate::assembly::sums::Somas;
use crate::assembly::{contributions, particular, reform};
use crate::context::{Contexto, Onde};
use crate::frame::Ambiente;
use crate::ibs_cbs;
use fiscal::nfe::order::{Destino, Finalidade, Icms, Impostos, IndicadorIe, Item, TipoOperacao};
use markup::ids::gtin_valido;
use markup::tree::Elemento;
use rust_decimal::Decimal;

/// What the first item of an NFC-e is called in homologation (MOC, I04-10;
/// rejection 373).
const DESCRICAO_HOMOLOGACAO: &str =
    "NOTA FISCAL EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL";

/// An item put together.
pub(super) struct Feito {
    pub det: Elemento,
    pub somas: Somas,
    pub reforma: ibs_cbs::Somas,
    pub v_item: Decimal,
}

/// Builds the item at a position, from 0.
pub(super) fn det(ctx: &mut Contexto<'_>, i: usize, item: &Item, valores: Valores) -> Feito {
    let onde = Onde::lista("itens", i);
    if item
        .numero
        .is_some_and(|numero| *numero != Decimal::from(i + 1))
    {
        ctx.erro(
            onde.em("numero"),
            "numero_do_item",
            "Os itens são numerados em sequência, a partir de 1.",
            "Omita numero ou informe a posição do item.",
        );
    }
    let linha = line::line(ctx, onde, item, valores);
    let mut somas = Somas::default();
    let prod = prod(ctx, i, &linha);
    let imposto = imposto(ctx, &linha, &mut somas);
    let v = &linha.valores;
    if linha.compoe_total {
        match linha.servico {
            true => somas.serv = v.prod,
            false => somas.prod = v.prod,
        }
    }
    somas.frete = v.frete;
    somas.seguro = v.seguro;
    somas.desconto = v.desconto;
    somas.outro = v.outro;
    let devolucao = devolucao(ctx, onde, item, &mut somas);
    // The IS is part of the base of IBS and CBS (LC 214/2025 art. 12 §1 V).
    let seletivo = reform::seletivo(ctx, &linha, &mut somas);
    let reforma = reform::ibs_cbs(ctx, &linha, &somas);
    let mut imposto = imposto.filho_se(seletivo);
    let parcela = somas.total();
    if parcela.is_sign_negative() {
        ctx.erro(
            onde,
            "item_negativo",
            "Descontos e desonerações do item passam do que ele soma ao total.",
            "Reduza-os; um item com compoe_total false não soma seu valor.",
        );
    }
    let v_item = ibs_cbs::v_item(ctx.dados.dh_emi.date(), parcela, &reforma.somas, somas.is);
    let com_v_item = reforma.elemento.is_some();
    if let Some(grupo) = reforma.elemento {
        imposto.poe(grupo);
    }
    let referido = referido(ctx, onde, item);
    let det = Elemento::grupo("det")
        .atributo("nItem", (i + 1).to_string())
        .filho(prod)
        .filho(imposto)
        .filho_se(devolucao)
        .com_se("vItem", com_v_item.then(|| f2(v_item)))
        .filho_se(referido);
    Feito {
        det,
        somas,
        reforma: reforma.somas,
        v_item,
    }
}

fn prod(ctx: &mut Contexto<'_>, i: usize, linha: &Linha<'_>) -> Elemento {
    let (item, onde, v) = (linha.item, linha.onde, &linha.valores);
    let descricao = descricao(ctx, i, linha);
    let cfop = cfop(ctx, onde, item);
    let codigo = ctx
        .texto(onde.em("codigo"), item.codigo.as_deref(), 60)
        // MOC, I02: without a code, "CFOP" and the code of the operation.
        .unwrap_or_else(|| format!("CFOP{cfop}"));
    let gtin = gtin(ctx, onde.em("gtin"), item.gtin.as_deref());
    let gtin_tributavel = match &item.gtin_tributavel {
        Some(texto) => self::gtin(ctx, onde.em("gtin_tributavel"), Some(texto)),
        None => gtin.clone(),
    };
    let ncm = ncm(ctx, onde, item);
    let (unidade, tributavel) = unidades(ctx, onde, item);
    let unitario_tributavel = unitario_tributavel(ctx, linha);
    let cest = ctx.codigo(item.cest.as_deref());
    let com_cest = cest.is_some();
    let fabricante = com_cest.then(|| fabricante(ctx, onde, item)).flatten();
    let escala = item.escala_relevante.filter(|_| com_cest);
    let se = |valor: Decimal| (!valor.is_zero()).then(|| f2(valor));
    let mut prod = Elemento::grupo("prod")
        .com("cProd", codigo)
        .com("cEAN", gtin)
        .com("xProd", descricao)
        .com("NCM", ncm.unwrap_or_default())
        .filhos(
            item.nve
                .iter()
                .take(9)
                .map(|nve| Elemento::campo("NVE", nve.trim().to_ascii_uppercase())),
        )
        .com_se("CEST", cest)
        .com_se(
            "indEscala",
            escala.map(|relevante| if relevante { "S" } else { "N" }),
        )
        .filho_se(fabricante);
    prod = prod
        .filhos(creditos(ctx, onde, item))
        .com("CFOP", cfop)
        .com("uCom", unidade)
        .com("qCom", variavel(linha.quantidade, 0, 4))
        .com("vUnCom", variavel(linha.unitario, 2, 10))
        .com("vProd", f2(v.prod))
        .com("cEANTrib", gtin_tributavel)
        .com("uTrib", tributavel)
        .com("qTrib", variavel(linha.quantidade_tributavel, 0, 4))
        .com("vUnTrib", variavel(unitario_tributavel, 2, 10))
        .com_se("vFrete", se(v.frete))
        .com_se("vSeg", se(v.seguro))
        .com_se("vDesc", se(v.desconto))
        .com_se("vOutro", se(v.outro))
        .com("indTot", if linha.compoe_total { "1" } else { "0" })
        .com_se(
            "indBemMovelUsado",
            (item.bem_movel_usado == Some(true)).then_some("1"),
        );
    particular::no_prod(ctx, onde, item, prod)
}

fn descricao(ctx: &mut Contexto<'_>, i: usize, linha: &Linha<'_>) -> String {
    let descricao = ctx.texto_obrigatorio(
        linha.onde.em("descricao"),
        linha.item.descricao.as_deref(),
        120,
    );
    let homologacao = ctx.nfce() && i == 0 && ctx.dados.ambiente == Ambiente::Homologacao;
    if homologacao {
        DESCRICAO_HOMOLOGACAO.to_owned()
    } else {
        descricao
    }
}

/// Who made it; the layout has a place for it beside the CEST alone.
fn fabricante(ctx: &mut Contexto<'_>, onde: Onde<'_>, item: &Item) -> Option<Elemento> {
    let texto = item.cnpj_fabricante.as_deref()?;
    parties::cnpj(ctx, onde.em("cnpj_fabricante"), "CNPJFab", Some(texto))
}

fn ncm(ctx: &mut Contexto<'_>, onde: Onde<'_>, item: &Item) -> Option<String> {
    let ncm = ctx.codigo(item.ncm.as_deref());
    if ncm.is_none() {
        ctx.falta(
            onde.em("ncm"),
            "Informe o NCM de 8 dígitos (\"00\" para serviços).",
        );
    }
    ncm
}

/// Units of what is sold and of what is taxed.
fn unidades(ctx: &mut Contexto<'_>, onde: Onde<'_>, item: &Item) -> (String, String) {
    let padrao = ctx.emitente.padroes.unidade.as_deref();
    let unidade = ctx
        .texto(onde.em("unidade"), item.unidade.as_deref().or(padrao), 6)
        .unwrap_or_else(|| "UN".to_owned());
    let tributavel = ctx
        .texto(
            onde.em("unidade_tributavel"),
            item.unidade_tributavel.as_deref(),
            6,
        )
        .unwrap_or_else(|| unidade.clone());
    (unidade, tributavel)
}

/// Unit value of the taxable unit; by the gross value when it is another unit.
fn unitario_tributavel(ctx: &mut Contexto<'_>, linha: &Linha<'_>) -> Decimal {
    let item = linha.item;
    let onde = linha.onde.em("valor_unitario_tributavel");
    match ctx.opcional(onde, item.valor_unitario_tributavel) {
        Some(valor) => {
            // Rejection 630.
            let produto = arithmetic::r2(arithmetic::vezes(valor, linha.quantidade_tributavel));
            let bruto = linha.valores.prod;
            if ctx.finalidade == Finalidade::Normal
                && (produto - bruto).abs() > arithmetic::TOLERANCIA
            {
                let unitario = variavel(
                    arithmetic::dividido(bruto, linha.quantidade_tributavel),
                    2,
                    10,
                );
                ctx.campos.add_value(
                    onde.to_string(),
                    "valor_divergente",
                    &valor.to_string(),
                    format!(
                        "Valor unitário vezes quantidade tributável dá {produto}, e o item custa {bruto} (rejeição 630)."
                    ),
                    format!("Informe {unitario}, corrija quantidade_tributavel, ou omita o campo."),
                );
            }
            valor
        }
        None if item.quantidade_tributavel.is_some() => {
            arithmetic::dividido(linha.valores.prod, linha.quantidade_tributavel)
        }
        None => linha.unitario,
    }
}

/// The item's, else the profile's for this kind of operation.
fn cfop(ctx: &mut Contexto<'_>, onde: Onde<'_>, item: &Item) -> String {
    if let Some(cfop) = ctx.codigo(item.cfop.as_deref()) {
        return cfop;
    }
    let padroes = &ctx.emitente.padroes;
    let padrao = match (ctx.operacao, ctx.destino) {
        (TipoOperacao::Entrada, _) => None,
        (_, Destino::Interna) => padroes.cfop_interno.as_deref(),
        (_, Destino::Interestadual) => padroes.cfop_interestadual.as_deref(),
        (_, Destino::Exterior) => padroes.cfop_exportacao.as_deref(),
    };
    let normal = ctx.finalidade == Finalidade::Normal;
    let Some(padrao) = padrao.filter(|_| normal) else {
        ctx.falta(
            onde.em("cfop"),
            "Informe o CFOP, ou configure padroes.cfop_interno e cfop_interestadual no perfil fiscal.",
        );
        return String::new();
    };
    // Sales to who is not a taxpayer have codes of their own between states.
    match (padrao, ctx.indicador_ie) {
        ("6101", IndicadorIe::NaoContribuinte) => "6107".to_owned(),
        ("6102", IndicadorIe::NaoContribuinte) => "6108".to_owned(),
        _ => padrao.to_owned(),
    }
}

/// A GTIN with its check digit right, or `SEM GTIN`.
fn gtin(ctx: &mut Contexto<'_>, onde: Onde<'_>, texto: Option<&str>) -> String {
    let texto = texto.unwrap_or_default().trim();
    if texto.is_empty() || texto.eq_ignore_ascii_case("sem gtin") {
        return "SEM GTIN".to_owned();
    }
    if gtin_valido(texto) {
        return texto.to_owned();
    }
    ctx.campos.add_value(
        onde.to_string(),
        "gtin_invalido",
        texto,
        "GTIN inválido: confira os dígitos e o dígito verificador.",
        "Informe o código de barras GS1 (8, 12, 13 ou 14 dígitos), omita o campo, ou use codigo_barras para código próprio.",
    );
    String::new()
}

fn creditos(ctx: &mut Contexto<'_>, onde: Onde<'_>, item: &Item) -> Vec<Elemento> {
    let mut grupos = Vec::new();
    for (i, credito) in item.creditos_presumidos.iter().take(5).enumerate() {
        let onde = onde.n("creditos_presumidos", i);
        let taxa = ctx.numero(onde.em("aliquota"), credito.aliquota);
        let valor = ctx.numero(onde.em("valor"), credito.valor);
        grupos.push(
            Elemento::grupo("gCred")
                .com(
                    "cCredPresumido",
                    credito.codigo.as_deref().unwrap_or_default().trim(),
                )
                .com("pCredPresumido", crate::arithmetic::f4(taxa))
                .com("vCredPresumido", f2(valor)),
        );
    }
    grupos
}

fn imposto(ctx: &mut Contexto<'_>, linha: &Linha<'_>, somas: &mut Somas) -> Elemento {
    let impostos = linha.onde.em("impostos");
    let dados = linha.item.impostos.as_ref();
    let aproximado = dados.and_then(|dados| dados.valor_aproximado);
    let aproximado = ctx.opcional(impostos.em("valor_aproximado"), aproximado);
    somas.tributos = aproximado.map(crate::arithmetic::r2).unwrap_or_default();
    let mut imposto = Elemento::grupo("imposto").com_se("vTotTrib", aproximado.map(f2));
    vedados(ctx, linha);
    if linha.servico && !ctx.veda("ISSQN") {
        de_servico(ctx, linha);
        let ipi = ipi::ipi(ctx, linha, somas);
        imposto = imposto.filho_se(ipi);
        imposto.poe(issqn::issqn(ctx, linha, somas));
        return contributions::contributions(ctx, linha, somas, imposto);
    }
    // Duties first: ICMS on imports is worked out over them.
    let ii = ipi::ii(ctx, linha, somas);
    let ipi = ipi::ipi(ctx, linha, somas);
    if linha.importacao {
        let depois = contributions::contributions(ctx, linha, somas, Elemento::grupo("imposto"));
        imposto = imposto.filho_se(icms::icms(ctx, linha, somas));
        imposto = imposto.filho_se(ipi).filho_se(ii);
        return imposto.filhos(depois.lista().iter().cloned());
    }
    imposto = imposto.filho_se(icms::icms(ctx, linha, somas));
    imposto = imposto.filho_se(ipi).filho_se(ii);
    imposto = contributions::contributions(ctx, linha, somas, imposto);
    imposto.filho_se(difal::difal(ctx, linha, somas))
}

/// Tells the taxes the item has and the note may not (B25-80).
fn vedados(ctx: &mut Contexto<'_>, linha: &Linha<'_>) {
    let vazio = Impostos::default();
    let dados = linha.item.impostos.as_ref().unwrap_or(&vazio);
    let impostos = linha.onde.em("impostos");
    for (grupo, onde, veio) in [
        ("ICMS", impostos.em("icms"), dados.icms.is_some()),
        ("ISSQN", impostos.em("issqn"), dados.issqn.is_some()),
        ("II", impostos.em("ii"), dados.ii.is_some()),
        ("IPI", impostos.em("ipi"), dados.ipi.is_some()),
        ("PIS", impostos.em("pis"), dados.pis.is_some()),
        ("PISST", impostos.em("pis_st"), dados.pis_st.is_some()),
        ("COFINS", impostos.em("cofins"), dados.cofins.is_some()),
        (
            "COFINSST",
            impostos.em("cofins_st"),
            dados.cofins_st.is_some(),
        ),
        (
            "impostoDevol",
            linha.onde.em("devolucao"),
            linha.item.devolucao.is_some(),
        ),
    ] {
        if veio && ctx.veda(grupo) {
            ctx.erro(
                onde,
                "tributo_indevido",
                "Esta nota de débito, de crédito ou de recebimento de compra governamental só leva IBS e CBS (rejeição 1001).",
                "Retire o grupo do item, ou corrija a finalidade e o tipo da nota.",
            );
        }
    }
}

/// ISSQN is in the place of ICMS, and services are not imported as goods are.
fn de_servico(ctx: &mut Contexto<'_>, linha: &Linha<'_>) {
    let Some(dados) = linha.item.impostos.as_ref() else {
        return;
    };
    let impostos = linha.onde.em("impostos");
    let icms = dados.icms.as_ref();
    for (nome, veio) in [
        ("icms", icms.is_some_and(|icms| *icms != Icms::default())),
        ("ii", dados.ii.is_some()),
    ] {
        if veio {
            ctx.erro(
                impostos.em(nome),
                "grupos_excludentes",
                format!("Foram informados issqn e {nome} no mesmo item."),
                "Informe issqn para serviço, os outros para mercadoria.",
            );
        }
    }
}

fn devolucao(
    ctx: &mut Contexto<'_>,
    onde: Onde<'_>,
    item: &Item,
    somas: &mut Somas,
) -> Option<Elemento> {
    let devolucao = item.devolucao.as_ref();
    let devolucao = devolucao.filter(|_| !ctx.veda("impostoDevol"))?;
    let onde = onde.em("devolucao");
    let percentual = ctx.opcional(onde.em("percentual"), devolucao.percentual);
    let percentual = percentual.unwrap_or(Decimal::ONE_HUNDRED);
    let valor = ctx.numero(onde.em("valor_ipi"), devolucao.valor_ipi);
    somas.ipi_devolvido = mais(crate::arithmetic::r2(valor), Decimal::ZERO);
    Some(
        Elemento::grupo("impostoDevol")
            .com("pDevol", fixo(percentual, 2))
            .filho(Elemento::grupo("IPI").com("vIPIDevol", f2(valor))),
    )
}

/// `DFeReferenciado`: the item's own, else the only document a return is of.
fn referido(ctx: &mut Contexto<'_>, onde: Onde<'_>, item: &Item) -> Option<Elemento> {
    let proprio = item.documento_referenciado.as_ref();
    if let Some(documento) = proprio {
        let onde = onde.em("documento_referenciado");
        if documento.chave.is_none() {
            ctx.falta(
                onde.em("chave"),
                "Informe a chave do documento referenciado.",
            );
        }
        let chave = ide::chave(ctx, onde.em("chave"), documento.chave.as_deref())?;
        let numero = ctx.opcional(onde.em("item"), documento.item);
        return Some(
            Elemento::grupo("DFeReferenciado")
                .com("chaveAcesso", chave.as_str())
                .com_se("nItem", numero.map(|numero| variavel(numero, 0, 0))),
        );
    }
    if !ide::devolucao_por_item(ctx) {
        return None;
    }
    let mut chaves = ctx
        .pedido
        .referencias
        .iter()
        .filter_map(|referencia| referencia.chave.as_deref());
    match (chaves.next(), chaves.next()) {
        (Some(unica), None) => {
            let chave = markup::ids::chave::Chave::parse(unica).ok()?;
            Some(Elemento::grupo("DFeReferenciado").com("chaveAcesso", chave.as_str()))
        }
        (Some(_), Some(_)) => {
            ctx.falta(
                onde.em("documento_referenciado"),
                "A devolução de vários documentos diz, em cada item, de qual é: informe chave e item.",
            );
            None
        }
        (None, _) => None,
    }
}
