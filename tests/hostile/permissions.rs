//! What an adapter may do with a customer's key, secrets and certificate, through the
//! whole hub: what it does not declare is refused and leaves a row, and the note of
//! another account is issued meanwhile.

use crate::city::{Land, NEIGHBOUR, body};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openssl::sha::sha256;
use sim::{Fault, FaultKind, When};
use store::tables::adapter_uses::{self, UseKind, UseRow};
use tests::TestApp;
use tests::app::{Backend, profile};

/// Modes that take a secret or the certificate elsewhere, and what is refused.
const LEAKS: [(&str, UseKind, &str); 6] = [
    ("leak-endpoint", UseKind::Secret, "senha at outra"),
    ("leak-header", UseKind::Secret, "senha at outra"),
    ("leak-query", UseKind::Secret, "senha at outra"),
    ("leak-basic", UseKind::Secret, "usuario at outra"),
    ("leak-url", UseKind::Secret, "senha at url"),
    ("leak-tls", UseKind::Certificate, "outra"),
];

/// Rows of adapters, by the component's name.
async fn uses(app: &TestApp, component: &str) -> Vec<UseRow> {
    let mut conn = app.app.db.read().await.expect("connection");
    let rows = adapter_uses::newest(&mut conn, 0, 1_000).await;
    let mut rows = rows.expect("rows");
    rows.retain(|row| row.component == component);
    rows
}

async fn each_is_refused_and_written_down(land: Land) {
    let app = &land.app;
    let other = hub::demo::open_account(&app.app, "Vizinho", 100)
        .await
        .expect("account");
    let neighbour = app.emitter_of(&other.id, NEIGHBOUR.0, NEIGHBOUR.1).await;
    let note = body(&neighbour);
    let credits = app.balance().await;

    // Elements and texts: it breaks where a signature is made that should not be, and
    // where one is missing that should be there.
    let emitter = land.emitter("forges").await;
    let (answer, issued) = tokio::join!(
        land.issue(&emitter),
        app.post_as(&other.live_key, "/api/v1/nfse", &note, None)
    );
    let refused = "422 operacao_nao_suportada_pelo_municipio";
    assert_eq!(answer.summary(), refused, "{}", answer.text);
    assert_eq!(issued.summary(), "201 autorizada", "{}", issued.text);
    let rows = uses(app, "hostil-forges").await;
    let digest = &app.app.catalog.current("hostil-forges").expect("it").digest;
    assert!(
        rows.iter()
            .all(|row| row.account_id == app.account_id && row.digest == *digest)
    );
    let (made, refused): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.refused.is_empty());
    let mut signed: Vec<_> = made
        .iter()
        .map(|row| (row.kind, row.what.as_str()))
        .collect();
    signed.sort_unstable_by_key(|(_, what)| std::cmp::Reverse(*what));
    let element = "b {http://www.abrasf.org.br/nfse.xsd}";
    assert_eq!(signed, [(UseKind::Element, element), (UseKind::Text, "")]);
    let text = sha256(b"0003999900000000000120261127T");
    assert!(made.iter().any(|row| row.sha256 == flow::hex(&text)));
    assert_eq!(refused.len(), 11, "{refused:?}");
    for what in [
        "c {http://www.abrasf.org.br/nfse.xsd}",
        "infNFe {http://www.portalfiscal.inf.br/nfe}",
        "Assertion {urn:oasis:names:tc:SAML:2.0:assertion}",
        "termoDeAutorizacao {}",
    ] {
        assert!(
            refused.iter().any(|row| row.what == what),
            "{what}: {refused:?}"
        );
    }
    assert!(
        refused.iter().all(|row| row.sha256.len() == 64),
        "{refused:?}"
    );

    // The neighbour's signature has a row, too, of its own account.
    let rows = uses(app, "dps").await;
    let found: Vec<_> = rows
        .iter()
        .map(|row| (&row.account_id, row.what.as_str()))
        .collect();
    let own = "infDPS {http://www.sped.fazenda.gov.br/nfse}";
    assert_eq!(found, [(&other.id, own)]);

    // Secrets and the certificate.
    for (mode, kind, what) in LEAKS {
        let emitter = land.emitter(mode).await;
        let before = land.received();
        let answer = land.issue(&emitter).await;
        assert_eq!(
            answer.summary(),
            "502 falha_do_adaptador",
            "{mode}: {}",
            answer.text
        );
        assert_eq!(land.received(), before, "{mode}: nothing arrived");
        let rows = uses(app, &format!("hostil-{mode}")).await;
        let found: Vec<_> = rows
            .iter()
            .map(|row| (row.kind, row.what.as_str()))
            .collect();
        assert_eq!(found, [(kind, what)], "{mode}");
        assert!(rows.iter().all(|row| !row.refused.is_empty()));
    }
    let issued = app
        .post_as(&other.live_key, "/api/v1/nfse", &note, None)
        .await;
    assert_eq!(issued.summary(), "201 autorizada", "{}", issued.text);
    assert_eq!(app.balance().await, credits, "refusals cost nothing");
    app.check_invariants().await;
    forgotten(&land).await;
}

/// Rows are kept as long as the operator says.
async fn forgotten(land: &Land) {
    let app = &land.app.app;
    let days = i64::from(app.config.adapters.audit_days);
    let left = async |days: i64| {
        let now_ms = app.now_ms() + days * 86_400_000;
        let forgot = issuing::run::work::forget_uses(&app.issuing, now_ms).await;
        forgot.expect("the database works");
        uses(&land.app, "hostil-forges").await.len()
    };
    assert_eq!(left(days - 1).await, 13);
    assert_eq!(left(days + 1).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_is_refused_and_written_down_sqlite() {
    let land = Land::start(Backend::Sqlite).await.expect("always there");
    each_is_refused_and_written_down(land).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_is_refused_and_written_down_postgres() {
    if let Some(land) = Land::start(Backend::Postgres).await {
        each_is_refused_and_written_down(land).await;
    }
}

/// A server that repeats what it was sent shows the adapter no password, and the
/// journal keeps none.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_echo_shows_no_secret() {
    const PASSWORD: &str = "S3nha+Forte/1";
    let land = Land::start(Backend::Sqlite).await.expect("always there");
    let (cnpj, city) = land.company("echo");
    let mut company = profile(&city);
    let logins = company
        .nfse
        .as_mut()
        .and_then(|nfse| nfse.credenciais.as_mut());
    logins.expect("logins").senha = Some(PASSWORD.to_owned());
    let emitter = land
        .app
        .emitter_with(&land.app.account_id, &cnpj, company)
        .await;
    let echoed = [
        PASSWORD.to_owned(),
        STANDARD.encode(PASSWORD),
        format!("Basic {}", STANDARD.encode(format!("usuario:{PASSWORD}"))),
        "S3nha%2BForte%2F1".to_owned(),
    ];
    // The city's answer is the simulator's list of what it was told to do.
    let fault = Fault {
        quando: When {
            host: Some("ninguem.example".to_owned()),
            ..When::default()
        },
        falha: FaultKind::Recusar,
        mensagem: Some(format!("antes {} depois", echoed.join(" e "))),
        ..Fault::default()
    };
    assert!(land.app.app.simulator.sim.add_fault(fault));
    let answer = land.issue_open(&emitter).await;
    let mut conn = land.app.app.db.read().await.expect("connection");
    let nota = answer.text_at("/nota_id");
    let turns = store::tables::flows::turns_of(&mut conn, &land.app.account_id, nota).await;
    let turns = turns.expect("journal");
    let bodies = turns
        .iter()
        .map(|turn| String::from_utf8_lossy(&turn.event_body));
    let bodies = bodies.collect::<Vec<_>>().join("\n");
    assert!(
        bodies.contains("antes *** e *** e Basic *** e *** depois"),
        "{bodies}"
    );
    for secret in echoed {
        assert!(!bodies.contains(&secret), "{secret}");
    }
}
