//! An NF-e or NFC-e on its page: who, what, which taxes, how it is paid.

use crate::pages::values::words;
use crate::parts::{self, moment, money, table};
use crate::reply::text;
use maud::{Markup, html};
use rust_decimal::Decimal;
use serde_json::Value;

/// Items that are shown; the XML and the PDF have all of them.
const ITEMS: usize = 200;

/// Totals, in the order of a DANFE.
const TOTALS: [(&str, &str); 23] = [
    ("produtos", "Produtos"),
    ("servicos", "Serviços"),
    ("frete", "Frete"),
    ("seguro", "Seguro"),
    ("desconto", "Desconto"),
    ("outras_despesas", "Outras despesas"),
    ("base_icms", "Base do ICMS"),
    ("icms", "ICMS"),
    ("icms_desonerado", "ICMS desonerado"),
    ("base_icms_st", "Base do ICMS-ST"),
    ("icms_st", "ICMS-ST"),
    ("fcp", "FCP"),
    ("fcp_st", "FCP-ST"),
    ("ipi", "IPI"),
    ("ii", "Imposto de importação"),
    ("pis", "PIS"),
    ("cofins", "COFINS"),
    ("iss", "ISS"),
    ("base_ibs_cbs", "Base de IBS e CBS"),
    ("ibs", "IBS"),
    ("cbs", "CBS"),
    ("imposto_seletivo", "Imposto Seletivo"),
    ("tributos_aproximados", "Tributos aproximados"),
];

/// Sections of a note. `note`: as it was read, with the names of the API; `refused`: the items,
/// counted from 1, that are to be corrected.
pub fn shown(note: &Value, refused: &[usize]) -> Markup {
    html! {
        section class="cartao" {
            h2 { "Quem" }
            div class="grade larga" {
                (party("Emitente", &note["emitente"]))
                @if note["destinatario"].is_object() { (party("Destinatário", &note["destinatario"])) }
                @if note["retirada"].is_object() { (party("Retirada", &note["retirada"])) }
                @if note["entrega"].is_object() { (party("Entrega", &note["entrega"])) }
            }
        }
        (items(list(&note["itens"]), refused))
        div class="grade larga" {
            (totals(&note["totais"]))
            (payments(note))
        }
        (transport(&note["transporte"]))
        (information(note))
    }
}

/// Somebody named in a document, with the address.
pub fn party(title: &str, party: &Value) -> Markup {
    let name = text(party, "nome");
    let number = text(party, "ie");
    html! {
        div {
            h3 { (title) }
            dl class="fatos" {
                @if !name.is_empty() { dt { "Nome" } dd { (name) } }
                @if !text(party, "cpf_cnpj").is_empty() { dt { "CPF ou CNPJ" } dd class="mono" { (parts::cpf_cnpj(text(party, "cpf_cnpj"))) } }
                @if !number.is_empty() { dt { "Inscrição estadual" } dd class="mono" { (number) } }
                @if party["endereco"].is_object() { dt { "Endereço" } dd { (address(&party["endereco"])) } }
                @if !text(party, "email").is_empty() { dt { "E-mail" } dd { (text(party, "email")) } }
                @if !text(party, "telefone").is_empty() { dt { "Telefone" } dd { (text(party, "telefone")) } }
            }
        }
    }
}

/// An address in one line.
pub fn address(place: &Value) -> String {
    let city = match (text(place, "cidade"), text(place, "uf")) {
        ("", uf) => uf.to_owned(),
        (city, "") => city.to_owned(),
        (city, uf) => format!("{city}/{uf}"),
    };
    let street = [
        text(place, "logradouro"),
        text(place, "numero"),
        text(place, "complemento"),
        text(place, "bairro"),
        &city,
    ];
    let parts: Vec<&str> = street.into_iter().filter(|part| !part.is_empty()).collect();
    let line = parts.join(", ");
    match text(place, "cep") {
        cep if cep.len() == 8 && cep.is_ascii() => {
            format!("{line}, CEP {}-{}", &cep[..5], &cep[5..])
        }
        _ => line,
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn items(items: &[Value], refused: &[usize]) -> Markup {
    html! {
        section class="cartao" {
            h2 { "Itens" }
            (table("Itens", &["Item", "NCM", "CFOP", "Quantidade", "Unitário", "Total", "Tributos"], html! {
                @for (item, place) in items.iter().take(ITEMS).zip(1..) {
                    tr {
                        td {
                            (text(item, "descricao")) div class="suave pequeno mono" { (text(item, "codigo")) }
                            @if refused.contains(&place) { span class="selo erro" { "Item " (place) ": a corrigir" } }
                        }
                        td class="mono" { (text(item, "ncm")) }
                        td class="mono" { (text(item, "cfop")) }
                        td class="num" { (number(&item["quantidade"])) " " (text(item, "unidade")) }
                        td class="num" { (price(&item["valor_unitario"])) }
                        td class="num" { (money(&net(item))) (discount(item)) }
                        td class="texto" { (taxes(&item["impostos"])) }
                    }
                }
            }))
            @if items.len() > ITEMS { p class="suave" { "Outros " (items.len() - ITEMS) " itens estão no PDF e no XML." } }
        }
    }
}

/// What an item adds to the note, as where it was asked for: without its discount.
fn net(item: &Value) -> Value {
    let gross = &item["valor_bruto"];
    match decimal(gross).zip(decimal(&item["desconto"])) {
        Some((gross, discount)) => gross.saturating_sub(discount).to_string().into(),
        None => gross.clone(),
    }
}

fn discount(item: &Value) -> Markup {
    html! { @if is_some(&item["desconto"]) { div class="suave pequeno" { "com desconto de " (money(&item["desconto"])) } } }
}

/// The taxes of an item, opened by whoever wants to see them.
fn taxes(taxes: &Value) -> Markup {
    let taxes: Vec<(&String, &Value)> = taxes
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, tax)| tax.is_object())
        .collect();
    html! {
        @if !taxes.is_empty() {
            details class="tributos" {
                summary { (taxes.iter().map(|(name, _)| name_of(name)).collect::<Vec<_>>().join(", ")) }
                ul class="simples pequeno" { @for (name, tax) in &taxes { li { strong { (name_of(name)) } " " (tax_words(tax)) } } }
            }
        }
    }
}

fn name_of(tax: &str) -> String {
    match tax {
        "icms" | "ipi" | "pis" | "cofins" | "ii" => tax.to_uppercase(),
        "ibs_cbs" => "IBS e CBS".to_owned(),
        "issqn" => "ISS".to_owned(),
        "is" => "Imposto Seletivo".to_owned(),
        "icms_uf_destino" | "difal" => "DIFAL".to_owned(),
        other => words(other),
    }
}

/// `CST 00, base R$ 37,80, 18%, R$ 6,80`.
fn tax_words(tax: &Value) -> String {
    let mut said = Vec::new();
    for (name, word) in [
        ("cst", "CST"),
        ("csosn", "CSOSN"),
        ("cclass_trib", "classificação"),
    ] {
        if !text(tax, name).is_empty() {
            said.push(format!("{word} {}", text(tax, name)));
        }
    }
    if is_some(&tax["base"]) {
        said.push(format!("base {}", money(&tax["base"])));
    }
    if is_some(&tax["aliquota"]) {
        said.push(format!("{}%", number(&tax["aliquota"])));
    }
    if tax["valor"].is_number() {
        said.push(money(&tax["valor"]));
    }
    for (name, word) in [
        ("ibs_uf", "IBS estadual"),
        ("ibs_mun", "IBS municipal"),
        ("cbs", "CBS"),
    ] {
        let part = &tax[name];
        if is_some(&part["valor"]) {
            said.push(format!(
                "{word} {}% {}",
                number(&part["aliquota"]),
                money(&part["valor"])
            ));
        }
    }
    said.join(", ")
}

/// A number that is not zero.
fn is_some(value: &Value) -> bool {
    decimal(value).is_some_and(|amount| !amount.is_zero())
}

fn decimal(value: &Value) -> Option<Decimal> {
    value.to_string().trim_matches('"').parse().ok()
}

/// A number as people write it, with the digits it needs.
pub fn number(value: &Value) -> String {
    decimal(value).map_or_else(
        || "–".to_owned(),
        |amount| amount.normalize().to_string().replace('.', ","),
    )
}

/// A price: two places, or as many as it has.
fn price(value: &Value) -> String {
    match decimal(value).map(|amount| amount.normalize()) {
        Some(amount) if amount.scale() > 2 => format!("R$ {}", number(value)),
        _ => money(value),
    }
}

fn totals(totals: &Value) -> Markup {
    html! {
        section class="cartao" {
            h2 { "Valores e tributos" }
            dl class="fatos valores" {
                @for (name, word) in TOTALS {
                    @if is_some(&totals[name]) { dt { (word) } dd class="num" { (money(&totals[name])) } }
                }
                dt { strong { "Total" } } dd class="num" { strong { (money(&totals["valor_total"])) } }
            }
        }
    }
}

/// What people call a means of payment.
pub fn means(word: &str) -> String {
    match word {
        "pix_dinamico" | "pix_estatico" | "pix" => "PIX".to_owned(),
        "cartao_credito" => "Cartão de crédito".to_owned(),
        "cartao_debito" => "Cartão de débito".to_owned(),
        "sem_pagamento" => "Sem pagamento".to_owned(),
        "pagamento_posterior" => "Pagamento posterior".to_owned(),
        other => {
            let words = words(other);
            let mut letters = words.chars();
            letters.next().map_or_else(String::new, |first| {
                first.to_uppercase().chain(letters).collect()
            })
        }
    }
}

fn payments(note: &Value) -> Markup {
    let bills = list(&note["cobranca"]["duplicatas"]);
    html! {
        section class="cartao" {
            h2 { "Pagamento" }
            dl class="fatos valores" {
                @for payment in list(&note["pagamentos"]) {
                    dt { (means(text(payment, "forma"))) @if text(payment, "indicador") == "a_prazo" { " (a prazo)" } }
                    dd class="num" { @if payment["valor"].is_null() { "o restante" } @else { (money(&payment["valor"])) } }
                }
                @if is_some(&note["troco"]) { dt { "Troco" } dd class="num" { (money(&note["troco"])) } }
            }
            @if !bills.is_empty() {
                h3 { "Duplicatas" }
                (table("Duplicatas", &["Número", "Vencimento", "Valor"], html! {
                    @for bill in bills {
                        tr { td class="mono" { (text(bill, "numero")) } td { (text(bill, "vencimento")) } td class="num" { (money(&bill["valor"])) } }
                    }
                }))
            }
        }
    }
}

fn transport(transport: &Value) -> Markup {
    let mode = text(transport, "modalidade_frete");
    let carrier = &transport["transportador"];
    let volumes = list(&transport["volumes"]);
    if (mode.is_empty() || mode == "sem_frete") && !carrier.is_object() && volumes.is_empty() {
        return html! {};
    }
    html! {
        section class="cartao" {
            h2 { "Transporte" }
            dl class="fatos" {
                dt { "Frete" } dd { (words(mode)) }
                @if carrier.is_object() { dt { "Transportador" } dd { (text(carrier, "nome")) } }
                @if !text(&transport["veiculo"], "placa").is_empty() { dt { "Placa" } dd class="mono" { (text(&transport["veiculo"], "placa")) } }
                @for volume in volumes {
                    dt { "Volume" }
                    dd {
                        (number(&volume["quantidade"])) " " (text(volume, "especie"))
                        @if is_some(&volume["peso_bruto"]) { ", " (number(&volume["peso_bruto"])) " kg" }
                    }
                }
            }
        }
    }
}

fn information(note: &Value) -> Markup {
    let references = list(&note["referencias"]);
    let facts = [
        ("Natureza da operação", text(note, "natureza_operacao")),
        (
            "Informações complementares",
            text(note, "informacoes_complementares"),
        ),
        ("Informações ao fisco", text(note, "informacoes_fisco")),
    ];
    let there = facts.iter().any(|(_, fact)| !fact.is_empty()) || !references.is_empty();
    html! {
        @if there {
            section class="cartao" {
                h2 { "Informações" }
                dl class="fatos" {
                    @for (word, fact) in &facts { @if !fact.is_empty() { dt { (word) } dd { (fact) } } }
                    @if !text(note, "data_saida").is_empty() { dt { "Saída" } dd { (moment(text(note, "data_saida"))) } }
                    @for reference in references {
                        @if !text(reference, "chave").is_empty() { dt { "Nota referenciada" } dd class="mono" { (text(reference, "chave")) } }
                    }
                }
            }
        }
    }
}
