//! What `hub up` does not begin.

use crate::lane::{Lane, program};
use std::time::Duration;
use tests::app::Backend;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn up_refuses_where_its_calls_could_not_work() {
    let folder = tempfile::tempdir().expect("folder");
    let program = tokio::task::spawn_blocking(program).await.expect("hub");
    let ran = tokio::process::Command::new(program)
        .args(["up", "--listen", "127.0.0.1:0"])
        .current_dir(folder.path())
        // `cargo test` says where the checkout is.
        .env_remove("CARGO_MANIFEST_DIR")
        .kill_on_drop(true)
        .output();
    let ran = tokio::time::timeout(Duration::from_secs(60), ran).await;
    let ran = ran.expect("it serves").expect("hub");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(!ran.status.success() && ran.stdout.is_empty(), "{said}");
    for words in ["dps, sefaz", "in the checkout", "hub adapter build"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let made = std::fs::read_dir(folder.path()).expect("folder").count();
    assert_eq!(made, 0, "nobody wanted a data folder here");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn up_builds_nothing_under_a_hub_that_runs() {
    let lane = Lane::open(Backend::Sqlite, &[]).await;
    let lane = lane.expect("SQLite is always there");
    let _node = lane.node().await;
    let simulated = "all authorities are simulated";
    assert!(lane.log().contains(simulated), "{}", lane.log());
    let (went, said) = lane.command(&["up"]).await;
    assert!(!went && said.contains("another process holds it"), "{said}");
    assert!(!said.contains("building"), "{said}");
}
