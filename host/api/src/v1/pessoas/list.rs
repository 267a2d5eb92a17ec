//! GET /api/v1/pessoas: lists and finds persons, newest first.

use super::record::{self, Person};
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Listing, Query, bad, page};
use issuing::emitters::party::Role;
use markup::ids::CpfCnpj;
use serde_json::json;
use store::tables::pessoas::{self, Filter};
use store::words::Maybe;

/// Longest piece of a name to look for, in characters.
const NAME: usize = 100;

pub fn built() -> Built {
    let text = || json!({ "type": "string", "minLength": 1 });
    Built {
        operation: "pessoas.list",
        route: |method| on(method, list),
        docs: Docs::new("Lista as pessoas da conta, da mais nova para a mais antiga.")
            .query("q", "Parte do nome, com ou sem acentos.", text())
            .query("cpf_cnpj", "CPF ou CNPJ, com ou sem máscara.", text())
            .query(
                "papel",
                "Só quem tem este papel.",
                json!({ "type": "string", "enum": Role::ALL }),
            )
            .query("emitente_id", "Só o cadastro deste emitente.", text())
            .paged()
            .success::<Listing<Person>>(),
    }
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Listing<Person>> {
    let page = page(&query, &["q", "cpf_cnpj", "papel", "emitente_id"])?;
    let mut filter = Filter {
        emitter_id: query
            .get("emitente_id")
            .map_or(Maybe(None), |id| Maybe::of(id)),
        ..Filter::default()
    };
    if let Some(q) = query.get("q") {
        filter.name = fiscal::person::search(q);
        if filter.name.is_empty() || filter.name.chars().count() > NAME {
            return Err(bad("q", "Use de 1 a 100 caracteres do nome.").into());
        }
    }
    if let Some(cpf_cnpj) = query.get("cpf_cnpj") {
        let documento = CpfCnpj::parse(cpf_cnpj);
        let how = "Use um CPF ou CNPJ com os dígitos verificadores certos.";
        filter.documento = documento.map_err(|_| bad("cpf_cnpj", how))?.to_string();
    }
    if let Some(role) = query.get("papel") {
        if !Role::ALL.contains(&role.as_str()) {
            let how = format!("Use um de: {}.", Role::ALL.join(", "));
            return Err(bad("papel", &how).into());
        }
        filter.role.clone_from(role);
    }
    let account_id = &call.caller.account_id;
    let mut conn = call.app.db.walk(account_id).await?;
    let rows = pessoas::list(&mut conn, account_id, &filter, &page.before, page.rows()).await?;
    drop(conn);
    let ids = rows.iter().map(|row| row.id.clone()).collect();
    let items = rows.iter().map(record::person);
    let items = items.collect::<Result<_, _>>()?;
    call.ok(page.listing(items, ids))
}
