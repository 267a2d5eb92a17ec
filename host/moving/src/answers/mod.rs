//! Answers of ours become answers of theirs. Pure.

mod document;
mod event;
mod papers;
mod place;
mod refusal;
mod request;

pub use document::{Events, Links, consulted, is_denied, processing, status};
pub use event::{cancelled, corrected, voided};
pub use papers::{of_cancellation, of_letter, of_note};
pub use place::place;
pub use refusal::{About, Asked, Rejection, Told, refusal, unreadable};
pub use request::request;

use crate::orders::{Fault, Notice};
use serde_json::{Map, Value, json};

/// An answer: its HTTP status and body.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub body: Value,
}

impl Answer {
    pub fn new(status: u16, body: Value) -> Answer {
        Answer { status, body }
    }

    /// A refusal in their shape.
    pub fn error(status: u16, code: &str, message: &str) -> Answer {
        Answer::new(status, json!({ "codigo": code, "mensagem": message }))
    }

    /// A refusal that lists members.
    pub fn faults(status: u16, code: &str, message: &str, faults: &[Fault]) -> Answer {
        let list: Vec<Value> = faults
            .iter()
            .map(|fault| json!({ "mensagem": fault.message, "campo": fault.field }))
            .collect();
        Answer::new(
            status,
            json!({ "codigo": code, "mensagem": message, "erros": list }),
        )
    }

    /// The same with what its sender should know.
    #[must_use]
    pub fn with_notices(mut self, notices: &[Notice]) -> Answer {
        if let Some(body) = self.body.as_object_mut()
            && !notices.is_empty()
        {
            body.insert("avisos".to_owned(), told(notices));
        }
        self
    }
}

fn told(notices: &[Notice]) -> Value {
    notices
        .iter()
        .map(|notice| json!({ "campo": notice.field, "mensagem": notice.message }))
        .collect()
}

/// A text of an answer of ours.
fn text<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer).and_then(Value::as_str)
}

/// Sets a member where there is a value.
fn put(body: &mut Map<String, Value>, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        body.insert(name.to_owned(), value.into());
    }
}
