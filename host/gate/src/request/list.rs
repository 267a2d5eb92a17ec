//! Listings: limit, opaque cursor bound to the filters, newest first.

pub use crate::query::{Query, only};

use crate::error::suggest;
use base::errors::{Code, Failure, Refusal};
use base::when;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Display;
use store::Period;

pub struct Page {
    pub limit: i64,
    /// Ids below this one; empty at the start.
    pub before: String,
    filters: String,
}

/// Reads `limite` and `cursor`, and refuses parameters nobody knows.
///
/// # Errors
/// 400 naming the parameter.
pub fn page(query: &Query, known: &[&str]) -> Result<Page, Failure> {
    only(query, &[known, &["limite", "cursor"]].concat())?;
    let limit = match query.get("limite") {
        None => 50,
        Some(text) => text
            .parse()
            .ok()
            .filter(|limit| (1..=100).contains(limit))
            .ok_or_else(|| {
                Refusal::field(
                    Code::ParametroInvalido,
                    "limite",
                    "O limite vai de 1 a 100.",
                    "Envie de 1 a 100, como limite=50; as páginas seguintes vêm por proximo_cursor.",
                )
            })?,
    };
    let filters: BTreeMap<&String, &String> = query
        .iter()
        .filter(|(name, _)| known.contains(&name.as_str()))
        .collect();
    let filters = flow::hex(&Sha256::digest(json!(filters).to_string())[..6]);
    let mut page = Page {
        limit,
        before: String::new(),
        filters,
    };
    if let Some(cursor) = query.get("cursor") {
        let invalid = || {
            Refusal::field(
                Code::ParametroInvalido,
                "cursor",
                "Cursor inválido para estes filtros.",
                "Use o proximo_cursor da página anterior, com os mesmos filtros.",
            )
        };
        let decoded = URL_SAFE_NO_PAD
            .decode(cursor)
            .ok()
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .ok_or_else(invalid)?;
        let (filters, before) = decoded.split_once(' ').ok_or_else(invalid)?;
        if filters != page.filters || before.len() > 64 {
            return Err(invalid().into());
        }
        before.clone_into(&mut page.before);
    }
    Ok(page)
}

/// A day of Brasília, or a moment, as a parameter of a period.
pub struct Limit {
    /// Its first moment, epoch milliseconds.
    pub from_ms: i64,
    /// The first moment after it.
    pub to_ms: i64,
    /// `AAAA-MM-DD`; empty for a moment.
    pub day: String,
}

/// Reads one end of a period.
///
/// # Errors
/// 400 naming the parameter.
pub fn limit(query: &Query, name: &str) -> Result<Option<Limit>, Failure> {
    let Some(text) = query.get(name) else {
        return Ok(None);
    };
    if let Some(moment) = when::parse(text) {
        let from_ms = when::ms(moment);
        return Ok(Some(Limit {
            from_ms,
            to_ms: from_ms + 1_000,
            day: String::new(),
        }));
    }
    let date = when::parse_date(text)
        .ok_or_else(|| bad(name, "Use AAAA-MM-DD, ou data e hora com fuso (RFC 3339)."))?;
    let from_ms = when::brasilia(date);
    Ok(Some(Limit {
        from_ms,
        to_ms: from_ms + 86_400_000,
        day: date.to_string(),
    }))
}

/// Begin and end (outside of it) of the period of a listing; 0: open.
///
/// # Errors
/// 400 naming the parameter.
pub fn period(query: &Query) -> Result<(i64, i64), Failure> {
    let (from, until) = (limit(query, "de")?, limit(query, "ate")?);
    Ok((
        from.map_or(0, |from| from.from_ms),
        until.map_or(0, |until| until.to_ms),
    ))
}

/// The period of documents by the day of their emission.
///
/// # Errors
/// 400 naming the parameter.
pub fn emission(query: &Query) -> Result<Period, Failure> {
    let (from, until) = (limit(query, "de")?, limit(query, "ate")?);
    let (from_ms, to_ms) = period(query)?;
    Ok(Period {
        from_ms,
        to_ms,
        from_day: from.map(|from| from.day).unwrap_or_default(),
        to_day: until.map(|until| until.day).unwrap_or_default(),
    })
}

/// JSON Schema of one end of a period.
pub fn limit_schema() -> Value {
    json!({ "type": "string", "anyOf": [{ "format": "date" }, { "format": "date-time" }] })
}

/// A parameter nobody understands.
pub fn bad(name: &str, how: &str) -> Failure {
    Refusal::field(Code::ParametroInvalido, name, "Valor inválido.", how).into()
}

/// The parameter `numero`; 0 when it is absent.
///
/// # Errors
/// 400 for anything but a positive integer.
pub fn number(query: &Query) -> Result<i64, Failure> {
    let Some(number) = query.get("numero") else {
        return Ok(0);
    };
    number
        .parse()
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(|| bad("numero", "Use um número inteiro."))
}

/// The parameter `status`; empty when it is absent.
///
/// # Errors
/// 400 for a state that is not listed.
pub fn known_status(query: &Query, known: &[&str]) -> Result<String, Failure> {
    let status = query.get("status").cloned().unwrap_or_default();
    if status.is_empty() || known.contains(&status.as_str()) {
        return Ok(status);
    }
    let states = format!("Os estados são: {}.", known.join(", "));
    let correction = match suggest::nearest(&status, known) {
        Some(meant) => format!("Você quis dizer {meant}? {states}"),
        None => states,
    };
    Err(Refusal::field(
        Code::ParametroInvalido,
        "status",
        "Estado desconhecido.",
        &correction,
    )
    .into())
}

/// Letters and digits, as keys, CPF and CNPJ are stored.
pub fn signs(text: &str) -> String {
    let signs = text.chars().filter(char::is_ascii_alphanumeric);
    signs.map(|sign| sign.to_ascii_uppercase()).collect()
}

/// A CPF or CNPJ as it is stored, of one as papers print it. What has neither letter nor digit
/// stays as it is, and nobody has it: an empty one is no filter.
pub fn taxpayer(text: &str) -> String {
    let signs = signs(text);
    if signs.is_empty() {
        return text.to_owned();
    }
    signs
}

/// A key as it is stored, of one as papers print it or as files name it: `NFe3126...`,
/// `3126...-procNFe.xml`. What has no digit stays as it is: an empty key is no filter.
pub fn key(text: &str) -> String {
    let signs = signs(text);
    let letter = |sign: char| sign.is_ascii_uppercase();
    let named = signs.trim_start_matches(letter);
    let key = named.trim_end_matches(letter);
    match key.len() {
        0 => text.to_owned(),
        length if is_key(length) => key.to_owned(),
        _ => named.to_owned(),
    }
}

/// Whether a key has so many signs: 44, and 50 that of an NFS-e of the national standard.
pub fn is_key(length: usize) -> bool {
    matches!(length, 44 | 50)
}

/// A query parameter that is `1` or `0`.
///
/// # Errors
/// 400 naming the parameter.
pub fn flag(query: &Query, name: &str) -> Result<bool, Failure> {
    match query.get(name).map(String::as_str) {
        None | Some("0") => Ok(false),
        Some("1") => Ok(true),
        Some(_) => Err(bad(name, "Use 0 ou 1.")),
    }
}

/// Uma página de uma lista.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listing<T> {
    pub itens: Vec<T>,
    /// Há outra página.
    pub tem_mais: bool,
    /// O `cursor` da página seguinte; `null` na última.
    pub proximo_cursor: Option<String>,
}

impl Page {
    /// The listing of the rows that were read ([`Page::rows`]). `ids` belong to
    /// `items`, in order; one item more than the limit says that there is
    /// another page.
    pub fn listing<T>(&self, mut items: Vec<T>, mut ids: Vec<impl Display>) -> Listing<T> {
        let limit = usize::try_from(self.limit).unwrap_or(50);
        let more = items.len() > limit;
        items.truncate(limit);
        ids.truncate(limit);
        let last = ids.last().filter(|_| more);
        Listing {
            itens: items,
            tem_mais: more,
            proximo_cursor: last.map(|id| self.cursor(id)),
        }
    }

    /// The same, where not all was looked at that could have filled the page: it may have few
    /// items or none, and the next one goes on behind `stopped`.
    pub fn listing_so_far<T>(
        &self,
        items: Vec<T>,
        ids: Vec<impl Display>,
        stopped: Option<impl Display>,
    ) -> Listing<T> {
        let mut listing = self.listing(items, ids);
        if let Some(stopped) = stopped.filter(|_| !listing.tem_mais) {
            listing.tem_mais = true;
            listing.proximo_cursor = Some(self.cursor(stopped));
        }
        listing
    }

    fn cursor(&self, place: impl Display) -> String {
        URL_SAFE_NO_PAD.encode(format!("{} {place}", self.filters))
    }

    /// How many rows the pages before this one had, where the place of a row
    /// stands for its id.
    ///
    /// # Errors
    /// 400: the cursor is no number.
    pub fn offset(&self) -> Result<usize, Failure> {
        if self.before.is_empty() {
            return Ok(0);
        }
        let offset = self.before.parse().ok();
        let offset = offset.filter(|offset| *offset < 1_000_000);
        offset.ok_or_else(|| bad("cursor", "Use o proximo_cursor da página anterior."))
    }

    /// Rows to read: one more than are shown.
    pub fn rows(&self) -> i64 {
        self.limit + 1
    }
}
