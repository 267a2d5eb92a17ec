//! The events of a note that ended it.

use crate::api::{self, Consultada};
use sdk::xml::{self, Element};
use sdk::{Documento, Failure, Flow, Situacao};
use serde_json::Value;

/// Events that end a note, as elements of the request inside them: by the
/// emitter, granted after fiscal analysis, ex officio; and by substitution.
const CANCELAM: [&str; 3] = ["e101101", "e105104", "e305101"];
const SUBSTITUI: &str = "e105102";
/// Most events of one answer read.
const MAX_EVENTOS: usize = 200;

/// Events that ended a note.
pub struct Eventos {
    pub situacao: Situacao,
    pub documentos: Vec<Documento>,
}

/// GET /nfse/{chave}/eventos: the events that ended the note; absent when it
/// has none of those.
///
/// # Errors
/// No clear answer.
pub async fn events(flow: &Flow, chave: &str) -> Result<Consultada<Eventos>, Failure> {
    let resposta = flow
        .send(api::consulta(
            "GET eventos",
            "GET",
            &format!("/nfse/{chave}/eventos"),
        ))
        .await?;
    if api::nao_encontrado(&resposta) {
        return Ok(Consultada::Ausente);
    }
    let json = resposta.json().filter(|_| resposta.status == 200);
    let Some(Value::Array(lista)) = json.as_ref().and_then(|json| api::campo(json, "eventos"))
    else {
        return Err(api::sem_resposta(&resposta));
    };
    // The same list may hold the note itself and other events.
    let documentos: Vec<Documento> = lista
        .iter()
        .take(MAX_EVENTOS)
        .filter_map(|item| {
            ["arquivoXml", "eventoXmlGZipB64"]
                .iter()
                .find_map(|nome| api::texto(item, nome))
        })
        .filter_map(api::documento)
        .filter_map(|bytes| evento(bytes, chave))
        .collect();
    match documentos.first() {
        Some(primeiro) => Ok(Consultada::Achada(Eventos {
            situacao: primeiro.situacao,
            documentos,
        })),
        None => Ok(Consultada::Ausente),
    }
}

/// An event that ended the note of this key; None for anything else.
pub fn evento(bytes: Vec<u8>, chave: &str) -> Option<Documento> {
    let document = xml::parse(&bytes).ok()?;
    let inf = document.root().descendant("infEvento")?;
    let pedido = inf.descendant("infPedReg")?;
    if pedido.text_at("chNFSe") != Some(chave) {
        return None;
    }
    let tem = |nome: &str| pedido.children().iter().any(|filho| filho.name() == nome);
    let situacao = if tem(SUBSTITUI) {
        Situacao::Substituido
    } else if CANCELAM.iter().any(|nome| tem(nome)) {
        Situacao::Cancelado
    } else {
        return None;
    };
    let mut documento = Documento::new("evento", situacao);
    documento.chave = Some(chave.to_owned());
    documento.numero = texto(inf, "nSeqEvento");
    documento.protocolo = texto(inf, "nDFSe");
    documento.emitido_em = texto(inf, "dhProc");
    drop(document);
    documento.xml = Some(bytes);
    Some(documento)
}

fn texto(elemento: &Element, caminho: &str) -> Option<String> {
    elemento.text_at(caminho).map(str::to_owned)
}
