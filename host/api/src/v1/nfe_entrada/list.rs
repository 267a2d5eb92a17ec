//! GET /api/v1/nfe-entrada: the notes issued against the account's companies,
//! newest first.

use super::filter;
use crate::v1::documentos::list::{TEXT, sought};
use crate::v1::documentos::{ambiente, ambiente_schema};
use accounts::opening::left_out;
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Listing, Query, bad, flag, page, taxpayer};
use issuing::answer::{self, ReceivedNota};
use serde_json::json;
use store::tables::recebidas::{self, Filter};

const FILTERS: [&str; 8] = [
    "emitente_id",
    "emitente",
    "manifestacao",
    "completa",
    "de",
    "ate",
    "q",
    "ambiente",
];
const MANIFESTATIONS: [&str; 5] = [
    "nenhuma",
    "ciencia",
    "confirmacao",
    "desconhecimento",
    "nao_realizada",
];

pub fn built() -> Built {
    let text = || json!({ "type": "string" });
    Built {
        operation: "nfe-entrada.list",
        route: |method| on(method, list),
        docs: Docs::new("Lista as NF-e recebidas, da mais nova para a mais antiga.")
            .query("emitente_id", "Empresa da conta que recebeu.", text())
            .query("emitente", "CPF ou CNPJ de quem emitiu.", text())
            .query(
                "manifestacao",
                "Última manifestação registrada pelo hub.",
                json!({ "type": "string", "enum": MANIFESTATIONS }),
            )
            .query(
                "completa",
                "1: só as que têm o XML completo; 0: só as que têm o resumo.",
                json!({ "type": "string", "enum": ["0", "1"] }),
            )
            .period()
            .query(
                "q",
                "O que se procura: chave, número, CPF ou CNPJ ou parte do nome de quem emitiu, ou valor (1.234,56).",
                json!({ "type": "string", "maxLength": TEXT }),
            )
            .query(
                "ambiente",
                "Só as deste ambiente; producao só com chave de produção, simulado só com chave de teste. Ausente: todas as que a chave vê.",
                ambiente_schema(),
            )
            .paged()
            .success::<Listing<ReceivedNota>>(),
    }
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Listing<ReceivedNota>> {
    let page = page(&query, &FILTERS)?;
    let manifestation = query.get("manifestacao").cloned().unwrap_or_default();
    if !manifestation.is_empty() && !MANIFESTATIONS.contains(&manifestation.as_str()) {
        let known = MANIFESTATIONS.join(", ");
        return Err(bad("manifestacao", &format!("Use um destes: {known}.")).into());
    }
    let complete = match (query.contains_key("completa"), flag(&query, "completa")?) {
        (false, _) => "",
        (true, true) => "sim",
        (true, false) => "nao",
    };
    let test = call.caller.is_test();
    let filter = Filter {
        issuer: taxpayer(query.get("emitente").map_or("", String::as_str)),
        manifestation,
        complete: complete.to_owned(),
        text: sought(query.get("q").map_or("", String::as_str))?,
        left_out: left_out(test, ambiente(&query, test)?),
        ..filter(&call, &query, &page)?
    };
    let mut conn = call.app.db.walk(&call.caller.account_id).await?;
    let rows = recebidas::list(&mut conn, &call.caller.account_id, &filter).await?;
    let ids = rows.iter().map(|row| row.id.clone()).collect();
    let items = rows.iter().map(answer::received);
    call.ok(page.listing(items.collect(), ids))
}
