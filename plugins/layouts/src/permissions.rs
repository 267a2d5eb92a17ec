//! What the adapter may do with keys, secrets and the certificate: read from the
//! layouts, which say what they sign and which secrets they send.

use crate::embedded::{Files, LAYOUTS, file};
use crate::layout::{SERVICES, endpoint_of};
use crate::names::SECRETS;
use crate::sections::{self, Entry};
use sdk::{Characters, Namespace, Permissions};

/// Endpoint of all services without an address of their own.
const GENERAL: &str = "nfse";
/// Longest text that a layout has signed, in bytes: the line of an RPS of São Paulo
/// has 146 at most.
const TEXT_BYTES: u32 = 200;

/// Of all layouts together.
pub fn permissions() -> Permissions {
    let own = SERVICES.iter().map(|(_, service)| endpoint_of(*service));
    let all: Vec<&str> = [GENERAL].into_iter().chain(own).collect();
    let mut permissions = Permissions::none();
    let mut texts = false;
    for (name, files) in LAYOUTS {
        let entries = entries(files);
        for (element, namespace) in signed(&entries, files) {
            permissions = permissions.element(&element, &[namespace], &format!("Layout {name}"));
        }
        let has = |key: &str| entries.iter().any(|entry| entry.key == key);
        let digest = |entry: &Entry| entry.key == "assinatura.forma" && entry.value == "resumo";
        texts |= has("assinatura") && !entries.iter().any(digest);
    }
    if texts {
        permissions = permissions.text(TEXT_BYTES, Characters::Printable, "Lines of an RPS");
    }
    for name in SECRETS {
        if LAYOUTS.iter().any(|(_, files)| sends(files, name)) {
            permissions = permissions.secret(name, &all, "Login of the city");
        }
    }
    permissions.certificate(&all)
}

/// All entries of a layout, whatever their sections and conditions.
fn entries(files: Files) -> Vec<Entry> {
    let text = file(files, "leiaute.txt").unwrap_or_default();
    let parsed = sections::parse(text, &sections::variants(text)).unwrap_or_default();
    let entries = parsed.into_iter().flat_map(|section| section.entries);
    entries.collect()
}

/// The elements that a layout has signed: the roots of its messages, or what has the
/// id in them.
fn signed(entries: &[Entry], files: Files) -> Vec<(String, Namespace)> {
    let values = |key: &str| {
        let of_key = entries.iter().filter(|entry| entry.key == key);
        of_key.map(|entry| entry.value.as_str()).collect::<Vec<_>>()
    };
    let messages: Vec<&str> = values("mensagem")
        .into_iter()
        .filter_map(|name| file(files, name))
        .collect();
    let mut found = Vec::new();
    for what in values("assina") {
        let mark = match what.split_once('=') {
            Some((attribute, id)) => format!(" {}=\"{}\"", attribute.trim(), id.trim()),
            None if what == "documento" => String::new(),
            None => continue,
        };
        found.extend(messages.iter().filter_map(|text| element(text, &mark)));
    }
    found
}

/// The element of a template that has this mark in its tag; without a mark the root.
fn element(text: &str, mark: &str) -> Option<(String, Namespace)> {
    let body = text.find("?>").map_or(0, |end| end + 2);
    let text = text.get(body..)?;
    let root = text.find('<')?;
    let at = match mark {
        "" => root,
        mark => text.get(..text.find(mark)?)?.rfind('<')?,
    };
    let (tag, root) = (self::tag(text, at)?, self::tag(text, root)?);
    let name = tag.split(|c: char| !c.is_ascii_alphanumeric() && !"-_.:".contains(c));
    let name = name.into_iter().next().unwrap_or_default();
    let (declaration, local) = match name.split_once(':') {
        Some((prefix, local)) => (format!("xmlns:{prefix}=\""), local),
        None => ("xmlns=\"".to_owned(), name),
    };
    let uri = [tag, root].into_iter().find_map(|tag| {
        let (_, after) = tag.split_once(&declaration)?;
        after.split('"').next()
    });
    let namespace = match uri {
        Some(uri) if !uri.is_empty() => Namespace::exact(uri),
        _ => Namespace::Absent,
    };
    Some((local.to_owned(), namespace))
}

/// The tag that begins here, without its brackets.
fn tag(text: &str, at: usize) -> Option<&str> {
    let text = text.get(at + 1..)?;
    text.get(..text.find('>')?)
}

/// Whether a layout sends a secret; `basico` is the login of HTTP.
fn sends(files: Files, name: &str) -> bool {
    let own = format!("segredo.{name}");
    let basic = matches!(name, "usuario" | "senha");
    files
        .iter()
        .any(|(_, text)| text.contains(&own) || basic && text.contains("${basico"))
}

#[cfg(test)]
mod tests {
    use super::element;
    use sdk::Namespace;

    #[test]
    fn the_signed_element_is_found_in_a_template() {
        let whole = "<?xml version=\"1.0\"?>\n<es:a xmlns:es=\"urn:x\"><b></b></es:a>";
        let named = |name: &str, namespace| Some((name.to_owned(), namespace));
        assert_eq!(element(whole, ""), named("a", Namespace::exact("urn:x")));
        let inside = "<n:a xmlns:n=\"urn:x\"><Lote Id=\"lote\">";
        assert_eq!(
            element(inside, " Id=\"lote\""),
            named("Lote", Namespace::Absent)
        );
        let varied = "<nfse${se variante.x} id=\"nota\"${fim}>";
        assert_eq!(
            element(varied, " id=\"nota\""),
            named("nfse", Namespace::Absent)
        );
        assert_eq!(element("<a>", " id=\"nota\""), None);
    }
}
