//! GET /api/v1/nfse: the account's service notes, newest first.

use axum::extract::Query as UrlQuery;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Listing, Query, key, known_status, number, page, period, taxpayer};
use issuing::answer::{Nfse, Registered, registered};
use issuing::emitters::profile::canonical_serie;
use serde_json::json;
use store::tables::documents;
use store::tables::notas::Filter;
use store::words::Maybe;

const FILTERS: [&str; 8] = [
    "status",
    "emitente_id",
    "chave",
    "serie",
    "numero",
    "destinatario",
    "de",
    "ate",
];

pub fn built() -> Built {
    Built {
        operation: "nfse.list",
        route: |method| on(method, list),
        docs: Docs::new("Lista as NFS-e da conta, da mais nova para a mais antiga.")
            .explained("Use para telas e conferências: filtre por período, emitente ou situação e siga proximo_cursor até tem_mais ser false. Para saber de cada mudança sem perguntar, registre um webhook.")
            .query(
                "status",
                "Situação da nota.",
                json!({ "type": "string", "enum": STATUS }),
            )
            .query("emitente_id", "Emitente.", json!({ "type": "string" }))
            .query("chave", "Chave de acesso.", json!({ "type": "string" }))
            .query(
                "serie",
                "Série do RPS ou da DPS.",
                json!({ "type": "string" }),
            )
            .query(
                "numero",
                "Número do RPS ou da DPS.",
                json!({ "type": "integer", "minimum": 1 }),
            )
            .query(
                "destinatario",
                "CPF ou CNPJ do tomador.",
                json!({ "type": "string" }),
            )
            .period()
            .paged()
            .success::<Listing<Registered<Nfse>>>(),
    }
}

async fn list(
    call: Call,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<Listing<Registered<Nfse>>> {
    let page = page(&query, &FILTERS)?;
    let (from_ms, to_ms) = period(&query)?;
    let text = |name: &str| query.get(name).cloned().unwrap_or_default();
    let filter = Filter {
        model: "nfse".to_owned(),
        status: known_status(&query, &STATUS)?,
        emitter_id: Maybe::of(&text("emitente_id")),
        chave: key(&text("chave")),
        serie: canonical_serie(&text("serie")),
        number: number(&query)?,
        tomador: taxpayer(&text("destinatario")),
        from_ms,
        to_ms,
        before: page.before.clone(),
        limit: page.rows(),
        unseen: call.caller.unseen(),
        ..Filter::default()
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

/// States a listing can be asked for.
const STATUS: [&str; 7] = [
    "rascunho",
    "em_transmissao",
    "pendente_prefeitura",
    "autorizada",
    "validada",
    "rejeitada",
    "cancelada",
];
