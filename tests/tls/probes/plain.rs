//! A city whose service has no TLS: notes leave only where the operator accepts it.

use super::front::Front;
use super::official;
use base::config::{Authorities, AuthoritiesMode};
use serde_json::{Value, json};
use std::path::PathBuf;
use tests::TestApp;
use tests::app::Backend;
use tests::bodies::{nfse, with};

const CITY: &str = "2906600";
const HOST: &str = "nfse.candiba.ba.gov.br";

/// A hub whose registry gives the city's address without TLS, with such a server.
async fn hub(accepted: &[&str]) -> (TestApp, Front) {
    let accepted = accepted.iter().map(|host| (*host).to_owned()).collect();
    let app = official(Backend::Sqlite, |config| {
        config.probes.enabled = false;
        config.authorities.plain_http = accepted;
    });
    let app = app.await.expect("a hub");
    let front = Front::start_plain(app.app.simulator.sim.clone(), HOST).await;
    let text = flow::registry::BUILT_IN.replace(
        &format!("http://{HOST}/"),
        &format!("http://localhost:{}/", front.port),
    );
    app.app.registry.reload(&text).expect("registry");
    app.emitter("11222333000181", CITY).await;
    (app, front)
}

async fn issued(app: &TestApp) -> String {
    let body = with(nfse(), "/tomador/endereco/codigo_ibge", CITY);
    let body = with(body, "/servico/cnae", "6201501");
    app.post("/api/v1/nfse", &body).await.summary()
}

async fn access(app: &TestApp) -> Value {
    let path = format!("/api/v1/nfse/cobertura?codigo_ibge={CITY}");
    app.get(&path).await.body["acesso"]["estado"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notes_leave_without_tls_only_to_accepted_hosts() {
    let (app, _front) = hub(&["elsewhere.example"]).await;
    assert_eq!(access(&app).await, json!("sem_tls"));
    let refused = issued(&app).await;
    assert!(!refused.starts_with("201"), "{refused}");
    assert_eq!(app.balance().await, (200, 0), "nothing is charged");

    let (app, _front) = hub(&["localhost"]).await;
    assert_eq!(access(&app).await, json!("nao_medido"));
    assert_eq!(issued(&app).await, "201 autorizada");
}

#[test]
fn hosts_are_names_endings_or_all() {
    let accepted = |entries: &[&str]| Authorities {
        mode: AuthoritiesMode::Official,
        simulator: String::new(),
        simulator_ca: PathBuf::new(),
        simulator_cases: PathBuf::new(),
        timeout_ms: 1,
        connect_timeout_ms: 1,
        plain_http: entries.iter().map(|one| (*one).to_owned()).collect(),
    };
    let url = "http://ws.cidade.sp.gov.br:8080/nfse";
    for entries in [
        &["ws.cidade.sp.gov.br"][..],
        &[".sp.gov.br"],
        &["*"],
        &["a", "WS.Cidade.SP.gov.br"],
    ] {
        assert!(!accepted(entries).refuses(url), "{entries:?}");
    }
    for entries in [
        &[][..],
        &["cidade.sp.gov.br"],
        &[".rj.gov.br"],
        &["sp.gov.br"],
    ] {
        assert!(accepted(entries).refuses(url), "{entries:?}");
    }
    assert!(accepted(&["*"]).refuses("http://user@ws.cidade.sp.gov.br/"));
    assert!(!accepted(&[]).refuses("https://ws.cidade.sp.gov.br/"));
}
