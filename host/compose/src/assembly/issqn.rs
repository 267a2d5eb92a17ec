//! `ISSQN` of a service on a product note (conjugada).

use crate::arithmetic::{f2, f4, percent_of, plus, r2};
use crate::assembly::line::Line;
use crate::assembly::sums::Sums;
use crate::context::{Context, Place};
use fiscal::nfe::order::{ExigibilidadeIss, Issqn};
use markup::tree::Node;
use rust_decimal::Decimal;

pub(super) fn issqn(ctx: &mut Context<'_>, line: &Line<'_>, sums: &mut Sums) -> Node {
    let empty = Issqn::default();
    let given = line
        .item
        .impostos
        .as_ref()
        .and_then(|impostos| impostos.issqn.as_ref())
        .unwrap_or(&empty);
    let impostos = line.place.at("impostos");
    let place = impostos.at("issqn");
    let mut two_places = |name, number| ctx.optional(place.at(name), number).map(r2);
    let deduction = two_places("deducao", given.deducao);
    let other = two_places("outras_retencoes", given.outras_retencoes);
    let unconditional = two_places("desconto_incondicionado", given.desconto_incondicionado);
    let conditional = two_places("desconto_condicionado", given.desconto_condicionado);
    let withheld = two_places("iss_retido", given.iss_retido);
    let base = match ctx.optional(place.at("base"), given.base) {
        Some(base) => r2(base),
        None => {
            let outside = plus(
                deduction.unwrap_or_default(),
                unconditional.unwrap_or_default(),
            );
            plus(line.values.operation(), -outside).max(Decimal::ZERO)
        }
    };
    let rate = ctx.number(place.at("aliquota"), given.aliquota);
    let value = ctx.checked(place.at("valor"), given.valor, percent_of(base, rate));
    let item = list_item(ctx, place, given);
    let municipality = municipality(ctx, given);
    let service = ctx.text(
        place.at("codigo_servico"),
        given.codigo_servico.as_deref(),
        20,
    );
    let processo = ctx.text(
        place.at("numero_processo"),
        given.numero_processo.as_deref(),
        30,
    );
    sums.bc_iss = base;
    sums.iss = value;
    sums.services_deduction = deduction.unwrap_or_default();
    sums.services_other = other.unwrap_or_default();
    sums.unconditional_discount = unconditional.unwrap_or_default();
    sums.conditional_discount = conditional.unwrap_or_default();
    sums.iss_withheld = withheld.unwrap_or_default();
    let unless_zero = |value: Option<Decimal>| value.filter(|value| !value.is_zero()).map(f2);
    Node::group("ISSQN")
        .with("vBC", f2(base))
        .with("vAliq", f4(rate))
        .with("vISSQN", f2(value))
        .with("cMunFG", municipality)
        .with("cListServ", item)
        .with_if("vDeducao", unless_zero(deduction))
        .with_if("vOutro", unless_zero(other))
        .with_if("vDescIncond", unless_zero(unconditional))
        .with_if("vDescCond", unless_zero(conditional))
        .with_if("vISSRet", unless_zero(withheld))
        .with(
            "indISS",
            given
                .exigibilidade
                .unwrap_or(ExigibilidadeIss::Exigivel)
                .codigo(),
        )
        .with_if("cServico", service)
        .with_if("cMun", given.municipio_incidencia.as_deref().map(str::trim))
        .with_if("cPais", given.codigo_pais.as_deref().map(str::trim))
        .with_if("nProcesso", processo)
        .with(
            "indIncentivo",
            if given.incentivo == Some(true) {
                "1"
            } else {
                "2"
            },
        )
}

/// Where the tax is due: the emitter's municipality if none is given.
fn municipality(ctx: &Context<'_>, given: &Issqn) -> String {
    let municipality = given.municipio.as_deref();
    let municipality = municipality.or(ctx.emitter.endereco.codigo_ibge.as_deref());
    municipality.unwrap_or_default().trim().to_owned()
}

/// Item of the list of LC 116/2003, as the layout wants it.
fn list_item(ctx: &mut Context<'_>, place: Place<'_>, given: &Issqn) -> String {
    let item = given
        .item_lista_servico
        .as_deref()
        .unwrap_or_default()
        .trim();
    if item.is_empty() {
        ctx.missing(
            place.at("item_lista_servico"),
            "Informe o item da LC 116/2003, como 14.01.",
        );
    }
    // The layout wants two digits on each side of the point.
    match item.split_once('.') {
        Some((group, rest)) => format!("{group:0>2}.{rest:0>2}"),
        None => item.to_owned(),
    }
}
