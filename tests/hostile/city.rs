//! A hostile adapter installed as the adapter of a city: its notes fail with
//! the right answer and the right credits while a neighbour issues.

use crate::components::install;
use serde_json::{Value, json};
use sim::{Fault, FaultKind, When};
use std::sync::OnceLock;
use tempfile::TempDir;
use tests::app::Backend;
use tests::bodies::nfse;
use tests::{Answer, TestApp, adapters};

/// The neighbour, on the real national adapter.
pub const NEIGHBOUR: (&str, &str) = ("11222333000181", "3106200");
/// Credits of a note.
const PRICE: i64 = 4;

/// Every misbehaviour that can be a city.
pub const MODES: [&str; 27] = [
    "loop",
    "memory",
    "stack",
    "panic",
    "state",
    "state-flood",
    "request",
    "endpoint",
    "path-dots",
    "path-crlf",
    "header-crlf",
    "url",
    "url-port",
    "wait",
    "send",
    "pause",
    "unable",
    "placeholder-other",
    "placeholder-cut",
    "secrets",
    "yes-unasked",
    "no-once",
    // These stay open and are asked about again a minute later: last, so that
    // such a question is not counted as another one's.
    "good",
    "placeholder-stray",
    "yes-empty",
    "yes-blank",
    "trap-once",
];

/// Modes with tests of their own.
const MORE: [&str; 12] = [
    "loop-once",
    "response",
    "resend",
    "signs",
    "forges",
    "echo",
    "leak-endpoint",
    "leak-header",
    "leak-query",
    "leak-basic",
    "leak-url",
    "leak-tls",
];

/// A hub whose registry knows one hostile city per mode.
pub struct Land {
    pub app: TestApp,
    cities: Vec<(String, String)>,
    _folder: TempDir,
}

/// Municipalities of the shipped registry: code, name, state.
fn municipalities() -> impl Iterator<Item = (&'static str, &'static str)> {
    flow::registry::BUILT_IN.lines().filter_map(|line| {
        let (code, rest) = line.split_once(" = { nome = \"")?;
        let (_, uf) = rest.split_once("uf = \"")?;
        (code.len() == 7 && code != NEIGHBOUR.1).then(|| (code, uf.get(..2).unwrap_or_default()))
    })
}

/// A registry with the national system for the neighbour, and a system and a
/// municipality for each mode.
fn registry(cities: &[(String, String)]) -> String {
    let mut text = String::from(
        r#"[registro]
versao = 1
verificado = 2026-11-20
emissor_nacional_fonte = "lista"
mudanca_presumida = 2026-01-01
mudanca_presumida_fonte = "lista"

[fontes.lista]
nome = "Lista dos testes"
data = 2026-11-20

[adapters.dps]
componente = "dps"
endpoints = ["sefin"]

[systems.nacional]
nome = "Padrão Nacional"
via = "nacional"
adapter = "dps"
certificado = "tls"
producao = { sefin = "https://sefin.nfse.gov.br/SefinNacional" }
fonte = "lista"
"#,
    );
    for (mode, _) in cities {
        // What this one asks for is the simulator's own state.
        let state = matches!(mode.as_str(), "response" | "echo");
        let base = if state { "__sim" } else { "ws" };
        text += &format!(
            r#"
[adapters.hostil-{mode}]
componente = "hostil-{mode}"
endpoints = ["ws"]

[systems.hostil-{mode}]
nome = "Sistema hostil"
adapter = "hostil-{mode}"
certificado = "tls"
producao = {{ outra = "https://outra.example/ws", ws = "https://cidade.example/{base}" }}
homologacao = {{ outra = "https://outra.example/ws", ws = "https://cidade.example/{base}" }}
fonte = "lista"
"#
        );
    }
    text += "\n[municipios]\n";
    let mut lines: Vec<String> = vec![format!(
        "{} = {{ nome = \"Vizinha\", uf = \"MG\", rota = {{ sistema = \"nacional\" }}, emissor_nacional = true, fonte = \"lista\" }}",
        NEIGHBOUR.1
    )];
    for (mode, ibge) in cities {
        let uf = municipalities()
            .find(|(code, _)| code == ibge)
            .map_or("RO", |(_, uf)| uf);
        lines.push(format!(
            "{ibge} = {{ nome = \"Cidade {mode}\", uf = \"{uf}\", rota = {{ sistema = \"hostil-{mode}\" }}, fonte = \"lista\" }}"
        ));
    }
    lines.sort();
    text + &lines.join("\n") + "\n"
}

/// A CNPJ that passes its check digits, different for each number.
fn cnpj(number: usize) -> String {
    let mut digits: Vec<u32> = format!("{:08}0001", 50_000_000 + number)
        .chars()
        .filter_map(|c| c.to_digit(10))
        .collect();
    for weights in [
        [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2].as_slice(),
        &[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2],
    ] {
        let sum: u32 = digits
            .iter()
            .zip(weights)
            .map(|(digit, weight)| digit * weight)
            .sum();
        digits.push(if sum % 11 < 2 { 0 } else { 11 - sum % 11 });
    }
    digits
        .iter()
        .filter_map(|digit| char::from_digit(*digit, 10))
        .collect()
}

/// Components of all modes, written once per test run.
fn folder() -> &'static std::path::Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    FOLDER
        .get_or_init(|| {
            let folder = tempfile::tempdir().expect("folder");
            install(folder.path(), &MODES);
            install(folder.path(), &MORE);
            let dps = adapters::folder().join("dps.wasm");
            std::fs::copy(dps, folder.path().join("dps.wasm")).expect("the real adapter");
            folder
        })
        .path()
}

impl Land {
    /// None where the backend is not on the machine. A call waits for the fate of its
    /// note as long as a test may; one whose fate stays open is made by `issue_open`.
    pub async fn start(backend: Backend) -> Option<Land> {
        // Unoptimized and beside many others, a good adapter is slow.
        Land::with_step(backend, 1_000).await
    }

    /// As `start`, with the time a step may compute, in milliseconds.
    pub async fn with_step(backend: Backend, step_ms: u64) -> Option<Land> {
        let folder = tempfile::tempdir().expect("folder");
        let modes = MODES.iter().chain(&MORE).map(|mode| (*mode).to_owned());
        let cities: Vec<(String, String)> = modes
            .zip(municipalities().map(|(code, _)| code.to_owned()))
            .collect();
        let file = folder.path().join("providers.toml");
        std::fs::write(&file, registry(&cities)).expect("registry");
        let app = TestApp::start_with(backend, |config| {
            config.adapters.folder = self::folder().to_owned();
            config.registry.file = file;
            config.accounts.gift_credits = 100_000;
            config.flow.step_ms = step_ms;
            // Pauses of adapters are cut to nothing; the hub's own between
            // two questions stay, so that no answer depends on the machine.
            config.flow.pause_ms = 1;
            config.flow.wait_divisor = 1;
        })
        .await?;
        Some(Land {
            app,
            cities,
            _folder: folder,
        })
    }

    /// An emitter in the city of a mode.
    pub async fn emitter(&self, mode: &str) -> String {
        let (cnpj, city) = self.company(mode);
        self.app.emitter(&cnpj, &city).await
    }

    /// CNPJ and municipality of the emitter of a mode.
    pub fn company(&self, mode: &str) -> (String, String) {
        let number = self
            .cities
            .iter()
            .position(|(name, _)| name == mode)
            .expect("a mode of this land");
        (cnpj(number), self.cities[number].1.clone())
    }

    /// An emitter in the neighbour's city.
    pub async fn neighbour(&self) -> String {
        self.app.emitter(NEIGHBOUR.0, NEIGHBOUR.1).await
    }

    pub async fn issue(&self, emitter: &str) -> Answer {
        self.app.post("/api/v1/nfse", &body(emitter)).await
    }

    /// As `issue`, for a note whose fate stays open: answered with 202 at once, and
    /// given back when the first flow is over.
    pub async fn issue_open(&self, emitter: &str) -> Answer {
        self.issue_open_as(&self.app.live_key, emitter).await
    }

    /// As `issue_open`, with a key of either environment.
    async fn issue_open_as(&self, key: &str, emitter: &str) -> Answer {
        let http = self.app.http();
        let request = http
            .post(format!("{}/api/v1/nfse", self.app.base_url))
            .bearer_auth(key)
            .header("content-type", "application/json")
            .header("prefer", "respond-async")
            .body(body(emitter).to_string());
        let answer = self.app.send(request).await;
        assert_eq!(answer.summary(), OPEN, "{}", answer.text);
        flows_done(self, answer.text_at("/nota_id"), 1).await;
        answer
    }

    /// Requests that reached the hostile cities, whatever they were.
    pub fn received(&self) -> u64 {
        let state = self.app.app.simulator.sim.overview();
        let others = state
            .recebidas
            .iter()
            .filter(|(system, _)| *system != "nacional");
        others.flat_map(|(_, operations)| operations.values()).sum()
    }

    /// Requests of a note by label, from its journal.
    async fn sent(&self, nota_id: &str, label: &str) -> usize {
        let mut conn = self.app.app.db.read().await.expect("connection");
        let turns = store::tables::flows::turns_of(&mut conn, &self.app.account_id, nota_id)
            .await
            .expect("journal");
        turns
            .iter()
            .filter(|turn| turn.next == store::tables::flows::TurnNext::Send && turn.label == label)
            .count()
    }
}

pub fn body(emitter: &str) -> Value {
    let mut body = nfse();
    body["emitente_id"] = json!(emitter);
    body
}

/// Answer, credits still held, requests that reached the city.
type Expected = (&'static str, i64, u64);

/// The answer while nothing is known.
const OPEN: &str = "202 em_transmissao";

fn expected(mode: &str) -> Expected {
    const BROKEN: Expected = ("502 falha_do_adaptador", 0, 0);
    const BLOCKED: Expected = ("503 prefeitura_indisponivel", 0, 0);
    match mode {
        "url" | "url-port" | "placeholder-cut" => BLOCKED,
        "unable" => ("422 operacao_nao_suportada_pelo_municipio", 0, 0),
        // Reads do no harm: as many as a flow has steps.
        "send" => ("502 falha_do_adaptador", 0, 64),
        // The city answered something else than a note.
        "good" | "placeholder-stray" | "trap-once" | "loop-once" => (OPEN, PRICE, 1),
        "yes-empty" | "yes-blank" => (OPEN, PRICE, 1),
        "no-once" => ("422 rejeitada_pela_prefeitura", 0, 1),
        _ => BROKEN,
    }
}

async fn each_fails_alone(land: Land) {
    let app = &land.app;
    let neighbour = land.neighbour().await;
    let mut spent = 0;
    let mut held = 0;
    for mode in MODES {
        let emitter = land.emitter(mode).await;
        let before = (app.balance().await, land.received());
        let (summary, holds, received) = expected(mode);
        let issue = async {
            if summary == OPEN {
                land.issue_open(&emitter).await
            } else {
                land.issue(&emitter).await
            }
        };
        let (answer, issued) = tokio::join!(issue, land.issue(&neighbour));
        assert_eq!(answer.summary(), summary, "{mode}: {}", answer.text);
        assert_eq!(
            land.received() - before.1,
            received,
            "{mode}: requests that arrived"
        );
        assert_eq!(
            issued.summary(),
            "201 autorizada",
            "the neighbour of {mode}: {}",
            issued.text
        );
        spent += PRICE;
        held += holds;
        let (available, reserved) = app.balance().await;
        assert_eq!(reserved, held, "{mode}: credits that are held");
        assert_eq!(
            available,
            before.0.0 - PRICE - holds,
            "{mode}: credits left"
        );
        assert!(
            !answer.text.contains("senha"),
            "{mode} shows a secret: {}",
            answer.text
        );
    }
    assert_eq!(app.balance().await.0, 100_000 - spent - held);
    app.check_invariants().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_fails_alone_sqlite() {
    each_fails_alone(
        Land::start(Backend::Sqlite)
            .await
            .expect("SQLite is always there"),
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_fails_alone_postgres() {
    if let Some(land) = Land::start(Backend::Postgres).await {
        each_fails_alone(land).await;
    }
}

/// Waits until a note's journal holds so many flows that are over.
async fn flows_done(land: &Land, nota_id: &str, count: usize) {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    loop {
        let watch = land.app.app.notifier.watch(nota_id);
        let changed = watch.changed();
        let mut conn = land.app.app.db.read().await.expect("connection");
        let turns = store::tables::flows::turns_of(&mut conn, &land.app.account_id, nota_id)
            .await
            .expect("journal");
        drop(conn);
        let done = turns
            .iter()
            .filter(|turn| turn.next == store::tables::flows::TurnNext::Done)
            .count();
        if done >= count {
            return;
        }
        assert!(
            std::time::Instant::now() < deadline,
            "{done} of {count} flows are over"
        );
        let _either = tokio::time::timeout(std::time::Duration::from_millis(100), changed).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_question_is_asked_and_never_sent_again() {
    let land = Land::start(Backend::Sqlite)
        .await
        .expect("SQLite is always there");
    for mode in ["trap-once", "loop-once", "resend"] {
        let emitter = land.emitter(mode).await;
        let (available, held) = land.app.balance().await;
        let answer = land.issue_open(&emitter).await;
        let id = answer.text_at("/nota_id").to_owned();
        // Time for three rounds of questions, and more.
        for round in 1..=3 {
            flows_done(&land, &id, round).await;
            land.app
                .ahead_ms
                .fetch_add(3_600_000, std::sync::atomic::Ordering::Relaxed);
            flows_done(&land, &id, 1 + round).await;
        }
        assert_eq!(
            land.sent(&id, "emitir").await,
            1,
            "{mode}: the note went out once"
        );
        let asked = land.sent(&id, "consultar").await;
        assert_eq!(asked > 0, mode != "resend", "{mode} asked {asked} times");
        let record = land.app.get(&format!("/api/v1/documentos/{id}")).await;
        assert_eq!(
            record.text_at("/status"),
            "em_transmissao",
            "{mode}: {}",
            record.text
        );
        assert_eq!(
            land.app.balance().await,
            (available - PRICE, held + PRICE),
            "{mode}: the credit stays held"
        );
    }
    land.app.check_invariants().await;
}

/// Makes the simulator's own state longer than an answer may be.
fn swell(land: &Land) {
    let bytes = land.app.app.config.flow.response_bytes;
    for _ in 0..9 {
        let fault = Fault {
            quando: When {
                host: Some("ninguem.example".to_owned()),
                ..When::default()
            },
            falha: FaultKind::Recusar,
            mensagem: Some("x".repeat(bytes / 8)),
            ..Fault::default()
        };
        let world = land.app.app.simulator.world(&land.app.account_id);
        assert!(world.expect("a world of its own").add_fault(fault.clone()));
        assert!(land.app.app.simulator.sim.add_fault(fault));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_without_end_is_not_read_to_the_end() {
    let land = Land::start(Backend::Sqlite)
        .await
        .expect("SQLite is always there");
    let (emitter, neighbour) = (land.emitter("response").await, land.neighbour().await);
    swell(&land);
    let (answer, issued) = tokio::join!(land.issue_open(&emitter), land.issue(&neighbour));
    // Something may have arrived: not known.
    assert_eq!(issued.summary(), "201 autorizada", "{}", issued.text);
    assert_eq!(
        fault_of(&land, answer.text_at("/nota_id")).await,
        "TooLarge"
    );
    // With a test key the authority is in this process: the same limit.
    let answer = land.issue_open_as(&land.app.test_key, &emitter).await;
    assert_eq!(
        fault_of(&land, answer.text_at("/nota_id")).await,
        "TooLarge"
    );
    land.app.check_invariants().await;
}

/// Kind of the fault a note's first flow was resumed with.
async fn fault_of(land: &Land, nota_id: &str) -> String {
    let mut conn = land.app.app.db.read().await.expect("connection");
    let turns = store::tables::flows::turns_of(&mut conn, &land.app.account_id, nota_id)
        .await
        .expect("journal");
    let events = turns
        .iter()
        .filter_map(|turn| serde_json::from_str::<Value>(&turn.event).ok());
    let mut kinds = events.filter_map(|event| event.pointer("/NoResponse/kind").cloned());
    kinds
        .next_back()
        .and_then(|kind| kind.as_str().map(str::to_owned))
        .unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signatures_are_rationed() {
    let land = Land::start(Backend::Sqlite)
        .await
        .expect("SQLite is always there");
    let (emitter, neighbour) = (land.emitter("signs").await, land.neighbour().await);
    let (answer, issued) = tokio::join!(land.issue(&emitter), land.issue(&neighbour));
    assert_eq!(
        answer.summary(),
        "502 falha_do_adaptador",
        "{}",
        answer.text
    );
    assert_eq!(issued.summary(), "201 autorizada", "{}", issued.text);
    land.app.check_invariants().await;
}
