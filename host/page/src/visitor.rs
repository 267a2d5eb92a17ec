//! Who looks at a page: the session of the cookie, and what it may ask.

use super::Panel;
use super::reply::Problem;
use accounts::people::known::Known;
use accounts::users::Rights as _;
use accounts::users::role::Action;
use accounts::users::session::{self, Session};
use accounts::users::{self, Actor};
use api::inside::Reply;
use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Redirect, Response};
use gate::call::line::Who;
use gate::caller;
use gate::server::Peer;
use issuing::issue::KeptForm;
use serde_json::Value;
use std::sync::Arc;
use store::words::Model;
use vault::apikey::KeyKind;

/// Longest address of an operation that a page asks, in bytes: what people write stands in some.
const LONGEST_PATH: usize = 16_384;
/// Names of the cookie; with TLS the browser holds it to this host alone.
const COOKIE: &str = "painel";
const COOKIE_TLS: &str = "__Host-painel";

/// A person who is logged in, in one of their accounts.
#[derive(Clone)]
pub struct Visitor {
    pub panel: Panel,
    pub session: Session,
    pub ip: String,
    /// Path and query to return to: those of the page; after a form, those of
    /// its section, because the address of some forms cannot be opened.
    pub path: String,
    pub theme: &'static str,
    /// A form led here that had been sent before.
    pub repeated: bool,
    known: Arc<Known>,
}

impl Visitor {
    /// It looks at the live world.
    pub fn live(&self) -> bool {
        self.kind() == KeyKind::Live
    }

    /// The kind of key that its calls of the API have.
    pub fn kind(&self) -> KeyKind {
        kind(&self.session)
    }

    /// The world it looks at, as links and forms carry it.
    pub fn ambiente(&self) -> &'static str {
        if self.live() { LIVE } else { TEST }
    }

    /// Why an operator blocked the account; None: it is not blocked.
    pub fn blocked(&self) -> Option<&str> {
        let account = &self.known.account;
        account
            .is_blocked()
            .then_some(account.blocked_reason.as_str())
    }

    /// A connection that reads the database.
    pub async fn read(&self) -> Result<store::Conn, Problem> {
        let db = &self.panel.app.db;
        Ok(db.read().await.map_err(anyhow::Error::from)?)
    }

    /// A connection that may walk many rows of the account.
    ///
    /// # Errors
    /// The database failed.
    pub async fn walk(&self) -> Result<store::Walk, Problem> {
        let account = &self.session.row.account_id;
        let walk = self.panel.app.db.walk(account).await;
        Ok(walk.map_err(anyhow::Error::from)?)
    }

    pub fn may(&self, action: Action) -> bool {
        self.session.role.may(action)
    }

    /// Refuses what the person's part does not allow.
    ///
    /// # Errors
    /// The page that says so.
    pub fn must(&self, action: Action) -> Result<(), Problem> {
        if self.may(action) {
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

    /// Reads the thing a page is about. If only the other world has it, the
    /// browser is sent to the page of that world: somebody else may have sent
    /// the address.
    ///
    /// # Errors
    /// The way to the other world, or the page that says why it could not be
    /// read.
    pub async fn subject(&self, path: &str) -> Result<Value, Problem> {
        let reply = self.ask(Method::GET, path, None).await?;
        if reply.ok() {
            return Ok(reply.json());
        }
        if reply.status == 404 {
            let other = self.in_world(!self.live()).await?;
            if other.ask(Method::GET, path, None).await?.ok() {
                let sign = if self.path.contains('?') { '&' } else { '?' };
                let to = format!("{}{sign}ambiente={}", self.path, other.ambiente());
                return Err(Problem::elsewhere(to));
            }
        }
        Err(Problem::of(&reply))
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
        self.ask_with(HeaderMap::new(), method, path, body).await
    }

    /// Asks an operation of the API, with headers.
    ///
    /// # Errors
    /// The operation could not be asked at all.
    pub async fn ask_with(
        &self,
        headers: HeaderMap,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Reply, Problem> {
        fits(path)?;
        let body = bytes(body);
        let inside = &self.panel.inside;
        let asked = inside.ask(&self.known, method, path, headers, body);
        Ok(asked.await?)
    }

    /// Asks an operation that costs credits for a button of a form, which may be pressed
    /// twice: the same question is charged once. `form`: the form's token.
    ///
    /// # Errors
    /// The operation could not be asked at all.
    pub async fn ask_once(
        &self,
        form: &str,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Reply, Problem> {
        fits(path)?;
        let body = bytes(body);
        let inside = &self.panel.inside;
        let asked = inside.ask_once(&self.known, method, path, form, body);
        Ok(asked.await?)
    }

    /// Asks an operation that stores drafts to keep a form that is not finished.
    ///
    /// # Errors
    /// The operation could not be asked at all.
    pub async fn keep(
        &self,
        headers: HeaderMap,
        path: &str,
        form: &KeptForm,
    ) -> Result<Reply, Problem> {
        let form = serde_json::to_vec(form).map_err(anyhow::Error::from)?;
        let asked = self.panel.inside.keep(&self.known, path, headers, form);
        Ok(asked.await?)
    }

    /// What the issuing operation of a model would make of a body; nothing is
    /// stored or sent.
    ///
    /// # Errors
    /// It could not be found out at all.
    pub async fn rehearse(&self, model: Model, body: Value) -> Result<Reply, Problem> {
        let asked = self.panel.inside.rehearse(&self.known, model, body);
        Ok(asked.await?)
    }

    /// The same person in one of the worlds, for as long as this request.
    ///
    /// # Errors
    /// The database failed.
    pub async fn in_world(&self, live: bool) -> Result<Visitor, Problem> {
        let mut visitor = self.clone();
        visitor.session.row.live = i64::from(live);
        visitor.known = known(&self.panel, &visitor.session).await?;
        Ok(visitor)
    }

    /// Turns the person to one of the worlds: the pages that follow are of it.
    ///
    /// # Errors
    /// The database failed.
    pub async fn turned(self, live: bool) -> Result<Visitor, Problem> {
        if self.live() == live {
            return Ok(self);
        }
        let account = &self.session.row.account_id;
        session::look_at(&self.panel.app, &self.session, account, live).await?;
        self.in_world(live).await
    }

    /// Who this is, for the audit.
    pub fn actor(&self) -> Actor {
        Actor {
            account_id: self.session.row.account_id.clone(),
            user_id: self.session.user.id.clone().into(),
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
            // After the login the person is led to the page they asked for.
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
    let known = known(panel, &session).await?;
    Who::of(&parts.extensions).is(&known);
    let visitor = Visitor {
        known,
        panel: panel.clone(),
        session,
        ip: ip(parts, panel),
        path: if parts.method == Method::GET {
            let asked = parts.uri.path_and_query();
            asked.map_or_else(String::new, ToString::to_string)
        } else {
            section(parts.uri.path())
        },
        theme: theme(&parts.headers),
        repeated: was_led(&parts.headers),
    };
    // A link carries the world of what it leads to.
    let mut query = parts.uri.query().unwrap_or_default().split('&');
    let asked = query.find_map(|pair| world(pair.strip_prefix("ambiente=")?));
    match asked.filter(|_| parts.method == Method::GET) {
        // A page that refreshes itself is read again by its script: that is of
        // the same world, and nobody followed a link.
        Some(live) if by_script(&parts.headers) => visitor.in_world(live).await.map(Some),
        Some(live) => visitor.turned(live).await.map(Some),
        None => Ok(Some(visitor)),
    }
}

/// Refuses the address of a call that is too long.
///
/// # Errors
/// 414: it is.
fn fits(path: &str) -> Result<(), Problem> {
    if path.len() > LONGEST_PATH {
        let sentence = "Um dos textos é longo demais para ser procurado.";
        return Err(Problem::new(414, "Texto longo demais", sentence));
    }
    Ok(())
}

/// The body of a call of an operation.
fn bytes(body: Option<&Value>) -> Vec<u8> {
    body.map_or_else(Vec::new, |body| body.to_string().into_bytes())
}

/// What a session may ask.
async fn known(panel: &Panel, session: &Session) -> Result<Arc<Known>, Problem> {
    let app = &panel.app;
    let mut conn = app.db.read().await.map_err(anyhow::Error::from)?;
    let (account, scopes) = (&session.row.account_id, session.role.scopes());
    let known = Known::person(&mut conn, account, kind(session), scopes, app.now_ms());
    Ok(Arc::new(known.await.map_err(anyhow::Error::from)?))
}

/// The kind of key that opens the world of a session.
fn kind(session: &Session) -> KeyKind {
    match session.row.live {
        1 => KeyKind::Live,
        _ => KeyKind::Test,
    }
}

/// Field of a form that says in which world it acts.
pub const WORLD: &str = "mundo";
/// Words of the worlds in links and forms.
const LIVE: &str = "producao";
const TEST: &str = "teste";

/// Whether a word is that of the live world; None for anything else.
pub fn world(word: &str) -> Option<bool> {
    match word {
        LIVE => Some(true),
        TEST => Some(false),
        _ => None,
    }
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

/// Whether a script of a page asks, as browsers say, and not a person who goes
/// there.
fn by_script(headers: &HeaderMap) -> bool {
    let mode = headers.get("sec-fetch-mode");
    mode.is_some_and(|mode| mode != "navigate")
}

/// The theme somebody chose; empty: that of their system.
pub fn theme(headers: &HeaderMap) -> &'static str {
    match cookie(headers, "tema") {
        Some("claro") => "claro",
        Some("escuro") => "escuro",
        _ => "",
    }
}

/// Cookie of who was led to the result of an earlier send.
const REPEATED: &str = "repetido";

/// Whether a form that had been sent before led this request here.
pub fn was_led(headers: &HeaderMap) -> bool {
    cookie(headers, REPEATED) == Some("1")
}

/// A cookie of a request.
pub fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
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
