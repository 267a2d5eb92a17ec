//! A city whose service has no TLS: notes leave only where the operator accepts it.

use super::front::Front;
use super::official;
use flow::registry::Registry;
use serde_json::{Value, json};
use tests::TestApp;
use tests::app::Backend;
use tests::bodies::{nfse, with};

const CITY: &str = "2906600";
const HOST: &str = "nfse.candiba.ba.gov.br";
/// This machine's own addresses.
const HERE: &[&str] = &["127.0.0.1", "::1"];

/// A hub whose registry gives the city's address without TLS, with such a server.
async fn hub(accepted: &[&str], nets: &[&str]) -> (TestApp, Front) {
    let owned = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect();
    let (accepted, nets) = (owned(accepted), owned(nets));
    let app = official(Backend::Sqlite, |config| {
        config.probes.enabled = false;
        config.authorities.plain_http = accepted;
        config.registry.allow_nets = nets;
    });
    let app = app.await.expect("a hub");
    let front = Front::start_plain(app.app.simulator.sim.clone(), HOST).await;
    let text = flow::registry::BUILT_IN.replace(
        &format!("http://{HOST}/"),
        &format!("http://localhost:{}/", front.port),
    );
    let registry = Registry::parse(&text).expect("registry");
    app.app.registry.replace(registry);
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
    let (app, _front) = hub(&["elsewhere.example"], HERE).await;
    assert_eq!(access(&app).await, json!("sem_tls"));
    let refused = issued(&app).await;
    assert_eq!(refused, "503 prefeitura_indisponivel");
    assert_eq!(app.balance().await, (200, 0), "nothing is charged");

    let (app, _front) = hub(&["localhost"], HERE).await;
    assert_eq!(access(&app).await, json!("nao_medido"));
    assert_eq!(issued(&app).await, "201 autorizada");
}

/// A name that whoever answers for it has led to this machine.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_leaves_without_tls_to_an_internal_address() {
    let (app, _front) = hub(&["localhost"], &[]).await;
    assert_eq!(issued(&app).await, "503 prefeitura_indisponivel");
    assert_eq!(app.balance().await, (200, 0), "nothing is charged");
}
