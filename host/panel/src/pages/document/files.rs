//! Files of a document: its PDF and XML, and those of its events.

use crate::pages::listing::number;
use crate::parts::encoded;
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use axum::extract::Path;
use axum::http::{Method, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

/// A file of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File {
    Pdf,
    Xml,
}

impl File {
    /// By the last part of its address.
    pub fn of(word: &str) -> Option<File> {
        [File::Pdf, File::Xml]
            .into_iter()
            .find(|file| file.word() == word)
    }

    pub const fn word(self) -> &'static str {
        match self {
            File::Pdf => "pdf",
            File::Xml => "xml",
        }
    }

    const fn media(self) -> &'static str {
        match self {
            File::Pdf => "application/pdf",
            File::Xml => "application/xml",
        }
    }
}

/// Whether a document has files: it was authorized once.
pub fn exist(document: &Value) -> bool {
    matches!(
        text(document, "status"),
        "autorizada" | "validada" | "cancelada"
    )
}

/// That there is no file of this name.
pub fn unknown() -> Problem {
    Problem::new(404, "Arquivo não encontrado", "O documento tem PDF e XML.")
}

/// What the file is called: by the key, or by the number where there is none.
pub fn name(document: &Value, file: File) -> String {
    let kind = match text(document, "modelo") {
        "55" => "nfe",
        "65" => "nfce",
        "57" => "cte",
        "58" => "mdfe",
        _ => "nfse",
    };
    let key = text(document, "chave");
    let number = match key {
        "" => number(document).unwrap_or_else(|| text(document, "nota_id").to_owned()),
        key => key.to_owned(),
    };
    let safe: String = number
        .chars()
        .filter(|sign| sign.is_ascii_alphanumeric() || *sign == '_')
        .collect();
    format!("{kind}-{safe}.{}", file.word())
}

/// The bytes of a file.
///
/// # Errors
/// The page that says why there is none.
pub async fn read(visitor: &Visitor, document: &Value, file: File) -> Result<Vec<u8>, Problem> {
    let id = encoded(text(document, "nota_id"));
    let all = format!("/api/v1/documentos/{id}");
    let service = format!("/api/v1/nfse/{id}/documento");
    let path = match (file, text(document, "modelo")) {
        (File::Pdf, "nfse") => format!("{service}?formato=pdf&binario=1"),
        (File::Xml, "nfse") => format!("{service}?formato=xml&binario=1"),
        (File::Pdf, "57") => format!("/api/v1/cte/{id}/dacte?formato=binario"),
        (File::Pdf, "58") => format!("/api/v1/mdfe/{id}/documento?binario=1"),
        (File::Pdf, _) => format!("{all}/danfe?formato=binario"),
        (File::Xml, _) => format!("{all}/xml?formato=binario"),
    };
    bytes(visitor, &path).await
}

async fn bytes(visitor: &Visitor, path: &str) -> Result<Vec<u8>, Problem> {
    let reply = visitor.ask(Method::GET, path, None).await?;
    if reply.ok() {
        Ok(reply.bytes)
    } else {
        Err(Problem::of(&reply))
    }
}

/// A file as browsers save it.
pub fn attached(file: File, name: &str, bytes: Vec<u8>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, file.media().to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}\""),
        ),
    ];
    (headers, bytes).into_response()
}

/// The PDF or XML of a document.
pub async fn download(visitor: &Visitor, id: &str, file: File) -> Result<Response, Problem> {
    let path = format!("/api/v1/documentos/{}", encoded(id));
    let document = visitor.subject(&path).await?;
    let bytes = read(visitor, &document, file).await?;
    Ok(attached(file, &name(&document, file), bytes))
}

/// The XML of an event, or the printout of a correction letter.
pub async fn of_event(
    visitor: Visitor,
    Path((id, event, file)): Path<(String, String, String)>,
) -> Result<Response, Problem> {
    let file = File::of(&file).ok_or_else(unknown)?;
    let what = match file {
        File::Pdf => "danfe",
        File::Xml => "xml",
    };
    let path = format!(
        "/api/v1/documentos/{}/{what}?formato=binario&evento={}",
        encoded(&id),
        encoded(&event)
    );
    let bytes = bytes(&visitor, &path).await?;
    let name = format!("evento-{}.{}", encoded(&event), file.word());
    Ok(attached(file, &name, bytes))
}

/// The addresses of a field: parted by blanks, commas or semicolons.
pub fn addresses(text: &str) -> Vec<&str> {
    text.split(|sign: char| sign.is_whitespace() || matches!(sign, ',' | ';'))
        .filter(|part| !part.is_empty())
        .collect()
}
