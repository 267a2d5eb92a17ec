//! POST /api/v1/documentos/auditar: is the XML of every document still there
//! and still the same, for the five years the law asks?

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Refusal};
use base::when;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::body;
use gate::request::list::{Query, emission};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use store::ids::{EmitterId, NotaId};
use store::tables::documents::{self, Kept};
use store::tables::notas::NotaRow;
use store::tables::numbers::{self, FreeRow};
use store::tables::{artifacts, emitters};
use store::words::{Ambiente, Maybe, Model};

/// Documents read at a time.
const PAGE: i64 = 100;
/// Documents after which a call ends, and pages of those that are of the period or not; the
/// next call goes on after them.
const PER_CALL: u64 = 1_000;
const PAGES: u32 = 50;
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
            .body::<AuditarIn>()
            .success::<AuditarOut>(),
    }
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct AuditarIn {
    /// Ausente: todos os da conta.
    emitente_id: Option<EmitterId>,
    /// Primeiro dia de emissão, `AAAA-MM-DD`, ou um momento de chegada ao hub
    /// (RFC 3339); ausente: o mais antigo que ainda deve ser guardado.
    de: Option<String>,
    /// Último dia de emissão, ou um momento.
    ate: Option<String>,
    /// `continua_em` da chamada anterior.
    continua_em: Option<String>,
}

/// O que foi conferido.
#[derive(Serialize, JsonSchema)]
struct AuditarOut {
    /// Documentos conferidos nesta chamada.
    verificados: u64,
    /// Os que estão como a autoridade os entregou.
    integros: u64,
    sem_xml: Vec<Audited>,
    hash_divergente: Vec<Audited>,
    /// Quando chegou o documento mais antigo que ainda deve ser guardado.
    retencao_desde: String,
    /// Quando vence a retenção do ano mais antigo.
    vencem_retencao_ate: String,
    /// Números que nenhuma nota usou.
    lacunas_de_numeracao: Vec<Gap>,
    /// Para a próxima chamada; `null`: nada mais há.
    continua_em: Option<String>,
}

/// Um documento cujo XML falta ou mudou.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DocumentoAuditado")]
struct Audited {
    chave: String,
    /// O id da nota.
    id: NotaId,
    /// O mesmo que `id`.
    nota_id: NotaId,
    autorizada_em: String,
}

/// Uma faixa de números que nenhuma nota usou.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LacunaDeNumeracao")]
struct Gap {
    emitente_id: EmitterId,
    ambiente: Ambiente,
    modelo: Model,
    serie: String,
    /// O primeiro número.
    de: i64,
    /// O último número.
    ate: i64,
}

/// What an audit found.
#[derive(Default)]
struct Found {
    verified: u64,
    intact: u64,
    without_xml: Vec<Audited>,
    divergent: Vec<Audited>,
}

async fn auditar(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<AuditarOut> {
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
    let account = call.caller.account_id.clone();
    if let Some(emitter) = &body.emitente_id {
        let mut conn = call.app.db.walk(&account).await?;
        if emitters::get(&mut conn, &account, emitter).await?.is_none() {
            return Err(Refusal::new(Code::NaoEncontrado)
                .message("Emitente não encontrado.")
                .into());
        }
    }
    let emitter = Maybe(body.emitente_id);
    let which = Kept {
        modelos: String::new(),
        emitter_id: &emitter,
        period: &period,
        // A draft that waited arrived long before the day of its emission.
        since_ms: if period.from_day.is_empty() {
            period.from_ms
        } else {
            0
        },
        left_out: call.caller.unseen(),
    };
    let mut found = Found::default();
    let mut conn = call.app.db.walk(&account).await?;
    let mut after = match body.continua_em {
        None => None,
        Some(last) => Some((documents::place_of(&mut conn, &account, &last).await?, last)),
    };
    for _ in 0..PAGES {
        let page = documents::kept(&mut conn, &account, &which, after, PAGE).await?;
        for nota in page.rows {
            let kept = artifacts::get(&mut conn, &account, &nota.id, nota.modelo.as_str()).await?;
            found.judge(&nota, kept.map(|kept| (kept.sha256, kept.bytes)));
        }
        after = page.next;
        if after.is_none() || found.verified >= PER_CALL {
            break;
        }
        // The deadline of a walk is that of a page.
        drop(conn);
        conn = call.app.db.walk(&account).await?;
    }
    let free = numbers::free_of(&mut conn, &account, &emitter, FREE, call.caller.unseen()).await?;
    drop(conn);
    call.ok(AuditarOut {
        verificados: found.verified,
        integros: found.intact,
        sem_xml: found.without_xml,
        hash_divergente: found.divergent,
        retencao_desde: when::rfc3339(oldest),
        vencem_retencao_ate: when::rfc3339(first_day(now.year() + 1)),
        lacunas_de_numeracao: gaps(&free),
        continua_em: after.map(|(_, last)| last),
    })
}

impl Found {
    fn judge(&mut self, nota: &NotaRow, kept: Option<(String, Vec<u8>)>) {
        self.verified += 1;
        let named = || Audited {
            chave: nota.chave.clone(),
            id: nota.id.clone(),
            nota_id: nota.id.clone(),
            autorizada_em: nota.autorizada_em.clone(),
        };
        match kept {
            None => self.without_xml.push(named()),
            Some((sha256, bytes)) if flow::hex(&Sha256::digest(&bytes)) == sha256 => {
                self.intact += 1;
            }
            Some(_) => self.divergent.push(named()),
        }
    }
}

/// The first moment of a year (UTC).
fn first_day(year: i32) -> i64 {
    time::Date::from_calendar_date(year, time::Month::January, 1)
        .map_or(0, |date| when::ms(date.midnight().assume_utc()))
}

/// Free numbers as ranges.
fn gaps(free: &[FreeRow]) -> Vec<Gap> {
    let follows = |a: &FreeRow, b: &FreeRow| {
        b.numero == a.numero + 1
            && FreeRow {
                numero: a.numero,
                ..b.clone()
            } == *a
    };
    free.chunk_by(follows)
        .filter_map(|range| Some((range.first()?, range.last()?)))
        .map(|(first, last)| Gap {
            emitente_id: first.emitter_id.clone(),
            ambiente: first.ambiente,
            modelo: first.modelo,
            serie: first.serie.clone(),
            de: first.numero,
            ate: last.numero,
        })
        .collect()
}
