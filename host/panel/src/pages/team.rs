//! The people of the account, and the accounts of the person.

use crate::Panel;
use crate::door::reminder;
use crate::form::Sent;
use crate::layout::page;
use crate::once::led;
use crate::parts::{alert, copy, done, field, hidden, line, moment, select, table, top};
use crate::reply::Problem;
use crate::visitor::Visitor;
use accounts::users::Rights as _;
use accounts::users::role::Action;
use accounts::users::team::{Invited, Inviting};
use accounts::users::{Role, session, team};
use axum::Router;
use axum::extract::{Path, Query};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use base::when;
use maud::{Markup, html};
use std::collections::BTreeMap;
use store::ids::{AccountId, InviteId, UserId};
use store::tables::users;

pub fn router() -> Router<Panel> {
    Router::new()
        .route("/painel/equipe", get(list).post(invite))
        .route("/painel/equipe/conta", post(switch))
        .route("/painel/equipe/convites/{id}/remover", post(uninvite))
        .route("/painel/equipe/{id}", post(change))
}

async fn list(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let note = if query.contains_key("convidada") {
        done("O convite foi feito. Se o link dele se perdeu, retire o convite e faça outro.")
    } else {
        html! {}
    };
    shown(&visitor, note).await
}

async fn shown(visitor: &Visitor, note: Markup) -> Result<Markup, Problem> {
    let account = &visitor.session.row.account_id;
    let mut conn = visitor.read().await?;
    let team = users::team(&mut conn, account)
        .await
        .map_err(anyhow::Error::from)?;
    let invites = users::invites(&mut conn, account)
        .await
        .map_err(anyhow::Error::from)?;
    let accounts = users::accounts_of(&mut conn, &visitor.session.user.id)
        .await
        .map_err(anyhow::Error::from)?;
    drop(conn);
    let may = visitor.may(Action::Team);
    let hint = if visitor.panel.app.config.mail.on() {
        "O convite vai por e-mail."
    } else {
        "Este hub não envia e-mail: o link do convite aparece aqui, para você enviar."
    };
    let given: Vec<(&str, &str)> = Role::ALL
        .iter()
        .filter(|role| visitor.session.role.appoints(**role))
        .map(|role| (role.as_str(), role.name()))
        .collect();
    let options: Vec<(&str, &str)> = accounts
        .iter()
        .map(|one| (one.account_id.as_str(), one.conta.as_str()))
        .collect();
    Ok(page(
        visitor,
        "/painel/equipe",
        "Equipe",
        html! {
            (top("Equipe", "Quem usa o painel desta conta, e o que cada um pode.", html! {}))
            (note)
            (reminder(visitor))
            section class="cartao" {
                h2 { "Pessoas" }
                (people(visitor, &team, &given))
            }
            @if may {
                (invited(visitor, &invites))
                section class="cartao" {
                    h2 { "Convidar" }
                    form class="campos" method="post" action="/painel/equipe" {
                        (hidden(visitor))
                        (field("email", "E-mail", hint, line("email", "email", "")))
                        (field("papel", "Papel", "", select("papel", &given, "desenvolvedor")))
                        div { button class="botao" { "Convidar" } }
                    }
                }
            }
            @if options.len() > 1 {
                section class="cartao" {
                    h2 { "Trocar de conta" }
                    form class="campos" method="post" action="/painel/equipe/conta" {
                        (hidden(visitor))
                        (field("conta", "Conta", "", select("conta", &options, account)))
                        div { button class="botao secundario" { "Trocar" } }
                    }
                }
            }
        },
    ))
}

/// The members, each with what may be done to them. `given`: the parts this
/// person may give.
fn people(visitor: &Visitor, team: &[users::MemberRow], given: &[(&str, &str)]) -> Markup {
    let may = visitor.may(Action::Team);
    html! {
                (table("Pessoas", &["Nome", "Papel", "Desde", ""], html! {
                    @for member in team {
                        tr {
                            td {
                                (member.nome) @if member.user_id == visitor.session.user.id { " (você)" }
                                div class="suave pequeno quebra leve" { (member.email) }
                            }
                            td { (member.papel.name()) }
                            td class="curto" { (moment(&when::rfc3339(member.created_at_ms))) }
                            td {
                                @if may && visitor.session.role.appoints(member.papel) {
                                    form class="acoes" method="post" action=(format!("/painel/equipe/{}", member.user_id)) {
                                        (hidden(visitor))
                                        label class="so-leitor" for=(format!("papel-{}", member.user_id)) { "Papel de " (member.nome) }
                                        select id=(format!("papel-{}", member.user_id)) name="papel" {
                                            @for (value, word) in given { option value=(value) selected[*value == member.papel.as_str()] { (word) } }
                                        }
                                        button class="botao secundario mini" name="acao" value="mudar" { "Mudar" }
                                        button class="botao perigo mini" name="acao" value="remover" { "Remover" }
                                    }
                                }
                            }
                        }
                    }
                }))
    }
}

/// The invitations nobody answered.
fn invited(visitor: &Visitor, invites: &[users::InviteRow]) -> Markup {
    html! {
                @if !invites.is_empty() {
                    section class="cartao" {
                        h2 { "Convites" }
                        (table("Convites", &["E-mail", "Papel", "Vence em", ""], html! {
                            @for one in invites {
                                tr {
                                    td { (one.email) } td { (one.papel.name()) }
                                    td class="curto" { (moment(&when::rfc3339(one.expires_at_ms))) }
                                    td { form method="post" action=(format!("/painel/equipe/convites/{}/remover", one.id)) { (hidden(visitor)) button class="botao secundario mini" { "Retirar" } } }
                                }
                            }
                        }))
                    }
                }
    }
}

async fn invite(sent: Sent) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    visitor.must(Action::Team)?;
    let Ok(wanted) = sent.fields.get("papel").parse::<Role>() else {
        return Ok(shown(visitor, alert("Escolha um papel."))
            .await?
            .into_response());
    };
    let app = &visitor.panel.app;
    let (account, email) = (&visitor.session.row.account_id, sent.fields.get("email"));
    let by = Inviting {
        account,
        user: &visitor.session.user.id,
        role: visitor.session.role,
        name: &visitor.session.user.nome,
    };
    let invited = team::invite(&app.people, &by, email, wanted).await?;
    if invited.is_ok() {
        visitor
            .note("equipe.convite", email, wanted.as_str())
            .await?;
    }
    let note = match invited {
        Err(sentence) => return Ok(shown(visitor, alert(sentence)).await?.into_response()),
        Ok(Invited::Mailed) => done("Convite enviado por e-mail; o link vale por 7 dias."),
        Ok(Invited::Link(link)) => html! {
            div class="aviso-caixa ok" role="status" {
                p { strong { "Envie este link: ele vale por 7 dias e não será mostrado de novo." } }
                (copy("convite", &link))
            }
        },
    };
    let page = shown(visitor, note).await?;
    Ok(led(page, "/painel/equipe?convidada=1"))
}

async fn uninvite(Path(id): Path<InviteId>, sent: Sent) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    visitor.must(Action::Team)?;
    let account = &visitor.session.row.account_id;
    if team::uninvite(&visitor.panel.app.people, account, &id).await? {
        visitor.note("equipe.convite_retirado", &id, "").await?;
    }
    Ok(Redirect::to("/painel/equipe").into_response())
}

async fn change(Path(id): Path<UserId>, sent: Sent) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    visitor.must(Action::Team)?;
    let role = if sent.fields.get("acao") == "remover" {
        None
    } else {
        match sent.fields.get("papel").parse() {
            Ok(role) => Some(role),
            Err(_) => {
                return Ok(shown(visitor, alert("Escolha um papel."))
                    .await?
                    .into_response());
            }
        }
    };
    let account = &visitor.session.row.account_id;
    let changed = team::change(
        &visitor.panel.app.people,
        account,
        visitor.session.role,
        &id,
        role,
    )
    .await?;
    if let Err(sentence) = changed {
        return Ok(shown(visitor, alert(sentence)).await?.into_response());
    }
    let detail = role.map_or("removido", Role::as_str);
    visitor.note("equipe.papel", &id, detail).await?;
    Ok(Redirect::to("/painel/equipe").into_response())
}

async fn switch(sent: Sent) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    let app = &visitor.panel.app;
    let wanted = &AccountId::from(sent.fields.get("conta"));
    let mut conn = app.db.read().await.map_err(anyhow::Error::from)?;
    let member = users::member(&mut conn, wanted, &visitor.session.user.id)
        .await
        .map_err(anyhow::Error::from)?;
    drop(conn);
    if member.is_none() {
        return Ok(shown(visitor, alert("Você não está nesta conta."))
            .await?
            .into_response());
    }
    session::look_at(app, &visitor.session, wanted, false).await?;
    Ok(Redirect::to("/painel").into_response())
}
