//! The operator's listener: what it does with releases, and whom it admits.

use crate::releases::{Stage, revision};
use base::config::Admin;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tests::app::Backend;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// The settings of a listener that a token alone opens.
pub(crate) fn settings(token_file: &Path) -> Admin {
    Admin {
        listen: String::new(),
        token_file: token_file.to_owned(),
        totp_file: PathBuf::new(),
    }
}

/// The listener of a stage's hub.
pub(crate) struct Desk {
    pub stage: Stage,
    pub base: String,
    pub client: Client,
}

impl Desk {
    pub async fn open(backend: Backend) -> Option<Desk> {
        Desk::open_with(backend, |_| ()).await
    }

    /// As [`Desk::open`], with other settings.
    pub async fn open_with(backend: Backend, change: impl FnOnce(&mut Admin)) -> Option<Desk> {
        let stage = Stage::start(backend).await?;
        let file = stage.folder.path().join("token");
        std::fs::write(&file, format!("{TOKEN}\n")).expect("token");
        let mut settings = settings(&file);
        change(&mut settings);
        let router =
            hub::admin::router(&stage.app.app.services, &stage.app.app.releases, &settings)
                .expect("router");
        let listener = TcpListener::bind("127.0.0.1:0");
        let listener = listener.await.expect("address");
        let base = format!("http://{}", listener.local_addr().expect("address"));
        let serve = gate::server::serve(listener, router, std::future::pending());
        tokio::spawn(serve);
        Some(Desk {
            stage,
            base,
            client: Client::new(),
        })
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}/admin/v1/adapters{path}", self.base);
        self.client.request(method, url).bearer_auth(TOKEN)
    }

    pub async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        let request = self.request(Method::POST, path);
        let request = request.header("content-type", "application/json");
        said(request.body(body.to_string())).await
    }

    /// Uploads a component with a signature.
    pub async fn upload(&self, bytes: Vec<u8>, signature: &str) -> (u16, Value) {
        let upload = self.request(Method::POST, "");
        let upload = upload.header("content-type", "application/wasm");
        let upload = upload.header("x-minisig", base64(signature));
        said(upload.body(bytes)).await
    }
}

/// A signature as the header has it.
pub(crate) fn base64(signature: &str) -> String {
    STANDARD.encode(signature)
}

/// Status and body; an error names its code in the header as well.
pub(crate) async fn said(request: RequestBuilder) -> (u16, Value) {
    let answer = request.send().await.expect("answer");
    let status = answer.status().as_u16();
    let code = answer.headers().get("x-error-code").cloned();
    let body = answer.bytes().await.expect("body");
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    if status >= 400 {
        let code = code.expect("X-Error-Code");
        assert_eq!(body["codigo"], code.to_str().expect("text"));
        assert!(body["dica"].as_str().is_some_and(|hint| !hint.is_empty()));
    }
    (status, body)
}

async fn programs_change_releases(desk: Desk) {
    let key = &desk.stage.key;
    let of_folder = desk.stage.current();
    let (status, first) = desk.upload(revision(1), &key.sign(&revision(1))).await;
    assert_eq!((status, &first["nova"]), (201, &json!(true)), "{first}");
    let (status, again) = desk.upload(revision(1), &key.sign(&revision(1))).await;
    assert_eq!((status, &again["nova"]), (200, &json!(false)), "{again}");
    let digest = first["digest"].as_str().expect("digest");

    let body = json!({ "digest": &digest[..12], "percentual": 10 });
    let (status, made) = desk.post("/dps/canary", body).await;
    assert_eq!(status, 200, "{made}");
    assert_eq!(made["versoes"][0]["estado"], "canary");
    assert_eq!(made["versoes"][0]["percentual"], 10);
    assert_eq!(desk.stage.current(), of_folder);
    // This node follows with the answer, not a second later.
    let (status, _) = desk.post("/dps/promote", json!({})).await;
    assert_eq!((status, desk.stage.current().as_str()), (200, digest));
    let (status, _) = desk.post("/dps/rollback", json!({})).await;
    assert_eq!((status, desk.stage.current()), (200, of_folder));
    let (status, _) = desk
        .post("/dps/activate", json!({ "digest": digest }))
        .await;
    assert_eq!((status, desk.stage.current().as_str()), (200, digest));

    let counted = base::metrics::counted();
    for status in ["active", "canary"] {
        let series = format!("hub_adapter_changes_total{{system=\"dps\",status=\"{status}\"}}");
        assert!(counted.contains(&series), "{series}");
    }

    let (_, listed) = said(desk.request(Method::GET, "")).await;
    assert_eq!(listed["versoes"][0]["assinado_por"], key.public());
    assert_eq!(listed["em_uso"][0]["digest"], digest);
    let (_, done) = said(desk.request(Method::GET, "/acoes")).await;
    let done = done["acoes"].as_array().expect("actions");
    let mut words: Vec<&str> = done.iter().filter_map(|it| it["acao"].as_str()).collect();
    words.sort_unstable();
    assert_eq!(
        words,
        ["activate", "canary", "install", "promote", "rollback"]
    );
    assert!(done.iter().all(|it| it["quem"] == "admin"));
    assert_eq!(desk.stage.issue().await, "201 autorizada");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_change_releases_on_sqlite() {
    let desk = Desk::open(Backend::Sqlite).await;
    programs_change_releases(desk.expect("always there")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_change_releases_on_postgres() {
    if let Some(desk) = Desk::open(Backend::Postgres).await {
        programs_change_releases(desk).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_and_wrong_requests_change_nothing() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    // A customer's key opens nothing here, and the token nothing of an account.
    let url = format!("{}/admin/v1/adapters", desk.base);
    let key = desk.stage.app.live_key.as_str();
    for token in ["", "0123456789abcdef0123456789abcdeF", key] {
        let (status, body) = said(desk.client.get(&url).bearer_auth(token)).await;
        assert_eq!((status, &body["codigo"]), (401, &json!("nao_autenticado")));
    }
    let (status, _) = said(desk.client.post(&url).body(revision(1))).await;
    assert_eq!(status, 401);
    let account = format!("{}/api/v1/conta", desk.stage.app.base_url);
    let answer = desk.client.get(account).bearer_auth(TOKEN).send().await;
    assert_eq!(answer.expect("answer").status(), 401);

    let stranger = crate::minisign::Key::generate().sign(&revision(1));
    let (status, body) = desk.upload(revision(1), &stranger).await;
    let sentence = body["mensagem"].as_str().expect("a sentence");
    assert_eq!(status, 422);
    assert!(
        sentence.contains("of no key of adapters.trusted_keys"),
        "{body}"
    );
    let unsigned = desk
        .request(Method::POST, "")
        .header("content-type", "application/wasm");
    let (status, body) = said(unsigned.body(revision(1))).await;
    assert_eq!(status, 422);
    assert!(
        body["mensagem"]
            .as_str()
            .is_some_and(|it| it.contains("has no signature"))
    );

    for (path, body, expected) in [
        ("/dps/promote", json!({}), (404, "nao_encontrado")),
        (
            "/dps/canary",
            json!({ "digest": "ab" }),
            (400, "json_invalido"),
        ),
        (
            "/dps/canary",
            json!({ "digest": "ab", "percentual": 0 }),
            (400, "parametro_invalido"),
        ),
        (
            "/dps/activate",
            json!({ "digest": "ab", "x": 1 }),
            (400, "json_invalido"),
        ),
        (
            "",
            json!({ "url": "file.wasm" }),
            (400, "parametro_invalido"),
        ),
        (
            "",
            json!({ "url": "http://example.com/a.wasm" }),
            (422, "validacao_previa"),
        ),
        ("/dps/nothing", json!({}), (404, "rota_inexistente")),
        ("/dps/promote?x=1", json!({}), (400, "parametro_invalido")),
        (
            "?ativar=talvez",
            json!({ "url": "https://example.com/a.wasm" }),
            (400, "parametro_invalido"),
        ),
    ] {
        let (status, answer) = desk.post(path, body).await;
        let code = answer["codigo"].as_str().expect("code");
        assert_eq!((status, code), expected, "{path}: {answer}");
    }
    assert!(desk.stage.statuses().await.is_empty(), "nothing was kept");
}

/// Files at an address of this machine: what is fetched is judged as a file is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_component_is_fetched_from_an_address() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    let signature = desk.stage.key.sign(&revision(3));
    let base = files(vec![
        ("/dps.wasm", revision(3)),
        ("/dps.wasm.minisig", signature.into_bytes()),
        ("/unsigned.wasm", revision(3)),
        ("/endless.wasm", vec![0; 40 << 20]),
    ])
    .await;
    for (name, part) in [
        ("unsigned.wasm", "its signature"),
        ("endless.wasm", "more than"),
        ("absent.wasm", "cannot be fetched"),
    ] {
        let (status, body) = desk
            .post("", json!({ "url": format!("{base}/{name}") }))
            .await;
        let sentence = body["mensagem"].as_str().expect("a sentence");
        assert_eq!(status, 422);
        assert!(sentence.contains(part), "{sentence}");
    }
    let url = json!({ "url": format!("{base}/dps.wasm") });
    let (status, body) = desk.post("?ativar=true", url).await;
    assert_eq!(status, 201, "{body}");
    assert_eq!(
        desk.stage.current(),
        body["digest"].as_str().expect("digest")
    );
}

/// A server of files that answers one request for each connection.
async fn files(files: Vec<(&'static str, Vec<u8>)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("address");
    let address = listener.local_addr().expect("address");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut asked = vec![0; 2_048];
            let read = stream.read(&mut asked).await.unwrap_or(0);
            let asked = String::from_utf8_lossy(&asked[..read]).into_owned();
            let path = asked.split(' ').nth(1).unwrap_or_default();
            let file = files.iter().find(|(name, _)| *name == path);
            let (status, body) = match file {
                Some((_, bytes)) => ("200 OK", bytes.as_slice()),
                None => ("404 Not Found", [].as_slice()),
            };
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
            );
            // A client that has read enough closes before the end.
            let _sent = stream.write_all(&[head.as_bytes(), body].concat()).await;
        }
    });
    format!("http://{address}")
}

/// What `hub adapter inspect` says, of what is in use and of a release.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_adapter_is_inspected() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    let (status, folder) = said(desk.request(Method::GET, "/dps/inspect")).await;
    assert_eq!(status, 200, "{folder}");
    assert_eq!(folder["digest"], desk.stage.current());
    assert_eq!(folder["instalacao"], Value::Null);
    assert_eq!(folder["em_uso"], true);
    assert_eq!(folder["discordancias"], json!([]));
    let own = std::fs::read(desk.stage.folder.path().join("dps.wasm")).expect("adapter");
    assert_eq!(folder["tamanho_bytes"], own.len());

    let signature = desk.stage.key.sign(&revision(1));
    let (_, made) = desk.upload(revision(1), &signature).await;
    let digest = made["digest"].as_str().expect("a digest");
    let path = format!("/dps/inspect?digest={}", &digest[..12]);
    let (status, release) = said(desk.request(Method::GET, &path)).await;
    assert_eq!(status, 200, "{release}");
    assert_eq!(release["digest"], digest);
    assert_eq!(release["instalacao"]["estado"], "staged");
    assert_eq!(
        release["instalacao"]["assinado_por"],
        desk.stage.key.public()
    );
    assert_eq!(release["em_uso"], false);
    assert_eq!(release["permissoes"], made["permissoes"]);
    assert_eq!(release["tamanho_bytes"], own.len() + 6);
    for member in ["operacoes", "endpoints", "opcoes", "schemas", "importa"] {
        assert_eq!(release[member], folder[member], "{member}");
        assert!(release[member].as_array().is_some_and(|it| !it.is_empty()));
    }
    for (path, expected) in [
        ("/dps/inspect?digest=ffffffffffff", (404, "nao_encontrado")),
        ("/nenhum/inspect", (404, "nao_encontrado")),
        ("/nenhum/inspect?digest=ab", (404, "nao_encontrado")),
        ("/dps/inspect?versao=1", (400, "parametro_invalido")),
    ] {
        let (status, answer) = said(desk.request(Method::GET, path)).await;
        let code = answer["codigo"].as_str().expect("code");
        assert_eq!((status, code), expected, "{path}: {answer}");
    }
    let (status, _) = desk
        .post("/dps/activate", json!({ "digest": digest }))
        .await;
    assert_eq!(status, 200);
    let (_, used) = said(desk.request(Method::GET, "/dps/inspect")).await;
    assert_eq!(used["instalacao"]["estado"], "active");
    assert_eq!(
        (&used["digest"], &used["em_uso"]),
        (&json!(digest), &json!(true))
    );
}
