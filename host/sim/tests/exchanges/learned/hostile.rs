//! Requests that no client sends are refused, soon.

use super::*;
use std::time::{Duration, Instant};

const MANY: usize = 1 << 17;

#[tokio::test]
async fn huge_deep_and_broken_requests_are_refused_soon() {
    let rest = rest::cases();
    let json = json::cases();
    let form = form::cases();
    for (cases, path, kind) in [
        (&rest, "/rest/servico", "application/xml"),
        (&json, "/notas", "application/json"),
        (&form, "/enviar", "application/x-www-form-urlencoded"),
        (&form, "/enviar", "multipart/form-data; boundary=corte"),
        (&form, "/enviar", "multipart/form-data; boundary=a"),
    ] {
        let world = cases.world(None);
        let bodies = [
            String::new(),
            "\0\u{1}\u{2}".to_owned(),
            "<".repeat(MANY),
            "<nfse>".repeat(MANY),
            "<nfse><rps>".to_owned() + &"<a/>".repeat(MANY),
            "<nfse a=\"".to_owned() + &"&amp;".repeat(MANY),
            "[".repeat(MANY),
            "{\"a\":".repeat(MANY),
            "{\"prestador\":[".to_owned() + &"{\"cnpj\":1},".repeat(MANY / 4) + "1]}",
            "a=".to_owned() + &"%3C".repeat(MANY),
            "a&".repeat(MANY),
            "--corte\r\n\r\n".repeat(MANY / 8),
            "a".repeat(MANY * 32),
        ];
        for body in bodies {
            let begin: String = body.chars().take(20).collect();
            let headers = vec![("Content-Type".to_owned(), kind.to_owned())];
            let body = body.into_bytes();
            let started = Instant::now();
            let answer = world
                .request("x.example", "POST", path, headers, body, None)
                .await;
            assert!(
                status(&answer) >= 400 || text(&answer).contains("não previsto"),
                "{begin}: {answer:?}"
            );
            assert!(
                started.elapsed() < Duration::from_secs(30),
                "{kind}: {begin}"
            );
        }
        assert!(world.sim.notas().is_empty());
    }
}
