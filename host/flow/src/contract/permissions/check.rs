//! A declaration must be small, plain, and no wider than the hub allows.

use super::{Namespace, Permissions, URL, floor};
use crate::contract::{Description, OptionKind};
use std::collections::BTreeSet;

/// Items of one list of a declaration.
const ITEMS: usize = 64;
/// Characters of a name, a namespace and a purpose.
const NAME_CHARS: usize = 60;
const NAMESPACE_CHARS: usize = 200;
const PURPOSE_CHARS: usize = 200;

/// Holds a declaration to what may be declared, and to what `describe` says of
/// endpoints and options.
///
/// # Errors
/// A sentence that names what is too wide or wrong.
pub fn check(permissions: &Permissions, description: &Description) -> Result<(), String> {
    let lists = [
        ("elements", permissions.elements.len()),
        ("texts", permissions.texts.len()),
        ("secrets", permissions.secrets.len()),
        (
            "certificate-endpoints",
            permissions.certificate_endpoints.len(),
        ),
    ];
    if let Some((list, length)) = lists.iter().find(|(_, length)| *length > ITEMS) {
        return Err(format!("{list} has {length} entries, the limit is {ITEMS}"));
    }
    let purposes = (permissions.elements.iter().map(|it| &it.purpose))
        .chain(permissions.texts.iter().map(|it| &it.purpose))
        .chain(permissions.secrets.iter().map(|it| &it.purpose));
    for purpose in purposes {
        if purpose.chars().count() > PURPOSE_CHARS || !purpose.chars().all(is_shown) {
            return Err(format!(
                "a purpose has more than {PURPOSE_CHARS} characters, or control characters, or such as change the order of others"
            ));
        }
    }
    elements(permissions, description)?;
    for text in &permissions.texts {
        let length = usize::try_from(text.length).unwrap_or(usize::MAX);
        if length == 0 || length > floor::TEXT_BYTES {
            return Err(format!(
                "texts of {length} bytes: from 1 to {} may be signed",
                floor::TEXT_BYTES
            ));
        }
    }
    secrets(permissions, description)?;
    for endpoint in &permissions.certificate_endpoints {
        let described = description.endpoints.iter();
        let mut offered = described.filter(|described| described.client_certificate);
        if endpoint != URL && !offered.any(|described| described.name == *endpoint) {
            return Err(format!(
                "the certificate is offered at {endpoint}, which describe() has not as an endpoint with a certificate"
            ));
        }
    }
    Ok(())
}

fn elements(permissions: &Permissions, description: &Description) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for element in &permissions.elements {
        let name = &element.name;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !begins || name.len() > NAME_CHARS || !name.chars().all(plain) {
            return Err(format!(
                "element {name:?}: the name of one element is wanted, without wildcards"
            ));
        }
        if !seen.insert(name) {
            return Err(format!("element {name} is there twice"));
        }
        if floor::foreign_name(name) {
            return Err(format!(
                "element {name}: no adapter may have such an element signed"
            ));
        }
        if element.namespaces.is_empty() || element.namespaces.len() > ITEMS {
            return Err(format!(
                "element {name} is in no namespace, or in more than {ITEMS}"
            ));
        }
        for namespace in &element.namespaces {
            of_element(name, namespace, description)?;
        }
    }
    Ok(())
}

fn of_element(name: &str, namespace: &Namespace, description: &Description) -> Result<(), String> {
    match namespace {
        Namespace::Absent => Ok(()),
        Namespace::Exact(uri) => {
            let plain = uri.bytes().all(|b| (0x21..0x7f).contains(&b)) && !uri.contains('*');
            if uri.is_empty() || uri.len() > NAMESPACE_CHARS || !plain {
                return Err(format!(
                    "element {name}: {uri:?} is not one namespace: there are no wildcards"
                ));
            }
            if floor::foreign_namespace(uri) {
                return Err(format!(
                    "element {name} of {uri}: no adapter may have elements of this namespace signed"
                ));
            }
            Ok(())
        }
        Namespace::Configured(option) => {
            let mut options = description.options.iter();
            let known = |spec: &&crate::contract::OptionSpec| {
                spec.name == *option && spec.kind == OptionKind::Text && spec.choices.is_empty()
            };
            match options.find(known) {
                Some(_) => Ok(()),
                None => Err(format!(
                    "element {name}: describe() has no option {option} with a text"
                )),
            }
        }
    }
}

fn secrets(permissions: &Permissions, description: &Description) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for secret in &permissions.secrets {
        let name = &secret.name;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        if name.is_empty() || name.len() > NAME_CHARS || !name.chars().all(plain) {
            return Err(format!("secret {name:?}: the name of one secret is wanted"));
        }
        if !seen.insert(name) {
            return Err(format!("secret {name} is there twice"));
        }
        if secret.endpoints.is_empty() {
            return Err(format!("secret {name} is sent nowhere"));
        }
        let known = |endpoint: &&String| {
            let mut described = description.endpoints.iter();
            *endpoint != URL && !described.any(|described| described.name == **endpoint)
        };
        if let Some(endpoint) = secret.endpoints.iter().find(known) {
            return Err(format!(
                "secret {name} is sent to {endpoint}, which describe() has not"
            ));
        }
    }
    Ok(())
}

/// Whether a character is seen as itself: neither a control, nor one of the marks that
/// are not seen or change the order of what stands around them (Unicode Standard Annex
/// 9, and the class Cf), by which a text shows another than it is.
pub(crate) fn is_shown(c: char) -> bool {
    let mark = matches!(
        c,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    );
    !c.is_control() && !mark
}
