//! Look-ups: by DPS id, by key, events.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::answer::{envelope, refuse_one};
use super::{Ambiente, package};
use crate::clock;
use crate::documents::same_holder;
use crate::engine::Call;
use crate::notes::Nota;
use crate::pki::Holder;
use crate::request::Answer;

/// GET or HEAD /dps/{id}. HEAD answers any certificate, GET only the parties.
pub(super) fn dps(
    call: &Call<'_>,
    ambiente: Ambiente,
    caller: &Holder,
    id: &str,
    head: bool,
) -> Answer {
    let shape =
        id.len() == 45 && id.starts_with("DPS") && id.bytes().all(|b| b.is_ascii_alphanumeric());
    if !shape {
        return if head {
            empty(400)
        } else {
            refuse_one(call, ambiente, 400, id, &"E2400".into())
        };
    }
    let found = call.notes.notes_of_dps(id);
    let nota = found.iter().find(|n| visible(call, ambiente, n));
    match nota {
        None if head => empty(404),
        None => refuse_one(call, ambiente, 404, id, &"E2404".into()),
        Some(_) if head => empty(200),
        Some(nota) if !reads(nota, caller) => refuse_one(call, ambiente, 403, id, &"E2403".into()),
        Some(nota) => {
            let mut body = envelope(call, ambiente);
            body.insert("idDps".into(), json!(id));
            body.insert("chaveAcesso".into(), json!(nota.chave));
            Answer::json(200, &Value::Object(body))
        }
    }
}

/// GET /nfse/{chave}
pub(super) fn note(call: &Call<'_>, ambiente: Ambiente, caller: &Holder, chave: &str) -> Answer {
    if !key_shape(chave) {
        return refuse_one(call, ambiente, 400, chave, &"E2400".into());
    }
    match call
        .notes
        .note_by_key(chave)
        .filter(|n| visible(call, ambiente, n))
    {
        None => refuse_one(call, ambiente, 404, chave, &"E2404".into()),
        Some(nota) if !reads(&nota, caller) => {
            refuse_one(call, ambiente, 403, chave, &"E2403".into())
        }
        Some(nota) => {
            let mut body = envelope(call, ambiente);
            body.insert("chaveAcesso".into(), json!(chave));
            body.insert("nfseXmlGZipB64".into(), json!(package::pack(&nota.xml)));
            Answer::json(200, &Value::Object(body))
        }
    }
}

/// GET /nfse/{chave}/eventos, with type and sequence or without. The running
/// API answers a list whose documents are sometimes coded in base64 twice.
pub(super) fn events(
    call: &Call<'_>,
    ambiente: Ambiente,
    caller: &Holder,
    chave: &str,
    kind: Option<&str>,
    sequence: Option<&str>,
) -> Answer {
    let about = format!("{chave}|eventos");
    if !key_shape(chave) {
        return refuse_one(call, ambiente, 400, &about, &"E2400".into());
    }
    let Some(nota) = call
        .notes
        .note_by_key(chave)
        .filter(|n| visible(call, ambiente, n))
    else {
        return refuse_one(call, ambiente, 404, &about, &"E2404".into());
    };
    if !reads(&nota, caller) {
        return refuse_one(call, ambiente, 401, &about, &"E2403".into());
    }
    let wanted = kind.map(|t| t.trim_start_matches('e'));
    let mut found = call.notes.events_of(chave);
    found.retain(|e| {
        wanted.is_none_or(|t| e.tipo == t) && sequence.is_none_or(|s| s.parse() == Ok(e.sequencia))
    });
    if found.is_empty() {
        return refuse_one(call, ambiente, 404, &about, &"E2404".into());
    }
    let twice = call.draw(&about, 2) == 0;
    let list: Vec<Value> = found
        .iter()
        .map(|e| {
            let packed = package::pack(&e.xml);
            json!({
                "chaveAcesso": chave,
                "tipoEvento": e.tipo.parse::<u32>().unwrap_or_default(),
                "numeroPedidoRegistroEvento": e.sequencia,
                "dataHoraRecebimento": clock::date_time(e.registrado_ms),
                "arquivoXml": if twice { STANDARD.encode(packed) } else { packed },
            })
        })
        .collect();
    let mut body = envelope(call, ambiente);
    if let (Some(_), Some(first)) = (sequence, found.first()) {
        body.insert("eventoXmlGZipB64".into(), json!(package::pack(&first.xml)));
    }
    body.insert("eventos".into(), Value::Array(list));
    Answer::json(200, &Value::Object(body))
}

fn visible(call: &Call<'_>, ambiente: Ambiente, nota: &Nota) -> bool {
    nota.sistema == super::SYSTEM
        && nota.local == ambiente.name()
        && nota.disponivel_ms <= call.now_ms
}

fn reads(nota: &Nota, caller: &Holder) -> bool {
    nota.partes.iter().any(|p| same_holder(p, &caller.document))
}

fn key_shape(chave: &str) -> bool {
    chave.len() == 50
        && chave
            .bytes()
            .all(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
}

fn empty(status: u16) -> Answer {
    Answer {
        status,
        headers: Vec::new(),
        body: Vec::new(),
    }
}
