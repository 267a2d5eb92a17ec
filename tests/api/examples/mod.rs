//! The document's examples are true: each is sent to a running hub, and what
//! comes back looks as the document says.

mod world;

use crate::common::multipart;
use api::openapi::{Example, example, names};
use base::operations::Operation;
use futures::FutureExt as _;
use reqwest::Method;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use tests::adapters::workspace;
use tests::app::Backend;
use tests::{Answer, TestApp, shapes};
use world::World;

#[test]
fn every_built_operation_has_its_example() {
    let folder = workspace().join("host/api/examples");
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
    let built: BTreeSet<String> = api::built()
        .iter()
        .map(|one| one.operation.to_owned())
        .collect();
    assert_eq!(listed, built, "every built operation has an example");
    for name in &listed {
        let example = example(name);
        let example = example
            .unwrap_or_else(|| panic!("{name}.json does not have the members of an example"));
        let built = api::built().iter().find(|one| one.operation == name);
        let always_refuses = built.is_some_and(|one| one.docs.always_refuses());
        assert!(
            always_refuses || !example.respostas.is_empty(),
            "{name} has no answer: run with BLESS=1"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_example_is_true() {
    // A mail server that takes nothing: mails stay in the queue. The messaging app
    // is connected.
    let with_mail = |config: &mut base::config::Config| {
        "127.0.0.1".clone_into(&mut config.mail.host);
        config.mail.security = base::config::Security::None;
        "Notas <notas@empresa.example>".clone_into(&mut config.mail.from);
        config.mail.port = 9;
        "chatapp".clone_into(&mut config.messaging.adapter);
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
        // Some operations of the table refuse always.
        let built = api::built().iter().find(|one| one.operation == name);
        if built.is_some_and(|one| one.docs.always_refuses()) {
            if !(400..500).contains(&answer.status) {
                wrong.push(format!("{name}: {} {}", answer.status, answer.text));
            }
            continue;
        }
        if !(200..300).contains(&answer.status) {
            wrong.push(format!("{name}: {} {}", answer.status, answer.text));
            continue;
        }
        let documented = api::built()
            .iter()
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
            let problems = shapes::check(name, answer.status, &world.told(&answer.body));
            wrong.extend(
                problems
                    .into_iter()
                    .map(|problem| format!("{name}: {problem}")),
            );
            let Some(given) = example.respostas.get(&answer.status.to_string()) else {
                continue;
            };
            // The example itself is of its schema.
            let schema = shapes::typed(name, answer.status);
            if let (Some(schema), Some(shown)) = (schema, &given.exemplo) {
                let problems = shapes::problems(&schema, shown, "", true);
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

/// The address of an example.
fn path(world: &World<'_>, row: &Operation, example: &Example) -> String {
    let path = api::openapi::template(row);
    example
        .caminho
        .iter()
        .fold(path, |path, (parameter, value)| {
            let value = world.real(value);
            path.replace(&format!("{{{parameter}}}"), value.as_str().expect("text"))
        })
}

/// Sends an example as the document describes it.
async fn send(app: &TestApp, world: &World<'_>, name: &str, example: &Example) -> Answer {
    let row = base::operations::get(name).expect("a row");
    let path = path(world, row, example);
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
    if let Some(sent) = &example.pedido {
        let body = world.real(sent).to_string();
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
    let document = api::openapi::document("");
    let documented = |name: &str| -> BTreeSet<String> {
        let row = base::operations::get(name).expect("a row");
        let item = &document["paths"][api::openapi::template(row)];
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
            // The query is read before the body, which nothing is done with.
            asked.pedido = asked.pedido.map(|_| serde_json::json!([]));
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
        // Operations with a body are asked in one place, the same for all: two of the
        // others' parameters are enough.
        let others = match shown.pedido {
            Some(_) => 2,
            None => all.len(),
        };
        for parameter in all.iter().take(others).chain(&known) {
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

/// Forms are sent as they are shown, with a real file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_form_is_true() {
    let app = TestApp::start(Backend::Sqlite)
        .await
        .expect("SQLite is always there");
    let mut world = World::new(&app).await;
    let shown = names().filter_map(|name| Some((name, example(name)?.formulario?)));
    let shown: Vec<(&str, Map<String, Value>)> = shown.collect();
    assert!(!shown.is_empty());
    for (name, form) in shown {
        world.prepare(name).await;
        let row = base::operations::get(name).expect("a row");
        let example = example(name).expect("an example");
        let pfx = world.pfx();
        let parts: Vec<(&str, Option<&str>, Vec<u8>)> = form
            .iter()
            .map(|(part, value)| match part.as_str() {
                "certificado" => (part.as_str(), value.as_str(), pfx.clone()),
                _ => {
                    let text = world.real(value);
                    let text = text.as_str().expect("text").to_owned();
                    (part.as_str(), None, text.into_bytes())
                }
            })
            .collect();
        let parts: Vec<(&str, Option<&str>, &[u8])> = parts
            .iter()
            .map(|(part, file, bytes)| (*part, *file, bytes.as_slice()))
            .collect();
        let (media, body) = multipart(&parts);
        let method: Method = row.method.parse().expect("a method");
        let path = path(&world, row, &example);
        let answer = crate::common::raw(&app, method, &path, &media, body).await;
        assert!(
            matches!(answer.status, 200 | 201),
            "{name}: {}",
            answer.text
        );
        let problems = shapes::check(name, answer.status, &answer.body);
        assert!(problems.is_empty(), "{name}: {problems:?}");
    }
}
