//! Files of a document: its PDF and XML, and those of its events.

use crate::pages::listing::{items, kind, number, serie};
use crate::parts::encoded;
use crate::reply::{Problem, attached, text};
use crate::visitor::Visitor;
use axum::extract::Path;
use axum::http::Method;
use axum::response::Response;
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

    pub const fn media(self) -> &'static str {
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

/// What names of files may have of a text.
fn safe(text: &str) -> String {
    let kept = text
        .chars()
        .filter(|sign| sign.is_ascii_alphanumeric() || *sign == '_');
    kept.collect()
}

/// What a document is called in names of files: `NF-e-000000073-serie-1`. A service note
/// has the number of its city, which knows no series; a document without a number its id.
fn stem(document: &Value) -> String {
    let model = text(document, "modelo");
    let number = safe(&number(document).unwrap_or_default());
    let series = safe(&serie(document));
    match (model, number.is_empty(), series.is_empty()) {
        (_, true, _) => format!("{}-{}", kind(model), safe(text(document, "nota_id"))),
        ("nfse", ..) => format!("{}-{number}", kind(model)),
        (_, _, true) => format!("{}-{number:0>9}", kind(model)),
        (_, _, false) => format!("{}-{number:0>9}-serie-{series}", kind(model)),
    }
}

/// What the file is called: by the kind, the number and the series.
pub fn name(document: &Value, file: File) -> String {
    format!("{}.{}", stem(document), file.word())
}

/// As [`name`], with the id: two companies may have the same number.
pub fn exact_name(document: &Value, file: File) -> String {
    let id = safe(text(document, "nota_id"));
    format!("{}-{id}.{}", stem(document), file.word())
}

/// What the file of an event is called: by its document, its kind and which of that kind
/// it is, as in `NF-e-000000073-serie-1-carta-de-correcao-2.xml`.
fn name_of_event(document: &Value, history: &Value, event: &str, file: File) -> String {
    let asked = |step: &&Value| {
        let id = text(step, "evento_id");
        !id.is_empty() && text(step, "status") == "pedido"
    };
    let steps: Vec<&Value> = items(history).iter().filter(asked).collect();
    let this = steps.iter().find(|step| text(step, "evento_id") == event);
    let word = this.map_or("evento", |step| text(step, "tipo"));
    let alike = steps.iter().filter(|step| text(step, "tipo") == word);
    let place = alike
        .take_while(|step| text(step, "evento_id") != event)
        .count();
    let word = match word {
        "cce" => "carta-de-correcao".to_owned(),
        word => safe(word).replace('_', "-"),
    };
    let number = place + 1;
    format!("{}-{word}-{number}.{}", stem(document), file.word())
}

/// What a note that somebody else issued is called: suppliers share numbers, so by its key.
pub fn name_of_received(chave: &str, complete: bool, file: File) -> String {
    let part = if complete { "" } else { "-resumo" };
    format!("NF-e-recebida-{}{part}.{}", safe(chave), file.word())
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

/// The PDF or XML of a document.
pub async fn download(visitor: &Visitor, id: &str, file: File) -> Result<Response, Problem> {
    let path = format!("/api/v1/documentos/{}", encoded(id));
    let document = visitor.subject(&path).await?;
    let bytes = read(visitor, &document, file).await?;
    Ok(attached(file.media(), &name(&document, file), bytes))
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
    let place = format!("/api/v1/documentos/{}", encoded(&id));
    let document = visitor.subject(&place).await?;
    let path = format!("{place}/{what}?formato=binario&evento={}", encoded(&event));
    let bytes = bytes(&visitor, &path).await?;
    let history = visitor.get(&format!("{place}/historico")).await?;
    let name = name_of_event(&document, &history, &event, file);
    Ok(attached(file.media(), &name, bytes))
}

/// The addresses of a field: parted by blanks, commas or semicolons.
pub fn addresses(text: &str) -> Vec<&str> {
    text.split(|sign: char| sign.is_whitespace() || matches!(sign, ',' | ';'))
        .filter(|part| !part.is_empty())
        .collect()
}
