//! Opened keys, kept for a moment: parsing a key and preparing its blinding
//! costs about as much as a signature.

use crate::signing::Signer;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// How long an opened key stays in memory after it was opened.
const KEPT_MS: i64 = 60_000;
/// Keys open at the same moment.
const KEPT: usize = 256;

/// An opened key and the end of its certificate's validity.
pub struct Opened {
    pub signer: Arc<Signer>,
    pub valid_until_ms: i64,
    opened_ms: i64,
}

/// The keys that are open, by a name the caller gives (tenant and
/// certificate).
#[derive(Default)]
pub struct Signers(Mutex<HashMap<String, Arc<Opened>>>);

impl Signers {
    /// A key that is still open.
    pub fn get(&self, name: &str, now_ms: i64) -> Option<Arc<Opened>> {
        self.lock()
            .get(name)
            .filter(|opened| (0..KEPT_MS).contains(&(now_ms - opened.opened_ms)))
            .cloned()
    }

    /// Keeps a key that was just opened; the old ones go.
    pub fn put(&self, name: &str, signer: Signer, valid_until_ms: i64, now_ms: i64) -> Arc<Opened> {
        let opened = Arc::new(Opened {
            signer: Arc::new(signer),
            valid_until_ms,
            opened_ms: now_ms,
        });
        let mut kept = self.lock();
        kept.retain(|_, opened| (0..KEPT_MS).contains(&(now_ms - opened.opened_ms)));
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(name.to_owned(), opened.clone());
        opened
    }

    /// Forgets a key: its certificate was removed.
    pub fn forget(&self, name: &str) {
        self.lock().remove(name);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Opened>>> {
        self.0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
