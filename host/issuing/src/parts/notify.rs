//! Wakes calls that wait for a document to change, and tells them its answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// What a call about a document is answered: status and body.
pub type Told = (u16, String);

/// One place per document somebody waits for.
#[derive(Default)]
pub struct Notifier(Mutex<HashMap<String, Arc<Place>>>);

#[derive(Default)]
struct Place {
    notify: Notify,
    last: Mutex<Last>,
}

/// How often the document changed, and the last answer told, with the number of its
/// change: a call is not told one of before it came.
#[derive(Default)]
struct Last {
    count: u64,
    answer: Option<(u64, Told)>,
}

/// Interest in a document; ends when dropped.
pub struct Watch {
    notifier: Arc<Notifier>,
    subject: String,
    place: Arc<Place>,
    /// Changes before it began.
    before: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Notifier {
    /// Watches a document. Changes after this call are not missed if the
    /// caller creates `changed()` before it reads.
    pub fn watch(self: &Arc<Notifier>, subject: &str) -> Watch {
        let place = {
            let mut map = lock(&self.0);
            map.entry(subject.to_owned()).or_default().clone()
        };
        let before = lock(&place.last).count;
        Watch {
            notifier: self.clone(),
            subject: subject.to_owned(),
            place,
            before,
        }
    }

    /// Says that a document changed.
    pub fn changed(&self, subject: &str) {
        if let Some(place) = lock(&self.0).get(subject) {
            lock(&place.last).count += 1;
            place.notify.notify_waiters();
        }
    }

    /// Says that a document changed, and what a call about it is answered from now on.
    pub fn settled(&self, subject: &str, answer: Told) {
        if let Some(place) = lock(&self.0).get(subject) {
            {
                let mut last = lock(&place.last);
                last.count += 1;
                last.answer = Some((last.count, answer));
            }
            place.notify.notify_waiters();
        }
    }
}

impl Watch {
    /// Ends with the next change.
    pub fn changed(&self) -> tokio::sync::futures::Notified<'_> {
        self.place.notify.notified()
    }

    /// The answer that was told last since this began, if one was.
    pub fn told(&self) -> Option<Told> {
        let last = lock(&self.place.last);
        let answer = last.answer.as_ref();
        let (_, told) = answer.filter(|(count, _)| *count > self.before)?;
        Some(told.clone())
    }

    /// Nothing was said since this began.
    pub fn unchanged(&self) -> bool {
        lock(&self.place.last).count == self.before
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut map = lock(&self.notifier.0);
        // The map's own reference and ours: nobody else waits.
        if Arc::strong_count(&self.place) <= 2 {
            map.remove(&self.subject);
        }
    }
}
