//! What the two dated catalogues of rules and technical notes have in common:
//! filters, pages, days.

use base::errors::Failure;
use data::search::fold;
use gate::docs::Docs;
use gate::request::list::{Listing, Page, Query, bad, page};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use time::Date;

/// Most characters of a search.
const QUERY_CHARS: usize = 200;

/// De que dia até que dia algo vale.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "VigenciaDoCatalogo")]
pub(super) struct Validity {
    /// Primeiro dia em produção, AAAA-MM-DD; `null`: vale para documentos de qualquer dia.
    pub de: Option<String>,
    /// Último dia; `null`: sem fim marcado.
    pub ate: Option<String>,
}

impl Validity {
    pub fn since(day: Option<Date>) -> Validity {
        Validity {
            de: day.map(|day| day.to_string()),
            ate: None,
        }
    }
}

/// Se algo vale hoje.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SituacaoDoCatalogo")]
pub(super) enum State {
    EmVigor,
    /// Começa depois de hoje.
    Futura,
}

impl State {
    pub fn of(since: Option<Date>, today: Date) -> State {
        match since.is_some_and(|since| since > today) {
            true => State::Futura,
            false => State::EmVigor,
        }
    }
}

/// What a list is narrowed by.
pub(super) struct Filter {
    page: Page,
    /// 55, 65, 57 or 58.
    model: Option<u8>,
    /// Folded words, all of which must be there.
    words: Vec<String>,
}

/// The parameters of both lists.
pub(super) fn docs(summary: &'static str) -> Docs {
    Docs::new(summary)
        .query(
            "modelo",
            "Só os deste modelo de documento.",
            json!({ "type": "string", "enum": ["55", "65", "57", "58"] }),
        )
        .query(
            "q",
            "Palavras do texto ou do código; sem acentos e em qualquer caixa.",
            json!({ "type": "string", "maxLength": QUERY_CHARS }),
        )
        .paged()
}

impl Filter {
    /// Reads the parameters.
    ///
    /// # Errors
    /// 400 naming the one that is wrong.
    pub fn read(query: &Query) -> Result<Filter, Failure> {
        let page = page(query, &["modelo", "q"])?;
        let model = match query.get("modelo").map(|text| text.trim()) {
            None => None,
            Some("55") => Some(55),
            Some("65") => Some(65),
            Some("57") => Some(57),
            Some("58") => Some(58),
            Some(_) => {
                let accepted = "Use 55 (NF-e), 65 (NFC-e), 57 (CT-e) ou 58 (MDF-e).";
                return Err(bad("modelo", accepted));
            }
        };
        let words = query.get("q").map(String::as_str).unwrap_or_default();
        if words.chars().count() > QUERY_CHARS {
            return Err(bad("q", "Busque por até 200 caracteres."));
        }
        Ok(Filter {
            page,
            model,
            words: fold(words).split_whitespace().map(str::to_owned).collect(),
        })
    }

    /// Does a row of these models and texts pass?
    pub fn passes(&self, modelos: &[u8], texts: &[&str]) -> bool {
        if self.model.is_some_and(|model| !modelos.contains(&model)) {
            return false;
        }
        let texts: Vec<String> = texts.iter().map(|text| fold(text)).collect();
        let has = |word: &String| texts.iter().any(|text| text.contains(word.as_str()));
        self.words.iter().all(has)
    }

    /// The page of the rows that passed.
    ///
    /// # Errors
    /// 400 for a cursor that no page gave.
    pub fn listing<T>(&self, rows: impl Iterator<Item = T>) -> Result<Listing<T>, Failure> {
        let before = super::tables::offset(&self.page)?;
        let wanted = usize::try_from(self.page.rows()).unwrap_or_default();
        let shown: Vec<T> = rows.skip(before).take(wanted).collect();
        let places = (before + 1..=before + shown.len()).collect();
        Ok(self.page.listing(shown, places))
    }
}

/// Models as the API writes them.
pub(super) fn models(modelos: &[u8]) -> Vec<String> {
    modelos.iter().map(u8::to_string).collect()
}
