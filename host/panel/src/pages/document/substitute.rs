//! Replacing a service note by another one: the form has what the old note
//! says, and what is changed in it makes the new one.

use crate::form::amount::written_money;
use crate::form::fields::{choice, framed};
use crate::form::hidden_of;
use crate::form::wrong::Wrongs;
use crate::form::{Fields, Keyed};
use crate::layout::page;
use crate::once;
use crate::pages::listing::title;
use crate::parts::{encoded, hidden_as, money, reais, top};
use crate::reply::{Problem, status_of, text};
use crate::visitor::Visitor;
use accounts::users::role::Action as Right;
use axum::extract::Path;
use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};
use base::operations;
use maud::{Markup, html};
use serde_json::{Value, json};
use store::tables::notas;

/// Codes of the national layout (cMotivo); nothing is chosen beforehand.
const REASONS: &[(&str, &str)] = &[
    ("", "Escolha o motivo"),
    ("01", "Desenquadramento do Simples Nacional"),
    ("02", "Enquadramento no Simples Nacional"),
    ("03", "Inclusão retroativa de imunidade ou isenção"),
    ("04", "Exclusão retroativa de imunidade ou isenção"),
    ("05", "Rejeição pelo tomador ou intermediário"),
    ("99", "Outro"),
];

/// Fields of the form: name, label, where the content has it.
const FIELDS: [(&str, &str, &str); 5] = [
    ("documento", "CPF ou CNPJ do tomador", "/tomador/cpf_cnpj"),
    ("nome", "Nome do tomador", "/tomador/nome"),
    ("email", "E-mail do tomador", "/tomador/email"),
    ("descricao", "Descrição do serviço", "/servico/descricao"),
    ("valor", "Valor do serviço (R$)", "/valores/servico"),
];

/// Members of a stored declaration that are no part of a request.
const OF_THE_DECLARATION: [&str; 3] = ["identificacao", "data_emissao", "codigo_municipio_emissor"];

/// Whether a document can be replaced by another one.
pub fn is_possible(document: &Value) -> bool {
    text(document, "modelo") == "nfse"
        && matches!(text(document, "status"), "autorizada" | "validada")
        && text(document, "substituida_por").is_empty()
}

/// The note, and its content with the names of the API.
async fn old(visitor: &Visitor, id: &str) -> Result<(Value, Value), Problem> {
    let document = visitor
        .subject(&format!("/api/v1/documentos/{}", encoded(id)))
        .await?;
    if !is_possible(&document) {
        let sentence =
            "Só uma NFS-e autorizada, que ainda não foi substituída, pode ser substituída.";
        let back = format!("/painel/documentos/{}", encoded(id));
        return Err(Problem::new(409, "Não é possível", sentence).back(&back));
    }
    let account = &visitor.session.row.account_id;
    let mut conn = visitor.read().await?;
    let nota = notas::get(&mut conn, account, &text(&document, "nota_id").into()).await;
    let nota = nota.map_err(anyhow::Error::from)?;
    drop(conn);
    let kept = nota.map(|nota| nota.conteudo).unwrap_or_default();
    let mut content: Value = serde_json::from_str(&kept).unwrap_or_default();
    if let Some(members) = content.as_object_mut() {
        // What the declaration has beside the content: the new note has its own.
        for name in OF_THE_DECLARATION {
            members.remove(name);
        }
    } else {
        let sentence = "O conteúdo da nota não está mais guardado. Substitua-a pela API.";
        return Err(Problem::new(409, "Não é possível", sentence));
    }
    Ok((document, content))
}

fn member(content: &Value, at: &str) -> String {
    match content.pointer(at) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

pub async fn form(visitor: Visitor, Path(id): Path<String>) -> Result<Markup, Problem> {
    visitor.must(Right::Documentos)?;
    let (document, content) = old(&visitor, &id).await?;
    let mut fields = Fields::default();
    for (name, _, at) in FIELDS {
        let value = member(&content, at);
        fields.set(
            name,
            if name == "valor" {
                written_money(&value)
            } else {
                value
            },
        );
    }
    Ok(shown(&visitor, &document, &fields, &Wrongs::default()))
}

fn shown(visitor: &Visitor, document: &Value, fields: &Fields, wrong: &Wrongs) -> Markup {
    let place = format!("/painel/documentos/{}", encoded(text(document, "nota_id")));
    page(
        visitor,
        "/painel/documentos",
        "Substituir",
        html! {
            (top("Substituir", &title(document), html! { a class="botao secundario mini" href=(place) { "Voltar ao documento" } }))
            (wrong.above(None))
            section class="cartao" {
                p { "Emite outra nota no lugar desta, que fica cancelada por substituição. O que não está aqui continua como nesta nota." }
                form class="campos" method="post" action=(format!("{place}/substituir")) novalidate {
                    (hidden_of(visitor, fields))
                    @for (name, label, _) in FIELDS {
                        div class="campo" {
                            label for=(name) { (label) }
                            @let bad = wrong.has(name).then_some("true");
                            @let described = wrong.described(name, "");
                            @if name == "descricao" { textarea id=(name) name=(name) maxlength="2000" aria-invalid=[bad] aria-describedby=[described] autofocus[wrong.focus(name)] { (fields.raw(name)) } }
                            @else { input id=(name) name=(name) type="text" inputmode=(if name == "valor" { "decimal" } else { "text" }) value=(fields.raw(name)) aria-invalid=[bad] aria-describedby=[described] autofocus[wrong.focus(name)]; }
                            (wrong.beside(name))
                        }
                    }
                    (framed(wrong, "", "motivo", "Motivo", "", choice(wrong, "motivo", "", REASONS, fields.get("motivo"))))
                    div class="campo" {
                        label for="justificativa" { "Justificativa" }
                        textarea id="justificativa" name="justificativa" maxlength="255" aria-invalid=[wrong.has("justificativa").then_some("true")] aria-describedby=[wrong.described("justificativa", "dica")] autofocus[wrong.focus("justificativa")] { (fields.raw("justificativa")) }
                        (wrong.beside("justificativa"))
                        span class="dica" id="justificativa-dica" { "De 15 a 255 caracteres; vai para a autoridade." }
                    }
                    div class="acoes" {
                        button class="botao" { "Continuar" }
                        a class="botao secundario" href=(place) { "Desistir" }
                    }
                }
            }
        },
    )
}

/// The body of the new note: the content of the old one with what was changed.
fn body(document: &Value, content: &Value, fields: &Fields) -> Value {
    let mut body = content.clone();
    for (name, _, at) in FIELDS {
        let value = if name == "valor" {
            fields.decimal(name)
        } else {
            fields.get(name).to_owned()
        };
        let (group, member) = at
            .trim_start_matches('/')
            .split_once('/')
            .unwrap_or((at, ""));
        if value.is_empty() {
            if let Some(group) = body.get_mut(group).and_then(Value::as_object_mut) {
                group.remove(member);
            }
        } else {
            body[group][member] = value.into();
        }
    }
    body["emitente_id"] = text(document, "emitente_id").into();
    let reference = match text(document, "chave") {
        "" => text(document, "nota_id"),
        key => key,
    };
    body["substitui"] = json!({
        "chave": reference, "motivo": fields.get("motivo"), "justificativa": fields.get("justificativa"),
    });
    body
}

/// The field of the form that a path of the API is about.
fn field_of(name: &str) -> &str {
    match name {
        "cpf_cnpj" => "documento",
        "servico" => "valor",
        other => other,
    }
}

pub async fn send(Path(id): Path<String>, Keyed(sent): Keyed) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Right::Documentos)?;
    let (document, content) = match old(visitor, &id).await {
        Ok(found) => found,
        // A send that was lost may have replaced it: its page says by what.
        Err(_) if fields.on("confirmado") => {
            let to = format!("/painel/documentos/{}", encoded(&id));
            return Ok(Redirect::to(&to).into_response());
        }
        Err(problem) => return Err(problem),
    };
    if fields.on("corrigir") {
        return Ok(shown(visitor, &document, fields, &Wrongs::default()).into_response());
    }
    let mut wrong = Wrongs::default();
    if let Some(sentence) = fields.doubt("valor") {
        wrong.add("valor", &sentence);
    }
    let reason = fields.get("motivo");
    if reason.is_empty() || REASONS.iter().all(|(code, _)| *code != reason) {
        wrong.add("motivo", "Escolha uma das opções.");
    }
    let count = fields.get("justificativa").chars().count();
    if !(15..=255).contains(&count) {
        let sentence = format!("Escreva de 15 a 255 caracteres; há {count}.");
        wrong.add("justificativa", &sentence);
    }
    if !wrong.is_empty() {
        let page = shown(visitor, &document, fields, &wrong);
        return Ok((axum::http::StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
    }
    if !fields.on("confirmado") {
        return Ok(question(visitor, &document, fields).into_response());
    }
    let body = body(&document, &content, fields);
    let reply = sent
        .ask(Method::POST, "/api/v1/nfse/substituir", Some(&body))
        .await?;
    let answer = reply.json();
    let new = text(&answer, "nota_id");
    if reply.ok() && !new.is_empty() {
        visitor.note("documento.substituido", new, "").await?;
        let to = format!("/painel/documentos/{}?feito=substituir", encoded(new));
        return Ok(Redirect::to(&to).into_response());
    }
    let known = |name: &str| {
        let name = field_of(name);
        matches!(name, "motivo" | "justificativa")
            || FIELDS.iter().any(|(field, ..)| *field == name)
    };
    let wrong = Wrongs::of(&reply, known).renamed(field_of);
    let page = shown(visitor, &document, fields, &wrong);
    Ok((status_of(&reply), page).into_response())
}

/// Asks before the new note is issued.
fn question(visitor: &Visitor, document: &Value, fields: &Fields) -> Markup {
    let place = format!("/painel/documentos/{}", encoded(text(document, "nota_id")));
    let credits = operations::get("nfse.substituir").and_then(operations::Operation::price);
    let credits = credits.unwrap_or(0);
    let kept = fields.kept();
    let reason = REASONS
        .iter()
        .find(|(code, _)| *code == fields.get("motivo"));
    page(
        visitor,
        "/painel/documentos",
        "Substituir",
        html! {
            (top("Substituir", &title(document), html! { a class="botao secundario mini" href=(place) { "Voltar ao documento" } }))
            section class="cartao" {
                h2 { "Confira a nota nova" }
                dl class="fatos" {
                    @for (name, label, _) in FIELDS {
                        @let value = if name == "valor" { money(&Value::from(fields.decimal(name))) } else { fields.get(name).to_owned() };
                        @if !value.is_empty() { dt { (label) } dd class="linhas" { (value) } }
                    }
                    dt { "Motivo" } dd { (reason.map_or("", |(_, name)| name)) }
                    dt { "Justificativa" } dd class="linhas" { (fields.get("justificativa")) }
                    dt { "Preço" } dd { (credits) " créditos (" (reais(credits)) "), cobrados só se a nota nova for autorizada." @if !visitor.live() { " Em Teste, uma nota só simulada não custa nada." } }
                }
                form class="campos" method="post" action=(format!("{place}/substituir")) {
                    (hidden_as(visitor, fields.get(once::FIELD)))
                    @for (name, value) in kept { input type="hidden" name=(name) value=(value); }
                    div class="acoes" {
                        button class="botao perigo" name="confirmado" value="1" { "Substituir a nota" }
                        button class="botao secundario" name="corrigir" value="1" { "Voltar e corrigir" }
                    }
                }
            }
        },
    )
}
