//! The log of the process: one line for each call, and nothing in it that tells who
//! somebody is.

use crate::lane::{Lane, Node};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

/// A CPF that belongs to nobody.
const CPF: &str = "52998224725";
/// A key that no account has.
const STRANGE_KEY: &str = "svc_live_0123456789abcdef0123456789abcdef";

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
        let of_call = |line: &&str| line.contains(" request ") && line.contains(&id);
        let lines: Vec<&str> = log.lines().filter(of_call).collect();
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
