//! The pages, one file each.

mod adapters;
mod api_keys;
mod audit;
mod chart;
pub mod coverage;
mod credits;
mod documents;
pub mod emitter;
mod emitters;
mod home;
mod issue;
mod listing;
mod settings;
mod team;
mod tools;
pub mod usage;
mod webhooks;

use super::Panel;
use axum::Router;

pub fn router() -> Router<Panel> {
    Router::new()
        .merge(home::router())
        .merge(documents::router())
        .merge(issue::router())
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
