//! What is asked before a note is issued: by whom, to whom, of what, with which
//! taxes, at which price.

use super::body::{Line, Payment, lines};
use super::companies;
use super::inputs::{FORMS, KINDS, word};
use super::judge::Judged;
use super::ncm;
use super::places;
use super::rows::named;
use super::services;
use super::view::ACTION;
use crate::form::Fields;
use crate::form::amount::{written, written_money};
use crate::layout::page;
use crate::once;
use crate::pages::listing::party_name;
use crate::parts::{ambiente, encoded, hidden_as, money, reais, table, top, whole};
use crate::reply::plain::plain;
use crate::reply::{Problem, text};
use crate::visitor::{Visitor, WORLD};
use issuing::model::Model;
use maud::{Markup, html};
use rust_decimal::Decimal;
use serde_json::Value;
use store::words::Ambiente;

/// Fields that belong to one send and not to the note.
const OF_THE_SEND: &[&str] = &[
    once::FIELD,
    WORLD,
    "csrf",
    "confirmado",
    "corrigir",
    "acao",
    "produto_busca",
    "servico_busca",
    ncm::WORDS,
    "cliente_busca",
    "cliente",
];

/// Totals of the engine, and what people call them.
const TOTALS: &[(&str, &str)] = &[
    ("produtos", "Produtos"),
    ("desconto", "Desconto"),
    ("frete", "Frete"),
    ("icms", "ICMS"),
    ("icms_st", "ICMS por substituição"),
    ("fcp", "Fundo de combate à pobreza"),
    ("difal", "ICMS para o outro estado"),
    ("ipi", "IPI"),
    ("pis", "PIS"),
    ("cofins", "COFINS"),
    ("ibs", "IBS"),
    ("cbs", "CBS"),
    ("iss", "ISS"),
    ("tributos_aproximados", "Tributos aproximados (Lei 12.741)"),
    ("troco", "Troco"),
];

/// The page that asks.
///
/// # Errors
/// The company or the balance could not be read.
pub async fn question(
    visitor: &Visitor,
    fields: &Fields,
    token: &str,
    judged: &Judged,
) -> Result<Markup, Problem> {
    let id = encoded(fields.get("emitente"));
    let emitter = visitor.get(&format!("/api/v1/emitters/{id}")).await?;
    let balance = visitor.get("/api/v1/creditos").await?;
    let available = balance["disponivel"].as_i64().unwrap_or_default();
    let kept = fields
        .texts()
        .iter()
        .filter(|(name, _)| !OF_THE_SEND.contains(&name.as_str()));
    let total = amount(judged.total);
    Ok(page(
        visitor,
        ACTION,
        "Conferir e emitir",
        html! {
            (top("Conferir e emitir", "Nada foi emitido ainda.", html! {}))
            section class="cartao" {
                h2 { (word(KINDS, super::body::path(judged.model))) }
                (facts(judged, fields, &emitter))
                (items(fields, judged))
                (taxes(judged))
                (notices(judged))
                (seriousness(visitor, judged, &emitter))
                @if judged.price > available {
                    div class="aviso-caixa erro" { p { "Os créditos da conta não bastam: há " (whole(available)) ". " a href="/painel/creditos" { "Comprar créditos" } } }
                }
                form class="campos" method="post" action=(ACTION) {
                    (hidden_as(visitor, token))
                    @for (name, value) in kept { input type="hidden" name=(name) value=(value); }
                    div class="acoes" {
                        button class="botao" name="confirmado" value="1" { "Emitir nota de " (total) }
                        button class="botao secundario" name="corrigir" value="1" { "Voltar e corrigir" }
                    }
                }
            }
        },
    ))
}

fn facts(judged: &Judged, fields: &Fields, emitter: &Value) -> Markup {
    let recipient = match (fields.get("nome"), fields.get("documento")) {
        ("", "") if judged.model == Model::Nfse => "Não identificado".to_owned(),
        ("", "") => "Consumidor não identificado".to_owned(),
        (called, "") => called.to_owned(),
        (called, documento) => format!("{called} ({documento})"),
    };
    // What reaches no authority is free.
    let simulated = judged.price == 0;
    html! {
        dl class="fatos" {
            dt { "Emitente" } dd { (companies::name(emitter)) }
            dt { (party_name(judged.model.as_str())) } dd { (recipient) }
            (classes(judged))
            dt { "Total da nota" } dd { strong { (amount(judged.total)) } }
            @if !judged.payments.is_empty() { dt { "Pagamento" } dd { (payments(&judged.payments)) } }
            dt { "Preço" } dd { (price(judged.price)) }
            dt { "Ambiente" } dd { @if simulated { "simulado" } @else { (ambiente(text(&judged.record, "ambiente"))) } }
        }
    }
}

/// What a product note is for the tax authority, and what service a service note is of.
fn classes(judged: &Judged) -> Markup {
    let nature = text(&judged.record, "natureza_operacao");
    let code = text(&judged.record, "codigo_servico");
    html! {
        @if !nature.is_empty() { dt { "Natureza da operação" } dd { (nature) } }
        @if !code.is_empty() {
            dt { "Código do serviço" }
            dd { (services::printed(code)) @if let Some(service) = services::get(code) { ": " (service.description) } }
        }
    }
}

fn payments(payments: &[Payment]) -> String {
    let each = payments.iter().map(|one| {
        let form = word(FORMS, &one.form);
        match one.amount {
            Some(paid) => format!("{form}, {}", amount(paid)),
            None => form.to_owned(),
        }
    });
    each.collect::<Vec<_>>().join("; ")
}

/// What a note costs, in words.
pub fn price(credits: i64) -> String {
    match credits {
        0 => "nada: a nota é simulada".to_owned(),
        1 => format!("1 crédito ({}), cobrado se a nota for autorizada", reais(1)),
        credits => format!(
            "{credits} créditos ({}), cobrados se a nota for autorizada",
            reais(credits)
        ),
    }
}

fn items(fields: &Fields, judged: &Judged) -> Markup {
    let (lines, _) = lines(fields);
    let discounts = lines.iter().any(|line| !line.discount.is_zero());
    let goods = judged.model != Model::Nfse;
    let mut head = vec!["Item"];
    if goods {
        head.extend(["NCM", "CFOP"]);
    }
    head.extend(["Quantidade", "Valor unitário"]);
    if discounts {
        head.push("Desconto");
    }
    head.push("Total");
    table(
        "Itens",
        &head,
        html! {
            @for (at, line) in lines.iter().enumerate() {
                // As the note says them: what the form leaves out comes from the registration.
                @let codes = goods.then(|| &judged.record["itens"][at]);
                (item(fields, line, codes, discounts))
            }
        },
    )
}

fn item(fields: &Fields, line: &Line, codes: Option<&Value>, discounts: bool) -> Markup {
    html! {
        tr {
            td class="texto" { (fields.get(&named("descricao", line.row))) }
            @if let Some(codes) = codes {
                td class="mono" { (text(codes, "ncm")) }
                td class="mono" { (text(codes, "cfop")) }
            }
            td class="num" { (line.quantity.normalize().to_string().replace('.', ",")) }
            td class="num" {
                @if line.price.normalize().scale() <= 2 { (amount(line.price)) }
                @else { "R$ " (written_money(&line.price.to_string())) }
            }
            @if discounts { td class="num" { (amount(line.discount)) } }
            td class="num" { (amount(line.total())) }
        }
    }
}

/// The totals as the engine made them.
fn taxes(judged: &Judged) -> Markup {
    let totals = &judged.record["totais"];
    let there = |name: &str| {
        let text = totals[name].to_string();
        let number = text.trim_matches('"').parse::<Decimal>();
        number.is_ok_and(|number| !number.is_zero())
    };
    let shown: Vec<_> = TOTALS.iter().filter(|(name, _)| there(name)).collect();
    html! {
        @if judged.model == Model::Nfse {
            (service_taxes(judged))
        } @else if !shown.is_empty() {
            h3 { "Totais e impostos" }
            dl class="fatos somas" {
                @for (name, words) in shown { dt { (words) } dd { (money(&totals[*name])) } }
            }
        }
    }
}

/// The ISS as the engine expects it, and what the customer pays.
fn service_taxes(judged: &Judged) -> Markup {
    let totals = &judged.record["totais"];
    let there = |name: &str| !totals[name].is_null();
    let rate = totals["aliquota"].to_string();
    let iss = format!("ISS ({}%)", written(rate.trim_matches('"')));
    let asked = &judged.body["valores"]["iss"];
    let (withheld, typed) = (asked["retencao"] == "tomador", text(asked, "aliquota"));
    html! {
        h3 { "Impostos" }
        dl class="fatos somas" {
            @if there("deducoes") { dt { "Deduções" } dd { (money(&totals["deducoes"])) } }
            @if there("base_calculo") { dt { "Base do ISS" } dd { (money(&totals["base_calculo"])) } }
            @if there("iss") {
                dt { (iss) }
                dd { (money(&totals["iss"])) @if withheld { ", retido: quem contratou recolhe" } @else { ", a empresa recolhe" } }
            }
            @if there("retencoes") { dt { "Retido pelo cliente" } dd { (money(&totals["retencoes"])) } }
            dt { "Valor líquido" } dd { strong { (money(&totals["liquido"])) } }
        }
        @if !there("base_calculo") {
            p class="suave" {
                "A nota não destaca o ISS: pelo perfil da empresa, ele é pago por fora da nota, ou não é devido."
                @if !typed.is_empty() { " A alíquota de " (written(typed)) "% que está no formulário não entra nela." }
            }
        } @else if !there("iss") {
            p class="suave" { "Nem o formulário nem o perfil da empresa dizem a alíquota do ISS: a prefeitura aplica a dela." }
        } @else {
            p class="suave" { "É a previsão pela alíquota do formulário ou do perfil da empresa. A última palavra é da prefeitura, ao autorizar." }
        }
    }
}

/// What the engine thinks a person should know.
fn notices(judged: &Judged) -> Markup {
    let notices = judged.record["avisos"].as_array();
    let sentences: Vec<String> = notices
        .into_iter()
        .flatten()
        .filter_map(|one| plain(text(one, "mensagem")))
        .collect();
    html! {
        @if !sentences.is_empty() {
            div class="aviso-caixa aviso" { @for one in &sentences { p { (one) } } }
        }
    }
}

/// Whether the note will be a real one.
fn seriousness(visitor: &Visitor, judged: &Judged, emitter: &Value) -> Markup {
    let model = judged.model.as_str();
    let place = match judged.price {
        0 => Ambiente::Simulated,
        _ => places::of(visitor, emitter, model),
    };
    places::notice(place, model)
}

fn amount(amount: Decimal) -> String {
    money(&Value::from(format!("{amount:.2}")))
}
