//! A note that was issued before its adapter changed. Months may lie between the note and
//! its cancelling, and the adapter may have been mended.

use crate::city::body;
use crate::releases::{Stage, revision};
use hub::adapter::record;
use hub::releases::change::Change;
use serde_json::json;
use tests::app::Backend;

/// A release is activated between the issuing of a note and its cancelling, which succeeds:
/// by it, or where it cannot go on, by the component that issued the note.
async fn cancelled_after(backend: Backend, release: &[u8], goes_on: bool) {
    if let Some(stage) = Stage::start(backend).await {
        stage.cancels_after(release, goes_on).await;
    }
}

/// The same where the component that issued the note cannot look at it either: nothing is
/// lost with a release that cannot.
async fn cancelled_without_a_look(backend: Backend) {
    if let Some(stage) = Stage::start(backend).await {
        stage.activate(&without_a_look(1)).await;
        stage.cancels_after(&without_a_look(2), true).await;
    }
}

impl Stage {
    async fn activate(&self, release: &[u8]) -> String {
        let release = self.install(&self.signed(release)).await;
        let digest = release.expect("install").digest;
        let activate = Change::Activate(digest.clone());
        self.change(activate).await.expect("activate");
        self.look().await;
        assert_eq!(self.current(), digest);
        digest
    }

    async fn cancels_after(&self, release: &[u8], goes_on: bool) {
        let issued = self.app.post("/api/v1/nfse", &body(&self.emitter)).await;
        let before = self.current();
        let digest = self.activate(release).await;
        let reason = json!({
            "ref": issued.text_at("/nota_id"),
            "codigo_motivo": "erro_emissao",
            "justificativa": "Serviço emitido com o valor errado",
        });
        let cancelled = self.app.post("/api/v1/nfse/cancelar", &reason).await;
        assert_eq!(cancelled.summary(), "200 cancelada", "{}", cancelled.text);
        let used = if goes_on { &digest } else { &before };
        for (subject, used) in [
            (issued.text_at("/nota_id"), &before),
            (cancelled.text_at("/evento_id"), used),
        ] {
            let flows = record::of_note(&self.app.app.db, subject).await;
            let flows = flows.expect("database");
            assert!(!flows.is_empty(), "{subject}");
            let mut digests = flows.iter().map(|(row, _)| &row.digest);
            assert!(digests.all(|digest| digest == used), "{subject}");
        }
    }
}

/// A release whose operation for looking at a note has another name.
fn without_a_look(number: u8) -> Vec<u8> {
    let mut bytes = revision(number);
    let (name, other) = (b"consultar-nota", b"consultar-nada");
    let place = |bytes: &[u8]| bytes.windows(name.len()).position(|window| window == name);
    assert!(place(&bytes).is_some(), "the component names it");
    while let Some(at) = place(&bytes) {
        bytes[at..at + other.len()].copy_from_slice(other);
    }
    bytes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_by_the_release_of_now_on_sqlite() {
    cancelled_after(Backend::Sqlite, &revision(1), true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_by_the_release_of_now_on_postgres() {
    cancelled_after(Backend::Postgres, &revision(1), true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_by_the_component_that_issued_where_the_release_cannot_on_sqlite() {
    cancelled_after(Backend::Sqlite, &without_a_look(2), false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_by_the_component_that_issued_where_the_release_cannot_on_postgres() {
    cancelled_after(Backend::Postgres, &without_a_look(2), false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_by_the_release_of_now_where_neither_looks_on_sqlite() {
    cancelled_without_a_look(Backend::Sqlite).await;
}
