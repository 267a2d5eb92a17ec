//! /api/v1/fiscal/{table} and /api/v1/fiscal/{table}/{codigo}: tables of codes,
//! by code and by text.

mod anp;
mod cbenef;
mod cest;
mod cfop;
mod cnae;
mod ibs_cbs;
mod ncm;

use axum::extract::{Path, Query as UrlQuery};
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use base::when;
use data::Validity;
use data::search::Found;
use data::versions::{self, Version};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::list::{Listing, Page, Query, bad, only, page};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use time::Date;

/// Most characters of a search.
const QUERY_CHARS: usize = 200;

pub fn built() -> Vec<Built> {
    let tables = [
        both::<anp::Anp>("fiscal.anp.get", "fiscal.anp"),
        cbenef::built(),
        both::<cest::Cest>("fiscal.cest.get", "fiscal.cest"),
        both::<cfop::Cfop>("fiscal.cfop.get", "fiscal.cfop"),
        both::<cnae::Cnae>("fiscal.cnae.get", "fiscal.cnae"),
        both::<ibs_cbs::ClassTrib>("fiscal.ibs-cbs.get", "fiscal.ibs-cbs"),
        both::<ncm::Ncm>("fiscal.ncm.get", "fiscal.ncm"),
    ];
    tables.into_iter().flatten().collect()
}

/// The two operations of a table: one code, and the rows that have some words.
fn both<T: CodeTable>(get: &'static str, list: &'static str) -> [Built; 2] {
    [
        Built {
            operation: get,
            route: |method| on(method, one::<T>),
            docs: Docs::new(T::GET).success::<Charged<RowOut<T::Out>>>(),
        },
        Built {
            operation: list,
            route: |method| on(method, some::<T>),
            docs: list_docs(T::LIST).success::<Charged<RowsOut<T::Out>>>(),
        },
    ]
}

async fn one<T: CodeTable>(
    call: Call,
    Path(code): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<Charged<RowOut<T::Out>>> {
    only(&query, &[])?;
    shown::<T>(&call, T::get(&plain(&code))).await
}

async fn some<T: CodeTable>(
    call: Call,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<Charged<RowsOut<T::Out>>> {
    let page = page(&query, &["q"])?;
    let words = words(&query)?;
    let version = versions::get(T::TABLE);
    rows::<T>(&call, &page, version, |limit| T::search(words, limit)).await
}

/// A table of codes: how its rows are found and shown.
trait CodeTable: 'static {
    type Row: Sync + 'static;
    type Out: Serialize + JsonSchema + Send;
    /// Name of the table.
    const TABLE: &'static str;
    /// What the operation of one code does, pt-BR.
    const GET: &'static str;
    /// What the operation of the listing does, pt-BR.
    const LIST: &'static str;

    /// The row of a code, punctuation left out.
    fn get(code: &str) -> Option<&'static Self::Row>;
    /// Rows that have the words, the best first.
    fn search(words: &str, limit: usize) -> Found<'static, Self::Row>;
    /// Which edition the row is of.
    fn version(_row: &'static Self::Row) -> Option<Version> {
        versions::get(Self::TABLE)
    }
    /// The row for customers. `today` is the day of Brasília.
    fn shown(row: &'static Self::Row, today: Date) -> Self::Out;
}

/// Uma linha, e de que tabela ela é.
#[derive(Serialize, JsonSchema)]
struct RowOut<T> {
    #[serde(flatten)]
    row: T,
    #[serde(flatten)]
    edition: Edition,
}

/// As linhas encontradas, e de que tabela elas são.
#[derive(Serialize, JsonSchema)]
struct RowsOut<T> {
    #[serde(flatten)]
    listing: Listing<T>,
    /// Quantas linhas a busca encontrou ao todo.
    total: usize,
    #[serde(flatten)]
    edition: Edition,
}

/// A edição da tabela que respondeu.
#[derive(Serialize, JsonSchema)]
struct Edition {
    /// Quem publicou a tabela.
    fonte: &'static str,
    /// O dia, o mês ou o ano que ela mostra.
    versao: &'static str,
}

/// Quando um código vale.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "VigenciaDoCodigo")]
struct ValidityOut {
    /// Primeiro dia; `null`: antes do início da tabela.
    de: Option<String>,
    /// Último dia; `null`: sem fim.
    ate: Option<String>,
    /// Vale hoje.
    em_vigor: bool,
}

impl ValidityOut {
    fn of(validity: Validity, today: Date) -> ValidityOut {
        ValidityOut {
            de: validity.start.map(|day| day.to_string()),
            ate: validity.end.map(|day| day.to_string()),
            em_vigor: validity.contains(today),
        }
    }
}

fn edition(version: Option<Version>) -> Result<Edition, Failure> {
    let version = version.ok_or_else(|| anyhow::anyhow!("there is no such table"))?;
    Ok(Edition {
        fonte: version.source,
        versao: version.date,
    })
}

fn today(call: &Call) -> Date {
    when::today(call.app.now_ms(), "DF")
}

/// What a listing takes.
fn list_docs(summary: &'static str) -> Docs {
    Docs::new(summary)
        .query(
            "q",
            "Palavras do texto, ou o começo do código; sem acentos e em qualquer caixa. Obrigatório.",
            json!({ "type": "string", "maxLength": QUERY_CHARS }),
        )
        .asks_for(&["q"])
        .paged()
}

/// The row, and the price of it; a code that is not there costs nothing.
async fn shown<T: CodeTable>(
    call: &Call,
    row: Option<&'static T::Row>,
) -> ApiAnswer<Charged<RowOut<T::Out>>> {
    let row = row.ok_or_else(none)?;
    let edition = edition(T::version(row))?;
    let row = T::shown(row, today(call));
    charge::paid(call, RowOut { row, edition }).await
}

/// The rows of a page; a page without rows costs nothing.
async fn rows<T: CodeTable>(
    call: &Call,
    page: &Page,
    version: Option<Version>,
    search: impl FnOnce(usize) -> Found<'static, T::Row>,
) -> ApiAnswer<Charged<RowsOut<T::Out>>> {
    let wanted = usize::try_from(page.rows()).unwrap_or_default();
    let before = page.offset()?;
    let found = search(before.saturating_add(wanted));
    let today = today(call);
    let rows = found.rows.into_iter().skip(before);
    let shown: Vec<T::Out> = rows.map(|row| T::shown(row, today)).collect();
    let nothing = shown.is_empty();
    let places = (before + 1..=before + shown.len()).collect();
    let answer = RowsOut {
        listing: page.listing(shown, places),
        total: found.total,
        edition: edition(version)?,
    };
    if nothing {
        charge::free(call, answer).await
    } else {
        charge::paid(call, answer).await
    }
}

/// How many rows the pages before this one had.
///
/// # Errors
/// 400 for a cursor that no page gave.
pub(super) fn offset(page: &Page) -> Result<usize, Failure> {
    if page.before.is_empty() {
        return Ok(0);
    }
    let offset = page
        .before
        .parse()
        .ok()
        .filter(|offset| *offset < 1_000_000);
    offset.ok_or_else(|| bad("cursor", "Use o proximo_cursor da página anterior."))
}

/// The words that are searched.
fn words(query: &Query) -> Result<&str, Failure> {
    let words = query.get("q").map(|words| words.trim());
    let words = words.filter(|words| !words.is_empty()).ok_or_else(|| {
        Failure::from(Refusal::field(
            Code::ParametroAusente,
            "q",
            "Falta o que buscar.",
            "Informe q: palavras do texto, ou o começo do código.",
        ))
    })?;
    if words.chars().count() > QUERY_CHARS {
        return Err(bad("q", "Busque por até 200 caracteres."));
    }
    Ok(words)
}

/// A code without the punctuation people give it.
pub(super) fn plain(code: &str) -> String {
    let kept = code.chars().filter(|c| !matches!(c, '.' | '-' | '/' | ' '));
    kept.collect()
}

fn none() -> Refusal {
    Refusal::new(Code::SemResultado)
        .message("A tabela não tem este código.")
        .hint("Confira o código, ou busque pelo texto com q.")
}
