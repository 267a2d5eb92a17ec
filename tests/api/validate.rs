//! POST /api/v1/validate/email: what the form and the DNS say of an address. The
//! DNS is one of the tests' own.

use crate::common::{ask_as, assert_refusal};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::Backend;
use tests::{Answer, TestApp, dns, on_sqlite};

const PATH: &str = "/api/v1/validate/email";

async fn asked(app: &TestApp, email: &str) -> Answer {
    let answer = app.post(PATH, &json!({ "email": email })).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer
}

/// `valido`, `mx`, `motivo`, `entrega` and what it cost.
fn told(answer: &Answer) -> Value {
    let body = &answer.body;
    json!([
        body["valido"],
        body["mx"],
        body["motivo"],
        body["entrega"],
        body["creditos"]["debitado"]
    ])
}

on_sqlite! {
    async fn the_dns_decides_whether_a_domain_takes_mail(app: TestApp) {
        for (domain, expected) in [
            ("empresa.com.br", json!([true, true, null, "mx", 4])),
            ("EMPRESA.com.br", json!([true, true, null, "mx", 4])),
            (dns::ADDRESS_ONLY, json!([true, true, null, "endereco", 4])),
            (dns::NO_MAIL, json!([false, false, "recusa_email", null, 4])),
            (dns::EMPTY, json!([false, false, "sem_servidor", null, 4])),
            ("nao-existe.com.br", json!([false, false, "dominio_inexistente", null, 4])),
            // Nobody knows, and nothing is paid.
            (dns::BROKEN, json!([null, null, "dns_sem_resposta", null, 0])),
            // Names of this network alone are not asked for.
            ("banco.internal", json!([false, false, "dominio_inexistente", null, 4])),
        ] {
            let answer = asked(&app, &format!("maria@{domain}")).await;
            assert_eq!(told(&answer), expected, "{domain}: {}", answer.text);
            assert_eq!(answer.body["formato"], true);
            assert_eq!(answer.body["dominio"], domain.to_lowercase());
        }
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_domain_with_accents_is_asked_for_as_the_dns_knows_it(app: TestApp) {
        let answer = asked(&app, "pedidos@padaria-açaí.com.br").await;
        assert_eq!((&answer.body["valido"], answer.text_at("/dominio")), (&json!(true), "padaria-açaí.com.br"), "{}", answer.text);
    }
}

on_sqlite! {
    async fn a_wrong_form_says_where(app: TestApp) {
        for (email, reason) in [
            ("maria@", "arroba"),
            ("maria", "arroba"),
            ("a@b@c.com", "arroba"),
            (".maria@empresa.com.br", "usuario"),
            ("maria silva@empresa.com.br", "usuario"),
            ("joão@empresa.com.br", "usuario"),
            ("maria@localhost", "sem_ponto"),
            ("maria@-empresa.com.br", "dominio"),
            ("maria@empresa..com.br", "dominio"),
            ("maria@192.0.2.1", "dominio"),
            ("@", "tamanho"),
        ] {
            let answer = asked(&app, email).await;
            assert_eq!(told(&answer), json!([false, null, reason, null, 4]), "{email}: {}", answer.text);
            assert_eq!((&answer.body["formato"], &answer.body["descartavel"]), (&json!(false), &Value::Null));
            assert!(!answer.text_at("/explicacao").is_empty(), "{}", answer.text);
        }
    }
}

on_sqlite! {
    async fn a_mistyped_domain_has_a_suggestion(app: TestApp) {
        for (email, suggestion) in [
            ("maria@gmial.com", json!("maria@gmail.com")),
            ("maria@hotmail.co", json!("maria@hotmail.com")),
            ("maria@yahoo.com.r", json!("maria@yahoo.com.br")),
            ("maria@gmail.com", Value::Null),
            ("maria@empresa.com.br", Value::Null),
        ] {
            assert_eq!(asked(&app, email).await.body["sugestao"], suggestion, "{email}");
        }
    }
}

on_sqlite! {
    async fn a_test_key_pays_nothing_and_nobody_asks_without_credit(app: TestApp) {
        let body = json!({ "email": "maria@empresa.com.br" });
        let free = ask_as(&app, &app.test_key, Method::POST, PATH, Some(&body)).await;
        assert_eq!((&free.body["valido"], &free.body["creditos"]["debitado"]), (&json!(true), &json!(0)), "{}", free.text);
        for _ in 0..50 {
            asked(&app, "maria").await;
        }
        assert_refusal(&app.post(PATH, &body).await, "402 saldo_insuficiente");
        app.check_invariants().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dns_that_does_not_answer_is_not_waited_for() {
    let silent = std::net::UdpSocket::bind("127.0.0.1:0").expect("a port");
    let address = silent.local_addr().expect("an address").to_string();
    let app = TestApp::start_with(Backend::Sqlite, |config| {
        config.dns.servers = vec![address];
        config.dns.timeout_ms = 100;
    });
    let app = app.await.expect("a hub");
    let answer = asked(&app, "maria@empresa.com.br").await;
    assert_eq!(
        told(&answer),
        json!([null, null, "dns_sem_resposta", null, 0]),
        "{}",
        answer.text
    );
}
