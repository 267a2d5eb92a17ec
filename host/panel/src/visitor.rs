//! Who looks at a page: the session of the cookie, and what it may ask.

use super::Panel;
use super::reply::Problem;
use accounts::people::known::Known;
use accounts::users::role::Acao;
use accounts::users::session::{self, Session};
use accounts::users::{self, Actor};
use api::gate::caller;
use api::inside::Reply;
use api::server::Peer;
use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::Value;
use std::sync::Arc;
use vault::apikey::KeyKind;

/// Names of the cookie; with TLS the browser holds it to this host alone.
const COOKIE: &str = "painel";
const COOKIE_TLS: &str = "__Host-painel";

/// A person who is logged in, in one of their accounts.
#[derive(Clone)]
pub struct Visitor {
    pub panel: Panel,
    pub session: Session,
    pub ip: String,
    /// Path and query to come back to: the page's, or after a form those of its
    /// section, for not every form's address can be read.
    pub path: String,
    pub tema: &'static str,
    known: Arc<Known>,
}

impl Visitor {
    /// It looks at the live world.
    pub fn live(&self) -> bool {
        self.session.row.live == 1
    }

    pub fn may(&self, acao: Acao) -> bool {
        self.session.papel.pode(acao)
    }

    /// Refuses what the person's part does not allow.
    ///
    /// # Errors
    /// The page that says so.
    pub fn must(&self, acao: Acao) -> Result<(), Problem> {
        if self.may(acao) {
            return Ok(());
        }
        let sentence = "O seu papel nesta conta não permite esta ação. Peça a um administrador.";
        Err(Problem::new(403, "Sem permissão", sentence))
    }

    /// Reads by an operation of the API.
    ///
    /// # Errors
    /// The page that says why it could not be read.
    pub async fn get(&self, path: &str) -> Result<Value, Problem> {
        let reply = self.ask(Method::GET, path, None).await?;
        if reply.ok() {
            Ok(reply.json())
        } else {
            Err(Problem::of(&reply))
        }
    }

    /// Asks an operation of the API.
    ///
    /// # Errors
    /// The operation could not be asked at all.
    pub async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Reply, Problem> {
        let body = body
            .map(|body| body.to_string().into_bytes())
            .unwrap_or_default();
        let inside = &self.panel.inside;
        let asked = inside.ask(&self.known, method, path, HeaderMap::new(), body);
        Ok(asked.await?)
    }

    /// The same person in the live world: credits are bought there alone.
    ///
    /// # Errors
    /// The database failed.
    pub async fn in_live(&self) -> Result<Visitor, Problem> {
        let app = &self.panel.app;
        let mut conn = app.db.read().await.map_err(anyhow::Error::from)?;
        let account = &self.session.row.account_id;
        let known = Known::person(
            &mut conn,
            account,
            KeyKind::Live,
            self.session.papel.escopos(),
            app.now_ms(),
        )
        .await;
        let known = Arc::new(known.map_err(anyhow::Error::from)?);
        Ok(Visitor {
            known,
            ..self.clone()
        })
    }

    /// Who this is, for the audit.
    pub fn actor(&self) -> Actor {
        Actor {
            account_id: self.session.row.account_id.clone(),
            user_id: self.session.user.id.clone(),
            name: self.session.user.email.clone(),
            ip: self.ip.clone(),
        }
    }

    /// Writes to the account's audit.
    ///
    /// # Errors
    /// The database failed.
    pub async fn note(&self, action: &str, target: &str, detail: &str) -> Result<(), Problem> {
        Ok(users::note(&self.panel.app, &self.actor(), action, target, detail).await?)
    }
}

impl FromRequestParts<Panel> for Visitor {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, panel: &Panel) -> Result<Self, Response> {
        let found = found(parts, panel)
            .await
            .map_err(IntoResponse::into_response)?;
        found.ok_or_else(|| {
            // Where somebody wanted to go is where they get after the login.
            let wanted = if parts.method == Method::GET {
                parts.uri.path()
            } else {
                "/painel"
            };
            Redirect::to(&format!("/painel/entrar?volta={wanted}")).into_response()
        })
    }
}

impl OptionalFromRequestParts<Panel> for Visitor {
    type Rejection = Response;

    async fn from_request_parts(
        parts: &mut Parts,
        panel: &Panel,
    ) -> Result<Option<Self>, Response> {
        found(parts, panel)
            .await
            .map_err(IntoResponse::into_response)
    }
}

async fn found(parts: &Parts, panel: &Panel) -> Result<Option<Visitor>, Problem> {
    let app = &panel.app;
    let Some(text) = cookie(&parts.headers, name(panel)) else {
        return Ok(None);
    };
    let Some(session) = session::find(app, text).await? else {
        return Ok(None);
    };
    let mut conn = app.db.read().await.map_err(anyhow::Error::from)?;
    let kind = if session.row.live == 1 {
        KeyKind::Live
    } else {
        KeyKind::Test
    };
    let known = Known::person(
        &mut conn,
        &session.row.account_id,
        kind,
        session.papel.escopos(),
        app.now_ms(),
    )
    .await
    .map_err(anyhow::Error::from)?;
    Ok(Some(Visitor {
        panel: panel.clone(),
        session,
        ip: ip(parts, panel),
        path: if parts.method == Method::GET {
            let asked = parts.uri.path_and_query();
            asked.map_or_else(String::new, ToString::to_string)
        } else {
            section(parts.uri.path())
        },
        tema: tema(&parts.headers),
        known: Arc::new(known),
    }))
}

/// The page a path of the panel stands below in the menu.
pub fn section(path: &str) -> String {
    let page: Vec<&str> = path.split('/').take(3).collect();
    page.join("/")
}

/// The address a request comes from, as far as it is known.
pub fn ip(parts: &Parts, panel: &Panel) -> String {
    let trusted = &panel.app.config.server.trusted_proxies;
    let peer = parts.extensions.get::<Peer>();
    peer.and_then(|peer| caller::address(peer.0, &parts.headers, trusted))
        .map(|address| address.to_string())
        .unwrap_or_default()
}

/// The theme somebody chose; empty: that of their system.
pub fn tema(headers: &HeaderMap) -> &'static str {
    match cookie(headers, "tema") {
        Some("claro") => "claro",
        Some("escuro") => "escuro",
        _ => "",
    }
}

fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(found, _)| *found == name)
        .map(|(_, value)| value)
}

fn name(panel: &Panel) -> &'static str {
    if tls(panel) { COOKIE_TLS } else { COOKIE }
}

fn tls(panel: &Panel) -> bool {
    panel.app.config.server.base_url.starts_with("https://")
}

/// `Set-Cookie` of a session; an empty text ends it.
pub fn set_cookie(panel: &Panel, text: &str) -> HeaderValue {
    let age = if text.is_empty() {
        0
    } else {
        session::MOST_MS / 1_000
    };
    let secure = if tls(panel) { "; Secure" } else { "" };
    let line = format!(
        "{}={text}; Path=/; HttpOnly; SameSite=Lax; Max-Age={age}{secure}",
        name(panel)
    );
    HeaderValue::from_str(&line).unwrap_or(HeaderValue::from_static(""))
}
