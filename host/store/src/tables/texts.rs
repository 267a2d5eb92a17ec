//! Names of the texts in a packed record: all that packing writes, and what becomes of each
//! when its record is old.

use crate::{DbResult, contradiction, unreadable};

/// What becomes of a text when its record is old.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Stays in the database: transactions and lists read it.
    Near,
    /// Moves to the store of objects.
    Far,
    /// Moves, too, and is dropped with the journal.
    Journal,
}

/// Whose text it is, as its name begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// `note/` and the name.
    Note,
    /// `event/` and the name.
    Event,
    /// The flow's place, counted from 1, and the name.
    Flow,
    /// The flow's place, the step, and the name.
    Turn,
    /// `xml/`, the kind and the name; the bytes themselves have none.
    Artifact,
}

/// Columns of a note or an event that are a text each.
pub(crate) const COLUMNS: [&str; 3] = ["conteudo", "context", "answer"];
/// Columns of a flow that are a text each.
pub(crate) const FLOW_TEXTS: [&str; 5] = ["component", "digest", "conteudo", "context", "way"];
/// The text that says what the customer was told: a record that is made again begins with
/// what is in the database, so it stays there.
pub(crate) const TOLD: &str = "told";
/// The text that has the smaller columns of a note or an event together ([`joined`]).
pub(crate) const ROW: &str = "row";
/// The smaller columns of a note: those that no statement looks at once a note has ended. They
/// stand in this order, and a new one comes last. Where a statement looks at one of them in
/// some rows, it is in those as well (`NotaRow::stays`).
pub(crate) const NOTE_ROW: [&str; 11] = [
    "detalhes",
    "valores",
    "url_consulta",
    "request_id",
    "autorizada_em",
    "municipio",
    "valor",
    "protocolo",
    "rejeicao",
    "competencia",
    "sistema",
];
/// The same of an event (`EventoRow::stays`).
pub(crate) const EVENT_ROW: [&str; 3] = ["detalhes", "resultado", "protocolo"];

/// Every text that packing writes.
const TEXTS: [(Owner, &str, Fate); 21] = [
    (Owner::Note, "conteudo", Fate::Near),
    (Owner::Note, "context", Fate::Near),
    (Owner::Note, "answer", Fate::Near),
    (Owner::Note, ROW, Fate::Near),
    (Owner::Note, TOLD, Fate::Near),
    (Owner::Event, "conteudo", Fate::Near),
    (Owner::Event, "context", Fate::Near),
    (Owner::Event, "answer", Fate::Near),
    (Owner::Event, ROW, Fate::Near),
    (Owner::Flow, "component", Fate::Near),
    (Owner::Flow, "digest", Fate::Near),
    (Owner::Flow, "conteudo", Fate::Near),
    (Owner::Flow, "context", Fate::Near),
    (Owner::Flow, "way", Fate::Near),
    (Owner::Flow, "turns", Fate::Journal),
    (Owner::Turn, "event", Fate::Journal),
    (Owner::Turn, "event_body", Fate::Journal),
    (Owner::Turn, "request", Fate::Journal),
    (Owner::Turn, "request_body", Fate::Journal),
    (Owner::Artifact, "about", Fate::Far),
    (Owner::Artifact, "", Fate::Far),
];

/// What becomes of the text of a name; None: packing writes no such text.
pub fn fate(name: &str) -> Option<Fate> {
    let (owner, last) = owned(name)?;
    let mut texts = TEXTS.iter();
    let text = texts.find(|text| (text.0, text.1) == (owner, last))?;
    Some(text.2)
}

/// Whose text a name is of, and its own part of the name.
fn owned(name: &str) -> Option<(Owner, &str)> {
    let (first, rest) = name.split_once('/')?;
    let is_number = |part: &str| part.parse::<u32>().is_ok();
    match first {
        "note" => Some((Owner::Note, rest)),
        "event" => Some((Owner::Event, rest)),
        // A kind may have a slash itself: "envio/…".
        "xml" if rest.ends_with("/about") => Some((Owner::Artifact, "about")),
        "xml" => Some((Owner::Artifact, "")),
        place if is_number(place) => match rest.split_once('/') {
            Some((step, last)) if is_number(step) => Some((Owner::Turn, last)),
            Some(_) => None,
            None => Some((Owner::Flow, rest)),
        },
        _ => None,
    }
}

/// A name that packing may write.
///
/// # Errors
/// The name stands in no table: it is not known whether its text would stay.
pub(super) fn known(name: &str) -> DbResult<()> {
    match fate(name) {
        Some(_) => Ok(()),
        None => Err(contradiction("the name of a packed text", name)),
    }
}

/// The texts of rows that stay in the database when a record moves; those too that are not
/// known here.
pub fn stays(name: &str) -> bool {
    matches!(fate(name), Some(Fate::Near) | None)
}

/// The journal: what was sent and what came back.
pub fn is_journal(name: &str) -> bool {
    fate(name) == Some(Fate::Journal)
}

/// Several columns as one text, each ended by a line feed.
pub fn joined<'t>(columns: impl IntoIterator<Item = &'t str>) -> String {
    let mut text = String::new();
    for column in columns {
        for letter in column.chars() {
            match letter {
                '\\' => text.push_str("\\\\"),
                '\n' => text.push_str("\\n"),
                other => text.push(other),
            }
        }
        text.push('\n');
    }
    text
}

/// The columns of such a text.
///
/// # Errors
/// It is no such text.
pub fn divided(text: &str, subject: &str) -> DbResult<Vec<String>> {
    let wrong = || unreadable("packed columns", subject);
    let mut columns = Vec::new();
    let mut column = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\n' => columns.push(std::mem::take(&mut column)),
            '\\' => column.push(match letters.next() {
                Some('\\') => '\\',
                Some('n') => '\n',
                _ => return Err(wrong()),
            }),
            other => column.push(other),
        }
    }
    if column.is_empty() {
        Ok(columns)
    } else {
        Err(wrong())
    }
}
