//! A company as the pages read it.

use crate::parts::encoded;
use crate::reply::Problem;
use crate::visitor::Visitor;
use axum::http::{Method, header};
use serde_json::Value;

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

/// Address of an operation on a company.
pub fn address(id: &str, rest: &str) -> String {
    format!("/api/v1/emitters/{}{rest}", encoded(id))
}
