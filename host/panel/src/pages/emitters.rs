//! Companies and their certificates.

use super::listing::items;
use crate::Panel;
use crate::form::{Fields, Sent};
use crate::layout::page;
use crate::parts::{
    ambiente, cnpj, done, empty, encoded, field, field_of, hidden, line, moment, select, status,
    top,
};
use crate::reply::{Problem, refusal, text};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use axum::Router;
use axum::extract::Query;
use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Regimes, by their names in the API.
pub const REGIMES: [(&str, &str); 4] = [
    ("normal", "Normal"),
    ("simples_nacional", "Simples Nacional"),
    ("simples_excesso", "Simples, acima do sublimite"),
    ("mei", "MEI"),
];

pub fn router() -> Router<Panel> {
    Router::new().route("/painel/emitentes", get(list).post(create))
}

async fn list(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let note = if query.contains_key("criado") {
        done("Emitente cadastrado.")
    } else {
        html! {}
    };
    shown(&visitor, &Fields::default(), note).await
}

async fn shown(visitor: &Visitor, fields: &Fields, note: Markup) -> Result<Markup, Problem> {
    let emitters = visitor.get("/api/v1/emitters?limite=100").await?;
    Ok(page(
        visitor,
        "/painel/emitentes",
        "Emitentes",
        html! {
            (top("Emitentes", "As empresas que assinam as notas, e a validade dos certificados.", html! {}))
            (note)
            @if items(&emitters).is_empty() { section class="cartao" { (empty("loja", "Nenhum emitente ainda. Com o formulário abaixo já se emitem notas de teste.", html! {})) } }
            div class="grade larga" {
                @for emitter in items(&emitters) { (card(emitter)) }
            }
            @if visitor.may(Action::Emitters) {
                section class="cartao" {
                    h2 { "Cadastrar emitente" }
                    p class="suave" { "CNPJ e razão social bastam para cadastrar; com o endereço já se emitem notas de teste, com a tributação de uma venda comum de mercadoria. Certificado A1, tributação e numeração ficam na página do emitente." }
                    form class="campos blocos" method="post" action="/painel/emitentes" {
                        (hidden(visitor))
                        fieldset class="bloco" {
                            legend { "Empresa" }
                            (field("cnpj", "CNPJ", "", line("cnpj", "text", fields.get("cnpj"))))
                            (field("razao_social", "Razão social", "", line("razao_social", "text", fields.get("razao_social"))))
                            (field_of("c2", "ie", "Inscrição estadual", "", line("ie", "text", fields.get("ie"))))
                            (field_of("c2", "im", "Inscrição municipal", "", line("im", "text", fields.get("im"))))
                            (field_of("c2", "regime", "Regime", "", select("regime", &REGIMES, fields.get("regime"))))
                        }
                        fieldset class="bloco" {
                            legend { "Endereço" }
                            (field_of("c2", "cep", "CEP", "", line("cep", "text", fields.get("cep"))))
                            (field_of("c4", "logradouro", "Logradouro", "", line("logradouro", "text", fields.get("logradouro"))))
                            (field_of("c2", "numero", "Número", "", line("numero", "text", fields.get("numero"))))
                            (field_of("c4", "bairro", "Bairro", "", line("bairro", "text", fields.get("bairro"))))
                            (field_of("c4", "municipio", "Município (código IBGE)", "Sete números; a página Cobertura procura pelo nome.", line("municipio", "text", fields.get("municipio"))))
                            (field_of("c2", "uf", "UF", "", line("uf", "text", fields.get("uf"))))
                        }
                        div { button class="botao" { "Cadastrar" } }
                    }
                }
            }
        },
    ))
}

fn card(emitter: &Value) -> Markup {
    let name = text(emitter, "razao_social");
    html! {
        section class="cartao" {
            h2 {
                a href=(format!("/painel/emitentes/{}", encoded(text(emitter, "id")))) { (name) }
                " " @if emitter["padrao"] == true { span class="selo ok" { "padrão" } }
            }
            (facts(emitter))
        }
    }
}

/// What is known of a company, and what it lacks.
pub fn facts(emitter: &Value) -> Markup {
    let certificate = &emitter["certificado"];
    let pending: Vec<&str> = emitter["pendencias_detalhes"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|one| text(one, "mensagem"))
        .collect();
    html! {
        dl class="fatos" {
            dt { "CNPJ" } dd class="mono" { (cnpj(text(emitter, "cnpj"))) }
            dt { "Ambiente" } dd { (ambiente(text(emitter, "ambiente"))) }
            dt { "Certificado" }
            dd {
                @if certificate.is_object() {
                    (status(text(certificate, "situacao"))) " até " (moment(text(certificate, "valido_ate")))
                    @if let Some(days) = certificate["dias_restantes"].as_i64() { " (" (days) " dias)" }
                } @else { span class="selo" { "sem certificado" } }
            }
            @if !pending.is_empty() { dt { "Pendências" } dd { ul class="simples" { @for one in &pending { li { (one) } } } } }
            dt { "Id" } dd class="mono" { (text(emitter, "id")) }
        }
    }
}

/// What most shops begin with; without a regime that is the normal one. Above
/// the sublimit there is no such thing.
pub fn starter(regime: &str) -> Value {
    match regime {
        "simples_excesso" => Value::Null,
        "" | "normal" => json!({
            "cfop_interno": "5102", "cfop_interestadual": "6102", "origem": "0", "unidade": "UN",
            "icms": { "cst": "00", "aliquota": 18 }, "pis": { "cst": "01", "aliquota": 1.65 }, "cofins": { "cst": "01", "aliquota": 7.6 },
            "ibs_cbs": { "cst": "000", "cclass_trib": "000001" },
        }),
        _ => json!({
            "cfop_interno": "5102", "cfop_interestadual": "6102", "origem": "0", "unidade": "UN",
            "icms": { "csosn": "102" }, "pis": { "cst": "49" }, "cofins": { "cst": "49" },
        }),
    }
}

async fn create(sent: Sent) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Action::Emitters)?;
    let some = |name: &str| Some(fields.get(name)).filter(|text| !text.is_empty());
    let cep: String = fields
        .get("cep")
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    let body = json!({
        "cnpj": fields.get("cnpj"), "ambiente": "homologacao",
        "perfil_fiscal": {
            "padroes": starter(fields.get("regime")),
            "razao_social": some("razao_social"), "ie": some("ie"), "im": some("im"), "regime": some("regime"),
            "endereco": {
                "cep": Some(cep).filter(|cep| !cep.is_empty()), "logradouro": some("logradouro"), "numero": some("numero"), "bairro": some("bairro"),
                "codigo_ibge": some("municipio"), "uf": some("uf"),
            },
        },
    });
    let reply = sent
        .ask(Method::POST, "/api/v1/emitters", Some(&body))
        .await?;
    if !reply.ok() {
        return Ok(shown(visitor, fields, refusal(&reply))
            .await?
            .into_response());
    }
    visitor
        .note("emitente.cadastrado", text(&reply.json(), "id"), "")
        .await?;
    Ok(Redirect::to("/painel/emitentes?criado=1").into_response())
}
