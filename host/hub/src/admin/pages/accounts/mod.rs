//! `/operador/contas`: the accounts of this hub, one of them, and what an operator
//! changes of it.

mod change;
mod one;

use super::frame::{ACCOUNTS, page as framed};
use super::{Operator, Pages, down, unclear};
use crate::admin::accounts::shown::{Accounts, Line};
use crate::admin::accounts::{found, shown};
use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::routing::get;
use maud::{Markup, html};
use page::parts::{empty, encoded, field, moment, table, top, whole};
use page::reply::Problem;
use serde::Deserialize;

pub(super) fn routes() -> Router<Pages> {
    Router::new().route(ACCOUNTS, get(list)).route(
        "/operador/contas/{conta}",
        get(one::page).post(change::change),
    )
}

/// Which accounts.
#[derive(Deserialize)]
struct Wanted {
    #[serde(default)]
    busca: String,
    /// `1`: only those that are blocked.
    #[serde(default)]
    bloqueadas: String,
    /// Those opened before this one.
    #[serde(default)]
    antes: String,
}

impl Wanted {
    fn blocked_only(&self) -> bool {
        self.bloqueadas == "1"
    }

    /// The address of the page that follows.
    fn next(&self, last: &str) -> String {
        let search = encoded(&self.busca);
        let blocked = if self.blocked_only() {
            "&bloqueadas=1"
        } else {
            ""
        };
        format!("{ACCOUNTS}?busca={search}{blocked}&antes={}", encoded(last))
    }
}

async fn list(
    State(pages): State<Pages>,
    operator: Operator,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Markup, Problem> {
    let Ok(Query(wanted)) = wanted else {
        return Err(unclear());
    };
    let sought = shown::sought(
        wanted.busca.clone(),
        wanted.blocked_only(),
        wanted.antes.clone(),
    );
    let accounts = found(&pages.desk, &sought).await.map_err(down)?;
    let content = html! {
        (top("Contas", "As contas deste hub, a mais nova primeiro.", html! {}))
        (search(&wanted))
        (rows(&wanted, &accounts))
        @if let Some(last) = &accounts.proxima {
            p { a class="botao secundario" href=(wanted.next(last)) { "Mais antigas" } }
        }
    };
    Ok(framed(&operator, ACCOUNTS, "Contas", content))
}

fn search(wanted: &Wanted) -> Markup {
    let hint =
        "Parte do nome, ou por inteiro: o id, o CNPJ de uma empresa, o e-mail de uma pessoa.";
    let input = html! {
        input id="busca" name="busca" type="search" value=(wanted.busca) maxlength="200" aria-describedby="busca-dica";
    };
    html! {
        form class="cartao campos" method="get" action=(ACCOUNTS) role="search" {
            (field("busca", "Procurar", hint, input))
            label {
                input type="checkbox" name="bloqueadas" value="1" checked[wanted.blocked_only()];
                " só as bloqueadas"
            }
            button class="botao" { "Procurar" }
        }
    }
}

fn rows(wanted: &Wanted, accounts: &Accounts) -> Markup {
    if accounts.contas.is_empty() {
        let all = wanted.busca.is_empty() && !wanted.blocked_only() && wanted.antes.is_empty();
        let none = if all {
            "Nenhuma conta foi aberta ainda."
        } else {
            "Nenhuma conta corresponde à procura."
        };
        return empty("gente", none, html! {});
    }
    let head = [
        "Conta",
        "Situação",
        "Saldo",
        "Empresas",
        "Pessoas",
        "Aberta em",
    ];
    html! {
        section class="cartao" {
            (table("Contas", &head, html! {
                @for line in &accounts.contas { (row(line)) }
            }))
        }
    }
}

fn row(line: &Line) -> Markup {
    html! {
        tr {
            td class="quebra" {
                a href=(way(&line.id)) { strong { (line.nome) } }
                div class="suave pequeno mono" { (line.id) }
            }
            td { (state(line)) }
            td { (whole(line.saldo)) }
            td { (line.empresas) }
            td { (line.pessoas) }
            td { (moment(&line.criada_em)) }
        }
    }
}

/// Whether an account may do anything, in its colour.
fn state(line: &Line) -> Markup {
    match &line.bloqueio {
        Some(_) => html! { span class="selo erro" { "bloqueada" } },
        None => html! { span class="selo ok" { "aberta" } },
    }
}

/// The page of an account.
fn way(id: &str) -> String {
    format!("{ACCOUNTS}/{}", encoded(id))
}

/// The page of an account that is not there.
fn absent() -> Problem {
    super::problem(
        404,
        "Conta não encontrada",
        "Nenhuma conta deste hub tem este id.",
    )
}
