//! GET /api/v1/usage: balance, and calls and credits of a period.

use crate::api::gate::Call;
use crate::api::list::{Query, bad, only};
use crate::api::openapi::Docs;
use crate::api::{Built, json};
use crate::db::{ledger as table, requests};
use crate::errors::Failure;
use crate::{ids, ledger, when};
use axum::extract::Query as UrlQuery;
use axum::response::Response;
use axum::routing::on;
use serde_json::json as value;
use std::collections::BTreeMap;

const DAY_MS: i64 = 24 * 3_600_000;
/// Days of a report when none are given, and at most.
const DEFAULT_DAYS: i64 = 30;
const MAX_DAYS: i64 = 366;

pub fn built() -> Built {
    let date = value!({ "type": "string", "format": "date" });
    Built {
        operation: "usage",
        route: |method| on(method, get),
        docs: Docs::new(
            "Mostra o saldo e, por dia ou por operação, chamadas e créditos de um período.",
        )
        .query(
            "de",
            "Primeiro dia (UTC); sem ele, 30 dias até o último.",
            date.clone(),
        )
        .query("ate", "Último dia (UTC); sem ele, hoje.", date)
        .query(
            "agrupar",
            "dia (padrão) ou operacao.",
            value!({ "type": "string", "enum": ["dia", "operacao"] }),
        ),
    }
}

/// Sums of one group.
#[derive(Default)]
struct Group {
    chamadas: i64,
    debitado: i64,
    devolvido: i64,
}

async fn get(call: Call, UrlQuery(query): UrlQuery<Query>) -> Result<Response, Failure> {
    only(&query, &["de", "ate", "agrupar"])?;
    let by_day = match query.get("agrupar").map(String::as_str) {
        None | Some("dia") => true,
        Some("operacao") => false,
        Some(_) => return Err(bad("agrupar", "Use dia ou operacao.")),
    };
    let today = call.app.now_ms().div_euclid(DAY_MS) * DAY_MS;
    let last = day(&query, "ate")?.unwrap_or(today);
    let from = day(&query, "de")?.unwrap_or(last - (DEFAULT_DAYS - 1) * DAY_MS);
    let to = last + DAY_MS;
    if from >= to {
        return Err(bad("de", "O primeiro dia vem antes do último."));
    }
    if to - from > MAX_DAYS * DAY_MS {
        return Err(bad("de", "O período tem no máximo 366 dias."));
    }
    let account = &call.caller.account_id;
    call.app.request_log.caught_up().await;
    let mut conn = call.app.db.walk(account).await?;
    let balances = ledger::balances(&mut conn, account).await?;
    let (from_id, to_id) = (ids::floor("req", from), ids::floor("req", to));
    let (calls, credits) = if by_day {
        (
            requests::count_by_day(&mut conn, account, &from_id, &to_id).await?,
            table::usage_by_day(&mut conn, account, from, to).await?,
        )
    } else {
        (
            requests::count_by_operation(&mut conn, account, &from_id, &to_id).await?,
            table::usage_by_operation(&mut conn, account, from, to).await?,
        )
    };
    let name = |group: &str| {
        if by_day {
            date_of(group)
        } else {
            group.to_owned()
        }
    };
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for row in calls {
        groups.entry(name(&row.grupo)).or_default().chamadas = row.chamadas;
    }
    for row in credits {
        let group = groups.entry(name(&row.grupo)).or_default();
        group.debitado = row.debitado;
        group.devolvido = row.devolvido;
    }
    let items: Vec<_> = groups
        .into_iter()
        .map(|(name, group)| {
            value!({
                "chave_grupo": name, "chamadas": group.chamadas, "debitado": group.debitado,
                "devolvido": group.devolvido,
            })
        })
        .collect();
    Ok(json(
        200,
        &value!({
            "sucesso": true, "saldo": balances.available, "reservado": balances.held,
            "periodo": { "de": date(from), "ate": date(last) },
            "agrupar": if by_day { "dia" } else { "operacao" }, "itens": items, "request_id": call.caller.request_id,
        }),
    ))
}

fn date(ms: i64) -> String {
    when::utc(ms).date().to_string()
}

/// `2026-11-20` from the day's number since 1970.
fn date_of(number: &str) -> String {
    date(number.parse::<i64>().unwrap_or(0).saturating_mul(DAY_MS))
}

/// A day (UTC, as the sums are), in epoch milliseconds.
fn day(query: &Query, name: &str) -> Result<Option<i64>, Failure> {
    let Some(text) = query.get(name) else {
        return Ok(None);
    };
    let date = when::parse_date(text).ok_or_else(|| bad(name, "Use AAAA-MM-DD."))?;
    Ok(Some(when::ms(date.midnight().assume_utc())))
}
