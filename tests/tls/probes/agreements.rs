//! The national system is asked for its agreements with municipalities, by a
//! certificate, and coverage says what it told.

use super::{FINE, NOW_MS, answer, official};
use crate::inside::Inside;
use crate::pki::pki;
use authority::tls::Trust;
use flow::registry::Registry;
use measured::agreement::{Asker, Told};
use measured::round;
use serde_json::json;
use std::convert::Infallible;
use store::TxError;
use store::tables::agreements::{self, AgreementRow};
use tests::TestApp;
use tests::app::Backend;

const MEMBER: &str = FINE;
const OUTSIDE: &str = "1100023";

/// Cities of the national environment, and the service of parameters.
fn registry(port: u16) -> String {
    let national = "[systems.nacional]\nnome = \"Ambiente Nacional\"\npadrao = \"DPS 1.01\"\nadapter = \"dps\"\nvia = \"nacional\"\nfonte = \"lei\"\n";
    let city = |ibge: &str| {
        format!(
            "{ibge} = {{ nome = \"Cidade {ibge}\", uf = \"RO\", rota = {{ sistema = \"nacional\" }}, fonte = \"lei\" }}\n"
        )
    };
    let address = format!(
        "producao = {{ sefin = \"https://localhost:{port}/sefin\", parametrizacao = \"https://localhost:{port}/parametrizacao\" }}\n"
    );
    let head = tests::registry::HEAD.replace(
        "[municipios]",
        &format!("[adapters.dps]\ncomponente = \"dps\"\nendpoints = [\"sefin\"]\n\n{national}{address}\n[municipios]"),
    );
    format!("{head}{}{}", city(MEMBER), city(OUTSIDE))
}

async fn keep(app: &TestApp, row: AgreementRow) {
    let written = app.app.db.write(row, |row, conn| {
        Box::pin(async move { Ok::<_, TxError<Infallible>>(agreements::keep(conn, row).await?) })
    });
    written.await.expect("kept");
}

/// The certificate of the tests as a customer's file holds it.
fn certificate() -> vault::a1::A1 {
    let leaf = &pki().customer;
    let mut pkcs12 = openssl::pkcs12::Pkcs12::builder();
    pkcs12.pkey(&leaf.key).cert(&leaf.certificate);
    let pfx = pkcs12.build2("1234").expect("pfx").to_der().expect("der");
    vault::a1::import(&pfx, "1234", NOW_MS).expect("certificate")
}

/// A hub, and what asks the server of the tests for it.
async fn asks(server: &Inside) -> (TestApp, Asker) {
    let app = official(Backend::Sqlite, |_| {}).await.expect("a hub");
    app.stop_clock();
    let text = registry(server.port);
    let registry = Registry::parse(&text).expect("registry");
    app.app.registry.replace(registry);
    let loaded = app.app.registry.load();
    let trust = Trust::new(app.app.roots.server().expect("roots")).expect("trust");
    let roots = app.app.roots.clone();
    let complete = |chain| roots.completed(chain);
    let mut settings = app.app.config.probes.clone();
    settings.timeout_ms = 20_000;
    let asker = Asker::new(&loaded, trust, &certificate(), complete, &settings);
    let asker = asker.expect("certificate").expect("address");
    (app, asker)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn coverage_says_what_the_national_system_told() {
    let server = Inside::start(|number| match number {
        0 => answer(
            "200 OK",
            r#"{"parametrosConvenio":{"tipoConvenio":1,"aderenteAmbienteNacional":1,"aderenteEmissorNacional":0},"mensagem":"Parâmetros recuperados."}"#,
        ),
        1 => answer("404 Not Found", r#"{"parametrosConvenio":null,"mensagem":"Sem convênio."}"#),
        2 => answer("429 Too Many Requests", ""),
        _ => answer("200 OK", "<html>manutenção</html>"),
    })
    .await;
    let (app, asker) = asks(&server).await;

    let coverage = async |ibge: &str| {
        app.get(&format!("/api/v1/nfse/cobertura?codigo_ibge={ibge}"))
            .await
            .body
    };
    assert_eq!(
        coverage(MEMBER).await["convenio"],
        json!(null),
        "nobody asked"
    );
    for (ibge, expected) in [(1_100_015, (1, 0)), (1_100_023, (0, 0))] {
        let Told::Agreement(row) = asker.ask(ibge, NOW_MS).await else {
            panic!("{ibge} is told");
        };
        assert_eq!(
            (row.ambiente_nacional, row.emissor_nacional),
            expected,
            "{ibge}"
        );
        keep(&app, row).await;
    }
    assert!(matches!(asker.ask(1_100_031, NOW_MS).await, Told::Stop(_)));
    assert!(matches!(
        asker.ask(1_100_049, NOW_MS).await,
        Told::Silent(_)
    ));
    let asked: Vec<String> = server.heads();
    assert!(
        asked[0].starts_with("GET /parametrizacao/1100015/convenio "),
        "{asked:?}"
    );
    assert!(
        server.names().iter().all(|name| name == "EMPRESA"),
        "{:?}",
        server.names()
    );

    let member = coverage(MEMBER).await;
    assert_eq!(
        (
            &member["convenio"]["ambiente_nacional"],
            &member["convenio"]["emissor_nacional"]
        ),
        (&json!(true), &json!(false)),
        "{member}"
    );
    let has_caveat = |body: &serde_json::Value| body["ressalvas"].to_string().contains("E0037");
    assert!(!has_caveat(&member), "{member}");
    let outside = coverage(OUTSIDE).await;
    assert!(has_caveat(&outside), "{outside}");
    // An older answer changes nothing.
    keep(
        &app,
        AgreementRow {
            codigo_ibge: MEMBER.to_owned(),
            at_ms: NOW_MS - 1,
            ambiente_nacional: 0,
            emissor_nacional: 0,
        },
    )
    .await;
    assert_eq!(
        coverage(MEMBER).await["convenio"]["ambiente_nacional"],
        json!(true)
    );
}

/// The municipalities that were asked about, in order.
fn asked(server: &Inside) -> Vec<String> {
    let heads = server.heads();
    let paths = heads.iter().filter_map(|head| head.split('/').nth(2));
    paths.map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_round_that_was_stopped_goes_on_where_it_ended() {
    let agreement = || {
        answer(
            "200 OK",
            r#"{"parametrosConvenio":{"aderenteAmbienteNacional":1,"aderenteEmissorNacional":1},"mensagem":""}"#,
        )
    };
    let server = Inside::start(move |number| match number {
        1 => answer("429 Too Many Requests", ""),
        _ => agreement(),
    })
    .await;
    let (app, asker) = asks(&server).await;
    let loaded = app.app.registry.load();
    let cities: Vec<_> = loaded.municipalities().iter().collect();
    let clock = app.app.clock.clone();
    let mut heard = Vec::new();
    let stopped = round::round(&asker, &app.app.db, &cities, &clock, |city, told| {
        heard.push((city.ibge, matches!(told, Told::Stop(_))));
    });
    let stopped = stopped.await.expect("the database");
    assert_eq!(
        (stopped.told, stopped.silent, stopped.stopped),
        (1, 0, true)
    );
    assert_eq!(heard, [(1_100_015, false), (1_100_023, true)]);

    let whole = round::round(&asker, &app.app.db, &cities, &clock, |_, _| {});
    let whole = whole.await.expect("the database");
    assert_eq!((whole.told, whole.national, whole.stopped), (2, 2, false));
    assert_eq!(asked(&server), [MEMBER, OUTSIDE, OUTSIDE, MEMBER]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_does_not_work_is_not_asked_thousands_of_times() {
    let server = Inside::start(|_| answer("503 Service Unavailable", "")).await;
    let (app, asker) = asks(&server).await;
    let loaded = app.app.registry.load();
    let one = loaded.municipalities().first().expect("a municipality");
    let cities = vec![one; 30];
    let clock = app.app.clock.clone();
    let round = round::round(&asker, &app.app.db, &cities, &clock, |_, _| {});
    let round = round.await.expect("the database");
    assert_eq!((round.told, round.silent, round.stopped), (0, 10, true));
    assert_eq!(asked(&server).len(), 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_an_answer_of_the_service_is_believed() {
    let known = r#""parametrosConvenio":null,"mensagem":"#;
    let long = "x".repeat(1_000);
    let answers = [
        ("404 Not Found", r#"{"mensagem":"rota"}"#.to_owned()),
        ("200 OK", r#"[[1,0],"x"]"#.to_owned()),
        ("400 Bad Request", format!("{{{known}\"a\\u001b[2J\\nb\"}}")),
        ("400 Bad Request", format!("{{{known}\"{long}\"}}")),
    ];
    let server = Inside::start(move |number| {
        let (status, body) = &answers[number];
        answer(status, body)
    })
    .await;
    let (_app, asker) = asks(&server).await;
    for _ in 0..2 {
        let told = asker.ask(1_100_015, NOW_MS).await;
        assert!(matches!(told, Told::Silent(_)), "{told:?}");
    }
    let told = asker.ask(1_100_015, NOW_MS).await;
    assert_eq!(told, Told::Nothing("a [2J b".to_owned()));
    let told = asker.ask(1_100_015, NOW_MS).await;
    assert_eq!(told, Told::Nothing("x".repeat(200)));
}
