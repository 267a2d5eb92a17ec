//! `IPI` and `II` of an item.

use crate::arithmetic::{f2, f4, fixo, mais, por_cento, r2, variavel, vezes};
use crate::assembly::leftovers::{self, Situacao};
use crate::assembly::line::Linha;
use crate::assembly::sums::Somas;
use crate::context::Contexto;
use fiscal::nfe::order::Ipi;
use markup::tree::Elemento;
use rust_decimal::Decimal;

/// Builds `IPI`; none where neither item nor profile names a CST.
pub(super) fn ipi(
    ctx: &mut Contexto<'_>,
    linha: &Linha<'_>,
    somas: &mut Somas,
) -> Option<Elemento> {
    let impostos = linha.onde.em("impostos");
    let onde = impostos.em("ipi");
    let proprio = linha.item.impostos.as_ref().and_then(|i| i.ipi.as_ref());
    let padrao = ctx.emitente.padroes.ipi.as_ref();
    let padrao =
        padrao.filter(|_| ctx.calcular && !ctx.so_ibs_cbs() && !ctx.nfce() && !linha.servico);
    let ipi: &Ipi = proprio.or(padrao).filter(|_| !ctx.veda("IPI"))?;
    if ctx.nfce() {
        ctx.erro(
            onde,
            "ipi_na_nfce",
            "A NFC-e não admite IPI.",
            "Retire o grupo ipi, ou emita NF-e.",
        );
        return None;
    }
    let cst = ctx.texto_obrigatorio(onde.em("cst"), ipi.cst.as_deref(), 2);
    fora(ctx, linha, ipi, proprio.is_none());
    let mut grupo = Elemento::grupo("IPI");
    if let Some(texto) = &ipi.cnpj_produtor {
        let cnpj =
            crate::assembly::parties::cnpj(ctx, onde.em("cnpj_produtor"), "CNPJProd", Some(texto));
        grupo = grupo.filho_se(cnpj);
    }
    let selo = ctx.texto(onde.em("selo"), ipi.selo.as_deref(), 60);
    let quantidade_selo = ctx.opcional(onde.em("quantidade_selo"), ipi.quantidade_selo);
    grupo = grupo
        .com_se("cSelo", selo)
        .com_se("qSelo", quantidade_selo.map(|q| variavel(q, 0, 0)))
        .com("cEnq", ipi.enquadramento.as_deref().unwrap_or("999").trim());
    match cst.as_str() {
        "00" | "49" | "50" | "99" => {
            let trib = Elemento::grupo("IPITrib").com("CST", cst);
            let (trib, valor) = tributado(ctx, linha, ipi, trib, somas);
            somas.ipi = valor;
            Some(grupo.filho(trib))
        }
        "" => None,
        _ => Some(grupo.filho(Elemento::grupo("IPINT").com("CST", cst))),
    }
}

/// Tells what the situation has no place for.
fn fora(ctx: &mut Contexto<'_>, linha: &Linha<'_>, ipi: &Ipi, do_perfil: bool) {
    let cst = ipi.cst.as_deref().unwrap_or_default().trim();
    let tributado = matches!(cst, "00" | "49" | "50" | "99");
    let cabem: &[&str] = match (tributado, ipi.valor_unidade.is_some()) {
        (true, true) => &["quantidade", "valor_unidade", "valor"],
        (true, false) => &["base", "aliquota", "valor"],
        (false, _) => &[],
    };
    let cabem = [
        &[
            "cst",
            "enquadramento",
            "cnpj_produtor",
            "selo",
            "quantidade_selo",
        ],
        cabem,
    ];
    let situacao = Situacao {
        tributo: "ipi",
        nome: &format!("no CST {cst} do IPI"),
        do_perfil,
    };
    leftovers::diz(ctx, linha.onde, &situacao, ipi, &cabem.concat());
}

fn tributado(
    ctx: &mut Contexto<'_>,
    linha: &Linha<'_>,
    ipi: &Ipi,
    trib: Elemento,
    somas: &Somas,
) -> (Elemento, Decimal) {
    let impostos = linha.onde.em("impostos");
    let onde = impostos.em("ipi");
    if ipi.valor_unidade.is_some() {
        let unidade = ctx.numero(onde.em("valor_unidade"), ipi.valor_unidade);
        let quantidade = ctx.opcional(onde.em("quantidade"), ipi.quantidade);
        let quantidade = quantidade.unwrap_or(linha.quantidade_tributavel);
        let valor = ctx.conferido(onde.em("valor"), ipi.valor, r2(vezes(quantidade, unidade)));
        let trib = trib
            .com("qUnid", variavel(quantidade, 0, 4))
            .com("vUnid", fixo(unidade, 4))
            .com("vIPI", f2(valor));
        return (trib, valor);
    }
    let base = match ctx.opcional(onde.em("base"), ipi.base) {
        Some(base) => r2(base),
        None => base_usual(linha, somas),
    };
    let taxa = ctx.opcional(onde.em("aliquota"), ipi.aliquota);
    if taxa.is_none() && ipi.valor.is_none() {
        ctx.falta(
            onde.em("aliquota"),
            "Informe a alíquota do IPI, ou valor_unidade.",
        );
    }
    let taxa = taxa.unwrap_or_default();
    let valor = ctx.conferido(onde.em("valor"), ipi.valor, por_cento(base, taxa));
    let trib = trib
        .com("vBC", f2(base))
        .com("pIPI", f4(taxa))
        .com("vIPI", f2(valor));
    (trib, valor)
}

/// Price and what comes with it (Decreto 7.212/2010 art. 190 II), less the
/// unconditional discount (STF Tema 84); on import the customs value and II
/// (art. 190 I a).
fn base_usual(linha: &Linha<'_>, somas: &Somas) -> Decimal {
    if linha.importacao {
        return mais(linha.valores.operacao() - linha.valores.outro, somas.ii);
    }
    linha.valores.operacao()
}

/// Builds `II`, if the item has it.
pub(super) fn ii(ctx: &mut Contexto<'_>, linha: &Linha<'_>, somas: &mut Somas) -> Option<Elemento> {
    let ii = linha.item.impostos.as_ref()?.ii.as_ref();
    let ii = ii.filter(|_| !ctx.veda("II"))?;
    let impostos = linha.onde.em("impostos");
    let onde = impostos.em("ii");
    let base = ctx
        .opcional(onde.em("base"), ii.base)
        .unwrap_or(linha.valores.prod);
    let despesas = ctx.opcional(onde.em("despesas_aduaneiras"), ii.despesas_aduaneiras);
    let valor = ctx.numero(onde.em("valor"), ii.valor);
    let iof = ctx.opcional(onde.em("iof"), ii.iof);
    somas.ii = r2(valor);
    Some(
        Elemento::grupo("II")
            .com("vBC", f2(base))
            .com("vDespAdu", f2(despesas.unwrap_or_default()))
            .com("vII", f2(valor))
            .com("vIOF", f2(iof.unwrap_or_default())),
    )
}
