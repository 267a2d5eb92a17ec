//! POST /api/v1/chatapp/validar

use crate::common::{ask_as, assert_refusal};
use reqwest::Method;
use serde_json::{Value, json};
use tests::TestApp;
use tests::app::Backend;

const PATH: &str = "/api/v1/chatapp/validar";

/// The messaging app, connected.
async fn connected() -> TestApp {
    let set =
        |config: &mut base::config::Config| "chatapp".clone_into(&mut config.messaging.adapter);
    TestApp::start_with(Backend::Sqlite, set)
        .await
        .expect("a hub")
}

fn accounts(body: &Value) -> Vec<Value> {
    let items = body["itens"].as_array().expect("a list").iter();
    items
        .map(|item| json!([item["e164"], item["tem_conta"], item["motivo"]]))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_number_with_an_account_is_paid_once() {
    let app = connected().await;
    let body = json!({ "numeros": ["(11) 99999-8888", "+5511999998888", "11 3333-0000", "+55 21 98888-0404", "0800 123 4567", "999"] });
    let answer = app.post(PATH, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(
        accounts(&answer.body),
        [
            json!(["+5511999998888", true, null]),
            json!(["+5511999998888", true, null]),
            json!(["+551133330000", false, null]),
            json!(["+5521988880404", null, "sem_resposta"]),
            json!([null, null, "so_nacional"]),
            json!([null, null, "numero_invalido"]),
        ],
        "{}",
        answer.text
    );
    assert_eq!(
        (
            &answer.body["cobrados"],
            &answer.body["creditos"]["debitado"]
        ),
        (&json!(1), &json!(4))
    );
    assert_eq!(app.balance().await, (196, 0));
    let test = ask_as(&app, &app.test_key, Method::POST, PATH, Some(&body)).await;
    assert_eq!(accounts(&test.body), accounts(&answer.body));
    assert_eq!(
        (&test.body["cobrados"], &test.body["creditos"]["debitado"]),
        (&json!(0), &json!(0))
    );
    app.check_invariants().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_app_that_does_not_answer_costs_nothing() {
    let app = connected().await;
    let order = json!({ "quando": { "host": "chatapp.", "operacao": "verificar", "vezes": 0 }, "falha": "cortar_antes" });
    let order = serde_json::from_value(order).expect("a fault");
    assert!(app.app.simulator.sim.add_fault(order));
    let answer = app
        .post(PATH, &json!({ "numeros": ["+5511999998888"] }))
        .await;
    assert_eq!(
        accounts(&answer.body),
        [json!(["+5511999998888", null, "sem_resposta"])],
        "{}",
        answer.text
    );
    assert_eq!(answer.body["cobrados"], 0);
    assert_eq!(app.balance().await, (200, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_balance_must_hold_for_all_numbers() {
    let app = connected().await;
    let numbers = |count: usize| -> Vec<String> {
        (0..count)
            .map(|number| format!("+55119{:04}0000", 1_000 + number))
            .collect()
    };
    // 51 numbers may cost 204 credits, and there are 200.
    let short = app.post(PATH, &json!({ "numeros": numbers(51) })).await;
    assert_refusal(&short, "402 saldo_insuficiente");
    let enough = app.post(PATH, &json!({ "numeros": numbers(50) })).await;
    assert_eq!(
        (enough.status, &enough.body["cobrados"]),
        (200, &json!(0)),
        "{}",
        enough.text
    );
    for (numbers, summary) in [
        (numbers(101), "422 limite_do_lote"),
        (Vec::new(), "400 parametro_invalido"),
    ] {
        let refused = app.post(PATH, &json!({ "numeros": numbers })).await;
        assert_refusal(&refused, summary);
        assert_eq!(refused.body["campos"][0]["campo"], "numeros");
    }
    assert_eq!(app.balance().await, (200, 0));
    let apart = TestApp::start(Backend::Sqlite).await.expect("a hub");
    let refused = apart
        .post(PATH, &json!({ "numeros": ["+5511999998888"] }))
        .await;
    assert_refusal(&refused, "422 chatapp_nao_conectado");
}
