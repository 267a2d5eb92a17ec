//! A hub that issued, sold and told goes on with another database as if it had
//! always been there.

use crate::client::Order;
use crate::lane::{CALLBACK_SECRET, City, Lane, Node};
use reqwest::Method;
use serde_json::{Value, json};
use store::copy::{self, Counted};
use tests::app::Backend;
use tests::postgres;
use tests::receiver::Receiver;

const SEGREDO: &str = "segredo-dos-avisos";
const CHANGES: [(&str, &str); 3] = [
    ("HUB_WEBHOOKS_ALLOW_HTTP", "true"),
    ("HUB_WEBHOOKS_ALLOW_NETS", "127.0.0.1"),
    (CALLBACK_SECRET, SEGREDO),
];
const OBJECT: &str = "/api/v1/storage/objetos/notas/1";

async fn ask(lane: &Lane, node: &Node, method: Method, path: &str, body: &Value) -> Value {
    let request = lane
        .http
        .request(method, format!("{}{path}", node.base_url))
        .bearer_auth(&lane.live_key)
        .header("content-type", "application/json")
        .body(if body.is_null() {
            String::new()
        } else {
            body.to_string()
        });
    let answer = request.send().await.expect("an answer");
    let text = answer.text().await.expect("a body");
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

async fn buy(lane: &Lane, node: &Node) {
    lane.sim
        .set_aviso(&format!("{}/api/psp/aviso", node.base_url), SEGREDO);
    let body = json!({ "valor": 120, "meio": "pix" });
    let bought = ask(lane, node, Method::POST, "/api/v1/creditos/compras", &body).await;
    let id = bought["compra_id"].as_str().expect("a purchase").to_owned();
    let told = lane.sim.pay(&id, None, true).await;
    assert_eq!(told, Ok(Some(200)));
    let path = format!("/api/v1/creditos/compras/{id}");
    lane.until("the credits", async || {
        ask(lane, node, Method::GET, &path, &Value::Null).await["status"] == "paga"
    })
    .await;
}

/// All events told, all flows done.
async fn quiet(lane: &Lane) {
    lane.settled().await;
    lane.told().await;
}

async fn counts(url: &str) -> Vec<Counted> {
    let mut conn = copy::connect(url).await.expect("database");
    copy::counts(&mut conn).await.expect("counts")
}

fn rows(counted: &[Counted], table: &str) -> u64 {
    let found = counted.iter().find(|one| one.table == table);
    found.expect("a table").rows
}

/// Stops the hub, moves its database, and says what each table has there.
async fn moved(lane: &mut Lane, mut node: Node, to: String) -> Node {
    let (moved, said) = lane.command(&["move-store", "--to", &to]).await;
    assert!(!moved && said.contains("hub"), "it runs still: {said}");
    assert_eq!(node.stop().await, Some(0));
    let from = lane.database_url();
    let before = counts(&from).await;
    // As an operator does who shows nobody the password.
    let file = lane.file("target-url");
    std::fs::write(&file, format!("{to}\n")).expect("a file");
    let file = file.to_str().expect("a name");
    let (moved, said) = lane.command(&["move-store", "--to-file", file]).await;
    assert!(
        moved && said.contains("doctor: clean"),
        "{said}\n{}",
        lane.log()
    );
    // It may hold a password, whatever the database of the tests is called.
    assert!(!said.contains("://"), "no URL is printed: {said}");
    assert_eq!(counts(&to).await, before, "{said}");
    assert_eq!(counts(&from).await, before, "the source is as it was");
    let (again, said) = lane.command(&["move-store", "--to", &to]).await;
    assert!(!again && said.contains("not empty"), "{said}");
    lane.use_database(to).await;
    lane.node().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_moves_to_postgres_and_back() {
    let Some(url) = postgres::database().await else {
        return;
    };
    let cities = [City::Sefaz, City::National];
    let lane = Lane::open_with(Backend::Sqlite, &cities, &CHANGES).await;
    let mut lane = lane.expect("SQLite is always there");
    let receiver = Receiver::start().await;
    let node = lane.node().await;
    let hook = json!({ "url": receiver.url("/"), "eventos": ["*"] });
    ask(&lane, &node, Method::POST, "/api/v1/webhooks", &hook).await;
    let mut first = Vec::new();
    for n in 0..3 {
        for city in cities {
            let order = Order::issue(&lane, city, format!("{city:?}-{n}"));
            let answer = order.insist(&lane, &node).await;
            assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
            first.push((order, answer.text));
        }
    }
    buy(&lane, &node).await;
    let kept = ask(&lane, &node, Method::PUT, OBJECT, &json!("guardado")).await;
    assert_eq!(kept["sucesso"], true, "{kept}");
    quiet(&lane).await;
    let balance = ask(&lane, &node, Method::GET, "/api/v1/creditos", &Value::Null).await;
    let told = receiver.count();

    let node = moved(&mut lane, node, url).await;
    after(&lane, &node, &first, &balance, 4).await;
    let now = counts(&lane.database_url()).await;
    for table in [
        "notas",
        "transfers",
        "compras",
        "webhooks",
        "objetos",
        "artifacts",
    ] {
        assert!(rows(&now, table) > 0, "{table} was not part of the test");
    }
    assert_eq!(
        receiver.count(),
        told + 2,
        "told once more of the new notes"
    );

    let balance = ask(&lane, &node, Method::GET, "/api/v1/creditos", &Value::Null).await;
    let back = copy::sqlite_url(&lane.file("back.db"));
    let node = moved(&mut lane, node, back).await;
    after(&lane, &node, &first, &balance, 5).await;
    assert_eq!(receiver.count(), told + 4);
    assert_eq!(lane.sim.notas().len(), first.len() + 4);
}

/// The hub goes on: the same key, balance, answers and object; the next
/// number, signed and told.
async fn after(lane: &Lane, node: &Node, first: &[(Order, String)], balance: &Value, next: i64) {
    let mut now = ask(lane, node, Method::GET, "/api/v1/creditos", &Value::Null).await;
    // Each call has an id of its own.
    now["request_id"].clone_from(&balance["request_id"]);
    assert_eq!(now, *balance);
    for (order, text) in first {
        let again = order.send(lane, node).await.expect("an answer");
        assert_eq!(
            (&again.text, again.header("idempotent-replayed")),
            (text, "true")
        );
    }
    for (city, number) in [(City::Sefaz, "/numero"), (City::National, "/rps/numero")] {
        let answer = Order::issue(lane, city, format!("depois-{next}"))
            .insist(lane, node)
            .await;
        assert_eq!(
            answer.summary(),
            "201 autorizada",
            "{}\n{}",
            answer.text,
            lane.log()
        );
        assert_eq!(answer.body.pointer(number), Some(&json!(next)));
    }
    buy(lane, node).await;
    let path = format!("{OBJECT}?redirecionar=1");
    assert_eq!(
        ask(lane, node, Method::GET, &path, &Value::Null).await,
        json!("guardado")
    );
    quiet(lane).await;
    let (clean, said) = lane.command(&["doctor"]).await;
    assert!(clean && said.contains("clean"), "{said}");
    let (open, said) = lane.command(&["vault", "verify"]).await;
    assert!(open, "{said}");
}
