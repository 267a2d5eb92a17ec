//! Values of secrets in answers: a server that repeats the request must not show the
//! adapter what the host filled in. Against a server that wants to show it nothing
//! helps; the adapter's declaration says to whom a secret is sent at all.

use flow::Flow;
use flow::contract::{HttpResponse, Named};
use flow::placeholder::{self, Hashes};
use memchr::memmem;

/// Shortest value that is masked, in characters.
const SHORTEST: usize = 8;
/// The secret that is a name: cities repeat it, and it may be a person's or a company's.
const USER: &str = "usuario";
/// Most secrets of which pairs are masked (`Authorization: Basic`).
const PAIRED: usize = 8;
/// What stands in the place of a value.
const MASK: &[u8] = b"***";

/// The values that answers do not show.
pub struct Mask {
    /// The longest first: a value may be a part of another.
    forms: Vec<Vec<u8>>,
}

impl Mask {
    /// Of a customer's secrets in a flow, by name. What the adapter knows of the company
    /// anyway is no secret to it: many cities take the CNPJ for the user.
    pub(super) fn of<'s>(
        secrets: impl Iterator<Item = (&'s str, &'s str)>,
        flow: &Flow,
        hashes: &dyn Hashes,
    ) -> Mask {
        let company = &flow.context.emitente;
        let optional = [&company.inscricao_municipal, &company.inscricao_estadual];
        let extras = company.extras.iter().map(|extra| &extra.value);
        let known: Vec<&str> = [&company.documento, &company.razao_social]
            .into_iter()
            .chain(optional.into_iter().flatten())
            .chain(extras)
            .map(String::as_str)
            .collect();
        let secrets: Vec<(&str, &str)> = secrets.collect();
        Mask::new(&secrets, &known, hashes)
    }

    /// Of these secrets, name and value, except values that are known.
    #[must_use]
    pub fn new(secrets: &[(&str, &str)], known: &[&str], hashes: &dyn Hashes) -> Mask {
        let mut forms: Vec<Vec<u8>> = Vec::new();
        let hidden = secrets
            .iter()
            .filter(|(name, value)| *name != USER && !known.contains(value) && unmistakable(value));
        let secrets: Vec<&str> = secrets.iter().map(|(_, value)| *value).collect();
        for (_, value) in hidden {
            for form in placeholder::forms(value, hashes) {
                if form.contains('%') {
                    forms.push(form.to_ascii_lowercase().into_bytes());
                }
                forms.push(form.into_bytes());
            }
            // Answers in ISO-8859-1.
            let latin = value.chars().map(u8::try_from);
            forms.extend(latin.collect::<Result<Vec<u8>, _>>());
        }
        if secrets.len() <= PAIRED {
            for user in &secrets {
                let others = secrets.iter().filter(|other| *other != user);
                let pairs = others.map(|password| format!("{user}:{password}"));
                let long = pairs.filter(|pair| pair.chars().count() > SHORTEST);
                forms.extend(long.map(|pair| placeholder::base64(&pair).into_bytes()));
            }
        }
        forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        forms.dedup();
        Mask { forms }
    }

    /// An answer without the values.
    #[must_use]
    pub fn over(&self, answer: HttpResponse) -> HttpResponse {
        if self.forms.is_empty() {
            return answer;
        }
        let header = |header: Named| Named {
            value: String::from_utf8(self.masked(header.value.into_bytes()))
                .unwrap_or_else(|bytes| String::from_utf8_lossy(bytes.as_bytes()).into_owned()),
            name: header.name,
        };
        HttpResponse {
            status: answer.status,
            headers: answer.headers.into_iter().map(header).collect(),
            body: self.masked(answer.body),
        }
    }

    fn masked(&self, mut text: Vec<u8>) -> Vec<u8> {
        for form in &self.forms {
            if let Some(masked) = without(&text, form) {
                text = masked;
            }
        }
        text
    }
}

/// Whether a value can stand in an answer only as itself. The answer holds the legal
/// original of a note: a password that is a number or a word also stands there as an
/// amount, a number of a note or a part of a description, and must not change it.
fn unmistakable(value: &str) -> bool {
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    let all = value.chars().count();
    all >= SHORTEST && letters > 0 && letters < all
}

/// The text with the mask in the place of a value; None where it has none.
fn without(text: &[u8], value: &[u8]) -> Option<Vec<u8>> {
    let mut found = memmem::find_iter(text, value).peekable();
    found.peek()?;
    let mut masked = Vec::with_capacity(text.len());
    let mut end = 0;
    for at in found {
        masked.extend_from_slice(&text[end..at]);
        masked.extend_from_slice(MASK);
        end = at + value.len();
    }
    masked.extend_from_slice(&text[end..]);
    Some(masked)
}
