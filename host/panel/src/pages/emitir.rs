//! Issuing by form: enough for a first note, and the body an integration would
//! send.

use super::inicio::items;
use crate::Panel;
use crate::form::{Fields, Sent};
use crate::layout::page;
use crate::parts::{cnpj, csrf, encoded, field, field_of, select, top};
use crate::reply::{Problem, refusal, text};
use crate::visitor::Visitor;
use accounts::users::role::Acao;
use axum::Router;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use maud::{Markup, html};
use serde_json::{Value, json};

const KINDS: &[(&str, &str)] = &[
    ("nfe", "NF-e (produto)"),
    ("nfce", "NFC-e (consumidor)"),
    ("nfse", "NFS-e (serviço)"),
];

pub fn router() -> Router<Panel> {
    Router::new().route("/painel/emitir", get(form).post(send))
}

async fn form(visitor: Visitor) -> Result<Markup, Problem> {
    shown(&visitor, &Fields::default(), html! {}).await
}

/// What a field shows at first: an example that can be sent as it is.
fn example(fields: &Fields, name: &str) -> String {
    let given = fields.raw(name);
    if !given.is_empty() || fields.on("csrf") {
        return given.to_owned();
    }
    match name {
        "documento" => "12.345.678/0001-95",
        "nome" => "Cliente Exemplo Ltda",
        "cep" => "30140-071",
        "logradouro" => "Rua da Bahia",
        "numero" => "1000",
        "bairro" => "Centro",
        "municipio" => "3106200",
        "uf" => "MG",
        "descricao" => "Café torrado 1 kg",
        "ncm" => "09012100",
        "servico" => "010101",
        "quantidade" => "2",
        "valor" => "18,90",
        _ => "",
    }
    .to_owned()
}

async fn shown(visitor: &Visitor, fields: &Fields, note: Markup) -> Result<Markup, Problem> {
    let emitters = visitor.get("/api/v1/emitters?limite=100").await?;
    let all: Vec<(String, String)> = items(&emitters)
        .iter()
        .map(|one| {
            (
                text(one, "id").to_owned(),
                format!(
                    "{} ({})",
                    text(one, "razao_social"),
                    cnpj(text(one, "cnpj"))
                ),
            )
        })
        .collect();
    let options: Vec<(&str, &str)> = all
        .iter()
        .map(|(id, name)| (id.as_str(), name.as_str()))
        .collect();
    let input = |name: &str, keyboard: &str| {
        let value = example(fields, name);
        html! { input id=(name) name=(name) type="text" inputmode=(keyboard) value=(value); }
    };
    let world = if visitor.live() {
        "produção"
    } else {
        "teste"
    };
    Ok(page(
        visitor,
        "/painel/emitir",
        "Emitir",
        html! {
            (top("Emitir", &format!("Emissão no ambiente de {world}. Troque o ambiente no menu."), html! {}))
            (note)
            @if options.is_empty() {
                div class="aviso-caixa aviso" {
                    p { "Cadastre um emitente antes: é a empresa que assina a nota. " a href="/painel/emitentes" { "Cadastrar emitente" } }
                }
            } @else if !visitor.may(Acao::Documentos) {
                div class="aviso-caixa aviso" { p { "O seu papel nesta conta só permite ver documentos." } }
            } @else {
                section class="cartao" {
                    form class="campos blocos" method="post" action="/painel/emitir" {
                        (csrf(visitor))
                        fieldset class="bloco" {
                            legend { "Documento" }
                            (field("tipo", "Tipo", "", select("tipo", KINDS, fields.get("tipo"))))
                            (field("emitente", "Emitente", "", select("emitente", &options, fields.get("emitente"))))
                        }
                        fieldset class="bloco" {
                            legend { "Destinatário" }
                            (field("documento", "CPF ou CNPJ", "Na NFC-e pode ficar vazio.", input("documento", "text")))
                            (field("nome", "Nome", "", input("nome", "text")))
                            (field_of("c2", "cep", "CEP", "", input("cep", "numeric")))
                            (field_of("c4", "logradouro", "Logradouro", "", input("logradouro", "text")))
                            (field_of("c2", "numero", "Número", "", input("numero", "text")))
                            (field_of("c4", "bairro", "Bairro", "", input("bairro", "text")))
                            (field_of("c4", "municipio", "Município (código IBGE)", "Sete números; a página Cobertura procura pelo nome.", input("municipio", "numeric")))
                            (field_of("c2", "uf", "UF", "", input("uf", "text")))
                        }
                        fieldset class="bloco" {
                            legend { "Produto ou serviço" }
                            (field_of("c6", "descricao", "Descrição", "", input("descricao", "text")))
                            (field_of("c2 so-produto", "ncm", "NCM", "Para NF-e e NFC-e.", input("ncm", "numeric")))
                            (field_of("c2 so-servico", "servico", "Código de tributação", "Nacional, para NFS-e.", input("servico", "numeric")))
                            (field_of("c2", "quantidade", "Quantidade", "", input("quantidade", "decimal")))
                            (field_of("c2", "valor", "Valor unitário (R$)", "", input("valor", "decimal")))
                        }
                        div { button class="botao" { "Emitir nota de " (world) } }
                    }
                }
            }
        },
    ))
}

/// The body an integration would send for this form.
fn body(fields: &Fields) -> Value {
    let endereco = json!({
        "cep": digits(fields.get("cep")), "logradouro": fields.get("logradouro"), "numero": fields.get("numero"),
        "bairro": fields.get("bairro"), "codigo_ibge": fields.get("municipio"), "uf": fields.get("uf"),
    });
    let (quantity, price) = (fields.decimal("quantidade"), fields.decimal("valor"));
    let amounts: Option<(rust_decimal::Decimal, rust_decimal::Decimal)> =
        quantity.parse().ok().zip(price.parse().ok());
    let product = amounts.and_then(|(quantity, price)| quantity.checked_mul(price));
    let total = product.map_or(price.clone(), |total| format!("{:.2}", total.round_dp(2)));
    let mut body = json!({ "emitente_id": fields.get("emitente") });
    if fields.get("tipo") == "nfse" {
        let mut address = endereco;
        if let Some(members) = address.as_object_mut() {
            members.remove("uf");
        }
        body["tomador"] = json!({ "cpf_cnpj": fields.get("documento"), "nome": fields.get("nome"), "endereco": address });
        body["servico"] = json!({ "descricao": fields.get("descricao"), "codigo_tributacao_nacional": fields.get("servico") });
        body["valores"] = json!({ "servico": total });
        return body;
    }
    if fields.get("tipo") == "nfe" || !fields.get("documento").is_empty() {
        body["destinatario"] = json!({ "cpf_cnpj": fields.get("documento"), "nome": fields.get("nome"), "indicador_ie": "9", "endereco": endereco });
    }
    body["itens"] = json!([{
        "descricao": fields.get("descricao"), "ncm": fields.get("ncm"), "quantidade": quantity, "valor_unitario": price,
    }]);
    body["pagamentos"] = json!([{ "forma": "pix", "valor": total }]);
    body
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

async fn send(sent: Sent) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Acao::Documentos)?;
    let kind = KINDS
        .iter()
        .map(|(kind, _)| *kind)
        .find(|kind| *kind == fields.get("tipo"))
        .unwrap_or("nfe");
    let body = body(fields);
    let reply = visitor
        .ask(Method::POST, &format!("/api/v1/{kind}"), Some(&body))
        .await?;
    let answer = reply.json();
    let id = text(&answer, "nota_id");
    if reply.ok() && !id.is_empty() {
        visitor.note("documento.emitido", id, "").await?;
        return Ok(Redirect::to(&format!("/painel/documentos/{}", encoded(id))).into_response());
    }
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::BAD_REQUEST);
    let note = html! {
        (refusal(&reply))
        details class="cartao" {
            summary { "O corpo que foi enviado" }
            pre { (serde_json::to_string_pretty(&body).unwrap_or_default()) }
        }
    };
    let page = shown(visitor, fields, note).await?;
    Ok((status, HeaderMap::new(), page).into_response())
}
