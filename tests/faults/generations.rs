//! Backups of one folder share what they have in common, and each is a hub of its moment.

use crate::client::Order;
use crate::lane::{City, Lane, Node};
use std::path::{Path, PathBuf};
use tests::app::Backend;
use tests::postgres;

/// Everything below a folder that is a file.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("folder").flatten() {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found
}

async fn issue(lane: &Lane, node: &Node, key: &str) {
    let answer = Order::issue(lane, City::Sefaz, key)
        .insist(lane, node)
        .await;
    assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
}

/// Adds a generation while a hub issues.
async fn add(lane: &Lane, folder: &str, number: u64, further: &[&str]) -> String {
    let mut arguments = vec!["backup", "--incremental", folder];
    arguments.extend(further);
    let (made, said) = lane.command(&arguments).await;
    let told = format!("generation {number} of ");
    assert!(made && said.contains(&told), "{said}\n{}", lane.log());
    said
}

async fn check(lane: &Lane, folder: &str, further: &[&str]) -> (bool, String) {
    let mut arguments = vec!["restore", "--check", folder];
    arguments.extend(further);
    lane.command(&arguments).await
}

/// A generation becomes a hub that has so many notes and contradicts itself nowhere.
async fn restores(lane: &mut Lane, folder: &str, generation: Option<u64>, notes: usize) {
    let name = format!("restored-{}", generation.unwrap_or(0));
    let restored = lane.file(&name);
    lane.set("HUB_STORAGE_DATA_DIR", restored.display().to_string());
    let url = match lane.backend {
        Backend::Sqlite => String::new(),
        Backend::Postgres => postgres::database().await.expect("PostgreSQL"),
    };
    lane.set("HUB_DATABASE_URL", url);
    let number = generation.map(|number| number.to_string());
    let mut arguments = vec!["restore", folder];
    if let Some(number) = &number {
        arguments.extend(["--generation", number]);
    }
    let (came, said) = lane.command(&arguments).await;
    assert!(came && said.contains("doctor: clean"), "{said}");
    let told = format!(" {notes} notes");
    assert!(said.contains(&told), "{told}: {said}");
    assert!(restored.join("vault.keys").exists());
}

async fn run(backend: Backend) {
    let Some(mut lane) = Lane::open(backend, &[City::Sefaz]).await else {
        return;
    };
    let mut node = lane.node().await;
    let all = lane.file("backups");
    let folder = all.to_str().expect("a name").to_owned();
    issue(&lane, &node, "primeira").await;
    add(&lane, &folder, 1, &[]).await;
    issue(&lane, &node, "segunda").await;
    // A second generation while notes are issued: writers wait for nothing.
    let (_, ()) = tokio::join!(add(&lane, &folder, 2, &[]), async {
        issue(&lane, &node, "terceira").await;
    });
    add(&lane, &folder, 3, &[]).await;
    // What all have is there once: the components of the adapters, for example.
    let pieces = all.join("pieces");
    let bytes = |paths: Vec<PathBuf>| -> u64 {
        let each = paths.iter().map(|path| path.metadata());
        each.map(|found| found.expect("a file").len()).sum()
    };
    let before = bytes(files(&pieces));
    add(&lane, &folder, 4, &[]).await;
    let added = bytes(files(&pieces)) - before;
    assert!(added < before, "{added} of {before}");
    let (whole, said) = check(&lane, &folder, &[]).await;
    assert!(whole && said.contains("[1, 2, 3, 4]"), "{said}");
    let (none, said) = check(&lane, &folder, &["--generation", "9"]).await;
    assert!(!none && said.contains("no generation 9"), "{said}");

    // One that was killed before its end is none, and the next one clears it away.
    let described = all.join("generations/000004.json");
    std::fs::remove_file(&described).expect("removed");
    let stray = pieces.join("00/new.tmp");
    std::fs::create_dir_all(stray.parent().expect("folder")).expect("folder");
    std::fs::write(&stray, "half").expect("written");
    let (whole, said) = check(&lane, &folder, &[]).await;
    assert!(whole && said.contains("[1, 2, 3]"), "{said}");
    let said = add(&lane, &folder, 4, &["--keep", "3"]).await;
    assert!(said.contains("dropped: generations [1]"), "{said}");
    assert!(!stray.exists(), "what nobody needs is removed");
    node.kill().await;

    let data = lane.set("HUB_STORAGE_DATA_DIR", String::new());
    let url = lane.set("HUB_DATABASE_URL", String::new());
    restores(&mut lane, &folder, Some(3), 3).await;
    restores(&mut lane, &folder, None, 3).await;
    let (gone, said) = check(&lane, &folder, &["--generation", "1"]).await;
    assert!(!gone && said.contains("no generation 1"), "{said}");

    // A damaged piece is found, and no hub is made of it.
    lane.set("HUB_STORAGE_DATA_DIR", data);
    lane.set("HUB_DATABASE_URL", url);
    let of_all = files(&pieces);
    let largest = of_all
        .iter()
        .max_by_key(|path| path.metadata().expect("a file").len())
        .expect("pieces");
    let mut damaged = std::fs::read(largest).expect("a piece");
    damaged[0] ^= 1;
    std::fs::write(largest, damaged).expect("damaged");
    let (whole, said) = check(&lane, &folder, &[]).await;
    assert!(!whole && said.contains("is damaged"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    run(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres() {
    run(Backend::Postgres).await;
}
