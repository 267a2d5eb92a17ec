//! Texts, hosts and limits as an outsider would write or use them against the operator.

use flow::component::description;
use flow::contract::OptionSpec;
use flow::registry::Municipality;
use gate::server::Limits;
use measured::agreement::Told;
use measured::round::{self, Round};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;
use store::tables::agreements::AgreementRow;
use tests::TestApp;
use tests::app::Backend;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Municipalities at which the service always fails.
const SILENT: usize = 10;

fn agreement(ibge: u32, at_ms: i64) -> AgreementRow {
    AgreementRow {
        codigo_ibge: format!("{ibge:07}"),
        at_ms,
        ambiente_nacional: 1,
        emissor_nacional: 1,
    }
}

/// Ten that never answer stand first in every round: they were never told of.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn municipalities_that_never_answer_stop_no_round() {
    let app = TestApp::start(Backend::Sqlite).await.expect("always there");
    let registry = app.app.registry.load();
    let cities: Vec<&Municipality> = registry.municipalities().iter().take(200).collect();
    assert_eq!(cities.len(), 200);
    let bad: BTreeSet<u32> = cities.iter().take(SILENT).map(|city| city.ibge).collect();
    let told: Mutex<BTreeSet<u32>> = Mutex::default();
    let ask = async |city: &Municipality, at_ms: i64| {
        if bad.contains(&city.ibge) {
            return Told::Silent("HTTP 503".to_owned());
        }
        told.lock().expect("told").insert(city.ibge);
        Told::Agreement(agreement(city.ibge, at_ms))
    };
    let clock = app.app.clock.clone();
    for _ in 0..3 {
        told.lock().expect("told").clear();
        let round = round::round_of(ask, &app.app.db, &cities, &clock, |_, _| {});
        round.await.expect("the database");
        let told = told.lock().expect("told").len();
        assert_eq!(told, cities.len() - SILENT);
    }
}

#[test]
fn a_round_in_which_nothing_was_told_fails() {
    let of = |told, stopped| {
        let round = Round {
            told,
            stopped,
            ..Round::default()
        };
        round.went_well()
    };
    assert_eq!(
        [of(1, false), of(0, false), of(1, true)],
        [true, false, false]
    );
}

/// Signs that are not seen, or that turn the direction of a line.
#[test]
fn a_default_is_text_that_is_seen() {
    let loaded = crate::stage::loaded("panic");
    for sign in ['\u{202e}', '\u{200b}', '\u{feff}', '\u{1b}'] {
        for (default, choices) in [
            (Some(format!("a{sign}b")), Vec::new()),
            (None, vec![format!("a{sign}b")]),
        ] {
            let mut described = loaded.description.clone();
            described.options = vec![OptionSpec {
                name: "aliquota".to_owned(),
                kind: flow::contract::OptionKind::Text,
                choices,
                default,
                required: false,
                doc: String::new(),
            }];
            let refused = description::check(&described).expect_err("not plain");
            assert!(refused.contains("not plain text"), "{refused}");
        }
    }
}

/// An address and an entry of the settings that are written in different ways.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosts_without_tls_are_compared_in_one_form() {
    let app = TestApp::start(Backend::Sqlite).await.expect("always there");
    let refuses = |entry: &str, url: &str| {
        let mut authorities = app.app.config.authorities.clone();
        authorities.plain_http = vec![entry.to_owned()];
        authorities.refuses_plain(url)
    };
    for (entry, url) in [
        ("127.1", "http://127.0.0.1/ws"),
        ("127.0.0.1", "http://127.1/ws"),
        ("127.0.0.1", "http://0x7f000001:8080/ws"),
        ("WS.cidade.sp.gov.br", "http://ws.Cidade.sp.gov.br/ws"),
    ] {
        assert!(!refuses(entry, url), "{entry}: {url}");
    }
    // An ending of names is none of addresses.
    for (entry, url) in [
        (".0.1", "http://127.0.0.1/ws"),
        ("127.0.0.1", "http://127.0.0.2/ws"),
        ("127.0.0.1", "http://127.0.0.1@example.com/ws"),
    ] {
        assert!(refuses(entry, url), "{entry}: {url}");
    }
}

fn limits(most: usize) -> Limits {
    Limits {
        most,
        head_time: Duration::from_secs(5),
    }
}

/// Connections that nobody uses leave the files of the process to others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_listener_has_no_more_connections_than_it_may() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("address");
    let address = listener.local_addr().expect("address");
    let app = TestApp::start(Backend::Sqlite).await.expect("always there");
    let router = hub::boot::router(&app.app);
    let stop = std::future::pending();
    tokio::spawn(gate::server::limited(listener, router, limits(2), stop));
    let ask = async || {
        let mut stream = TcpStream::connect(address).await.expect("connection");
        let request = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";
        stream.write_all(request).await.expect("sent");
        stream
    };
    let mut answer = [0; 12];
    let mut first = ask().await;
    first.read_exact(&mut answer).await.expect("answer");
    let mut second = ask().await;
    second.read_exact(&mut answer).await.expect("answer");
    let mut third = ask().await;
    let waits = tokio::time::timeout(Duration::from_millis(300), third.read(&mut answer));
    assert!(waits.await.is_err(), "a third waits");
    drop(first);
    third.read_exact(&mut answer).await.expect("answer");
    assert!(answer.starts_with(b"HTTP/1.1 "));
}

/// Who connects and says nothing keeps nobody out for long. The clock stands still but for
/// what is waited for.
#[tokio::test(start_paused = true)]
async fn a_silent_connection_gives_its_place_away() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("address");
    let address = listener.local_addr().expect("address");
    let (no_routes, stop) = (Default::default(), std::future::pending());
    tokio::spawn(gate::server::limited(listener, no_routes, limits(1), stop));
    let mut silent = TcpStream::connect(address).await.expect("connection");
    let begun = tokio::time::Instant::now();
    let mut other = TcpStream::connect(address).await.expect("connection");
    let request = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";
    other.write_all(request).await.expect("sent");
    let mut answer = [0; 12];
    other.read_exact(&mut answer).await.expect("answer");
    assert_eq!(&answer, b"HTTP/1.1 404");
    let waited = begun.elapsed();
    assert!((5..30).contains(&waited.as_secs()), "{waited:?}");
    let ended = silent.read(&mut answer).await;
    assert!(matches!(ended, Ok(0) | Err(_)), "{ended:?}");
}
