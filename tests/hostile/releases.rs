//! Adapters installed, activated and taken back while a hub issues.

use crate::city::{NEIGHBOUR, body};
use crate::components::{component, importing, renamed, undeclared};
use crate::minisign::Key;
use crate::oci::server::Server;
use base::config::Config;
use flow::component::Ending;
use hub::adapter::source::Source;
use hub::adapter::{player, record};
use hub::releases::change::{self, Actor, Change, Consent, Refused};
use hub::releases::develop::Bench;
use hub::releases::pack;
use hub::releases::{install, source};
use std::path::{Path, PathBuf};
use store::TxError;
use store::ids::EmitterId;
use store::tables::releases::{self, NewComponent, ReleaseStatus};
use tempfile::TempDir;
use tests::app::Backend;
use tests::{TestApp, adapters};

/// A hub with the national adapter in a folder of its own.
pub(crate) struct Stage {
    pub app: TestApp,
    pub key: Key,
    pub emitter: String,
    pub folder: TempDir,
    /// Keys trusted besides those of the settings.
    trusted: Vec<String>,
}

impl Stage {
    pub async fn start(backend: Backend) -> Option<Stage> {
        let folder = tempfile::tempdir().expect("folder");
        let dps = adapters::folder().join("dps.wasm");
        std::fs::copy(dps, folder.path().join("dps.wasm")).expect("adapter");
        let key = Key::generate();
        let app = TestApp::start_with(backend, |config| {
            config.adapters.folder = folder.path().to_owned();
            config.adapters.trusted_keys = vec![Key::generate().public(), key.public()];
            config.adapters.allow_nets = vec!["127.0.0.1".to_owned()];
            config.issuing.wait_ms = 20_000;
        })
        .await?;
        let emitter = app.emitter(NEIGHBOUR.0, NEIGHBOUR.1).await;
        Some(Stage {
            app,
            key,
            emitter,
            folder,
            trusted: Vec::new(),
        })
    }

    fn actor(&self) -> Actor {
        Actor {
            name: "operadora".to_owned(),
            now_ms: self.app.app.now_ms(),
        }
    }

    /// A file with these bytes and the signature of the trusted key.
    pub fn signed(&self, bytes: &[u8]) -> PathBuf {
        let file = self.folder.path().join("release.bin");
        std::fs::write(&file, bytes).expect("component");
        std::fs::write(signature_of(&file), self.key.sign(bytes)).expect("signature");
        file
    }

    pub async fn install(&self, file: &Path) -> Result<install::Installed, String> {
        let mut config = self.app.app.config.clone();
        config.adapters.trusted_keys.extend(self.trusted.clone());
        self.install_from(file.to_str().expect("a name"), &config)
            .await
    }

    /// Installs with these settings; or the sentence that refuses it.
    pub async fn install_from(
        &self,
        place: &str,
        config: &Config,
    ) -> Result<install::Installed, String> {
        let db = &self.app.app.db;
        let registry = self.app.app.registry.load();
        let offered = source::of(place, config).await;
        let offered = offered.map_err(|error| format!("{error:#}"))?;
        let installed = install::install(config, db, registry, offered, None, &self.actor()).await;
        installed.map_err(|error| format!("{error:#}"))
    }

    pub async fn change(&self, change: Change) -> Result<(), TxError<Refused>> {
        self.change_with(change, &self.consent(false)).await
    }

    /// With what the component of the folder may do, as the command line gives it.
    fn consent(&self, allow_more: bool) -> Consent {
        let bytes = std::fs::read(self.folder.path().join("dps.wasm")).expect("adapter");
        let loaded = crate::stage::runtime().load(&bytes, Some(&adapters::cache()));
        Consent {
            allow_more,
            in_folder: loaded.expect("it loads").permissions.as_deref().cloned(),
            replaced: true,
            ..Consent::default()
        }
    }

    async fn change_with(&self, change: Change, consent: &Consent) -> Result<(), TxError<Refused>> {
        let made = change::make(&self.app.app.db, "dps", change, consent, &self.actor()).await;
        made.map(|_| ())
    }

    /// What the watcher does every second.
    pub async fn look(&self) {
        let app = &self.app.app;
        hub::releases::look(&app.issuing.gateway, &app.releases)
            .await
            .expect("look");
    }

    pub fn current(&self) -> String {
        let current = self.app.app.catalog.current("dps");
        current.expect("a component").digest.clone()
    }

    pub async fn issue(&self) -> String {
        let answer = self.app.post("/api/v1/nfse", &body(&self.emitter)).await;
        answer.summary()
    }

    pub async fn statuses(&self) -> Vec<ReleaseStatus> {
        let mut conn = self.app.app.db.read().await.expect("connection");
        let own = releases::of(&mut conn, "dps").await.expect("releases");
        own.iter().map(|release| release.status).collect()
    }
}

fn signature_of(file: &Path) -> PathBuf {
    PathBuf::from(format!("{}.minisig", file.display()))
}

/// The national adapter as another release: a custom section changes its digest
/// and nothing it does.
pub(crate) fn revision(number: u8) -> Vec<u8> {
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
    let signs = "sign infDPS of http://www.sped.fazenda.gov.br/nfse";
    assert!(first.may.iter().any(|line| line.starts_with(signs)));
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
    slipped_in(stage, component("panic@dps")).await
}

/// A component as a release, past the judges.
pub(crate) async fn slipped_in(stage: &Stage, component: Vec<u8>) -> String {
    let loaded = stage.app.app.catalog.admit(&component).expect("it loads");
    let digest = loaded.digest.clone();
    let row = NewComponent {
        name: loaded.description.name.clone(),
        digest: digest.clone(),
        version: "9.9.9".to_owned(),
        signed_by: stage.key.public(),
        permissions: serde_json::to_string(loaded.permissions.as_deref().expect("declared"))
            .expect("JSON"),
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
        .change_with(Change::Activate(bad.clone()), &stage.consent(true))
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

/// Endings are put where flows put them: a city that refuses is not needed.
async fn a_release_that_refuses_more_is_taken_back(stage: Stage) {
    let ended = |digest: &str, endings: &[(Ending, usize)], emitters: usize| {
        let component = stage.app.app.catalog.known(digest).expect("it is loaded");
        for (ending, count) in endings {
            for number in 0..*count {
                let emitter = format!("emitter {}", number % emitters);
                let now_ms = stage.app.app.now_ms();
                component.health.ended(now_ms, &emitter, *ending);
            }
        }
    };
    let of_folder = stage.current();
    ended(&of_folder, &[(Ending::Good, 90), (Ending::Refused, 10)], 5);
    let mut releases = Vec::new();
    for number in 1..=4 {
        let file = stage.signed(&revision(number));
        let release = stage.install(&file).await.expect("install");
        releases.push(release.digest);
    }
    use Ending::{Broke, Good, Refused, Unexpected};
    type Ended<'e> = &'e [(Ending, usize)];
    let verdicts: [(Ended<'_>, usize, bool); 4] = [
        // A fifth of the notes is refused, not a tenth: that happens.
        (&[(Good, 40), (Refused, 10)], 5, true),
        // One emitter alone breaks it.
        (&[(Good, 30), (Broke, 1), (Broke, 1), (Broke, 1)], 5, true),
        (&[(Good, 30), (Unexpected, 6)], 5, false),
        (&[(Good, 10), (Refused, 10)], 5, false),
    ];
    for (digest, (endings, emitters, stays)) in releases.iter().zip(verdicts) {
        let canary = Change::Canary(digest.clone(), 50);
        stage.change(canary).await.expect("canary");
        stage.look().await;
        ended(digest, endings, emitters);
        stage.look().await;
        let mut conn = stage.app.app.db.read().await.expect("connection");
        let own = releases::of(&mut conn, "dps").await.expect("releases");
        let status = own
            .iter()
            .find(|row| row.digest == *digest)
            .map(|row| row.status);
        let expected = if stays {
            ReleaseStatus::Canary
        } else {
            ReleaseStatus::Quarantined
        };
        assert_eq!(status, Some(expected), "{endings:?}");
    }
    assert_eq!(stage.current(), of_folder);
}

/// As a canary it would not be there for a rollback.
async fn the_release_before_is_no_canary(stage: Stage) {
    let mut digests = Vec::new();
    for number in 1..=2 {
        let file = stage.signed(&revision(number));
        let release = stage.install(&file).await.expect("install");
        let activate = Change::Activate(release.digest.clone());
        stage.change(activate).await.expect("activate");
        digests.push(release.digest);
    }
    let refused = stage.change(Change::Canary(digests[0].clone(), 10)).await;
    assert!(matches!(refused, Err(TxError::Abort(Refused::Previous(_)))));
    stage.change(Change::Rollback).await.expect("rollback");
    stage.look().await;
    assert_eq!(stage.current(), digests[0]);
}

/// What `hub adapter record` makes of a note: a case that passes, with nobody in it.
async fn a_note_becomes_a_case(stage: Stage) {
    let answer = stage.app.post("/api/v1/nfse", &body(&stage.emitter)).await;
    let note = answer.text_at("/nota_id");
    let flows = record::of_note(&stage.app.app.db, note).await;
    let flows = flows.expect("database");
    assert_eq!(flows.len(), 1);
    let runtime = &stage.app.app.driver.runtime;
    let loaded = stage.app.app.catalog.current("dps").expect("adapter");
    let case = stage.folder.path().join("emitir");
    record::write(runtime, &loaded, &flows[0], &case).expect("recorded");
    let played = player::play(runtime, &loaded, &case).expect("it passes");
    assert!(!played.requests.is_empty());
    let about = std::fs::read_to_string(case.join("case.toml")).expect("case.toml");
    assert!(about.contains("synthetic: simulated authority"), "{about}");
    let (row, _) = &flows[0];
    let content: serde_json::Value = serde_json::from_str(&row.conteudo).expect("content");
    let customer = content["tomador"]["cpf_cnpj"].as_str().expect("customer");
    let name = content["tomador"]["nome"].as_str().expect("name");
    for file in std::fs::read_dir(&case).expect("folder") {
        let file = file.expect("file").path();
        let text = std::fs::read(&file).expect("file");
        let text = String::from_utf8_lossy(&text);
        for person in [NEIGHBOUR.0, customer, name, row.id.as_str()] {
            assert!(!text.contains(person), "{}: {person}", file.display());
        }
    }
    let again = record::write(runtime, &loaded, &flows[0], &case);
    assert!(again.is_err(), "nothing is overwritten");
}

/// What `hub adapter pack` writes is what `install` takes.
async fn a_maintainer_packs_a_release(mut stage: Stage) {
    let keys = stage.folder.path().join("keys");
    std::fs::create_dir(&keys).expect("folder");
    let (secret, public) = (keys.join("hub.key"), keys.join("hub.pub"));
    let made = std::process::Command::new("minisign")
        .args(["-G", "-W", "-f", "-s"])
        .arg(&secret)
        .arg("-p")
        .arg(&public)
        .output();
    if made.is_err() {
        judges::skipped("minisign is not installed");
        return;
    }
    let out = keys.join("out");
    let config = stage.app.app.config.clone();
    let registry = stage.app.app.registry.load();
    let source = Source::of(&adapters::workspace(), "dps");
    let packed = pack::pack(&config, registry, source, &out, Some(&secret)).await;
    let packed = packed.expect("packed");
    let about = std::fs::read(&packed.about).expect("about");
    let about: serde_json::Value = serde_json::from_slice(&about).expect("JSON");
    let refused = stage.install(&packed.component).await.err();
    assert!(
        refused.is_some_and(|why| why.contains("of no key")),
        "not trusted yet"
    );
    let public = std::fs::read_to_string(public).expect("key");
    let public = public.lines().nth(1).expect("its second line").to_owned();
    stage.trusted = vec![public.clone()];
    let installed = stage.install(&packed.component).await.expect("installed");
    assert_eq!(about["digest"], installed.digest);
    assert_eq!(about["version"], installed.version);
    // And so is what it uploads to a registry.
    if let Some(server) = Server::start("", &[]) {
        let address = format!("oci://{}/dps:{}", server.host, packed.version);
        let pushed = pack::push(&config, &packed, &address).await;
        let mut config = config;
        config.adapters.trusted_keys = vec![public];
        let again = stage.install_from(&pushed.expect("pushed"), &config).await;
        assert_eq!(again.expect("installed").digest, installed.digest);
    }
}

fn bench(stage: &Stage) -> Bench {
    let mut config = stage.app.app.config.clone();
    config.adapters.require_signature = false;
    Bench {
        config,
        db: stage.app.app.db.clone(),
        registry: stage.app.app.registry.load(),
        source: Source::of(&adapters::workspace(), "dps"),
        made: Vec::new(),
    }
}

/// What `hub adapter dev` does when a file was saved.
async fn a_contributor_saves_a_file(stage: Stage) {
    let mut bench = bench(&stage);
    let now_ms = stage.app.app.now_ms();
    let said = bench.round(now_ms).await.expect("built");
    assert!(said.contains("cases passed"), "{said}");
    assert_eq!(stage.statuses().await, [ReleaseStatus::Active]);
    let said = bench.round(now_ms).await.expect("built");
    assert!(said.contains("in use already"), "{said}");
    stage.look().await;
    assert_eq!(stage.issue().await, "201 autorizada");
}

/// Of what `hub adapter dev` made, the active release and the one before it stay.
async fn saves_leave_two_releases(stage: Stage) {
    let mut bench = bench(&stage);
    for number in 1..=4 {
        let file = stage.signed(&revision(number));
        let made = stage.install(&file).await.expect("install");
        let activate = Change::Activate(made.digest.clone());
        stage.change(activate).await.expect("activate");
        bench.made.push(made.digest);
    }
    bench.forget("dps").await.expect("forgotten");
    assert_eq!(
        stage.statuses().await,
        [ReleaseStatus::Previous, ReleaseStatus::Active]
    );
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

/// An update asks for more than what is in use: an element, a secret, an endpoint.
async fn an_update_does_not_grow_by_itself(stage: Stage) {
    let of_folder = stage.current();
    let grown = slipped_in(&stage, component("grown@dps")).await;
    let sentence = async |change: Change| match stage.change(change).await {
        Err(TxError::Abort(refused @ Refused::More { .. })) => refused.to_string(),
        other => panic!("{other:?}"),
    };
    for change in [
        Change::Activate(grown.clone()),
        Change::Canary(grown[..12].to_owned(), 10),
    ] {
        let refused = sentence(change).await;
        assert_eq!(refused.lines().count(), 1, "one sentence: {refused}");
        for new in ["sign Outro of", "send secret token to ws", "--allow-more"] {
            assert!(refused.contains(new), "{new}: {refused}");
        }
    }
    stage.look().await;
    assert_eq!(stage.current(), of_folder, "nothing changed");
    assert_eq!(stage.statuses().await, [ReleaseStatus::Staged]);
    assert_eq!(stage.issue().await, "201 autorizada");

    // The operator says yes, each time: the canary, and all of it.
    let yes = stage.consent(true);
    let canary = Change::Canary(grown.clone(), 10);
    stage.change_with(canary, &yes).await.expect("canary");
    assert!(sentence(Change::Promote).await.contains("token"));
    stage
        .change_with(Change::Promote, &yes)
        .await
        .expect("promote");
    assert_eq!(stage.statuses().await, [ReleaseStatus::Active]);
    // What asks for no more than what is in use then needs no yes.
    let mut same = component("grown@dps");
    same.extend([0, 4, 2, b'r', b'v', 1]);
    let same = Change::Activate(slipped_in(&stage, same).await);
    stage.change(same).await.expect("the same permissions");

    let mut conn = stage.app.app.db.read().await.expect("connection");
    let actions = releases::actions(&mut conn, 100).await.expect("actions");
    let refused = actions.iter().filter(|row| row.action == "refuse");
    let refused: Vec<_> = refused.collect();
    assert_eq!(refused.len(), 3, "each attempt left a row");
    assert!(refused.iter().all(|row| {
        row.digest == grown
            && row.actor == "operadora"
            && row.detail.contains("send secret token to ws")
    }));
}

on_both!(
    an_update_does_not_grow_by_itself,
    swaps_and_takes_back,
    a_bad_release_is_taken_back,
    a_release_that_refuses_more_is_taken_back,
    the_release_before_is_no_canary,
    saves_leave_two_releases,
    a_note_becomes_a_case,
    a_canary_serves_a_part
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_checkout_becomes_releases() {
    let stage = Stage::start(Backend::Sqlite).await.expect("always there");
    a_contributor_saves_a_file(stage).await;
    let stage = Stage::start(Backend::Sqlite).await.expect("always there");
    a_maintainer_packs_a_release(stage).await;
}

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
    // Both nodes follow by themselves, within a second and a compilation.
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
        (undeclared("unable"), "declares no permissions"),
        (
            component("wide-nfe"),
            "too wide: element c of http://www.portalfiscal",
        ),
        (
            renamed(&component("unable"), "@0.1.0", "@0.9.0"),
            "this hub fiscal:provider@0.1.0",
        ),
        (
            importing("wasi:filesystem/types@0.2.3"),
            "wasi:filesystem/types@0.2.3, which the hub does not offer",
        ),
    ];
    for (bytes, expected) in cases {
        let refused = sentence(&stage.signed(&bytes)).await;
        assert!(refused.contains(expected), "{expected}: {refused}");
    }
    assert!(stage.statuses().await.is_empty(), "nothing was kept");
}
