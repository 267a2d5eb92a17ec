//! kill -9 on the way of a mail: none is lost, and what its server took is
//! not sent twice, but for what was on the wire.

use crate::client::Order;
use crate::lane::{City, Lane, Node};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use tests::Answer;
use tests::app::Backend;
use tests::smtp::{Smtp, Taken};

const ANA: &str = "ana@exemplo.com.br";

/// Asks for a note by mail; None when the connection broke.
async fn ask(lane: &Lane, node: &Node, nota: &str, body: &Value, key: &str) -> Option<Answer> {
    let request = lane
        .http
        .post(format!("{}/api/v1/documentos/{nota}/email", node.base_url))
        .bearer_auth(&lane.live_key)
        .header("content-type", "application/json")
        .header("idempotency-key", key)
        .timeout(Duration::from_secs(30))
        .body(body.to_string());
    let response = request.send().await.ok()?;
    Answer::read(response).await.ok()
}

async fn lane(backend: Backend, smtp: &Smtp) -> Option<Lane> {
    let variables = smtp.variables();
    let mut changes: Vec<(&'static str, &str)> = variables
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    // Notes here are simulated, and mailed by the dozen.
    changes.push(("HUB_MAIL_PER_ACCOUNT_DAY_TEST", "500"));
    // A lease that a dead node takes with its last breath is over in time.
    changes.push(("HUB_MAIL_TIMEOUT_MS", "10000"));
    Lane::open_with(backend, &[City::Sefaz], &changes).await
}

/// An authorized note; its id.
async fn note(lane: &Lane, node: &Node) -> String {
    let order = Order::issue(lane, City::Sefaz, "a-nota");
    let answer = order.insist(lane, node).await;
    assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
    answer.text_at("/nota_id").to_owned()
}

/// How often each mail arrived, by its Message-ID.
fn arrivals(taken: &[Taken]) -> BTreeMap<String, usize> {
    let mut times = BTreeMap::new();
    for mail in taken {
        *times.entry(mail.raw_header("message-id")).or_default() += 1;
    }
    times
}

async fn over(lane: &Lane) {
    lane.until("every mail sent", async || {
        lane.count("SELECT COUNT(*) FROM mails WHERE status <> 'enviado'")
            .await
            == 0
    })
    .await;
}

async fn killed_at(backend: Backend, point: &str, most: usize) {
    let Some(smtp) = Smtp::plain() else { return };
    let Some(lane) = lane(backend, &smtp).await else {
        return;
    };
    let mut node = lane.node_dying_at(point).await;
    let nota = note(&lane, &node).await;
    lane.arm();
    let body = json!({ "para": [ANA] });
    drop(ask(&lane, &node, &nota, &body, "o-email").await);
    node.died().await;
    lane.disarm();
    lane.expire_leases().await;
    let mut node = lane.node().await;
    let again = ask(&lane, &node, &nota, &body, "o-email").await;
    let again = again.expect("an answer");
    assert_eq!(again.status, 202, "{point}: {}", again.text);
    over(&lane).await;
    let times = arrivals(&smtp.taken());
    assert_eq!(times.len(), 1, "{point}: one mail: {times:?}");
    assert!(
        times.values().all(|times| *times <= most),
        "{point}: {times:?}"
    );
    for sql in [
        "SELECT COUNT(*) - 1 FROM mails",
        "SELECT COUNT(*) FROM mail_contents",
        "SELECT COUNT(*) FROM mail_files",
    ] {
        assert_eq!(lane.count(sql).await, 0, "{point}: {sql}");
    }
    lane.check(point).await;
    node.kill().await;
}

points! {
    dying_before_the_mail_is_durable "mail queued, before commit" 1
    dying_before_the_answer "mail queued" 1
    dying_before_sending_a_mail "mail" 1
    dying_after_sending_a_mail "mail, sent" 2
    dying_after_writing_a_mail "mail, written" 1
}

async fn dying_again_and_again(backend: Backend) {
    let Some(smtp) = Smtp::plain() else { return };
    let Some(lane) = lane(backend, &smtp).await else {
        return;
    };
    let mut node = lane.node().await;
    let nota = note(&lane, &node).await;
    let (calls, deaths) = (6, 3);
    for call in 0..calls {
        let to: Vec<String> = (0..10)
            .map(|n| format!("p{call}-{n}@exemplo.com.br"))
            .collect();
        let key = format!("email-{call}");
        let answer = ask(&lane, &node, &nota, &json!({ "para": to }), &key).await;
        assert_eq!(answer.expect("an answer").status, 202);
    }
    for death in 1..=deaths {
        let goal = death * 12;
        lane.until("some mails", async || smtp.taken().len() >= goal)
            .await;
        node.kill().await;
        lane.expire_leases().await;
        node = lane.node().await;
    }
    over(&lane).await;
    let taken = smtp.taken();
    let times = arrivals(&taken);
    assert_eq!(times.len(), calls * 10, "all of them");
    // What was on the wire when a hub died: at most what it sends at once.
    let twice = taken.len() - times.len();
    assert!(twice <= deaths * 4, "{twice} sent twice");
    node.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_mail_is_lost_however_often_hubs_die_sqlite() {
    dying_again_and_again(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_mail_is_lost_however_often_hubs_die_postgres() {
    dying_again_and_again(Backend::Postgres).await;
}
