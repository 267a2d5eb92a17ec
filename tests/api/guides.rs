//! The guides of `docs/guias`: their commands work as they stand there, and answer
//! what they say; the Python of the guide about webhooks judges a real signature.

use crate::common::BELO_HORIZONTE;
use events::attempt::signature::{Key, standard};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use tests::TestApp;
use tests::app::Backend;

/// The blocks of a guide: the language after the fence, and the text.
fn blocks(text: &str) -> Vec<(&str, String)> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((language, inside.join("\n")));
        }
    }
    blocks
}

fn guide(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs/guias")
        .join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Whether an answer has what a guide shows of it; "…" stands for anything.
fn shows(shown: &Value, answered: &Value) -> bool {
    match (shown, answered) {
        (Value::Object(shown), Value::Object(answered)) => shown.iter().all(|(name, value)| {
            answered
                .get(name)
                .is_some_and(|answer| shows(value, answer))
        }),
        (Value::String(text), _) if text == "…" => true,
        (Value::Number(shown), Value::Number(answered)) => shown.as_f64() == answered.as_f64(),
        _ => shown == answered,
    }
}

/// Runs the commands of a guide in order; what each must answer follows it.
async fn walk(name: &'static str, mut set: BTreeMap<&'static str, String>) {
    let mut answered = Value::Null;
    let mut ran = 0;
    for (language, block) in blocks(&guide(name)) {
        match language {
            "sh" => {
                let variables = set.clone();
                let command = block.clone();
                let run = tokio::task::spawn_blocking(move || {
                    Command::new("sh")
                        .args(["-euc", &command])
                        .envs(variables)
                        .output()
                });
                let output = run.await.expect("task").expect("sh");
                assert!(output.status.success(), "{name}: {block}: {output:?}");
                answered = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
                    panic!(
                        "{name}: {error}: {}",
                        String::from_utf8_lossy(&output.stdout)
                    )
                });
                if let Some(id) = answered["nota_id"].as_str() {
                    set.insert("NOTA", id.to_owned());
                }
                ran += 1;
            }
            "json" => {
                let shown: Value = serde_json::from_str(&block).expect("JSON");
                assert!(
                    shows(&shown, &answered),
                    "{name}: {shown} is not in {answered}"
                );
            }
            _ => {}
        }
    }
    assert!(ran > 0, "{name} has no command");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_guides_show_works() {
    if !judges::has("curl") {
        return;
    }
    // One of them shows the addresses for who moves, which a setting opens.
    let app = TestApp::start_with(Backend::Sqlite, |config| config.moving.focus = true).await;
    let app = app.expect("SQLite is always there");
    app.emitter_without_certificate("11222333000181", BELO_HORIZONTE)
        .await;
    let set = BTreeMap::from([
        ("HUB", app.base_url.clone()),
        ("CHAVE", app.test_key.clone()),
    ]);
    for name in [
        "primeira-nfe.md",
        "primeira-nfse.md",
        "webhooks.md",
        "mudar-de-servico.md",
        "../LEIA-ME.md",
    ] {
        walk(name, set.clone()).await;
    }
    app.check_invariants().await;
}

/// The commands of a file's blocks of one language, without what is said of each.
fn commands(text: &str, language: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (_, block) in blocks(text).iter().filter(|(kind, _)| *kind == language) {
        let lines = block
            .lines()
            .map(|line| line.split(" #").next().unwrap_or(line));
        found.extend(lines.map(|line| line.trim_end().to_owned()));
    }
    found
}

/// Both READMEs lead through the same commands, and every address of the English one's
/// steps is in the other.
#[test]
fn the_readme_in_portuguese_has_the_same_commands() {
    let (ours, theirs) = (guide("../../README.md"), guide("../LEIA-ME.md"));
    let told = commands(&ours, "sh");
    assert!(told.len() > 10, "{told:?}");
    assert_eq!(commands(&theirs, "console"), told);
    let paths = ours
        .split(|letter: char| !letter.is_ascii_graphic() || "`\"'()".contains(letter))
        .filter(|word| word.starts_with("/api/v1/"));
    for path in paths {
        let path = path.split(['?', '{']).next().unwrap_or(path);
        assert!(theirs.contains(path), "{path} is not in LEIA-ME.md");
    }
    for (name, text) in [("README.md", &ours), ("LEIA-ME.md", &theirs)] {
        assert!(
            text.lines().take(4).any(|line| line.contains("](")),
            "{name} leads to the other"
        );
    }
}

/// What LEIA-ME.md links to is in the checkout.
#[test]
fn the_readme_in_portuguese_leads_to_files() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let text = guide("../LEIA-ME.md");
    let links = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    for link in links.filter(|link| !link.starts_with('#')) {
        let file = link.split('#').next().unwrap_or(link);
        assert!(docs.join(file).exists(), "{link}");
    }
}

#[test]
fn the_python_of_the_guide_judges_a_signature() {
    let guide = guide("webhooks.md");
    let blocks = blocks(&guide);
    let (_, code) = blocks
        .iter()
        .find(|(language, _)| *language == "python")
        .expect("Python");
    let secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
    let key = Key::of(secret).expect("a secret");
    let seconds = "1790000000";
    let mut signature = String::new();
    standard(&mut signature, &[&key], "evt_1", seconds, b"{\"a\":1}");
    let script = format!(
        "{code}\n\
         time.time = lambda: {seconds} + 10\n\
         h = {{'webhook-id': 'evt_1', 'webhook-timestamp': '{seconds}', 'webhook-signature': '{signature}'}}\n\
         assert conferir('{secret}', h, b'{{\"a\":1}}')\n\
         assert not conferir('{secret}', h, b'{{\"a\":2}}')\n\
         time.time = lambda: {seconds} + 400\n\
         assert not conferir('{secret}', h, b'{{\"a\":1}}')\n"
    );
    let Some(python) = tests::python::with("hmac") else {
        return;
    };
    let run = Command::new(python)
        .args(["-c", &script])
        .stdin(Stdio::null())
        .output()
        .expect("Python runs");
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
}
