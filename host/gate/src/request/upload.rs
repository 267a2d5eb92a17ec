//! A file as the body of a request: the bytes themselves, or base64 in a JSON
//! member.

use super::body;
use crate::call::Call;
use axum::body::Bytes;
use axum::http::{HeaderMap, header};
use base::errors::place::Place;
use base::errors::{Code, Failure, Refusal};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// What kind of file an operation takes.
#[derive(Debug)]
pub struct Kind {
    /// Member of the JSON body.
    pub member: &'static str,
    /// Media types of the bare bytes.
    pub media: &'static [&'static str],
}

pub const XML: Kind = Kind {
    member: "xml_base64",
    media: &["application/xml", "text/xml"],
};

pub const PDF: Kind = Kind {
    member: "pdf_base64",
    media: &["application/pdf"],
};

impl Kind {
    /// JSON Schema of the JSON form.
    pub fn schema(&self, title: &str) -> Value {
        let mut properties = serde_json::Map::new();
        properties.insert(
            self.member.to_owned(),
            serde_json::json!({ "type": "string", "contentEncoding": "base64", "minLength": 1 }),
        );
        serde_json::json!({
            "title": title, "type": "object", "properties": properties, "required": [self.member],
        })
    }

    /// The file of a request.
    ///
    /// # Errors
    /// 400, 413 or 415 naming what is wrong.
    pub fn read(
        &self,
        call: &Call,
        headers: &HeaderMap,
        bytes: &Bytes,
    ) -> Result<Vec<u8>, Failure> {
        let limit = call.app.config.limits.file_bytes;
        let too_large = || Failure::from(Refusal::new(Code::CorpoGrandeDemais));
        if self.media.contains(&essence(headers).as_str()) {
            return if bytes.len() > limit {
                Err(too_large())
            } else {
                Ok(bytes.to_vec())
            };
        }
        let in_json = call.app.config.limits.file_in_json();
        let mut value = body::parse_up_to(headers, bytes, in_json)?;
        let given = value
            .as_object_mut()
            .and_then(|members| members.remove(self.member));
        let rest = value.as_object().ok_or_else(body::no_object)?;
        if let Some(name) = rest.keys().next().filter(|_| !call.tolerant) {
            return Err(Place::default().member(name).unknown().into());
        }
        let wrong = |code, message| {
            Failure::from(Refusal::field(
                code,
                self.member,
                message,
                "Envie o arquivo em base64, ou os bytes com o Content-Type do arquivo.",
            ))
        };
        let text = match &given {
            Some(Value::String(text)) if !text.trim().is_empty() => text,
            None | Some(Value::Null) => {
                return Err(wrong(Code::ParametroAusente, "Falta o arquivo."));
            }
            Some(_) => return Err(wrong(Code::ParametroInvalido, "O arquivo deve ser texto.")),
        };
        let plain: String = text.split_ascii_whitespace().collect();
        let file = STANDARD
            .decode(plain)
            .map_err(|_| wrong(Code::ParametroInvalido, "O texto não é base64."))?;
        if file.len() > limit {
            return Err(too_large());
        }
        Ok(file)
    }
}

fn essence(headers: &HeaderMap) -> String {
    let media = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    media
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// XML as text: UTF-8, or Latin-1 where its declaration says so.
///
/// # Errors
/// 422: neither.
pub fn xml_text(bytes: Vec<u8>) -> Result<String, Failure> {
    let declared: String = bytes
        .iter()
        .take(200)
        .map(|byte| char::from(*byte).to_ascii_lowercase())
        .collect();
    let latin = ["iso-8859-1", "windows-1252", "latin1"]
        .iter()
        .any(|name| declared.starts_with("<?xml") && declared.contains(name));
    if latin {
        return Ok(bytes.iter().map(|byte| char::from(*byte)).collect());
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        Refusal::new(Code::XmlMalformado)
            .message("O XML não está em UTF-8 nem declara outra codificação conhecida.")
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}
