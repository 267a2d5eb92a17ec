//! The log of the process: one line for each request, and nothing in it that tells who
//! somebody is.

use crate::lane::{Lane, Node};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};

/// A CPF that belongs to nobody.
const CPF: &str = "52998224725";
/// A key that no account has.
const STRANGE_KEY: &str = "svc_live_0123456789abcdef0123456789abcdef";

/// Reference of an NFS-e that was issued before.
pub const REFERENCE: &str = "pedido-71";

/// The lines of requests in a log.
fn lines(log: &str) -> Vec<&str> {
    let of_request = |line: &&str| line.contains(" request request.id=");
    log.lines().filter(of_request).collect()
}

/// Asks for what is no operation, or not of this hub: pages, addresses that do not exist,
/// those of `/v2`. Each has one line, whatever it is made of.
///
/// # Panics
/// A request has no line or several, one lacks a field, or the log shows a key or a CPF.
pub async fn one_line_for_each_request(lane: &Lane, node: &Node) {
    let client = Client::builder().no_proxy().redirect(Policy::none());
    let client = client.build().expect("client");
    let of_nobody = format!("/v2/nfe/{CPF}?completa={CPF}");
    let of_note = format!("/v2/nfse/{REFERENCE}");
    // Method, address, whether the key is sent; the answer and the line that are expected.
    let requests = [
        ("GET", "/painel/entrar", false, 200, "/painel/entrar"),
        ("POST", "/painel/entrar", false, 0, "/painel/entrar"),
        (
            "GET",
            "/painel/nada/52998224725",
            false,
            404,
            "/painel/{*resto}",
        ),
        ("GET", "/docs/guias", false, 200, "/docs/guias"),
        (
            "GET",
            "/docs/guias/52998224725",
            false,
            404,
            "/docs/guias/{name}",
        ),
        (
            "GET",
            "/api/v1/52998224725?cpf=52998224725",
            true,
            404,
            "nowhere",
        ),
        ("DELETE", "/api/v1/conta", true, 405, "/api/v1/conta"),
        ("GET", "/v2/nada/52998224725", true, 404, "/v2/{*rest}"),
        ("POST", "/v2/nfe?ref=52998224725", false, 401, "/v2/nfe"),
        ("GET", of_nobody.as_str(), true, 400, "/v2/nfe/{ref}"),
        // The hub asks an operation of its own for this one.
        ("GET", of_note.as_str(), true, 200, "/v2/nfse/{ref}"),
    ];
    let before = lines(&lane.whole_log()).len();
    let mut expected = Vec::new();
    for (method, path, keyed, status, route) in requests {
        let name = Method::from_bytes(method.as_bytes()).expect("a method");
        let mut request = client.request(name, format!("{}{path}", node.base_url));
        if keyed {
            request = request.basic_auth(&lane.live_key, Some(""));
        }
        let answer = request.send().await.expect("an answer");
        let said = answer.status().as_u16();
        assert!(said == status || status == 0, "{method} {path}: {said}");
        let id = answer.headers()["x-request-id"].to_str().expect("text");
        expected.push((id.to_owned(), method, route, said));
    }
    let log = lane.whole_log();
    let written = lines(&log);
    assert_eq!(written.len(), before + expected.len());
    for (line, (id, method, route, status)) in written[before..].iter().zip(expected) {
        for field in [
            format!("request.id={id}"),
            format!("method=\"{method}\""),
            format!("route=\"{route}\""),
            format!("status={status}"),
            "ms=".to_owned(),
        ] {
            assert!(line.contains(&field), "{field}: {line}");
        }
        let account = format!("account=\"{}\"", lane.account_id);
        let known = route.contains("{ref}");
        assert_eq!(line.contains(&account), known, "{line}");
    }
    for secret in [lane.live_key.as_str(), CPF, REFERENCE] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}

/// Calls, and reads the line of each.
///
/// # Panics
/// A call has no line or several, one lacks a field, or the log shows a key or a CPF.
pub async fn one_line_for_each_call(lane: &Lane, node: &Node) {
    let url = |path: &str| format!("{}{path}", node.base_url);
    let asked = |method: Method, path: &str| lane.http.request(method, url(path));
    let sent = |path: &str, body: Value| {
        let request = asked(Method::POST, path).header("content-type", "application/json");
        request.body(body.to_string())
    };
    let own = lane.live_key.as_str();
    let calls: [(RequestBuilder, &str, &str, u16); 5] = [
        (asked(Method::GET, "/api/v1/conta"), own, "conta", 200),
        // The query holds a person's number, then the address, too, then the body. None of
        // these calls has a price: who calls this counts credits.
        (
            asked(Method::GET, &format!("/api/v1/pessoas?cpf_cnpj={CPF}")),
            own,
            "pessoas.list",
            200,
        ),
        (
            asked(Method::GET, &format!("/api/v1/documentos/{CPF}?x={CPF}")),
            own,
            "documentos.get",
            404,
        ),
        (
            sent(
                "/api/v1/nfe",
                json!({ "destinatario": { "cpf_cnpj": CPF } }),
            ),
            own,
            "nfe.create",
            400,
        ),
        (
            asked(Method::GET, "/api/v1/conta"),
            STRANGE_KEY,
            "conta",
            401,
        ),
    ];
    let mut expected = Vec::new();
    for (call, key, operation, status) in calls {
        let answer = call.bearer_auth(key).send().await.expect("an answer");
        let id = answer.headers()["x-request-id"].to_str().expect("text");
        let id = id.to_owned();
        assert_eq!(answer.status().as_u16(), status, "{operation}");
        expected.push((id, operation, status, key == own));
    }
    let log = lane.whole_log();
    for (id, operation, status, known) in expected {
        let of_call = |line: &&str| line.contains(&id);
        let lines: Vec<&str> = lines(&log).into_iter().filter(of_call).collect();
        assert_eq!(lines.len(), 1, "{operation} {id}: {lines:?}");
        let line = lines[0];
        for field in [
            format!("request.id={id}"),
            format!("operation=\"{operation}\""),
            format!("status={status}"),
            "ms=".to_owned(),
        ] {
            assert!(line.contains(&field), "{field}: {line}");
        }
        assert_eq!(line.contains("code=\""), status >= 400, "{line}");
        let account = format!("account=\"{}\"", lane.account_id);
        assert_eq!(line.contains(&account), known, "{line}");
    }
    for secret in [own, STRANGE_KEY, CPF] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}
