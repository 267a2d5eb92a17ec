//! Reading a JSON body: every unknown field at once, wrong types by path.

use super::sentences::pt_br;
use super::strict::Strict;
use crate::call::Call;
use crate::error::suggest::SEE_DOCUMENT;
use axum::body::Bytes;
use axum::http::{HeaderMap, header};
use base::errors::place::Place;
use base::errors::{Code, Failure, Refusal};
use flow::json::{self, Fault};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Characters shown of a media type.
const SHOWN: usize = 60;

/// Nesting a body may have; the layouts need 6.
const DEPTH: usize = 32;

/// Parses a body as JSON.
///
/// # Errors
/// 400, 413 or 415 with the position of the mistake.
pub fn parse(call: &Call, headers: &HeaderMap, bytes: &Bytes) -> Result<Value, Failure> {
    parse_up_to(headers, bytes, call.app.config.limits.json_bytes)
}

/// As `parse`, with a limit of its own.
///
/// # Errors
/// As `parse`.
pub fn parse_up_to(headers: &HeaderMap, bytes: &Bytes, limit: usize) -> Result<Value, Failure> {
    if bytes.trim_ascii().is_empty() {
        return Err(empty().into());
    }
    let essence = essence(headers);
    if essence != "application/json" && !essence.ends_with("+json") {
        return Err(not_json(&essence).into());
    }
    if bytes.len() > limit {
        return Err(Refusal::new(Code::CorpoGrandeDemais).into());
    }
    parse_text(bytes)
}

/// What is said of a body that has nothing in it.
fn empty() -> Refusal {
    Refusal::new(Code::JsonInvalido)
        .message("O corpo da requisição está vazio.")
        .hint("Envie no corpo um objeto JSON com os campos da operação, com o cabeçalho Content-Type: application/json.")
}

/// What is said of a body that is declared as another kind.
fn not_json(essence: &str) -> Refusal {
    let refusal = Refusal::new(Code::MidiaInvalida);
    let essence: String = essence.chars().take(SHOWN).collect();
    match essence.as_str() {
        "" => refusal.message("O corpo deve ser JSON, e a requisição não tem Content-Type."),
        other => refusal.message(format!("O corpo deve ser JSON, e veio como {other}.")),
    }
}

/// What is said of a body that begins as no JSON does.
fn of_another_kind(bytes: &[u8]) -> Option<Refusal> {
    let (message, hint) = if bytes.starts_with("\u{feff}".as_bytes()) {
        (
            "O corpo começa com uma marca de ordem de bytes (BOM).",
            "Grave o JSON em UTF-8 sem BOM.",
        )
    } else if bytes.trim_ascii_start().starts_with(b"<") {
        (
            "O corpo parece XML ou HTML, e esta operação recebe JSON.",
            "Envie os campos da operação em um objeto JSON; o XML da nota é montado pelo hub.",
        )
    } else {
        return None;
    };
    Some(Refusal::new(Code::JsonInvalido).message(message).hint(hint))
}

/// What is said of a text that is no JSON, with the place of the mistake.
fn malformed(error: &serde_json::Error) -> Refusal {
    let refusal = Refusal::new(Code::JsonInvalido);
    let place = format!("linha {}, coluna {}", error.line(), error.column());
    if error.is_eof() {
        return refusal
            .message(format!("O JSON termina antes do fim ({place})."))
            .hint(
                "Confira se ele foi enviado inteiro: falta fechar uma chave, um colchete ou aspas.",
            );
    }
    refusal.message(format!("O corpo não é um JSON válido ({place})."))
}

/// The media type of a body, in small letters and without parameters.
pub fn essence(headers: &HeaderMap) -> String {
    let media = headers.get(header::CONTENT_TYPE);
    let media = media.and_then(|value| value.to_str().ok());
    let essence = media.unwrap_or_default().split(';').next();
    essence.unwrap_or_default().trim().to_ascii_lowercase()
}

/// As `parse`, without looking at the headers.
///
/// # Errors
/// 400 with the position of the mistake.
pub fn parse_text(bytes: &[u8]) -> Result<Value, Failure> {
    if std::str::from_utf8(bytes).is_err() {
        return Err(Refusal::new(Code::JsonInvalido)
            .message("O corpo não está em UTF-8.")
            .hint("Envie o JSON em UTF-8; Latin-1 (ISO-8859-1) não é aceito.")
            .into());
    }
    if bytes.trim_ascii().is_empty() {
        return Err(empty().into());
    }
    if let Some(refusal) = of_another_kind(bytes) {
        return Err(refusal.into());
    }
    let repeated = json::look(bytes, DEPTH).map_err(|fault| {
        Refusal::new(Code::JsonInvalido).message(match fault {
            Fault::Deep => "O JSON é profundo demais.",
            Fault::Reserved => "O corpo tem um nome de membro reservado.",
        })
    })?;
    let value: Value = serde_json::from_slice(bytes).map_err(|error| malformed(&error))?;
    if let Some(name) = repeated {
        let name: String = name.chars().take(100).collect();
        return Err(Refusal::new(Code::JsonInvalido)
            .message(format!(
                "O membro \"{name}\" está repetido no mesmo objeto."
            ))
            .hint("Deixe cada campo uma vez só.")
            .into());
    }
    if has_nul(&value) {
        return Err(Refusal::new(Code::JsonInvalido)
            .message("O JSON tem o caractere nulo (\\u0000) em um texto.")
            .into());
    }
    Ok(value)
}

/// U+0000 in a text: no layout has it, and PostgreSQL cannot store it.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(members) => members
            .iter()
            .any(|(name, member)| name.contains('\0') || has_nul(member)),
        _ => false,
    }
}

/// Reads a typed body; a null stands for an absent member.
///
/// # Errors
/// 400 `campo_desconhecido` with all unknown fields, 400 `parametro_invalido`
/// with the path of a wrong type.
pub fn read<T: DeserializeOwned>(value: Value, tolerant: bool) -> Result<T, Failure> {
    let mut found = None;
    read_with(value, tolerant, &mut |body| {
        found = Some(erased_serde::deserialize(body)?);
        Ok(())
    })?;
    found.ok_or_else(|| anyhow::anyhow!("a body was read and is not there").into())
}

/// What is said of a body that is JSON and no object.
pub fn no_object() -> Refusal {
    Refusal::new(Code::JsonInvalido)
        .message("O corpo deve ser um objeto JSON.")
        .hint("Ponha os campos da operação em um objeto, entre chaves ({ }).")
}

/// As `read`, for any type: compiled once, where `read` is once for each body.
fn read_with(
    value: Value,
    tolerant: bool,
    take: &mut dyn FnMut(&mut dyn erased_serde::Deserializer<'_>) -> erased_serde::Result<()>,
) -> Result<(), Failure> {
    if !value.is_object() {
        return Err(no_object().into());
    }
    let mut unknown = Vec::new();
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(Strict(value), &mut track);
    let mut notice = |path: serde_ignored::Path<'_>| unknown.push(ignored(&path));
    let noticed = serde_ignored::Deserializer::new(tracked, &mut notice);
    let read = take(&mut <dyn erased_serde::Deserializer<'_>>::erase(noticed));
    if tolerant {
        unknown.clear();
    }
    match read {
        Ok(()) if unknown.is_empty() => Ok(()),
        Ok(()) => Err(unknown_fields(unknown).into()),
        Err(error) => {
            let mut refusal = wrong_type(tracked_to(&track.path()), &error.to_string());
            // A misspelt field is both: one is missing and one is unknown.
            refusal.fields.extend(unknown_fields(unknown).fields);
            Err(refusal.into())
        }
    }
}

/// The body of an operation that takes none: nothing, or an empty object.
///
/// # Errors
/// As `parse` and `read`.
pub fn none(call: &Call, headers: &HeaderMap, bytes: &Bytes) -> Result<(), Failure> {
    #[derive(serde::Deserialize)]
    struct Nothing {}
    if !bytes.is_empty() {
        let Nothing {} = read(parse(call, headers, bytes)?, call.tolerant)?;
    }
    Ok(())
}

/// The place of a member that nobody read.
fn ignored(path: &serde_ignored::Path<'_>) -> Place {
    use serde_ignored::Path;
    match path {
        Path::Root => Place::default(),
        Path::Seq { parent, index } => ignored(parent).item(*index),
        Path::Map { parent, key } => ignored(parent).member(key),
        Path::Some { parent }
        | Path::NewtypeStruct { parent }
        | Path::NewtypeVariant { parent } => ignored(parent),
    }
}

/// The place where the reader stopped. Where it did not see the name of a member, it is
/// the group that the member is in.
fn tracked_to(path: &serde_path_to_error::Path) -> Place {
    use serde_path_to_error::Segment;
    let mut place = Place::default();
    for segment in path.iter() {
        place = match segment {
            Segment::Seq { index } => place.item(*index),
            Segment::Map { key } => place.member(key),
            Segment::Enum { variant } => place.member(variant),
            Segment::Unknown => break,
        };
    }
    place
}

fn unknown_fields(unknown: Vec<Place>) -> Refusal {
    let mut refusal = Refusal::new(Code::CampoDesconhecido);
    let fields = unknown
        .iter()
        .take(100)
        .flat_map(|place| place.unknown().fields);
    refusal.fields = fields.collect();
    refusal
}

fn wrong_type(place: Place, reason: &str) -> Refusal {
    let missing = reason
        .split('`')
        .nth(1)
        .filter(|_| reason.starts_with("missing field"));
    let Some(name) = missing else {
        let code = Code::ParametroInvalido;
        return Refusal::field(code, place.shown(), &pt_br(reason), SEE_DOCUMENT);
    };
    let place = place.member(name);
    let message = "Campo obrigatório ausente.";
    Refusal::field(Code::ParametroAusente, place.shown(), message, SEE_DOCUMENT)
}

/// Fingerprint of a body for idempotency; its members are sorted.
pub fn fingerprint(value: &Value) -> String {
    flow::hex(&Sha256::digest(value.to_string()))
}
