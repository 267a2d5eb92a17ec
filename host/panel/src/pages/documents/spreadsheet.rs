//! The list as a spreadsheet: all documents that fit the filters, page by page
//! as the browser takes them.

use super::filters::{Filters, file_period};
use crate::pages::companies::Companies;
use crate::pages::listing::{items, kind, number, recipient, recipient_id, serie, value_of};
use crate::parts::{ambiente, cpf_cnpj, encoded, state};
use crate::reply::{CSV, Problem, attached, text};
use crate::visitor::Visitor;
use axum::body::{Body, Bytes};
use axum::extract::Query;
use axum::response::Response;
use base::when;
use futures::stream;
use objects::sheet::cells;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;

/// Documents that are read at a time.
const ROWS: usize = 100;
/// Pages of one file: a hundred thousand documents. Whoever has more asks for
/// shorter periods.
const PAGES: usize = 1_000;

const HEAD: [&str; 17] = [
    "Tipo",
    "Série",
    "Número",
    "Chave",
    "Situação",
    "Criado em",
    "Autorizado em",
    "Emitente",
    "CNPJ do emitente",
    "Destinatário",
    "CPF ou CNPJ do destinatário",
    "Valor",
    "Protocolo",
    "Ambiente",
    "Simulado",
    "Referência",
    "Identificador",
];

/// A list of the API as a spreadsheet.
#[derive(Clone, Copy)]
pub struct Sheet {
    /// The list's address.
    pub path: &'static str,
    /// Names of the columns.
    pub head: &'static [&'static str],
    /// The line of one of its items.
    pub line: fn(&Value, &Companies) -> String,
}

/// What is left of a list to write.
struct Rest {
    visitor: Visitor,
    sheet: Sheet,
    companies: Companies,
    query: String,
    /// None: everything was written.
    next: Option<String>,
    pages: usize,
    /// Read before anything was sent, so that a refusal is a page.
    first: Option<Value>,
}

pub async fn download(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Response, Problem> {
    let now_ms = visitor.panel.app.now_ms();
    let filters = Filters::read(&query, visitor.live(), now_ms);
    let companies = Companies::read(&visitor).await?;
    let name = file_name(&filters, &companies, now_ms);
    let sheet = Sheet {
        path: "/api/v1/documentos",
        head: &HEAD,
        line: row,
    };
    written(visitor, companies, sheet, (&name, filters.api())).await
}

/// All of a list, under this name and limited by this query of its operation.
///
/// # Errors
/// The operation refuses the query.
pub async fn written(
    visitor: Visitor,
    companies: Companies,
    sheet: Sheet,
    (name, query): (&str, String),
) -> Result<Response, Problem> {
    let first = visitor.get(&path(&sheet, &query, "")).await?;
    let rest = Rest {
        visitor,
        sheet,
        companies,
        query,
        next: Some(String::new()),
        pages: 0,
        first: Some(first),
    };
    let rows = Body::from_stream(stream::try_unfold(rest, page));
    Ok(attached(CSV, name, rows))
}

/// What the list's file is called: by the kind, the period and the company it is limited
/// to; without a period by the day it was made.
fn file_name(filters: &Filters, companies: &Companies, now_ms: i64) -> String {
    let kind = match filters.model() {
        "" => "documentos",
        model => kind(model),
    };
    let (from, until) = filters.period();
    let period = file_period(from, until, now_ms);
    let company = companies.file_end(filters.get("emitente"));
    format!("{kind}-{period}{company}.csv")
}

fn path(sheet: &Sheet, query: &str, cursor: &str) -> String {
    let mut path = format!("{}?limite={ROWS}", sheet.path);
    if !query.is_empty() {
        path.push('&');
        path.push_str(query);
    }
    if !cursor.is_empty() {
        path.push_str(&format!("&cursor={}", encoded(cursor)));
    }
    path
}

/// The rows of the next page, and what is left behind it. A page that cannot be
/// read breaks the file off: half a list must not look whole.
async fn page(mut rest: Rest) -> io::Result<Option<(Bytes, Rest)>> {
    let Some(cursor) = rest.next.take() else {
        return Ok(None);
    };
    let begins = rest.pages == 0;
    let answer = match rest.first.take() {
        Some(first) => first,
        None => {
            let answer = rest
                .visitor
                .get(&path(&rest.sheet, &rest.query, &cursor))
                .await;
            answer.map_err(|_| io::Error::other("a page of a list cannot be read"))?
        }
    };
    let mut out = String::new();
    if begins {
        out.push_str(&begin(rest.sheet.head));
    }
    for document in items(&answer) {
        out.push_str(&(rest.sheet.line)(document, &rest.companies));
    }
    rest.pages += 1;
    let further = answer["proximo_cursor"].as_str().unwrap_or_default();
    rest.next = Some(further.to_owned()).filter(|further| !further.is_empty());
    if rest.pages == PAGES && rest.next.take().is_some() {
        out.push_str(&cells(&["Há mais documentos: baixe períodos menores."]));
    }
    Ok(Some((Bytes::from(out), rest)))
}

fn row(document: &Value, companies: &Companies) -> String {
    let company = text(document, "emitente_id");
    let cnpj = companies.get(company).map_or("", |one| one.cnpj.as_str());
    let simulated = document["simulada"] == true;
    cells(&[
        kind(text(document, "modelo")),
        &serie(document),
        &number(document).unwrap_or_default(),
        text(document, "chave"),
        &state(text(document, "status")),
        &local(text(document, "criada_em")),
        &local(text(document, "autorizada_em")),
        companies.name(company),
        &cpf_cnpj(cnpj),
        recipient(document).unwrap_or_default(),
        &cpf_cnpj(recipient_id(document)),
        &amount(value_of(document)),
        text(document, "protocolo"),
        ambiente(text(document, "ambiente")),
        if simulated { "sim" } else { "não" },
        text(document, "referencia"),
        text(document, "nota_id"),
    ])
}

/// What a file begins with: the mark that says UTF-8 to spreadsheets, and the
/// names of the columns.
pub fn begin(head: &[&str]) -> String {
    format!("\u{feff}{}", cells(head))
}

/// `1234.5` as `1234,50`; empty where there is none.
pub fn amount(value: &Value) -> String {
    let text = value.to_string();
    let amount = text.trim_matches('"').parse::<rust_decimal::Decimal>();
    amount.map_or_else(
        |_| String::new(),
        |amount| format!("{:.2}", amount.round_dp(2)).replace('.', ","),
    )
}

/// A moment of the API in Brasília, as spreadsheets read it.
pub fn local(text: &str) -> String {
    let Some(at) = when::parse(text) else {
        return String::new();
    };
    let local = when::local(when::ms(at), "DF");
    format!(
        "{:02}/{:02}/{} {:02}:{:02}:{:02}",
        local.day(),
        u8::from(local.month()),
        local.year(),
        local.hour(),
        local.minute(),
        local.second()
    )
}
