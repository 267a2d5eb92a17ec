//! /docs/guias: the guides of `docs/guias`, `docs/MOVING.md` and `docs/ERROS.md` as pages. The same
//! files are read in the repository, so a link between them names the file; a page has no `.md`.

use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, html::push_html};

use crate::Panel;
use crate::parts::labelled;

/// A guide: its address below `/docs/guias`, and its text, which begins with its title.
struct Guide {
    name: &'static str,
    text: &'static str,
}

/// The page of `docs/MOVING.md`.
const MOVING: &str = "mudar-da-focus-nfe";

/// The page of `docs/ERROS.md`.
const MISTAKES: &str = "erros-de-quem-comeca";

/// Every guide, in the order in which somebody new reads them.
const GUIDES: [Guide; 7] = [
    Guide {
        name: "primeira-nfe",
        text: include_str!("../../../../docs/guias/primeira-nfe.md"),
    },
    Guide {
        name: "primeira-nfse",
        text: include_str!("../../../../docs/guias/primeira-nfse.md"),
    },
    Guide {
        name: "webhooks",
        text: include_str!("../../../../docs/guias/webhooks.md"),
    },
    Guide {
        name: MISTAKES,
        text: include_str!("../../../../docs/ERROS.md"),
    },
    Guide {
        name: "producao",
        text: include_str!("../../../../docs/guias/producao.md"),
    },
    Guide {
        name: "mudar-de-servico",
        text: include_str!("../../../../docs/guias/mudar-de-servico.md"),
    },
    Guide {
        name: MOVING,
        text: include_str!("../../../../docs/MOVING.md"),
    },
];

impl Guide {
    /// The title, and what follows it.
    fn parts(&self) -> (&'static str, &'static str) {
        let (title, rest) = self.text.split_once('\n').unwrap_or((self.text, ""));
        (title.trim_start_matches('#').trim(), rest)
    }

    /// The first paragraph, for the list of guides.
    fn summary(&self) -> &'static str {
        let (_, rest) = self.parts();
        rest.trim_start().split("\n\n").next().unwrap_or_default()
    }
}

pub fn router() -> Router<Panel> {
    Router::new()
        .route("/docs/guias", get(list))
        .route(
            "/docs/guias/",
            get(|| async { Redirect::permanent("/docs/guias") }),
        )
        .route("/docs/guias/{name}", get(guide))
}

async fn list() -> Markup {
    super::page(
        "Guias",
        html! {
            @for guide in &GUIDES {
                section class="cartao" {
                    h2 { a href={ "/docs/guias/" (guide.name) } { (guide.parts().0) } }
                    (rendered(guide.summary()))
                }
            }
        },
    )
}

async fn guide(Path(name): Path<String>) -> Response {
    match GUIDES.iter().find(|guide| guide.name == name) {
        Some(guide) => {
            let (title, rest) = guide.parts();
            super::page(
                title,
                html! { article class="cartao guia" { (rendered(rest)) } },
            )
            .into_response()
        }
        None => (
            StatusCode::NOT_FOUND,
            super::page(
                "Guia não encontrado",
                html! { p { a href="/docs/guias" { "Todos os guias" } } },
            ),
        )
            .into_response(),
    }
}

/// Markdown of our own files as HTML.
fn rendered(text: &str) -> Markup {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).map(as_page);
    let mut page = String::with_capacity(text.len() * 3 / 2);
    push_html(&mut page, events);
    // A command that is wider than the screen is scrolled by the keyboard, too.
    PreEscaped(with_labels(&page).replace("<pre>", "<pre tabindex=\"0\">"))
}

/// On a narrow screen a row is a card: each cell of a table has the word of its column.
fn with_labels(page: &str) -> String {
    let mut out = String::with_capacity(page.len() * 5 / 4);
    for (index, piece) in page.split("<table>").enumerate() {
        if index == 0 {
            out.push_str(piece);
            continue;
        }
        let (table, rest) = piece.split_once("</table>").unwrap_or((piece, ""));
        let words = table.split("<th>").skip(1);
        let head: Vec<&str> = words
            .filter_map(|cell| cell.split("</th>").next())
            .collect();
        out.push_str("<table>");
        out.push_str(&labelled(table, &head).0);
        out.push_str("</table>");
        out.push_str(rest);
    }
    out
}

/// A link to another guide's file becomes a link to its page.
fn as_page(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Start(Tag::Link {
            link_type,
            dest_url,
            title,
            id,
        }) => {
            let page = match &*dest_url {
                "../MOVING.md" => Some(MOVING),
                "../ERROS.md" => Some(MISTAKES),
                file => file.strip_suffix(".md"),
            };
            let page = page
                .map(|name| name.strip_prefix("guias/").unwrap_or(name))
                .filter(|name| !name.contains('/'))
                .map(|name| CowStr::from(format!("/docs/guias/{name}")));
            Event::Start(Tag::Link {
                link_type,
                dest_url: page.unwrap_or(dest_url),
                title,
                id,
            })
        }
        other => other,
    }
}
