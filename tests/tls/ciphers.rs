//! Hosts that know only old ciphers: for them alone, and only as the
//! registry says.

use crate::pki::pki;
use crate::s_server::Server;
use crate::{client, get, unsent};
use authority::tls::Profile;
use flow::contract::TransportKind;

async fn only_with_its_profile(name: &str) {
    let cipher = format!("{name}:@SECLEVEL=1");
    let options = ["-tls1_2", "-www", "-cipher", &cipher];
    let Some(server) = Server::start(&pki().server, &options) else {
        return;
    };
    let usual = client(Profile::default(), None)
        .send(get(server.port))
        .await;
    let detail = unsent(usual, TransportKind::Tls);
    assert!(detail.contains("[tls]"), "{detail}");

    let profile = Profile::new(1, &[name.to_owned()], false);
    let own = client(profile, None).send(get(server.port)).await;
    let answer = own.expect("answer");
    assert_eq!(answer.status, 200);
    let page = String::from_utf8_lossy(&answer.body).into_owned();
    assert!(page.contains(name), "{page}");
}

/// Static RSA with CBC: no fresh key per connection.
#[tokio::test]
async fn static_rsa() {
    only_with_its_profile("AES128-SHA").await;
}

/// What PR and BA choose (`[tls]` of the registry).
#[tokio::test]
async fn ecdhe_with_cbc() {
    only_with_its_profile("ECDHE-RSA-AES128-SHA256").await;
    only_with_its_profile("ECDHE-RSA-AES256-SHA384").await;
}

/// What GO chooses.
#[tokio::test]
async fn dhe_with_gcm() {
    only_with_its_profile("DHE-RSA-AES128-GCM-SHA256").await;
}

#[tokio::test]
async fn nothing_older_than_tls_1_2_even_with_a_profile() {
    let cipher = "AES128-SHA:@SECLEVEL=0";
    let options = ["-tls1_1", "-www", "-cipher", cipher];
    let Some(server) = Server::start(&pki().server, &options) else {
        return;
    };
    let profile = Profile::new(0, &["AES128-SHA".to_owned()], false);
    let answer = client(profile, None).send(get(server.port)).await;
    unsent(answer, TransportKind::Tls);
}

/// A host that asks by renegotiation stays at the version that has one.
#[tokio::test]
async fn a_renegotiating_host_is_spoken_to_in_tls_1_2() {
    for (renegotiates, version) in [(false, "TLSv1.3"), (true, "TLSv1.2")] {
        let Some(server) = Server::start(&pki().server, &["-www"]) else {
            return;
        };
        let profile = Profile::new(2, &[], renegotiates);
        let answer = client(profile, None).send(get(server.port)).await;
        let page = String::from_utf8_lossy(&answer.expect("answer").body).into_owned();
        assert!(page.contains(&format!("Protocol  : {version}")), "{page}");
    }
}
