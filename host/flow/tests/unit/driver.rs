//! What a flow may send.

use flow::contract::{Effect, EndpointPath, HttpRequest, Target};
use flow::driver::only_reads;

#[test]
fn a_query_sends_nothing_but_questions() {
    let request = |effect: Effect| HttpRequest {
        target: Target::Endpoint(EndpointPath {
            endpoint: "nfse".to_owned(),
            path: "/login".to_owned(),
        }),
        method: "POST".to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
        effect,
        timeout_ms: None,
        client_certificate: false,
        label: "login".to_owned(),
    };
    let may = |operation: &str, effect: Effect| only_reads(operation, &request(effect)).is_ok();
    assert!(may("consultar-nota", Effect::ReadOnly));
    assert!(!may("consultar-nota", Effect::Idempotent));
    assert!(!may("consultar-rps", Effect::Once));
    assert!(may("cancelar", Effect::Once));
}
