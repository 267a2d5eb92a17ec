//! The text of /metrics, read independently of who wrote it, and its numbers
//! beside what happened.

use crate::client::Order;
use crate::lane::{City, Lane, Node};
use crate::log;
use sim::FaultKind;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use tests::app::Backend;

/// Values by name and labels, as they stand in the text.
struct Read {
    values: BTreeMap<String, f64>,
    labels: BTreeSet<String>,
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Reads the text format 0.0.4 strictly.
///
/// # Panics
/// It is not well-formed.
fn read(text: &str) -> Read {
    assert!(text.ends_with('\n'), "the last line ends");
    let mut read = Read {
        values: BTreeMap::new(),
        labels: BTreeSet::new(),
    };
    let mut seen = BTreeSet::new();
    let (mut helped, mut name, mut kind) = (String::new(), String::new(), String::new());
    let mut buckets: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (of, help) = rest.split_once(' ').expect("a text");
            assert!(is_name(of) && !help.is_empty(), "{line}");
            helped = of.to_owned();
            continue;
        }
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (of, type_) = rest.split_once(' ').expect("a type");
            assert_eq!(of, helped, "HELP comes before TYPE");
            assert!(seen.insert(of.to_owned()), "{of} comes once");
            assert!(matches!(type_, "counter" | "gauge" | "histogram"), "{line}");
            assert_eq!(of.ends_with("_total"), type_ == "counter", "{line}");
            (name, kind) = (of.to_owned(), type_.to_owned());
            continue;
        }
        let (series, value) = line.rsplit_once(' ').expect("a value");
        let value: f64 = value.parse().expect("a number");
        let (of, labels) = match series.split_once('{') {
            None => (series, ""),
            Some((of, labels)) => (of, labels.strip_suffix('}').expect("closed")),
        };
        let end = of.strip_prefix(name.as_str()).expect("below its TYPE");
        let ends: &[&str] = match kind.as_str() {
            "histogram" => &["_bucket", "_sum", "_count"],
            _ => &[""],
        };
        assert!(ends.contains(&end), "{line}");
        let mut own = Vec::new();
        let mut bound = None;
        for label in labels.split("\",").filter(|label| !label.is_empty()) {
            let (label, text) = label.split_once("=\"").expect("a label");
            let text = text.trim_end_matches('"');
            assert!(is_name(label), "{line}");
            if label == "le" {
                bound = Some(text.parse::<f64>().expect("a bound"));
            } else {
                read.labels.insert(label.to_owned());
                own.push(format!("{label}={text}"));
            }
        }
        let own = own.join(",");
        if end == "_bucket" {
            let bound = bound.expect("a bound");
            buckets
                .entry(format!("{name}{{{own}}}"))
                .or_default()
                .push((bound, value));
        } else {
            let known = read.values.insert(format!("{of}{{{own}}}"), value);
            assert!(known.is_none(), "{line} comes twice");
        }
    }
    for (series, buckets) in buckets {
        assert!(
            buckets.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1),
            "{series}"
        );
        let (bound, all) = buckets.last().expect("a bucket");
        assert!(bound.is_infinite(), "{series}");
        let count = series.replacen('{', "_count{", 1);
        assert_eq!(read.values[&count], *all, "{series}");
    }
    read
}

/// A second reading, where a Python has `prometheus_client`.
fn read_by_others(text: &str) {
    let Some(python) = tests::python::with("prometheus_client") else {
        return;
    };
    let script = "import sys\nfrom prometheus_client.parser import text_string_to_metric_families as read\n\
                  assert len(list(read(sys.stdin.read()))) > 10";
    let mut child = std::process::Command::new(python)
        .args(["-c", script])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .expect("python");
    let mut input = child.stdin.take().expect("input");
    input.write_all(text.as_bytes()).expect("written");
    drop(input);
    assert!(child.wait().expect("python").success());
}

/// What the hub of a lane measures.
///
/// # Panics
/// It has no listener for that.
pub async fn metrics(lane: &Lane) -> String {
    let log = lane.whole_log();
    let address = log
        .lines()
        .rev()
        .find(|line| line.contains("metrics are at"))
        .and_then(|line| line.split("address=").nth(1))
        .expect("the address is logged");
    let url = format!("http://{}/metrics", address.trim());
    let answer = lane.http.get(url).send().await.expect("an answer");
    assert_eq!(
        answer.headers()["content-type"],
        "text/plain; version=0.0.4; charset=utf-8"
    );
    answer.text().await.expect("a body")
}

async fn run(backend: Backend) {
    let settings = [
        ("HUB_METRICS_LISTEN", "127.0.0.1:0"),
        ("HUB_ISSUING_WAIT_MS", "5000"),
        ("HUB_METRICS_COLLECT_S", "1"),
        ("HUB_MOVING_FOCUS", "true"),
    ];
    let cities = [City::Sefaz, City::National];
    let Some(lane) = Lane::open_with(backend, &cities, &settings).await else {
        return;
    };
    let node: Node = lane.node().await;
    for n in 0..3 {
        let order = Order::issue(&lane, City::Sefaz, format!("nfe-{n}"));
        assert_eq!(order.insist(&lane, &node).await.summary(), "201 autorizada");
    }
    let mut nfse = Order::issue(&lane, City::National, "nfse");
    nfse.body["referencia"] = log::REFERENCE.into();
    assert_eq!(nfse.insist(&lane, &node).await.summary(), "201 autorizada");
    let mut refused = Order::issue(&lane, City::Sefaz, "errada");
    refused.body = serde_json::json!({});
    let answer = refused.send(&lane, &node).await.expect("an answer");
    assert_eq!(answer.status / 100, 4, "{}", answer.text);

    let text = metrics(&lane).await;
    read_by_others(&text);
    let now = read(&text);
    let value = |read: &Read, series: &str| {
        let found = read.values.get(series);
        *found.unwrap_or_else(|| panic!("{series} is not in\n{text}"))
    };
    let sum = |read: &Read, begin: &str| -> f64 {
        let found = read
            .values
            .iter()
            .filter(|(series, _)| series.starts_with(begin));
        found.map(|(_, value)| value).sum()
    };
    assert_eq!(
        value(&now, "hub_issuance_total{model=55,outcome=autorizada}"),
        3.0
    );
    assert_eq!(
        value(&now, "hub_issuance_total{model=nfse,outcome=autorizada}"),
        1.0
    );
    assert_eq!(
        value(
            &now,
            "hub_issuance_duration_seconds_count{model=55,outcome=autorizada}"
        ),
        3.0
    );
    assert_eq!(
        value(
            &now,
            "hub_http_requests_total{operation=nfe.create,status=2xx}"
        ),
        3.0
    );
    assert_eq!(
        value(
            &now,
            "hub_http_requests_total{operation=nfe.create,status=4xx}"
        ),
        1.0
    );
    assert_eq!(
        value(
            &now,
            "hub_http_request_duration_seconds_count{operation=nfe.create}"
        ),
        4.0
    );
    assert!(
        sum(
            &now,
            "hub_authority_request_duration_seconds_count{system=sefaz,"
        ) >= 3.0
    );
    assert!(value(&now, "hub_flow_steps_total{system=sefaz,next=done}") >= 3.0);
    assert!(sum(&now, "hub_pool_wait_seconds_count{pool=reader") > 0.0);
    if backend == Backend::Sqlite {
        assert!(value(&now, "hub_writer_batch_size_count{}") > 0.0);
    }
    if backend == Backend::Sqlite {
        assert!(value(&now, "hub_table_rows{table=notas}") > 0.0);
    }
    assert_eq!(value(&now, "hub_database_up{}"), 1.0);
    assert_eq!(value(&now, "hub_held_credits{}"), 0.0);
    assert_eq!(value(&now, "hub_breaker_open{who=authorizer}"), 0.0);

    // What alarms begins at 0: the first count is an increase.
    for series in [
        "hub_http_requests_total{operation=nfe.create,status=5xx}",
        "hub_flow_traps_total{system=sefaz}",
        "hub_adapter_changes_total{system=sefaz,status=quarantined}",
        "hub_issuance_total{model=65,outcome=rejeitada}",
        "hub_webhook_attempts_total{result=no_answer}",
        "hub_trace_spans_dropped_total{reason=not_taken}",
        "hub_breaker_authorizer_open{authorizer=SVRS,ambiente=producao}",
        "hub_webhooks_behind{}",
        "hub_webhook_events_behind{}",
        "hub_webhook_behind_seconds{}",
        "hub_mails_waiting{}",
        "hub_mail_lag_seconds{}",
        "hub_certificates{ends=ended}",
        "hub_disk_state{folder=data}",
    ] {
        assert_eq!(value(&now, series), 0.0, "{series}");
    }
    for series in [
        "process_cpu_seconds_total{}",
        "process_resident_memory_bytes{}",
        "process_open_fds{}",
        "process_max_fds{}",
        "hub_processors{}",
        "hub_disk_free_bytes{folder=data}",
        "hub_disk_size_bytes{folder=data}",
        "hub_database_bytes{}",
        "hub_table_bytes{table=notas}",
        "hub_certificate_next_end_seconds{}",
        "hub_root_next_end_seconds{purpose=servidor}",
        "hub_root_next_end_seconds{purpose=assinatura}",
    ] {
        assert!(value(&now, series) > 0.0, "{series}");
    }
    let companies = ["7d", "30d", "later"].map(|ends| format!("hub_certificates{{ends={ends}}}"));
    let companies: f64 = companies.iter().map(|series| value(&now, series)).sum();
    assert_eq!(companies, 2.0, "one certificate for each company");

    // Nothing tells whose it is.
    let allowed = [
        "operation",
        "status",
        "model",
        "outcome",
        "system",
        "host",
        "result",
        "next",
        "pool",
        "who",
        "version",
        "reason",
        "authorizer",
        "ambiente",
        "folder",
        "table",
        "purpose",
        "ends",
    ];
    for label in &now.labels {
        assert!(allowed.contains(&label.as_str()), "{label}");
    }
    for secret in [lane.account_id.as_str(), &lane.live_key]
        .into_iter()
        .chain(lane.cnpj.values().map(String::as_str))
    {
        assert!(!text.contains(secret), "{secret} is in the metrics");
    }

    log::one_line_for_each_call(&lane, &node).await;
    log::one_line_for_each_request(&lane, &node).await;
    the_doctor_looks_at_everything(&lane).await;

    // A document nobody knows of, and its credits.
    lane.order("emitir", FaultKind::CortarDepois);
    lane.always("consultar", FaultKind::Erro500, 0);
    let open = Order::issue(&lane, City::National, "aberta");
    let answer = open.send(&lane, &node).await.expect("an answer");
    assert_eq!(answer.status, 202, "{}", answer.text);
    lane.until("a document in transmission", async || {
        let now = read(&metrics(&lane).await);
        value(&now, "hub_unknown_documents{}") == 1.0
            && value(&now, "hub_unknown_document_oldest_seconds{}") > 0.0
            && value(&now, "hub_held_credits{}") == 4.0
    })
    .await;
    lane.sim.clear_faults();
    lane.settled().await;
    lane.check("measured").await;
}

/// `hub doctor` beside a hub that runs: every check has its finding, and one that fails
/// does not keep the others from theirs.
async fn the_doctor_looks_at_everything(lane: &Lane) {
    let (well, said) = lane.command(&["doctor", "--json"]).await;
    let json = said
        .find('{')
        .and_then(|begin| said.get(begin..=said.rfind('}')?));
    let report: serde_json::Value = serde_json::from_str(json.unwrap_or_default())
        .unwrap_or_else(|error| panic!("{error}: {said}"));
    assert!(well && report["errors"] == 0, "{said}");
    let found = report["checks"].as_array().expect("checks");
    let checks: BTreeSet<&str> = found
        .iter()
        .filter_map(|one| one["check"].as_str())
        .collect();
    let all = [
        "adapters",
        "authorities",
        "books",
        "certificates",
        "clock",
        "disk",
        "mail",
        "objects",
        "records",
        "settings",
    ];
    assert_eq!(checks, BTreeSet::from(all), "{said}");
    for one in found {
        assert!(
            one["seen"].as_str().is_some_and(|seen| !seen.is_empty()),
            "{one}"
        );
        let nothing_to_do = one["do"].as_str() == Some("");
        assert_eq!(nothing_to_do, one["state"] == "ok", "{one}");
    }
    assert!(!said.contains(&lane.live_key), "{said}");

    // Nobody listens at port 1.
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("mail.toml");
    let mail = "[mail]\nhost = \"127.0.0.1\"\nport = 1\nsecurity = \"none\"\nfrom = \"notas@exemplo.com.br\"\nuser = \"hub\"\npassword = \"segredo-do-correio\"\n";
    std::fs::write(&file, mail).expect("settings");
    let file = file.to_str().expect("a path");
    let (well, said) = lane.command(&["--config", file, "doctor"]).await;
    assert!(!well, "{said}");
    for part in [
        "error    mail",
        "127.0.0.1:1",
        "do: check [mail]",
        "ok       books",
        "errors: 1",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("segredo"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    run(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres() {
    run(Backend::Postgres).await;
}
