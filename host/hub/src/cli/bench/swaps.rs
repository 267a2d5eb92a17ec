//! `hub bench --swaps`: notes are issued at a steady rate while releases of their
//! adapter are activated, tried as a canary and taken back, a bad one among them. On
//! PostgreSQL two hubs share the database.

use super::notes;
use super::process::Hub;
use super::{Line, Target};
use crate::adapter::build;
use crate::adapter::source::Source;
use crate::demo;
use anyhow::Context as _;
use issuing::emitters;
use markup::ids::Cnpj;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use store::TxError;
use store::ids::EmitterId;
use store::tables::releases::{self, NewComponent};
use tokio::task::{JoinHandle, JoinSet};

/// Time between two changes.
const BETWEEN: Duration = Duration::from_secs(2);
/// How often a hub is asked what it uses.
const ASKED: Duration = Duration::from_millis(50);
/// Emitters: a canary is for a part of them.
const EMITTERS: u32 = 10;
/// Longest time the bad release may be in use before the run is given up.
const PATIENCE: Duration = Duration::from_secs(20);
const ADAPTER: &str = "dps";
const TOKEN: &str = "bench-bench-bench-bench-bench-bench";
/// What the package of the bad release has its way of failing after.
const MARK: &[u8] = b"HOSTILE-MODE:";
/// Breaks each flow of the national adapter's name.
const BREAKS: &[u8] = b"panic@dps";

/// One hub of the run.
struct Node {
    _hub: Hub,
    base_url: String,
    admin: String,
}

/// How requests were answered.
#[derive(Default)]
struct Answers {
    issued: u32,
    /// Those that the bad release broke.
    broken: u32,
    /// All others, by what was answered.
    failed: BTreeMap<String, u32>,
}

/// Issues `rate` notes a second while releases change; prints what came of it.
///
/// # Errors
/// A hub does not start, or a change is refused.
pub async fn measure(scratch: &Path, url: Option<String>, rate: u32) -> anyhow::Result<Vec<Line>> {
    let workspace = build::workspace().context("the releases are built from a checkout")?;
    let out = workspace.join("target/adapters/components");
    let component = std::fs::read(Source::of(&workspace, ADAPTER).build(&out)?)?;
    let module = std::fs::read(build::compile(&workspace, "hostile")?)?;
    let bad = flow::pack::componentize(&told(module)?).map_err(anyhow::Error::msg)?;
    let folder = scratch.join("adapters");
    base::files::folder(&folder)?;
    std::fs::write(folder.join("dps.wasm"), &component)?;

    let (first, second) = (scratch.join("one"), scratch.join("two"));
    base::files::folder(&first)?;
    let mut simulator = Hub::start(&first, &["sim"], &[])?;
    let address = simulator.said("simulator: https://").await?;
    let port = address.rsplit_once(':').map_or("", |(_, port)| port);
    let token = scratch.join("token");
    std::fs::write(&token, TOKEN)?;
    let mut settings = vec![
        ("HUB_AUTHORITIES_MODE", "simulator".to_owned()),
        ("HUB_AUTHORITIES_SIMULATOR", format!("localhost:{port}")),
        (
            "HUB_AUTHORITIES_SIMULATOR_CA",
            simulator.said("certificate authority: ").await?,
        ),
        ("HUB_ADAPTERS_FOLDER", folder.display().to_string()),
        ("HUB_ADMIN_TOKEN_FILE", token.display().to_string()),
    ];
    let two = url.is_some();
    settings.extend(url.map(|url| ("HUB_DATABASE_URL", url)));
    let prepared = prepare(&first, &settings, &component, bad).await?;
    let mut nodes = vec![node(&first, &settings).await?];
    if two {
        base::files::folder(&second)?;
        for name in ["vault.keys", "api-keys.pepper"] {
            std::fs::copy(first.join(name), second.join(name))?;
        }
        nodes.push(node(&second, &settings).await?);
    }
    run(Arc::new(nodes), prepared, rate).await
}

/// The module of the hostile component, told to break.
fn told(mut module: Vec<u8>) -> anyhow::Result<Vec<u8>> {
    let at = module.windows(MARK.len()).position(|part| part == MARK);
    let at = at.context("the hostile component has no mark")? + MARK.len();
    let name = module.get_mut(at..at + BREAKS.len());
    name.context("the mark is at the end")?
        .copy_from_slice(BREAKS);
    Ok(module)
}

async fn node(data_dir: &Path, settings: &[(&str, String)]) -> anyhow::Result<Node> {
    // Free a moment ago; a hub says a port it chose itself only in its log.
    let free = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
    let mut settings = settings.to_vec();
    settings.push(("HUB_ADMIN_LISTEN", free.clone()));
    let mut hub = Hub::start(data_dir, &["serve"], &settings)?;
    let base_url = hub.said("hub is running on ").await.context("hub")?;
    Ok(Node {
        _hub: hub,
        base_url,
        admin: format!("http://{free}/admin/v1/adapters"),
    })
}

/// What the run needs to know of the database.
struct Prepared {
    key: String,
    emitters: Vec<EmitterId>,
    /// Digests of the releases: two that work, and the bad one.
    good: [String; 2],
    bad: String,
}

/// Opens an account with emitters and keeps the releases. The bad one is put beside
/// what judges it: a component that breaks in the self-test is never installed.
async fn prepare(
    data_dir: &Path,
    settings: &[(&str, String)],
    component: &[u8],
    bad: Vec<u8>,
) -> anyhow::Result<Prepared> {
    let app = notes::opened(data_dir, settings).await?;
    let account = demo::open_account(&app, "bench", 1_000_000).await?;
    let mut ids = Vec::new();
    for number in 1..=EMITTERS {
        let new = notes::emitter(&app, cnpj(number)?.as_str())?;
        let emitter = emitters::register(&app, &account.id, new, false).await;
        let emitter = emitter.map_err(|failure| anyhow::anyhow!("emitter: {failure:?}"))?;
        ids.push(emitter.row.id.clone());
    }
    let mut digests = Vec::new();
    for (number, bytes) in [(1, component), (2, component), (3, &bad)] {
        let mut bytes = bytes.to_vec();
        // A custom section changes the digest and nothing that it does.
        bytes.extend([0, 4, 2, b'r', b'v', number]);
        let loaded = app.catalog.admit(&bytes).map_err(anyhow::Error::msg)?;
        let declared = loaded.permissions.as_deref();
        let declared = declared.map(serde_json::to_string).transpose()?;
        let row = NewComponent {
            name: ADAPTER.to_owned(),
            digest: loaded.digest.clone(),
            version: format!("9.0.{number}"),
            signed_by: String::new(),
            permissions: declared.unwrap_or_default(),
            component: bytes,
            now_ms: app.now_ms(),
        };
        let written = app.db.write(row, |row, conn| {
            Box::pin(async move {
                releases::install(conn, row).await?;
                Ok::<_, TxError<Infallible>>(())
            })
        });
        written.await?;
        digests.push(loaded.digest.clone());
    }
    let [one, two, bad] = digests.try_into().map_err(|_| anyhow::anyhow!("three"))?;
    Ok(Prepared {
        key: account.live_key,
        emitters: ids,
        good: [one, two],
        bad,
    })
}

/// Generated numbers of companies, with the check digits that fit.
fn cnpj(number: u32) -> anyhow::Result<Cnpj> {
    let base = format!("{:08}0001", 11_222_000 + number);
    let found = (0..100).find_map(|check| Cnpj::parse(&format!("{base}{check:02}")).ok());
    found.context("no check digits fit")
}

async fn run(nodes: Arc<Vec<Node>>, prepared: Prepared, rate: u32) -> anyhow::Result<Vec<Line>> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let stop = Arc::new(AtomicBool::new(false));
    let issuing = issuing(&client, &nodes, &prepared, &stop, rate);
    let watching = watching(&client, &nodes, &stop);
    let begun = Instant::now();
    let changed = changes(&client, &nodes, &prepared).await;
    stop.store(true, Ordering::Relaxed);
    let answers = issuing.await?;
    let elapsed = begun.elapsed().as_secs_f64();
    let apart = watching.await??;
    let taken_back = changed?;
    let Answers {
        issued,
        broken,
        failed,
    } = answers;
    for (answer, count) in &failed {
        say!("{count} requests were answered: {answer}");
    }
    say!("{issued} notes issued; {broken} broken by the bad release before it was taken back");
    let mut lines = vec![
        Line {
            what: "notes issued per s while releases change",
            target: Target::AtLeast(f64::from(rate) * 0.95),
            measured: Ok((f64::from(issued) / elapsed).into()),
        },
        Line {
            what: "requests that failed, but for those of the bad release",
            target: Target::AtMost(0.0),
            measured: Ok(f64::from(failed.values().sum::<u32>()).into()),
        },
        Line {
            what: "s until the bad release was taken back",
            target: Target::AtMost(3.0),
            measured: Ok(taken_back.as_secs_f64().into()),
        },
    ];
    if nodes.len() > 1 {
        lines.push(Line {
            what: "longest time the hubs used different releases, s",
            target: Target::AtMost(3.0),
            measured: Ok(apart.as_secs_f64().into()),
        });
    }
    Ok(lines)
}

/// Begins notes at the rate, for each hub and emitter in turn, until it is stopped.
fn issuing(
    client: &reqwest::Client,
    nodes: &Arc<Vec<Node>>,
    prepared: &Prepared,
    stop: &Arc<AtomicBool>,
    rate: u32,
) -> JoinHandle<Answers> {
    let (client, nodes, stop) = (client.clone(), nodes.clone(), stop.clone());
    let (key, emitters) = (prepared.key.clone(), prepared.emitters.clone());
    tokio::spawn(async move {
        let mut tick = tokio::time::interval(Duration::from_secs(1) / rate);
        let mut under_way = JoinSet::new();
        let mut turns = nodes.iter().cycle().zip(emitters.iter().cycle());
        while !stop.load(Ordering::Relaxed) {
            tick.tick().await;
            let Some((node, emitter)) = turns.next() else {
                break;
            };
            let url = format!("{}/api/v1/nfse", node.base_url);
            let request = notes::posted(&client, &url, &key, &notes::note(Some(emitter)));
            under_way.spawn(answered(request));
        }
        let mut answers = Answers::default();
        while let Some(answer) = under_way.join_next().await {
            let answer = answer.unwrap_or_else(|end| end.to_string());
            match answer.as_str() {
                "201 autorizada" => answers.issued += 1,
                "502 falha_do_adaptador" => answers.broken += 1,
                _ => *answers.failed.entry(answer).or_default() += 1,
            }
        }
        answers
    })
}

/// Status, and the note's state or the error's code.
async fn answered(request: reqwest::RequestBuilder) -> String {
    let answer = match request.send().await {
        Ok(answer) => answer,
        Err(error) => return error.to_string(),
    };
    let status = answer.status().as_u16();
    let text = answer.text().await.unwrap_or_default();
    let body: Value = match serde_json::from_str(&text) {
        Ok(body) => body,
        Err(error) => return format!("{status} {error}: {text}"),
    };
    let word = body["status"].as_str().or(body["codigo"].as_str());
    format!("{status} {}", word.unwrap_or_default())
}

/// The longest time in which the hubs did not use the same release.
fn watching(
    client: &reqwest::Client,
    nodes: &Arc<Vec<Node>>,
    stop: &Arc<AtomicBool>,
) -> JoinHandle<anyhow::Result<Duration>> {
    let (client, nodes, stop) = (client.clone(), nodes.clone(), stop.clone());
    tokio::spawn(async move {
        let (mut longest, mut since) = (Duration::ZERO, None);
        while !stop.load(Ordering::Relaxed) {
            let mut used = BTreeSet::new();
            let asked = Instant::now();
            for node in nodes.iter() {
                used.insert(in_use(&client, node).await?);
            }
            if used.len() < 2 {
                since = None;
            } else {
                longest = longest.max(since.get_or_insert(asked).elapsed());
            }
            tokio::time::sleep(ASKED).await;
        }
        Ok(longest)
    })
}

/// Digest of what new notes of a hub use.
async fn in_use(client: &reqwest::Client, node: &Node) -> anyhow::Result<String> {
    let listed = client.get(&node.admin).bearer_auth(TOKEN).send().await?;
    let listed = listed.error_for_status()?.bytes().await?;
    let listed: Value = serde_json::from_slice(&listed)?;
    let digest = listed["em_uso"][0]["digest"].as_str();
    Ok(digest.context("nothing is in use")?.to_owned())
}

/// Changes the releases one after the other; how long the bad one was in use.
async fn changes(
    client: &reqwest::Client,
    nodes: &[Node],
    prepared: &Prepared,
) -> anyhow::Result<Duration> {
    let first = nodes.first().context("a hub")?;
    let [one, two] = &prepared.good;
    let plan = [
        ("activate", json!({ "digest": one })),
        ("canary", json!({ "digest": two, "percentual": 30 })),
        ("promote", json!({})),
        ("rollback", json!({})),
        ("canary", json!({ "digest": two, "percentual": 50 })),
        ("rollback", json!({})),
        ("activate", json!({ "digest": two })),
        // It declares what no other release asks for.
        (
            "activate",
            json!({ "digest": prepared.bad, "permitir_mais": true }),
        ),
    ];
    for (action, body) in plan {
        tokio::time::sleep(BETWEEN).await;
        let address = format!("{}/{ADAPTER}/{action}", first.admin);
        let request = notes::posted(client, &address, TOKEN, &body);
        let answer = request.send().await?;
        let status = answer.status();
        anyhow::ensure!(status.is_success(), "{action}: {}", answer.text().await?);
    }
    let begun = Instant::now();
    for node in nodes {
        while in_use(client, node).await? == prepared.bad {
            anyhow::ensure!(begun.elapsed() < PATIENCE, "the bad release stays in use");
            tokio::time::sleep(ASKED).await;
        }
    }
    let taken_back = begun.elapsed();
    tokio::time::sleep(BETWEEN).await;
    Ok(taken_back)
}
