//! By what a city that is learned finds a note again: its RPS, number, code or
//! key, each of a provider, of a login or of a city.

use super::form::plain;
use super::work::{LOGIN, Work};
use crate::notes::{Nota, Notes, Record};

/// What a request names a note by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Rps,
    Number,
    Code,
    Key,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Rps => "rps",
            Self::Number => "numero",
            Self::Code => "codigo",
            Self::Key => "chave",
        }
    }
}

fn term(kind: Kind, city: &str, local: &str, who: &str, value: &str) -> String {
    format!("{}|{city}|{local}|{who}|{value}", kind.name())
}

/// A provider, or who logged in.
fn provider(document: &str) -> String {
    format!("prestador {document}")
}

fn login(name: &str) -> String {
    format!("login {name}")
}

/// Notes that a request names so, oldest first. Whether they are the caller's
/// is still to be looked at.
pub(super) fn marked(notes: &Notes<'_>, work: &Work<'_>, kind: Kind, value: &str) -> Vec<Nota> {
    let who = match kind {
        // Few notes of a city have the same one.
        Kind::Code | Kind::Key => String::new(),
        _ if work.provider_is_said => provider(&work.provider),
        _ => login(&work.login),
    };
    let found = notes.marked(&term(kind, &work.city.name, &work.local, &who, value));
    found
        .into_iter()
        .filter_map(|seq| notes.note_at(seq))
        .collect()
}

/// Marks a note of such a city.
pub(super) fn of_note(notes: &Notes<'_>, nota: &Nota, seq: i64) {
    let data = |name: &str| nota.dados.get(name).map_or("", String::as_str);
    let mark = |kind: Kind, who: &str, value: &str| {
        notes.mark(&term(kind, &nota.sistema, &nota.local, who, value), seq);
    };
    let number = plain(&nota.numero.to_string());
    for who in [provider(&nota.prestador), login(data(LOGIN))] {
        mark(Kind::Number, &who, &number);
        if !data("rps").is_empty() {
            mark(Kind::Rps, &who, data("rps"));
        }
    }
    if let Some(code) = &nota.codigo_verificacao {
        mark(Kind::Code, "", &plain(code));
    }
    if let Some(key) = &nota.chave {
        mark(Kind::Key, "", &plain(key));
    }
}

/// Marks what a journal of an earlier version has of such a city.
pub(crate) fn see(record: &Record, seq: i64, notes: &Notes<'_>) {
    if let Record::Nota(nota) = record
        && nota.dados.contains_key(LOGIN)
    {
        of_note(notes, nota, seq);
    }
}
