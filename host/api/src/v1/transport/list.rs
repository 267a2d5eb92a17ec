//! Lists of transport documents.

use crate::v1::nfe::list::{amount, amount_schema};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::Docs;
use gate::request::list::{Listing, Query, key, known_status, number, page, period, taxpayer};
use issuing::answer::{Record, Registered, registered};
use issuing::model::Model;
use serde_json::json;
use store::tables::documents;
use store::tables::notas::Filter;
use store::words::Maybe;

/// Parameters of both lists; the last is the CT-e's alone.
const FILTERS: [&str; 10] = [
    "status",
    "emitente_id",
    "chave",
    "serie",
    "numero",
    "de",
    "ate",
    "valor_min",
    "valor_max",
    TAKER,
];
const TAKER: &str = "tomador";

/// States a listing can be asked for.
const STATUS: [&str; 5] = [
    "rascunho",
    "em_transmissao",
    "autorizada",
    "rejeitada",
    "cancelada",
];

/// The parameters, as the lists of `model` describe them.
pub fn list_docs(docs: Docs, model: Model) -> Docs {
    let text = || json!({ "type": "string" });
    let docs = docs
        .query(
            "status",
            "Situação do documento.",
            json!({ "type": "string", "enum": STATUS }),
        )
        .query("emitente_id", "Emitente.", text())
        .query("chave", "Chave de acesso.", text())
        .query("serie", "Série.", text())
        .query(
            "numero",
            "Número.",
            json!({ "type": "integer", "minimum": 1 }),
        )
        .period();
    let docs = match model {
        Model::Cte => docs.query(TAKER, "CPF ou CNPJ do tomador do serviço.", text()),
        _ => docs,
    };
    docs.query("valor_min", "Valor a partir deste.", amount_schema())
        .query("valor_max", "Valor até este.", amount_schema())
        .paged()
}

/// The account's documents of a model, newest first.
///
/// # Errors
/// 400 for a parameter that is not known or cannot be read.
pub async fn list<D: Record>(
    call: Call,
    query: &Query,
    model: Model,
) -> ApiAnswer<Listing<Registered<D>>> {
    let [common @ .., _] = &FILTERS;
    let known: &[&str] = match model {
        Model::Cte => &FILTERS,
        _ => common,
    };
    let page = page(query, known)?;
    let (from_ms, to_ms) = period(query)?;
    let text = |name: &str| query.get(name).cloned().unwrap_or_default();
    let filter = Filter {
        model: model.as_str().to_owned(),
        status: known_status(query, &STATUS)?,
        emitter_id: Maybe::of(&text("emitente_id")),
        chave: key(&text("chave")),
        serie: text("serie"),
        number: number(query)?,
        tomador: taxpayer(&text(TAKER)),
        from_ms,
        to_ms,
        min_value: amount(query, "valor_min")?,
        max_value: amount(query, "valor_max")?,
        before: page.before.clone(),
        limit: page.rows(),
        unseen: call.caller.unseen(),
    };
    let mut conn = call.app.db.walk(&call.caller.account_id).await?;
    let found = documents::notes(&mut conn, &call.caller.account_id, &filter).await?;
    drop(conn);
    let rows = &found.rows;
    let ids = rows.iter().map(|row| row.id.to_string()).collect();
    let stopped = found.stopped.as_ref().map(|(_, id)| id);
    let items: Result<Vec<_>, _> = rows.iter().map(registered).collect();
    call.ok(page.listing_so_far(items?, ids, stopped))
}
