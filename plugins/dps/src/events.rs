//! The events of a note that ended it.

use crate::api::{self, Queried};
use crate::query::query;
use crate::transport::{Call, Names};
use sdk::xml::{self, Element};
use sdk::{Documento, Failure, Flow, Situacao};

/// Events that end a note, as elements of the request inside them: by the
/// emitter, granted after fiscal analysis, ex officio; and by substitution.
const CANCELLING: [&str; 3] = ["e101101", "e105104", "e305101"];
const REPLACES: &str = "e105102";

/// Events that ended a note.
pub struct Eventos {
    pub status: Situacao,
    pub documentos: Vec<Documento>,
}

/// GET /nfse/{chave}/eventos: the events that ended the note; absent when it
/// has none of those.
///
/// # Errors
/// No clear answer.
pub async fn events(flow: &Flow, chave: &str) -> Result<Queried<Eventos>, Failure> {
    let response = query(flow, Call::Events, "GET", &Names::of_chave(chave)).await?;
    if api::not_found(&response) {
        return Ok(Queried::Absent);
    }
    let Some(list) = api::listed(&response).filter(|_| response.status == 200) else {
        return Err(api::unanswered(&response));
    };
    // The same list may hold the note itself and other events.
    let documentos: Vec<Documento> = list
        .into_iter()
        .filter_map(|bytes| evento(bytes, chave))
        .collect();
    match documentos.first() {
        Some(first) => Ok(Queried::Found(Eventos {
            status: first.situacao,
            documentos,
        })),
        None => Ok(Queried::Absent),
    }
}

/// An event that ended the note of this key; None for anything else.
pub fn evento(bytes: Vec<u8>, chave: &str) -> Option<Documento> {
    let document = xml::parse(&bytes).ok()?;
    let inf = document.root().descendant("infEvento")?;
    let request = inf.descendant("infPedReg")?;
    if request.text_at("chNFSe") != Some(chave) {
        return None;
    }
    let has = |name: &str| request.children().iter().any(|child| child.name() == name);
    let status = if has(REPLACES) {
        Situacao::Substituido
    } else if CANCELLING.iter().any(|name| has(name)) {
        Situacao::Cancelado
    } else {
        return None;
    };
    let mut documento = Documento::new("evento", status);
    documento.chave = Some(chave.to_owned());
    documento.numero = text(inf, "nSeqEvento");
    documento.protocolo = text(inf, "nDFSe");
    documento.emitido_em = text(inf, "dhProc");
    drop(document);
    documento.xml = Some(bytes);
    Some(documento)
}

/// A city's word that the note of this key is cancelled, where it gives no
/// event.
pub fn confirmed(bytes: Vec<u8>, chave: &str) -> Documento {
    let mut documento = Documento::new("evento", Situacao::Cancelado);
    documento.chave = Some(chave.to_owned());
    documento.xml = Some(bytes);
    documento
}

fn text(element: &Element, caminho: &str) -> Option<String> {
    element.text_at(caminho).map(str::to_owned)
}
