//! What one declaration asks for beyond another.

use super::words::{characters, namespace};
use super::{Characters, Permissions, Text};

/// What `new` may do and `old` may not, one line each. Empty: nothing.
#[must_use]
pub fn more(new: &Permissions, old: &Permissions) -> Vec<String> {
    let mut found = Vec::new();
    for element in &new.elements {
        for space in &element.namespaces {
            let mut known = old.elements.iter().filter(|it| it.name == element.name);
            if !known.any(|known| known.namespaces.contains(space)) {
                found.push(format!("sign {} {}", element.name, namespace(space)));
            }
        }
    }
    for text in &new.texts {
        if !old.texts.iter().any(|known| covers(known, text)) {
            let (length, kind) = (text.length, characters(text.characters));
            found.push(format!("sign texts of up to {length} {kind}"));
        }
    }
    for secret in &new.secrets {
        for endpoint in &secret.endpoints {
            if !old.secret_at(&secret.name, endpoint) {
                found.push(format!("send secret {} to {endpoint}", secret.name));
            }
        }
    }
    for endpoint in &new.certificate_endpoints {
        if !old.certificate_at(endpoint) {
            found.push(format!("offer the certificate at {endpoint}"));
        }
    }
    found
}

fn covers(known: &Text, text: &Text) -> bool {
    let width = |characters| match characters {
        Characters::Digits => 0,
        Characters::LettersDigitsSpaces => 1,
        Characters::Printable => 2,
    };
    known.length >= text.length && width(known.characters) >= width(text.characters)
}
