//! Whom a client believes.

use crate::pki::{Leaf, pki};
use crate::s_server::Server;
use crate::{client, client_of, get, to, unsent};
use authority::tls::{Profile, Trust};
use flow::contract::TransportKind;
use tempfile::TempDir;
use vault::roots::import::{Outcome, import};
use vault::roots::{Purpose, Roots};

/// 2026-06-01, within the certificates' time.
const NOW_MS: i64 = 1_780_272_000_000;

async fn refused(own: &Leaf, host: &str, words: &str) {
    let Some(server) = Server::start(own, &["-www"]) else {
        return;
    };
    let answer = client(Profile::default(), None)
        .send(to(host, server.port))
        .await;
    let detail = unsent(answer, TransportKind::Tls);
    assert!(detail.contains(words), "{detail}");
}

#[tokio::test]
async fn a_certificate_of_another_host_is_refused() {
    refused(&pki().elsewhere, "localhost", "ostname mismatch").await;
    // The certificate names localhost, not its address.
    refused(&pki().server, "127.0.0.1", "IP address mismatch").await;
}

#[tokio::test]
async fn an_ended_certificate_is_refused() {
    refused(&pki().ended, "localhost", "expired").await;
}

#[tokio::test]
async fn an_unknown_authority_is_refused_and_named() {
    refused(&pki().stranger, "localhost", "AC DESCONHECIDA").await;
}

/// The roots of the binary and of the system, then one more by
/// `hub roots import`; for servers, and not for signatures.
#[tokio::test]
async fn an_imported_root_is_believed_after_the_next_start() {
    let Some(server) = Server::start(&pki().server, &["-www"]) else {
        return;
    };
    let data = TempDir::new().expect("folder");
    let ask = async || {
        let roots = Roots::open(data.path());
        let trust = Trust::new(roots.server().expect("store")).expect("trust");
        client_of(trust, Profile::default(), None)
            .send(get(server.port))
            .await
    };
    unsent(ask().await, TransportKind::Tls);

    let file = data.path().join("given.pem");
    std::fs::write(&file, pki().servers.pem()).expect("file");
    let report = import(data.path(), &file, Purpose::Signature, NOW_MS).expect("import");
    assert!(
        matches!(report[0].outcome, Outcome::Imported(_)),
        "{report:?}"
    );
    unsent(ask().await, TransportKind::Tls);
    std::fs::remove_dir_all(data.path().join("roots")).expect("folder");

    let report = import(data.path(), &file, Purpose::Server, NOW_MS).expect("import");
    assert!(
        matches!(report[0].outcome, Outcome::Imported(_)),
        "{report:?}"
    );
    assert_eq!(ask().await.expect("answer").status, 200);
}
