//! Doing something to a document: a form, a page that asks, and what came of it.

use super::actions::{self, Action, Input, InputKind};
use super::{cities, timeline};
use crate::form::amount::amount;
use crate::form::fields::{choice, framed};
use crate::form::hidden_of;
use crate::form::wrong::Wrongs;
use crate::form::{Fields, Keyed, Sent};
use crate::layout::page;
use crate::once;
use crate::pages::issue::{past, places};
use crate::pages::listing::{other_party, party_name, title, value_of};
use crate::parts::{encoded, hidden_as, money, reais, state, top, whole};
use crate::reply::{Problem, status_of, text};
use crate::visitor::Visitor;
use accounts::users::role::Action as Right;
use api::inside::Reply;
use axum::extract::Path;
use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use rust_decimal::Decimal;
use serde_json::Value;
use store::words::Ambiente;

/// The page of an action: its form, or at once the question where there is
/// nothing to fill in.
pub async fn form(visitor: &Visitor, id: &str, word: &str) -> Result<Markup, Problem> {
    let path = format!("/api/v1/documentos/{}", encoded(id));
    let document = visitor.subject(&path).await?;
    let action = found(&document, word)?;
    not_elsewhere(visitor, &document).await?;
    visitor.must(Right::Documentos)?;
    if action.inputs.is_empty() {
        let goes = goes_to(visitor, &document, action).await?;
        let fields = Fields::default();
        return Ok(question(
            visitor,
            &document,
            action,
            goes,
            (&fields, &fields),
        ));
    }
    let about = about(visitor, &document, action).await?;
    let mut fields = Fields::default();
    if action.word == "cce" && text(&document, "modelo") == "55" {
        let letter = timeline::letter_in_force(visitor, text(&document, "nota_id")).await?;
        fields.set("correcao", letter);
    }
    let wrong = Wrongs::default();
    Ok(shown(visitor, &document, action, &fields, &wrong, about))
}

/// The action of this name, if the document allows it as it is now.
fn found(document: &Value, word: &str) -> Result<&'static Action, Problem> {
    if actions::ACTIONS.iter().all(|action| action.word != word) {
        return Err(Problem::new(
            404,
            "Página não encontrada",
            "O endereço não existe, ou não existe mais.",
        ));
    }
    let mut allowed = actions::of(document).into_iter();
    allowed.find(|action| action.word == word).ok_or_else(|| {
        let state = state(text(document, "status"));
        let sentence = format!("A situação é “{state}”, e o documento não aceita mais isto.");
        Problem::new(409, "Não é mais possível", &sentence).back(&place(document))
    })
}

/// Refuses what is asked of a draft that was kept in the other world.
async fn not_elsewhere(visitor: &Visitor, document: &Value) -> Result<(), Problem> {
    let draft = past::draft(visitor, document).await?;
    match past::elsewhere(visitor, draft.as_ref())? {
        Some(elsewhere) => Err(elsewhere.problem()),
        None => Ok(()),
    }
}

/// The address of the document's page.
fn place(document: &Value) -> String {
    format!("/painel/documentos/{}", encoded(text(document, "nota_id")))
}

pub async fn act(
    Path((id, word)): Path<(String, String)>,
    Keyed(sent): Keyed,
) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Right::Documentos)?;
    let path = format!("/api/v1/documentos/{}", encoded(&id));
    let document = visitor.get(&path).await?;
    not_elsewhere(visitor, &document).await?;
    // What a lost first send did may be why it is not possible any more: only a
    // form without a decision is judged here.
    let known = actions::ACTIONS
        .iter()
        .find(|action| action.word == word && action.is_of(text(&document, "modelo")));
    let action = match (fields.on("confirmado"), found(&document, &word)) {
        (_, Ok(action)) => action,
        (true, Err(problem)) => known.ok_or(problem)?,
        (false, Err(problem)) => return Err(problem),
    };
    if fields.on("corrigir") {
        let about = about(visitor, &document, action).await?;
        let page = shown(
            visitor,
            &document,
            action,
            fields,
            &Wrongs::default(),
            about,
        );
        return Ok(page.into_response());
    }
    let wrong = missing(action, fields);
    let coded = if wrong.is_empty() {
        cities::coded(visitor, action, fields).await?
    } else {
        Err(wrong)
    };
    let coded = match coded {
        Ok(coded) => coded,
        Err(wrong) => {
            let about = about(visitor, &document, action).await?;
            let page = shown(visitor, &document, action, fields, &wrong, about);
            return Ok((axum::http::StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
        }
    };
    if !fields.on("confirmado") {
        let goes = goes_to(visitor, &document, action).await?;
        let page = question(visitor, &document, action, goes, (fields, &coded));
        return Ok(page.into_response());
    }
    done(&sent, &document, action, &coded).await
}

/// Where a draft goes if it is issued now; None of what is done to another document.
async fn goes_to(
    visitor: &Visitor,
    document: &Value,
    action: &Action,
) -> Result<Option<Ambiente>, Problem> {
    if action.word != actions::ISSUE {
        return Ok(None);
    }
    let id = encoded(text(document, "emitente_id"));
    let emitter = visitor.get(&format!("/api/v1/emitters/{id}")).await?;
    let goes = places::of(visitor, &emitter, text(document, "modelo"));
    Ok(Some(goes))
}

/// Calls the operation, and leads to the document's page. `coded`: the fields as the operation
/// takes them.
async fn done(
    sent: &Sent,
    document: &Value,
    action: &Action,
    coded: &Fields,
) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    let id = text(document, "nota_id");
    let reply = call(sent, document, action, coded).await?;
    if !reply.ok() {
        let wrong = Wrongs::of(&reply, |name| {
            action.inputs.iter().any(|input| input.name == name)
        });
        if action.inputs.is_empty() {
            let page = refused(visitor, document, action, &wrong);
            return Ok((status_of(&reply), page).into_response());
        }
        let about = about(visitor, document, action).await?;
        let page = shown(visitor, document, action, fields, &wrong, about);
        return Ok((status_of(&reply), page).into_response());
    }
    visitor.note(action.audit, id, "").await?;
    if action.word == "excluir" {
        return Ok(Redirect::to("/painel/documentos?status=rascunho").into_response());
    }
    let state = if reply.status == 202 { "&espera=1" } else { "" };
    let to = format!("{}?feito={}{state}", place(document), action.word);
    Ok(Redirect::to(&to).into_response())
}

async fn call(
    sent: &Sent,
    document: &Value,
    action: &Action,
    coded: &Fields,
) -> Result<Reply, Problem> {
    let id = text(document, "nota_id");
    let row = action.operation(text(document, "modelo"));
    let row = row.ok_or_else(|| anyhow::anyhow!("no operation of {}", action.word))?;
    let method = Method::from_bytes(row.method.as_bytes()).map_err(anyhow::Error::from)?;
    let path = row.path.replace("{nota_id}", &encoded(id));
    let body = action.body(id, coded);
    sent.ask(method, &path, body.as_ref()).await
}

/// What is missing before anything is asked.
fn missing(action: &Action, fields: &Fields) -> Wrongs {
    let mut wrong = Wrongs::default();
    for input in action.inputs {
        let value = fields.get(input.name);
        let count = value.chars().count();
        match input.kind {
            InputKind::Line | InputKind::City | InputKind::Money if value.is_empty() => {
                wrong.add(input.name, "Preencha este campo.");
            }
            InputKind::Money => {
                if let Some(sentence) = fields.doubt(input.name) {
                    wrong.add(input.name, &sentence);
                } else if amount(value).is_ok_and(|amount| amount <= Decimal::ZERO) {
                    wrong.add(input.name, "Escreva um valor acima de zero.");
                }
            }
            InputKind::Whole if !value.is_empty() && value.parse::<u32>().is_err() => {
                wrong.add(input.name, "Escreva um número inteiro, como 2.");
            }
            InputKind::Text(least, most) if count < least || count > most => {
                let [least, most, count] = [least, most, count]
                    .map(|number| whole(i64::try_from(number).unwrap_or(i64::MAX)));
                let sentence = format!("Escreva de {least} a {most} caracteres; há {count}.");
                wrong.add(input.name, &sentence);
            }
            InputKind::Choice(words)
                if value.is_empty() || words.iter().all(|(word, _)| *word != value) =>
            {
                wrong.add(input.name, "Escolha uma das opções.");
            }
            InputKind::Date if value.is_empty() && action.word == "pagamento" => {
                wrong.add(input.name, "Diga o dia do pagamento.");
            }
            _ => {}
        }
    }
    wrong
}

/// The form of an action. `about`: what is known of it beforehand.
fn shown(
    visitor: &Visitor,
    document: &Value,
    action: &Action,
    fields: &Fields,
    wrong: &Wrongs,
    about: Markup,
) -> Markup {
    let place = place(document);
    page(
        visitor,
        "/painel/documentos",
        action.title,
        html! {
            (top(action.title, &title(document), html! { a class="botao secundario mini" href=(place) { "Voltar ao documento" } }))
            (wrong.above(None))
            section class="cartao" {
                p { (action.sentence) }
                (about)
                form class="campos" method="post" action=(format!("{place}/{}", action.word)) novalidate {
                    (hidden_of(visitor, fields))
                    @for input in action.inputs { (field_of(input, fields, wrong)) }
                    p class="suave pequeno" { (price(visitor, document, action, None)) }
                    div class="acoes" {
                        button class="botao" { "Continuar" }
                        a class="botao secundario" href=(place) { "Desistir" }
                    }
                }
            }
        },
    )
}

fn field_of(input: &Input, fields: &Fields, wrong: &Wrongs) -> Markup {
    let value = fields.raw(input.name);
    let described = wrong.described(input.name, input.hint);
    let (bad, focus) = (wrong.invalid(input.name), wrong.focus(input.name));
    let control = match input.kind {
        InputKind::Text(least, most) => html! {
            textarea id=(input.name) name=(input.name) minlength=(least) maxlength=(most) aria-describedby=[described] aria-invalid=[bad] autofocus[focus] { (value) }
        },
        InputKind::Choice(words) => choice(wrong, input.name, input.hint, words, value),
        InputKind::Date => {
            html! { input id=(input.name) name=(input.name) type="date" value=(value) aria-describedby=[described] aria-invalid=[bad] autofocus[focus]; }
        }
        InputKind::Money => {
            html! { input id=(input.name) name=(input.name) type="text" inputmode="decimal" value=(value) aria-describedby=[described] aria-invalid=[bad] autofocus[focus]; }
        }
        InputKind::City => cities::field(input, value, wrong),
        InputKind::Line | InputKind::Optional | InputKind::Whole => {
            html! { input id=(input.name) name=(input.name) type="text" value=(value) aria-describedby=[described] aria-invalid=[bad] autofocus[focus]; }
        }
    };
    framed(wrong, "", input.name, input.label, input.hint, control)
}

/// Asks before it is done. `goes`: where a draft goes; `coded`: the fields as the operation
/// takes them.
fn question(
    visitor: &Visitor,
    document: &Value,
    action: &Action,
    goes: Option<Ambiente>,
    (fields, coded): (&Fields, &Fields),
) -> Markup {
    let place = place(document);
    let token = match fields.get(once::FIELD) {
        "" => once::token(&visitor.panel.app),
        token => token.to_owned(),
    };
    let kept = fields.kept();
    page(
        visitor,
        "/painel/documentos",
        action.title,
        html! {
            (top(action.title, &title(document), html! { a class="botao secundario mini" href=(place) { "Voltar ao documento" } }))
            section class="cartao" {
                h2 { "Confira" }
                p { (action.sentence) }
                dl class="fatos" {
                    dt { "Documento" } dd { (title(document)) }
                    @if other_party(document) != "–" { dt { (party_name(text(document, "modelo"))) } dd { (other_party(document)) } }
                    @if !value_of(document).is_null() { dt { "Valor" } dd { (money(value_of(document))) } }
                    @if !text(document, "chave").is_empty() { dt { "Chave" } dd class="mono" { (text(document, "chave")) } }
                    @for input in action.inputs {
                        @let value = answer(input, coded);
                        @if !value.is_empty() { dt { (input.label) } dd class="linhas" { (value) } }
                    }
                    dt { "Preço" } dd { (price(visitor, document, action, goes)) }
                }
                @if let Some(goes) = goes { (places::notice(goes, text(document, "modelo"))) }
                @if action.grave && text(document, "ambiente") == "producao" && action.word != "excluir" {
                    div class="aviso-caixa aviso" { p { strong { "Isto tem efeito fiscal e não pode ser desfeito." } } }
                }
                form class="campos" method="post" action=(format!("{place}/{}", action.word)) {
                    (hidden_as(visitor, &token))
                    @for (name, value) in kept { input type="hidden" name=(name) value=(value); }
                    div class="acoes" {
                        button class=(if action.grave { "botao perigo" } else { "botao" }) name="confirmado" value="1" { (action.verb) }
                        @if action.inputs.is_empty() {
                            a class="botao secundario" href=(place) { "Desistir" }
                        } @else {
                            button class="botao secundario" name="corrigir" value="1" { "Voltar e corrigir" }
                        }
                    }
                }
            }
        },
    )
}

/// What was filled in, as people read it.
fn answer(input: &Input, fields: &Fields) -> String {
    let value = fields.get(input.name);
    match input.kind {
        InputKind::Choice(words) => {
            let known = words.iter().find(|(word, _)| *word == value);
            known.map_or(value, |(_, name)| name).to_owned()
        }
        InputKind::Money => money(&Value::from(fields.decimal(input.name))),
        InputKind::City => cities::named(value),
        InputKind::Date => match value.split('-').collect::<Vec<_>>().as_slice() {
            [year, month, day] => format!("{day}/{month}/{year}"),
            _ => value.to_owned(),
        },
        _ => value.to_owned(),
    }
}

/// The page of an action without fields that was refused.
fn refused(visitor: &Visitor, document: &Value, action: &Action, wrong: &Wrongs) -> Markup {
    let place = place(document);
    page(
        visitor,
        "/painel/documentos",
        action.title,
        html! {
            (top(action.title, &title(document), html! {}))
            (wrong.above(None))
            p class="acoes" {
                a class="botao" href=(place) { "Voltar ao documento" }
                a class="botao secundario" href=(format!("{place}/{}", action.word)) { "Tentar de novo" }
            }
        },
    )
}

/// What the operation costs, and when. `goes`: where a draft goes.
fn price(visitor: &Visitor, document: &Value, action: &Action, goes: Option<Ambiente>) -> String {
    let row = action.operation(text(document, "modelo"));
    let credits = row
        .and_then(base::operations::Operation::price)
        .unwrap_or(0);
    if credits == 0 {
        return "Sem custo.".to_owned();
    }
    if goes == Some(Ambiente::Simulated) {
        return "Nada: a emissão é simulada.".to_owned();
    }
    let when = match row.map(|row| row.charged_when.as_str()) {
        Some("authorized") => "cobrados só se a autoridade aceitar",
        _ => "cobrados pela consulta",
    };
    let test = match (visitor.live(), goes) {
        (false, None) => " Em Teste, um documento só simulado não custa nada.",
        _ => "",
    };
    format!("{credits} créditos ({}), {when}.{test}", reais(credits))
}

/// What is known of an action before it is asked for: until when an NFC-e may be
/// cancelled, what a city demands.
async fn about(visitor: &Visitor, document: &Value, action: &Action) -> Result<Markup, Problem> {
    let id = encoded(text(document, "nota_id"));
    let path = match (action.word, text(document, "modelo")) {
        ("cancelar", "65") => format!("/api/v1/nfce/{id}/janela-cancelamento"),
        ("cancelar", "nfse") => format!(
            "/api/v1/nfse/cancelamento/exigencias?codigo_ibge={}",
            encoded(text(document, "codigo_municipio"))
        ),
        _ => return Ok(html! {}),
    };
    let reply = visitor.ask(Method::GET, &path, None).await?;
    if !reply.ok() {
        return Ok(html! {});
    }
    let known = reply.json();
    let demands = known["exigencias"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    Ok(html! {
        @if known["dentro_da_janela"] == true {
            p { "O prazo de " (known["prazo_minutos"]) " minutos termina em " (crate::parts::moment(text(&known, "expira_em"))) "." }
        } @else if known["dentro_da_janela"] == false {
            div class="aviso-caixa aviso" { p { "O prazo terminou em " (crate::parts::moment(text(&known, "expira_em"))) "." @if known["aceita_atraso"] == true { " A UF ainda aceita o pedido." } } }
        }
        @if !demands.is_empty() {
            h2 { "O que o município exige" }
            ul class="simples" { @for one in demands { li { (one.as_str().unwrap_or_default()) } } }
        }
        @if text(&known, "cancela_por_api_codigo") == "nao" {
            div class="aviso-caixa aviso" { p { "Este município não cancela notas por aqui; cancele no site da prefeitura." } }
        }
    })
}
