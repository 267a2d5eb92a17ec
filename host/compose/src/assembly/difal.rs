//! `ICMSUFDest`: the consumer's state's part (EC 87/2015, LC 190/2022).

use crate::arithmetic::{f2, f4, fixed, percent_of, plus, r2};
use crate::assembly::line::Line;
use crate::assembly::sums::Sums;
use crate::context::{Context, Place};
use fiscal::nfe::order::{Destino, Difal, Finalidade, IndicadorIe, TipoOperacao};
use fiscal::taxes::difal::single;
use markup::tree::Node;
use rust_decimal::Decimal;

/// Builds the group, if it is given or due.
pub(super) fn difal(ctx: &mut Context<'_>, line: &Line<'_>, sums: &mut Sums) -> Option<Node> {
    let stated = line
        .item
        .impostos
        .as_ref()
        .and_then(|impostos| impostos.icms.as_ref())
        .and_then(|icms| icms.difal.as_ref());
    let empty = Difal::default();
    let difal = match stated {
        Some(difal) if difal.dispensado == Some(true) => return None,
        Some(difal) => difal,
        None if due(ctx, line) => &empty,
        None => return None,
    };
    let impostos = line.place.at("impostos");
    let icms = impostos.at("icms");
    let place = icms.at("difal");
    let (of, to) = ctx.route();
    // Base única: the operation with IPI, the buyer being its end (LC 190/2022).
    let usual = plus(line.values.operation(), sums.ipi);
    let base = ctx.optional(place.at("base"), difal.base).map_or(usual, r2);
    let imported = data::icms::imported_origin(line.origin);
    let table = data::icms::interstate(of, to, imported);
    let inter = ctx.optional(
        place.at("aliquota_interestadual"),
        difal.aliquota_interestadual,
    );
    let inter = match inter.or(table) {
        Some(rate) => rate,
        None => {
            ctx.missing(place.at("aliquota_interestadual"), "Informe 4, 7 ou 12.");
            Decimal::ZERO
        }
    };
    let internal = internal(ctx, place, difal, to);
    let fcp = ctx.optional(place.at("aliquota_fcp"), difal.aliquota_fcp);
    let fcp = fcp
        .or(data::icms::fcp(to).map(|fcp| fcp.general))
        .filter(|rate| !rate.is_zero());
    let usual = single(base, inter, internal);
    let value = ctx.checked(place.at("valor"), difal.valor, usual);
    sums.icms_uf_dest = value;
    let mut group = Node::group("ICMSUFDest").with("vBCUFDest", f2(base));
    let mut fcp_value = None;
    if let Some(rate) = fcp {
        let base_fcp = ctx
            .optional(place.at("base_fcp"), difal.base_fcp)
            .map_or(base, r2);
        let computed = percent_of(base_fcp, rate);
        let fcp = ctx.checked(place.at("valor_fcp"), difal.valor_fcp, computed);
        sums.fcp_uf_dest = fcp;
        fcp_value = Some(fcp);
        group = group
            .with("vBCFCPUFDest", f2(base_fcp))
            .with("pFCPUFDest", f4(rate));
    }
    Some(
        group
            .with("pICMSUFDest", f4(internal))
            .with("pICMSInter", fixed(inter, 2))
            // Since 2019 all of it goes to the destination (ADCT art. 99).
            .with("pICMSInterPart", "100.00")
            .with_if("vFCPUFDest", fcp_value.map(f2))
            .with("vICMSUFDest", f2(value))
            .with("vICMSUFRemet", "0.00"),
    )
}

/// Rate inside the destination's state: the caller's, or the table's.
fn internal(ctx: &mut Context<'_>, place: Place<'_>, difal: &Difal, to: &str) -> Decimal {
    let internal = ctx.optional(place.at("aliquota_interna"), difal.aliquota_interna);
    match (internal, ctx.internal_icms(to)) {
        (Some(rate), _) => rate,
        (None, Some(rate)) => {
            ctx.aviso(
                place.at("aliquota_interna"),
                format!("Alíquota modal interna de {to}, da tabela: {rate}%. Informe aliquota_interna se a do produto for outra."),
            );
            rate
        }
        (None, None) => {
            ctx.missing(
                place.at("aliquota_interna"),
                "Informe a alíquota interna do destino.",
            );
            Decimal::ZERO
        }
    }
}

/// Sale to a final consumer of another state who is not a taxpayer, of goods
/// that ICMS is charged on. Not of a Simples company (STF ADI 5464).
fn due(ctx: &Context<'_>, line: &Line<'_>) -> bool {
    let cst = line
        .item
        .impostos
        .as_ref()
        .and_then(|impostos| impostos.icms.as_ref())
        .or(ctx.emitter.padroes.icms.as_ref())
        .and_then(|icms| {
            icms.cst
                .as_deref()
                .or(ctx.emitter.padroes.icms.as_ref()?.cst.as_deref())
        })
        .unwrap_or_default();
    ctx.calcular
        && !ctx.only_ibs_cbs()
        && !ctx.nfce()
        && ctx.destination == Destino::Interestadual
        && ctx.operation == TipoOperacao::Saida
        && ctx.purpose == Finalidade::Normal
        && ctx.final_consumer
        && ctx.ie_indicator == IndicadorIe::NaoContribuinte
        && !ctx.emitter.regime.uses_csosn()
        && matches!(cst.trim(), "00" | "10" | "20" | "70" | "90")
}
