//! What attacks found, held.

use serde_json::{Value, json};
use tests::bodies::{nfce, nfe, nfse, with};
use tests::{TestApp, both, on_sqlite};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const BELO_HORIZONTE: &str = "3106200";
const ONE: &str = "11222333000181";
const OTHER: &str = "11444777000161";

async fn raw(app: &TestApp, body: &'static str) -> tests::Answer {
    let request = app
        .http()
        .post(format!("{}/api/v1/nfse", app.base_url))
        .bearer_auth(&app.live_key)
        .header("content-type", "application/json")
        .body(body);
    app.send(request).await
}

both! {
    async fn a_member_stands_once(app: TestApp) {
        app.emitter(ONE, BELO_HORIZONTE).await;
        for body in [
            r#"{"servico":{"descricao":"x"},"valores":{"servico":3.0,"servico":9999.0}}"#,
            r#"{"servico":{"descricao":"x"},"valores":{"servico":3.0},"valores":{"servico":1}}"#,
            r#"{"servico":{"descricao":"x"},"valores":{"servico":{"$serde_json::private::Number":"7.25"}}}"#,
            r#"{"servico":{"descricao":"x"},"valores":{"servico":{"\u0024serde_json::private::Number":"7.25"}}}"#,
            r#"{"\u0024serde_json::private::RawValue":"{\"servico\":{\"descricao\":\"x\"},\"valores\":{\"servico\":3.0,\"servico\":9.0}}"}"#,
        ] {
            let answer = raw(&app, body).await;
            assert_eq!(answer.summary(), "400 json_invalido", "{}", answer.text);
        }
        assert_eq!(app.balance().await, (200, 0));
    }
}

on_sqlite! {
    async fn documents_within_documents_do_not_end_the_stack(app: TestApp) {
        let mut nested = "1".to_owned();
        for _ in 0..60 {
            let quoted = nested.replace('\\', r"\u005c").replace('"', r"\u0022");
            nested = format!("{}{{\"\\u0024serde_json::private::RawValue\":\"{quoted}\"}}{}", "[".repeat(120), "]".repeat(120));
        }
        for (path, wanted) in [("/api/psp/aviso", "401 assinatura_invalida"), ("/api/v1/nfe", "400 json_invalido"), ("/api/v1/pessoas", "400 json_invalido")] {
            let request = app.http().post(format!("{}{path}", app.base_url)).bearer_auth(&app.live_key);
            let answer = app.send(request.header("content-type", "application/json").body(nested.clone())).await;
            assert_eq!(answer.summary(), wanted, "{path}: {}", answer.text);
        }
    }
}

/// The head of the answer to a request, and whether another one is answered on
/// its connection.
async fn on_one_connection(app: &TestApp, head: &str, bytes: usize) -> (String, bool) {
    let address = app.base_url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await.expect("connected");
    let asked = format!(
        "{head}\r\nhost: hub\r\ncontent-length: {bytes}\r\n\r\n{}",
        "x".repeat(bytes)
    );
    stream.write_all(asked.as_bytes()).await.expect("sent");
    let answer = head_of(&mut stream).await;
    let again = "GET /api/v1/precos HTTP/1.1\r\nhost: hub\r\nconnection: close\r\n\r\n";
    stream.write_all(again.as_bytes()).await.expect("sent");
    let mut rest = Vec::new();
    let read = stream.read_to_end(&mut rest).await;
    let rest = String::from_utf8_lossy(&rest);
    (answer, read.is_ok() && rest.contains("HTTP/1.1 200"))
}

/// The head of an answer.
async fn head_of(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.expect("a head"));
    }
    String::from_utf8(head).expect("text")
}

on_sqlite! {
    async fn a_refused_body_is_taken_in(app: TestApp) {
        let good = format!("authorization: Bearer {}", app.live_key);
        let bad = "authorization: Bearer svc_live_errada";
        for (head, status) in [
            (format!("PUT /api/v1/storage/objetos/a HTTP/1.1\r\n{bad}"), 401),
            (format!("PUT /api/v1/storage/objetos/a?x=1 HTTP/1.1\r\n{good}"), 400),
            (format!("POST /api/v1/nfe HTTP/1.1\r\n{bad}"), 401),
            (format!("POST /api/v1/nfe HTTP/1.1\r\n{good}\r\ncontent-encoding: gzip"), 415),
            (format!("POST /api/v1/nada HTTP/1.1\r\n{good}"), 404),
            ("POST /painel/emitentes HTTP/1.1".to_owned(), 303),
            ("POST /painel/entrar HTTP/1.1\r\norigin: https://outro".to_owned(), 403),
        ] {
            let (answer, goes_on) = on_one_connection(&app, &head, 3_000_000).await;
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{head}: {answer}");
            assert!(!answer.contains("connection: close") && goes_on, "{head}: {answer}");
        }
    }
}

on_sqlite! {
    async fn who_does_not_send_a_refused_body_is_told_that_the_connection_ends(app: TestApp) {
        let address = app.base_url.trim_start_matches("http://");
        for what in ["expect: 100-continue", "x-nada: 1"] {
            let mut stream = TcpStream::connect(address).await.expect("connected");
            let head = format!("POST /api/v1/nfe HTTP/1.1\r\nhost: hub\r\nauthorization: Bearer svc_live_errada\r\n{what}\r\ncontent-length: 9\r\n\r\n");
            stream.write_all(head.as_bytes()).await.expect("sent");
            let answer = head_of(&mut stream).await;
            assert!(answer.starts_with("HTTP/1.1 401") && answer.contains("connection: close"), "{what}: {answer}");
        }
    }
}

on_sqlite! {
    async fn one_series_has_one_form(app: TestApp) {
        app.emitter(ONE, BELO_HORIZONTE).await;
        let mut keys = Vec::new();
        for (serie, number) in [("8", 1), ("08", 2), ("008", 3)] {
            let answer = app.post("/api/v1/nfse", &with(nfse(), "/serie_rps", serie)).await;
            assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
            assert_eq!(answer.body["rps"], json!({ "serie": "8", "numero": number }));
            keys.push(answer.text_at("/chave").to_owned());
        }
        keys.dedup();
        assert_eq!(keys.len(), 3, "three notes, three keys");
        let answer = app.post("/api/v1/nfse", &with(nfse(), "/serie_rps", "50000")).await;
        assert_eq!(answer.summary(), "422 validacao_previa", "{}", answer.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_draft_keeps_its_emitter(app: TestApp) {
        let first = app.emitter(ONE, BELO_HORIZONTE).await;
        let draft = app.post("/api/v1/nfse/criar", &nfse()).await;
        assert_eq!(draft.status, 201, "{}", draft.text);
        // The second one registered becomes the default.
        app.emitter(OTHER, BELO_HORIZONTE).await;
        let id = draft.text_at("/nota_id").to_owned();
        let issued = app.post("/api/v1/nfse/emitir", &json!({ "nota_id": id })).await;
        assert_eq!(issued.summary(), "201 autorizada", "{}", issued.text);
        assert_eq!(issued.text_at("/emitente_id"), first);
        assert!(issued.text_at("/chave").contains(ONE), "{}", issued.text);
        app.check_invariants().await;
    }
}

both! {
    async fn drafts_that_conflict_are_refused(app: TestApp) {
        app.emitter(ONE, BELO_HORIZONTE).await;
        let body = with(nfse(), "/referencia", "pedido-1");
        let mut ids = Vec::new();
        for _ in 0..2 {
            let draft = app.post("/api/v1/nfse/criar", &body).await;
            ids.push(draft.text_at("/nota_id").to_owned());
        }
        let emit = |id: &str| json!({ "nota_id": id });
        let first = app.post("/api/v1/nfse/emitir", &emit(&ids[0])).await;
        assert_eq!(first.summary(), "201 autorizada", "{}", first.text);
        let second = app.post("/api/v1/nfse/emitir", &emit(&ids[1])).await;
        assert_eq!(second.summary(), "409 ja_autorizada", "{}", second.text);
        assert_eq!(second.body["nota_id"], Value::from(ids[0].as_str()));
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_draft_belongs_to_the_kind_of_key_that_made_it(app: TestApp) {
        app.emitter(ONE, BELO_HORIZONTE).await;
        for (path, body) in [("/api/v1/nfe", nfe()), ("/api/v1/nfce", nfce()), ("/api/v1/nfse", nfse())] {
            for (maker, other) in [(&app.live_key, &app.test_key), (&app.test_key, &app.live_key)] {
                let draft = app.post_as(maker, &format!("{path}/criar"), &body, None).await;
                assert_eq!(draft.status, 201, "{}", draft.text);
                let emit = json!({ "nota_id": draft.text_at("/nota_id") });
                let foreign = app.post_as(other, &format!("{path}/emitir"), &emit, None).await;
                assert_eq!(foreign.summary(), "404 nao_encontrado", "{path}: {}", foreign.text);
                let own = app.post_as(maker, &format!("{path}/emitir"), &emit, None).await;
                // A simulated service note is only judged: 200.
                assert_eq!(own.status / 100, 2, "{path}: {}", own.text);
            }
        }
        app.check_invariants().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_database_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let app = TestApp::start(tests::app::Backend::Sqlite)
        .await
        .expect("SQLite is always there");
    for name in ["hub.db", "hub.db-wal", "hub.db-shm"] {
        let path = app.app.config.storage.data_dir.join(name);
        let mode = std::fs::metadata(path).expect(name).permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

on_sqlite! {
    async fn what_may_be_empty_is_said_to_be(app: TestApp) {
        let id = app.emitter(ONE, BELO_HORIZONTE).await;
        let sold = app.post("/api/v1/nfce", &nfce()).await;
        assert_eq!(sold.status, 201, "{}", sold.text);
        // Answers are compared with the document as they come.
        for path in ["/api/v1/nfe?status=autorizada", "/api/v1/nfce", "/api/v1/eventos"] {
            let listed = app.get(path).await;
            assert!(matches!(listed.status, 200 | 405), "{path}: {}", listed.text);
        }
        for profile in [json!({}), json!({ "nfe": { "serie": 1 } })] {
            let request = app.http().put(format!("{}/api/v1/emitters/{id}/fiscal-profile", app.base_url));
            let request = request.bearer_auth(&app.live_key).header("content-type", "application/json");
            let kept = app.send(request.body(profile.to_string())).await;
            assert_eq!(kept.status, 200, "{}", kept.text);
        }
        for value in ["z", "", "2"] {
            let answer = app.get(&format!("/api/v1/conta?tolerante={value}")).await;
            assert_eq!(answer.summary(), "400 parametro_invalido", "{}", answer.text);
        }
    }
}
