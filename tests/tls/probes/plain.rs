//! A city whose service has no TLS: notes leave only where the operator accepts it.

use super::front::Front;
use super::official;
use flow::registry::Registry;
use serde_json::{Value, json};
use tests::app::Backend;
use tests::bodies::{nfse, with};
use tests::{Answer, TestApp};

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

async fn issued_as(app: &TestApp, key: &str) -> Answer {
    let body = with(nfse(), "/tomador/endereco/codigo_ibge", CITY);
    let body = with(body, "/servico/cnae", "6201501");
    app.post_as(key, "/api/v1/nfse", &body, None).await
}

async fn issued(app: &TestApp) -> Answer {
    issued_as(app, &app.live_key).await
}

/// Whether a system of this access issues, by what coverage and routing say.
async fn access(app: &TestApp, issues: bool) -> Value {
    let path = format!("/api/v1/nfse/cobertura?codigo_ibge={CITY}");
    let coverage = app.get(&path).await;
    let caveats = coverage.body["ressalvas"].to_string();
    assert!(caveats.contains("usa http"), "{}", coverage.text);
    assert_ne!(caveats.contains("sem_tls"), issues, "{}", coverage.text);
    assert_eq!(
        coverage.text_at("/resposta_codigo") != "nao",
        issues,
        "{}",
        coverage.text
    );
    // Others may leave by the national environment.
    let own = &coverage.body["regimes"][0];
    assert_eq!(own["regime"], "normal", "{}", coverage.text);
    assert_eq!(own["resposta_codigo"] != "nao", issues, "{}", coverage.text);
    let routed = app.post("/api/v1/nfse/roteamento", &json!({})).await;
    assert_eq!(routed.body["emissao_pela_api"], issues, "{}", routed.text);
    coverage.body["acesso"]["estado"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notes_leave_without_tls_only_to_accepted_hosts() {
    let (app, _front) = hub(&["elsewhere.example"], HERE).await;
    assert_eq!(access(&app, false).await, json!("sem_tls"));
    let refused = issued(&app).await;
    assert_eq!(
        refused.summary(),
        "422 municipio_nao_atendido",
        "{}",
        refused.text
    );
    for word in ["authorities.plain_http", "localhost"] {
        assert!(refused.text_at("/dica").contains(word), "{}", refused.text);
    }
    assert_eq!(refused.header("retry-after"), "");
    assert_eq!(app.balance().await, (200, 0), "nothing is charged");
    let notes = app.get("/api/v1/nfse").await;
    assert_eq!(notes.body["itens"], json!([]), "{}", notes.text);
    // A test key's note goes to no city.
    let tried = issued_as(&app, &app.test_key).await;
    assert_eq!(tried.summary(), "200 validada", "{}", tried.text);

    let (app, _front) = hub(&["localhost"], HERE).await;
    assert_eq!(access(&app, true).await, json!("nao_medido"));
    assert_eq!(issued(&app).await.summary(), "201 autorizada");
}

/// A name that whoever answers for it has led to this machine.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_leaves_without_tls_to_an_internal_address() {
    let (app, _front) = hub(&["localhost"], &[]).await;
    assert_eq!(issued(&app).await.summary(), "503 prefeitura_indisponivel");
    assert_eq!(app.balance().await, (200, 0), "nothing is charged");
}
