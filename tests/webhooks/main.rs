//! Webhooks, from the note that makes an event to the server that gets it.

mod calls;
mod damaged;
mod delivery;
mod fresh;
mod notices;
mod old;
mod period;
mod python;
mod registration;
mod repeated;
mod schedule;
mod security;

use serde_json::{Value, json};
use tests::receiver::Receiver;
use tests::{Answer, TestApp};

/// Registers a receiver for all events; id and secret.
async fn register(app: &TestApp, receiver: &Receiver, more: Value) -> (String, String) {
    let mut body = json!({ "url": receiver.url("/avisos"), "eventos": ["*"] });
    if let (Some(body), Some(more)) = (body.as_object_mut(), more.as_object()) {
        body.extend(more.clone());
    }
    let answer = app.post("/api/v1/webhooks", &body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    (
        answer.text_at("/id").to_owned(),
        answer.text_at("/segredo").to_owned(),
    )
}

/// A company that can issue in Belo Horizonte.
async fn issuer(app: &TestApp) -> String {
    app.emitter("11444777000161", "3106200").await
}

async fn send(app: &TestApp, method: &str, path: &str, body: Option<&Value>) -> Answer {
    let method = method.parse().expect("a method");
    let mut request = app
        .http()
        .request(method, format!("{}{path}", app.base_url))
        .bearer_auth(&app.live_key);
    if let Some(body) = body {
        request = request
            .header("content-type", "application/json")
            .body(body.to_string());
    }
    app.send(request).await
}

/// An event is as the OpenAPI document says of its kind.
fn assert_documented(event: &Value) {
    let document = api::openapi::document("");
    let kind = event["tipo"].as_str().expect("a kind");
    let content = &document["webhooks"][kind]["post"]["requestBody"]["content"];
    let schema = content["application/json"]["schema"]["$ref"].as_str();
    let schema = document.pointer(&schema.expect("a schema")[1..]);
    let problems = tests::shapes::problems(schema.expect("a schema"), event, "", true);
    assert!(problems.is_empty(), "{problems:?}: {event}");
}

/// The deliveries of a choice, newest first.
async fn deliveries(app: &TestApp, query: &str) -> Vec<Value> {
    let answer = app.get(&format!("/api/v1/webhooks/entregas{query}")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body["itens"].as_array().expect("items").clone()
}

/// Waits until there are so many deliveries of a choice, each of which appears with its first
/// attempt; newest first.
async fn listed(app: &TestApp, query: &str, many: usize) -> Vec<Value> {
    let path = format!("/api/v1/webhooks/entregas{query}");
    let items = |answer: &Answer| answer.body["itens"].as_array().cloned().unwrap_or_default();
    let answer = app.until(&path, |answer| items(answer).len() >= many).await;
    items(&answer)
}

/// Waits until a delivery has a state; its record with attempts.
async fn until(app: &TestApp, id: &str, accept: impl Fn(&Value) -> bool) -> Value {
    let path = format!("/api/v1/webhooks/entregas/{id}");
    app.until(&path, |answer| answer.status == 200 && accept(&answer.body))
        .await
        .body
}
