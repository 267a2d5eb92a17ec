//! Which parts of a message are signed, and whether the signatures hold.

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
/// them, by an empty reference.
fn verify(
    profile: &Profile,
    root: &Element,
    parent: &Element,
    target: &Element,
) -> Result<Vec<u8>, SignatureError> {
    match signature::verify(root, parent, target) {
        Err(SignatureError::Reference) if profile.any_system() => {
            signature::verify(root, parent, root)
        }
        verdict => verdict,
    }
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
