//! An NFS-e on its page: who, which service, which taxes.

use crate::parts::{self, day, money};
use maud::{Markup, html};
use prints::danfse::{Danfse, Party};
use rust_decimal::Decimal;
use serde_json::Value;

/// Sections of a note.
pub fn shown(note: &Danfse) -> Markup {
    html! {
        section class="cartao" {
            h2 { "Quem" }
            div class="grade larga" {
                (party("Prestador", &note.prestador.party))
                @if let Some(taker) = &note.tomador { (party("Tomador", taker)) }
                @if let Some(other) = &note.intermediary { (party("Intermediário", other)) }
            }
        }
        (service(note))
        div class="grade larga" {
            (iss(note))
            (others(note))
        }
        @if !note.information.is_empty() {
            section class="cartao" {
                h2 { "Informações" }
                @for paragraph in &note.information { p { (paragraph) } }
            }
        }
    }
}

fn party(title: &str, party: &Party) -> Markup {
    let place = &party.municipality;
    let city = match (place.name.as_str(), place.uf.as_str()) {
        ("", _) => place.code.clone(),
        (name, "") => name.to_owned(),
        (name, uf) => format!("{name}/{uf}"),
    };
    html! {
        div {
            h3 { (title) }
            dl class="fatos" {
                (fact("Nome", &party.name))
                (fact("CPF ou CNPJ", &parts::cpf_cnpj(&party.document)))
                (fact("Inscrição municipal", &party.municipal_registration))
                (fact("Endereço", &party.address))
                (fact("Município", &city))
                (fact("E-mail", &party.email))
                (fact("Telefone", &party.telephone))
            }
        }
    }
}

/// A fact, where there is one.
fn fact(word: &str, fact: &str) -> Markup {
    html! { @if !fact.trim().is_empty() { dt { (word) } dd { (fact) } } }
}

fn amount(word: &str, amount: Option<Decimal>) -> Markup {
    let shown = amount.map(|amount| money(&Value::from(amount.to_string())));
    html! { @if let Some(shown) = shown { dt { (word) } dd class="num" { (shown) } } }
}

fn service(note: &Danfse) -> Markup {
    let service = &note.service;
    html! {
        section class="cartao" {
            h2 { "Serviço" }
            p class="linhas" { (service.description) }
            dl class="fatos" {
                (fact("Código do serviço", &service.national_code))
                (fact("Descrição do código", &service.code_description))
                (fact("Código do município", &service.municipal_code))
                (fact("NBS", &service.nbs))
                (fact("CNAE", &service.cnae))
                (fact("Local da prestação", &service.local.name))
                (fact("Competência", &day(&note.competence)))
            }
        }
    }
}

fn iss(note: &Danfse) -> Markup {
    let (iss, totals) = (&note.iss, &note.totals);
    let rate = iss
        .rate
        .map(|rate| format!("{}%", rate.normalize()).replace('.', ","));
    html! {
        section class="cartao" {
            h2 { "Valores e ISS" }
            dl class="fatos valores" {
                (amount("Serviço", totals.service))
                (amount("Desconto incondicionado", totals.unconditional_discount))
                (amount("Desconto condicionado", totals.conditional_discount))
                (amount("Deduções", iss.deductions))
                (amount("Base do ISS", iss.tax_base))
                (fact("Alíquota", &rate.unwrap_or_default()))
                (amount("ISS", iss.value))
                (amount("Retenções", totals.retentions))
                (amount("Líquido", totals.net))
            }
            dl class="fatos" {
                (fact("Tributação", &iss.taxation))
                (fact("Retenção do ISS", &iss.retention))
                (fact("Município da incidência", &iss.incidence.name))
                (fact("Regime especial", &iss.special_regime))
            }
        }
    }
}

fn others(note: &Danfse) -> Markup {
    let federal = [
        ("PIS", note.federal.pis),
        ("COFINS", note.federal.cofins),
        ("IRRF", note.federal.irrf),
        ("INSS", note.federal.social_security),
        ("Contribuições sociais", note.federal.social_contributions),
        ("Outras retenções", note.federal.other_retentions),
    ];
    if note.ibs_cbs.is_none() && federal.iter().all(|(_, value)| value.is_none()) {
        return html! {};
    }
    html! {
        section class="cartao" {
            h2 { "Outros tributos" }
            dl class="fatos valores" {
                @for (word, value) in federal { (amount(word, value)) }
                @if let Some(both) = &note.ibs_cbs {
                    (amount("Base de IBS e CBS", both.tax_base))
                    (amount("IBS", both.ibs_value))
                    (amount("CBS", both.cbs_value))
                }
            }
        }
    }
}
