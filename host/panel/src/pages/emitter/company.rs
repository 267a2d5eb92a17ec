//! A company as the pages read and show it.

use crate::parts::encoded;
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use axum::http::{Method, header};
use serde_json::{Value, json};

/// Regimes, by their names in the API.
pub const REGIMES: [(&str, &str); 4] = [
    ("normal", "Normal (Real ou Presumido)"),
    ("simples_nacional", "Simples Nacional"),
    ("simples_excesso", "Simples, acima do sublimite"),
    ("mei", "MEI"),
];

/// A company as the API shows it, and the version that was read.
pub struct Company {
    pub record: Value,
    pub etag: String,
}

impl Company {
    /// Reads one of the account.
    ///
    /// # Errors
    /// The page that says why not.
    pub async fn read(visitor: &Visitor, id: &str) -> Result<Company, Problem> {
        let reply = visitor.ask(Method::GET, &address(id, ""), None).await?;
        if !reply.ok() {
            return Err(Problem::of(&reply));
        }
        let etag = reply.headers.get(header::ETAG);
        let etag = etag.and_then(|etag| etag.to_str().ok()).unwrap_or_default();
        Ok(Company {
            record: reply.json(),
            etag: etag.to_owned(),
        })
    }
}

/// Address of the page of a company.
pub fn page_of(emitter: &Value) -> String {
    format!("/painel/emitentes/{}", encoded(text(emitter, "id")))
}

/// Address of an operation on a company.
pub fn address(id: &str, rest: &str) -> String {
    format!("/api/v1/emitters/{}{rest}", encoded(id))
}

/// What most shops begin with; without a regime that is the normal one. Above
/// the sublimit there is no such thing.
pub fn starter(regime: &str) -> Value {
    match regime {
        "simples_excesso" => Value::Null,
        "" | "normal" => json!({
            "cfop_interno": "5102", "cfop_interestadual": "6102", "origem": "0", "unidade": "UN",
            "icms": { "cst": "00", "aliquota": 18 }, "pis": { "cst": "01", "aliquota": 1.65 }, "cofins": { "cst": "01", "aliquota": 7.6 },
            "ibs_cbs": { "cst": "000", "cclass_trib": "000001" },
        }),
        _ => json!({
            "cfop_interno": "5102", "cfop_interestadual": "6102", "origem": "0", "unidade": "UN",
            "icms": { "csosn": "102" }, "pis": { "cst": "49" }, "cofins": { "cst": "49" },
        }),
    }
}
