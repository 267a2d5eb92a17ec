//! GET /api/v1/documentos/resumo: how many documents of a period there are, and
//! of which value, by day or company, kind and state.

use super::{ambiente, ambiente_schema};
use accounts::opening;
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use base::errors::Failure;
use base::when;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, bad, only};
use issuing::answer::Reais;
use issuing::model::Model;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use store::tables::documents::{self, SumRow};
use store::tables::notas::NotaStatus;
use store::words::{Ambiente, Maybe};
use store::{DbResult, Readable as _};
use time::{Date, Duration};

/// Days of a summary when none are given, and at most.
const DEFAULT_DAYS: i64 = 30;
const MAX_DAYS: i64 = 366;
const DAY_MS: i64 = 86_400_000;

pub fn built() -> Built {
    let date = json!({ "type": "string", "format": "date" });
    Built {
        operation: "documentos.resumo",
        route: |method| on(method, get),
        docs: Docs::new(
            "Conta e soma os documentos de um período, por dia ou emitente, tipo e situação.",
        )
        .query(
            "de",
            "Primeiro dia de chegada ao hub, em Brasília; sem ele, 30 dias até o último.",
            date.clone(),
        )
        .query("ate", "Último dia, em Brasília; sem ele, hoje.", date)
        .query(
            "agrupar",
            "dia (padrão) ou emitente.",
            json!({ "type": "string", "enum": ["dia", "emitente"] }),
        )
        .query(
            "emitente_id",
            "Só os deste emitente.",
            json!({ "type": "string" }),
        )
        .query(
            "ambiente",
            "Só os deste ambiente; producao só com chave de produção, simulado só com chave de teste. Ausente: com chave de produção, producao, porque notas de homologação não têm valor fiscal; com chave de teste, homologacao e simulado.",
            ambiente_schema(),
        )
        .success::<ResumoOut>(),
    }
}

/// Os documentos de um período, contados e somados.
#[derive(Serialize, JsonSchema)]
struct ResumoOut {
    periodo: SummaryPeriod,
    agrupar: By,
    /// O ambiente contado; `null`: homologacao e simulado, os que uma chave de
    /// teste vê.
    ambiente: Option<Ambiente>,
    /// Um por grupo, tipo e situação que há.
    itens: Vec<Sum>,
}

/// O primeiro e o último dia (Brasília), AAAA-MM-DD.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PeriodoDoResumo")]
struct SummaryPeriod {
    de: String,
    ate: String,
}

/// Os documentos de um grupo, tipo e situação.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SomaDeDocumentos")]
struct Sum {
    /// O dia ou o id do emitente.
    grupo: String,
    modelo: Model,
    status: NotaStatus,
    documentos: i64,
    /// Soma dos valores, em R$.
    valor_total: Reais,
}

/// Por que se agrupa.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "AgrupamentoDoResumo")]
enum By {
    Dia,
    Emitente,
}

async fn get(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<ResumoOut> {
    only(&query, &["de", "ate", "agrupar", "emitente_id", "ambiente"])?;
    let by = match query.get("agrupar").map(String::as_str) {
        None | Some("dia") => By::Dia,
        Some("emitente") => By::Emitente,
        Some(_) => return Err(bad("agrupar", "Use dia ou emitente.").into()),
    };
    let today = when::today(call.app.now_ms(), "DF");
    let last = day(&query, "ate")?.unwrap_or(today);
    let first = match day(&query, "de")? {
        Some(first) => first,
        None => last
            .checked_sub(Duration::days(DEFAULT_DAYS - 1))
            .unwrap_or(last),
    };
    if first > last {
        return Err(bad("de", "O primeiro dia vem antes do último.").into());
    }
    if (last - first).whole_days() >= MAX_DAYS {
        return Err(bad("de", "O período tem no máximo 366 dias.").into());
    }
    let period = (when::brasilia(first), when::brasilia(last) + DAY_MS);
    let emitter = query
        .get("emitente_id")
        .map_or(Maybe(None), |id| Maybe::of(id));
    let test = call.caller.is_test();
    let counted = ambiente(&query, test)?.or_else(|| opening::counted(test));
    let left_out = opening::left_out(test, counted);
    let account = &call.caller.account_id;
    let mut conn = call.app.db.walk(account).await?;
    let rows = match by {
        By::Dia => documents::sum_by_day(&mut conn, account, left_out, period, &emitter).await?,
        By::Emitente => {
            documents::sum_by_emitter(&mut conn, account, left_out, period, &emitter).await?
        }
    };
    drop(conn);
    let items = rows.into_iter().map(|row| sum(by, row));
    call.ok(ResumoOut {
        periodo: SummaryPeriod {
            de: first.to_string(),
            ate: last.to_string(),
        },
        agrupar: by,
        ambiente: counted,
        itens: items.collect::<DbResult<_>>()?,
    })
}

fn sum(by: By, row: SumRow) -> DbResult<Sum> {
    let group = match by {
        By::Emitente => row.grupo,
        By::Dia => {
            let day: i64 = row.grupo.parse().readable("day of a sum", &row.grupo)?;
            when::utc(day.saturating_mul(DAY_MS)).date().to_string()
        }
    };
    Ok(Sum {
        grupo: group,
        modelo: row.modelo,
        status: row.status,
        documentos: row.documentos,
        valor_total: Reais::of_cents(row.centavos),
    })
}

/// A day of the period.
///
/// # Errors
/// 400: it is none.
fn day(query: &Query, name: &str) -> Result<Option<Date>, Failure> {
    let Some(text) = query.get(name) else {
        return Ok(None);
    };
    when::parse_date(text)
        .map(Some)
        .ok_or_else(|| bad(name, "Use AAAA-MM-DD."))
}
