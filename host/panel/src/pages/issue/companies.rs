//! The companies a form offers.

use super::places;
use crate::pages::listing::items;
use crate::parts::{cnpj, encoded};
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use axum::http::Method;
use serde_json::Value;
use std::collections::BTreeMap;
use store::tables::emitters;
use store::words::Ambiente;

/// Companies, id and name, and which is chosen at first.
pub struct Companies {
    pub options: Vec<(String, String)>,
    pub default: String,
    /// Where the product notes of each go from the world of the page.
    places: BTreeMap<String, Ambiente>,
}

impl Companies {
    /// The one that a form says, or the default one.
    pub fn chosen<'c>(&'c self, said: &'c str) -> &'c str {
        if said.is_empty() { &self.default } else { said }
    }

    /// Where the product notes of one go, in the words of the API; a simulated one is apart.
    pub fn place(&self, id: &str) -> Option<&'static str> {
        self.places.get(id).map(|place| place.as_str())
    }

    /// Whether product notes of one of them go there.
    pub fn any_goes_to(&self, place: Ambiente) -> bool {
        self.places.values().any(|one| *one == place)
    }
}

/// Of many companies the newest, with the default one and `said`, the one that
/// was chosen.
///
/// # Errors
/// They could not be read.
pub async fn companies(visitor: &Visitor, said: &str) -> Result<Companies, Problem> {
    let mut places = BTreeMap::new();
    let mut of = |one: &Value| {
        let id = text(one, "id").to_owned();
        places.insert(id.clone(), places::of(visitor, one, "55"));
        (id, name(one))
    };
    let newest = visitor.get("/api/v1/emitters?limite=100").await?;
    let mut options: Vec<(String, String)> = items(&newest).iter().map(&mut of).collect();
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
        places,
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
