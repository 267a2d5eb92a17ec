//! The document's examples are true: each is sent to a running hub, and what
//! comes back looks as the document says.

mod world;

use crate::common::multipart;
use futures::FutureExt as _;
use hub::api::openapi::{Example, example, names};
use reqwest::Method;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use tests::adapters::workspace;
use tests::app::Backend;
use tests::{Answer, TestApp, shapes};
use world::World;

#[test]
fn every_file_is_an_example_of_a_built_operation() {
    let folder = workspace().join("host/hub/examples");
    let mut files = BTreeSet::new();
    for entry in std::fs::read_dir(folder).expect("folder") {
        let name = entry
            .expect("entry")
            .file_name()
            .into_string()
            .expect("a name");
        files.insert(name.strip_suffix(".json").expect("a JSON file").to_owned());
    }
    let listed: BTreeSet<String> = names().map(str::to_owned).collect();
    assert_eq!(
        files, listed,
        "files, and what openapi/examples.rs includes"
    );
    let built = hub::api::built();
    for name in &listed {
        assert!(
            built.iter().any(|one| one.operation == name),
            "{name} is not built"
        );
        let example = example(name);
        let example = example
            .unwrap_or_else(|| panic!("{name}.json does not have the members of an example"));
        assert!(
            !example.respostas.is_empty(),
            "{name} has no answer: run with BLESS=1"
        );
    }
}

/// `BLESS=1` removes the lines of what has an example; nothing ever adds one.
#[test]
fn operations_without_examples_only_shrink() {
    let path = workspace().join("host/hub/operations-without-examples.txt");
    let text = std::fs::read_to_string(&path).expect("the list");
    let listed: BTreeSet<&str> = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let built = hub::api::built();
    let without: BTreeSet<&str> = built
        .iter()
        .map(|one| one.operation)
        .filter(|name| !names().any(|known| known == *name))
        .collect();
    let new: Vec<_> = without.difference(&listed).collect();
    assert!(
        new.is_empty(),
        "give these an example in host/hub/examples, and a line in openapi/examples.rs: {new:?}"
    );
    let done: Vec<_> = listed.difference(&without).collect();
    if done.is_empty() {
        return;
    }
    assert!(
        std::env::var_os("BLESS").is_some(),
        "run with BLESS=1 to remove from {}: {done:?}",
        path.display()
    );
    let kept: String = text
        .lines()
        .filter(|line| line.starts_with('#') || without.contains(line))
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(path, kept).expect("written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_example_is_true() {
    // A mail server that takes nothing: mails stay in the queue.
    let with_mail = |config: &mut hub::config::Config| {
        "127.0.0.1".clone_into(&mut config.mail.host);
        config.mail.security = hub::config::Security::None;
        "Notas <notas@empresa.example>".clone_into(&mut config.mail.from);
        config.mail.port = 9;
    };
    let app = TestApp::start_with(Backend::Sqlite, with_mail)
        .await
        .expect("SQLite is always there");
    let mut world = World::new(&app).await;
    let mut wrong = Vec::new();
    for name in names() {
        // As it is in the checkout: BLESS=1 writes there.
        let text = std::fs::read_to_string(shapes::file(name)).expect("an example");
        let example: Example = serde_json::from_str(&text).expect("an example");
        if AssertUnwindSafe(world.prepare(name))
            .catch_unwind()
            .await
            .is_err()
        {
            wrong.push(format!(
                "{name}: what it takes for granted could not be made"
            ));
            continue;
        }
        let answer = send(&app, &world, name, &example).await;
        if !(200..300).contains(&answer.status) {
            wrong.push(format!("{name}: {} {}", answer.status, answer.text));
            continue;
        }
        let documented = hub::api::built()
            .into_iter()
            .find(|one| one.operation == name)
            .is_some_and(|one| one.docs.has_answer(answer.status));
        if !documented {
            wrong.push(format!(
                "{name}: nothing says that it answers {}",
                answer.status
            ));
        }
        if answer
            .header("content-type")
            .starts_with("application/json")
        {
            let problems = shapes::check(name, answer.status, &world.told(&answer.body), true);
            wrong.extend(
                problems
                    .into_iter()
                    .map(|problem| format!("{name}: {problem}")),
            );
            let Some(given) = example.respostas.get(&answer.status.to_string()) else {
                continue;
            };
            // The example itself is of its schema.
            if let (Some(schema), Some(shown)) = (&given.esquema, &given.exemplo) {
                let problems = shapes::problems(schema, shown, "", true);
                wrong.extend(
                    problems
                        .into_iter()
                        .map(|problem| format!("{name}, as shown: {problem}")),
                );
            }
        } else {
            shapes::bare(name, answer.status);
        }
    }
    assert!(
        wrong.is_empty(),
        "run with BLESS=1 if the answers are right:\n{}",
        wrong.join("\n")
    );
    app.check_invariants().await;
}

/// Sends an example as the document describes it.
async fn send(app: &TestApp, world: &World<'_>, name: &str, example: &Example) -> Answer {
    let row = hub::operations::get(name).expect("a row");
    let mut path = hub::api::openapi::template(row);
    for (parameter, value) in &example.caminho {
        let value = world.real(value);
        path = path.replace(&format!("{{{parameter}}}"), value.as_str().expect("text"));
    }
    let method: Method = row.method.parse().expect("a method");
    let query: Map<String, Value> = example.consulta.clone();
    let query: Vec<(String, String)> = query
        .into_iter()
        .map(|(name, value)| (name, world.real(&value).as_str().expect("text").to_owned()))
        .collect();
    let mut url = reqwest::Url::parse(&format!("{}{path}", app.base_url)).expect("an address");
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    let mut request = app.http().request(method, url);
    if row.auth == "key" {
        request = request.bearer_auth(&app.live_key);
    }
    if let Some(pedido) = &example.pedido {
        let body = world.real(pedido).to_string();
        if name == "psp.aviso" {
            request = request.header("X-Psp-Signature-256", world.signature(&body));
        }
        request = request
            .header("content-type", "application/json")
            .body(body);
    }
    if name == "storage.objetos.put" {
        request = request.header("content-type", "text/plain").body("anexo");
    }
    app.send(request).await
}

/// Links that carry their signature: what else stands in them is not looked at.
const SIGNED: [&str; 2] = ["storage.objetos.arquivo", "documentos.exportacoes.arquivo"];

/// Every operation reads the parameters the document names, and either refuses
/// all others or names none.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parameters_are_documented_or_refused() {
    let app = TestApp::start(Backend::Sqlite)
        .await
        .expect("SQLite is always there");
    let mut world = World::new(&app).await;
    let document = hub::api::openapi::document("");
    let documented = |name: &str| -> BTreeSet<String> {
        let row = hub::operations::get(name).expect("a row");
        let item = &document["paths"][hub::api::openapi::template(row)];
        let params = item[row.method.to_lowercase()]["parameters"].as_array();
        let query = params.expect("a list").iter();
        let query = query.filter(|param| param["in"] == "query");
        // Read for all operations in one place.
        let query = query.filter(|param| param["name"] != "tolerante");
        query
            .filter_map(|param| param["name"].as_str().map(str::to_owned))
            .collect()
    };
    let all: BTreeSet<String> = names().flat_map(documented).collect();
    let mut strict = 0;
    for name in names() {
        world.prepare(name).await;
        let shown = example(name).expect("an example");
        let told = async |parameter: &str| {
            let mut asked = shown.clone();
            asked.consulta.insert(parameter.to_owned(), "x".into());
            // The query is read before the body.
            asked.pedido = asked.pedido.map(|_| serde_json::json!({}));
            let answer = send(&app, &world, name, &asked).await;
            let fields = answer.body["campos"].as_array().cloned();
            fields
                .unwrap_or_default()
                .iter()
                .any(|field| field["campo"] == parameter && field["codigo"] == "campo_desconhecido")
        };
        let known = documented(name);
        if !told("nome_que_ninguem_conhece").await {
            assert!(
                known.is_empty() || SIGNED.contains(&name),
                "{name} takes any parameter"
            );
            continue;
        }
        strict += 1;
        for parameter in &all {
            assert_ne!(
                told(parameter).await,
                known.contains(parameter),
                "{name}: {parameter} is documented and refused, or neither"
            );
        }
    }
    assert!(
        strict > 40,
        "only {strict} operations refuse what they do not know"
    );
}

/// The form of a certificate, which no example can show.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_answers_as_json_does() {
    let app = TestApp::start(Backend::Sqlite)
        .await
        .expect("SQLite is always there");
    let (media, body) = multipart(&[("dados", None, b"{\"cnpj\":\"11444777000161\"}")]);
    let answer = crate::common::raw(&app, Method::POST, "/api/v1/emitters", &media, body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let problems = shapes::check("emitters.create", 201, &answer.body, true);
    assert!(problems.is_empty(), "{problems:?}");
}
