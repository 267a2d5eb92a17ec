//! Ways out of an account's space that lead nowhere.

use super::{PATH, content, fetch, files, link, put, put_with, uso};
use crate::common::{ask_as, assert_refusal, stranger};
use reqwest::Method;
use serde_json::json;
use std::sync::atomic::Ordering;
use tests::{TestApp, both};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// A request with a target no client would send as it is; status and body.
async fn raw(app: &TestApp, method: &str, target: &str) -> (u16, String) {
    let address = app.base_url.trim_start_matches("http://").to_owned();
    let mut stream = tokio::net::TcpStream::connect(&address)
        .await
        .expect("connected");
    let request = format!(
        "{method} {target} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\ncontent-type: text/plain\r\ncontent-length: 1\r\nconnection: close\r\n\r\nx",
        app.live_key
    );
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = String::new();
    let _cut = stream.read_to_string(&mut answer).await;
    let status = answer
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .unwrap_or(0);
    (status, answer)
}

both! {
    async fn no_encoding_of_a_path_leads_out(app: TestApp) {
        let folder = app.app.config.storage.data_dir.clone();
        let names = || -> std::collections::BTreeSet<_> {
            let entries = std::fs::read_dir(&folder).expect("folder");
            entries.map(|entry| entry.expect("an entry").file_name()).collect()
        };
        let before = names();
        for caminho in [
            "../x", "..", ".", "a/../../x", "a/..", "a/./b", "%2e%2e/x", "%2E%2E%2Fx", "..%2fx", "%2e%2e%2f%2e%2e%2fhub.db", "a/%2e%2e/x",
            "..%5cx", "..\\x", "a%5cb", "%2fetc/passwd", "/etc/passwd", "%2f", "a//b", "a/", "a%2f", "a%2f%2fb", "a%00b", "%00", "a%0ab", "a%0d%0ab",
            "a%7f", "a%c2%85", "a%ff", "%c0%ae%c0%ae/x", "%c0%af", "%e0%80%ae./x", &"x".repeat(513), &"%c3%a9".repeat(257),
        ] {
            for method in ["PUT", "GET", "DELETE"] {
                let (status, answer) = raw(&app, method, &format!("{PATH}/{caminho}")).await;
                assert_eq!(status, 400, "{method} {caminho}: {answer}");
                assert!(answer.contains("x-error-code: parametro_invalido"), "{method} {caminho}: {answer}");
            }
        }
        let (status, _) = raw(&app, "PUT", &format!("{PATH}/")).await;
        assert_eq!(status, 404, "nothing is no path");
        assert_eq!((uso(&app).await, files(&app).len()), ((0, 0), 0));
        // The hub makes its own folders when it comes to need them.
        let new: Vec<_> = names().difference(&before).cloned().collect();
        assert!(new.iter().all(|name| name == "objetos" || name == "exportacoes"), "{new:?}");

        // Decoded once: what is left is a name like any other.
        for (sent, named) in [("%252e%252e/x", "%2e%2e/x"), ("%252fx", "%2fx"), ("a%2Fb", "a/b"), ("...", "..."), ("a..b", "a..b"), ("a%20%23%3Fb", "a #?b"), ("ver_01ARZ3NDEKTSV4RRFFQ69G5FAV#1", "")] {
            let (status, answer) = raw(&app, "PUT", &format!("{PATH}/{sent}")).await;
            if named.is_empty() {
                assert!(status == 201 || status == 400, "{sent}: {answer}");
                continue;
            }
            assert_eq!(status, 201, "{sent}: {answer}");
            assert!(answer.contains(&format!("\"caminho\":{}", json!(named))), "{sent}: {answer}");
        }
        let space = folder.join("objetos");
        assert!(files(&app).iter().all(|file| file.starts_with(&space) && file.components().all(|part| part.as_os_str() != "..")));
        app.check_invariants().await;
    }
}

both! {
    async fn another_accounts_objects_are_not_there(app: TestApp) {
        put(&app, "cofre/segredo", "meu").await;
        let other = stranger(&app).await;
        let path = format!("{PATH}/cofre/segredo");
        for key in [&other.live_key, &other.test_key] {
            for method in [Method::GET, Method::DELETE] {
                assert_refusal(&ask_as(&app, key, method, &path, None).await, "404 nao_encontrado");
            }
            for path in [PATH.to_owned(), format!("{PATH}?prefixo=cofre")] {
                assert_eq!(ask_as(&app, key, Method::GET, &path, None).await.body["itens"], json!([]));
            }
        }
        for guess in [format!("{}/cofre/segredo", app.account_id), format!("..%2f{}%2fcofre", app.account_id)] {
            let answer = ask_as(&app, &other.live_key, Method::GET, &format!("{PATH}/{guess}"), None).await;
            assert!(matches!(answer.status, 400 | 404), "{}", answer.text);
        }
        let own = put_with(&app, &other.live_key, "cofre/segredo", &[("if-none-match", "*")], "da outra").await;
        assert_eq!(own.status, 201, "the same name in another space: {}", own.text);
        assert_eq!((content(&app, "cofre/segredo").await.as_str(), uso(&app).await), ("meu", (3, 1)));
        app.check_invariants().await;
    }
}

both! {
    async fn what_is_replaced_while_it_is_read_comes_whole(app: TestApp) {
        let size = 12 << 20;
        let body = |n: u8| vec![n; size];
        assert_eq!(put(&app, "quente", body(0)).await.status, 201);
        let url = format!("{}{}", app.base_url, link(&app, "quente").await);
        let writer = async {
            for n in 1..=6 {
                assert_eq!(put(&app, "quente", body(n)).await.status, 201);
            }
        };
        let reader = async {
            for _ in 0..12 {
                let file = app.http().get(&url).send().await.expect("an answer");
                assert_eq!(file.status().as_u16(), 200);
                let digest = file.headers()["etag"].to_str().expect("a version").to_owned();
                let bytes = file.bytes().await.expect("a whole body");
                assert_eq!(bytes.len(), size);
                assert!(bytes.iter().all(|byte| *byte == bytes[0]), "two versions in one answer");
                assert_eq!(format!("\"{}\"", flow::hex(&openssl::sha::sha256(&bytes))), digest);
            }
        };
        tokio::join!(writer, reader);
        // Begun before, read to the end after.
        let mut slow = app.http().get(&url).send().await.expect("an answer");
        let first = slow.chunk().await.expect("bytes").expect("a piece");
        assert_eq!(put(&app, "quente", "novo").await.status, 201);
        let mut seen = first.len();
        while let Some(piece) = slow.chunk().await.expect("the old version to its end") {
            assert!(piece.iter().all(|byte| *byte == 6));
            seen += piece.len();
        }
        assert_eq!(seen, size);
        assert_eq!((content(&app, "quente").await.as_str(), uso(&app).await, files(&app).len()), ("novo", (4, 1), 1));
        app.check_invariants().await;
    }
}

both! {
    async fn the_sweep_takes_only_what_nobody_needs(app: TestApp) {
        put(&app, "fica", "x").await;
        let kept = files(&app);
        let folder = kept[0].parent().expect("folder").to_owned();
        let hour_ago = |minutes: i64| base::ids::floor("ver", app.app.now_ms() - minutes * 60_000);
        let lost = [folder.join(hour_ago(61)), folder.join(format!("{}#1", hour_ago(62)))];
        let others = [folder.join(hour_ago(50)), folder.join(format!("{}#1", hour_ago(50))), folder.join("de-outro")];
        for file in lost.iter().chain(&others) {
            std::fs::write(file, "x").expect("written");
        }
        app.ahead_ms.fetch_add(60_000, Ordering::Relaxed);
        assert_eq!(objects::storage::sweep(&app.app.objects).await.expect("swept"), 2);
        assert!(lost.iter().all(|file| !file.exists()) && others.iter().all(|file| file.exists()));
        // The row decides, not the age.
        app.ahead_ms.fetch_add(7_200_000, Ordering::Relaxed);
        assert_eq!(objects::storage::sweep(&app.app.objects).await.expect("swept"), 2);
        assert!(kept[0].exists() && folder.join("de-outro").exists());
        let url = link(&app, "fica").await;
        assert_eq!(fetch(&app, &url).await.text, "x");
    }
}
