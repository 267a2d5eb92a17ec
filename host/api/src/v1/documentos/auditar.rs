//! POST /api/v1/documentos/auditar: is the XML of every document still there
//! and still the same, for the five years the law asks?

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::body;
use crate::request::list::{Query, emission};
use crate::{Built, json};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use base::when;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json as value};
use sha2::{Digest as _, Sha256};
use store::tables::artifacts;
use store::tables::notas::{self, NotaRow};
use store::tables::numbers::{self, FreeRow};

/// Documents one call reads; the next call goes on after them.
const PER_CALL: i64 = 1_000;
/// Documents read at a time.
const PAGE: i64 = 100;
/// Free numbers one call looks at.
const FREE: i64 = 10_000;
/// Years a document is kept, from the first day of the year after it (CTN,
/// art. 173, I, and art. 195, sole paragraph).
const YEARS: i32 = 5;

pub fn built() -> Built {
    Built {
        operation: "documentos.auditar",
        route: |method| on(method, auditar),
        docs: Docs::new("Confere o XML guardado de cada documento na retenção legal de 5 anos e aponta lacunas de numeração.")
            .body(schemars::schema_for!(AuditarIn).to_value()),
    }
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct AuditarIn {
    /// Ausente: todos os da conta.
    emitente_id: Option<String>,
    /// Primeiro dia de emissão, `AAAA-MM-DD`, ou um momento de chegada ao hub
    /// (RFC 3339); ausente: o mais antigo que ainda deve ser guardado.
    de: Option<String>,
    /// Último dia de emissão, ou um momento.
    ate: Option<String>,
    /// `continua_em` da chamada anterior.
    continua_em: Option<String>,
}

/// What an audit found.
#[derive(Default)]
struct Found {
    verificados: u64,
    integros: u64,
    sem_xml: Vec<Value>,
    divergentes: Vec<Value>,
    last: String,
}

async fn auditar(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiResult<Response> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: AuditarIn = body::read(value, call.tolerant)?;
    let now = when::utc(call.app.now_ms());
    let mut query = Query::new();
    for (name, given) in [("de", &body.de), ("ate", &body.ate)] {
        query.extend(given.clone().map(|given| (name.to_owned(), given)));
    }
    // Documents of this year and the five before it are still to be kept.
    let oldest = first_day(now.year() - YEARS);
    let mut period = emission(&query)?;
    if !query.contains_key("de") {
        period.from_ms = oldest;
    }
    let emitter = body.emitente_id.unwrap_or_default();
    let account = call.caller.account_id.clone();
    let mut found = Found {
        last: body.continua_em.unwrap_or_default(),
        ..Found::default()
    };
    let mut more = true;
    while more && i64::try_from(found.verificados).unwrap_or(i64::MAX) < PER_CALL {
        let mut conn = call.app.db.walk(&account).await?;
        let page = notas::kept(
            &mut conn,
            &account,
            &found.last,
            &emitter,
            &period,
            PAGE,
            call.caller.unseen(),
        )
        .await?;
        more = i64::try_from(page.len()).is_ok_and(|read| read == PAGE);
        for nota in page {
            let kept = artifacts::get(&mut conn, &account, &nota.id, nota.modelo.as_str()).await?;
            found.judge(&nota, kept.map(|kept| (kept.sha256, kept.bytes)));
        }
    }
    let mut conn = call.app.db.walk(&account).await?;
    let free = numbers::free_of(&mut conn, &account, &emitter, FREE, call.caller.unseen()).await?;
    drop(conn);
    let answer = value!({
        "sucesso": true, "verificados": found.verificados, "integros": found.integros, "sem_xml": found.sem_xml,
        "hash_divergente": found.divergentes, "retencao_desde": when::rfc3339(oldest),
        "vencem_retencao_ate": when::rfc3339(first_day(now.year() + 1)),
        "lacunas_de_numeracao": gaps(&free), "continua_em": more.then_some(found.last),
        "request_id": call.caller.request_id,
    });
    Ok(json(200, &answer))
}

impl Found {
    fn judge(&mut self, nota: &NotaRow, kept: Option<(String, Vec<u8>)>) {
        self.verificados += 1;
        self.last.clone_from(&nota.id);
        let named = || value!({ "chave": nota.chave, "nota_id": nota.id, "autorizada_em": nota.autorizada_em });
        match kept {
            None => self.sem_xml.push(named()),
            Some((sha256, bytes)) if flow::hex(&Sha256::digest(&bytes)) == sha256 => {
                self.integros += 1;
            }
            Some(_) => self.divergentes.push(named()),
        }
    }
}

/// The first moment of a year (UTC).
fn first_day(year: i32) -> i64 {
    time::Date::from_calendar_date(year, time::Month::January, 1)
        .map_or(0, |date| when::ms(date.midnight().assume_utc()))
}

/// Free numbers as ranges.
fn gaps(free: &[FreeRow]) -> Vec<Value> {
    let follows = |a: &FreeRow, b: &FreeRow| {
        b.numero == a.numero + 1
            && FreeRow {
                numero: a.numero,
                ..b.clone()
            } == *a
    };
    free.chunk_by(follows)
        .filter_map(|range| Some((range.first()?, range.last()?)))
        .map(|(first, last)| {
            value!({
                "emitente_id": first.emitter_id, "ambiente": first.ambiente, "modelo": first.modelo,
                "serie": first.serie, "de": first.numero, "ate": last.numero,
            })
        })
        .collect()
}
