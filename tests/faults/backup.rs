//! A backup taken while a hub issues is a hub of that moment.

use crate::client::Order;
use crate::lane::{City, Lane, Node};
use reqwest::Method;
use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tests::app::Backend;
use tests::postgres;

const NOTES: usize = 8;

async fn object(lane: &Lane, node: &Node, method: Method, name: &str, body: &str) -> (u16, String) {
    let url = format!("{}/api/v1/storage/objetos/{name}", node.base_url);
    let request = lane.http.request(method, url).bearer_auth(&lane.live_key);
    let answer = request.body(body.to_owned()).send().await;
    let answer = answer.expect("an answer");
    (
        answer.status().as_u16(),
        answer.text().await.expect("a body"),
    )
}

fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("folder").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                found.insert(entry.path());
            }
        }
    }
    found
}

async fn run(backend: Backend) {
    let Some(mut lane) = Lane::open(backend, &[City::Sefaz]).await else {
        return;
    };
    let mut node = lane.node().await;
    let kept = Order::issue(&lane, City::Sefaz, "antes");
    let first = kept.insist(&lane, &node).await;
    assert_eq!(first.summary(), "201 autorizada", "{}", first.text);
    let put = object(&lane, &node, Method::PUT, "fica", "guardado").await;
    assert_eq!(put.0, 201, "{}", put.1);
    let backup = lane.file("backup");
    let folder = backup.to_str().expect("a name").to_owned();

    // What cannot be kept is told; what a link leads to is kept.
    let data = lane.file("data");
    let strange = data.join(std::ffi::OsStr::from_bytes(b"nota-\xe7"));
    std::fs::write(strange, "x").expect("written");
    std::fs::write(lane.file("outside"), "de fora").expect("written");
    symlink(lane.file("outside"), data.join("ligado")).expect("a link");
    symlink(data.join("simulator"), data.join("pasta")).expect("a link");
    let worlds = data.join("simulator/contas");
    std::fs::create_dir_all(&worlds).expect("folder");
    std::fs::write(worlds.join("antiga.sqlite"), "x").expect("written");

    // Notes are issued, objects come, change and go meanwhile.
    let done = AtomicBool::new(false);
    let ((made, said), issued, changed) = tokio::join!(
        async {
            let made = lane.command(&["backup", &folder]).await;
            done.store(true, Ordering::Relaxed);
            made
        },
        async {
            let mut issued = 0;
            while issued < NOTES || !done.load(Ordering::Relaxed) {
                let answer = Order::issue(&lane, City::Sefaz, format!("durante-{issued}"))
                    .insist(&lane, &node)
                    .await;
                assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
                issued += 1;
            }
            issued
        },
        async {
            let mut changed = 0;
            while !done.load(Ordering::Relaxed) {
                object(&lane, &node, Method::PUT, "muda", &changed.to_string()).await;
                object(&lane, &node, Method::PUT, "passa", &changed.to_string()).await;
                object(&lane, &node, Method::DELETE, "passa", "").await;
                changed += 1;
            }
            changed
        }
    );
    assert!(made, "{said}\n{}", lane.log());
    assert!(
        said.contains("vault.keys") && said.contains("useless"),
        "{said}"
    );
    for told in ["its name is not UTF-8", "pasta: a link"] {
        assert!(said.contains(told), "{told}: {said}");
    }
    let linked = std::fs::read_to_string(backup.join("data/ligado"));
    assert_eq!(linked.expect("a copy"), "de fora");
    assert!(!backup.join("data/pasta").exists());
    let simulated = backup.join("data/simulator");
    assert!(simulated.exists(), "its keys are kept");
    assert!(
        !simulated.join("contas/antiga.sqlite").exists(),
        "what it knows is not"
    );
    assert!(issued > 0 && changed > 0, "nothing happened meanwhile");
    for path in files(&backup) {
        let mode = path.metadata().expect("file").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", path.display());
    }
    let (again, said) = lane.command(&["backup", &folder]).await;
    assert!(!again && said.contains("not empty"), "{said}");
    let (over, said) = lane.command(&["restore", &folder]).await;
    assert!(!over && said.contains("not empty"), "{said}");
    node.kill().await;
    let at_the_authority = lane.sim.notas().len();

    let restored = lane.file("restored");
    lane.set("HUB_STORAGE_DATA_DIR", restored.display().to_string());
    if backend == Backend::Postgres {
        let url = postgres::database().await.expect("PostgreSQL");
        lane.use_database(url).await;
    }
    // Damaged: nothing comes of it.
    let database = backup.join("hub.db");
    let whole = std::fs::read(&database).expect("database");
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    std::fs::write(&database, damaged).expect("damaged");
    let (came, said) = lane.command(&["restore", &folder]).await;
    assert!(!came && said.contains("hub.db"), "{said}");
    assert!(
        !restored.exists(),
        "nothing is left of a restore that failed"
    );
    std::fs::write(&database, whole).expect("repaired");

    // Killed halfway: no hub begins with what is there.
    std::fs::create_dir(&restored).expect("folder");
    std::fs::write(restored.join("restore.unfinished"), b"").expect("mark");
    let serve = ["serve"];
    let began = tokio::time::timeout(Duration::from_secs(60), lane.command(&serve)).await;
    let (began, said) = began.expect("it ends at once");
    assert!(!began && said.contains("did not end"), "{said}");
    std::fs::remove_dir_all(&restored).expect("emptied");

    let before = files(&backup);
    let (came, said) = lane.command(&["restore", &folder]).await;
    assert!(came && said.contains("doctor: clean"), "{said}");
    assert_eq!(files(&backup), before, "the backup is as it was");
    for path in files(&restored) {
        let mode = path.metadata().expect("file").permissions().mode() & 0o777;
        assert_eq!(mode & 0o077, 0, "{} {mode:o}", path.display());
    }
    Lane::link_cache(&restored);
    if backend == Backend::Sqlite {
        lane.use_database(String::new()).await;
    }
    let node = lane.node().await;
    let again = kept.send(&lane, &node).await.expect("an answer");
    assert_eq!(again.text, first.text, "the key of before still works");
    let (status, text) = object(&lane, &node, Method::GET, "fica?redirecionar=1", "").await;
    assert_eq!((status, text.as_str()), (200, "guardado"));
    let (status, text) = object(&lane, &node, Method::GET, "muda?redirecionar=1", "").await;
    assert!(
        status == 404 || text.parse::<u32>().is_ok(),
        "{status} {text}"
    );
    // Numbers the lost notes took are refused by the authority, and skipped.
    let mut refused = 0;
    loop {
        let answer = Order::issue(&lane, City::Sefaz, format!("depois-{refused}"))
            .insist(&lane, &node)
            .await;
        if answer.summary() == "201 autorizada" {
            break;
        }
        refused += 1;
        assert!(refused <= issued, "{}\n{}", answer.text, lane.log());
    }
    lane.settled().await;
    assert_eq!(lane.sim.notas().len(), at_the_authority + 1);
    let (clean, said) = lane.command(&["doctor"]).await;
    assert!(clean && said.contains("clean"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    run(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres() {
    run(Backend::Postgres).await;
}
