//! An NF-e or NFC-e on its page: who, what, which taxes, how it is paid.

use crate::names::capital;
use crate::pages::issue::inputs::{FORMS, form};
use crate::parts::{self, day, moment, money, table};
use crate::reply::text;
use crate::reply::words::words;
use maud::{Markup, html};
use rust_decimal::Decimal;
use serde_json::Value;

/// Items that are shown; the XML and the PDF have all of them.
const ITEMS: usize = 200;

/// Totals, by their places in those of a note, in the order of a DANFE. What a consumer's state
/// has of the ICMS is called as on the page before a note is sent.
const TOTALS: &[(&str, &str)] = &[
    ("produtos", "Produtos"),
    ("servicos.valor", "Serviços"),
    ("frete", "Frete"),
    ("seguro", "Seguro"),
    ("desconto", "Desconto"),
    ("outras_despesas", "Outras despesas"),
    ("base_icms", "Base do ICMS"),
    ("icms", "ICMS"),
    ("icms_desonerado", "ICMS desonerado"),
    ("icms_uf_destino", OTHER_STATE),
    (
        "fcp_uf_destino",
        "Fundo de combate à pobreza do outro estado",
    ),
    ("icms_uf_remetente", OWN_STATE),
    ("base_icms_st", "Base do ICMS-ST"),
    ("icms_st", "ICMS-ST"),
    ("fcp", "FCP"),
    ("fcp_st", "FCP-ST"),
    ("fcp_st_retido", "FCP-ST retido antes"),
    ("mono.valor", "ICMS monofásico"),
    ("mono.valor_retencao", "ICMS monofásico sujeito a retenção"),
    ("mono.valor_retido", "ICMS monofásico retido antes"),
    ("ipi", "IPI"),
    ("ipi_devolvido", "IPI devolvido"),
    ("ii", "Imposto de importação"),
    ("pis", "PIS"),
    ("cofins", "COFINS"),
    ("servicos.base", "Base do ISS"),
    ("servicos.iss", "ISS"),
    ("servicos.iss_retido", "ISS retido"),
    ("servicos.pis", "PIS dos serviços"),
    ("servicos.cofins", "COFINS dos serviços"),
    ("base_ibs_cbs", "Base de IBS e CBS"),
    ("ibs", "IBS"),
    ("cbs", "CBS"),
    ("ibs_cbs_mono.ibs", "IBS monofásico"),
    ("ibs_cbs_mono.cbs", "CBS monofásica"),
    ("is", "Imposto Seletivo"),
    ("valor_aproximado", "Tributos aproximados"),
];

/// What the recipient withholds, as the totals.
const WITHHELD: &[(&str, &str)] = &[
    ("pis", "PIS retido"),
    ("cofins", "COFINS retida"),
    ("csll", "CSLL retida"),
    ("irrf", "IRRF retido"),
    ("previdencia", "Previdência retida"),
];

/// Taxes that stand inside others of an item.
const INSIDE: &[(&str, &str)] = &[
    ("icms.difal", OTHER_STATE),
    ("icms.st", "ICMS-ST"),
    ("icms.fcp", "FCP"),
    ("icms.fcp_st", "FCP-ST"),
    ("icms.mono", "ICMS monofásico"),
    ("ibs_cbs.mono.ibs", "IBS monofásico"),
    ("ibs_cbs.mono.cbs", "CBS monofásica"),
];

/// Parts of a tax: their rate, if they have one, their amount, their name.
const PARTS: &[(&str, &str, &str)] = &[
    ("ibs_uf.aliquota", "ibs_uf.valor", "IBS estadual"),
    ("ibs_mun.aliquota", "ibs_mun.valor", "IBS municipal"),
    ("cbs.aliquota", "cbs.valor", "CBS"),
    ("aliquota_fcp", "valor_fcp", "Fundo de combate à pobreza"),
    ("", "valor_remetente", OWN_STATE),
    ("", "valor_retencao", "sujeito a retenção"),
    ("", "iss_retido", "retido"),
];

const OTHER_STATE: &str = "ICMS para o outro estado";
const OWN_STATE: &str = "ICMS para o estado de origem";

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
            (totals(note))
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
    let members = taxes.as_object().into_iter().flatten();
    let members = members.map(|(name, tax)| (name_of(name), tax));
    let inside = INSIDE.iter();
    let inside = inside.map(|(path, name)| ((*name).to_owned(), at(taxes, path)));
    let shown: Vec<(String, String)> = members
        .chain(inside)
        .filter(|(_, tax)| tax.is_object())
        .map(|(name, tax)| (name, tax_words(tax)))
        .filter(|(_, said)| !said.is_empty())
        .collect();
    html! {
        @if !shown.is_empty() {
            details class="tributos" {
                summary { (shown.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")) }
                ul class="simples pequeno" { @for (name, said) in &shown { li { strong { (name) } " " (said) } } }
            }
        }
    }
}

/// The member at a path of names with points between them; null where there is none.
fn at<'v>(value: &'v Value, path: &str) -> &'v Value {
    path.split('.').fold(value, |value, name| &value[name])
}

fn name_of(tax: &str) -> String {
    match tax {
        "icms" | "ipi" | "pis" | "cofins" | "ii" => tax.to_uppercase(),
        "ibs_cbs" => "IBS e CBS".to_owned(),
        "issqn" => "ISS".to_owned(),
        "is" => "Imposto Seletivo".to_owned(),
        "pis_st" => "PIS-ST".to_owned(),
        "cofins_st" => "COFINS-ST".to_owned(),
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
    // Of fuel each unit is taxed, whatever it costs.
    let by_unit = is_some(&tax["quantidade"]) && !is_some(&tax["base"]);
    for (name, word) in [
        ("aliquota", ""),
        ("aliquota_interna", "alíquota do destino "),
        ("aliquota_interestadual", "interestadual "),
    ] {
        if is_some(&tax[name]) {
            said.push(match by_unit {
                true => format!("{} por unidade", price(&tax[name])),
                false => format!("{word}{}%", number(&tax[name])),
            });
        }
    }
    if tax["valor"].is_number() {
        said.push(money(&tax["valor"]));
    }
    for (rate, amount, word) in PARTS {
        let (rate, amount) = (at(tax, rate), at(tax, amount));
        if is_some(amount) {
            let rate = match is_some(rate) {
                true => format!(" {}%", number(rate)),
                false => String::new(),
            };
            said.push(format!("{word}{rate} {}", money(amount)));
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

fn totals(note: &Value) -> Markup {
    let groups = [(&note["totais"], TOTALS), (&note["retencoes"], WITHHELD)];
    html! {
        section class="cartao" {
            h2 { "Valores e tributos" }
            dl class="fatos valores" {
                @for (group, names) in groups {
                    @for (name, word) in names {
                        @let amount = at(group, name);
                        @if is_some(amount) { dt { (word) } dd class="num" { (money(amount)) } }
                    }
                }
                dt { strong { "Total" } } dd class="num" { strong { (money(&note["totais"]["valor_total"])) } }
            }
        }
    }
}

/// What people call a means of payment.
pub fn means(word: &str) -> String {
    if let Some((_, known)) = FORMS.iter().find(|(name, _)| *name == form(word)) {
        return (*known).to_owned();
    }
    match word {
        "cartao_loja" => "Cartão da loja".to_owned(),
        "deposito" => "Depósito".to_owned(),
        "pix_automatico" => "PIX automático".to_owned(),
        other => capital(&words(other)),
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
                        tr { td class="mono" { (text(bill, "numero")) } td { (day(text(bill, "vencimento"))) } td class="num" { (money(&bill["valor"])) } }
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
