//! Companies and their certificates.

use super::companies::{self, Companies, Company};
use super::emitter::company::{REGIMES, page_of, regime_of, starter};
use super::emitter::facts::facts;
use super::emitter::{inputs, place, registration, wrong};
use super::filling::{self, Filled};
use super::issue::wrong::Wrong;
use super::listing::items;
use crate::Panel;
use crate::form::fields::{choice, framed, needed};
use crate::form::wrong::Wrongs;
use crate::form::{Fields, Sent};
use crate::layout::page;
use crate::parts::{cnpj, done, empty, encoded, hidden, marks, moment, pager, table, top};
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use axum::Router;
use axum::extract::Query;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use base::when;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::tables::certificates::DueRow;

const HERE: &str = "/painel/emitentes";
/// Companies of a page, each a card.
const PAGE: usize = 50;
/// Companies that a search shows.
const MOST_FOUND: usize = 100;

pub fn router() -> Router<Panel> {
    Router::new().route(HERE, get(list).post(create))
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
    let listed = listed(&visitor, &query).await?;
    let content = html! { (note) (listed) };
    Ok(shown(&visitor, &Filled::default(), content))
}

/// The page as it is after a registration was filled in or refused.
async fn again(visitor: &Visitor, filled: &Filled) -> Result<Markup, Problem> {
    let listed = listed(visitor, &BTreeMap::new()).await?;
    Ok(shown(visitor, filled, listed))
}

/// The companies that are looked for, those whose certificate ends, or a page of all.
async fn listed(visitor: &Visitor, query: &BTreeMap<String, String>) -> Result<Markup, Problem> {
    let given = |name: &str| query.get(name).map_or("", |value| value.trim());
    let (q, cursor) = (given("q"), given("cursor"));
    if !q.is_empty() {
        let companies = Companies::read(visitor).await?;
        let found: Vec<&Company> = companies.found(q).take(MOST_FOUND).collect();
        return Ok(html! { (search(q)) (results(&found)) });
    }
    if given("certificado") == "vence" {
        return Ok(ending(&companies::due(visitor).await?));
    }
    let mut path = format!("/api/v1/emitters?limite={PAGE}");
    if !cursor.is_empty() {
        path.push_str(&format!("&cursor={}", encoded(cursor)));
    }
    let emitters = visitor.get(&path).await?;
    let several = items(&emitters).len() > 1 || !cursor.is_empty();
    Ok(html! {
        @if several { (search(q)) }
        @if items(&emitters).is_empty() { section class="cartao" { (empty("loja", none(visitor), html! {})) } }
        div class="grade larga" {
            @for emitter in items(&emitters) { (card(visitor, emitter)) }
        }
        (pager(HERE, "", &emitters))
    })
}

fn search(q: &str) -> Markup {
    html! {
        form class="procura" method="get" action=(HERE) role="search" {
            label class="so-leitor" for="procura-q" { "Nome ou CNPJ" }
            input id="procura-q" name="q" type="search" maxlength="60" value=(q) placeholder="Nome ou CNPJ" autocomplete="off";
            button class="botao secundario" { "Procurar" }
        }
    }
}

fn results(found: &[&Company]) -> Markup {
    html! {
        section class="cartao" {
            @if found.is_empty() { (empty("loja", "Nenhum emitente foi encontrado.", html! {})) }
            @else {
                (table("Emitentes", &["Emitente", "CNPJ"], html! {
                    @for one in found {
                        tr {
                            td { a href=(format!("{HERE}/{}", encoded(&one.id))) { (one.name) } }
                            td class="mono" { (cnpj(&one.cnpj)) }
                        }
                    }
                }))
                @if found.len() == MOST_FOUND { p class="dica" { "Só os primeiros estão na lista: escreva mais do nome ou do CNPJ." } }
            }
            p { a href=(HERE) { "Ver todos os emitentes" } }
        }
    }
}

/// Companies whose certificate has ended or ends soon.
fn ending(due: &[DueRow]) -> Markup {
    html! {
        section class="cartao" {
            h2 { "Certificados que venceram ou vencem em até 30 dias" }
            @if due.is_empty() { (empty("certo", "Nenhum certificado vence nos próximos 30 dias.", html! {})) }
            @else {
                (table("Certificados que vencem", &["Emitente", "Fim da validade"], html! {
                    @for row in due {
                        tr {
                            td { a href=(format!("{HERE}/{}#certificado", encoded(row.emitter_id.as_str()))) { (row.razao_social) } }
                            td { (moment(&when::rfc3339(row.valido_ate_ms))) }
                        }
                    }
                }))
            }
            p { a href=(HERE) { "Ver todos os emitentes" } }
        }
    }
}

/// The page. `filled`: a registration. `content`: above its form.
fn shown(visitor: &Visitor, filled: &Filled, content: Markup) -> Markup {
    let (fields, wrong) = (&filled.fields, &filled.wrong);
    let line = |class: &str, name: &str| {
        let input = html! { input id=(name) name=(name) type="text" value=(fields.get(name)) aria-invalid=[wrong.invalid(name)] aria-describedby=[wrong.described(name, "")] autofocus[filled.focus(name)]; };
        let frame = match name {
            "cnpj" | "razao_social" => needed,
            _ => framed,
        };
        frame(wrong, class, name, wrong::label(name), "", input)
    };
    let mut regimes = vec![("", "Escolha o regime")];
    regimes.extend(REGIMES);
    page(
        visitor,
        HERE,
        "Emitentes",
        html! {
            (top("Emitentes", "As empresas que emitem as notas, o certificado de cada uma e o que falta no cadastro.", html! {}))
            (wrong.above(Some(wrong::label)))
            (content)
            @if visitor.may(Action::Emitters) {
                section class="cartao" {
                    h2 { "Cadastrar emitente" }
                    p class="suave" { "Para cadastrar bastam o CNPJ, a razão social e o regime tributário. Com o endereço, a empresa já emite notas de teste, com a tributação de uma venda comum de mercadoria. O certificado A1, a tributação e a numeração são informados depois, na página da empresa." }
                    (marks())
                    form class="campos blocos" method="post" action=(HERE) {
                        (filling::main_button())
                        (hidden(visitor))
                        fieldset class="bloco" {
                            legend { "Empresa" }
                            (line("", "cnpj"))
                            (line("", "razao_social"))
                            (filling::by_cnpj(visitor))
                            (line("c2", "ie"))
                            (line("c2", "im"))
                            (needed(wrong, "", "regime", wrong::label("regime"), "", choice(wrong, "regime", "", &regimes, fields.get("regime"))))
                        }
                        fieldset class="bloco" {
                            legend { "Endereço" }
                            (filled.told())
                            (line("c2", "cep"))
                            (filling::by_cep(visitor))
                            (line("c4", "logradouro"))
                            (line("c2", "numero"))
                            (line("c4", "bairro"))
                            (framed(wrong, "c4", "municipio", "Município", place::HINT, place::input(fields.get("municipio"), wrong)))
                            (line("c2", "uf"))
                        }
                        div { button class="botao" { "Cadastrar" } }
                    }
                }
            }
        },
    )
}

/// Instead of the companies, where there are none.
fn none(visitor: &Visitor) -> &'static str {
    if visitor.may(Action::Emitters) {
        "Nenhum emitente ainda. Cadastre a empresa no formulário abaixo para emitir as primeiras notas de teste."
    } else {
        "Nenhum emitente ainda. Peça a um administrador da conta que cadastre a empresa."
    }
}

fn card(visitor: &Visitor, emitter: &Value) -> Markup {
    let (name, page) = (text(emitter, "razao_social"), page_of(emitter));
    html! {
        section class="cartao" {
            h2 {
                a href=(page) { (name) }
                " " @if emitter["padrao"] == true { span class="selo ok" { "padrão" } }
            }
            (facts(emitter, visitor.may(Action::Emitters).then_some(page.as_str())))
        }
    }
}

async fn create(sent: Sent) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Action::Emitters)?;
    let names = ("cnpj", "razao_social");
    if let Some(filled) = filling::pressed(visitor, fields, names).await? {
        let page = again(visitor, &filled).await?;
        return Ok((filled.status(), page).into_response());
    }
    let known = |name: &str| name != "ambiente";
    // What the API does not look at.
    let mut found = Vec::new();
    let coded = match place::coded(visitor, fields, "").await? {
        Ok(coded) => coded,
        Err(city) => {
            found.push(city);
            place::without(fields)
        }
    };
    found.extend(registration::wrong(&coded));
    found.extend(registration::wrong_cep(&coded));
    // Without one the rates would be those of Lucro Real, and nobody would have said so.
    if fields.get("regime").is_empty() {
        found.push(Wrong::at("regime", "Escolha o regime da empresa."));
    }
    if !found.is_empty() {
        // What else is wrong is said at once.
        let path = "/api/v1/emitters?simular=1";
        let reply = visitor.ask(Method::POST, path, Some(&body(&coded))).await?;
        let mut wrong = if matches!(reply.status, 400 | 409 | 422) {
            wrong::of(&reply, known)
        } else {
            Wrongs::default()
        };
        for one in found {
            if !wrong.has(&one.field) {
                wrong.add(&one.field, &one.sentence);
            }
        }
        let wrong = wrong.in_order(inputs::order);
        let page = again(visitor, &Filled::refused(fields, wrong)).await?;
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
    }
    let reply = sent
        .ask(Method::POST, "/api/v1/emitters", Some(&body(&coded)))
        .await?;
    if !reply.ok() {
        let wrong = wrong::of(&reply, known);
        let page = again(visitor, &Filled::refused(fields, wrong)).await?;
        return Ok((wrong::status(&reply), page).into_response());
    }
    visitor
        .note("emitente.cadastrado", text(&reply.json(), "id"), "")
        .await?;
    Ok(Redirect::to("/painel/emitentes?criado=1").into_response())
}

/// The registration of a form. `fields`: with the code of the municipality in the place of its
/// name.
fn body(fields: &Fields) -> Value {
    let some = |name: &str| Some(fields.get(name)).filter(|text| !text.is_empty());
    let cep = fields.get("cep").replace(['.', '-', ' '], "");
    json!({
        "cnpj": fields.get("cnpj"), "ambiente": "homologacao",
        "perfil_fiscal": {
            "padroes": starter(fields.get("regime")),
            "razao_social": some("razao_social"), "ie": some("ie"), "im": some("im"), "regime": some("regime").map(regime_of),
            "endereco": {
                "cep": Some(cep).filter(|cep| !cep.is_empty()), "logradouro": some("logradouro"), "numero": some("numero"), "bairro": some("bairro"),
                "codigo_ibge": some("municipio"), "uf": some("uf"),
            },
        },
    })
}
