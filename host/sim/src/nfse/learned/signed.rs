//! Whether the signatures hold that a recorded request has.

use super::message::{Document, Message};
use crate::documents::same_holder;
use crate::pki::{Pki, holder};
use crate::xml::signature::{self, DSIG, SignatureError};
use crate::xml::{Element, parse};

/// Most signatures that are looked at.
const MAX_SIGNED: usize = 60;

/// Verifies the signatures of a live request: where the recorded one has a
/// signature there must be one, and each that is there must hold.
///
/// # Errors
/// The sentence of the refusal.
pub(super) fn check(
    recorded: &Message,
    live: &Message,
    provider: Option<&str>,
    pki: &Pki,
    now_ms: i64,
) -> Result<(), String> {
    for (_, path) in &recorded.signed {
        if !live.signed.iter().any(|(_, signed)| signed == path) && exists(live, path) {
            return Err(format!("Assinatura ausente em {path}."));
        }
    }
    for (number, path) in live.signed.iter().take(MAX_SIGNED) {
        let Some(document) = live.documents.get(*number) else {
            continue;
        };
        let verdict = verified(document, path).and_then(|der| {
            let trusted = pki.check(&der, now_ms).is_ok();
            let own = |known: &str| holder(&der).is_some_and(|h| same_holder(&h.document, known));
            if trusted && provider.is_none_or(own) {
                Ok(())
            } else {
                Err(SignatureError::Certificate)
            }
        });
        match verdict {
            Ok(()) => {}
            Err(SignatureError::Certificate) => {
                return Err("Assinatura de outro titular, ou de certificado não aceito.".to_owned());
            }
            Err(_) => return Err(format!("Assinatura inválida em {path}.")),
        }
    }
    Ok(())
}

fn exists(live: &Message, path: &str) -> bool {
    live.names.contains(path)
}

/// The signer's certificate of all signatures at a path of a document.
fn verified(document: &Document, path: &str) -> Result<Vec<u8>, SignatureError> {
    let inside = path.strip_prefix(document.path.as_str()).unwrap_or(path);
    let names: Vec<&str> = inside.trim_start_matches('/').split('/').skip(1).collect();
    let mut holders = Vec::new();
    collect(&document.root, &names, &mut holders);
    let mut last = Err(SignatureError::Missing);
    for parent in holders.into_iter().take(MAX_SIGNED) {
        last = Ok(at(document, parent)?);
    }
    last
}

/// Elements at a path of names that have a signature as child.
fn collect<'e>(element: &'e Element, names: &[&str], found: &mut Vec<&'e Element>) {
    match names.split_first() {
        None if signature_of(element).is_some() => found.push(element),
        None => {}
        Some((name, rest)) => {
            let children = element.elements().filter(|child| child.name == *name);
            children.for_each(|child| collect(child, rest, found));
        }
    }
}

fn signature_of(element: &Element) -> Option<&Element> {
    let mut elements = element.elements();
    elements.find(|child| child.name == "Signature" && child.ns == DSIG)
}

/// Verifies the signature of one element in its document; a message inside an
/// envelope may have been signed before it was put there.
fn at(document: &Document, parent: &Element) -> Result<Vec<u8>, SignatureError> {
    let uri = signature_of(parent)
        .and_then(|signature| signature.at("SignedInfo/Reference"))
        .and_then(|reference| reference.attr("URI"))
        .unwrap_or_default();
    let whole = match target(&document.root, uri) {
        Some(target) => signature::verify(&document.root, parent, target),
        None => Err(SignatureError::Reference),
    };
    if whole.is_ok() || std::ptr::eq(&document.root, parent) {
        return whole;
    }
    let chain = ancestors(&document.root, parent).into_iter().rev();
    for outer in chain.chain([parent]).take(64) {
        let Ok(alone) = parse(outer.source(&document.text)) else {
            continue;
        };
        let Some(target) = target(&alone, uri) else {
            continue;
        };
        let own = outer.source(&document.text);
        let wanted = signature_of(parent).map(|signature| signature.source(&document.text));
        let mut holders = Vec::new();
        every(&alone, &mut holders);
        let same = |holder: &&Element| signature_of(holder).map(|s| s.source(own)) == wanted;
        if let Some(holder) = holders.into_iter().find(same)
            && let Ok(der) = signature::verify(&alone, holder, target)
        {
            return Ok(der);
        }
    }
    whole
}

/// The element a reference names.
fn target<'e>(root: &'e Element, uri: &str) -> Option<&'e Element> {
    match uri.strip_prefix('#') {
        None => Some(root),
        Some(id) => by_id(root, id),
    }
}

fn by_id<'e>(element: &'e Element, id: &str) -> Option<&'e Element> {
    let own = element.attr("Id").or_else(|| element.attr("id"));
    if own == Some(id) {
        return Some(element);
    }
    element.elements().find_map(|child| by_id(child, id))
}

/// Elements with a signature as child.
fn every<'e>(element: &'e Element, found: &mut Vec<&'e Element>) {
    if signature_of(element).is_some() {
        found.push(element);
    }
    element.elements().for_each(|child| every(child, found));
}

/// Elements around `wanted`, the outermost first, without the root.
fn ancestors<'e>(root: &'e Element, wanted: &Element) -> Vec<&'e Element> {
    for child in root.elements() {
        if std::ptr::eq(child, wanted) {
            return Vec::new();
        }
        if child.span.0 < wanted.span.0 && wanted.span.1 <= child.span.1 {
            let mut chain = vec![child];
            chain.extend(ancestors(child, wanted));
            return chain;
        }
    }
    Vec::new()
}
