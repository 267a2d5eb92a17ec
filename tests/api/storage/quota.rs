//! Limits: of an object, of an account, of a body that does not end.

use super::{PATH, both_with, content, files, link, put, put_with, uso};
use crate::common::{ask, assert_refusal, stranger};
use reqwest::Method;
use serde_json::json;

both_with! { |config| config.storage.account_bytes = 100; async fn puts_at_once_do_not_pass_the_limit(app: TestApp) {
    let body = "x".repeat(30);
    let names: Vec<String> = (0..10).map(|n| format!("p/{n}")).collect();
    let answers = futures::future::join_all(names.iter().map(|name| put(&app, name, body.clone()))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 3);
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        assert_refusal(answer, "422 limite_de_armazenamento");
        assert_eq!(answer.body["limite_bytes"], 100, "{}", answer.text);
    }
    assert_eq!((uso(&app).await, files(&app).len()), ((90, 3), 3), "what did not fit left nothing");
    app.check_invariants().await;

    // Eleven more do not fit, ten do; and a replacement counts the difference.
    assert_refusal(&put(&app, "q", "x".repeat(11)).await, "422 limite_de_armazenamento");
    assert_eq!(put(&app, "q", "x".repeat(10)).await.status, 201);
    assert_eq!(put(&app, "q", "y".repeat(10)).await.status, 201);
    assert_refusal(&put(&app, "q", "y".repeat(11)).await, "422 limite_de_armazenamento");
    assert_eq!(content(&app, "q").await, "y".repeat(10), "a refused replacement replaces nothing");
    // Without a length it is found out at the end.
    let piece = || Ok::<_, std::io::Error>("z".repeat(20));
    let unsaid = reqwest::Body::wrap_stream(futures::stream::iter([piece(), piece()]));
    assert_refusal(&put(&app, "q", unsaid).await, "422 limite_de_armazenamento");
    assert_eq!(put(&app, "q", "").await.status, 201, "less always fits");
    assert_eq!((uso(&app).await, files(&app).len()), ((90, 4), 4));
    let kept = answers.iter().find(|answer| answer.status == 201).expect("one");
    let gone = ask(&app, Method::DELETE, &format!("{PATH}/{}", kept.text_at("/caminho")), None).await;
    assert_eq!(gone.status, 204);
    assert_eq!(put(&app, "r", "x".repeat(40)).await.status, 201);
    app.check_invariants().await;
} }

both_with! { |config| config.storage.account_bytes = 200 << 20; async fn an_object_has_at_most_50_mib(app: TestApp) {
    let whole = vec![7_u8; 50 << 20];
    let kept = put(&app, "grande", whole.clone()).await;
    assert_eq!((kept.status, &kept.body["bytes"]), (201, &json!(50 << 20)), "{}", kept.text);
    assert_eq!(kept.text_at("/sha256"), flow::hex(&openssl::sha::sha256(&whole)));
    let url = link(&app, "grande").await;
    let file = app.http().get(format!("{}{url}", app.base_url)).send().await.expect("file");
    assert!(file.bytes().await.expect("bytes") == whole, "what comes back is what was put");

    let one_more = vec![7_u8; (50 << 20) + 1];
    assert_refusal(&put(&app, "maior", one_more).await, "413 corpo_grande_demais");
    // 51 MiB without saying how much.
    let pieces = futures::stream::iter((0..51).map(|_| Ok::<_, std::io::Error>(vec![7_u8; 1 << 20])));
    assert_refusal(&put(&app, "maior", reqwest::Body::wrap_stream(pieces)).await, "413 corpo_grande_demais");
    assert_eq!((uso(&app).await, files(&app).len()), ((50 << 20, 1), 1), "what was too large left nothing");
    app.check_invariants().await;
} }

both_with! { |_| {}; async fn a_body_that_breaks_off_leaves_nothing(app: TestApp) {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let address = app.base_url.trim_start_matches("http://").to_owned();
    for sent in [0_usize, 100, 20 << 20] {
        let mut stream = tokio::net::TcpStream::connect(&address).await.expect("connected");
        let head = format!("PUT {PATH}/cortado HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\ncontent-length: {}\r\n\r\n", app.live_key, 30 << 20);
        stream.write_all(head.as_bytes()).await.expect("head");
        stream.write_all(&vec![1; sent]).await.expect("a part");
        stream.shutdown().await.expect("half closed");
        let mut answer = Vec::new();
        // The answer may not come: nobody may be there to read it.
        let _either = stream.read_to_end(&mut answer).await;
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 4"), "{}", String::from_utf8_lossy(&answer));
    }
    tests::until(async || match files(&app) {
        left if left.is_empty() => Ok(()),
        left => Err(left),
    })
    .await;
    assert_eq!(uso(&app).await, (0, 0));
    assert_refusal(&app.get(&format!("{PATH}/cortado")).await, "404 nao_encontrado");
} }

both_with! { |_| {}; async fn headers_that_make_no_sense_are_refused(app: TestApp) {
    for (headers, summary) in [
        (vec![("content-type", "texto")], "415 midia_invalida"),
        (vec![("content-type", "text/plain"), ("content-encoding", "gzip")], "415 midia_invalida"),
    ] {
        assert_refusal(&put_with(&app, &app.live_key, "a", &headers, "x").await, summary);
    }
    let long = format!("text/{}", "x".repeat(300));
    assert_refusal(&put_with(&app, &app.live_key, "a", &[("content-type", long.as_str())], "x").await, "415 midia_invalida");
    let query = app.http().put(format!("{}{PATH}/a?x=1", app.base_url)).bearer_auth(&app.live_key).body("x");
    assert_refusal(&app.send(query).await, "400 campo_desconhecido");
    assert_eq!(uso(&app).await, (0, 0));
} }

both_with! { |config| config.limits.objects_at_once = 1; async fn an_account_sends_so_many_at_once(app: TestApp) {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let address = app.base_url.trim_start_matches("http://").to_owned();
    let mut first = tokio::net::TcpStream::connect(&address).await.expect("connected");
    let head = format!("PUT {PATH}/um HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\ncontent-length: 3\r\nexpect: 100-continue\r\nconnection: close\r\n\r\n", app.live_key);
    first.write_all(head.as_bytes()).await.expect("head");
    let mut go = [0; 12];
    first.read_exact(&mut go).await.expect("an answer");
    assert_eq!(&go, b"HTTP/1.1 100", "its body is read: the turn is taken");

    let other = stranger(&app).await;
    let mut second = std::pin::pin!(put(&app, "dois", "abc"));
    let meanwhile = async {
        for n in 0..3 {
            assert_eq!(put_with(&app, &other.live_key, &n.to_string(), &[], "x").await.status, 201, "others do not wait");
        }
    };
    tokio::select! {
        biased;
        early = &mut second => panic!("{}", early.text),
        () = meanwhile => {}
    }
    first.write_all(b"abc").await.expect("body");
    let mut rest = String::new();
    first.read_to_string(&mut rest).await.expect("an answer");
    assert!(rest.contains("HTTP/1.1 201"), "{rest}");
    assert_eq!(second.await.status, 201);
    assert_eq!(uso(&app).await, (6, 2));
} }
