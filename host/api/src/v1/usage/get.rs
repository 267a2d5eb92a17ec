//! GET /api/v1/usage: balance, and calls and credits of a period.

use accounts::ledger;
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use base::errors::Failure;
use base::when;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, bad, only};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;
use store::tables::api_keys::{self, Named};
use store::tables::usage::{self, Group};
use store::{DbResult, Readable as _};

const DAY_MS: i64 = 24 * 3_600_000;
/// Days of a report when none are given, and at most.
const DEFAULT_DAYS: i64 = 30;
const MAX_DAYS: i64 = 366;
/// Keys whose names are looked up.
const NAMED: i64 = 5_000;

pub fn built() -> Built {
    let date = json!({ "type": "string", "format": "date" });
    Built {
        operation: "usage",
        route: |method| on(method, get),
        docs: Docs::new(
            "Mostra o saldo e, por dia, operação, chave ou emitente, chamadas e créditos de um período.",
        )
        .query(
            "de",
            "Primeiro dia (UTC); sem ele, 30 dias até o último.",
            date.clone(),
        )
        .query("ate", "Último dia (UTC); sem ele, hoje.", date)
        .query(
            "agrupar",
            "dia (padrão), operacao, chave ou emitente; chave_grupo é nulo para o que não é de nenhum.",
            json!({ "type": "string", "enum": ["dia", "operacao", "chave", "emitente"] }),
        )
        .success::<UsageOut>(),
    }
}

/// O saldo e o uso de um período.
#[derive(Serialize, JsonSchema)]
struct UsageOut {
    /// O que pode ser gasto agora, em créditos.
    saldo: i64,
    /// O que chamadas em andamento reservaram, em créditos.
    reservado: i64,
    periodo: UsagePeriod,
    agrupar: By,
    itens: Vec<Uso>,
}

/// O primeiro e o último dia (UTC), AAAA-MM-DD.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PeriodoDoUso")]
struct UsagePeriod {
    de: String,
    ate: String,
}

/// O uso de um grupo.
#[derive(Serialize, JsonSchema)]
struct Uso {
    /// O dia, a operação, ou o id da chave ou do emitente; `null` para o que não
    /// é de nenhum.
    chave_grupo: Option<String>,
    #[serde(flatten)]
    somas: Sums,
    #[serde(flatten)]
    chave: Option<ChaveDoUso>,
}

#[derive(Default, Serialize, JsonSchema)]
#[schemars(rename = "Somas")]
struct Sums {
    chamadas: i64,
    /// Créditos.
    debitado: i64,
    /// Créditos.
    devolvido: i64,
}

// Said where the sums are by key, if only as null.
#[derive(Serialize, JsonSchema)]
struct ChaveDoUso {
    /// O nome da chave; só quando se agrupa por chave.
    nome: Option<String>,
    /// Os últimos caracteres da chave; só quando se agrupa por chave.
    #[serde(rename = "final")]
    hint: Option<String>,
}

/// Por que se agrupa.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Agrupamento")]
enum By {
    Dia,
    Operacao,
    Chave,
    Emitente,
}

impl By {
    fn group(self) -> Group {
        match self {
            By::Dia => Group::Day,
            By::Operacao => Group::Operation,
            By::Chave => Group::Key,
            By::Emitente => Group::Emitter,
        }
    }

    /// Whether credits that went back to who bought them are among those that came back.
    fn refunds(self) -> bool {
        matches!(self, By::Chave | By::Emitente)
    }

    fn read(query: &Query) -> Result<By, Failure> {
        match query.get("agrupar").map(String::as_str) {
            None | Some("dia") => Ok(By::Dia),
            Some("operacao") => Ok(By::Operacao),
            Some("chave") => Ok(By::Chave),
            Some("emitente") => Ok(By::Emitente),
            Some(_) => Err(bad("agrupar", "Use dia, operacao, chave ou emitente.")),
        }
    }
}

async fn get(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<UsageOut> {
    only(&query, &["de", "ate", "agrupar"])?;
    let by = By::read(&query)?;
    let today = call.app.now_ms().div_euclid(DAY_MS) * DAY_MS;
    let last = day(&query, "ate")?.unwrap_or(today);
    let from = day(&query, "de")?.unwrap_or(last - (DEFAULT_DAYS - 1) * DAY_MS);
    let to = last + DAY_MS;
    if from >= to {
        return Err(bad("de", "O primeiro dia vem antes do último.").into());
    }
    if to - from > MAX_DAYS * DAY_MS {
        return Err(bad("de", "O período tem no máximo 366 dias.").into());
    }
    let account = &call.caller.account_id;
    call.app.request_log.caught_up().await;
    let mut conn = call.app.db.walk(account).await?;
    let balances = ledger::balances(&mut conn, account).await?;
    let days = (from / DAY_MS, to / DAY_MS);
    let used = usage::read(&mut conn, account, by.group(), days).await?;
    let mut groups: BTreeMap<String, Sums> = BTreeMap::new();
    for row in used {
        let returned = row.devolvido + if by.refunds() { row.reembolsado } else { 0 };
        if (row.chamadas, row.debitado, returned) == (0, 0, 0) {
            continue;
        }
        let sums = Sums {
            chamadas: row.chamadas,
            debitado: row.debitado,
            devolvido: returned,
        };
        groups.insert(name(by, row.grupo)?, sums);
    }
    let named = match by {
        By::Chave => Some(api_keys::names(&mut conn, account, NAMED).await?),
        By::Dia | By::Operacao | By::Emitente => None,
    };
    drop(conn);
    let items = groups.into_iter().map(|(group, sums)| {
        let key = |named: &Vec<Named>| {
            let key = named.iter().find(|key| key.id == *group);
            ChaveDoUso {
                nome: key.map(|key| key.nome.clone()),
                hint: key.map(|key| key.hint.clone()),
            }
        };
        Uso {
            chave: named.as_ref().map(key),
            somas: sums,
            chave_grupo: Some(group).filter(|group| !group.is_empty()),
        }
    });
    call.ok(UsageOut {
        saldo: balances.available,
        reservado: balances.held,
        periodo: UsagePeriod {
            de: date(from),
            ate: date(last),
        },
        agrupar: by,
        itens: items.collect(),
    })
}

/// The group as it is shown; empty where it is none.
fn name(by: By, group: String) -> DbResult<String> {
    match by {
        By::Dia => date_of(&group),
        By::Operacao | By::Chave | By::Emitente => Ok(group),
    }
}

fn date(ms: i64) -> String {
    when::utc(ms).date().to_string()
}

/// `2026-11-20` from the day's number since 1970.
///
/// # Errors
/// It is no number.
pub fn date_of(number: &str) -> DbResult<String> {
    let day: i64 = number.parse().readable("day of a sum", number)?;
    Ok(date(day.saturating_mul(DAY_MS)))
}

/// A day (UTC, as the sums are), in epoch milliseconds.
fn day(query: &Query, name: &str) -> Result<Option<i64>, Failure> {
    let Some(text) = query.get(name) else {
        return Ok(None);
    };
    let date = when::parse_date(text).ok_or_else(|| bad(name, "Use AAAA-MM-DD."))?;
    Ok(Some(when::ms(date.midnight().assume_utc())))
}
