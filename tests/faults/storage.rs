//! A hub that dies while it keeps, replaces or deletes an object: the row and
//! the file never say different things.

use crate::lane::{Lane, Node};
use reqwest::Method;
use tests::app::Backend;

const PATH: &str = "/api/v1/storage/objetos/notas/1";
const HOUR_MS: i64 = 3_600_000;

/// Status and text of a call; None when the hub died on it.
async fn ask(
    lane: &Lane,
    node: &Node,
    method: Method,
    path: &str,
    body: &str,
) -> Option<(u16, String)> {
    let url = format!("{}{path}", node.base_url);
    let request = lane
        .http
        .request(method, url)
        .bearer_auth(&lane.live_key)
        .body(body.to_owned());
    let response = request.send().await.ok()?;
    let status = response.status().as_u16();
    Some((status, response.text().await.ok()?))
}

/// What the object is, through its link.
async fn content(lane: &Lane, node: &Node) -> Option<String> {
    let (status, text) = ask(
        lane,
        node,
        Method::GET,
        &format!("{PATH}?redirecionar=1"),
        "",
    )
    .await?;
    match status {
        200 => Some(text),
        404 => None,
        _ => panic!("{status} {text}"),
    }
}

/// Lets a hub die at a point of one call; another one then, and what the
/// object is there.
async fn died(lane: &Lane, point: &str, method: Method, body: &str) -> Option<String> {
    let mut node = lane.node_dying_at(point).await;
    lane.arm();
    assert!(
        ask(lane, &node, method, PATH, body).await.is_none(),
        "an answer left although the hub died at {point}"
    );
    node.died().await;
    lane.disarm();
    let mut node = lane.node().await;
    let content = content(lane, &node).await;
    node.kill().await;
    content
}

/// Objects, files, and what the account is told it keeps.
async fn counts(lane: &Lane) -> (i64, i64, usize) {
    let app = lane.opened(2 * HOUR_MS).await;
    let objects = lane.count("SELECT COUNT(*) FROM objetos").await;
    let used = lane
        .count("SELECT COALESCE(SUM(CAST(bytes AS INTEGER)), 0) FROM objetos_uso")
        .await;
    let files = |app: &hub::app::App| {
        let mut folders = vec![app.config.storage.data_dir.join("objetos")];
        let mut files = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else {
                    files += 1;
                }
            }
        }
        files
    };
    let before = files(&app);
    let swept = objects::storage::sweep(&app.objects).await.expect("swept");
    assert_eq!(files(&app) as u64 + swept, before as u64);
    (objects, used, files(&app))
}

async fn run(backend: Backend) {
    let Some(lane) = Lane::open(backend, &[]).await else {
        return;
    };
    // Nothing was there: the file has no row.
    assert_eq!(
        died(&lane, "storage.file", Method::PUT, "primeiro").await,
        None
    );
    assert_eq!(counts(&lane).await, (0, 0, 0));
    // The row was written, the answer never left.
    assert_eq!(
        died(&lane, "storage.row", Method::PUT, "dois")
            .await
            .as_deref(),
        Some("dois")
    );
    assert_eq!(counts(&lane).await, (1, 4, 1));
    // A replacement that came half the way, and one that came to its row.
    assert_eq!(
        died(&lane, "storage.file", Method::PUT, "terceiro")
            .await
            .as_deref(),
        Some("dois")
    );
    assert_eq!(counts(&lane).await, (1, 4, 1));
    assert_eq!(
        died(&lane, "storage.row", Method::PUT, "quarto")
            .await
            .as_deref(),
        Some("quarto")
    );
    assert_eq!(
        counts(&lane).await,
        (1, 6, 1),
        "the version before was swept"
    );
    // Deleted: the row first.
    assert_eq!(
        died(&lane, "storage.deleted", Method::DELETE, "").await,
        None
    );
    assert_eq!(counts(&lane).await, (0, 0, 0));
    lane.check("storage").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    run(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres() {
    run(Backend::Postgres).await;
}
