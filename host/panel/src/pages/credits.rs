//! Credits: balance, packages and purchase, refund, alert, statement.

use super::listing::{items, kind};
use crate::Panel;
use crate::form::amount::{NotANumber, amount};
use crate::form::fields::{choice, framed};
use crate::form::hidden_of;
use crate::form::wrong::Wrongs;
use crate::form::{Fields, Keyed, Sent};
use crate::layout::page;
use crate::names;
use crate::once;
use crate::parts::{
    self, copy, done, empty, encoded, field, hidden, line, moment, money, pager, qr, reais, stat,
    status, table, top, whole,
};
use crate::reply::{Problem, refusal, status_of, text};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use axum::Router;
use axum::extract::{Path, Query};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use base::config::AuthoritiesMode;
use base::when;
use events::messaging;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::ids::{AccountId, NotaId};
use store::tables::notas::NotaRow;
use store::tables::{compras, eventos, notas};
use store::words::Ambiente;

/// What the field of the thresholds is called, and how they are written.
const ALERT: [&str; 2] = [
    "Avisar quando o saldo ficar abaixo de",
    "Em créditos, separados por espaço. Vazio: não avisar.",
];
const MEANS: &[(&str, &str)] = &[("pix", "PIX"), ("boleto", "Boleto"), ("cartao", "Cartão")];

pub fn router() -> Router<Panel> {
    Router::new()
        .route("/painel/creditos", get(credits).post(buy))
        .route("/painel/creditos/alerta", post(alert))
        .route("/painel/creditos/compras/{id}", get(purchase))
        .route("/painel/creditos/compras/{id}/reembolso", post(refund))
        .route("/painel/creditos/compras/{id}/simular", post(simulate))
}

async fn credits(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let note = if query.contains_key("alerta") {
        done("Alerta salvo.")
    } else {
        html! {}
    };
    let wrong = Wrongs::default();
    shown(&visitor, &query, (&Fields::default(), &wrong), note).await
}

async fn shown(
    visitor: &Visitor,
    query: &BTreeMap<String, String>,
    (fields, wrong): (&Fields, &Wrongs),
    note: Markup,
) -> Result<Markup, Problem> {
    let balance = visitor.get("/api/v1/creditos").await?;
    let offer = visitor.get("/api/v1/creditos/pacotes").await?;
    let cursor = query.get("cursor").map_or(String::new(), |cursor| {
        format!("&cursor={}", encoded(cursor))
    });
    let statement = visitor
        .get(&format!("/api/v1/creditos/extrato?limite=25{cursor}"))
        .await?;
    let account = &visitor.session.row.account_id;
    let mut conn = visitor.read().await?;
    let purchases = compras::latest(&mut conn, account, 10)
        .await
        .map_err(anyhow::Error::from)?;
    let subjects = subjects(&mut conn, account, items(&statement)).await?;
    drop(conn);
    let number = |name: &str| balance[name].as_i64().unwrap_or(0);
    let may = visitor.may(Action::Creditos);
    Ok(page(
        visitor,
        "/painel/creditos",
        "Créditos",
        html! {
            (top("Créditos", "1 crédito vale R$ 0,01. Não há mensalidade, e os créditos não vencem.", html! {}))
            (note)
            (wrong.above(Some(label)))
            div class="grade" {
                (stat("Disponível", &reais(number("disponivel")), html! { div class="rotulo" { (whole(number("disponivel"))) " créditos" } }))
                (stat("Reservado", &whole(number("reservado")), html! { div class="rotulo" { "em notas sem resultado ainda" } }))
                (stat("Presente", &whole(number("presente")), html! { div class="rotulo" { "gasto primeiro, não reembolsável" } }))
                (stat("Comprado", &whole(number("comprado")), html! {}))
            }
            @if may && offer["oferecida"] == true {
                div class="grade larga" {
                    section class="cartao" { h2 { "Comprar" } (form(visitor, (fields, wrong), &offer)) }
                    section class="cartao" { h2 { "Avisar quando o saldo baixar" } (alert_form(visitor, (fields, wrong), &balance["alerta"])) }
                }
            }
            (bought(&purchases))
            (moves(visitor, &statement, &subjects))
        },
    ))
}

/// The last purchases.
fn bought(purchases: &[compras::PurchaseRow]) -> Markup {
    html! {
            @if !purchases.is_empty() {
                section class="cartao" {
                    h2 { "Compras" }
                    (table("Compras", &["Quando", "Valor", "Meio", "Situação"], html! {
                        @for one in purchases {
                            tr {
                                td class="curto" { a href=(format!("/painel/creditos/compras/{}", one.id)) { (moment(&when::rfc3339(one.created_at_ms))) } }
                                td class="num" { (reais(one.creditos)) }
                                td { (means(one.meio.as_str())) }
                                td { (status(one.status.as_str())) }
                            }
                        }
                    }))
                }
            }
    }
}

/// The statement: what went in and out, with links to the notes.
fn moves(visitor: &Visitor, statement: &Value, subjects: &Subjects) -> Markup {
    html! {
            section class="cartao" {
                h2 { "Extrato" }
                p class="suave" { "O saldo é um só: aqui estão os movimentos de Teste e de Produção. O preço de uma nota é reservado quando ela é pedida; se a autoridade a aceita, é cobrado da reserva, e senão volta ao saldo." }
                @if items(statement).is_empty() { (empty("moeda", "Compras, débitos e devoluções aparecem aqui.", html! {})) } @else {
                    (table("Extrato", &["Quando", "Movimento", "Operação", "Créditos", "Saldo"], html! {
                        @for item in items(statement) {
                            tr {
                                td class="curto" { (moment(text(item, "em"))) }
                                td { (moved(item)) }
                                td {
                                    @match subjects.get(subject(item)) {
                                        Some(about) => {
                                            a href=(parts::document(about.id.as_str(), about.world.unwrap_or(visitor.ambiente()))) { (about.title) }
                                            div class="suave pequeno" { (caused_by(item)) }
                                        },
                                        None => (caused_by(item)),
                                    }
                                }
                                td class="num" { (whole(item["creditos"].as_i64().unwrap_or(0))) }
                                td class="num" { (whole(item["saldo_apos"].as_i64().unwrap_or(0))) }
                            }
                        }
                    }))
                    (pager("/painel/creditos", "", statement))
                }
            }
    }
}

/// A document that a movement is about.
struct Subject {
    id: NotaId,
    /// `NF-e 1523`.
    title: String,
    /// The world that shows it; None: both do.
    world: Option<&'static str>,
}

/// Documents, by the ids of themselves or of their events that a statement names.
type Subjects = BTreeMap<String, Subject>;

/// The id of the document of a movement, or of the event of one; empty where it has none.
fn subject(item: &Value) -> &str {
    match text(item, "nota_id") {
        "" => text(item, "evento_id"),
        note => note,
    }
}

/// The documents of a statement.
async fn subjects(
    conn: &mut store::Conn,
    account: &AccountId,
    statement: &[Value],
) -> Result<Subjects, Problem> {
    let mut subjects = Subjects::new();
    // As many as a page of the statement has.
    for item in statement {
        let named = subject(item);
        if named.is_empty() || subjects.contains_key(named) {
            continue;
        }
        let id: Option<NotaId> = match text(item, "nota_id") {
            "" => {
                let event = eventos::by_id(conn, &named.into()).await;
                let event = event.map_err(anyhow::Error::from)?;
                event.and_then(|event| event.nota_id.0)
            }
            note => Some(note.into()),
        };
        let Some(id) = id else { continue };
        let nota = notas::get(conn, account, &id).await;
        if let Some(nota) = nota.map_err(anyhow::Error::from)? {
            subjects.insert(named.to_owned(), Subject::of(&nota));
        }
    }
    Ok(subjects)
}

impl Subject {
    fn of(nota: &NotaRow) -> Subject {
        let number = match nota.numero_nfse.as_str() {
            "" if nota.numero > 0 => nota.numero.to_string(),
            number => number.to_owned(),
        };
        let title = format!("{} {number}", kind(nota.modelo.as_str()));
        Subject {
            id: nota.id.clone(),
            title: title.trim_end().to_owned(),
            world: match nota.ambiente {
                Ambiente::Production => Some("producao"),
                Ambiente::Simulated => Some("teste"),
                // Notes in homologation are seen in both worlds.
                Ambiente::Homologacao => None,
            },
        }
    }
}

/// What a movement is to who reads a statement.
fn moved(item: &Value) -> String {
    let held = !text(item, "reserva_id").is_empty();
    let amount = match item["valor"].as_i64() {
        Some(1) => "1 crédito".to_owned(),
        amount => format!("{} créditos", whole(amount.unwrap_or(0))),
    };
    match text(item, "tipo") {
        "reserva" if text(item, "nota_id").is_empty() => "reservado para o pedido".to_owned(),
        "reserva" => "reservado para a nota".to_owned(),
        // The balance has gone down when they were put aside.
        "debito" if held => format!("cobrado da reserva: {amount}"),
        "devolucao" if held => "devolvido da reserva".to_owned(),
        other => movement(other),
    }
}

/// What an operation did that moved credits. Gifts, purchases and adjustments are no
/// operations of the API, whatever their word is.
fn caused_by(item: &Value) -> String {
    let called = matches!(
        text(item, "tipo"),
        "reserva" | "debito" | "devolucao" | "estorno"
    );
    let name = names::operation(text(item, "operacao")).filter(|_| called);
    name.unwrap_or_else(|| names::capital(&movement(text(item, "tipo"))))
}

/// A kind of movement, in words.
pub fn movement(kind: &str) -> String {
    let known = match kind {
        "debito" => "débito",
        "devolucao" | "estorno" => "devolução",
        other => other,
    };
    known.replace('_', " ")
}

/// A means of payment, in words.
fn means(name: &str) -> &str {
    MEANS
        .iter()
        .find(|(known, _)| *known == name)
        .map_or(name, |(_, word)| *word)
}

/// What a field of a purchase is called, by its name in the form.
fn label(name: &str) -> &'static str {
    match name {
        "meio" => "Meio",
        "parcelas" => "Parcelas",
        "nome" => "Nome de quem paga",
        "documento" => "CPF ou CNPJ de quem paga",
        "limiares" => ALERT[0],
        _ => "Valor",
    }
}

fn form(visitor: &Visitor, (fields, wrong): (&Fields, &Wrongs), offer: &Value) -> Markup {
    let packages = offer["pacotes"].as_array().map_or(&[][..], Vec::as_slice);
    let instalments: Vec<(String, String)> =
        (1..=12).map(|n| (n.to_string(), format!("{n}×"))).collect();
    let instalments: Vec<(&str, &str)> = instalments
        .iter()
        .map(|(value, word)| (value.as_str(), word.as_str()))
        .collect();
    let bounds = format!(
        "De {} a {}.",
        money(&offer["minimo"]),
        money(&offer["maximo"])
    );
    html! {
        form class="campos" method="post" action="/painel/creditos" {
            (hidden_of(visitor, fields))
            (framed(wrong, "", "valor", label("valor"), &bounds, html! {
                input id="valor" name="valor" list="pacotes" inputmode="decimal" required value=(if fields.on("valor") { fields.get("valor") } else { "300,00" }) aria-invalid=[wrong.invalid("valor")] aria-describedby=[wrong.described("valor", &bounds)] autofocus[wrong.focus("valor")];
                datalist id="pacotes" { @for one in packages { option value=(one["valor"].to_string().trim_matches('"').replace('.', ",")) {} } }
            }))
            (framed(wrong, "", "meio", label("meio"), "", choice(wrong, "meio", "", MEANS, fields.get("meio"))))
            (framed(wrong, "so-cartao", "parcelas", label("parcelas"), "Só no cartão.", choice(wrong, "parcelas", "Só no cartão.", &instalments, fields.get("parcelas"))))
            @for name in ["nome", "documento"] {
                (framed(wrong, "so-boleto", name, label(name), "Para boleto.", html! {
                    input id=(name) name=(name) type="text" value=(fields.get(name)) aria-invalid=[wrong.invalid(name)] aria-describedby=[wrong.described(name, "Para boleto.")] autofocus[wrong.focus(name)];
                }))
            }
            div { button class="botao" { "Comprar" } }
        }
    }
}

/// `alerta`: what is stored; null: nothing. What was sent and is wrong stands in its place.
fn alert_form(visitor: &Visitor, (fields, wrong): (&Fields, &Wrongs), alerta: &Value) -> Markup {
    let [label, hint] = ALERT;
    let sent = fields.has("limiares");
    let thresholds = alerta["limiares"].as_array().map(Vec::as_slice);
    let thresholds: Vec<String> = thresholds
        .unwrap_or_default()
        .iter()
        .map(|threshold| {
            threshold
                .as_i64()
                .map_or_else(|| threshold.to_string(), whole)
        })
        .collect();
    let told = match thresholds.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} e de {last}", others.join(", de ")),
        None => String::new(),
    };
    let stored = alerta["canais"].as_array();
    let chosen = |name: &str| match stored {
        _ if sent => fields.all("canal").contains(&name),
        Some(stored) => stored.iter().any(|one| one == name),
        None => name == "webhook",
    };
    let mut ways = vec![("webhook", "Webhook")];
    if visitor.panel.app.config.mail.on() {
        ways.push(("email", "E-mail para donos, administradores e financeiro"));
    }
    let chatapp = messaging::offered(&visitor.panel.app).is_some();
    if chatapp {
        ways.push(("chatapp", "Mensagem para os telefones abaixo"));
    }
    let telefones: Vec<&str> = alerta["telefones"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let written = |name: &str, stored: String| match fields.has(name) {
        true => fields.get(name).to_owned(),
        false => stored,
    };
    html! {
        form class="campos" method="post" action="/painel/creditos/alerta" {
            (hidden(visitor))
            @if !told.is_empty() { p { "Avisar quando o saldo ficar abaixo de " (told) " créditos." } }
            (framed(wrong, "", "limiares", label, hint, html! {
                input id="limiares" name="limiares" value=(written("limiares", thresholds.join(" "))) placeholder="2.000 500" aria-invalid=[wrong.invalid("limiares")] aria-describedby=[wrong.described("limiares", hint)] autofocus[wrong.focus("limiares")];
            }))
            fieldset {
                legend { "Por onde" }
                div class="opcoes" {
                    @for (value, word) in ways {
                        label { input type="checkbox" name="canal" value=(value) checked[chosen(value)]; (word) }
                    }
                }
            }
            @if chatapp {
                (field("telefones", "Telefones", "Com código do país, separados por espaço, como +5511999998888.", line("telefones", "text", &written("telefones", telefones.join(" ")))))
            }
            div { button class="botao secundario" { "Salvar" } }
        }
    }
}

async fn buy(Keyed(sent): Keyed) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Action::Creditos)?;
    if let Some(sentence) = fields.doubt("valor") {
        let mut wrong = Wrongs::default();
        wrong.add("valor", &sentence);
        let page = shown(visitor, &BTreeMap::new(), (fields, &wrong), html! {}).await?;
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
    }
    let card = fields.get("meio") == "cartao";
    let mut body = json!({
        "valor": fields.decimal("valor"), "meio": fields.get("meio"),
    });
    if card {
        let instalments = fields.get("parcelas");
        let count = instalments.parse::<i64>();
        body["parcelas"] = count.map_or(Value::from(instalments), Value::from);
    }
    if !fields.get("nome").is_empty() || !fields.get("documento").is_empty() {
        body["pagador"] =
            json!({ "nome": fields.get("nome"), "cpf_cnpj": fields.get("documento") });
    }
    // Credits are bought in the live world alone.
    let live = visitor.in_world(true).await?;
    let path = "/api/v1/creditos/compras";
    let reply = sent.ask_as(&live, Method::POST, path, Some(&body)).await?;
    let answer = reply.json();
    let id = text(&answer, "compra_id");
    if !reply.ok() || id.is_empty() {
        let known =
            |name: &str| matches!(name, "valor" | "meio" | "parcelas" | "nome" | "cpf_cnpj");
        let wrong = Wrongs::of(&reply, known).renamed(|name| match name {
            "cpf_cnpj" => "documento",
            name => name,
        });
        let page = shown(visitor, &BTreeMap::new(), (fields, &wrong), html! {}).await?;
        return Ok((status_of(&reply), page).into_response());
    }
    visitor
        .note("creditos.compra", id, &money(&answer["valor"]))
        .await?;
    Ok(Redirect::to(&format!("/painel/creditos/compras/{}", encoded(id))).into_response())
}

/// Spaces at which no line breaks: they stand inside of a number, as a point does.
const KEEPING: [char; 3] = ['\u{a0}', '\u{202f}', '\u{2007}'];

/// A number of credits as people write it: they are whole, and a point or a space at which no
/// line breaks stands before each three digits.
fn threshold(part: &str) -> Option<i64> {
    if part.contains(KEEPING) {
        let mut groups = part.split(KEEPING);
        let first = groups.next().unwrap_or_default();
        let are_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
        let is_first = (1..=3).contains(&first.len()) && are_digits(first);
        let are_whole = is_first && groups.all(|group| group.len() == 3 && are_digits(group));
        if !are_whole {
            return None;
        }
        return part.replace(KEEPING, "").parse().ok();
    }
    let whole = match amount(part) {
        Ok(number) => number.normalize().to_string(),
        Err(NotANumber::TwoMeanings) => part.replace('.', ""),
        Err(NotANumber::Unreadable) => part.to_owned(),
    };
    whole.parse().ok()
}

async fn alert(sent: Sent) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Action::Creditos)?;
    let parts = fields
        .get("limiares")
        .split(|c: char| c.is_whitespace() && !KEEPING.contains(&c) || c == ';');
    let mut thresholds = Vec::new();
    for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
        let Some(credits) = threshold(part) else {
            let mut wrong = Wrongs::default();
            let advice = if part.contains(KEEPING) {
                "O espaço dentro dele não separa dois números: apague-o e digite-o de novo."
            } else {
                "Escreva, por exemplo, 2.000 500."
            };
            let sentence = format!("“{part}” não é um número inteiro de créditos. {advice}");
            wrong.add("limiares", &sentence);
            // The form that buys is another one, with a mark of its own.
            let mut fields = fields.clone();
            fields.set(once::FIELD, "");
            let page = shown(visitor, &BTreeMap::new(), (&fields, &wrong), html! {}).await?;
            return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
        };
        thresholds.push(credits);
    }
    let telefones: Vec<Value> = if fields.has("telefones") {
        let written = fields.get("telefones").split_whitespace();
        written.map(Value::from).collect()
    } else {
        // Where nobody is told that way, the form shows none and takes none away.
        let stored = visitor.get("/api/v1/creditos").await?;
        let stored = stored["alerta"]["telefones"].as_array();
        stored.cloned().unwrap_or_default()
    };
    let body =
        json!({ "limiares": thresholds, "canais": fields.all("canal"), "telefones": telefones });
    let path = "/api/v1/creditos/alerta";
    let reply = sent.ask(Method::PUT, path, Some(&body)).await?;
    if !reply.ok() {
        return Ok(shown(
            visitor,
            &BTreeMap::new(),
            (&Fields::default(), &Wrongs::default()),
            refusal(&reply),
        )
        .await?
        .into_response());
    }
    visitor
        .note("creditos.alerta", "", fields.get("limiares"))
        .await?;
    Ok(Redirect::to("/painel/creditos?alerta=1").into_response())
}

async fn purchase(visitor: Visitor, Path(id): Path<String>) -> Result<Markup, Problem> {
    one(&visitor, &id, html! {}).await
}

async fn one(visitor: &Visitor, id: &str, note: Markup) -> Result<Markup, Problem> {
    let id = encoded(id);
    let bought = visitor
        .get(&format!("/api/v1/creditos/compras/{id}"))
        .await?;
    let waits = text(&bought, "status") == "aguardando";
    let refunds = bought["reembolsos"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let may = visitor.may(Action::Creditos);
    Ok(page(
        visitor,
        "/painel/creditos",
        "Compra",
        html! {
            div id="compra" data-atualiza=[waits.then_some("2000")] {
            (top(&format!("Compra de {}", money(&bought["valor"])), "", html! {
                (status(text(&bought, "status"))) a class="botao secundario mini" href="/painel/creditos" { "Voltar" }
            }))
                (note)
                section class="cartao" {
                    @if waits {
                        (pay(&bought))
                        p class="suave" { "O pagamento aparece aqui quando chegar. " a href=(format!("/painel/creditos/compras/{id}")) { "Atualizar" } }
                    }
                    @else if text(&bought, "status") == "paga" { (done(&format!("{} créditos entraram no saldo.", whole(bought["creditos"].as_i64().unwrap_or(0))))) }
                    dl class="fatos" {
                        dt { "Créditos" } dd { (whole(bought["creditos"].as_i64().unwrap_or(0))) }
                        dt { "Meio" } dd { (means(text(&bought, "meio"))) @if bought["parcelas"].as_i64().unwrap_or(1) > 1 { " em " (bought["parcelas"]) "×" } }
                        dt { "Criada em" } dd { (moment(text(&bought, "criada_em"))) }
                        @if !text(&bought, "paga_em").is_empty() { dt { "Paga em" } dd { (moment(text(&bought, "paga_em"))) } }
                        @if !text(&bought, "reembolso_ate").is_empty() { dt { "Reembolso até" } dd { (moment(text(&bought, "reembolso_ate"))) } }
                        @if !text(&bought, "motivo").is_empty() { dt { "Motivo" } dd { (text(&bought, "motivo")) } }
                    }
                    @if waits && simulated(visitor) {
                        form method="post" action=(format!("/painel/creditos/compras/{id}/simular")) { (hidden(visitor)) button class="botao secundario" { "Simular o pagamento" } }
                    }
                }
                @if !refunds.is_empty() {
                    section class="cartao" {
                        h2 { "Reembolsos" }
                        (table("Reembolsos", &["Quando", "Valor", "Situação", "Motivo"], html! {
                            @for refund in refunds {
                                tr { td class="curto" { (moment(text(refund, "pedido_em"))) } td class="num" { (money(&refund["valor"])) } td { (status(text(refund, "status"))) } td class="texto" { (text(refund, "motivo")) } }
                            }
                        }))
                    }
                }
            }
            @if may && text(&bought, "status") == "paga" {
                section class="cartao" {
                    h2 { "Reembolso" }
                    p class="suave" { "O que não foi usado volta em até sete dias da confirmação (CDC, art. 49)." }
                    form class="campos" method="post" action=(format!("/painel/creditos/compras/{id}/reembolso")) data-confirma="Pedir o reembolso do que não foi usado?" {
                        (hidden(visitor))
                        (field("motivo", "Motivo", "", html! { input id="motivo" name="motivo" required maxlength="500"; }))
                        div { button class="botao perigo" { "Pedir reembolso" } }
                    }
                }
            }
        },
    ))
}

/// How to pay.
fn pay(bought: &Value) -> Markup {
    let (pix, slip, card) = (&bought["pix"], &bought["boleto"], &bought["cartao"]);
    html! {
        @if let Some(code) = pix["brcode"].as_str() {
            h2 { "Pague com PIX" }
            div class="pagar" {
                (qr(code, "QR Code do PIX"))
                div {
                    p { "Leia o código no aplicativo do seu banco, ou copie e cole:" }
                    (copy("brcode", code))
                }
            }
        }
        @if slip.is_object() {
            h2 { "Pague o boleto" }
            @for (name, value) in slip.as_object().into_iter().flatten() {
                @if let Some(line) = value.as_str().filter(|_| name.starts_with("linha")) { (copy("linha", line)) }
            }
            @if let Some(due) = slip["vencimento"].as_str() { p { "Vencimento: " (due) } }
        }
        @if let Some(url) = card["url"].as_str().or(card["link"].as_str()) {
            h2 { "Pague com cartão" }
            p { a class="botao" href=(url) rel="noreferrer" { "Ir para o pagamento" } }
        }
    }
}

/// The provider is the one of this process: nobody's money.
fn simulated(visitor: &Visitor) -> bool {
    let app = &visitor.panel.app;
    app.config.authorities.mode == AuthoritiesMode::Simulator
        && app.config.payments.adapter.is_empty()
}

async fn simulate(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    visitor.must(Action::Creditos)?;
    let path = format!("/api/v1/creditos/compras/{}", encoded(&id));
    // The purchase is one of this account.
    visitor.get(&path).await?;
    if simulated(visitor) {
        let paid = visitor.panel.app.simulator.sim.pay(&id, None, true).await;
        paid.map_err(|sentence| Problem::new(422, "O simulador não pagou", &sentence))?;
    }
    Ok(Redirect::to(&format!("/painel/creditos/compras/{}", encoded(&id))).into_response())
}

async fn refund(Path(id): Path<String>, Keyed(sent): Keyed) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    visitor.must(Action::Creditos)?;
    let path = format!("/api/v1/creditos/compras/{}/reembolso", encoded(&id));
    let body = json!({ "motivo": sent.fields.get("motivo") });
    let live = visitor.in_world(true).await?;
    let reply = sent.ask_as(&live, Method::POST, &path, Some(&body)).await?;
    if !reply.ok() {
        let page = one(visitor, &id, refusal(&reply)).await?;
        return Ok((status_of(&reply), page).into_response());
    }
    visitor
        .note("creditos.reembolso", &id, sent.fields.get("motivo"))
        .await?;
    Ok(Redirect::to(&format!("/painel/creditos/compras/{}", encoded(&id))).into_response())
}
