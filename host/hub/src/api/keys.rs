//! Keys and accounts as the database has them, remembered for a moment: a
//! revoked key stops within [`FRESH_MS`].

use crate::db::accounts::Account;
use crate::db::api_keys::ApiKey;
use crate::db::{self, Db, Present as _};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// How long a look-up is believed.
const FRESH_MS: i64 = 5_000;
/// Keys remembered at most.
const REMEMBERED: usize = 10_000;

/// A key with the account it belongs to.
pub struct Known {
    pub key: ApiKey,
    pub account: Account,
    read_ms: i64,
}

#[derive(Default)]
pub struct Keys(Mutex<HashMap<String, Arc<Known>>>);

impl Keys {
    /// The key with this digest; None when there is none.
    ///
    /// # Errors
    /// The database failed.
    pub async fn find(
        &self,
        db: &Db,
        digest: &str,
        now_ms: i64,
    ) -> Result<Option<Arc<Known>>, sqlx::Error> {
        let known = self.lock().get(digest).cloned();
        if let Some(known) = known.filter(|known| (0..FRESH_MS).contains(&(now_ms - known.read_ms)))
        {
            return Ok(Some(known));
        }
        let mut conn = db.read().await?;
        let Some(key) = db::api_keys::by_digest(&mut conn, digest).await? else {
            return Ok(None);
        };
        let account = db::accounts::get(&mut conn, &key.account_id)
            .await?
            .present("account of a key", &key.id)?;
        let known = Arc::new(Known {
            key,
            account,
            read_ms: now_ms,
        });
        let mut remembered = self.lock();
        if remembered.len() >= REMEMBERED {
            remembered.clear();
        }
        remembered.insert(digest.to_owned(), known.clone());
        Ok(Some(known))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Known>>> {
        self.0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
