//! What `hub up` does not begin, and what a hub that runs says of its operators.

use crate::lane::{City, Lane, program};
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tests::TestApp;
use tests::app::Backend;
use tokio::io::{AsyncBufReadExt as _, BufReader};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

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
async fn accounts_are_opened_at_once_in_a_fresh_folder() {
    let folder = tempfile::tempdir().expect("folder");
    let program = tokio::task::spawn_blocking(program).await.expect("hub");
    let commands = (0..8).map(|_| {
        tokio::process::Command::new(program)
            .arg("--data-dir")
            .arg(folder.path())
            .args(["account", "Padaria"])
            .kill_on_drop(true)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("hub")
    });
    // All of them run before the first is waited for.
    for command in commands.collect::<Vec<_>>() {
        let ran = tokio::time::timeout(Duration::from_secs(60), command.wait_with_output()).await;
        let ran = ran.expect("it ends").expect("hub");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{said}");
    }
}

/// A file, or what would be below one, is no data folder: commands say which.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_data_folder_that_cannot_be_made_is_named() {
    let file = tempfile::NamedTempFile::new().expect("file");
    let program = tokio::task::spawn_blocking(program).await.expect("hub");
    for folder in [file.path().to_owned(), file.path().join("new")] {
        for arguments in [&["account", "Padaria"][..], &["migrate"]] {
            let ran = tokio::process::Command::new(program)
                .arg("--data-dir")
                .arg(&folder)
                .args(arguments)
                .kill_on_drop(true)
                .output();
            let ran = tokio::time::timeout(Duration::from_secs(60), ran).await;
            let ran = ran.expect("it ends").expect("hub");
            let said = String::from_utf8_lossy(&ran.stderr);
            let named = format!("data folder {}", folder.display());
            assert!(!ran.status.success() && said.contains(&named), "{said}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn up_builds_nothing_under_a_hub_that_runs() {
    let token = tempfile::NamedTempFile::new().expect("file");
    std::fs::write(token.path(), TOKEN).expect("token");
    let token_file = token.path().display().to_string();
    let settings = [
        ("HUB_ADMIN_LISTEN", "127.0.0.1:0"),
        ("HUB_ADMIN_TOKEN_FILE", token_file.as_str()),
    ];
    let lane = Lane::open_with(Backend::Sqlite, &[], &settings).await;
    let lane = lane.expect("SQLite is always there");
    let _node = lane.node().await;
    operators_are_in_the_log(&lane).await;
    let simulated = "all authorities are simulated";
    assert!(lane.log().contains(simulated), "{}", lane.log());
    let (went, said) = lane.command(&["up"]).await;
    assert!(!went && said.contains("another process holds it"), "{said}");
    assert!(!said.contains("building"), "{said}");
}

/// Each call with the token has its line, without the token and without ids.
async fn operators_are_in_the_log(lane: &Lane) {
    let address = tests::until(async || {
        let log = lane.log();
        let mut lines = log.lines();
        let line = lines.find(|line| line.contains("operators are answered at /admin/v1"));
        let address = line.and_then(|line| line.rsplit_once("address="));
        let address = address.map(|(_, address)| address.trim().to_owned());
        address.ok_or(log)
    })
    .await;
    let url = format!("http://{address}/admin/v1/accounts/con_nenhuma");
    let stranger = lane.http.get(&url).send().await.expect("answer");
    assert_eq!(stranger.status(), 401);
    let asked = lane.http.get(&url).bearer_auth(TOKEN);
    let answer = asked.send().await.expect("answer");
    assert_eq!(answer.status(), 404);
    let id = answer.headers()["x-request-id"].to_str().expect("an id");
    let log = lane.log();
    let lines: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("operator request"))
        .collect();
    let [line] = lines[..] else {
        panic!("{log}");
    };
    for words in [
        id,
        "operator=\"admin\"",
        "action=\"GET /admin/v1/accounts/{conta}\"",
        "status=404",
        "code=\"nao_encontrado\"",
        "ms=",
    ] {
        assert!(line.contains(words), "{words}: {line}");
    }
    assert!(
        !log.contains(TOKEN) && !line.contains("con_nenhuma"),
        "{log}"
    );
    // Pages, too; who has no session is led to the login.
    let page = format!("http://{address}/operador/contas/con_nenhuma?x=con_nenhuma");
    let login = lane.http.get(page).send().await.expect("answer");
    assert_eq!(login.status(), 200);
    let id = login.headers()["x-request-id"].to_str().expect("an id");
    let log = lane.log();
    for [action, status] in [
        ["GET /operador/contas/{conta}", "303"],
        ["GET /operador/entrar", "200"],
    ] {
        let action = format!("operator=\"operador\" action=\"{action}\" status={status}");
        let of_page = log.lines().filter(|line| line.contains(&action));
        assert_eq!(of_page.count(), 1, "{action}: {log}");
    }
    assert!(log.contains(id) && !log.contains("con_nenhuma"), "{log}");
}

/// A checkout in which nothing is built but one package without a dependency.
fn checkout(folder: &Path) {
    let write = |name: &str, text: &str| {
        let file = folder.join(name);
        std::fs::create_dir_all(file.parent().expect("folder")).expect("folder");
        std::fs::write(file, text).expect("file");
    };
    std::fs::create_dir_all(folder.join("wit")).expect("folder");
    std::fs::create_dir_all(folder.join("plugins/sdk")).expect("folder");
    let workspace = "[workspace]\nresolver = \"3\"\nmembers = [\"plugins/a\"]\n[profile.adapter]\ninherits = \"release\"\n";
    write("Cargo.toml", workspace);
    let package = "[package]\nname = \"adapter-a\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[lib]\ncrate-type = [\"cdylib\"]\n";
    write("plugins/a/Cargo.toml", package);
    write("plugins/a/src/lib.rs", "");
    write(
        "Cargo.lock",
        "version = 4\n\n[[package]]\nname = \"adapter-a\"\nversion = \"0.1.0\"\n",
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn up_says_that_it_waits_for_another_cargo() {
    let folder = tempfile::tempdir().expect("folder");
    checkout(folder.path());
    // Where cargo holds its lock while it builds.
    let built = folder
        .path()
        .join("target/adapters/wasm32-unknown-unknown/adapter");
    std::fs::create_dir_all(&built).expect("folder");
    let lock = std::fs::File::create(built.join(".cargo-lock")).expect("lock file");
    lock.lock().expect("locked");
    let program = tokio::task::spawn_blocking(program).await.expect("hub");
    let mut up = tokio::process::Command::new(program)
        .args(["up", "--listen", "127.0.0.1:0"])
        .current_dir(folder.path())
        .env_remove("CARGO_MANIFEST_DIR")
        .env_remove("CARGO_TARGET_DIR")
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("hub");
    let mut lines = BufReader::new(up.stderr.take().expect("stderr")).lines();
    let mut said = String::new();
    let told = tokio::time::timeout(Duration::from_secs(60), async {
        while let Some(line) = lines.next_line().await.expect("line") {
            said += &line;
            said.push('\n');
            if line.contains("another cargo runs here: waiting for file lock") {
                return true;
            }
        }
        false
    });
    let told = told.await;
    assert_eq!(told, Ok(true), "{said}");
    // It goes on when the other one ends.
    lock.unlock().expect("unlocked");
    let rest = tokio::time::timeout(Duration::from_secs(120), async {
        while let Some(line) = lines.next_line().await.expect("line") {
            said += &line;
            said.push('\n');
        }
    });
    rest.await
        .unwrap_or_else(|_| panic!("it still waits: {said}"));
    // The crate of the test is no adapter, and that is said once it is built.
    assert!(said.contains("adapters/a.wasm"), "{said}");
}

/// An outside simulator has an authority of its own: it refuses companies that
/// the hub's own simulator certified.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn up_shows_a_company_the_outside_simulator_accepts() {
    const OUTSIDE: &str = "HUB_AUTHORITIES_SIMULATOR";
    let lane = Lane::open(Backend::Sqlite, &[City::National]).await;
    let mut lane = lane.expect("SQLite is always there");
    // A folder without the keys of the lane's simulator.
    let data_dir = lane.file("demonstration");
    std::fs::create_dir(&data_dir).expect("folder");
    Lane::link_cache(&data_dir);
    lane.set("HUB_STORAGE_DATA_DIR", data_dir.display().to_string());
    let issue = async |lane: &Lane| {
        let mut node = lane.up().await;
        let demo = std::fs::read(data_dir.join("demo.json")).expect("demo.json");
        let demo: Value = serde_json::from_slice(&demo).expect("demo.json");
        let answer = lane
            .http
            .post(format!("{}/api/v1/nfse", node.base_url))
            .bearer_auth(demo["chave_producao"].as_str().expect("live key"))
            .header("content-type", "application/json")
            .body(City::National.note().to_string())
            .send()
            .await
            .expect("answer");
        let status = answer.status().as_u16();
        let body = answer.text().await.expect("body");
        node.stop().await;
        assert_eq!(status, 201, "{body}\n{}", lane.log());
    };
    let outside = lane.set(OUTSIDE, String::new());
    issue(&lane).await;
    assert!(
        lane.sim.overview().notas.is_empty(),
        "the hub's own simulator"
    );
    lane.set(OUTSIDE, outside);
    issue(&lane).await;
    assert_eq!(lane.sim.overview().notas.len(), 1);
    // One that is not there, or gives no certificates, is told before anything is made.
    lane.set(OUTSIDE, "localhost:1".to_owned());
    lane.set(
        "HUB_STORAGE_DATA_DIR",
        lane.file("other").display().to_string(),
    );
    let app = lane.opened(0).await;
    let refused = hub::demo::ensure(&app, "http://localhost").await;
    let said = format!("{:#}", refused.expect_err("nobody listens there"));
    assert!(
        said.contains("the simulator at localhost:1 gives no certificate"),
        "{said}"
    );
}

/// A start that ended before it wrote `demo.json`, or one with another data folder.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_may_hold_several_demonstrations() {
    let app = TestApp::start(Backend::Sqlite).await.expect("always there");
    let first = hub::demo::ensure(&app.app, "http://localhost").await;
    let first = first.expect("a demonstration");
    let file = app.app.config.storage.data_dir.join("demo.json");
    std::fs::remove_file(file).expect("demo.json");
    let second = hub::demo::ensure(&app.app, "http://localhost").await;
    let second = second.expect("another demonstration");
    assert_ne!(first.conta_id, second.conta_id);
    assert_ne!(first.painel_usuario, second.painel_usuario);
}
