//! /docs: the interface with Swagger UI, whose files are part of the program.

use crate::Panel;
use crate::docs::operations::{families, price};
use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::{Markup, html};
use objects::zip::read;
use std::sync::OnceLock;
use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;

/// Scripts only from here. Swagger UI writes styles into its elements.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// Starts it. Calls are not made from here: keys are refused in browsers.
const START: &str = "SwaggerUIBundle({ url: '/api/v1/openapi.json', dom_id: '#swagger', deepLinking: true, \
    supportedSubmitMethods: [], defaultModelsExpandDepth: -1, docExpansion: 'none', filter: true, validatorUrl: null });\n";

/// Address, file of the archive, media type.
const FILES: [(&str, &str, &str); 4] = [
    (
        "/docs/swagger-ui.js",
        "/dist/swagger-ui-bundle.js",
        "text/javascript; charset=utf-8",
    ),
    (
        "/docs/swagger-ui.css",
        "/dist/swagger-ui.css",
        "text/css; charset=utf-8",
    ),
    (
        "/docs/swagger-ui.licenca.txt",
        "/LICENSE",
        "text/plain; charset=utf-8",
    ),
    (
        "/docs/swagger-ui.aviso.txt",
        "/NOTICE",
        "text/plain; charset=utf-8",
    ),
];

pub fn router() -> Router<Panel> {
    let mut router = Router::new().route("/docs", get(page)).route(
        "/docs/inicio.js",
        get(|| async { file("text/javascript; charset=utf-8", START.as_bytes()) }),
    );
    for (index, (address, _, _)) in FILES.iter().enumerate() {
        router = router.route(address, get(move || async move { asset(index) }));
    }
    router
}

/// A file of Swagger UI, unpacked when it is first asked for.
fn asset(index: usize) -> Response {
    static UNPACKED: [OnceLock<Option<Vec<u8>>>; FILES.len()] =
        [const { OnceLock::new() }; FILES.len()];
    let (_, ending, media) = FILES[index];
    match UNPACKED[index].get_or_init(|| read::file(SWAGGER_UI_VENDORED, ending)) {
        Some(content) => file(media, content),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn file(media: &'static str, content: &'static [u8]) -> Response {
    let headers = [
        (header::CONTENT_TYPE, media),
        (header::CACHE_CONTROL, "public, max-age=86400"),
    ];
    (headers, content).into_response()
}

async fn page() -> Response {
    let content = super::page("Interface da API", content());
    ([(header::CONTENT_SECURITY_POLICY, POLICY)], content).into_response()
}

fn content() -> Markup {
    html! {
        p {
            "Cada operação com o seu corpo, as suas respostas e exemplos conferidos contra um hub em funcionamento. As chamadas não partem desta "
            "página: uma chave de API nunca deve estar em um navegador. Coleções para Postman e Bruno e clientes em TypeScript, JavaScript, "
            "Python, PHP e C# saem de " code { "hub collection" } " e " code { "hub client" } "."
        }
        link rel="stylesheet" href="/docs/swagger-ui.css";
        div id="swagger" class="cartao" {}
        script src="/docs/swagger-ui.js" defer {}
        script src="/docs/inicio.js" defer {}
        noscript { (list()) }
        p class="pequeno suave" {
            "Swagger UI, " a href="/docs/swagger-ui.licenca.txt" { "Apache 2.0" } " (" a href="/docs/swagger-ui.aviso.txt" { "aviso" } ")."
        }
    }
}

/// The operations, for who has no script.
fn list() -> Markup {
    html! {
        @for (family, operations) in families() {
            section class="cartao" {
                h2 { (family) }
                ul {
                    @for (row, docs) in operations {
                        li { code { (row.method) " " (row.path) } ": " (docs.summary()) " " span class="suave" { (price(row)) } }
                    }
                }
            }
        }
    }
}
