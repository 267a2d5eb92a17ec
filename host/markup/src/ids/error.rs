//! Why a text is not the identifier it should be.

/// Never repeats the text: it may be somebody's CPF.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Wrong length, wrong characters, or punctuation in the wrong place.
    #[error("wrong length or characters")]
    Shape,
    /// The check digits do not fit the rest.
    #[error("the check digits do not fit")]
    CheckDigits,
    /// Right shape, but such a number is not given to anybody.
    #[error("no such number is given out")]
    NotAssigned,
    /// A series or number outside of what the layout admits.
    #[error("out of range")]
    OutOfRange,
}
