//! GET /api/v1/pessoas: lists and finds persons, newest first.

use super::record::{self, Pessoa};
use crate::Built;
use crate::answer::ApiAnswer;
use crate::gate::Call;
use crate::openapi::Docs;
use crate::request::list::{Listing, Query, bad, page};
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use issuing::emitters::party::Papel;
use markup::ids::CpfCnpj;
use serde_json::json as value;
use store::tables::pessoas::{self, Filtro};
use store::words::Maybe;

/// Longest piece of a name to look for, in characters.
const NOME: usize = 100;

pub fn built() -> Built {
    let text = || value!({ "type": "string", "minLength": 1 });
    Built {
        operation: "pessoas.list",
        route: |method| on(method, list),
        docs: Docs::new("Lista as pessoas da conta, da mais nova para a mais antiga.")
            .query("q", "Parte do nome, com ou sem acentos.", text())
            .query("cpf_cnpj", "CPF ou CNPJ, com ou sem máscara.", text())
            .query(
                "papel",
                "Só quem tem este papel.",
                value!({ "type": "string", "enum": Papel::ALL }),
            )
            .query("emitente_id", "Só o cadastro deste emitente.", text())
            .paged()
            .success::<Listing<Pessoa>>(),
    }
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Listing<Pessoa>> {
    let page = page(&query, &["q", "cpf_cnpj", "papel", "emitente_id"])?;
    let mut filtro = Filtro {
        emitter_id: query
            .get("emitente_id")
            .map_or(Maybe(None), |id| Maybe::of(id)),
        ..Filtro::default()
    };
    if let Some(q) = query.get("q") {
        filtro.nome = fiscal::person::busca(q);
        if filtro.nome.is_empty() || filtro.nome.chars().count() > NOME {
            return Err(bad("q", "Use de 1 a 100 caracteres do nome.").into());
        }
    }
    if let Some(cpf_cnpj) = query.get("cpf_cnpj") {
        let documento = CpfCnpj::parse(cpf_cnpj);
        let how = "Use um CPF ou CNPJ com os dígitos verificadores certos.";
        filtro.documento = documento.map_err(|_| bad("cpf_cnpj", how))?.to_string();
    }
    if let Some(papel) = query.get("papel") {
        if !Papel::ALL.contains(&papel.as_str()) {
            let how = format!("Use um de: {}.", Papel::ALL.join(", "));
            return Err(bad("papel", &how).into());
        }
        filtro.papel.clone_from(papel);
    }
    let account_id = &call.caller.account_id;
    let mut conn = call.app.db.walk(account_id).await?;
    let rows = pessoas::list(&mut conn, account_id, &filtro, &page.before, page.rows()).await?;
    drop(conn);
    let ids = rows.iter().map(|row| row.id.clone()).collect();
    let items = rows.iter().map(record::pessoa);
    let items = items.collect::<Result<_, _>>()?;
    call.ok(page.listing(items, ids))
}
