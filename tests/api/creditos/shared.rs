//! What the tests of purchases share.

use accounts::ledger::{self, Movement, Reserve};
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::sign::Signer;
use reqwest::Method;
use serde_json::{Value, json};
use std::convert::Infallible;
use store::TxError;
use store::ids::RequestId;
use tests::{Answer, TestApp};

pub const COMPRAS: &str = "/api/v1/creditos/compras";

pub fn pix(value: f64) -> Value {
    json!({ "valor": value, "meio": "pix" })
}

/// A purchase that waits for its payment; its id.
pub async fn bought(app: &TestApp, body: &Value) -> String {
    let answer = app.post(COMPRAS, body).await;
    assert_eq!(answer.summary(), "201 aguardando", "{}", answer.text);
    let id = answer.text_at("/compra_id").to_owned();
    assert_eq!(answer.header("location"), format!("{COMPRAS}/{id}"));
    id
}

/// A purchase somebody paid, of which the PSP told the hub.
pub async fn paid(app: &TestApp, body: &Value) -> String {
    let id = bought(app, body).await;
    let told = app.app.simulator.sim.pay(&id, None, true).await;
    assert_eq!(told, Ok(Some(200)));
    assert_eq!(shown(app, &id).await.summary(), "200 paga");
    id
}

pub async fn shown(app: &TestApp, id: &str) -> Answer {
    app.get(&format!("{COMPRAS}/{id}")).await
}

/// Asks the job until the purchase has this state.
pub async fn until(app: &TestApp, id: &str, status: &str) -> Answer {
    asked_until(app, id, |answer| answer.text_at("/status") == status).await
}

/// Asks the job until the purchase is as it should be.
pub async fn asked_until(app: &TestApp, id: &str, accept: impl Fn(&Answer) -> bool) -> Answer {
    tests::until(async || {
        payments::turn(&app.app).await.expect("the job");
        let answer = shown(app, id).await;
        if accept(&answer) {
            Ok(answer)
        } else {
            Err(answer.text)
        }
    })
    .await
}

pub async fn refund(app: &TestApp, id: &str) -> Answer {
    let path = format!("{COMPRAS}/{id}/reembolso");
    app.post(&path, &json!({ "motivo": "Desistência" })).await
}

/// Spends credits as a paid tool does.
pub async fn spend(app: &TestApp, amount: i64) {
    spend_at(app, amount, app.app.now_ms()).await;
}

/// As [`spend`], by a request of another moment.
pub async fn spend_at(app: &TestApp, amount: i64, now_ms: i64) {
    let input = (
        app.account_id.clone(),
        RequestId::new(now_ms),
        amount,
        now_ms,
    );
    let spent = app
        .app
        .db
        .write(input, |(account, request, amount, now_ms), conn| {
            Box::pin(async move {
                let movement = Movement {
                    account_id: account,
                    subject_id: "",
                    operation: "teste",
                    request_id: request,
                    payer: &accounts::ledger::NOBODY,
                    now_ms: *now_ms,
                };
                Ok::<_, TxError<Infallible>>(ledger::charge(conn, &movement, *amount).await?)
            })
        });
    let spent = spent.await.expect("written");
    assert!(matches!(spent, Reserve::Held(_)), "{spent:?}");
}

/// The header of a callback, signed by whoever knows the secret.
pub fn signature(secret: &str, seconds: i64, body: &str) -> String {
    let key = PKey::hmac(secret.as_bytes()).expect("a key");
    let mut signer = Signer::new(MessageDigest::sha256(), &key).expect("a signer");
    signer
        .update(format!("{seconds}.{body}").as_bytes())
        .expect("signed");
    let hex: Vec<String> = signer
        .sign_to_vec()
        .expect("signed")
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("t={seconds},v1={}", hex.concat())
}

/// A callback as the PSP sends it, without a key.
pub async fn notice(app: &TestApp, body: &str, signature: Option<&str>) -> Answer {
    let url = format!("{}/api/psp/aviso", app.base_url);
    let mut request = app
        .http()
        .request(Method::POST, url)
        .header("content-type", "application/json")
        .body(body.to_owned());
    if let Some(signature) = signature {
        request = request.header("x-psp-signature-256", signature);
    }
    app.send(request).await
}

/// A callback nobody can tell from a real one.
pub async fn genuine(app: &TestApp, body: &Value) -> Answer {
    let offer = payments::offered(&app.app).expect("a PSP");
    let body = body.to_string();
    let header = signature(&offer.secret, app.app.now_ms() / 1_000, &body);
    notice(app, &body, Some(&header)).await
}

/// Orders a fault of the PSP.
pub fn fault(app: &TestApp, operation: &str, failure: &str, times: u64) {
    let order = json!({ "quando": { "host": "psp.", "operacao": operation, "vezes": times }, "falha": failure });
    let order = serde_json::from_value(order).expect("a fault");
    assert!(app.app.simulator.sim.add_fault(order));
}

/// Charges at the PSP.
pub fn charges(app: &TestApp) -> usize {
    app.app.simulator.sim.overview().cobrancas.len()
}
