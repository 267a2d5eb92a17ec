//! What a hub worked on that is gone, another takes up at once: nothing waits
//! for the end of a lease.

use crate::lane::{CALLBACK_SECRET, City, Lane, Node};
use objects::exports::ExportOrder;
use reqwest::Method;
use serde_json::{Value, json};
use sim::FaultKind;
use std::convert::Infallible;
use std::time::{Duration, Instant};
use store::TxError;
use store::ids::ExportacaoId;
use store::tables::exportacoes::{self, ExportRow};
use tests::Answer;
use tests::app::Backend;
use tests::receiver::Receiver;
use tests::smtp::Smtp;

const COMPRAS: &str = "/api/v1/creditos/compras";
const SEGREDO: &str = "segredo-dos-avisos";
/// The leases of these tests last 15 s and more.
const SOON: Duration = Duration::from_secs(10);
const HOUR_MS: i64 = 3_600_000;
const HELD: &str = "SELECT (SELECT COUNT(*) FROM compras WHERE lease_until_ms > 0) \
     + (SELECT COUNT(*) FROM reembolsos WHERE lease_until_ms > 0)";

/// Asks once; None when the connection broke.
async fn ask(
    lane: &Lane,
    node: &Node,
    method: Method,
    path: &str,
    body: Option<&Value>,
) -> Option<Answer> {
    let url = format!("{}{path}", node.base_url);
    let mut request = lane.http.request(method, url).bearer_auth(&lane.live_key);
    if let Some(body) = body {
        request = request
            .header("content-type", "application/json")
            .header("idempotency-key", "a-mesma")
            .body(body.to_string());
    }
    let response = request.timeout(Duration::from_secs(30)).send().await.ok()?;
    Answer::read(response).await.ok()
}

async fn buy(lane: &Lane, node: &Node) -> Option<Answer> {
    let body = json!({ "valor": 120, "meio": "pix" });
    ask(lane, node, Method::POST, COMPRAS, Some(&body)).await
}

async fn refund(lane: &Lane, node: &Node, purchase: &str) -> Option<Answer> {
    let path = format!("{COMPRAS}/{purchase}/reembolso");
    let body = json!({ "motivo": "Desistência" });
    ask(lane, node, Method::POST, &path, Some(&body)).await
}

async fn shown(lane: &Lane, node: &Node, purchase: &str) -> Answer {
    let path = format!("{COMPRAS}/{purchase}");
    let answer = ask(lane, node, Method::GET, &path, None).await;
    answer.expect("an answer")
}

/// Repeats the purchase until it has its charge; its id.
async fn charged(lane: &Lane, node: &Node) -> String {
    let mut id = String::new();
    lane.until("a charge", async || {
        let answer = buy(lane, node).await.expect("an answer");
        answer.text_at("/compra_id").clone_into(&mut id);
        !answer.text_at("/pix/brcode").is_empty()
    })
    .await;
    id
}

/// Waits until something holds, which must be soon.
async fn soon(lane: &Lane, what: &str, holds: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    lane.until(what, holds).await;
    let took = begun.elapsed();
    assert!(took < SOON, "{what}: after {took:?}\n{}", lane.log());
}

async fn sells(backend: Backend, changes: &[(&'static str, &str)]) -> Option<Lane> {
    let changes = [changes, &[(CALLBACK_SECRET, SEGREDO)]].concat();
    Lane::open_with(backend, &[], &changes).await
}

async fn a_purchase(backend: Backend, point: &str) {
    let Some(lane) = sells(backend, &[]).await else {
        return;
    };
    let mut node = lane.node_dying_at(point).await;
    lane.arm();
    assert!(buy(&lane, &node).await.is_none(), "an answer at {point}");
    node.died().await;
    lane.disarm();
    assert_eq!(lane.count(HELD).await, 1, "{point}");
    let node = lane.node().await;
    let begun = Instant::now();
    charged(&lane, &node).await;
    let took = begun.elapsed();
    assert!(took < SOON, "{point}: {took:?}\n{}", lane.log());
    assert_eq!(lane.sim.overview().cobrancas.len(), 1, "{point}");
    lane.check(point).await;
}

async fn a_refund(backend: Backend, point: &str) {
    let Some(lane) = sells(backend, &[]).await else {
        return;
    };
    let mut node = lane.node_dying_at(point).await;
    let told = format!("{}/api/psp/aviso", node.base_url);
    lane.sim.set_aviso(&told, SEGREDO);
    let id = charged(&lane, &node).await;
    let paid = lane.sim.pay(&id, None, true).await;
    assert_eq!(paid, Ok(Some(200)), "{point}");
    lane.arm();
    let refunded = refund(&lane, &node, &id).await;
    assert!(refunded.is_none(), "an answer at {point}");
    node.died().await;
    lane.disarm();
    assert_eq!(lane.count(HELD).await, 1, "{point}");
    let node = lane.node().await;
    soon(&lane, "the money back", async || {
        shown(&lane, &node, &id).await.text_at("/status") == "reembolsada"
    })
    .await;
    let charge = lane.sim.charge(&id).expect("the charge");
    assert_eq!(charge.reembolsos.len(), 1, "{point}");
    lane.check(point).await;
}

macro_rules! killed {
    ($($name:ident: $what:ident $point:literal;)+) => {
        $(mod $name {
            use super::*;

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                $what(Backend::Sqlite, $point).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                $what(Backend::Postgres, $point).await;
            }
        })+
    };
}

killed! {
    a_purchase_without_its_charge: a_purchase "purchase written";
    a_purchase_whose_charge_nobody_wrote: a_purchase "charge answered";
    a_refund_the_provider_was_not_asked_for: a_refund "refund written";
    a_refund_nobody_wrote: a_refund "refund answered";
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_stops_gives_its_purchases_back() {
    let drain = [("HUB_SERVER_DRAIN_S", "1")];
    let Some(lane) = sells(Backend::Postgres, &drain).await else {
        return;
    };
    // The provider takes longer than the hub waits when it stops.
    lane.always("criar", FaultKind::Lento, 4_000);
    let mut node = lane.node().await;
    let (_cut, ()) = tokio::join!(buy(&lane, &node), async {
        lane.until("the purchase in hand", async || lane.count(HELD).await == 1)
            .await;
        node.signal("TERM");
    });
    assert_eq!(node.ended().await, Some(0), "{}", lane.log());
    assert_eq!(lane.count(HELD).await, 0, "{}", lane.log());
    lane.sim.clear_faults();
    let node = lane.node().await;
    let begun = Instant::now();
    charged(&lane, &node).await;
    assert!(begun.elapsed() < SOON, "{}", lane.log());
    assert_eq!(lane.sim.overview().cobrancas.len(), 1);
    lane.check("a node stopped amid a purchase").await;
}

/// A hub that dies with a mail in hand, and nothing else.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_node_s_mail_is_taken_as_soon_as_its_connection_is_gone() {
    let Some(smtp) = Smtp::plain() else { return };
    let variables = smtp.variables();
    let changes: Vec<(&'static str, &str)> = variables
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let city = City::Sefaz;
    let Some(lane) = Lane::open_with(Backend::Postgres, &[city], &changes).await else {
        return;
    };
    let mut node = lane.node_dying_at("mail").await;
    let order = crate::client::Order::issue(&lane, city, "a-nota");
    let nota = order.insist(&lane, &node).await;
    let path = format!("/api/v1/documentos/{}/email", nota.text_at("/nota_id"));
    lane.arm();
    let body = json!({ "para": ["ana@exemplo.com.br"] });
    drop(ask(&lane, &node, Method::POST, &path, Some(&body)).await);
    node.died().await;
    lane.disarm();
    let held = "SELECT COUNT(*) FROM mails WHERE lease_owner <> ''";
    assert_eq!(lane.count(held).await, 1);
    let _node = lane.node().await;
    soon(&lane, "the mail", async || smtp.taken().len() == 1).await;
}

/// The same with deliveries to a customer's server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_node_s_deliveries_are_taken_as_soon_as_its_connection_is_gone() {
    let changes = [
        ("HUB_WEBHOOKS_ALLOW_HTTP", "true"),
        ("HUB_WEBHOOKS_ALLOW_NETS", "127.0.0.1"),
    ];
    let Some(lane) = Lane::open_with(Backend::Postgres, &[], &changes).await else {
        return;
    };
    let receiver = Receiver::start().await;
    let mut node = lane.node_dying_at("delivery").await;
    let body = json!({ "url": receiver.url("/"), "eventos": ["*"] });
    let made = ask(&lane, &node, Method::POST, "/api/v1/webhooks", Some(&body)).await;
    assert_eq!(made.expect("an answer").status, 201);
    lane.arm();
    let now_ms = base::when::system_clock()();
    tests::events::write(&lane.db, &lane.account_id, now_ms, 1).await;
    node.died().await;
    lane.disarm();
    let held = "SELECT COUNT(*) FROM webhooks WHERE lease_owner <> ''";
    assert_eq!(lane.count(held).await, 1);
    let _node = lane.node().await;
    soon(&lane, "the delivery", async || receiver.count() == 1).await;
}

/// The same with an export, which some node that is gone had begun.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_node_s_export_is_taken_as_soon_as_its_connection_is_gone() {
    let Some(lane) = Lane::open(Backend::Postgres, &[]).await else {
        return;
    };
    let now_ms = base::when::system_clock()();
    let order = ExportOrder {
        xml: true,
        modelos: [true; 3],
        ..ExportOrder::default()
    };
    let row = ExportRow {
        id: ExportacaoId::new(now_ms),
        account_id: lane.account_id.clone(),
        pedido: serde_json::to_string(&order).expect("JSON"),
        created_at_ms: now_ms,
        ..ExportRow::default()
    };
    let begun = lane.db.write(row, move |row, conn| {
        Box::pin(async move {
            let until_ms = now_ms + HOUR_MS;
            let written = exportacoes::insert(conn, row).await?;
            let taken = exportacoes::claim(conn, "hub_morto", until_ms, now_ms).await?;
            Ok::<_, TxError<Infallible>>(written && taken.is_some())
        })
    });
    assert!(begun.await.expect("written"));
    let _node = lane.node().await;
    soon(&lane, "the export", async || {
        let ready = "SELECT COUNT(*) FROM exportacoes WHERE status = 'pronta'";
        lane.count(ready).await == 1
    })
    .await;
}
