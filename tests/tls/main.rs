//! TLS towards authorities, against servers as they are: `openssl s_server`
//! where a server must renegotiate or knows only old ciphers, servers of this
//! process elsewhere. Loopback only; every wait has an end.

mod certificate;
mod ciphers;
mod exchange;
mod inside;
mod pki;
mod probes;
mod renegotiation;
mod s_server;
mod trust;

use authority::tls::{Answer, Client, Identity, Outgoing, Profile, Trust};
use flow::contract::{TransportFault, TransportKind};
use pki::{Leaf, pki};
use std::time::Duration;

/// No test waits longer for anything.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client that believes the test's authority for servers.
fn client(profile: Profile, own: Option<&Leaf>) -> Client {
    client_of(
        Trust::only(&pki().servers.pem()).expect("trust"),
        profile,
        own,
    )
}

fn client_of(trust: Trust, profile: Profile, own: Option<&Leaf>) -> Client {
    let identity = own.map(|own| Identity::new(&own.identity(), |chain| chain).expect("identity"));
    Client::new(trust, profile, identity, PATIENCE)
}

fn get(port: u16) -> Outgoing {
    to("localhost", port)
}

fn to(host: &str, port: u16) -> Outgoing {
    Outgoing {
        method: "GET".to_owned(),
        plain_http: false,
        url: format!("https://{host}:{port}/ws?wsdl"),
        host: None,
        headers: Vec::new(),
        body: Vec::new(),
        timeout: PATIENCE,
        response_bytes: 1 << 20,
    }
}

fn post(port: u16, body: Vec<u8>) -> Outgoing {
    Outgoing {
        method: "POST".to_owned(),
        headers: vec![("content-type".to_owned(), "application/soap+xml".to_owned())],
        body,
        ..get(port)
    }
}

/// The fault, when it is of this kind and certain not to have arrived.
fn unsent(answer: Result<Answer, TransportFault>, kind: TransportKind) -> String {
    let fault = answer.expect_err("a fault");
    assert_eq!(fault.kind, kind, "{fault:?}");
    assert!(!fault.maybe_arrived, "{fault:?}");
    fault.detail
}
