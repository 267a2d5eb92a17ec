//! Operators who are logged in. Their sessions are kept in memory: they end with the
//! process, and each hub has its own.

use accounts::users::session;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use zeroize::Zeroizing;

/// How long a session lives.
pub(super) const LIVES_MS: i64 = 8 * 3_600_000;
/// Sessions at the same moment; one more ends the oldest.
const MOST: usize = 32;

/// A session: what its cookie is known by, and what its forms carry.
#[derive(Clone)]
struct Open {
    digest: String,
    csrf: Arc<str>,
    until_ms: i64,
}

#[derive(Clone, Default)]
pub(super) struct Sessions(Arc<Mutex<VecDeque<Open>>>);

impl Sessions {
    /// Begins one; the text of its cookie.
    ///
    /// # Errors
    /// The source of randomness failed.
    pub fn begin(&self, now_ms: i64) -> anyhow::Result<Zeroizing<String>> {
        let cookie = session::secret()?;
        let open = Open {
            digest: session::digest(&cookie),
            csrf: Arc::from(session::secret()?.as_str()),
            until_ms: now_ms + LIVES_MS,
        };
        self.with(|all| {
            all.push_back(open);
            if all.len() > MOST {
                all.pop_front();
            }
        });
        Ok(cookie)
    }

    /// What the forms of a cookie's session carry; None: there is no such session.
    pub fn csrf(&self, cookie: &str, now_ms: i64) -> Option<Arc<str>> {
        let digest = session::digest(cookie);
        self.with(|all| {
            all.retain(|open| open.until_ms > now_ms);
            let found = all.iter().find(|open| open.digest == digest);
            found.map(|open| open.csrf.clone())
        })
    }

    /// Ends the session whose forms carry this.
    pub fn end(&self, csrf: &str) {
        self.with(|all| all.retain(|open| *open.csrf != *csrf));
    }

    fn with<T>(&self, change: impl FnOnce(&mut VecDeque<Open>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
