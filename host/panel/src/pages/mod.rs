//! The pages, one file each.

mod adapters;
mod api_keys;
mod audit;
mod authorizers;
pub mod bulk;
pub mod coverage;
mod credits;
pub(crate) mod document;
pub mod documents;
pub mod emitter;
mod emitters;
mod filling;
mod home;
pub mod issue;
mod numbering;
mod people;
mod products;
mod received;
mod report;
mod search;
mod settings;
mod team;
mod tools;
pub mod usage;
mod webhooks;

use super::Panel;
// Parts that several pages have, by the names they have there.
use super::parts::{chart, companies, listing, values};
use axum::Router;

pub fn router() -> Router<Panel> {
    Router::new()
        .merge(home::router())
        .merge(documents::router())
        .merge(document::router())
        .merge(numbering::router())
        .merge(received::router())
        .merge(people::router())
        .merge(products::router())
        .merge(report::router())
        .merge(search::router())
        .merge(authorizers::router())
        .merge(issue::router())
        .merge(bulk::router())
        .merge(emitters::router())
        .merge(tools::router())
        .merge(emitter::router())
        .merge(api_keys::router())
        .merge(webhooks::router())
        .merge(usage::router())
        .merge(coverage::router())
        .merge(adapters::router())
        .merge(credits::router())
        .merge(team::router())
        .merge(audit::router())
        .merge(settings::router())
}
