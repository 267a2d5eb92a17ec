//! GET /metrics, on a listener of its own: what Prometheus reads.

mod collect;
mod levels;

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse as _;
use axum::routing::get;
use base::operations;
use collect::Collector;
use gate::Services;
use issuing::model::Model;
use std::sync::Arc;

/// The text format of Prometheus.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// What the listener of the metrics answers.
pub fn router(app: &Services) -> Router {
    let named = operations::all().iter();
    let models = Model::ALL.iter().map(|model| model.as_str());
    base::metrics::begin(named.map(|operation| operation.operation.as_str()), models);
    let collector = Arc::new(Collector::new(app.issuing.clone()));
    let answer = move || async move {
        ([(header::CONTENT_TYPE, TEXT)], collector.text().await).into_response()
    };
    Router::new().route("/metrics", get(answer))
}
