//! Rules of the items: tables, directions, regimes.

use crate::context::{Context, Place};
use data::cfop::{Cfop, Reach};
use data::situations::{Codes, Direction};
use fiscal::nfe::order::{Destino, Finalidade, IndicadorIe, Item, TipoOperacao};
use markup::tree::Node;

/// CFOPs of an NFC-e (MOC, I08; rejection 725).
const CFOP_NFCE: [u16; 9] = [5101, 5102, 5103, 5104, 5115, 5405, 5656, 5667, 5933];
/// Situations with the tax charged by substitution in this very note.
const WITH_ST: [&str; 7] = ["10", "30", "70", "201", "202", "203", "15"];

pub(super) fn items(ctx: &mut Context<'_>, root: &Node) {
    let dets = root.list().iter().filter(|element| element.is("det"));
    let request = ctx.request;
    for (i, (item, det)) in request.itens.iter().zip(dets).enumerate() {
        let place = Place::list("itens", i);
        let service = det.caminho(&["imposto", "ISSQN"]).is_some();
        if service {
            municipal_registration(ctx, i, root);
        }
        ncm(ctx, place, det, service);
        cfop(ctx, place, item, det, service);
        let situation = situation(det);
        regime(ctx, place, situation);
        if ctx.nfce() {
            super::nfce::situation(ctx, place, situation);
        }
        cest(ctx, place, item, situation);
        contributions(ctx, place, det);
        classification(ctx, place, det);
        fuel(ctx, place, item);
        cbenef(ctx, place, item);
        goods_return(ctx, place, item);
    }
}

/// Who performs a service has a municipal registration: told once, where it
/// is to be corrected.
fn municipal_registration(ctx: &mut Context<'_>, i: usize, root: &Node) {
    if root.value(&["emit", "IM"]).is_some() {
        return;
    }
    ctx.error(
        Place::root("perfil_fiscal").at("im"),
        "perfil_fiscal_incompleto",
        format!(
            "itens[{i}] tem ISSQN e o perfil fiscal do emitente não tem inscrição municipal (rejeição 530)."
        ),
        "Informe im em PUT /api/v1/emitters/{id}/fiscal-profile, ou retire o grupo issqn do item.",
    );
}

/// CST or CSOSN, as the tree has it.
fn situation(det: &Node) -> &str {
    let group = det
        .caminho(&["imposto", "ICMS"])
        .and_then(|icms| icms.list().first());
    group
        .and_then(|group| group.value(&["CST"]).or_else(|| group.value(&["CSOSN"])))
        .unwrap_or_default()
}

fn ncm(ctx: &mut Context<'_>, place: Place<'_>, det: &Node, service: bool) {
    let ncm = det.value(&["prod", "NCM"]).unwrap_or_default();
    let day = ctx.given.dh_emi.date();
    // Two zeros: services and adjustments (I05-24). Eight: what has no code
    // (I05-20).
    let without_code = match ncm {
        "00" => service || ctx.purpose == Finalidade::Ajuste,
        "00000000" => true,
        _ => false,
    };
    if ncm.is_empty() || without_code || data::ncm::is_valid(ncm, day) {
        return;
    }
    ctx.fields.add_value(
        place.at("ncm").to_string(),
        "ncm_inexistente",
        ncm,
        "NCM inexistente na tabela vigente na data de emissão (rejeição 778).",
        "Confira o código na tabela NCM vigente (Siscomex); serviços usam \"00\" com o grupo issqn, o que não tem código usa \"00000000\".",
    );
}

fn cfop(ctx: &mut Context<'_>, place: Place<'_>, item: &Item, det: &Node, service: bool) {
    let text = det.value(&["prod", "CFOP"]).unwrap_or_default();
    if text.is_empty() {
        return;
    }
    let place = place.at("cfop");
    let Some(cfop) = data::cfop::by_text(text) else {
        ctx.fields.add_value(
            place.to_string(),
            "cfop_inexistente",
            text,
            "CFOP inexistente.",
            "Confira o código na tabela de CFOP.",
        );
        return;
    };
    if let Some((codigo, message, correction)) = incoherence(ctx, cfop, item, service) {
        ctx.fields
            .add_value(place.to_string(), codigo, text, message, correction);
    }
}

/// What is wrong with a CFOP that exists, if anything.
fn incoherence(
    ctx: &Context<'_>,
    cfop: &Cfop,
    item: &Item,
    service: bool,
) -> Option<(&'static str, &'static str, &'static str)> {
    let entrada = ctx.operation == TipoOperacao::Entrada;
    if cfop.is_entrada() != entrada {
        return Some((
            "cfop_sentido",
            "O CFOP é de entrada em nota de saída, ou o contrário (rejeições 518 e 519).",
            "Entrada usa 1, 2 ou 3 no início; saída usa 5, 6 ou 7.",
        ));
    }
    let reach = match ctx.destination {
        Destino::Interna => Reach::Internal,
        Destino::Interestadual => Reach::Interstate,
        Destino::Exterior => Reach::Exterior,
    };
    if cfop.reach() != reach {
        return Some((
            "cfop_ambito",
            "O CFOP não é do mesmo âmbito (interno, interestadual, exterior) da operação (rejeições 731 a 733).",
            "Corrija o CFOP, o endereço do destinatário ou destino_operacao.",
        ));
    }
    if ctx.nfce() && !CFOP_NFCE.contains(&cfop.codigo) {
        return Some((
            "cfop_na_nfce",
            "A NFC-e não admite este CFOP (rejeição 725).",
            "Use 5101, 5102, 5103, 5104, 5115, 5405, 5656, 5667 ou 5933, ou emita NF-e.",
        ));
    }
    let returns = ctx.purpose == Finalidade::Devolucao;
    // Who is no taxpayer gives back without a CFOP of its own (I08-140).
    let without_own =
        matches!(cfop.codigo, 1949 | 2949) && ctx.ie_indicator == IndicadorIe::NaoContribuinte;
    if returns && !cfop.is_return() && !without_own {
        return Some((
            "cfop_de_devolucao",
            "O CFOP não é de devolução (rejeição 327).",
            "Use o CFOP de devolução da operação original.",
        ));
    }
    if !returns && cfop.is_return() && ctx.purpose == Finalidade::Normal {
        return Some((
            "cfop_de_devolucao",
            "CFOP de devolução em nota com outra finalidade (rejeição 328).",
            "Informe finalidade devolucao ou outro CFOP.",
        ));
    }
    if cfop.is_fuel() && item.combustivel.is_none() && cfop.codigo != 5929 {
        return Some((
            "combustivel_obrigatorio",
            "O CFOP é de combustível e falta o grupo combustivel (rejeição 660).",
            "Informe combustivel.codigo_anp e uf_consumo.",
        ));
    }
    if service && matches!(cfop.codigo, 5101..=5105 | 6101..=6108) {
        return Some((
            "cfop_de_servico",
            "Serviço (issqn) com CFOP de venda de mercadoria.",
            "Use 5933 ou 6933.",
        ));
    }
    if ctx.nfce() && !service && cfop.codigo == 5933 {
        return Some((
            "cfop_de_servico",
            "CFOP de serviço em item sem o grupo issqn (rejeição 374).",
            "Informe issqn, ou o CFOP da venda.",
        ));
    }
    None
}

/// CSOSN belongs to CRT 1 and 4, CST to 2 and 3; fuels taxed once have a CST
/// in every regime (NT 2023.001; rejections 590 and 591).
fn regime(ctx: &mut Context<'_>, place: Place<'_>, situation: &str) {
    let mono = matches!(situation, "02" | "15" | "53" | "61");
    if situation.is_empty() || mono {
        return;
    }
    let csosn = situation.len() == 3;
    let impostos = place.at("impostos");
    let icms = impostos.at("icms");
    if csosn && !ctx.emitter.regime.uses_csosn() {
        ctx.error(
            icms.at("csosn"),
            "csosn_indevido",
            "CSOSN é para Simples Nacional e MEI (rejeição 591).",
            "Informe cst, ou corrija o regime no perfil fiscal.",
        );
    }
    if !csosn && ctx.emitter.regime.uses_csosn() {
        ctx.error(
            icms.at("cst"),
            "cst_indevido",
            "Emitente do Simples Nacional ou MEI usa CSOSN (rejeição 590).",
            "Informe csosn, ou corrija o regime no perfil fiscal.",
        );
    }
}

fn cest(ctx: &mut Context<'_>, place: Place<'_>, item: &Item, situation: &str) {
    let place = place.at("cest");
    let Some(text) = ctx.codigo(item.cest.as_deref()) else {
        if WITH_ST.contains(&situation) && ctx.purpose == Finalidade::Normal {
            ctx.error(
                place,
                "obrigatorio",
                "Falta o CEST: o item tem ICMS por substituição tributária (rejeição 806).",
                "Informe o CEST do produto (Convênio ICMS 142/2018).",
            );
        }
        return;
    };
    let Some(cest) = data::cest::get(&text) else {
        // The table is of 2019: later codes are not in it.
        ctx.aviso(
            place,
            "CEST fora da tabela que o hub conhece: confira o código.",
        );
        return;
    };
    let ncm = ctx.codigo(item.ncm.as_deref()).unwrap_or_default();
    if !cest.covers(&ncm) {
        ctx.aviso(
            place,
            "A tabela não relaciona este CEST com o NCM do item: confira os dois.",
        );
    }
}

/// CST of IPI, PIS and COFINS that are for the other direction.
fn contributions(ctx: &mut Context<'_>, place: Place<'_>, det: &Node) {
    let impostos = place.at("impostos");
    let entrada = ctx.operation == TipoOperacao::Entrada;
    for (group, field, table) in [
        ("IPI", "ipi", Codes::Ipi),
        ("PIS", "pis", Codes::PisCofins),
        ("COFINS", "cofins", Codes::PisCofins),
    ] {
        let Some(cst) = det
            .caminho(&["imposto", group])
            .and_then(|group| group.list().iter().find_map(|child| child.value(&["CST"])))
        else {
            continue;
        };
        let place = impostos.at(field);
        let place = place.at("cst");
        match table.get(cst) {
            None => ctx.fields.add_value(
                place.to_string(),
                "cst_inexistente",
                cst,
                format!("CST de {group} inexistente."),
                "Confira a tabela de situações tributárias.",
            ),
            Some(situation) => {
                let other = match situation.direction {
                    Some(Direction::Entrada) => !entrada,
                    Some(Direction::Exit) => entrada,
                    None => false,
                };
                // A return carries the situation of what it undoes.
                if other && ctx.purpose == Finalidade::Normal {
                    ctx.aviso(
                        place,
                        format!(
                            "O CST {cst} de {group} é da operação contrária (entrada ou saída)."
                        ),
                    );
                }
            }
        }
    }
}

/// `cEnq` of an exemption, an immunity or a suspension of IPI says which one
/// (rejection 388; MOC, table of `cEnq`).
fn classification(ctx: &mut Context<'_>, place: Place<'_>, det: &Node) {
    let Some(ipi) = det.caminho(&["imposto", "IPI"]) else {
        return;
    };
    let cst = ipi.list().iter().find_map(|child| child.value(&["CST"]));
    let (range, what) = match cst.unwrap_or_default() {
        "02" | "52" => (301..=399, "isenção, de 301 a 399"),
        "04" | "54" => (1..=99, "imunidade, de 001 a 099"),
        "05" | "55" => (101..=199, "suspensão, de 101 a 199"),
        _ => return,
    };
    let codigo = ipi.value(&["cEnq"]).unwrap_or_default();
    if codigo
        .parse::<u16>()
        .is_ok_and(|read| range.contains(&read))
    {
        return;
    }
    let impostos = place.at("impostos");
    let ipi = impostos.at("ipi");
    ctx.fields.add_value(
        ipi.at("enquadramento").to_string(),
        "enquadramento_incompativel",
        codigo,
        "O enquadramento do IPI não é da situação tributária informada (rejeição 388).",
        format!("Informe o código da {what}."),
    );
}

fn fuel(ctx: &mut Context<'_>, place: Place<'_>, item: &Item) {
    let Some(fuel) = &item.combustivel else {
        return;
    };
    let place = place.at("combustivel");
    if let Some(codigo) = ctx.codigo(fuel.codigo_anp.as_deref())
        && data::anp::get(&codigo).is_none()
    {
        // The copy of the table is of 2023 and a part of the official one.
        ctx.aviso(
            place.at("codigo_anp"),
            "Código ANP fora da tabela que o hub conhece: confira o código.",
        );
    }
}

fn cbenef(ctx: &mut Context<'_>, place: Place<'_>, item: &Item) {
    let Some(codigo) = item.cbenef.as_deref().map(str::trim) else {
        return;
    };
    let uf = ctx.uf.abbreviation;
    if codigo != "SEM CBENEF"
        && data::cbenef::has_table(uf)
        && data::cbenef::get(uf, codigo).is_none()
    {
        ctx.aviso(
            place.at("cbenef"),
            format!("Código de benefício fora da tabela de {uf} que o hub conhece."),
        );
    }
}

fn goods_return(ctx: &mut Context<'_>, place: Place<'_>, item: &Item) {
    if item.devolucao.is_some() && ctx.purpose != Finalidade::Devolucao && !ctx.nfce() {
        ctx.error(
            place.at("devolucao"),
            "devolucao_indevida",
            "Grupo de devolução de tributos em nota com outra finalidade (rejeição 354).",
            "Informe finalidade devolucao ou retire o grupo.",
        );
    }
}
