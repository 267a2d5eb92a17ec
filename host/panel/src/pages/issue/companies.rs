//! The companies a form offers.

use crate::pages::listing::items;
use crate::parts::{cnpj, encoded};
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use axum::http::Method;
use serde_json::Value;
use store::tables::emitters;

/// Companies, id and name, and which is chosen at first.
pub struct Companies {
    pub options: Vec<(String, String)>,
    pub default: String,
}

impl Companies {
    /// The one that a form says, or the default one.
    pub fn chosen<'c>(&'c self, said: &'c str) -> &'c str {
        if said.is_empty() { &self.default } else { said }
    }
}

/// Of many companies the newest, with the default one and `said`, the one that
/// was chosen.
///
/// # Errors
/// They could not be read.
pub async fn companies(visitor: &Visitor, said: &str) -> Result<Companies, Problem> {
    let of = |one: &Value| (text(one, "id").to_owned(), name(one));
    let newest = visitor.get("/api/v1/emitters?limite=100").await?;
    let mut options: Vec<(String, String)> = items(&newest).iter().map(of).collect();
    let mut conn = visitor.read().await?;
    let account = &visitor.session.row.account_id;
    let default = emitters::default_of(&mut conn, account).await;
    let default = default.map_err(anyhow::Error::from)?;
    drop(conn);
    let default = default.map(|row| row.id).unwrap_or_default();
    for id in [default.as_str(), said] {
        if !id.is_empty() && options.iter().all(|(one, _)| one != id) {
            let path = format!("/api/v1/emitters/{}", encoded(id));
            let reply = visitor.ask(Method::GET, &path, None).await?;
            if reply.ok() {
                options.insert(0, of(&reply.json()));
            }
        }
    }
    Ok(Companies {
        options,
        default: String::from(default),
    })
}

/// A company as people know it.
pub fn name(emitter: &Value) -> String {
    format!(
        "{} ({})",
        text(emitter, "razao_social"),
        cnpj(text(emitter, "cnpj"))
    )
}
