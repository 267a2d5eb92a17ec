//! What an answer says, whatever the layout it is written in.

use crate::class::Class;
use sdk::soap::Fault;
use sdk::{Decimal, Documento, Mensagem, Response};

/// An answer.
#[derive(Debug)]
pub enum Reading {
    /// A message of the layout.
    Content(Box<Content>),
    Fault(Fault),
    /// 401 or 403: the door, not the service, said no.
    Barred,
    /// 429: too many requests, nothing was processed.
    Throttled(Option<u64>),
    /// Anything else: a page, half a document, another message, 5xx.
    Illegible(&'static str),
}

/// What a message of the layout says.
#[derive(Debug, Default)]
pub struct Content {
    /// Notes of which the answer says that they were issued.
    pub notas: Vec<Nota>,
    /// Notes that an answer names beside a refusal: the system has them
    /// already.
    pub known: Vec<Nota>,
    /// The note that a substitution replaced.
    pub replaced: Option<Nota>,
    /// The confirmation of a cancellation.
    pub cancelamento: Option<Documento>,
    /// A cancellation was asked for, and the city decides about it later.
    pub requested: bool,
    pub protocol: Option<String>,
    /// Situation of a batch as the ABRASF model numbers it: 1 not received, 2
    /// not processed, 3 processed with errors, 4 processed.
    pub status: Option<u8>,
    /// A list of notes that is there and empty.
    pub empty_list: bool,
    pub messages: Vec<Mensagem>,
    pub alertas: Vec<Mensagem>,
}

/// A note of an answer, with what tells whether it is the one asked for.
#[derive(Clone, Debug)]
pub struct Nota {
    pub documento: Documento,
    /// Series and number of the RPS, where the note names one.
    pub rps: Option<(String, u64)>,
    /// Price of the service, where the note names it.
    pub value: Option<Decimal>,
    /// CPF or CNPJ of the taker, where the note names it.
    pub tomador: Option<String>,
}

impl Reading {
    /// What the HTTP status alone says; None: the body decides.
    pub fn of_status(response: &Response) -> Option<Self> {
        match response.status {
            429 => Some(Reading::Throttled(response.retry_after_ms())),
            401 | 403 => Some(Reading::Barred),
            _ => None,
        }
    }
}

impl Nota {
    /// This is no note of another RPS.
    pub fn of_rps(&self, serie: &str, number: u64) -> bool {
        let without_zeros = |serie: &str| serie.trim().trim_start_matches('0').to_ascii_uppercase();
        self.rps.as_ref().is_none_or(|(of_nota, of_rps)| {
            *of_rps == number
                && (of_nota.is_empty() || without_zeros(of_nota) == without_zeros(serie))
        })
    }

    /// Whether this is the sale with one of these prices (none: not known) and this
    /// taker (CPF or CNPJ), as far as the note says. A document that a city masks or
    /// shortens says nothing.
    pub fn of_sale(&self, prices: &[Decimal], taker: Option<&str>) -> Sale {
        let shown = self.tomador.as_deref().and_then(whole);
        let priced = self.value.filter(|_| !prices.is_empty());
        let same_price = priced.map(|shown| prices.contains(&shown));
        let same_taker = match (shown, taker.and_then(whole)) {
            (Some(shown), Some(ours)) => Some(shown.eq_ignore_ascii_case(ours)),
            // Some cities show a document where the sale has none.
            (Some(_), None) => return sale([same_price.filter(|same| !same), None]),
            (None, _) => None,
        };
        sale([same_price, same_taker])
    }
}

/// Whether a note is the sale that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sale {
    Ours,
    /// Its price or its taker is another.
    Another,
    /// The note shows nothing that tells.
    Untold,
}

/// What the comparisons that were possible say together.
fn sale(compared: [Option<bool>; 2]) -> Sale {
    if compared.contains(&Some(false)) {
        Sale::Another
    } else if compared.contains(&Some(true)) {
        Sale::Ours
    } else {
        Sale::Untold
    }
}

/// A whole CPF or CNPJ without its leading zeros; None: cut, masked, or one digit
/// repeated, which cities show where they know no document.
fn whole(document: &str) -> Option<&str> {
    let document = document.trim();
    let digits = document.chars().all(|c| c.is_ascii_digit());
    let complete = document.len() == 14 || document.len() == 11 && digits;
    let first = document.chars().next()?;
    let repeated = document.chars().all(|c| c == first);
    (complete && !repeated && !masked(document)).then(|| document.trim_start_matches('0'))
}

/// Whether a letter stands three times in a row: a mask. (The rare CNPJ that has
/// such letters is not compared.)
fn masked(document: &str) -> bool {
    let repeated = |three: &[u8]| three[0] == three[1] && three[1] == three[2];
    let mut runs = document.as_bytes().windows(3);
    runs.any(|three| three[0].is_ascii_alphabetic() && repeated(three))
}

/// An address without white space, of a length a browser takes.
pub fn is_url(text: &str) -> bool {
    (text.starts_with("https://") || text.starts_with("http://"))
        && text.len() <= 500
        && !text.contains(char::is_whitespace)
}

/// Letters and digits of a CPF or CNPJ; None when there is none.
pub fn bare_document(text: &str) -> Option<String> {
    let clean: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    (!clean.is_empty()).then_some(clean)
}

/// The messages of one answer together: the class that decides about the note.
/// A list is "not found" only when nothing else was said.
pub fn together(messages: &[Mensagem], of_one: impl Fn(&Mensagem) -> Class) -> Class {
    let has = |class| messages.iter().any(|message| of_one(message) == class);
    for class in [
        Class::Pending,
        Class::Duplicate,
        Class::AlreadyCancelled,
        Class::Credential,
    ] {
        if has(class) {
            return class;
        }
    }
    let only_not_found = !messages.is_empty()
        && messages
            .iter()
            .all(|message| of_one(message) == Class::NotFound);
    if only_not_found {
        Class::NotFound
    } else {
        Class::Refusal
    }
}
