//! Adapters installed, activated and taken back while a hub issues.

use crate::city::{NEIGHBOUR, body};
use crate::components::component;
use crate::minisign::Key;
use hub::releases::change::{self, Actor, Change, Refused};
use hub::releases::install;
use std::path::{Path, PathBuf};
use store::TxError;
use store::ids::EmitterId;
use store::tables::releases::{self, NewComponent, ReleaseStatus};
use tempfile::TempDir;
use tests::app::Backend;
use tests::{TestApp, adapters};

/// A hub with the national adapter in a folder of its own.
struct Stage {
    app: TestApp,
    key: Key,
    emitter: String,
    folder: TempDir,
}

impl Stage {
    async fn start(backend: Backend) -> Option<Stage> {
        let folder = tempfile::tempdir().expect("folder");
        let dps = adapters::folder().join("dps.wasm");
        std::fs::copy(dps, folder.path().join("dps.wasm")).expect("adapter");
        let key = Key::generate();
        let app = TestApp::start_with(backend, |config| {
            config.adapters.folder = folder.path().to_owned();
            config.adapters.trusted_keys = vec![Key::generate().public(), key.public()];
            config.issuing.wait_ms = 20_000;
        })
        .await?;
        let emitter = app.emitter(NEIGHBOUR.0, NEIGHBOUR.1).await;
        Some(Stage {
            app,
            key,
            emitter,
            folder,
        })
    }

    fn actor(&self) -> Actor {
        Actor {
            name: "operadora".to_owned(),
            now_ms: self.app.app.now_ms(),
        }
    }

    /// A file with these bytes and the signature of the trusted key.
    fn signed(&self, bytes: &[u8]) -> PathBuf {
        let file = self.folder.path().join("release.bin");
        std::fs::write(&file, bytes).expect("component");
        std::fs::write(signature_of(&file), self.key.sign(bytes)).expect("signature");
        file
    }

    async fn install(&self, file: &Path) -> Result<install::Installed, String> {
        let (config, db) = (&self.app.app.config, &self.app.app.db);
        let registry = self.app.app.registry.load();
        let installed = install::install(config, db, &registry, file, None, &self.actor()).await;
        installed.map_err(|error| format!("{error:#}"))
    }

    async fn change(&self, change: Change) -> Result<(), TxError<Refused>> {
        let made = change::make(&self.app.app.db, "dps", change, &self.actor()).await;
        made.map(|_| ())
    }

    /// What the watcher does every two seconds.
    async fn look(&self) {
        let app = &self.app.app;
        hub::releases::look(&app.issuing.gateway, &app.releases)
            .await
            .expect("look");
    }

    fn current(&self) -> String {
        let current = self.app.app.catalog.current("dps");
        current.expect("a component").digest.clone()
    }

    async fn issue(&self) -> String {
        let answer = self.app.post("/api/v1/nfse", &body(&self.emitter)).await;
        answer.summary()
    }

    async fn statuses(&self) -> Vec<ReleaseStatus> {
        let mut conn = self.app.app.db.read().await.expect("connection");
        let all = releases::all(&mut conn).await.expect("releases");
        all.iter().map(|release| release.status).collect()
    }
}

fn signature_of(file: &Path) -> PathBuf {
    PathBuf::from(format!("{}.minisig", file.display()))
}

/// The national adapter as another release: a custom section changes its digest
/// and nothing it does.
fn revision(number: u8) -> Vec<u8> {
    let mut bytes = std::fs::read(adapters::folder().join("dps.wasm")).expect("adapter");
    bytes.extend([0, 4, 2, b'r', b'v', number]);
    bytes
}

async fn swaps_and_takes_back(stage: Stage) {
    let of_folder = stage.current();
    let first = stage
        .install(&stage.signed(&revision(1)))
        .await
        .expect("install");
    assert!(first.new);
    let again = stage
        .install(&stage.signed(&revision(1)))
        .await
        .expect("install");
    assert!(!again.new, "the same component is one release");
    stage.look().await;
    assert_eq!(stage.current(), of_folder, "nothing uses a staged release");

    let second = stage
        .install(&stage.signed(&revision(2)))
        .await
        .expect("install");
    for digest in [&first.digest, &second.digest] {
        // Notes are under way while the release changes.
        let swap = async {
            stage
                .change(Change::Activate(digest[..12].to_owned()))
                .await
                .expect("activate");
            stage.look().await;
        };
        let (one, two, three, ()) = tokio::join!(stage.issue(), stage.issue(), stage.issue(), swap);
        assert_eq!([one, two, three], ["201 autorizada"; 3]);
        assert_eq!(stage.current(), *digest);
    }
    assert_eq!(
        stage.statuses().await,
        [ReleaseStatus::Previous, ReleaseStatus::Active]
    );

    stage.change(Change::Rollback).await.expect("rollback");
    stage.look().await;
    assert_eq!(stage.current(), first.digest);
    stage.change(Change::Rollback).await.expect("rollback");
    stage.look().await;
    assert_eq!(stage.current(), of_folder);
    let refused = stage.change(Change::Rollback).await;
    assert!(matches!(
        refused,
        Err(TxError::Abort(Refused::NothingActive(_)))
    ));
    assert_eq!(stage.issue().await, "201 autorizada");

    let mut conn = stage.app.app.db.read().await.expect("connection");
    let actions = releases::actions(&mut conn, 100).await.expect("actions");
    let mut words: Vec<&str> = actions.iter().map(|row| row.action.as_str()).collect();
    words.sort_unstable();
    assert_eq!(
        words,
        [
            "activate", "activate", "install", "install", "rollback", "rollback"
        ]
    );
    assert!(actions.iter().all(|row| row.actor == "operadora"));
}

/// A release that judges let pass and that breaks each of its flows.
async fn bad(stage: &Stage) -> String {
    let component = component("panic@dps");
    let loaded = stage.app.app.catalog.admit(&component).expect("it loads");
    let digest = loaded.digest.clone();
    let row = NewComponent {
        name: "dps".to_owned(),
        digest: digest.clone(),
        version: "9.9.9".to_owned(),
        signed_by: stage.key.public(),
        component,
        now_ms: stage.app.app.now_ms(),
    };
    let written = stage.app.app.db.write(row, |row, conn| {
        Box::pin(async move {
            releases::install(conn, row).await?;
            Ok::<_, TxError<std::convert::Infallible>>(())
        })
    });
    written.await.expect("written");
    digest
}

async fn a_bad_release_is_taken_back(stage: Stage) {
    let good = stage
        .install(&stage.signed(&revision(1)))
        .await
        .expect("install");
    stage
        .change(Change::Activate(good.digest.clone()))
        .await
        .expect("activate");
    stage.look().await;
    let bad = bad(&stage).await;
    stage
        .change(Change::Activate(bad.clone()))
        .await
        .expect("activate");
    stage.look().await;
    let (_, credits) = (stage.issue().await, stage.app.balance().await);
    for _ in 0..2 {
        assert_eq!(stage.issue().await, "502 falha_do_adaptador");
    }
    assert_eq!(
        stage.app.balance().await,
        credits,
        "a broken flow costs nothing"
    );
    stage.look().await;
    assert_eq!(
        stage.current(),
        good.digest,
        "the hub took it back by itself"
    );
    assert_eq!(stage.issue().await, "201 autorizada");
    let refused = stage.change(Change::Activate(bad)).await;
    assert!(matches!(
        refused,
        Err(TxError::Abort(Refused::Quarantined(..)))
    ));
    stage.app.check_invariants().await;
}

/// A canary is used by its part of the emitters, and by them always.
async fn a_canary_serves_a_part(stage: Stage) {
    let of_folder = stage.current();
    let release = stage
        .install(&stage.signed(&revision(1)))
        .await
        .expect("install");
    let canary = Change::Canary(release.digest.clone(), 30);
    stage.change(canary).await.expect("canary");
    stage.look().await;
    assert_eq!(stage.current(), of_folder);
    let catalog = &stage.app.app.catalog;
    let chosen = |number: usize| {
        let component = catalog.chosen("dps", &EmitterId::from(format!("emi_{number}")));
        component.expect("a component").digest.clone()
    };
    let part = (0..1_000).filter(|number| chosen(*number) == release.digest);
    let part = part.count();
    assert!((250..350).contains(&part), "{part} of 1,000");
    assert!((0..100).all(|number| chosen(number) == chosen(number)));
    stage.change(Change::Promote).await.expect("promote");
    stage.look().await;
    assert_eq!(stage.current(), release.digest);
}

macro_rules! on_both {
    ($($name:ident),*) => {$(
        mod $name {
            use super::*;

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                let stage = Stage::start(Backend::Sqlite).await.expect("always there");
                super::$name(stage).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                if let Some(stage) = Stage::start(Backend::Postgres).await {
                    super::$name(stage).await;
                }
            }
        }
    )*};
}

on_both!(
    swaps_and_takes_back,
    a_bad_release_is_taken_back,
    a_canary_serves_a_part
);

/// Another node of the same database serves what an operator activated, though the
/// component was never on its disk.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_node_follows() {
    let Some(stage) = Stage::start(Backend::Postgres).await else {
        return;
    };
    let other = Stage::start_beside(&stage).await;
    let release = stage
        .install(&stage.signed(&revision(7)))
        .await
        .expect("install");
    let digest = release.digest.clone();
    stage
        .change(Change::Activate(digest.clone()))
        .await
        .expect("activate");
    // Both nodes follow by themselves, within two seconds and a compilation.
    tests::until(async || {
        let current = |app: &hub::app::App| app.catalog.current("dps").map(|it| it.digest.clone());
        let both = [current(&stage.app.app), current(&other)];
        if both.iter().all(|current| current.as_ref() == Some(&digest)) {
            Ok(())
        } else {
            Err(format!("{both:?}"))
        }
    })
    .await;
}

impl Stage {
    /// A node with a data folder and an adapters folder of its own.
    async fn start_beside(stage: &Stage) -> hub::app::App {
        let mut config = stage.app.app.config.clone();
        let folder = stage.folder.path().join("other");
        config.storage.data_dir = folder.clone();
        config.adapters.folder = folder.join("adapters");
        std::fs::create_dir_all(&config.adapters.folder).expect("folder");
        let (app, _) = hub::boot::open(config, base::when::system_clock())
            .await
            .expect("hub opens");
        hub::boot::start(&app);
        app
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_may_not_be_installed_says_why() {
    let stage = Stage::start(Backend::Sqlite).await.expect("always there");
    let sentence = async |file: &Path| {
        let refused = stage.install(file).await.err().unwrap_or_default();
        assert_eq!(refused.lines().count(), 1, "one sentence: {refused}");
        refused
    };
    let good = revision(1);
    let file = stage.signed(&good);
    std::fs::remove_file(signature_of(&file)).expect("unsigned");
    assert!(sentence(&file).await.contains("has no signature"));
    std::fs::write(signature_of(&file), Key::generate().sign(&good)).expect("signature");
    assert!(
        sentence(&file)
            .await
            .contains("of no key of adapters.trusted_keys")
    );
    std::fs::write(signature_of(&file), "garbage").expect("signature");
    assert!(sentence(&file).await.contains("release.bin.minisig"));
    let file = stage.signed(&good);
    std::fs::write(&file, revision(2)).expect("tampered");
    assert!(
        sentence(&file)
            .await
            .contains("of no key of adapters.trusted_keys")
    );
    let cases = [
        (vec![0; 40 << 20], "more than"),
        (b"\0asm\x01\0\0\0".to_vec(), "core module"),
        (b"neither".to_vec(), "not a usable component"),
        (component("panic"), "does not conform"),
    ];
    for (bytes, expected) in cases {
        let refused = sentence(&stage.signed(&bytes)).await;
        assert!(refused.contains(expected), "{expected}: {refused}");
    }
    assert!(stage.statuses().await.is_empty(), "nothing was kept");
}
