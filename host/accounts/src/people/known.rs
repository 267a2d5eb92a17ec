//! Keys and accounts as the database has them, remembered for a moment: a key
//! that is revoked stops at once where that was asked for, and within
//! [`FRESH_MS`] on other nodes.

use crate::ledger::{Budget, Payer};
use crate::scopes::Scopes;
use base::net::Net;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use store::ids::AccountId;
use store::tables::accounts::Account;
use store::tables::api_keys::ApiKey;
use store::words::Maybe;
use store::{Conn, Db, Present as _};
use vault::apikey::KeyKind;

/// How long a look-up is believed.
const FRESH_MS: i64 = 5_000;
/// Keys remembered at most.
const REMEMBERED: usize = 10_000;

/// What the log of calls has instead of a key's end when a person asked.
const PERSON: &str = "painel";

/// A key with the account it belongs to.
pub struct Known {
    pub key: ApiKey,
    pub account: Account,
    pub scopes: Scopes,
    /// Whom its calls are paid by, and up to what.
    pub payer: Payer,
    /// None: the key has no list.
    nets: Option<Vec<Net>>,
    read_ms: i64,
}

impl Known {
    fn new(key: ApiKey, account: Account, read_ms: i64) -> Known {
        let nets = (!key.ips.is_empty()).then(|| {
            let read: Result<Vec<Net>, ()> = key.ips.split(' ').map(str::parse).collect();
            read.unwrap_or_else(|()| {
                tracing::error!(key.id = %key.id, "the addresses of a key cannot be read: it is good from none");
                Vec::new()
            })
        });
        let budget = key.budget_id.as_ref().map(|id| Budget {
            id: id.clone(),
            daily: key.limite_diario,
            monthly: key.limite_mensal,
        });
        Known {
            scopes: Scopes::read(&key.escopos),
            payer: Payer {
                key_id: Maybe::of(&key.id),
                budget,
            },
            nets,
            key,
            account,
            read_ms,
        }
    }

    /// Stands for a person in the place of a key, with the scopes that are
    /// given. What the person may do in the panel is checked by the pages.
    ///
    /// # Errors
    /// The database failed, or the account is not there.
    pub async fn person(
        conn: &mut Conn,
        account: &AccountId,
        kind: KeyKind,
        scopes: Scopes,
        now_ms: i64,
    ) -> Result<Known, sqlx::Error> {
        let account = store::tables::accounts::get(conn, account)
            .await?
            .present("account of a session", account)?;
        let key = ApiKey {
            account_id: account.id.clone(),
            kind,
            hint: PERSON.to_owned(),
            escopos: scopes.text(),
            created_at_ms: now_ms,
            ..ApiKey::default()
        };
        Ok(Known::new(key, account, now_ms))
    }

    /// The key is bound to addresses.
    pub fn is_bound(&self) -> bool {
        self.nets.is_some()
    }

    /// The key may be used from there.
    pub fn admits(&self, address: IpAddr) -> bool {
        let nets = self.nets.as_deref();
        nets.is_none_or(|nets| nets.iter().any(|net| net.has(address)))
    }
}

#[derive(Default)]
pub struct Keys(Mutex<Remembered>);

#[derive(Default)]
struct Remembered {
    known: HashMap<String, Arc<Known>>,
    /// Grows with each key that is forgotten. A look-up that began before is
    /// then not remembered, because it may have read the key as it was.
    forgotten: u64,
}

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
        let (known, forgotten) = {
            let remembered = self.lock();
            (remembered.known.get(digest).cloned(), remembered.forgotten)
        };
        if let Some(known) = known.filter(|known| (0..FRESH_MS).contains(&(now_ms - known.read_ms)))
        {
            return Ok(Some(known));
        }
        let mut conn = db.read().await?;
        let Some(key) = store::tables::api_keys::by_digest(&mut conn, digest).await? else {
            return Ok(None);
        };
        let account = store::tables::accounts::get(&mut conn, &key.account_id)
            .await?
            .present("account of a key", &key.id)?;
        let known = Arc::new(Known::new(key, account, now_ms));
        let mut remembered = self.lock();
        if remembered.forgotten == forgotten {
            if remembered.known.len() >= REMEMBERED {
                remembered.known.clear();
            }
            remembered.known.insert(digest.to_owned(), known.clone());
        }
        Ok(Some(known))
    }

    /// Lets the next call with this key read it anew: it changed.
    pub fn forget(&self, digest: &str) {
        let mut remembered = self.lock();
        remembered.known.remove(digest);
        remembered.forgotten += 1;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Remembered> {
        self.0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
