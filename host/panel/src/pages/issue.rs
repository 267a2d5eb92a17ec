//! Issuing by form: enough for a first note, and the body an integration would
//! send.

use super::listing::items;
use crate::Panel;
use crate::form::{Fields, Keyed, Sent};
use crate::layout::page;
use crate::once;
use crate::parts::{
    alert, ambiente, cnpj, encoded, field, field_of, hidden_as, issue, money, reais, select, top,
};
use crate::reply::{Problem, refusal, text};
use crate::visitor::{Visitor, WORLD};
use accounts::users::role::Action;
use axum::Router;
use axum::extract::Query;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use base::operations;
use maud::{Markup, html};
use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::tables::emitters;

const KINDS: &[(&str, &str)] = &[
    ("nfe", "NF-e (produto)"),
    ("nfce", "NFC-e (consumidor)"),
    ("nfse", "NFS-e (serviço)"),
];

pub fn router() -> Router<Panel> {
    Router::new().route("/painel/emitir", get(form).post(send))
}

async fn form(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let token = query.get(once::FIELD).map_or("", String::as_str);
    if !token.is_empty()
        && let Some(to) = once::done(&visitor, token).await?
    {
        return Ok(sent_before(&visitor, &to));
    }
    let fresh = once::token(&visitor.panel.app);
    let token = if token.is_empty() || once::is_stale(&visitor.panel.app, token) {
        &fresh
    } else {
        token
    };
    shown(&visitor, &Fields::default(), token, html! {}).await
}

/// Shown in place of a form that was sent already, when the person goes back to
/// it.
fn sent_before(visitor: &Visitor, to: &str) -> Markup {
    page(
        visitor,
        "/painel/emitir",
        "Emitir",
        html! {
            (top("Emitir", "", html! {}))
            div class="aviso-caixa aviso" role="status" {
                p { "Este formulário já tinha sido enviado: nada foi feito de novo." }
            }
            p class="acoes" {
                a class="botao" href=(to) { "Ver o resultado do envio" }
                a class="botao secundario" href=(issue(visitor)) { "Emitir outra nota" }
            }
        },
    )
}

/// What a field shows at first: in Teste an example that can be sent as it is,
/// in Produção nothing.
fn at_first(visitor: &Visitor, fields: &Fields, name: &str) -> String {
    let given = fields.raw(name);
    if !given.is_empty() || fields.on("csrf") || visitor.live() {
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

/// `token`: of this form, from its first page to the note.
async fn shown(
    visitor: &Visitor,
    fields: &Fields,
    token: &str,
    note: Markup,
) -> Result<Markup, Problem> {
    let (all, default) = companies(visitor, fields.get("emitente")).await?;
    let options: Vec<(&str, &str)> = all
        .iter()
        .map(|(id, name)| (id.as_str(), name.as_str()))
        .collect();
    let chosen = match fields.get("emitente") {
        "" => default.as_str(),
        given => given,
    };
    let world = world(visitor);
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
            } @else if !visitor.may(Action::Documentos) {
                div class="aviso-caixa aviso" { p { "O seu papel nesta conta só permite ver documentos." } }
            } @else {
                section class="cartao" {
                    form class="campos blocos" method="post" action="/painel/emitir" {
                        (hidden_as(visitor, token))
                        fieldset class="bloco" {
                            legend { "Documento" }
                            (field("tipo", "Tipo", "", select("tipo", KINDS, fields.get("tipo"))))
                            (field("emitente", "Emitente", "", select("emitente", &options, chosen)))
                        }
                        (inputs(visitor, fields))
                        div {
                            @if visitor.live() { button class="botao" { "Conferir antes de emitir" } }
                            @else { button class="botao" { "Emitir nota de " (world) } }
                        }
                    }
                }
            }
        },
    ))
}

/// The companies a form offers, id and name, and the default one: of many the
/// newest, with the default and the one that was chosen.
async fn companies(
    visitor: &Visitor,
    chosen: &str,
) -> Result<(Vec<(String, String)>, String), Problem> {
    let of = |one: &Value| (text(one, "id").to_owned(), company(one));
    let newest = visitor.get("/api/v1/emitters?limite=100").await?;
    let mut all: Vec<(String, String)> = items(&newest).iter().map(of).collect();
    let mut conn = visitor.read().await?;
    let account = &visitor.session.row.account_id;
    let default = emitters::default_of(&mut conn, account).await;
    let default = default.map_err(anyhow::Error::from)?;
    drop(conn);
    let default = default.map(|row| row.id).unwrap_or_default();
    for id in [default.as_str(), chosen] {
        if !id.is_empty() && all.iter().all(|(one, _)| one != id) {
            let path = format!("/api/v1/emitters/{}", encoded(id));
            let reply = visitor.ask(Method::GET, &path, None).await?;
            if reply.ok() {
                all.insert(0, of(&reply.json()));
            }
        }
    }
    Ok((all, String::from(default)))
}

fn inputs(visitor: &Visitor, fields: &Fields) -> Markup {
    let input = |name: &str, keyboard: &str| {
        let value = at_first(visitor, fields, name);
        html! { input id=(name) name=(name) type="text" inputmode=(keyboard) value=(value); }
    };
    html! {
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
    }
}

/// A company as people know it.
fn company(emitter: &Value) -> String {
    format!(
        "{} ({})",
        text(emitter, "razao_social"),
        cnpj(text(emitter, "cnpj"))
    )
}

fn world(visitor: &Visitor) -> &'static str {
    if visitor.live() {
        "produção"
    } else {
        "teste"
    }
}

/// Asks before a note of Produção is issued: by whom, of how much, at which
/// price.
async fn question(visitor: &Visitor, sent: &Sent, total: Decimal) -> Result<Markup, Problem> {
    let fields = &sent.fields;
    let id = encoded(fields.get("emitente"));
    let emitter = visitor.get(&format!("/api/v1/emitters/{id}")).await?;
    let (kind, kind_name) = kind(fields);
    let price = operations::get(&format!("{kind}.create"))
        .and_then(|row| row.credits.parse::<i64>().ok())
        .unwrap_or(0);
    let total = money(&Value::from(format!("{total:.2}")));
    let real = text(&emitter, "ambiente") == "producao";
    let recipient = match (fields.get("nome"), fields.get("documento")) {
        ("", "") => "Consumidor não identificado".to_owned(),
        (called, "") => called.to_owned(),
        (called, documento) => format!("{called} ({documento})"),
    };
    // The form goes on as it was filled in.
    let kept = fields.texts().iter().filter(|(name, _)| {
        ![once::FIELD, WORLD, "csrf", "confirmado", "corrigir"].contains(&name.as_str())
    });
    Ok(page(
        visitor,
        "/painel/emitir",
        "Conferir e emitir",
        html! {
            (top("Conferir e emitir", "Nada foi emitido ainda.", html! {}))
            section class="cartao" {
                h2 { (kind_name) }
                dl class="fatos" {
                    dt { "Emitente" } dd { (company(&emitter)) }
                    dt { "Destinatário" } dd { (recipient) }
                    dt { "Item" } dd { (fields.get("quantidade")) " × " (fields.get("descricao")) }
                    dt { "Total da nota" } dd { strong { (total) } }
                    dt { "Preço" } dd { (price) @if price == 1 { " crédito" } @else { " créditos" } " (" (reais(price)) "), cobrados se a nota for autorizada" }
                    dt { "Ambiente" } dd { (ambiente(text(&emitter, "ambiente"))) }
                }
                @if real {
                    div class="aviso-caixa aviso" { p { strong { "A nota terá valor fiscal." } " Depois de autorizada, só pode ser cancelada, dentro do prazo da autoridade." } }
                } @else {
                    div class="aviso-caixa" { p { "O emitente está em homologação: a nota não terá valor fiscal, mas custa como em produção." } }
                }
                form class="campos" method="post" action="/painel/emitir" {
                    (hidden_as(visitor, sent.token()))
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

/// The kind of note a form asks for, and its name.
fn kind(fields: &Fields) -> (&'static str, &'static str) {
    let found = KINDS.iter().find(|(kind, _)| *kind == fields.get("tipo"));
    *found.unwrap_or(&KINDS[0])
}

/// Quantity times price; None when one of them is no number.
fn total(fields: &Fields) -> Option<Decimal> {
    let number = |name: &str| fields.decimal(name).parse::<Decimal>().ok();
    let total = number("quantidade")?.checked_mul(number("valor")?)?;
    Some(total.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero))
}

/// The body an integration would send for this form.
fn body(fields: &Fields) -> Value {
    let place = json!({
        "cep": digits(fields.get("cep")), "logradouro": fields.get("logradouro"), "numero": fields.get("numero"),
        "bairro": fields.get("bairro"), "codigo_ibge": fields.get("municipio"), "uf": fields.get("uf"),
    });
    let (quantity, price) = (fields.decimal("quantidade"), fields.decimal("valor"));
    let total = total(fields).map_or(price.clone(), |total| format!("{total:.2}"));
    let mut body = json!({ "emitente_id": fields.get("emitente") });
    if fields.get("tipo") == "nfse" {
        let mut address = place;
        if let Some(members) = address.as_object_mut() {
            members.remove("uf");
        }
        body["tomador"] = json!({ "cpf_cnpj": fields.get("documento"), "nome": fields.get("nome"), "endereco": address });
        body["servico"] = json!({ "descricao": fields.get("descricao"), "codigo_tributacao_nacional": fields.get("servico") });
        body["valores"] = json!({ "servico": total });
        return body;
    }
    if fields.get("tipo") == "nfe" || !fields.get("documento").is_empty() {
        body["destinatario"] = json!({ "cpf_cnpj": fields.get("documento"), "nome": fields.get("nome"), "indicador_ie": "9", "endereco": place });
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

async fn send(Keyed(sent): Keyed) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Action::Documentos)?;
    if fields.on("corrigir") {
        let page = shown(visitor, fields, &token(&sent), html! {}).await?;
        return Ok(page.into_response());
    }
    if visitor.live() && !fields.on("confirmado") {
        let Some(total) = total(fields).filter(|total| *total > Decimal::ZERO) else {
            let note = alert("Informe a quantidade e o valor unitário.");
            let page = shown(visitor, fields, &token(&sent), note).await?;
            return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
        };
        return Ok(question(visitor, &sent, total).await?.into_response());
    }
    let body = body(fields);
    let path = format!("/api/v1/{}", kind(fields).0);
    let reply = sent.ask(Method::POST, &path, Some(&body)).await?;
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
    let page = shown(visitor, fields, &token(&sent), note).await?;
    Ok((status, page).into_response())
}

/// The token the form keeps.
fn token(sent: &Sent) -> String {
    match sent.token() {
        "" => once::token(&sent.visitor.panel.app),
        token => token.to_owned(),
    }
}
