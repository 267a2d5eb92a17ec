//! `hub adapter install` that is killed: a component is installed whole, or not at all.

use crate::lane::{City, Lane};
use serde_json::{Value, json};
use tests::adapters;
use tests::app::Backend;

const KEPT: &str = "SELECT (SELECT COUNT(*) FROM adapter_components) \
     + (SELECT COUNT(*) FROM adapter_releases) + (SELECT COUNT(*) FROM adapter_actions)";

async fn killed_while_it_installs(backend: Backend) {
    let changes = [
        ("HUB_ADAPTERS_REQUIRE_SIGNATURE", "false"),
        ("HUB_FAULT_KILL", "0"),
    ];
    let lane = Lane::open_with(backend, &[City::National], &changes).await;
    let Some(mut lane) = lane else { return };
    // Another component than that of the folder, which does the same.
    let mut bytes = std::fs::read(adapters::folder().join("dps.wasm")).expect("adapter");
    bytes.extend([0, 4, 2, b'r', b'v', 1]);
    let file = lane.file("release.wasm");
    std::fs::write(&file, &bytes).expect("component");
    let install = ["adapter", "install", file.to_str().expect("a name")];
    for point in ["install", "install, before commit"] {
        lane.set("HUB_FAULT_KILL", point.to_owned());
        let (went, said) = lane.command(&install).await;
        assert!(!went, "{point}: {said}");
        assert_eq!(lane.count(KEPT).await, 0, "{point}");
    }
    lane.set("HUB_FAULT_KILL", "0".to_owned());
    let (went, said) = lane.command(&install).await;
    assert!(went && said.contains(": installed;"), "{said}");
    assert_eq!(lane.count(KEPT).await, 3);
    let (went, said) = lane.command(&["adapter", "list"]).await;
    assert!(went && said.contains("dps\tstaged\t"), "{said}");
    let digest = flow::hex(&openssl::sha::sha256(&bytes));
    let inspect = ["adapter", "inspect", "dps", &digest[..12], "--json"];
    let (went, said) = lane.command(&inspect).await;
    assert!(went, "{said}");
    // The log may stand behind it.
    let mut values = serde_json::Deserializer::from_str(&said).into_iter::<Value>();
    let inspected = values.next().and_then(Result::ok).expect("JSON");
    assert_eq!(inspected["digest"], digest);
    assert_eq!(inspected["instalacao"]["estado"], "staged");
    assert_eq!(inspected["discordancias"], json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_while_it_installs_on_sqlite() {
    killed_while_it_installs(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_while_it_installs_on_postgres() {
    killed_while_it_installs(Backend::Postgres).await;
}
