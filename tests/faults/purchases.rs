//! kill -9 at every fault point of a purchase and of its refund: one charge,
//! credited once, given back once.

use crate::lane::{CALLBACK_SECRET, Lane, Node};
use serde_json::{Value, json};
use std::time::Duration;
use tests::Answer;
use tests::app::Backend;

const COMPRAS: &str = "/api/v1/creditos/compras";
const SEGREDO: &str = "segredo-dos-avisos";
const POINTS: [&str; 6] = [
    "purchase written",
    "charge answered",
    "purchase credited, before commit",
    "refund taken, before commit",
    "refund written",
    "refund answered",
];

/// Asks once; None when the connection broke.
async fn ask(lane: &Lane, node: &Node, path: &str, post: Option<(&Value, &str)>) -> Option<Answer> {
    let url = format!("{}{path}", node.base_url);
    let request = match post {
        None => lane.http.get(url),
        Some((body, key)) => lane
            .http
            .post(url)
            .header("content-type", "application/json")
            .header("idempotency-key", key)
            .body(body.to_string()),
    };
    let request = request.bearer_auth(&lane.live_key);
    let response = request.timeout(Duration::from_secs(30)).send().await.ok()?;
    Answer::read(response).await.ok()
}

fn listen(lane: &Lane, node: &Node) {
    let url = format!("{}/api/psp/aviso", node.base_url);
    lane.sim.set_aviso(&url, SEGREDO);
}

async fn dies_at(lane: &Lane, point: &str) {
    let (key, body) = (
        format!("compra {point}").replace(' ', "-"),
        json!({ "valor": 120, "meio": "pix" }),
    );
    let key_of_refund = format!("reembolso-{key}");
    let reason = json!({ "motivo": "Desistência" });
    let mut node = lane.node_dying_at(point).await;
    listen(lane, &node);
    lane.arm();
    let answer = ask(lane, &node, COMPRAS, Some((&body, &key))).await;
    if let Some(answer) = answer {
        let id = answer.text_at("/compra_id");
        // The callback finds nobody where the hub dies of it.
        let _told = lane.sim.pay(id, None, true).await;
        let path = format!("{COMPRAS}/{id}/reembolso");
        let refunded = ask(lane, &node, &path, Some((&reason, &key_of_refund))).await;
        assert!(refunded.is_none(), "{point}: {}", answer.text);
    }
    node.died().await;
    lane.disarm();
    lane.expire_leases().await;

    let mut node = lane.node().await;
    listen(lane, &node);
    let mut id = String::new();
    lane.until("a charge", async || {
        let answer = ask(lane, &node, COMPRAS, Some((&body, &key)))
            .await
            .expect("an answer");
        answer.text_at("/compra_id").clone_into(&mut id);
        !answer.text_at("/pix/brcode").is_empty()
    })
    .await;
    // Paid already, where it died of that; then the hub is only told again.
    if lane.sim.pay(&id, None, true).await.is_err() {
        let told = lane
            .sim
            .notify(&json!({ "compra_id": id }).to_string())
            .await;
        assert_eq!(told, Ok(Some(200)), "{point}");
    }
    // The hub may have been asking when it was told.
    lane.until("the payment seen", async || {
        let shown = ask(lane, &node, &format!("{COMPRAS}/{id}"), None).await;
        shown.expect("an answer").text_at("/status") != "aguardando"
    })
    .await;
    let path = format!("{COMPRAS}/{id}/reembolso");
    let refunded = ask(lane, &node, &path, Some((&reason, &key_of_refund)))
        .await
        .expect("an answer");
    assert!(
        matches!(refunded.status, 200 | 202),
        "{point}: {}",
        refunded.text
    );
    lane.until("the money back", async || {
        let shown = ask(lane, &node, &format!("{COMPRAS}/{id}"), None)
            .await
            .expect("an answer");
        shown.text_at("/status") == "reembolsada"
    })
    .await;
    let charge = lane.sim.charge(&id).expect("the charge");
    assert_eq!(charge.reembolsos.len(), 1, "{point}");
    lane.check(point).await;
    node.kill().await;
}

async fn run(backend: Backend) {
    let changes = [(CALLBACK_SECRET, SEGREDO)];
    let Some(lane) = Lane::open_with(backend, &[], &changes).await else {
        return;
    };
    let given = lane
        .count("SELECT balance FROM ledger_accounts WHERE kind = 'available'")
        .await;
    for point in POINTS {
        dies_at(&lane, point).await;
    }
    assert_eq!(
        lane.sim.overview().cobrancas.len(),
        POINTS.len(),
        "one charge each"
    );
    let left = lane
        .count("SELECT balance FROM ledger_accounts WHERE kind = 'available'")
        .await;
    assert_eq!(left, given);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_charge_and_one_refund_sqlite() {
    run(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_charge_and_one_refund_postgres() {
    run(Backend::Postgres).await;
}
