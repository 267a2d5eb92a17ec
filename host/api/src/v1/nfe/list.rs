//! GET /api/v1/nfe: the account's NF-e and NFC-e, newest first.

use axum::extract::Query as UrlQuery;
use axum::routing::on;
use base::errors::Failure;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Listing, Query, bad, key, known_status, number, page, period, taxpayer};
use issuing::answer::{ProductNota, product_nota};
use issuing::issue::cents;
use markup::decimal;
use serde_json::{Value, json};
use store::tables::documents;
use store::tables::notas::Filter;
use store::words::Maybe;

const FILTERS: [&str; 11] = [
    "modelo",
    "status",
    "emitente_id",
    "chave",
    "serie",
    "numero",
    "destinatario",
    "de",
    "ate",
    "valor_min",
    "valor_max",
];

/// States a listing can be asked for.
const STATUS: [&str; 5] = [
    "rascunho",
    "em_transmissao",
    "autorizada",
    "rejeitada",
    "cancelada",
];

pub fn built() -> Built {
    let text = || json!({ "type": "string" });
    Built {
        operation: "nfe.list",
        route: |method| on(method, list),
        docs: Docs::new("Lista as NF-e e NFC-e da conta, da mais nova para a mais antiga.")
            .explained("Use para telas e conferências: filtre por período, emitente ou situação e siga proximo_cursor até tem_mais ser false. Para saber de cada mudança sem perguntar, registre um webhook.")
            .query(
                "modelo",
                "55 (NF-e) ou 65 (NFC-e); ausente: as duas.",
                json!({ "type": "string", "enum": ["55", "65"] }),
            )
            .query(
                "status",
                "Situação da nota.",
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
            .query("destinatario", "CPF ou CNPJ do destinatário.", text())
            .period()
            .query("valor_min", "Valor total a partir deste.", amount_schema())
            .query("valor_max", "Valor total até este.", amount_schema())
            .paged()
            .success::<Listing<ProductNota>>(),
    }
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Listing<ProductNota>> {
    let page = page(&query, &FILTERS)?;
    let (from_ms, to_ms) = period(&query)?;
    let text = |name: &str| query.get(name).cloned().unwrap_or_default();
    let filter = Filter {
        model: match query.get("modelo").map(String::as_str) {
            None => "produto".to_owned(),
            Some(model @ ("55" | "65")) => model.to_owned(),
            Some(_) => return Err(bad("modelo", "Use 55 ou 65.").into()),
        },
        status: known_status(&query, &STATUS)?,
        emitter_id: Maybe::of(&text("emitente_id")),
        chave: key(&text("chave")),
        serie: text("serie"),
        number: number(&query)?,
        tomador: taxpayer(&text("destinatario")),
        from_ms,
        to_ms,
        min_value: amount(&query, "valor_min")?,
        max_value: amount(&query, "valor_max")?,
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
    let items: Result<Vec<_>, _> = rows.iter().map(product_nota).collect();
    call.ok(page.listing_so_far(items?, ids, stopped))
}

/// JSON Schema of a parameter that is an amount of money.
pub fn amount_schema() -> Value {
    json!({ "type": "string", "pattern": "^[0-9]{1,13}(\\.[0-9]{1,2})?$" })
}

/// Cents; 0 when the parameter is absent.
///
/// # Errors
/// 400: it is no amount.
pub fn amount(query: &Query, name: &str) -> Result<i64, Failure> {
    let Some(text) = query.get(name) else {
        return Ok(0);
    };
    let amount = decimal::parse(text)
        .filter(|amount| !amount.is_sign_negative() && text.len() <= 17 && amount.scale() <= 2)
        .map(cents)
        .ok_or_else(|| bad(name, "Use um valor em reais, com ponto: 1234.56."))?;
    // Further on, 0 is no limit.
    if amount == 0 && name == "valor_max" {
        return Err(bad(name, "Use um valor a partir de 0.01."));
    }
    Ok(amount)
}
