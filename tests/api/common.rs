//! What the tests of the API share: requests of any method, certificates,
//! generated numbers, a second customer.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hub::demo::{NewAccount, open_account};
use reqwest::Method;
use serde_json::{Value, json};
use sim::pki::PfxFormat;
pub use tests::a1::{DAY_MS, PASSWORD, pfx};
pub use tests::bodies::multipart;
use tests::{Answer, TestApp};

pub const BELO_HORIZONTE: &str = "3106200";

/// A generated CNPJ with the given first 8 positions: nobody's.
pub fn cnpj(root: &str) -> String {
    let base = format!("{root}0001");
    let first = check_digit(&base);
    let second = check_digit(&format!("{base}{first}"));
    format!("{base}{first}{second}")
}

/// Weights 2 to 9 from the right, characters worth their code minus 48.
fn check_digit(text: &str) -> u32 {
    let sum: u32 = text
        .bytes()
        .rev()
        .zip((2..=9).cycle())
        .map(|(byte, weight)| u32::from(byte - 48) * weight)
        .sum();
    match 11 - sum % 11 {
        10 | 11 => 0,
        digit => digit,
    }
}

/// The same as the JSON of a request.
pub fn certificado(pfx: &[u8], password: &str) -> Value {
    json!({ "pfx_base64": STANDARD.encode(pfx), "senha": password })
}

/// A company with a good certificate.
pub fn emitter_in(app: &TestApp, cnpj: &str) -> Value {
    let pfx = pfx(app, cnpj, PfxFormat::Modern, (-1, 365));
    json!({ "cnpj": cnpj, "apelido": "Loja 1", "ambiente": "producao", "certificado": certificado(&pfx, PASSWORD) })
}

/// A profile that lets the company issue.
pub fn profile(ibge: &str) -> Value {
    serde_json::to_value(tests::app::profile(ibge)).expect("profile")
}

/// A JSON request of any method with a live key.
pub async fn ask(app: &TestApp, method: Method, path: &str, body: Option<&Value>) -> Answer {
    ask_as(app, &app.live_key, method, path, body).await
}

/// The same with another key.
pub async fn ask_as(
    app: &TestApp,
    key: &str,
    method: Method,
    path: &str,
    body: Option<&Value>,
) -> Answer {
    let mut request = app
        .http()
        .request(method, format!("{}{path}", app.base_url))
        .bearer_auth(key);
    if let Some(body) = body {
        request = request
            .header("content-type", "application/json")
            .body(body.to_string());
    }
    app.send(request).await
}

/// A body of any kind.
pub async fn raw(
    app: &TestApp,
    method: Method,
    path: &str,
    media: &str,
    body: impl Into<reqwest::Body>,
) -> Answer {
    let request = app
        .http()
        .request(method, format!("{}{path}", app.base_url))
        .bearer_auth(&app.live_key);
    app.send(request.header("content-type", media).body(body))
        .await
}

/// Another customer of the same hub.
pub async fn stranger(app: &TestApp) -> NewAccount {
    open_account(&app.app, "Outra conta", 6_000)
        .await
        .expect("account")
}

/// What every refusal has, so that no test forgets to look.
pub fn assert_refusal(answer: &Answer, summary: &str) {
    assert_eq!(answer.summary(), summary, "{}", answer.text);
    assert_eq!(
        answer.header("x-error-code"),
        answer.text_at("/codigo"),
        "{}",
        answer.text
    );
    for text in ["/mensagem", "/dica", "/request_id"] {
        assert!(!answer.text_at(text).is_empty(), "{text}: {}", answer.text);
    }
    assert_eq!(
        answer.text_at("/request_id"),
        answer.header("x-request-id"),
        "{}",
        answer.text
    );
    assert_eq!(answer.body["sucesso"], false, "{}", answer.text);
    tests::places::assert_one_form(&answer.body);
    for flag in ["consumiu_numero_fiscal", "consumiu_credito"] {
        assert_eq!(answer.body[flag], false, "{flag}: {}", answer.text);
    }
}
