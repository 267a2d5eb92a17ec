//! Which parts of a message are signed, and whether the signatures hold.

use std::collections::{BTreeMap, BTreeSet};

use super::codes::RefusalMessage;
use super::profiles::{Op, Part, Profile};
use super::typed;
use crate::documents::same_holder;
use crate::engine::Call;
use crate::pki::holder;
use crate::xml::Element;
use crate::xml::signature::{self, DSIG, SignatureError};

/// Most signatures of one message: the batch and its RPS.
const MAX_SIGNED: usize = 60;

/// Verifies every signature that must or does exist.
pub(super) fn check(
    call: &Call<'_>,
    profile: &Profile,
    op: Op,
    root: &Element,
    provider: &str,
) -> Result<(), RefusalMessage> {
    let mut places: Vec<(Part, &Element, &Element)> = Vec::new();
    collect(op, root, &mut places);
    for (part, parent, target) in places.into_iter().take(MAX_SIGNED) {
        let present = parent
            .elements()
            .any(|e| e.name == "Signature" && e.ns == DSIG);
        if !present && !profile.signed.contains(&part) {
            continue;
        }
        let verdict = verify(profile, root, parent, target).and_then(|der| {
            let trusted = call.pki.check(&der, call.now_ms).is_ok()
                && holder(&der).is_some_and(|h| same_holder(&h.document, provider));
            if trusted {
                Ok(())
            } else {
                Err(SignatureError::Certificate)
            }
        });
        match verdict {
            Ok(()) => {}
            Err(SignatureError::Missing) => return Err(refuse(profile, profile.codes.unsigned)),
            Err(_) => return Err(refuse(profile, profile.codes.bad_signature)),
        }
    }
    Ok(())
}

/// Who signed a part. Parts without id are signed with the whole message around
/// them, or as a document of their own, by an empty reference.
fn verify(
    profile: &Profile,
    root: &Element,
    parent: &Element,
    target: &Element,
) -> Result<Vec<u8>, SignatureError> {
    match signature::verify(root, parent, target) {
        Err(SignatureError::Reference) if profile.any_system() => {
            signature::verify(root, parent, root).or_else(|verdict| {
                let alone = alone(root, parent).ok_or(verdict)?;
                signature::verify(&alone, &alone, &alone)
            })
        }
        verdict => verdict,
    }
}

/// An element as a document of its own, with the namespaces it uses.
fn alone(root: &Element, element: &Element) -> Option<Element> {
    let mut scope = BTreeMap::new();
    if !scope_of(root, element, &mut scope) {
        return None;
    }
    let mut used = BTreeSet::new();
    prefixes(element, &mut used);
    let mut alone = element.clone();
    for (prefix, ns) in scope {
        let own = alone.declared.iter().any(|(known, _)| *known == prefix);
        if used.contains(prefix.as_str()) && !own {
            alone.declared.push((prefix, ns));
        }
    }
    Some(alone)
}

/// Namespaces that the elements around `wanted` declare; false where it is not inside.
fn scope_of(around: &Element, wanted: &Element, scope: &mut BTreeMap<String, String>) -> bool {
    if std::ptr::eq(around, wanted) {
        return true;
    }
    let mut own = scope.clone();
    own.extend(around.declared.iter().cloned());
    for child in around.elements() {
        let mut inside = own.clone();
        if scope_of(child, wanted, &mut inside) {
            *scope = inside;
            return true;
        }
    }
    false
}

/// Prefixes of an element and of all in it.
fn prefixes<'e>(element: &'e Element, used: &mut BTreeSet<&'e str>) {
    used.insert(&element.prefix);
    let attributes = element.attrs.iter().map(|a| a.prefix.as_str());
    used.extend(attributes.filter(|prefix| !prefix.is_empty()));
    element.elements().for_each(|child| prefixes(child, used));
}

/// Part, element that carries the signature, element it covers.
fn collect<'a>(op: Op, root: &'a Element, places: &mut Vec<(Part, &'a Element, &'a Element)>) {
    let mut rps = |element: &'a Element| {
        let parent = typed::holder(element);
        if let Some(target) = parent
            .child("InfDeclaracaoPrestacaoServico")
            .or_else(|| parent.child("InfRps"))
        {
            // Some systems have the RPS inside the declaration signed.
            let identified =
                |e: &Element| e.attrs.iter().any(|a| a.name.eq_ignore_ascii_case("id"));
            let inner = target.child("Rps").filter(|inner| identified(inner));
            let target = inner.filter(|_| !identified(target)).unwrap_or(target);
            places.push((Part::Rps, parent, target));
        }
    };
    match op {
        Op::Generate => {
            if let Some(r) = root.child("Rps") {
                rps(r);
            }
        }
        Op::Batch | Op::SynchronousBatch => {
            if let Some(list) = root.at("LoteRps/ListaRps") {
                list.elements().for_each(rps);
            }
            if let Some(batch) = root.child("LoteRps") {
                places.push((Part::Batch, root, batch));
            }
        }
        Op::Cancel => {
            cancellation(root, places);
            // Some systems have the whole message signed instead.
            if root
                .elements()
                .any(|e| e.name == "Signature" && e.ns == DSIG)
            {
                places.push((Part::Query, root, root));
            }
        }
        Op::Replace => {
            if let Some(inside) = root.child("SubstituicaoNfse") {
                if let Some(r) = inside.child("Rps") {
                    rps(r);
                }
                cancellation(inside, places);
                places.push((Part::Replacement, root, inside));
            }
        }
        _ => places.push((Part::Query, root, root)),
    }
}

fn cancellation<'a>(root: &'a Element, places: &mut Vec<(Part, &'a Element, &'a Element)>) {
    if let Some(request) = root.child("Pedido")
        && let Some(target) = request.child("InfPedidoCancelamento")
    {
        places.push((Part::Cancellation, request, target));
    }
}

fn refuse(profile: &Profile, code: &str) -> RefusalMessage {
    let mut message = RefusalMessage::of(code);
    if profile.codes.inside_v999 {
        message.text = format!(
            "<Codigo>V999</Codigo><Mensagem>{} - {}</Mensagem>",
            message.code, message.text
        );
        message.code = "V999".to_owned();
    }
    message
}
