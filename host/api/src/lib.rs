//! The HTTP API: a folder per path segment, a file per operation.

pub mod astray;
pub mod clients;
pub mod inside;
pub mod metrics;
pub mod openapi;
pub mod v1;

use base::errors::{Code, Refusal};
use base::operations::{self, Operation};
use gate::Services;
use gate::call::Takes;
use gate::docs::Built;
use gate::error::ApiError;
use gate::error::suggest::Members;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};

use axum::middleware::{self, Next};
use axum::routing::{MethodFilter, on};
use std::sync::{Arc, OnceLock};

/// The one parameter of a path that has slashes in it.
const CAMINHO: &str = "caminho";

/// All operations that are built, in any order. Made once for a process: the
/// router, the document and the panel's pages ask for them.
pub fn built() -> &'static [Built] {
    static BUILT: OnceLock<Vec<Built>> = OnceLock::new();
    BUILT.get_or_init(|| {
        let mut all = Vec::new();
        all.extend(crate::v1::nfse::built());
        all.extend(crate::v1::nfe::built());
        all.extend(crate::v1::nfce::built());
        all.extend(crate::v1::nfe_entrada::built());
        all.extend(crate::v1::cte::built());
        all.extend(crate::v1::mdfe::built());
        all.extend(crate::v1::emitters::built());
        all.extend(crate::v1::pessoas::built());
        all.extend(crate::v1::storage::built());
        all.extend(crate::v1::documentos::built());
        all.push(crate::v1::autorizadores::built());
        all.extend(crate::v1::reforma::built());
        all.extend(crate::v1::dere::built());
        all.extend(toolbox::built());
        all.extend(crate::v1::usage::built());
        all.extend(crate::v1::creditos::built());
        all.extend(crate::v1::webhooks::built());
        all.extend(crate::v1::eventos::built());
        all.extend(crate::v1::chaves::built());
        all.extend(crate::v1::psp::built());
        all.extend(crate::v1::system::built());
        all
    })
}

/// Rows of the table nobody has built yet.
pub fn missing() -> Vec<&'static Operation> {
    let built = built();
    operations::all()
        .iter()
        .filter(|row| built.iter().all(|one| one.operation != row.operation))
        .collect()
}

/// Everything the server answers: operations and these pages.
pub fn router(app: &Services, pages: Router) -> Router {
    operations(app)
        .merge(pages)
        .layer(middleware::from_fn(gate::server::rest::taken_in))
        .layer(middleware::from_fn_with_state(
            app.clone(),
            gate::call::line::each,
        ))
}

/// The whole API as a router: every row of the table has a route.
fn operations(app: &Services) -> Router {
    let built = built();
    let mut router = Router::new();
    for row in operations::all() {
        let Ok(method) = axum::http::Method::from_bytes(row.method.as_bytes()) else {
            continue;
        };
        let Ok(filter) = MethodFilter::try_from(method) else {
            continue;
        };
        let found = built.iter().find(|one| one.operation == row.operation);
        let takes_file = found.is_some_and(|one| one.docs.takes_file());
        let takes_bytes = found.is_some_and(|one| one.docs.takes_bytes());
        let body_bytes = app.config.limits.body(&row.family, takes_file);
        let takes = Takes {
            body_bytes: (!takes_bytes).then_some(body_bytes),
            query: found
                .filter(|one| one.docs.has_body())
                .map(|one| one.docs.query.iter().map(|(name, ..)| *name).collect()),
            members: Arc::new(Members::of(&row.operation, body_schema)),
        };
        let route = match found {
            Some(one) => (one.route)(filter),
            None => on(filter, under_construction),
        };
        let gated = {
            let app = app.clone();
            route.route_layer(middleware::from_fn(move |request: Request, next: Next| {
                gate::call::gate(app.clone(), row, takes.clone(), request, next)
            }))
        };
        let path = openapi::template(row);
        let rest = format!("{{*{CAMINHO}}}");
        router = router.route(&path.replace(&format!("{{{CAMINHO}}}"), &rest), gated);
    }
    let (not_found, not_allowed) = (app.clone(), app.clone());
    router
        .fallback(move |request: Request| {
            gate::call::outside(
                not_found.clone(),
                Code::RotaInexistente,
                astray::hint,
                request,
            )
        })
        .method_not_allowed_fallback(move |request: Request| {
            gate::call::outside(
                not_allowed.clone(),
                Code::MetodoNaoPermitido,
                astray::hint,
                request,
            )
        })
        .layer(DefaultBodyLimit::max(app.config.limits.largest_body()))
}

/// The schema of the body of an operation that is built and takes one.
fn body_schema(operation: &str) -> Option<serde_json::Value> {
    let mut built = built().iter();
    let found = built.find(|one| one.operation == operation)?;
    found.docs.body_schema()
}

async fn under_construction() -> ApiError {
    Refusal::new(Code::EmConstrucao).into()
}
