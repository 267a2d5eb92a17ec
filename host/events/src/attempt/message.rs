//! What is the same in every delivery of an event, to whatever webhook: made once, kept for a
//! while.

use super::envelope::Evento;
use anyhow::Context as _;
use hyper::body::Bytes;
use reqwest::header::HeaderValue;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use store::ids::OutboxId;
use store::tables::outbox::{self, OutboxRow};
use store::{Db, DbError};

/// Bytes of bodies that are kept: some thousands of events, for the webhooks that get them a
/// little later than the first.
const KEPT: usize = 4 << 20;

/// An event as it is sent.
pub struct Message {
    pub(super) id: OutboxId,
    pub(super) id_header: HeaderValue,
    pub(super) kind: HeaderValue,
    /// Shared by all attempts: none of them copies it.
    pub(super) body: Bytes,
}

/// An event as it is sent, or why it is not, for the owner of the webhook.
pub type Made = Result<Arc<Message>, String>;

impl Message {
    fn of(event: &OutboxRow, base_url: &str) -> anyhow::Result<Message> {
        Ok(Message {
            id: event.id.clone(),
            id_header: HeaderValue::from_str(&event.id).context("id")?,
            kind: event.tipo.parse().context("kind")?,
            body: serde_json::to_vec(&Evento::of(event, base_url)?)?.into(),
        })
    }
}

/// What is sent of an event. `base_url` is where links to this hub lead.
///
/// # Errors
/// What is stored of the event cannot be read or stands in no header.
pub fn made(event: &OutboxRow, base_url: &str) -> Made {
    let message = Message::of(event, base_url).map_err(|error| {
        let error = format!("{error:#}");
        tracing::error!(evento.id = %event.id, error, "an event is not sent");
        "O conteúdo do evento não pôde ser lido pelo hub.".to_owned()
    });
    Ok(Arc::new(message?))
}

/// Messages that were made a short time ago, the oldest of them forgotten first.
#[derive(Default)]
pub struct Messages(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    made: HashMap<OutboxId, Arc<Message>>,
    order: VecDeque<Arc<Message>>,
    bytes: usize,
}

impl Messages {
    /// The messages of events, in the order of their ids. None: there is no such event.
    ///
    /// # Errors
    /// The database failed.
    pub async fn of(
        &self,
        db: &Db,
        ids: &[&OutboxId],
        base_url: &str,
    ) -> Result<Vec<Option<Made>>, DbError> {
        let mut found: Vec<Option<Made>> = {
            let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let known = ids.iter().map(|id| kept.made.get(*id));
            known.map(|message| message.cloned().map(Ok)).collect()
        };
        let missing = ids.iter().zip(&found).filter(|(_, made)| made.is_none());
        let missing: Vec<&OutboxId> = missing.map(|(id, _)| *id).collect();
        if missing.is_empty() {
            return Ok(found);
        }
        let rows = outbox::by_ids(&mut db.read().await?, &missing).await?;
        let mut read = HashMap::new();
        for row in rows {
            let made = made(&row, base_url);
            if let Ok(message) = &made {
                self.keep(message);
            }
            read.insert(row.id, made);
        }
        for (id, made) in ids.iter().zip(&mut found) {
            if made.is_none() {
                *made = read.get(*id).cloned();
            }
        }
        Ok(found)
    }

    fn keep(&self, message: &Arc<Message>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept
            .made
            .insert(message.id.clone(), message.clone())
            .is_some()
        {
            // Another webhook's turn made it in the same moment.
            return;
        }
        kept.bytes += message.body.len();
        kept.order.push_back(message.clone());
        while kept.bytes > KEPT {
            let Some(oldest) = kept.order.pop_front() else {
                break;
            };
            kept.bytes -= oldest.body.len();
            kept.made.remove(&oldest.id);
        }
    }
}
