//! Numbers that no note has: the gaps, the form that voids them, and the ranges
//! that were voided.

use super::companies::Companies;
use super::listing::kind;
use crate::Panel;
use crate::form::hidden_of;
use crate::form::wrong::Wrongs;
use crate::form::{Fields, Keyed};
use crate::frame::error_box;
use crate::layout::page;
use crate::once;
use crate::parts::{
    ambiente, document, done, empty, encoded, hidden_as, moment, reais, select, table, top,
};
use crate::reply::{Problem, status_of, text};
use crate::visitor::Visitor;
use accounts::opening::unseen;
use accounts::users::role::Action;
use axum::Router;
use axum::extract::Query;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use base::{operations, when};
use issuing::issue::product::ambiente_of;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::Period;
use store::tables::emitters;
use store::tables::eventos::EventoRow;
use store::tables::exportacoes::{self, Selection};
use store::tables::notas::{self, NotaRow};
use store::tables::numbers::{self, FreeRow, Series};
use store::words::{Maybe, Model};

const HERE: &str = "/painel/numeracao";
/// Free numbers that are looked at.
const FREE: i64 = 5_000;
/// Voided ranges that are shown, of the last year.
const RANGES: i64 = 500;
const YEAR_MS: i64 = 366 * 86_400_000;
/// Most numbers of one request (MOC, Inutilização).
const MOST: i64 = 1_000;
/// Notes that are named of those that have numbers of a range.
const NAMED: usize = 10;

const MODELS: [(&str, &str); 2] = [("55", "NF-e"), ("65", "NFC-e")];

pub fn router() -> Router<Panel> {
    Router::new()
        .route(HERE, get(numbers))
        .route("/painel/numeracao/inutilizar", get(form).post(send))
}

async fn numbers(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let note = match query.get("feito").map(String::as_str) {
        Some("espera") => done("O pedido foi enviado e ainda não tem resposta da SEFAZ."),
        Some(_) => done("Faixa inutilizada."),
        None => html! {},
    };
    let companies = Companies::read(&visitor).await?;
    let account = &visitor.session.row.account_id;
    let hidden = unseen(!visitor.live());
    let now_ms = visitor.panel.app.now_ms();
    let mut conn = visitor.walk().await?;
    let free = numbers::free_of(&mut conn, account, &Maybe(None), FREE, hidden).await;
    let free = free.map_err(anyhow::Error::from)?;
    let selection = Selection {
        account_id: account.clone(),
        left_out: hidden,
        emitter_id: Maybe(None),
        period: Period {
            from_ms: now_ms - YEAR_MS,
            to_ms: i64::MAX,
            ..Period::default()
        },
        modelos: [true; 3],
    };
    let start = (0, String::new());
    let voided = exportacoes::ranges(&mut conn, &selection, &start, RANGES).await;
    let mut voided = voided.map_err(anyhow::Error::from)?;
    drop(conn);
    voided.reverse();
    Ok(page(
        &visitor,
        HERE,
        "Numeração",
        html! {
            (top("Numeração", "Números de NF-e e NFC-e que nenhuma nota usou, e os que foram inutilizados.", html! {
                @if visitor.may(Action::Documentos) { a class="botao secundario" href="/painel/numeracao/inutilizar" { "Inutilizar uma faixa" } }
            }))
            (note)
            (gaps_of(&visitor, &companies, &free))
            section class="cartao" {
                h2 { "Inutilizadas no último ano" }
                @if voided.is_empty() { (empty("lista", "Nenhuma faixa foi inutilizada.", html! {})) }
                @else { (ranges(&voided, &companies)) }
            }
        },
    ))
}

/// The gaps, each with the way to void it.
fn gaps_of(visitor: &Visitor, companies: &Companies, free: &[FreeRow]) -> Markup {
    let gaps = gaps(free);
    let may = visitor.may(Action::Documentos);
    // A request goes to where the company issues now. For a gap of another environment it
    // would void numbers of that one.
    let here = |gap: &FreeRow| {
        let company = companies.get(gap.emitter_id.as_str());
        !visitor.live() || company.is_some_and(|one| one.ambiente == gap.ambiente)
    };
    html! {
        section class="cartao" {
            h2 { "Lacunas" }
            @if gaps.is_empty() {
                (empty("certo", "Nenhum número ficou sem nota.", html! {}))
            } @else {
                p class="suave" { "O hub usa estes números nas próximas notas da série. Se não houver outras, inutilize-os até o dia 10 do mês seguinte." }
                (table("Lacunas", &["Série", "Números", "Quantos", "Emitente", "Ambiente", ""], html! {
                    @for (first, last) in &gaps {
                        tr {
                            td { (kind(first.modelo.as_str())) " série " (first.serie) }
                            td { (range(first.numero, last.numero)) }
                            td class="num" { (last.numero - first.numero + 1) }
                            td { (companies.name(first.emitter_id.as_str())) }
                            td { (ambiente(first.ambiente.as_str())) }
                            td {
                                @if may && here(first) { a class="botao secundario mini" href=(to_form(first, last)) { "Inutilizar" } }
                                @else if may { span class="suave pequeno" { "O emitente agora emite em outro ambiente." } }
                            }
                        }
                    }
                }))
                @if i64::try_from(free.len()).is_ok_and(|count| count == FREE) { p class="suave" { "Há outras: estas são as primeiras." } }
            }
        }
    }
}

/// Free numbers as ranges, by their first and last.
fn gaps(free: &[FreeRow]) -> Vec<(&FreeRow, &FreeRow)> {
    let follows = |one: &FreeRow, next: &FreeRow| {
        let moved = FreeRow {
            numero: one.numero + 1,
            ..one.clone()
        };
        moved == *next
    };
    free.chunk_by(follows)
        .filter_map(|chunk| Some((chunk.first()?, chunk.last()?)))
        .collect()
}

fn range(first: i64, last: i64) -> String {
    if first == last {
        first.to_string()
    } else {
        format!("{first} a {last}")
    }
}

/// The form with a gap filled in.
fn to_form(first: &FreeRow, last: &FreeRow) -> String {
    let until = last.numero.min(first.numero + MOST - 1);
    format!(
        "/painel/numeracao/inutilizar?emitente={}&modelo={}&serie={}&numero_inicial={}&numero_final={until}",
        encoded(first.emitter_id.as_str()),
        first.modelo,
        encoded(&first.serie),
        first.numero,
    )
}

fn ranges(voided: &[EventoRow], companies: &Companies) -> Markup {
    table(
        "Faixas inutilizadas",
        &[
            "Série",
            "Números",
            "Emitente",
            "Quando",
            "Protocolo",
            "Justificativa",
        ],
        html! {
            @for one in voided {
                @let asked: Value = serde_json::from_str(&one.detalhes).unwrap_or_default();
                @let number = |name: &str| asked[name].as_i64().unwrap_or(0);
                tr {
                    td { (kind(text(&asked, "modelo"))) " série " (number("serie")) }
                    td { (range(number("numero_inicial"), number("numero_final"))) }
                    td { (companies.name(one.emitter_id.as_str())) }
                    td class="curto" { (moment(&when::rfc3339(one.updated_at_ms))) }
                    td class="mono" { (one.protocolo) }
                    td class="texto" { (text(&asked, "justificativa")) }
                }
            }
        },
    )
}

const FIELDS: [&str; 6] = [
    "emitente",
    "modelo",
    "serie",
    "numero_inicial",
    "numero_final",
    "justificativa",
];

async fn form(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    visitor.must(Action::Documentos)?;
    let fields: Fields = FIELDS
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), query.get(*name)?.clone())))
        .collect();
    shown(&visitor, &fields, &Wrongs::default()).await
}

async fn shown(visitor: &Visitor, fields: &Fields, wrong: &Wrongs) -> Result<Markup, Problem> {
    let companies = Companies::read(visitor).await?;
    let names = companies.choices();
    let names: Vec<(&str, &str)> = names
        .iter()
        .map(|(id, name)| (id.as_str(), name.as_str()))
        .collect();
    let number = |name: &'static str, label: &str, hint: &str| {
        html! {
            div class="campo" {
                label for=(name) { (label) }
                input id=(name) name=(name) type="text" inputmode="numeric" value=(fields.get(name)) aria-invalid=[wrong.has(name).then_some("true")] aria-describedby=[wrong.described(name, hint)];
                (wrong.beside(name))
                @if !hint.is_empty() { span class="dica" id=(format!("{name}-dica")) { (hint) } }
            }
        }
    };
    let why = "De 15 a 255 caracteres; vai para a autoridade.";
    Ok(page(
        visitor,
        HERE,
        "Inutilizar números",
        html! {
            (top("Inutilizar números", "Diz à SEFAZ que estes números não terão nota. Não há volta.", html! { a class="botao secundario mini" href=(HERE) { "Voltar" } }))
            (wrong.above(None))
            section class="cartao" {
                form class="campos" method="post" action="/painel/numeracao/inutilizar" novalidate {
                    (hidden_of(visitor, fields))
                    div class="campo" { label for="emitente" { "Emitente" } (select("emitente", &names, fields.get("emitente"))) (wrong.beside("emitente")) }
                    div class="campo" { label for="modelo" { "Documento" } (select("modelo", &MODELS, fields.get("modelo"))) }
                    (number("serie", "Série", ""))
                    (number("numero_inicial", "Primeiro número", ""))
                    (number("numero_final", "Último número", "No máximo 1.000 números de uma vez."))
                    div class="campo" {
                        label for="justificativa" { "Justificativa" }
                        textarea id="justificativa" name="justificativa" maxlength="255" aria-invalid=[wrong.has("justificativa").then_some("true")] aria-describedby=[wrong.described("justificativa", why)] { (fields.raw("justificativa")) }
                        (wrong.beside("justificativa"))
                        span class="dica" id="justificativa-dica" { (why) }
                    }
                    div class="acoes" {
                        button class="botao" { "Continuar" }
                        a class="botao secundario" href=(HERE) { "Desistir" }
                    }
                }
            }
        },
    ))
}

/// The numbers of a form: series, first and last; or what is wrong with them.
fn read(fields: &Fields) -> Result<[i64; 3], Wrongs> {
    let mut wrong = Wrongs::default();
    let mut number = |name: &str, least: i64, most: i64| {
        let read = fields.get(name).parse::<i64>().ok();
        let read = read.filter(|number| (least..=most).contains(number));
        if read.is_none() {
            wrong.add(name, &format!("Escreva um número de {least} a {most}."));
        }
        read.unwrap_or(0)
    };
    let serie = number("serie", 0, 999);
    let first = number("numero_inicial", 1, 999_999_999);
    let last = number("numero_final", 1, 999_999_999);
    if wrong.is_empty() && last < first {
        wrong.add("numero_final", "O último número vem depois do primeiro.");
    } else if wrong.is_empty() && last - first >= MOST {
        wrong.add("numero_final", "São no máximo 1.000 números de uma vez.");
    }
    let count = fields.get("justificativa").chars().count();
    if !(15..=255).contains(&count) {
        let sentence = format!("Escreva de 15 a 255 caracteres; há {count}.");
        wrong.add("justificativa", &sentence);
    }
    if wrong.is_empty() {
        Ok([serie, first, last])
    } else {
        Err(wrong)
    }
}

async fn send(Keyed(sent): Keyed) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Action::Documentos)?;
    if fields.on("corrigir") {
        let page = shown(visitor, fields, &Wrongs::default()).await?;
        return Ok(page.into_response());
    }
    let [serie, first, last] = match read(fields) {
        Ok(numbers) => numbers,
        Err(wrong) => {
            let page = shown(visitor, fields, &wrong).await?;
            return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
        }
    };
    if !fields.on("confirmado") {
        return Ok(question(visitor, fields, [serie, first, last])
            .await?
            .into_response());
    }
    let body = json!({
        "emitente_id": fields.get("emitente"), "serie": serie, "numero_inicial": first, "numero_final": last,
        "justificativa": fields.get("justificativa"),
    });
    let path = match fields.get("modelo") {
        "65" => "/api/v1/nfce/inutilizar",
        _ => "/api/v1/nfe/inutilizar",
    };
    let reply = sent.ask(Method::POST, path, Some(&body)).await?;
    if !reply.ok() {
        let wrong = Wrongs::of(&reply, |name| FIELDS.contains(&name));
        let page = shown(visitor, fields, &wrong).await?;
        return Ok((status_of(&reply), page).into_response());
    }
    let detail = range(first, last);
    visitor
        .note("numeracao.inutilizada", fields.get("emitente"), &detail)
        .await?;
    let how = if reply.status == 202 { "espera" } else { "1" };
    Ok(Redirect::to(&format!("{HERE}?feito={how}")).into_response())
}

/// Notes that have numbers of a range where the request would go: some more than are named.
async fn holders(
    visitor: &Visitor,
    fields: &Fields,
    [serie, first, last]: [i64; 3],
) -> Result<Vec<NotaRow>, Problem> {
    let account = &visitor.session.row.account_id;
    let mut conn = visitor.read().await?;
    let emitter = emitters::get(&mut conn, account, &fields.get("emitente").into()).await;
    let Some(emitter) = emitter.map_err(anyhow::Error::from)? else {
        return Ok(Vec::new());
    };
    let model = match fields.get("modelo") {
        "65" => Model::Nfce,
        _ => Model::Nfe,
    };
    let ambiente = ambiente_of(!visitor.live(), &emitter);
    let series = Series::new(&emitter.id, ambiente, model, &serie.to_string());
    let limit = i64::try_from(NAMED + 1).unwrap_or(MOST);
    let found = notas::holding(&mut conn, &series, (first, last), limit).await;
    Ok(found.map_err(anyhow::Error::from)?)
}

/// That numbers of the range are of these notes.
fn held(visitor: &Visitor, holders: &[NotaRow]) -> Markup {
    error_box(
        true,
        html! {
            p { strong { "Números de notas não podem ser inutilizados." } }
            p {
                "Nesta faixa já são de notas: "
                @for (at, note) in holders.iter().take(NAMED).enumerate() {
                    @if at > 0 { ", " }
                    a href=(document(note.id.as_str(), visitor.ambiente())) { (note.numero) } " (" (note.status.in_words()) ")"
                }
                @if holders.len() > NAMED { " e outros" }
                ". Escolha uma faixa sem eles."
            }
        },
    )
}

/// Asks before the numbers are voided; where notes have some of them there is nothing to ask.
async fn question(
    visitor: &Visitor,
    fields: &Fields,
    [serie, first, last]: [i64; 3],
) -> Result<Markup, Problem> {
    let holders = holders(visitor, fields, [serie, first, last]).await?;
    let companies = Companies::read(visitor).await?;
    let company = companies.get(fields.get("emitente"));
    let credits = operations::get("nfe.inutilizar").and_then(operations::Operation::price);
    let credits = credits.unwrap_or(0);
    let kept = fields.kept();
    Ok(page(
        visitor,
        HERE,
        "Inutilizar números",
        html! {
            (top("Inutilizar números", "Nada foi enviado ainda.", html! {}))
            section class="cartao" {
                h2 { "Confira" }
                dl class="fatos" {
                    dt { "Emitente" } dd { (companies.name(fields.get("emitente"))) }
                    @if let Some(one) = company.filter(|_| visitor.live()) { dt { "Ambiente" } dd { (ambiente(one.ambiente.as_str())) } }
                    dt { "Documento" } dd { (kind(fields.get("modelo"))) ", série " (fields.get("serie")) }
                    dt { "Números" } dd { strong { (range(first, last)) } " (" (last - first + 1) ")" }
                    dt { "Justificativa" } dd class="linhas" { (fields.get("justificativa")) }
                    dt { "Preço" } dd { (credits) " créditos (" (reais(credits)) "), cobrados só se a SEFAZ registrar. Em simulação não custa nada." }
                }
                @if holders.is_empty() { div class="aviso-caixa aviso" { p { strong { "Números inutilizados nunca mais podem ser usados." } } } }
                @else { (held(visitor, &holders)) }
                form class="campos" method="post" action="/painel/numeracao/inutilizar" {
                    (hidden_as(visitor, fields.get(once::FIELD)))
                    @for (name, value) in kept { input type="hidden" name=(name) value=(value); }
                    div class="acoes" {
                        @if holders.is_empty() { button class="botao perigo" name="confirmado" value="1" { "Inutilizar" } }
                        button class="botao secundario" name="corrigir" value="1" { "Voltar e corrigir" }
                    }
                }
            }
        },
    ))
}
