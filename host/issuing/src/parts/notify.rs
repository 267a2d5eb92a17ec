//! Wakes calls that wait for a document to change.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// One `Notify` per document somebody waits for.
#[derive(Default)]
pub struct Notifier(Mutex<HashMap<String, Arc<Notify>>>);

/// Interest in a document; ends when dropped.
pub struct Watch<'a> {
    notifier: &'a Notifier,
    subject: String,
    notify: Arc<Notify>,
}

impl Notifier {
    /// Watches a document. Changes after this call are not missed if the
    /// caller creates `changed()` before it reads.
    pub fn watch(&self, subject: &str) -> Watch<'_> {
        let mut map = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let notify = map.entry(subject.to_owned()).or_default().clone();
        Watch {
            notifier: self,
            subject: subject.to_owned(),
            notify,
        }
    }

    /// Says that a document changed.
    pub fn changed(&self, subject: &str) {
        let map = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(notify) = map.get(subject) {
            notify.notify_waiters();
        }
    }
}

impl Watch<'_> {
    pub fn changed(&self) -> tokio::sync::futures::Notified<'_> {
        self.notify.notified()
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let mut map = self
            .notifier
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        // The map's own reference and ours: nobody else waits.
        if Arc::strong_count(&self.notify) <= 2 {
            map.remove(&self.subject);
        }
    }
}
