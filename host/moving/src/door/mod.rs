//! The addresses below `/v2`.

mod ask;
mod complete;
mod consult;
mod entry;
mod events;
mod files;
mod issue;
mod out;

use crate::kind::Kind;
use api::inside::Inside;
use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::routing::{any, get, post};
use gate::Services;
use gate::services::limiter::Limiter;
use out::Out;
use std::sync::Arc;

/// What every call needs.
#[derive(Clone)]
pub(crate) struct Door {
    app: Services,
    inside: Inside,
    /// How often paths of files are opened without a key.
    links: Arc<Limiter>,
}

/// The addresses, if the settings open the door; none otherwise.
pub fn router(app: &Services) -> Router {
    if !app.config.moving.focus {
        return Router::new();
    }
    let door = Door {
        app: app.clone(),
        inside: Inside::new(app),
        links: Arc::default(),
    };
    let mut router = Router::new();
    for kind in Kind::ALL {
        router = addresses(router, kind);
    }
    router
        .route(
            "/v2/arquivos/{subject}/{token}/{name}",
            get(files::open).fallback(nowhere),
        )
        .route("/v2", any(nowhere))
        .route("/v2/", any(nowhere))
        .route("/v2/{*rest}", any(nowhere))
        .with_state(door)
}

type Reference = Result<Path<String>, PathRejection>;
type Note = (State<Door>, Reference, Request);

/// The reference in an address; one that is no text is of no note.
fn reference(path: Reference) -> String {
    path.map(|Path(reference)| reference).unwrap_or_default()
}

/// The addresses of one kind of document.
fn addresses(router: Router<Door>, kind: Kind) -> Router<Door> {
    let base = format!("/v2/{}", kind.segment());
    let create = move |State(door): State<Door>, request: Request| async move {
        issue::create(&door, kind, request).await
    };
    let consult = move |(State(door), path, request): Note| async move {
        consult::consult(&door, kind, &reference(path), request).await
    };
    let cancel = move |(State(door), path, request): Note| async move {
        events::cancel(&door, kind, &reference(path), request).await
    };
    let mut router = router.route(&base, post(create).fallback(nowhere)).route(
        &format!("{base}/{{ref}}"),
        get(consult).delete(cancel).fallback(nowhere),
    );
    if kind != Kind::NfseNational {
        let mail = move |(State(door), path, request): Note| async move {
            events::mail(&door, kind, &reference(path), request).await
        };
        router = router.route(
            &format!("{base}/{{ref}}/email"),
            post(mail).fallback(nowhere),
        );
    }
    if kind.is_product() {
        let void = move |State(door): State<Door>, request: Request| async move {
            events::void(&door, kind, request).await
        };
        router = router.route(
            &format!("{base}/inutilizacao"),
            post(void).fallback(nowhere),
        );
    }
    if kind == Kind::Nfe {
        let correct = move |(State(door), path, request): Note| async move {
            events::correct(&door, &reference(path), request).await
        };
        router = router.route(
            &format!("{base}/{{ref}}/carta_correcao"),
            post(correct).fallback(nowhere),
        );
    }
    router
}

/// An address of theirs that this hub does not have, or not with this method.
async fn nowhere(State(door): State<Door>) -> Out {
    Out::error(
        &door,
        404,
        "nao_encontrado",
        "Este endereço não existe neste hub, ou não com este método. O que é oferecido está em /docs/guias/mudar-da-focus-nfe.",
    )
}
