//! The TLS server: handshake, routing by `Host`, cut connections, control.

use std::net::SocketAddr;
use std::pin::Pin;

use crate::common::*;
use openssl::pkey::PKey;
use openssl::ssl::{Ssl, SslConnector, SslMethod, SslVersion};
use openssl::x509::X509;
use serde_json::json;
use sim::pki::A1Files;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_openssl::SslStream;

const NATIONAL: &str = "sefin.producaorestrita.nfse.gov.br";

async fn start(world: &World) -> (SocketAddr, sim::ServerHandle) {
    sim::serve(
        world.sim.clone(),
        &PKI,
        "127.0.0.1:0".parse().expect("address"),
    )
    .await
    .expect("server")
}

/// Sends one request and reads to the end of the connection.
async fn ask(
    addr: SocketAddr,
    a1: Option<&A1Files>,
    newest: SslVersion,
    request: &str,
) -> Result<String, String> {
    ask_with(addr, a1, newest, None, request).await
}

/// The same with a choice of ciphers.
async fn ask_with(
    addr: SocketAddr,
    a1: Option<&A1Files>,
    newest: SslVersion,
    ciphers: Option<&str>,
    request: &str,
) -> Result<String, String> {
    let mut builder = SslConnector::builder(SslMethod::tls_client()).expect("connector");
    let mut store = openssl::x509::store::X509StoreBuilder::new().expect("store");
    store
        .add_cert(X509::from_pem(&PKI.ca_pem()).expect("root"))
        .expect("root");
    builder.set_cert_store(store.build());
    builder
        .set_max_proto_version(Some(newest))
        .expect("version");
    if let Some(ciphers) = ciphers {
        builder.set_cipher_list(ciphers).expect("ciphers");
    }
    if let Some(a1) = a1 {
        builder
            .set_certificate(&X509::from_der(&a1.cert_der).expect("cert"))
            .expect("cert");
        builder
            .set_private_key(&PKey::private_key_from_pkcs8(&a1.key_pkcs8_der).expect("key"))
            .expect("key");
    }
    let connector = builder.build();
    let mut ssl = Ssl::new(connector.context()).expect("ssl");
    ssl.set_hostname("localhost").expect("name");
    ssl.param_mut().set_host("localhost").expect("name");
    // The chain is valid around the test clock, whatever day it is.
    ssl.param_mut().set_time(NOW / 1000);
    ssl.set_verify(openssl::ssl::SslVerifyMode::PEER);
    let tcp = TcpStream::connect(addr).await.map_err(|e| e.to_string())?;
    let mut tls = SslStream::new(ssl, tcp).map_err(|e| e.to_string())?;
    Pin::new(&mut tls)
        .connect()
        .await
        .map_err(|e| e.to_string())?;
    tls.write_all(request.as_bytes())
        .await
        .map_err(|e| e.to_string())?;
    let mut answer = Vec::new();
    match tls.read_to_end(&mut answer).await {
        Ok(_) => {}
        // The peer may close without the closing alert.
        Err(e) if answer.is_empty() => return Err(e.to_string()),
        Err(_) => {}
    }
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

fn get(host: &str, method: &str, path: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
}

#[tokio::test]
async fn routes_by_host_and_asks_for_a_certificate() {
    let world = World::new();
    let (addr, server) = start(&world).await;
    let path = format!(
        "/SefinNacional/dps/DPS3550308{}{:0>20}",
        "211222333000181", 1
    );
    for version in [SslVersion::TLS1_2, SslVersion::TLS1_3] {
        let with = ask(
            addr,
            Some(&COMPANY_A1),
            version,
            &get(NATIONAL, "HEAD", &path),
        )
        .await
        .expect("answer");
        assert!(with.starts_with("HTTP/1.1 404"), "{with}");
        let without = ask(addr, None, version, &get(NATIONAL, "HEAD", &path))
            .await
            .expect("answer");
        assert!(without.starts_with("HTTP/1.1 496"), "{without}");
    }
    let state = ask(
        addr,
        None,
        SslVersion::TLS1_3,
        &get("localhost", "GET", "/__sim/estado"),
    )
    .await
    .expect("answer");
    assert!(
        state.starts_with("HTTP/1.1 200") && state.contains("\"consultar\":4"),
        "{state}"
    );
    assert!(
        ask(
            addr,
            None,
            SslVersion::TLS1_1,
            &get(NATIONAL, "HEAD", &path)
        )
        .await
        .is_err()
    );
    server.stop().await;
    assert!(TcpStream::connect(addr).await.is_err());
}

#[tokio::test]
async fn cuts_the_connection_on_order() {
    let world = World::new();
    let (addr, server) = start(&world).await;
    // The server outlives its handle.
    drop(server);
    let fault = json!({"quando": {"operacao": "consultar"}, "falha": "cortar_antes"}).to_string();
    let order = format!(
        "POST /__sim/faults HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{fault}",
        fault.len()
    );
    let ordered = ask(addr, None, SslVersion::TLS1_3, &order)
        .await
        .expect("answer");
    assert!(ordered.starts_with("HTTP/1.1 201"), "{ordered}");
    let request = get(NATIONAL, "HEAD", "/SefinNacional/dps/x");
    let cut = ask(addr, Some(&COMPANY_A1), SslVersion::TLS1_3, &request).await;
    assert!(cut.as_deref().unwrap_or("").is_empty(), "{cut:?}");
    let after = ask(addr, Some(&COMPANY_A1), SslVersion::TLS1_3, &request)
        .await
        .expect("answer");
    assert!(after.starts_with("HTTP/1.1 400"), "{after}");
}

/// A question to a SEFAZ that needs the client certificate.
fn status_question() -> String {
    use crate::common::sefaz::{SP, service_status, sp};
    let space = "http://www.portalfiscal.inf.br/nfe/wsdl/NFeStatusServico4";
    let body = format!(
        "<s:Envelope xmlns:s=\"http://www.w3.org/2003/05/soap-envelope\"><s:Body><nfeDadosMsg xmlns=\"{space}\">{}</nfeDadosMsg></s:Body></s:Envelope>",
        service_status("35")
    );
    format!(
        "POST {} HTTP/1.1\r\nHost: {SP}\r\nConnection: close\r\nContent-Type: application/soap+xml\r\nContent-Length: {}\r\n\r\n{body}",
        sp("NFeStatusServico4"),
        body.len()
    )
}

#[tokio::test]
async fn an_old_front_end_speaks_rsa_and_cbc_only() {
    let world = World::new();
    let (addr, server) = sim::serve_with(
        world.sim.clone(),
        &PKI,
        "127.0.0.1:0".parse().expect("address"),
        sim::TlsProfile::RsaCbc,
    )
    .await
    .expect("server");
    let question = status_question();
    let old = Some("AES128-SHA256:AES256-SHA");
    let answer = ask_with(addr, Some(&COMPANY_A1), SslVersion::TLS1_3, old, &question)
        .await
        .expect("answer");
    assert!(answer.contains("<cStat>107</cStat>"), "{answer}");
    let modern = Some("ECDHE+AESGCM");
    assert!(
        ask_with(
            addr,
            Some(&COMPANY_A1),
            SslVersion::TLS1_3,
            modern,
            &question
        )
        .await
        .is_err()
    );
    server.stop().await;
}

#[tokio::test]
async fn the_certificate_may_be_asked_in_a_renegotiation() {
    let there = std::process::Command::new("openssl")
        .arg("version")
        .output();
    if there.is_err() {
        judges::skipped("no openssl command on this machine");
        return;
    }
    let world = World::new();
    let dir = tempfile::tempdir().expect("folder");
    let (addr, server) = sim::serve_renegotiating(
        world.sim.clone(),
        &PKI,
        "127.0.0.1:0".parse().expect("address"),
        dir.path(),
    )
    .await
    .expect("server");
    let question = status_question();
    let with = ask(addr, Some(&COMPANY_A1), SslVersion::TLS1_3, &question)
        .await
        .expect("answer");
    assert!(with.contains("<cStat>107</cStat>"), "{with}");
    let without = ask(addr, None, SslVersion::TLS1_3, &question)
        .await
        .expect("answer");
    assert!(without.starts_with("HTTP/1.1 403"), "{without}");
    // Nothing of the first handshake asked for a certificate: only the second did.
    assert_eq!(world.sim.received(), 2);
    server.stop().await;
}
