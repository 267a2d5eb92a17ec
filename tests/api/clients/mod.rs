//! Collections and clients made of the document: complete, and the clients
//! work against a running hub.

mod collections;
pub mod generators;
mod packages;

use crate::common::BELO_HORIZONTE;
use api::clients::{Language, bruno, client, journey, postman};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use tests::TestApp;
use tests::app::Backend;
use tests::bodies::nfe;
use tests::receiver::Receiver;

fn document() -> Value {
    api::openapi::document("https://hub.example")
}

fn operations() -> BTreeSet<String> {
    api::built()
        .iter()
        .map(|one| one.operation.to_owned())
        .collect()
}

#[test]
fn the_postman_collection_has_every_operation_once() {
    let made = postman::collection(&document());
    assert!(
        made["info"]["schema"]
            .as_str()
            .is_some_and(|schema| schema.ends_with("/v2.1.0/collection.json"))
    );
    let mut seen = BTreeSet::new();
    let folders = made["item"].as_array().expect("folders");
    // What the collection begins with is of operations that are in their folders, too.
    let (ways, folders) = folders.split_at(journey::FOLDERS.len());
    for (way, name) in ways.iter().zip(journey::FOLDERS) {
        assert_eq!(way["name"], name);
    }
    for folder in folders {
        assert!(folder["name"].is_string(), "{folder}");
        for item in folder["item"].as_array().expect("requests") {
            let name = item["name"].as_str().expect("a name");
            assert!(seen.insert(name.to_owned()), "{name} twice");
            let request = &item["request"];
            let row = base::operations::get(name).expect("a row");
            assert_eq!(request["method"], row.method.as_str());
            let url = &request["url"];
            assert_eq!(url["host"], json!(["{{base_url}}"]));
            let path = url["path"].as_array().expect("a path");
            // Every `:name` of the path is a variable, and nothing else is.
            let named: BTreeSet<&str> = path
                .iter()
                .filter_map(|part| part.as_str()?.strip_prefix(':'))
                .collect();
            let variables = url["variable"].as_array().expect("variables");
            assert_eq!(
                named,
                variables
                    .iter()
                    .filter_map(|one| one["key"].as_str())
                    .collect(),
                "{name}"
            );
            assert!(
                variables.iter().all(|one| one["value"].is_string()),
                "{name}: {variables:?}"
            );
            let script = &item["event"][0]["script"]["exec"];
            assert!(
                script.as_array().is_some_and(|lines| lines.len() >= 2),
                "{name} checks nothing"
            );
            for header in request["header"].as_array().expect("headers") {
                assert!(
                    header["key"].is_string() && header["value"].is_string(),
                    "{name}: {header}"
                );
            }
            if request["body"]["mode"] == "raw" {
                let raw = request["body"]["raw"].as_str().expect("text");
                assert!(
                    serde_json::from_str::<Value>(raw).is_ok_and(|body| body.is_object()),
                    "{name}: {raw}"
                );
            }
        }
    }
    assert_eq!(seen, operations());
    let environment = postman::environment(&document());
    assert_eq!(environment["values"][0]["value"], "https://hub.example");
    assert_eq!(environment["values"][1]["key"], "chave");
}

#[test]
fn the_bruno_collection_has_every_operation_once() {
    let files = bruno::files(&document());
    let mut seen = BTreeSet::new();
    for (path, content) in &files {
        if path.ends_with(".bru") {
            let (open, shut) = (content.matches('{').count(), content.matches('}').count());
            assert_eq!(open, shut, "{path}: {content}");
        }
        let Some(name) = path
            .split_once('/')
            .and_then(|(_, file)| file.strip_suffix(".bru"))
        else {
            continue;
        };
        if let Some(row) = base::operations::get(name) {
            assert!(seen.insert(name.to_owned()), "{name} twice");
            let wanted = format!(
                "\n{} {{\n  url: {{{{base_url}}}}/",
                row.method.to_lowercase()
            );
            assert!(content.contains(&wanted), "{path}: {content}");
            assert!(
                content.contains("\ntests {\n  test("),
                "{path} checks nothing"
            );
        }
    }
    assert_eq!(seen, operations());
    let names: BTreeSet<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(names.len(), files.len(), "a file twice");
    assert!(
        ["bruno.json", "collection.bru", "environments/hub.bru"]
            .iter()
            .all(|file| names.contains(file))
    );
}

#[test]
fn clients_name_every_operation() {
    for language in [
        Language::Typescript,
        Language::Javascript,
        Language::Python,
        Language::Php,
        Language::Csharp,
    ] {
        let made = client(&document(), language);
        for operation in operations() {
            let name = operation.replace(['.', '-'], "_");
            let method = match language {
                Language::Python => format!("    def {name}(self"),
                Language::Php => format!("    public function {name}("),
                Language::Csharp => format!("> {name}("),
                Language::Typescript | Language::Javascript => format!("\n  {name}("),
            };
            let made = &made.replace("async Task ", "async Task<> ");
            assert_eq!(
                made.matches(&method).count(),
                1,
                "{language:?}: {operation}"
            );
        }
        // How it is begun with stands at the head.
        let begin = match language {
            Language::Python => "hub = Hub(\"https://hub.example\", \"svc_test_…\")",
            Language::Php => {
                "new \\HubCliente\\Hub(base_url: 'https://hub.example', chave: 'svc_test_…');"
            }
            Language::Csharp => {
                "new HubCliente.Hub(base_url: \"https://hub.example\", chave: \"svc_test_…\");"
            }
            Language::Typescript | Language::Javascript => {
                "const hub = new Hub({ base_url: \"https://hub.example\", chave: \"svc_test_…\" });"
            }
        };
        let head: Vec<&str> = made.lines().take(6).collect();
        assert!(head.join("\n").contains(begin), "{language:?}: {head:?}");
        assert!(
            !made.contains("/*:") && !made.contains("//ts"),
            "{language:?}"
        );
    }
}

/// The clients take them beside the parameters of a query, in one list of names.
#[test]
fn no_parameter_has_the_name_of_what_a_call_is_told() {
    let document = document();
    let paths = document["paths"].as_object().expect("paths");
    let operations = paths.values().flat_map(|item| item.as_object());
    let operations = operations.flat_map(|item| item.values());
    let parameters = operations.flat_map(|one| one["parameters"].as_array());
    let mut seen = 0;
    for parameter in parameters.flatten() {
        let name = parameter["name"].as_str().unwrap_or_default();
        let taken = ["idempotency_key", "cabecalhos", "sinal"].contains(&name);
        assert!(!taken, "{parameter}");
        seen += 1;
    }
    assert!(seen > 100, "{seen} parameters");
}

/// Says that a program is not on this machine, as the PostgreSQL tests do.
fn there(program: &str) -> bool {
    let there = Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|ran| ran.status.success());
    if !there {
        judges::skipped(format_args!("{program} is not on this machine"));
    }
    there
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_python_client_works() {
    if there("python3") {
        works(Language::Python, "python3", "exercise.py", "cliente.py").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_javascript_client_works() {
    if there("node") {
        works(Language::Javascript, "node", "exercise.mjs", "cliente.mjs").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_php_client_works() {
    if there("php") {
        works(Language::Php, "php", "exercise.php", "cliente.php").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_csharp_client_works() {
    if there("mcs") && there("mono") {
        works(Language::Csharp, "mono", "Exercise.cs", "cliente.cs").await;
    }
}

/// The compiler is named by `HUB_TEST_TSC`: it is on few machines.
#[test]
fn the_typescript_client_compiles() {
    let Some(compiler) = std::env::var_os("HUB_TEST_TSC") else {
        judges::skipped("HUB_TEST_TSC does not name a TypeScript compiler");
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("cliente.ts");
    std::fs::write(&file, client(&document(), Language::Typescript)).expect("written");
    let ran = Command::new(compiler)
        .args([
            "--strict",
            "--noEmit",
            "--target",
            "es2022",
            "--module",
            "nodenext",
            "--lib",
            "es2022,dom,dom.iterable",
        ])
        .arg(&file)
        .output()
        .expect("the compiler");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stdout)
    );
}

async fn works(language: Language, program: &str, script: &str, name: &str) {
    let app = TestApp::start(Backend::Sqlite)
        .await
        .expect("SQLite is always there");
    app.emitter("11222333000181", BELO_HORIZONTE).await;
    let folder = tempfile::tempdir().expect("folder");
    let document = api::openapi::document(&app.base_url);
    std::fs::write(folder.path().join(name), client(&document, language)).expect("written");
    let world = json!({ "base_url": app.base_url, "chave": app.live_key, "nfe": nfe(), "entrega": delivery(&app).await });
    let file = folder.path().join("world.json");
    std::fs::write(&file, world.to_string()).expect("written");
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("api/clients")
        .join(script);
    let script = match language {
        Language::Csharp => compiled(&script, &folder.path().join(name)).await,
        _ => script,
    };
    let mut command = tokio::process::Command::new(program);
    let said = generators::run(command.arg(script).arg(folder.path()).arg(&file)).await;
    let saw: Value = serde_json::from_str(&said).expect("JSON");
    assert_used(&saw, &world);
    app.check_invariants().await;
}

/// A script of C# with its client, as a program beside the client.
async fn compiled(script: &Path, client: &Path) -> PathBuf {
    let program = client.with_extension("exe");
    let mut compiler = tokio::process::Command::new("mcs");
    compiler.args(["-langversion:7.2", "-r:System.Net.Http.dll"]);
    compiler.arg(format!("-out:{}", program.display()));
    generators::run(compiler.arg(client).arg(script)).await;
    program
}

/// What a client saw of the hub: two notes that it issued, one of which it cancelled.
fn assert_used(saw: &Value, world: &Value) {
    assert_eq!(
        (&saw["status"], &saw["valor"], &saw["xml"], &saw["publica"]),
        (
            &json!("autorizada"),
            &json!("37.80"),
            &json!("<nfeP"),
            &json!("ok")
        ),
        "{saw}"
    );
    assert_eq!(saw["depois"], "cancelada", "{saw}");
    // Two notes by two calls, though three requests were made.
    let keys = saw["chaves"].as_array().expect("keys");
    assert!(
        keys.len() == 2 && keys[0] == keys[1] && keys[0].is_string(),
        "{saw}"
    );
    assert_eq!(
        saw["listadas"].as_array().map(Vec::len),
        Some(3),
        "with the one of the delivery: {saw}"
    );
    assert_ne!(saw["repetida"], saw["nota_id"]);
    assert_eq!(
        (&saw["recusa"]["status"], &saw["recusa"]["codigo"]),
        (&json!(422), &json!("validacao_previa")),
        "{saw}"
    );
    assert!(
        saw["recusa"]["dica"]
            .as_str()
            .is_some_and(|hint| !hint.is_empty())
            && saw["recusa"]["campos"].as_u64() > Some(0),
        "{saw}"
    );
    assert_eq!(
        (&saw["evento"], &saw["evento_padrao"]),
        (&world["entrega"]["evento"], &world["entrega"]["evento"]),
        "{saw}"
    );
    assert_eq!(
        saw["forjadas"],
        json!(vec!["assinatura_invalida"; 5]),
        "{saw}"
    );
}

/// A delivery as it arrived, and what is needed to check it.
async fn delivery(app: &TestApp) -> Value {
    let receiver = Receiver::start().await;
    let hook = json!({ "url": receiver.url("/avisos"), "eventos": ["nfe.autorizada"] });
    let hook = app.post("/api/v1/webhooks", &hook).await;
    assert_eq!(
        app.post("/api/v1/nfe", &nfe()).await.summary(),
        "201 autorizada"
    );
    receiver.until(1).await;
    let arrived = receiver.received().remove(0);
    json!({
        "segredo": hook.text_at("/segredo"), "cabecalhos": arrived.headers, "corpo": STANDARD.encode(&arrived.body),
        "evento": arrived.json()["id"], "agora_s": app.app.now_ms() / 1_000,
    })
}
