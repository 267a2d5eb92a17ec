//! The reason an operator gives for an action, and how one that is none is refused.

use super::asked::parameter;
use accounts::operator::{self, Operator, TEXT_CHARS};
use base::errors::Failure;
use gate::error::ApiError;
use serde::Deserialize;

/// The door of programs, as the list of actions calls it.
pub(super) const DOOR: &str = "admin";

/// Name of the member and of the field.
const NAME: &str = "motivo";

/// A body with a reason alone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reason {
    motivo: String,
}

impl Reason {
    /// A reason as it was given.
    pub fn of(given: String) -> Reason {
        Reason { motivo: given }
    }

    /// The reason, for programs.
    ///
    /// # Errors
    /// It is no line of 1 to 200 characters.
    pub fn read(&self) -> Result<String, ApiError> {
        line(&self.motivo).ok_or_else(|| {
            let message = format!("tem de 1 a {TEXT_CHARS} caracteres, em uma linha");
            parameter(NAME, &message, "Diga em uma linha por que isso é feito.")
        })
    }
}

/// A reason that can be kept; None: it is none.
pub(super) fn line(text: &str) -> Option<String> {
    operator::line(NAME, text).ok()
}

/// Who acts now, by a door.
pub(super) fn by(door: &'static str, now_ms: i64) -> Operator {
    Operator { door, now_ms }
}

/// Why something was not done, in a sentence for a page; None: it failed on our side.
pub(super) fn sentence(failure: &Failure) -> Option<String> {
    let Failure::Refused(refusal) = failure else {
        return None;
    };
    let entry = refusal.code.entry();
    let message = refusal.message.as_deref().unwrap_or(entry.message);
    let hint = refusal.hint.as_deref().unwrap_or(entry.hint);
    Some(format!("{message} {hint}").trim_end().to_owned())
}
