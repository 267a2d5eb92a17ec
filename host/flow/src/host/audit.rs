//! What an adapter had signed, and what it was refused: written down with the turn
//! in which it asked.

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The signature of an element.
    Element,
    /// The signature of a text.
    Text,
    /// A secret in a request.
    Secret,
    /// The customer's certificate in a TLS handshake.
    Certificate,
}

/// Bytes kept of what was asked for, and of the reason of a refusal.
const KEPT_BYTES: usize = 300;

/// One signature that was made, or one thing that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    pub asked: Asked,
    /// Of an element its local name and its namespace in braces, of a secret its
    /// name and the endpoint, of the certificate the endpoint; empty for a text.
    pub what: String,
    /// SHA-256 in hexadecimal of what was signed or would have been: the text, or the
    /// canonical `SignedInfo`. Empty where nothing was to be signed.
    pub sha256: String,
    /// Why not. None: it was signed.
    pub refused: Option<String>,
}

impl Use {
    /// Something that was asked for; see the members. Long and strange names are cut.
    #[must_use]
    pub fn new(asked: Asked, what: &str, sha256: String, refused: Option<&str>) -> Use {
        Use {
            asked,
            what: kept(what),
            sha256,
            refused: refused.map(kept),
        }
    }
}

/// Names come from the adapter.
fn kept(text: &str) -> String {
    let mut text: String = text.chars().filter(|c| !c.is_control()).collect();
    text.truncate(text.floor_char_boundary(KEPT_BYTES));
    text
}
