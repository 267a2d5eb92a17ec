//! A form is done once. Each form of a page carries a token of its own; what
//! its first send led to is remembered under it, and a second send (two
//! clicks, Back and send again) is led there and does nothing.
//!
//! The memory is a row of `idempotency_keys`: its subject is the page the
//! form led to, or an id of its own while that is not known. The token is the
//! `Idempotency-Key` of the operations the form asks, too.
//!
//! The forms before the login (`door`) have no token, because there is no
//! account that its row could belong to. An address is registered once; a link
//! and an invitation work once. A second login opens a second session, and a
//! second request for a link sends a second mail: both are limited.

use super::Panel;
use super::reply::Problem;
use super::visitor::{Visitor, was_led};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use base::{ids, traces};
use gate::Services;
use std::convert::Infallible;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use store::TxError;
use store::tables::idempotency::{self, Asker, Scope, Taken};

/// Name of the field.
pub const FIELD: &str = "vez";
/// Beginnings of a subject that is not a page yet: `OPEN` while the result of
/// the form is not known, `LOST` when it will never be known.
const OPEN: &str = "envio_";
const LOST: &str = "perdido_";
/// `route` of the rows: the same for all forms and both worlds, because a token
/// belongs to one form only.
const PLACE: &str = "POST /painel";
const TOKEN_CHARS: usize = 64;
/// How long a second send waits for what the first leads to: longer than an
/// issuing call waits for the authority.
const WAIT_MS: i64 = 40_000;
const PAUSE_MS: i64 = 100;
const PAUSE: Duration = Duration::from_millis(PAUSE_MS.unsigned_abs());
/// A token for a form. It tells its age.
pub fn token(app: &Services) -> String {
    ids::new(FIELD, app.now_ms())
}

/// Whether a form of this token is as old as its send would be forgotten.
pub fn is_stale(app: &Services, token: &str) -> bool {
    let made_ms = ids::moment(FIELD, token);
    let window_ms = app.config.issuing.idempotency_window_ms();
    made_ms.is_some_and(|made_ms| app.now_ms() - made_ms > window_ms)
}

/// Where a second send leads, when the page of the first one is shown only
/// once, as a new secret is.
#[derive(Clone)]
pub struct Led(String);

/// The page of a form that did something, and where its second send leads.
pub fn led(page: impl IntoResponse, to: &str) -> Response {
    let mut response = page.into_response();
    response.extensions_mut().insert(Led(to.to_owned()));
    response
}

/// What became of a form.
pub enum Turn {
    /// It was not sent before.
    First,
    /// It was, and led there.
    Done(String),
    /// It was, and nobody knows what came of it: a process died.
    Unknown(Open),
}

/// A send whose result was not written down: the place of its row, and the
/// subject there.
pub struct Open(Scope, String);

/// The send of the form this request carries; its result is written down when
/// the request ends.
#[derive(Clone, Default)]
pub struct Slot(Arc<OnceLock<(Scope, String)>>);

impl Slot {
    /// Takes a form's turn.
    ///
    /// # Errors
    /// 422 for a token that cannot be one; the database failed.
    pub async fn take(&self, visitor: &Visitor, token: &str) -> Result<Turn, Problem> {
        if token.len() > TOKEN_CHARS || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            let sentence = "Recarregue a página e envie de novo.";
            return Err(Problem::new(422, "Formulário inválido", sentence));
        }
        let app = &visitor.panel.app;
        let scope = scope(visitor, token);
        for _ in 0..WAIT_MS / PAUSE_MS {
            let open = ids::new("envio", app.now_ms());
            let row = match taken(app, &scope, &open).await? {
                Taken::Ours => {
                    self.resume(Open(scope, open));
                    return Ok(Turn::First);
                }
                Taken::Theirs(row) => row,
            };
            if is_page(&row.subject_id) {
                return Ok(Turn::Done(row.subject_id));
            }
            let late = app.now_ms() - row.created_at_ms > WAIT_MS;
            if late || row.subject_id.starts_with(LOST) {
                return Ok(Turn::Unknown(Open(scope, row.subject_id)));
            }
            tokio::time::sleep(PAUSE).await;
        }
        let sentence = "O primeiro envio deste formulário ainda não terminou. Espere um minuto e envie de novo.";
        Err(Problem::new(409, "Envio em andamento", sentence))
    }

    /// The result of this request will be written down as the result of that
    /// earlier send.
    pub fn resume(&self, Open(scope, open): Open) {
        // A request reads one form.
        let _one = self.0.set((scope, open));
    }

    /// Writes down where the form led.
    async fn end(&self, app: &Services, outcome: Outcome) -> anyhow::Result<()> {
        let Some((scope, open)) = self.0.get() else {
            return Ok(());
        };
        let to = match outcome {
            Outcome::Led(to) => Some(to),
            Outcome::Lost => Some(format!("{LOST}{open}")),
            Outcome::Refused => None,
        };
        let input = (scope.clone(), open.clone(), to, app.now_ms());
        let written = app.db.write(input, |(scope, open, to, now_ms), conn| {
            Box::pin(async move {
                match to {
                    Some(to) => {
                        idempotency::replace(conn, scope, open, "", to, *now_ms).await?;
                    }
                    None => idempotency::forget(conn, open).await?,
                }
                Ok::<_, TxError<Infallible>>(())
            })
        });
        Ok(written.await?)
    }
}

/// What the answer to a form means for a second send.
enum Outcome {
    /// Something was done; it is shown there.
    Led(String),
    /// Nothing was done: the form may be sent again.
    Refused,
    /// A failure of ours: nobody knows.
    Lost,
}

impl Outcome {
    fn of(response: &Response) -> Outcome {
        let status = response.status();
        if let Some(Led(to)) = response.extensions().get::<Led>() {
            return Outcome::Led(to.clone());
        }
        let location = response.headers().get(header::LOCATION);
        match location.and_then(|to| to.to_str().ok()) {
            Some(to) if status.is_redirection() => Outcome::Led(to.to_owned()),
            _ if status.is_server_error() => Outcome::Lost,
            _ => Outcome::Refused,
        }
    }
}

/// Where the form of a token led.
///
/// # Errors
/// The database failed.
pub async fn done(visitor: &Visitor, token: &str) -> Result<Option<String>, Problem> {
    let app = &visitor.panel.app;
    let mut conn = app.db.read().await.map_err(anyhow::Error::from)?;
    let row = idempotency::get(&mut conn, &scope(visitor, token)).await;
    let row = row.map_err(anyhow::Error::from)?;
    let known = row.filter(|row| is_page(&row.subject_id));
    Ok(known.map(|row| row.subject_id))
}

fn scope(visitor: &Visitor, token: &str) -> Scope {
    Scope {
        account_id: visitor.session.row.account_id.clone(),
        kind: Asker::Panel,
        route: PLACE.to_owned(),
        key: token.to_owned(),
    }
}

fn is_page(subject: &str) -> bool {
    !subject.starts_with(OPEN) && !subject.starts_with(LOST)
}

async fn taken(app: &Services, scope: &Scope, open: &str) -> anyhow::Result<Taken> {
    let window_ms = app.config.issuing.idempotency_window_ms();
    let input = (scope.clone(), open.to_owned(), app.now_ms(), window_ms);
    let taken = app
        .db
        .write(input, |(scope, open, now_ms, window_ms), conn| {
            Box::pin(async move {
                let taken = idempotency::take(conn, scope, "", open, *now_ms, *window_ms).await?;
                Ok::<_, TxError<Infallible>>(taken)
            })
        });
    Ok(taken.await?)
}

/// Leads to what the first send led to; the page says so.
pub fn again(to: &str) -> Response {
    let mut response = Redirect::to(to).into_response();
    let told =
        HeaderValue::from_static("repetido=1; Path=/painel; HttpOnly; SameSite=Lax; Max-Age=60");
    response.headers_mut().append(header::SET_COOKIE, told);
    response
}

/// Around every page: writes down where a form led, whoever still waits for
/// it; and says only once that a form was repeated.
pub async fn layer(State(panel): State<Panel>, mut request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        let told = was_led(request.headers());
        let mut response = next.run(request).await;
        if told && response.status().is_success() {
            let forget = HeaderValue::from_static("repetido=; Path=/painel; Max-Age=0");
            response.headers_mut().append(header::SET_COOKIE, forget);
        }
        return response;
    }
    let slot = Slot::default();
    request.extensions_mut().insert(slot.clone());
    // A second click ends the connection of the first, not its work.
    let work = traces::spawn(async move {
        let response = next.run(request).await;
        let outcome = Outcome::of(&response);
        if let Err(error) = slot.end(&panel.app, outcome).await {
            tracing::error!(error = %format!("{error:#}"), "where a form led was not written down");
        }
        response
    });
    match work.await {
        Ok(response) => response,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(error) => Problem::from(anyhow::Error::from(error)).into_response(),
        },
    }
}
