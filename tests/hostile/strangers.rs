//! Who tries the operator's listener without being one, or with an operator's token.

use crate::admin::{Desk, TOKEN, said};
use crate::oci::server::{Answering, http};
use crate::releases::{Stage, revision};
use hub::cli::serve;
use reqwest::Method;
use serde_json::{Value, json};
use store::tables::releases::ReleaseStatus;
use tests::app::Backend;
use tests::until;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Every route, with a method that it has and one that it has not.
const ROUTES: [(&str, &str, &str); 7] = [
    ("", "GET", "DELETE"),
    ("/acoes", "GET", "POST"),
    ("/dps/inspect", "GET", "POST"),
    ("/dps/canary", "POST", "GET"),
    ("/dps/activate", "POST", "PUT"),
    ("/dps/promote", "POST", "PATCH"),
    ("/dps/rollback", "POST", "GET"),
];

fn method(name: &str) -> Method {
    name.parse().expect("a method")
}

async fn refused(desk: &Desk, name: &str, path: &str, body: &[u8]) -> (u16, String) {
    let request = desk.request(method(name), path).body(body.to_vec());
    let (status, answer) = said(request).await;
    let code = answer["codigo"].as_str().expect("a code").to_owned();
    (status, code)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_gets_past_the_door_and_nothing_unexpected_gets_through() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    let absent = (401, "nao_autenticado".to_owned());
    let other = TOKEN.to_uppercase();
    let account = desk.stage.app.live_key.clone();
    for (path, has, has_not) in ROUTES {
        let url = format!("{}/admin/v1/adapters{path}", desk.base);
        // The token of a customer's key, another one, none, and another scheme.
        for given in [
            Some(format!("Bearer {other}")),
            Some(format!("Bearer {account}")),
            Some("Bearer ".to_owned()),
            Some(format!("Basic {TOKEN}")),
            Some(TOKEN.to_owned()),
            None,
        ] {
            for name in [has, has_not] {
                let mut request = desk.client.request(method(name), &url);
                if let Some(given) = &given {
                    request = request.header("authorization", given);
                }
                let (status, answer) = said(request).await;
                let code = answer["codigo"].as_str().expect("a code").to_owned();
                assert_eq!((status, code), absent, "{name} {path} {given:?}");
            }
        }
        let wrong = refused(&desk, has_not, path, b"").await;
        assert_eq!(wrong, (405, "metodo_nao_permitido".to_owned()), "{path}");
        let unknown = format!("{path}?segredo=1");
        let wrong = refused(&desk, has, &unknown, b"{}").await;
        assert_eq!(wrong, (400, "parametro_invalido".to_owned()), "{unknown}");
    }
    // Outside of the door there is no address at all.
    let away = desk.client.get(format!("{}/outra", desk.base));
    assert_eq!(said(away).await.0, 401);
    let large = vec![b' '; 70 << 10];
    for path in [
        "/dps/canary",
        "/dps/activate",
        "/dps/promote",
        "/dps/rollback",
    ] {
        let wrong = refused(&desk, "POST", path, &large).await;
        assert_eq!(wrong, (413, "corpo_grande_demais".to_owned()), "{path}");
        let wrong = refused(&desk, "POST", path, b"{\"segredo\":1}").await;
        assert_eq!(wrong, (400, "json_invalido".to_owned()), "{path}");
    }
    let huge = vec![0; 9 << 20];
    let wrong = refused(&desk, "POST", "", &huge).await;
    assert_eq!(wrong, (413, "corpo_grande_demais".to_owned()));
    for name in [
        "..%2F..%2Fetc%2Fpasswd",
        "%2Fetc%2Fpasswd",
        "a%00b",
        "%FF",
        "dps%2F..%2Fdps",
        "..",
        "nenhum",
    ] {
        for (end, has) in [
            ("inspect", "GET"),
            ("activate", "POST"),
            ("rollback", "POST"),
        ] {
            // A client resolves `..` by itself: this one is sent as it is.
            let path = format!("/admin/v1/adapters/{name}/{end}");
            let body = if end == "activate" {
                "{\"digest\":\"ab\"}"
            } else {
                ""
            };
            let status = raw(&desk, has, &path, body).await;
            assert_eq!(status, 404, "{has} {path}");
        }
    }
    let only = "?permitir_mais=true";
    let wrong = refused(&desk, "POST", only, b"{\"url\":\"https://a.example/a\"}").await;
    assert_eq!(wrong, (400, "parametro_invalido".to_owned()), "{only}");
    assert!(desk.stage.statuses().await.is_empty(), "nothing was kept");
}

/// The status of a request whose path no client has a say in.
async fn raw(desk: &Desk, method: &str, path: &str, body: &str) -> u16 {
    let host = desk.base.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).await.expect("connection");
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {TOKEN}\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("answer");
    assert!(answer.contains("x-error-code: "), "{path}: {answer}");
    let status = answer.split(' ').nth(1).expect("a status");
    status.parse().expect("a number")
}

/// Who is not admitted hears so, however much is still on its way.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_who_sends_much_gets_an_answer() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    let url = format!("{}/admin/v1/adapters", desk.base);
    let sent = desk.client.post(url).body(vec![0; 12 << 20]);
    let (status, answer) = said(sent).await;
    assert_eq!(
        (status, &answer["codigo"]),
        (401, &json!("nao_autenticado"))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_component_is_refused_whoever_signed_it() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    for (bytes, part) in [
        (b"neither".to_vec(), "not a usable component"),
        (Vec::new(), "not a usable component"),
        (b"\0asm\x01\0\0\0".to_vec(), "core module"),
        (revision(1)[..4_000].to_vec(), "not a usable component"),
    ] {
        let signature = desk.stage.key.sign(&bytes);
        let (status, answer) = desk.upload(bytes, &signature).await;
        let sentence = answer["mensagem"].as_str().expect("a sentence");
        assert_eq!(status, 422);
        assert!(sentence.contains(part), "{part}: {sentence}");
    }
    assert!(desk.stage.statuses().await.is_empty(), "nothing was kept");
}

/// The sentence that refuses an address, by settings that open no network.
async fn refused_place(stage: &Stage, place: &str, open: &[&str]) -> String {
    let mut config = stage.app.app.config.clone();
    config.adapters.allow_nets = open.iter().map(|net| (*net).to_owned()).collect();
    let refused = stage.install_from(place, &config).await.err();
    refused.unwrap_or_else(|| panic!("{place} was installed"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn addresses_inside_are_not_asked() {
    let stage = Stage::start(Backend::Sqlite).await.expect("always there");
    let silent = Answering::start(http("200 OK", "", "")).await;
    let port = silent.base.rsplit(':').next().expect("a port");
    let inside = "of an internal network";
    let plain = "a component is fetched by https";
    for (place, part) in [
        (format!("http://127.0.0.1:{port}/a.wasm"), inside),
        (format!("https://127.0.0.1:{port}/a.wasm"), inside),
        (format!("https://localhost:{port}/a.wasm"), inside),
        (format!("https://[::ffff:127.0.0.1]:{port}/a.wasm"), inside),
        (format!("https://2130706433:{port}/a.wasm"), inside),
        (format!("oci://127.0.0.1:{port}/dps:1"), inside),
        (format!("oci://localhost:{port}/dps:1"), inside),
        ("https://169.254.169.254/latest".to_owned(), inside),
        ("http://169.254.169.254/latest".to_owned(), plain),
        ("https://10.0.0.1/a.wasm".to_owned(), inside),
        ("oci://192.168.0.1/dps:1".to_owned(), inside),
        ("https://[fd00::1]/a.wasm".to_owned(), inside),
        ("file:///etc/passwd".to_owned(), plain),
        ("ftp://127.0.0.1/a.wasm".to_owned(), plain),
        (
            "https://user:password@example.com/a.wasm".to_owned(),
            "no user and no password",
        ),
    ] {
        let refused = refused_place(&stage, &place, &[]).await;
        assert!(refused.contains(part), "{place}: {refused}");
    }
    assert!(silent.heads().is_empty(), "nobody was asked");

    // An address that was opened leads nowhere else.
    for (location, part) in [
        ("http://169.254.169.254/latest", plain),
        ("https://169.254.169.254/latest", inside),
        ("https://10.0.0.1/a.wasm", inside),
        ("http://127.0.0.2:1/a.wasm", inside),
        ("file:///etc/passwd", "cannot be fetched"),
    ] {
        let headers = format!("location: {location}\r\n");
        let leads = Answering::start(http("302 Found", &headers, "")).await;
        let place = format!("{}/a.wasm", leads.base);
        let refused = refused_place(&stage, &place, &["127.0.0.1"]).await;
        assert!(refused.contains(part), "{location}: {refused}");
        assert_eq!(leads.heads().len(), 1, "{location}");
    }
    let round = Answering::start(http("302 Found", "location: /a.wasm\r\n", "")).await;
    let place = format!("{}/a.wasm", round.base);
    let refused = refused_place(&stage, &place, &["127.0.0.1"]).await;
    assert!(refused.contains("more than 5 redirections"), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_at_once_are_one_release_and_the_last_choice_holds() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    let key = &desk.stage.key;
    let (first, second) = (revision(1), revision(2));
    let signature = key.sign(&first);
    let upload = || desk.upload(first.clone(), &signature);
    let ((one, of_one), (two, of_two)) = tokio::join!(upload(), upload());
    let mut news = [(one, &of_one["nova"]), (two, &of_two["nova"])];
    news.sort_by_key(|(status, _)| *status);
    assert_eq!(news, [(200, &json!(false)), (201, &json!(true))]);
    assert_eq!(desk.stage.statuses().await.len(), 1);
    let (status, other) = desk.upload(second.clone(), &key.sign(&second)).await;
    assert_eq!(status, 201);

    // The hub compiles one while the other is chosen.
    let activate = async |digest: &Value| {
        let body = json!({ "digest": digest });
        desk.post("/dps/activate", body).await.0
    };
    let (one, two) = tokio::join!(activate(&of_one["digest"]), activate(&other["digest"]));
    assert_eq!((one, two), (200, 200));
    let (_, listed) = said(desk.request(Method::GET, "")).await;
    let releases = listed["versoes"].as_array().expect("releases");
    let active: Vec<&Value> = releases
        .iter()
        .filter(|release| release["estado"] == ReleaseStatus::Active.as_str())
        .map(|release| &release["digest"])
        .collect();
    assert_eq!(active, [&json!(desk.stage.current())]);
    assert_eq!(listed["em_uso"][0]["digest"], *active[0]);
    assert_eq!(desk.stage.issue().await, "201 autorizada");
}

/// Components that wait are in memory, and so there are few.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_that_install_slowly_leave_room_for_the_rest() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    let host = desk.base.trim_start_matches("http://");
    let head = format!(
        "POST /admin/v1/adapters HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {TOKEN}\r\n\
         content-type: application/wasm\r\ncontent-length: 1000\r\n\r\n0"
    );
    let mut slow = Vec::new();
    for _ in 0..4 {
        let mut stream = TcpStream::connect(host).await.expect("connection");
        stream.write_all(head.as_bytes()).await.expect("sent");
        slow.push(stream);
    }
    // Once all four are being read, a fifth is told when to come again.
    let sent = async || refused(&desk, "POST", "", b"{\"url\":\"nada\"}").await;
    let full = (503, "manutencao".to_owned());
    until(async || {
        let refused = sent().await;
        if refused == full {
            Ok(())
        } else {
            Err(refused)
        }
    })
    .await;
    let (status, _) = said(desk.request(Method::GET, "")).await;
    assert_eq!(status, 200, "what installs nothing is answered");
    drop(slow);
    until(async || match sent().await {
        (400, _) => Ok(()),
        other => Err(other),
    })
    .await;
}

/// Without a token there is no listener: it would be open to everybody.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_token_nobody_listens() {
    let stage = Stage::start(Backend::Sqlite).await.expect("always there");
    let app = &stage.app.app;
    let file = stage.folder.path().join("token");
    let of = |file: &std::path::Path| {
        let settings = crate::admin::settings(file);
        hub::admin::router(&app.services, &app.releases, &settings)
            .err()
            .map(|error| format!("{error:#}"))
    };
    let absent = of(&file).expect("there is no file");
    assert!(absent.starts_with("admin.token_file "), "{absent}");
    let folder = of(stage.folder.path()).expect("it is a folder");
    assert!(folder.contains("not a regular file"), "{folder}");
    for (text, part) in [
        (&b""[..], "at least 32 characters"),
        (b"\n", "at least 32 characters"),
        (b"0123456789abcdef", "at least 32 characters"),
        (b"0123456789abcdef0123456789abcdef\nsecond", "one line"),
        (b"0123456789abcdef 0123456789abcdef", "one line"),
        (&[0xff; 40], "a token is text"),
        (&[b'a'; 5_000], "more than 4096 bytes"),
        (&[b'a'; 40], "at least 6 different characters"),
        (&b"0123401234".repeat(4), "at least 6 different characters"),
    ] {
        std::fs::write(&file, text).expect("file");
        let refused = of(&file).expect("no token");
        assert!(refused.contains(part), "{text:?}: {refused}");
    }
    // Digits at random: seldom all ten of them.
    std::fs::write(&file, "12345678".repeat(4)).expect("file");
    assert_eq!(of(&file), None);
    // `hub serve` and `hub up` end by that, before they say that they run.
    std::fs::write(&file, "").expect("file");
    let mut config = app.config.clone();
    config.storage.data_dir = stage.folder.path().join("other");
    config.database.url.clear();
    config.admin.listen = "127.0.0.1:0".to_owned();
    config.admin.token_file = file;
    let (other, _) = hub::boot::open(config, base::when::system_clock())
        .await
        .expect("hub opens");
    let refused = serve::administer(&other).await;
    let refused = format!("{:#}", refused.expect_err("no token"));
    assert!(refused.contains("at least 32 characters"), "{refused}");
}
