//! Which parts of a message are signed, and whether the signatures hold.

use super::codes::Mensagem;
use super::profiles::{Op, Part, Profile};
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
) -> Result<(), Mensagem> {
    let mut places: Vec<(Part, &Element, &Element)> = Vec::new();
    collect(op, root, &mut places);
    for (part, parent, target) in places.into_iter().take(MAX_SIGNED) {
        let present = parent
            .elements()
            .any(|e| e.name == "Signature" && e.ns == DSIG);
        if !present && !profile.signed.contains(&part) {
            continue;
        }
        let verdict = signature::verify(root, parent, target).and_then(|der| {
            let trusted = call.pki.check(&der, call.now_ms).is_ok()
                && holder(&der).is_some_and(|h| same_holder(&h.documento, provider));
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

/// Part, element that carries the signature, element it covers.
fn collect<'a>(op: Op, root: &'a Element, places: &mut Vec<(Part, &'a Element, &'a Element)>) {
    let mut rps = |parent: &'a Element| {
        if let Some(target) = parent
            .child("InfDeclaracaoPrestacaoServico")
            .or_else(|| parent.child("InfRps"))
        {
            places.push((Part::Rps, parent, target));
        }
    };
    match op {
        Op::Gerar => {
            if let Some(r) = root.child("Rps") {
                rps(r);
            }
        }
        Op::Lote | Op::LoteSincrono => {
            if let Some(list) = root.at("LoteRps/ListaRps") {
                list.elements().for_each(rps);
            }
            if let Some(batch) = root.child("LoteRps") {
                places.push((Part::Lote, root, batch));
            }
        }
        Op::Cancelar => cancellation(root, places),
        Op::Substituir => {
            if let Some(inside) = root.child("SubstituicaoNfse") {
                if let Some(r) = inside.child("Rps") {
                    rps(r);
                }
                cancellation(inside, places);
                places.push((Part::Substituicao, root, inside));
            }
        }
        _ => places.push((Part::Consulta, root, root)),
    }
}

fn cancellation<'a>(root: &'a Element, places: &mut Vec<(Part, &'a Element, &'a Element)>) {
    if let Some(request) = root.child("Pedido")
        && let Some(target) = request.child("InfPedidoCancelamento")
    {
        places.push((Part::Cancelamento, request, target));
    }
}

fn refuse(profile: &Profile, code: &str) -> Mensagem {
    let mut mensagem = Mensagem::of(code);
    if profile.codes.inside_v999 {
        mensagem.texto = format!(
            "<Codigo>V999</Codigo><Mensagem>{} - {}</Mensagem>",
            mensagem.codigo, mensagem.texto
        );
        mensagem.codigo = "V999".to_owned();
    }
    mensagem
}
