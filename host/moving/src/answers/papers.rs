//! What the authority's XML says of a note and of its events, in their names.

use super::put;
use fiscal::nfe::reading::answers::{ProcessedEvent, processed_event, protocol};
use fiscal::nfe::reading::read;
use markup::xml::Document;
use serde_json::{Map, Value, json};

/// What `completa=1` adds of the note itself; nothing of an XML that cannot be read.
pub fn of_note(xml: &str, body: &mut Map<String, Value>) {
    let Ok(doc) = Document::parse(xml) else {
        return;
    };
    if let Ok(note) = read(&doc) {
        let note = serde_json::to_value(note).unwrap_or_default();
        let request = super::request::request(&note);
        body.insert("requisicao_nota_fiscal".to_owned(), request.into());
    }
    if let Ok(said) = protocol(&doc) {
        put(body, "protocolo", said.numero.clone());
        let protocol = json!({
            "versao": "4.00", "ambiente": said.ambiente, "versao_aplicativo": said.aplicativo,
            "chave_nfe": said.chave, "data_recebimento": said.recebida_em,
            "numero_protocolo": said.numero, "digest_value": said.digest,
            "status": said.status, "motivo": said.mensagem,
        });
        body.insert("protocolo_nota_fiscal".to_owned(), protocol);
    }
}

/// What it adds of a cancellation.
pub fn of_cancellation(xml: &str, body: &mut Map<String, Value>) {
    of_event(xml, "cancelamento", body, |event, request| {
        put(request, "protocolo", detail(event, "nProt"));
        put(request, "justificativa", detail(event, "xJust"));
    });
}

/// What it adds of the last correction letter.
pub fn of_letter(xml: &str, body: &mut Map<String, Value>) {
    of_event(xml, "carta_correcao", body, |event, request| {
        put(request, "correcao", detail(event, "xCorrecao"));
        put(request, "condicoes_uso", detail(event, "xCondUso"));
    });
}

fn detail(event: &ProcessedEvent, tag: &str) -> Option<String> {
    let mut data = event.evento.dados.iter();
    data.find(|(path, _)| path == tag)
        .map(|(_, value)| value.clone())
}

fn of_event(
    xml: &str,
    what: &str,
    body: &mut Map<String, Value>,
    more: impl FnOnce(&ProcessedEvent, &mut Map<String, Value>),
) {
    let Ok(doc) = Document::parse(xml) else {
        return;
    };
    let Ok(event) = processed_event(&doc) else {
        return;
    };
    let (asked, said) = (&event.evento, &event.retorno);
    let request = json!({
        "versao": "1.00", "id_tag": asked.id, "codigo_orgao": asked.orgao,
        "ambiente": asked.ambiente, "cnpj": asked.autor, "chave_nfe": asked.chave,
        "data_evento": asked.em, "tipo_evento": asked.tipo,
        "numero_sequencial_evento": asked.sequencia.to_string(),
        "versao_evento": asked.versao, "descricao_evento": asked.descricao,
    });
    let mut request = request.as_object().cloned().unwrap_or_default();
    more(&event, &mut request);
    body.insert(format!("requisicao_{what}"), request.into());
    let protocol = json!({
        "versao": "1.00", "ambiente": said.ambiente, "versao_aplicativo": said.aplicativo,
        "codigo_orgao": said.orgao, "status": said.status, "motivo": said.mensagem,
        "chave_nfe": said.chave, "tipo_evento": said.tipo,
        "descricao_evento": said.descricao, "data_evento": said.registrado_em,
        "numero_protocolo": said.protocolo,
    });
    body.insert(format!("protocolo_{what}"), protocol);
}
