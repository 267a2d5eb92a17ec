//! Changes of releases by operators, for `/admin/v1` and for the pages.

use super::strangers::Strangers;
use crate::releases::change::{self, Actor, Change, Consent, Refused};
use crate::releases::install::{self, Installed};
use crate::releases::source::Offered;
use crate::releases::{Following, look};
use authority::gateway::Gateway;
use events::parts::Events;
use gate::Services;
use issuing::Issuing;
use std::sync::Arc;
use store::TxError;
use store::tables::releases::ReleaseRow;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};

/// Installations at the same moment, of which one is judged; a component that waits is
/// in memory.
const INSTALLING: usize = 4;

/// What the handlers share.
#[derive(Clone)]
pub(super) struct Desk {
    pub app: Gateway,
    pub issuing: Issuing,
    pub events: Events,
    releases: Following,
    /// One component is judged at a time: it takes a processor for seconds.
    installing: Arc<Mutex<()>>,
    /// Others wait in memory, but not many.
    room: Arc<Semaphore>,
    pub strangers: Strangers,
}

/// What an operator says yes to.
#[derive(Default)]
pub(super) struct Yes {
    /// The release may ask for more than the one in use.
    pub allow_more: bool,
    /// The releases that were looked at, as in [`Consent`].
    pub seen: Option<String>,
    /// How the digest begins of what is to be promoted or given up.
    pub meant: Option<String>,
    /// A rollback may leave nothing in use.
    pub nothing: bool,
}

impl Yes {
    /// Yes to a release that asks for more, or no.
    pub fn more(allow_more: bool) -> Yes {
        Yes {
            allow_more,
            ..Yes::default()
        }
    }
}

impl Desk {
    pub fn new(services: &Services, releases: &Following) -> Desk {
        Desk {
            app: services.issuing.gateway.clone(),
            issuing: services.issuing.clone(),
            events: services.events.clone(),
            releases: releases.clone(),
            installing: Arc::default(),
            room: Arc::new(Semaphore::new(INSTALLING)),
            strangers: Strangers::default(),
        }
    }

    /// Who changes something now. `name` stands in the rows of `adapter_actions`.
    pub fn actor(&self, name: &str) -> Actor {
        Actor {
            name: name.to_owned(),
            now_ms: self.app.now_ms(),
        }
    }

    /// Room for one more installation; None: as many as there may be are under way.
    pub fn room(&self) -> Option<OwnedSemaphorePermit> {
        self.room.clone().try_acquire_owned().ok()
    }

    /// Judges a component, after those that came before it. A client that goes away does
    /// not end the judging, so the next one begins only after it: processors are few.
    ///
    /// # Errors
    /// Outside: the judging itself failed. Inside: the sentence that refuses the component.
    pub async fn judged(
        &self,
        offered: Offered,
        actor: Actor,
    ) -> anyhow::Result<anyhow::Result<Installed>> {
        let alone = self.installing.clone().lock_owned().await;
        let app = self.app.clone();
        let judging = tokio::spawn(async move {
            let _alone = alone;
            let registry = app.registry.load();
            install::install(&app.config, &app.db, registry, offered, None, &actor).await
        });
        Ok(judging.await?)
    }

    /// Makes the change; this node follows at once, the others when they look next. The
    /// releases of the adapter after it.
    ///
    /// # Errors
    /// It is none that can be made now, or the database failed.
    pub async fn changed(
        &self,
        name: &str,
        change: Change,
        yes: Yes,
        actor: Actor,
    ) -> Result<Vec<ReleaseRow>, TxError<Refused>> {
        let in_folder = self.app.catalog.in_folder(name);
        let consent = Consent {
            allow_more: yes.allow_more,
            replaced: in_folder.is_some(),
            in_folder: in_folder.and_then(|it| it.permissions.as_deref().cloned()),
            seen: yes.seen,
            meant: yes.meant,
            nothing: yes.nothing,
        };
        let rows = change::make(&self.app.db, name, change, &consent, &actor).await?;
        look(&self.app, &self.releases).await?;
        Ok(rows)
    }
}
