//! `hub compact` beside a hub that issues: it dies at each of its steps, and every document is
//! byte for byte what it was.

use crate::client::Order;
use crate::lane::{City, Lane, Node};
use serde_json::Value;
use std::path::{Path, PathBuf};
use tests::app::Backend;
use tests::postgres;

const CITIES: [City; 2] = [City::Sefaz, City::National];
const COMPACT: [&str; 3] = ["compact", "--older-than-hours", "0"];
const MOVE: [&str; 3] = ["compact", "--move-older-than-days", "0"];
const VACUUM: [&str; 2] = ["compact", "--vacuum"];

/// The documents of the notes, as the hub gives them.
async fn documents(lane: &Lane, node: &Node, notes: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for id in notes {
        let path = format!("documentos/{id}/xml?formato=binario");
        all.push(lane.asked(node, &path).await);
    }
    all
}

/// The notes as lists show them; each answer has an id of its own.
async fn lists(lane: &Lane, node: &Node) -> Vec<Value> {
    let mut all = Vec::new();
    for list in ["documentos", "nfse", "nfe"] {
        let answer = lane.asked(node, &format!("{list}?limite=100")).await;
        let mut body: Value = serde_json::from_str(&answer).expect("JSON");
        let object = body.as_object_mut().expect("an object");
        object.remove("request_id");
        assert!(
            object["itens"]
                .as_array()
                .is_some_and(|items| !items.is_empty()),
            "{answer}"
        );
        all.push(body);
    }
    all
}

async fn issue(lane: &Lane, node: &Node, key: &str) -> Vec<String> {
    let mut notes = Vec::new();
    for city in CITIES {
        let order = Order::issue(lane, city, format!("{key}-{city:?}"));
        let answer = order.insist(lane, node).await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
        notes.push(answer.text_at("/nota_id").to_owned());
    }
    notes
}

async fn run(backend: Backend) {
    let days = ("HUB_PACKING_MOVE_AFTER_DAYS", "0");
    let Some(mut lane) = Lane::open_with(backend, &CITIES, &[days]).await else {
        return;
    };
    let mut node = lane.node().await;
    let mut notes = issue(&lane, &node, "antes").await;
    lane.settled().await;
    let mut before = documents(&lane, &node, &notes).await;
    for step in [
        "pack, read",
        "pack, before writing",
        "pack, before commit",
        "pack, committed",
    ] {
        lane.command_dying_at(step, &COMPACT).await;
        assert!(documents(&lane, &node, &notes).await == before, "{step}");
        // The hub goes on issuing, and there is something left to pack.
        let more = issue(&lane, &node, &format!("depois-{}", notes.len())).await;
        lane.settled().await;
        before.extend(documents(&lane, &node, &more).await);
        notes.extend(more);
    }
    let shown = lists(&lane, &node).await;
    let (well, said) = lane.command(&COMPACT).await;
    assert!(well && said.contains("packed: "), "{said}");
    assert!(documents(&lane, &node, &notes).await == before);
    assert_eq!(lists(&lane, &node).await, shown);
    let left = "SELECT COUNT(*) FROM notas WHERE packed <> 2 OR detalhes <> '' OR valores <> '' OR busca <> ''";
    assert_eq!(lane.count(left).await, 0, "{said}");
    let left = "SELECT COUNT(*) FROM flows WHERE phase = 'done' AND packed <= 0";
    assert_eq!(lane.count(left).await, 0, "{said}");
    assert_eq!(lane.count("SELECT COUNT(*) FROM artifacts").await, 0);
    assert_eq!(lane.count("SELECT COUNT(*) FROM flow_turns").await, 0);

    // Then they move out of the database.
    for step in [
        "move, before the file",
        "move, file written",
        "move, before commit",
        "move, committed",
    ] {
        lane.command_dying_at(step, &MOVE).await;
        assert!(documents(&lane, &node, &notes).await == before, "{step}");
    }
    let (well, said) = lane.command(&MOVE).await;
    assert!(well && said.contains("moved: "), "{said}");
    let here = "SELECT COUNT(*) FROM packed_records WHERE place = ''";
    assert_eq!(lane.count(here).await, 0, "{said}");
    assert!(documents(&lane, &node, &notes).await == before);
    assert_eq!(lists(&lane, &node).await, shown);
    let (well, said) = lane.command(&["doctor", "--all-records"]).await;
    assert!(well && said.contains("where they moved"), "{said}");
    lane.check("all is packed and moved").await;

    // The room that is left goes back: on SQLite not while a hub runs.
    let (given, said) = lane.command(&VACUUM).await;
    match backend {
        Backend::Sqlite => assert!(!given && said.contains("a hub is running"), "{said}"),
        Backend::Postgres => assert!(given && said.contains("vacuum:"), "{said}"),
    }
    // Another folder is not made a hub's.
    let elsewhere = lane.file("elsewhere").display().to_string();
    let (done, said) = lane.command(&["--data-dir", &elsewhere, "compact"]).await;
    assert!(!done && said.contains("no hub has used"), "{said}");
    assert_eq!(node.stop().await, Some(0));
    let (given, said) = lane.command(&VACUUM).await;
    assert!(given && said.contains("vacuum:"), "{said}");

    let restored = restored(&mut lane, &notes, &before).await;

    // A damaged file is told by its document.
    let damaged = file_below(&restored.join("records"));
    std::fs::write(&damaged, b"not a record").expect("damaged");
    let (well, said) = lane.command(&["doctor", "--all-records"]).await;
    assert!(!well && said.contains("packed record that moved"), "{said}");
}

/// Records and their files are in a backup, and come back from it; the new data folder.
async fn restored(lane: &mut Lane, notes: &[String], before: &[String]) -> PathBuf {
    let backup = lane.file("backup").display().to_string();
    let (made, said) = lane.command(&["backup", &backup]).await;
    assert!(made, "{said}");
    let restored = lane.file("restored");
    lane.set("HUB_STORAGE_DATA_DIR", restored.display().to_string());
    if lane.backend == Backend::Postgres {
        let url = postgres::database().await.expect("PostgreSQL");
        lane.use_database(url).await;
    }
    let (came, said) = lane.command(&["restore", &backup]).await;
    assert!(came && said.contains("doctor: clean"), "{said}");
    Lane::link_cache(&restored);
    if lane.backend == Backend::Sqlite {
        lane.use_database(String::new()).await;
    }
    let mut node = lane.node().await;
    assert!(documents(lane, &node, notes).await == before);
    let (well, said) = lane.command(&["doctor", "--all-records"]).await;
    assert!(well && said.contains("where they moved"), "{said}");
    assert_eq!(node.stop().await, Some(0));
    restored
}

/// Any file below a folder.
fn file_below(folder: &Path) -> PathBuf {
    let first = std::fs::read_dir(folder).expect("folder").flatten().next();
    let first = first.expect("an entry").path();
    if first.is_dir() {
        file_below(&first)
    } else {
        first
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    run(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres() {
    run(Backend::Postgres).await;
}
