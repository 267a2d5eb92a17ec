//! The events of a note that ended it.

use crate::api::{self, Queried};
use sdk::xml::{self, Element};
use sdk::{Documento, Failure, Flow, Situacao};
use serde_json::Value;

/// Events that end a note, as elements of the request inside them: by the
/// emitter, granted after fiscal analysis, ex officio; and by substitution.
const CANCELLING: [&str; 3] = ["e101101", "e105104", "e305101"];
const REPLACES: &str = "e105102";
/// Most events of one answer read.
const MAX_EVENTOS: usize = 200;

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
    let response = flow
        .send(api::query(
            "GET eventos",
            "GET",
            &format!("/nfse/{chave}/eventos"),
        ))
        .await?;
    if api::not_found(&response) {
        return Ok(Queried::Absent);
    }
    let json = response.json().filter(|_| response.status == 200);
    let Some(Value::Array(list)) = json.as_ref().and_then(|json| api::field(json, "eventos"))
    else {
        return Err(api::unanswered(&response));
    };
    // The same list may hold the note itself and other events.
    let documentos: Vec<Documento> = list
        .iter()
        .take(MAX_EVENTOS)
        .filter_map(|item| {
            ["arquivoXml", "eventoXmlGZipB64"]
                .iter()
                .find_map(|name| api::text(item, name))
        })
        .filter_map(api::documento)
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

fn text(element: &Element, caminho: &str) -> Option<String> {
    element.text_at(caminho).map(str::to_owned)
}
