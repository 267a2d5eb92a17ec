//! Groups of particular goods and of foreign trade, in the order of `prod`.

use super::ide::{chave, data};
use crate::arithmetic::{f2, f4, fixed, r2, times, variable};
use crate::assembly::parties;
use crate::context::{Context, Place};
use fiscal::nfe::order::{
    Adicao, Cide, Combustivel, Importacao, Intermediacao, Item, Medicamento, OrigemCombustivel,
};
use markup::tree::Node;
use rust_decimal::Decimal;

const MAX_DI: usize = 100;
const MAX_ADDITIONS: usize = 999;
const MAX_LIST: usize = 500;
const MAX_ORIGINS: usize = 30;

/// Adds what comes after the amounts: import, export, order, batches, goods.
pub(super) fn no_prod(
    ctx: &mut Context<'_>,
    place: Place<'_>,
    item: &Item,
    mut prod: Node,
) -> Node {
    limit(ctx, place.at("importacoes"), item.importacoes.len(), MAX_DI);
    for (i, di) in item.importacoes.iter().take(MAX_DI).enumerate() {
        prod.put(import(ctx, place.n("importacoes", i), di));
    }
    exportacoes(ctx, place, item, &mut prod);
    traces(ctx, place, item, &mut prod);
    goods(ctx, place, item, prod)
}

fn limit(ctx: &mut Context<'_>, place: Place<'_>, count: usize, maximum: usize) {
    if count > maximum {
        ctx.error(
            place,
            "limite",
            format!("São no máximo {maximum}."),
            "Retire os excedentes.",
        );
    }
}

/// The goods that have a group of their own: only one of them.
fn goods(ctx: &mut Context<'_>, place: Place<'_>, item: &Item, mut prod: Node) -> Node {
    let present = [
        item.veiculo_novo.is_some(),
        item.medicamento.is_some(),
        !item.armas.is_empty(),
        item.combustivel.is_some(),
        item.recopi.is_some(),
    ];
    if present.into_iter().filter(|is_there| *is_there).count() > 1 {
        ctx.error(
            place,
            "grupos_excludentes",
            "Um item tem só um destes: veiculo_novo, medicamento, armas, combustivel, recopi.",
            "Separe em itens diferentes.",
        );
        return prod;
    }
    if let Some(given) = &item.medicamento {
        prod.put(medicine(ctx, place.at("medicamento"), given));
    }
    limit(ctx, place.at("armas"), item.armas.len(), MAX_LIST);
    for _ in item.armas.iter().take(MAX_LIST) {
        prod.put(Node::group("arma"));
    }
    if let Some(given) = &item.combustivel {
        prod.put(fuel(ctx, place.at("combustivel"), given));
    }
    prod
}

fn import(ctx: &mut Context<'_>, place: Place<'_>, di: &Importacao) -> Node {
    let registered = data(ctx, place.at("data"), di.data.as_deref());
    let clearance = data(
        ctx,
        place.at("data_desembaraco"),
        di.data_desembaraco.as_deref(),
    );
    for (name, came) in [
        ("data", di.data.is_some()),
        ("data_desembaraco", di.data_desembaraco.is_some()),
        ("via_transporte", di.via_transporte.is_some()),
        ("adicoes", !di.adicoes.is_empty()),
    ] {
        if !came {
            ctx.missing(
                place.at(name),
                "Informe como está na declaração de importação.",
            );
        }
    }
    let intermediation = di.intermediacao.unwrap_or(Intermediacao::ContaPropria);
    let third_party = di.cpf_cnpj_terceiro.as_deref();
    let third_party = parties::cpf_cnpj(ctx, place.at("cpf_cnpj_terceiro"), third_party);
    let mut group = Node::group("DI")
        .with("dDI", registered.unwrap_or_default())
        .with("dDesemb", clearance.unwrap_or_default())
        .with("tpIntermedio", intermediation.codigo())
        .child_if(third_party);
    limit(ctx, place.at("adicoes"), di.adicoes.len(), MAX_ADDITIONS);
    for (i, addition) in di.adicoes.iter().take(MAX_ADDITIONS).enumerate() {
        group.put(one_addition(ctx, place.n("adicoes", i), i, addition));
    }
    group
}

fn one_addition(ctx: &mut Context<'_>, place: Place<'_>, i: usize, addition: &Adicao) -> Node {
    let position = (i + 1).to_string();
    let discount = ctx.optional(place.at("desconto"), addition.desconto);
    let discount = discount.filter(|discount| !discount.is_zero());
    Node::group("adi")
        .with_if(
            "nAdicao",
            addition
                .numero
                .as_deref()
                .map(|n| n.trim().trim_start_matches('0')),
        )
        .with(
            "nSeqAdic",
            addition
                .sequencia
                .as_deref()
                .map_or(position.as_str(), str::trim),
        )
        .with_if("vDescDI", discount.map(f2))
}

fn exportacoes(ctx: &mut Context<'_>, place: Place<'_>, item: &Item, prod: &mut Node) {
    limit(
        ctx,
        place.at("exportacoes"),
        item.exportacoes.len(),
        MAX_LIST,
    );
    for (i, export) in item.exportacoes.iter().take(MAX_LIST).enumerate() {
        let place = place.n("exportacoes", i);
        let mut group = Node::group("detExport");
        if export.chave.is_some() || export.registro_exportacao.is_some() {
            let chave = chave(ctx, place.at("chave"), export.chave.as_deref());
            if export.chave.is_none() {
                ctx.missing(
                    place.at("chave"),
                    "Informe a chave da nota recebida para exportação.",
                );
            }
            let quantity = ctx.number(place.at("quantidade"), export.quantidade);
            group.put(
                Node::group("exportInd")
                    .with(
                        "nRE",
                        ctx.codigo(export.registro_exportacao.as_deref())
                            .unwrap_or_default(),
                    )
                    .with(
                        "chNFe",
                        chave.map(|chave| chave.to_string()).unwrap_or_default(),
                    )
                    .with("qExport", variable(quantity, 0, 4)),
            );
        }
        prod.put(group);
    }
}

fn traces(ctx: &mut Context<'_>, place: Place<'_>, item: &Item, prod: &mut Node) {
    limit(ctx, place.at("rastreios"), item.rastreios.len(), MAX_LIST);
    for (i, trace) in item.rastreios.iter().take(MAX_LIST).enumerate() {
        let place = place.n("rastreios", i);
        let batch = ctx.mandatory_text(place.at("lote"), trace.lote.as_deref(), 20);
        let quantity = ctx.number(place.at("quantidade"), trace.quantidade);
        for (name, came) in [
            ("data_fabricacao", trace.data_fabricacao.is_some()),
            ("data_validade", trace.data_validade.is_some()),
        ] {
            if !came {
                ctx.missing(place.at(name), "Informe a data do lote.");
            }
        }
        let done = data(
            ctx,
            place.at("data_fabricacao"),
            trace.data_fabricacao.as_deref(),
        );
        let expires = data(
            ctx,
            place.at("data_validade"),
            trace.data_validade.as_deref(),
        );
        prod.put(
            Node::group("rastro")
                .with("nLote", batch)
                .with("qLote", lot_quantity(quantity))
                .with("dFab", done.unwrap_or_default())
                .with("dVal", expires.unwrap_or_default()),
        );
    }
}

/// TDec_0803v: below one it wants all three decimals.
fn lot_quantity(quantity: Decimal) -> String {
    match quantity < Decimal::ONE && !quantity.is_zero() {
        true => fixed(quantity, 3),
        false => variable(quantity, 0, 3),
    }
}

fn medicine(ctx: &mut Context<'_>, place: Place<'_>, given: &Medicamento) -> Node {
    let codigo = ctx
        .codigo(given.codigo_anvisa.as_deref())
        .map(|c| c.to_ascii_uppercase());
    if codigo.is_none() {
        ctx.missing(
            place.at("codigo_anvisa"),
            "Informe o registro na ANVISA ou \"ISENTO\".",
        );
    }
    Node::group("med").with("cProdANVISA", codigo.unwrap_or_default())
}

fn fuel(ctx: &mut Context<'_>, place: Place<'_>, given: &Combustivel) -> Node {
    let codigo = ctx.codigo(given.codigo_anp.as_deref()).unwrap_or_default();
    if codigo.is_empty() {
        ctx.missing(
            place.at("codigo_anp"),
            "Informe o código de produto da ANP.",
        );
    }
    let description = match given.descricao_anp.as_deref() {
        None => data::anp::get(&codigo)
            .map(|product| product.description.chars().take(95).collect())
            .or_else(|| {
                ctx.missing(
                    place.at("descricao_anp"),
                    "Informe a descrição do produto na ANP.",
                );
                None
            }),
        text => ctx.text(place.at("descricao_anp"), text, 95),
    };
    let mut percent = |name, value| {
        let value = ctx.optional(place.at(name), value);
        value.filter(|value| !value.is_zero()).map(f4)
    };
    let lpg = percent("percentual_glp", given.percentual_glp);
    let nacional = percent("percentual_gas_nacional", given.percentual_gas_nacional);
    let imported = percent("percentual_gas_importado", given.percentual_gas_importado);
    let temperature = ctx.optional(
        place.at("quantidade_temperatura"),
        given.quantidade_temperatura,
    );
    let biodiesel = ctx.optional(place.at("percentual_biodiesel"), given.percentual_biodiesel);
    let uf = given
        .uf_consumo
        .as_deref()
        .map_or(ctx.destination_uf, str::trim);
    let mut group = Node::group("comb")
        .with("cProdANP", codigo)
        .with("descANP", description.unwrap_or_default())
        .with_if("pGLP", lpg)
        .with_if("pGNn", nacional)
        .with_if("pGNi", imported)
        .with_if(
            "qTemp",
            temperature.filter(|q| !q.is_zero()).map(|q| fixed(q, 4)),
        )
        .with("UFCons", uf.to_ascii_uppercase());
    if let Some(given) = &given.cide {
        group.put(cide(ctx, place.at("cide"), given));
    }
    group = group.with_if("pBio", biodiesel.filter(|p| !p.is_zero()).map(f4));
    limit(ctx, place.at("origens"), given.origens.len(), MAX_ORIGINS);
    for (i, origin) in given.origens.iter().take(MAX_ORIGINS).enumerate() {
        group.put(fuel_origin(ctx, place.n("origens", i), origin));
    }
    group
}

fn cide(ctx: &mut Context<'_>, place: Place<'_>, cide: &Cide) -> Node {
    let base = ctx.number(place.at("base"), cide.base);
    let rate = ctx.number(place.at("aliquota"), cide.aliquota);
    let computed = r2(times(base, rate));
    let value = ctx.checked(place.at("valor"), cide.valor, computed);
    Node::group("CIDE")
        .with("qBCProd", variable(base, 0, 4))
        .with("vAliqProd", f4(rate))
        .with("vCIDE", f2(value))
}

fn fuel_origin(ctx: &mut Context<'_>, place: Place<'_>, origin: &OrigemCombustivel) -> Node {
    let uf = origin
        .uf
        .as_deref()
        .unwrap_or_default()
        .trim()
        .to_ascii_uppercase();
    let uf = data::ufs::by_uf(&uf);
    if uf.is_none() {
        ctx.missing(place.at("uf"), "Informe a sigla da UF de origem.");
    }
    let percent = ctx.number(place.at("percentual"), origin.percentual);
    Node::group("origComb")
        .with(
            "indImport",
            if origin.importado == Some(true) {
                "1"
            } else {
                "0"
            },
        )
        .with(
            "cUFOrig",
            uf.map(|uf| uf.codigo.to_string()).unwrap_or_default(),
        )
        .with("pOrig", f4(percent))
}
