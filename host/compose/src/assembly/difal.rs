//! `ICMSUFDest`: the consumer's state's part (EC 87/2015, LC 190/2022).

use crate::arithmetic::{f2, f4, fixo, mais, por_cento, r2};
use crate::assembly::line::Linha;
use crate::assembly::sums::Somas;
use crate::context::{Contexto, Onde};
use fiscal::nfe::order::{Destino, Difal, Finalidade, IndicadorIe, TipoOperacao};
use markup::tree::Elemento;
use rust_decimal::Decimal;

/// Builds the group, if it is given or due.
pub(super) fn difal(
    ctx: &mut Contexto<'_>,
    linha: &Linha<'_>,
    somas: &mut Somas,
) -> Option<Elemento> {
    let dado = linha
        .item
        .impostos
        .as_ref()
        .and_then(|impostos| impostos.icms.as_ref())
        .and_then(|icms| icms.difal.as_ref());
    let vazio = Difal::default();
    let difal = match dado {
        Some(difal) if difal.dispensado == Some(true) => return None,
        Some(difal) => difal,
        None if devido(ctx, linha) => &vazio,
        None => return None,
    };
    let impostos = linha.onde.em("impostos");
    let icms = impostos.em("icms");
    let onde = icms.em("difal");
    let (de, para) = ctx.percurso();
    // Base única: the operation with IPI, the buyer being its end (LC 190/2022).
    let usual = mais(linha.valores.operacao(), somas.ipi);
    let base = ctx.opcional(onde.em("base"), difal.base).map_or(usual, r2);
    let importado = data::icms::origem_importada(linha.origem);
    let tabela = data::icms::interestadual(de, para, importado);
    let inter = ctx.opcional(
        onde.em("aliquota_interestadual"),
        difal.aliquota_interestadual,
    );
    let inter = match inter.or(tabela) {
        Some(taxa) => taxa,
        None => {
            ctx.falta(onde.em("aliquota_interestadual"), "Informe 4, 7 ou 12.");
            Decimal::ZERO
        }
    };
    let interna = interna(ctx, onde, difal, para);
    let fcp = ctx.opcional(onde.em("aliquota_fcp"), difal.aliquota_fcp);
    let fcp = fcp
        .or(data::icms::fcp(para).map(|fcp| fcp.geral))
        .filter(|taxa| !taxa.is_zero());
    let usual = por_cento(base, (interna - inter).max(Decimal::ZERO));
    let valor = ctx.conferido(onde.em("valor"), difal.valor, usual);
    somas.icms_uf_dest = valor;
    let mut grupo = Elemento::grupo("ICMSUFDest").com("vBCUFDest", f2(base));
    let mut valor_fcp = None;
    if let Some(taxa) = fcp {
        let base_fcp = ctx
            .opcional(onde.em("base_fcp"), difal.base_fcp)
            .map_or(base, r2);
        let calculado = por_cento(base_fcp, taxa);
        let fcp = ctx.conferido(onde.em("valor_fcp"), difal.valor_fcp, calculado);
        somas.fcp_uf_dest = fcp;
        valor_fcp = Some(fcp);
        grupo = grupo
            .com("vBCFCPUFDest", f2(base_fcp))
            .com("pFCPUFDest", f4(taxa));
    }
    Some(
        grupo
            .com("pICMSUFDest", f4(interna))
            .com("pICMSInter", fixo(inter, 2))
            // Since 2019 all of it goes to the destination (ADCT art. 99).
            .com("pICMSInterPart", "100.00")
            .com_se("vFCPUFDest", valor_fcp.map(f2))
            .com("vICMSUFDest", f2(valor))
            .com("vICMSUFRemet", "0.00"),
    )
}

/// Rate inside the destination's state: the caller's, or the table's.
fn interna(ctx: &mut Contexto<'_>, onde: Onde<'_>, difal: &Difal, para: &str) -> Decimal {
    let interna = ctx.opcional(onde.em("aliquota_interna"), difal.aliquota_interna);
    match (interna, ctx.icms_interna(para)) {
        (Some(taxa), _) => taxa,
        (None, Some(taxa)) => {
            ctx.aviso(
                onde.em("aliquota_interna"),
                format!("Alíquota modal interna de {para}, da tabela: {taxa}%. Informe aliquota_interna se a do produto for outra."),
            );
            taxa
        }
        (None, None) => {
            ctx.falta(
                onde.em("aliquota_interna"),
                "Informe a alíquota interna do destino.",
            );
            Decimal::ZERO
        }
    }
}

/// Sale to a final consumer of another state who is not a taxpayer, of goods
/// that ICMS is charged on. Not of a Simples company (STF ADI 5464).
fn devido(ctx: &Contexto<'_>, linha: &Linha<'_>) -> bool {
    let cst = linha
        .item
        .impostos
        .as_ref()
        .and_then(|impostos| impostos.icms.as_ref())
        .or(ctx.emitente.padroes.icms.as_ref())
        .and_then(|icms| {
            icms.cst
                .as_deref()
                .or(ctx.emitente.padroes.icms.as_ref()?.cst.as_deref())
        })
        .unwrap_or_default();
    ctx.calcular
        && !ctx.so_ibs_cbs()
        && !ctx.nfce()
        && ctx.destino == Destino::Interestadual
        && ctx.operacao == TipoOperacao::Saida
        && ctx.finalidade == Finalidade::Normal
        && ctx.consumidor_final
        && ctx.indicador_ie == IndicadorIe::NaoContribuinte
        && !ctx.emitente.regime.usa_csosn()
        && matches!(cst.trim(), "00" | "10" | "20" | "70" | "90")
}
