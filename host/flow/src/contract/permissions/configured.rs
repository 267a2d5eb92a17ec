//! Namespaces that the operator's registry gives: the adapter names the option, the
//! registry its value.

use super::floor;
use crate::contract::{Ambiente, Context};

/// Bytes that a `{word}` of a pattern stands for, at most.
const WORD_BYTES: usize = 80;

/// What the registry says for a flow.
#[derive(Clone, Debug, Default)]
pub struct Given {
    options: Vec<(String, String)>,
    production: bool,
}

impl Given {
    /// Of the context of a flow.
    #[must_use]
    pub fn of(context: &Context) -> Given {
        let options = context.options.iter();
        Given {
            options: options
                .map(|option| (option.name.clone(), option.value.clone()))
                .collect(),
            production: context.ambiente == Ambiente::Producao,
        }
    }

    /// Whether this namespace stands in the option's value.
    #[must_use]
    pub fn gives(&self, option: &str, namespace: &str) -> bool {
        let value = self.options.iter().find(|(name, _)| name == option);
        value.is_some_and(|(_, value)| {
            items(value).any(|item| fits(&pattern(item, self.production), namespace))
        })
    }
}

/// A piece of a pattern.
#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    /// Letters, digits, hyphens and underscores.
    Word,
}

/// The items of an option's value, without the names before them.
fn items(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').map(|item| {
        let item = item.trim();
        match item.split_once('=') {
            Some((name, rest)) if name.bytes().all(|b| b.is_ascii_alphanumeric()) => rest.trim(),
            _ => item,
        }
    })
}

fn pattern(item: &str, production: bool) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = item;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((inside, next)) = after.split_once('}') else {
            break;
        };
        literal(&mut pieces, before);
        let of = |environment: &str| inside.strip_prefix(environment);
        match (of("producao:"), of("homologacao:")) {
            (Some(text), _) if production => literal(&mut pieces, text),
            (_, Some(text)) if !production => literal(&mut pieces, text),
            (None, None) => pieces.push(Piece::Word),
            _ => {}
        }
        rest = next;
    }
    literal(&mut pieces, rest);
    pieces
}

fn literal(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(Piece::Literal(last)) => last.push_str(text),
        _ => pieces.push(Piece::Literal(text.to_owned())),
    }
}

/// A pattern that begins with a word would fit what it likes: it fits nothing.
fn fits(pieces: &[Piece], text: &str) -> bool {
    matches!(pieces.first(), Some(Piece::Literal(_))) && rest_fits(pieces, text)
}

fn rest_fits(pieces: &[Piece], text: &str) -> bool {
    match pieces.split_first() {
        None => text.is_empty(),
        Some((Piece::Literal(literal), rest)) => text
            .strip_prefix(literal.as_str())
            .is_some_and(|text| rest_fits(rest, text)),
        Some((Piece::Word, rest)) => {
            let word = |b: &u8| b.is_ascii_alphanumeric() || b"-_".contains(b);
            let longest = text.bytes().take_while(word).count().min(WORD_BYTES);
            (1..=longest).any(|end| rest_fits(rest, text.get(end..).unwrap_or_default()))
        }
    }
}

/// Why a value cannot give namespaces to sign in: it names one that no adapter may
/// have signed, or would let every namespace through. None: it can.
#[must_use]
pub fn ill_configured(value: &str) -> Option<String> {
    let wrong = |item: &str| {
        let pieces = pattern(item, true);
        let other = pattern(item, false);
        let open = |pieces: &[Piece]| matches!(pieces.first(), Some(Piece::Word));
        floor::foreign_namespace(item) || open(&pieces) || open(&other)
    };
    let item = items(value).find(|item| wrong(item))?;
    Some(format!("{item} is no namespace an adapter may sign in"))
}
