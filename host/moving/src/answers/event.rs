//! What was done to a note, or to numbers that no note has.

use super::refusal::Rejection;
use super::{Answer, Links, put, text};
use crate::kind::Kind;
use serde_json::{Map, Value, json};

/// What became of an event: our answer about it, or what the authority refused it by.
type Outcome<'a> = Result<&'a Value, &'a Rejection>;

/// What a cancellation came to. `xml`: where its document is.
pub fn cancelled(kind: Kind, outcome: Outcome<'_>, xml: Option<String>) -> Answer {
    let event = match outcome {
        Ok(answer) => answer,
        Err(rejection) => return Answer::new(200, not_cancelled(kind, rejection)),
    };
    if text(event, "/evento/status") == Some("em_transmissao") {
        return Answer::new(202, json!({ "status": "processando_cancelamento" }));
    }
    let mut body = Map::new();
    if kind.is_product() {
        of_authority(&mut body, event, "evento");
    }
    body.insert("status".to_owned(), "cancelado".into());
    put(&mut body, "caminho_xml_cancelamento", xml);
    if kind == Kind::Nfce {
        put(
            &mut body,
            "numero_protocolo",
            text(event, "/evento/protocolo"),
        );
    }
    Answer::new(200, body.into())
}

/// Code and text of the authority, as a part of our answer has them.
fn of_authority(body: &mut Map<String, Value>, answer: &Value, part: &str) {
    for name in ["status_sefaz", "mensagem_sefaz"] {
        put(body, name, text(answer, &format!("/{part}/{name}")));
    }
}

fn not_cancelled(kind: Kind, rejection: &Rejection) -> Value {
    if kind.is_product() {
        json!({
            "status_sefaz": rejection.code, "mensagem_sefaz": rejection.reason,
            "status": "erro_cancelamento",
        })
    } else {
        json!({ "status": "erro_cancelamento", "erros": [rejection.entry()] })
    }
}

/// What a correction letter came to.
pub fn corrected(outcome: Outcome<'_>, links: Links) -> Answer {
    let event = match outcome {
        Ok(answer) => answer,
        Err(rejection) => return Answer::new(200, refused(rejection)),
    };
    if text(event, "/evento/status") == Some("em_transmissao") {
        return Answer::new(202, json!({ "status": "processando_autorizacao" }));
    }
    let mut body = Map::new();
    of_authority(&mut body, event, "evento");
    body.insert("status".to_owned(), "autorizado".into());
    put(&mut body, "caminho_xml_carta_correcao", links.xml);
    put(&mut body, "caminho_pdf_carta_correcao", links.print);
    let number = event.pointer("/evento/sequencia").cloned();
    put(&mut body, "numero_carta_correcao", number);
    Answer::new(200, body.into())
}

/// What voiding a range of numbers came to.
pub fn voided(
    kind: Kind,
    cnpj: &str,
    asked: &Value,
    outcome: Outcome<'_>,
    xml: Option<String>,
) -> Answer {
    let mut body = Map::new();
    let said = match outcome {
        Ok(answer) => {
            of_authority(&mut body, answer, "faixa");
            answer
        }
        Err(rejection) => {
            body.insert("status_sefaz".to_owned(), rejection.code.as_str().into());
            body.insert(
                "mensagem_sefaz".to_owned(),
                rejection.reason.as_str().into(),
            );
            &Value::Null
        }
    };
    for name in ["serie", "numero_inicial", "numero_final"] {
        put(&mut body, name, asked.get(name).map(Value::to_string));
    }
    body.insert("modelo".to_owned(), kind.model().as_str().into());
    body.insert("cnpj".to_owned(), cnpj.into());
    let (status, word) = match (outcome, text(said, "/faixa/status")) {
        (Err(_), _) => (200, "erro_autorizacao"),
        (_, Some("inutilizada")) => (200, "autorizado"),
        _ => (202, "processando_autorizacao"),
    };
    body.insert("status".to_owned(), word.into());
    put(&mut body, "caminho_xml", xml);
    put(&mut body, "protocolo_sefaz", text(said, "/faixa/protocolo"));
    Answer::new(status, body.into())
}

fn refused(rejection: &Rejection) -> Value {
    json!({
        "status_sefaz": rejection.code, "mensagem_sefaz": rejection.reason,
        "status": "erro_autorizacao",
    })
}
