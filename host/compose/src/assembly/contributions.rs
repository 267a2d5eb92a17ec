//! `PIS`, `PISST`, `COFINS`, `COFINSST` of an item.

use crate::arithmetic::{dec, f2, f4, mais, por_cento, r2, variavel, vezes};
use crate::assembly::leftovers::{self, Situacao};
use crate::assembly::line::Linha;
use crate::assembly::sums::Somas;
use crate::context::{Contexto, Onde};
use fiscal::nfe::order::{Contribuicao, ContribuicaoSt};
use markup::tree::Elemento;
use rust_decimal::Decimal;
use std::borrow::Cow;

/// Names of one of the two.
struct Qual {
    campo: &'static str,
    grupo: &'static str,
    aliq: &'static str,
    qtde: &'static str,
    nt: &'static str,
    outr: &'static str,
    p: &'static str,
    v: &'static str,
    st: &'static str,
    campo_st: &'static str,
    soma_st: &'static str,
}

const PIS: Qual = Qual {
    campo: "pis",
    grupo: "PIS",
    aliq: "PISAliq",
    qtde: "PISQtde",
    nt: "PISNT",
    outr: "PISOutr",
    p: "pPIS",
    v: "vPIS",
    st: "PISST",
    campo_st: "pis_st",
    soma_st: "indSomaPISST",
};

const COFINS: Qual = Qual {
    campo: "cofins",
    grupo: "COFINS",
    aliq: "COFINSAliq",
    qtde: "COFINSQtde",
    nt: "COFINSNT",
    outr: "COFINSOutr",
    p: "pCOFINS",
    v: "vCOFINS",
    st: "COFINSST",
    campo_st: "cofins_st",
    soma_st: "indSomaCOFINSST",
};

/// Members of a contribution by rate, and by unit.
const POR_TAXA: [&str; 4] = ["cst", "base", "aliquota", "valor"];
const POR_UNIDADE: [&str; 4] = ["cst", "quantidade", "aliquota_unidade", "valor"];

/// Adds the four groups to `imposto`.
pub(super) fn contributions(
    ctx: &mut Contexto<'_>,
    linha: &Linha<'_>,
    somas: &mut Somas,
    mut imposto: Elemento,
) -> Elemento {
    let dados = linha.item.impostos.as_ref();
    let padroes = &ctx.emitente.padroes;
    let (pis_padrao, cofins_padrao) = (padroes.pis.as_ref(), padroes.cofins.as_ref());
    let pis = uma(
        ctx,
        linha,
        somas,
        &PIS,
        dados.and_then(|d| d.pis.as_ref()),
        pis_padrao,
    );
    let pis_st = st(
        ctx,
        linha,
        somas,
        &PIS,
        dados.and_then(|d| d.pis_st.as_ref()),
    );
    let cofins = uma(
        ctx,
        linha,
        somas,
        &COFINS,
        dados.and_then(|d| d.cofins.as_ref()),
        cofins_padrao,
    );
    let cofins_st = st(
        ctx,
        linha,
        somas,
        &COFINS,
        dados.and_then(|d| d.cofins_st.as_ref()),
    );
    let (valor_pis, valor_cofins) = (pis.1, cofins.1);
    if linha.servico {
        somas.pis_serv = valor_pis;
        somas.cofins_serv = valor_cofins;
    } else {
        somas.pis = valor_pis;
        somas.cofins = valor_cofins;
    }
    for grupo in [pis.0, pis_st, cofins.0, cofins_st].into_iter().flatten() {
        imposto.poe(grupo);
    }
    imposto
}

fn uma(
    ctx: &mut Contexto<'_>,
    linha: &Linha<'_>,
    somas: &Somas,
    qual: &Qual,
    proprio: Option<&Contribuicao>,
    padrao: Option<&Contribuicao>,
) -> (Option<Elemento>, Decimal) {
    if ctx.veda(qual.grupo) {
        return (None, Decimal::ZERO);
    }
    let padrao = padrao.filter(|_| !ctx.so_ibs_cbs());
    let impostos = linha.onde.em("impostos");
    let onde = impostos.em(qual.campo);
    let dados = match (proprio, padrao) {
        (Some(proprio), Some(padrao)) if proprio.cst.is_none() => {
            let mut junto = proprio.clone();
            junto.cst = padrao.cst.clone();
            if junto.aliquota_unidade.is_none() {
                junto.aliquota = junto.aliquota.or(padrao.aliquota);
            }
            Cow::Owned(junto)
        }
        (Some(proprio), _) => Cow::Borrowed(proprio),
        (None, Some(padrao)) => Cow::Borrowed(padrao),
        (None, None) => Cow::Owned(Contribuicao::default()),
    };
    let cst = match dados.cst.as_deref().map(str::trim) {
        Some(cst) if !cst.is_empty() => cst,
        // Inside of the Simples the two are paid by its single guide.
        _ if ctx.calcular && !ctx.so_ibs_cbs() && ctx.emitente.regime.usa_csosn() => "49",
        // The groups are optional in an NFC-e and in notes of debit and credit.
        _ if (ctx.nfce() || !ctx.exige_antigos) && *dados == Contribuicao::default() => {
            return (None, Decimal::ZERO);
        }
        _ => {
            ctx.falta(
                onde.em("cst"),
                format!(
                    "Informe o CST, ou configure padroes.{} no perfil fiscal.",
                    qual.campo
                ),
            );
            return (None, Decimal::ZERO);
        }
    };
    fora(ctx, linha, qual, cst, &dados, proprio);
    let (grupo, valor) = match cst {
        "01" | "02" => por_taxa(
            ctx,
            linha,
            somas,
            onde,
            qual,
            &dados,
            Elemento::grupo(qual.aliq).com("CST", cst),
        ),
        "03" => por_unidade(
            ctx,
            linha,
            onde,
            qual,
            &dados,
            Elemento::grupo(qual.qtde).com("CST", cst),
        ),
        "04" | "05" | "06" | "07" | "08" | "09" => {
            (Elemento::grupo(qual.nt).com("CST", cst), Decimal::ZERO)
        }
        _ => {
            let grupo = Elemento::grupo(qual.outr).com("CST", cst);
            match dados.aliquota_unidade.is_some() {
                true => por_unidade(ctx, linha, onde, qual, &dados, grupo),
                false => por_taxa(ctx, linha, somas, onde, qual, &dados, grupo),
            }
        }
    };
    (Some(Elemento::grupo(qual.grupo).filho(grupo)), valor)
}

/// Tells what the situation has no place for: of the item, or of the profile
/// where the item says nothing.
fn fora(
    ctx: &mut Contexto<'_>,
    linha: &Linha<'_>,
    qual: &Qual,
    cst: &str,
    dados: &Contribuicao,
    proprio: Option<&Contribuicao>,
) {
    let por_unidade = dados.aliquota_unidade.is_some();
    let cabem: &[&str] = match cst {
        "01" | "02" => &POR_TAXA,
        "03" => &POR_UNIDADE,
        "04" | "05" | "06" | "07" | "08" | "09" => &["cst"],
        _ if por_unidade => &POR_UNIDADE,
        _ => &POR_TAXA,
    };
    let situacao = Situacao {
        tributo: qual.campo,
        nome: &format!("no CST {cst} de {}", qual.grupo),
        do_perfil: proprio.is_none(),
    };
    leftovers::diz(ctx, linha.onde, &situacao, proprio.unwrap_or(dados), cabem);
}

fn por_taxa(
    ctx: &mut Contexto<'_>,
    linha: &Linha<'_>,
    somas: &Somas,
    onde: Onde<'_>,
    qual: &Qual,
    dados: &Contribuicao,
    grupo: Elemento,
) -> (Elemento, Decimal) {
    let obrigatoria = grupo.nome == qual.aliq;
    let taxa = match ctx.opcional(onde.em("aliquota"), dados.aliquota) {
        Some(taxa) => taxa,
        None => {
            if obrigatoria {
                ctx.falta(onde.em("aliquota"), "Informe a alíquota.");
            }
            Decimal::ZERO
        }
    };
    let base = match ctx.opcional(onde.em("base"), dados.base) {
        Some(base) => r2(base),
        // Other operations without a rate have nothing to tell.
        None if taxa.is_zero() && !obrigatoria => Decimal::ZERO,
        None => base_usual(linha, somas),
    };
    let valor = ctx.conferido(onde.em("valor"), dados.valor, por_cento(base, taxa));
    let grupo = grupo
        .com("vBC", f2(base))
        .com(qual.p, f4(taxa))
        .com(qual.v, f2(valor));
    (grupo, valor)
}

/// The operation without the ICMS charged in it (STF Tema 69; IN RFB
/// 2.121/2022 art. 26 XII); on import the customs value (Lei 10.865/2004
/// art. 7 I).
fn base_usual(linha: &Linha<'_>, somas: &Somas) -> Decimal {
    let v = &linha.valores;
    if linha.importacao {
        let aduaneiro = linha.item.impostos.as_ref().and_then(|i| i.ii.as_ref());
        let aduaneiro = aduaneiro.and_then(|ii| dec(ii.base));
        return aduaneiro
            .map_or(v.operacao() - v.outro, r2)
            .max(Decimal::ZERO);
    }
    mais(v.operacao(), -mais(somas.icms, somas.fcp)).max(Decimal::ZERO)
}

fn por_unidade(
    ctx: &mut Contexto<'_>,
    linha: &Linha<'_>,
    onde: Onde<'_>,
    qual: &Qual,
    dados: &Contribuicao,
    grupo: Elemento,
) -> (Elemento, Decimal) {
    let quantidade = ctx.opcional(onde.em("quantidade"), dados.quantidade);
    let quantidade = quantidade.unwrap_or(linha.quantidade_tributavel);
    let taxa = ctx.numero(onde.em("aliquota_unidade"), dados.aliquota_unidade);
    let valor = ctx.conferido(onde.em("valor"), dados.valor, r2(vezes(quantidade, taxa)));
    let grupo = grupo
        .com("qBCProd", variavel(quantidade, 0, 4))
        .com("vAliqProd", f4(taxa))
        .com(qual.v, f2(valor));
    (grupo, valor)
}

fn st(
    ctx: &mut Contexto<'_>,
    linha: &Linha<'_>,
    somas: &mut Somas,
    qual: &Qual,
    dados: Option<&ContribuicaoSt>,
) -> Option<Elemento> {
    let dados = dados.filter(|_| !ctx.veda(qual.st))?;
    let impostos = linha.onde.em("impostos");
    let onde = impostos.em(qual.campo_st);
    let (cabem, forma) = match dados.aliquota_unidade.is_some() {
        true => (POR_UNIDADE, "unidade"),
        false => (POR_TAXA, "alíquota"),
    };
    let situacao = Situacao {
        tributo: qual.campo_st,
        nome: &format!("no {} por {forma}", qual.st),
        do_perfil: false,
    };
    let cabem = [&cabem[..], &["compoe_total"]].concat();
    leftovers::diz(ctx, linha.onde, &situacao, dados, &cabem);
    let mesma = Contribuicao {
        cst: None,
        base: dados.base,
        aliquota: dados.aliquota,
        quantidade: dados.quantidade,
        aliquota_unidade: dados.aliquota_unidade,
        valor: dados.valor,
    };
    let grupo = Elemento::grupo(qual.st);
    let (grupo, valor) = match mesma.aliquota_unidade.is_some() {
        true => por_unidade(ctx, linha, onde, qual, &mesma, grupo),
        false => por_taxa(ctx, linha, somas, onde, qual, &mesma, grupo),
    };
    let compoe = dados.compoe_total == Some(true);
    if compoe {
        somas.contribuicoes_st = mais(somas.contribuicoes_st, valor);
    }
    Some(
        grupo.com_se(
            qual.soma_st,
            dados
                .compoe_total
                .map(|compoe| if compoe { "1" } else { "0" }),
        ),
    )
}
