//! A declaration for people.

use super::{Characters, Namespace, Permissions};

/// What the adapter may do, one line each.
#[must_use]
pub fn lines(permissions: &Permissions) -> Vec<String> {
    let mut found = Vec::new();
    for element in &permissions.elements {
        let spaces: Vec<String> = element.namespaces.iter().map(namespace).collect();
        let line = format!("sign {} {}", element.name, spaces.join(" or "));
        found.push(with(line, &element.purpose));
    }
    for text in &permissions.texts {
        let (length, kind) = (text.length, characters(text.characters));
        let line = format!("sign texts of up to {length} {kind}");
        found.push(with(line, &text.purpose));
    }
    for secret in &permissions.secrets {
        let line = format!("send secret {} to {}", secret.name, list(&secret.endpoints));
        found.push(with(line, &secret.purpose));
    }
    if !permissions.certificate_endpoints.is_empty() {
        let places = list(&permissions.certificate_endpoints);
        found.push(format!("offer the customer's certificate at {places}"));
    }
    if found.is_empty() {
        found.push("nothing with keys, secrets or certificates".to_owned());
    }
    found
}

fn with(line: String, purpose: &str) -> String {
    if purpose.is_empty() {
        line
    } else {
        format!("{line}: {purpose}")
    }
}

fn list(endpoints: &[String]) -> String {
    endpoints.join(", ")
}

pub(super) fn namespace(namespace: &Namespace) -> String {
    match namespace {
        Namespace::Absent => "without a namespace".to_owned(),
        Namespace::Exact(uri) => format!("of {uri}"),
        Namespace::Configured(option) => {
            format!("of the namespace the registry gives in {option}")
        }
    }
}

pub(super) fn characters(characters: Characters) -> &'static str {
    match characters {
        Characters::Digits => "digits",
        Characters::LettersDigitsSpaces => "letters, digits and spaces",
        Characters::Printable => "printable characters",
    }
}
