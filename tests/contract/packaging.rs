//! The files in packaging/ agree with the settings, the metrics and who reads them.

use base::config::Config;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use tests::adapters::workspace;

/// A file of packaging/.
///
/// # Panics
/// There is none.
pub fn packaged(name: &str) -> String {
    std::fs::read_to_string(workspace().join("packaging").join(name)).expect(name)
}

/// The value of a line of a unit.
fn line<'u>(unit: &'u str, key: &str) -> &'u str {
    let mut lines = unit.lines();
    let found = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    found.unwrap_or_else(|| panic!("{key} is not set"))
}

/// The number behind some words of a file.
///
/// # Panics
/// The words are not there, or no number is behind them.
pub fn number_after(text: &str, words: &str) -> u64 {
    let (_, rest) = text
        .split_once(words)
        .unwrap_or_else(|| panic!("no {words}"));
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits
        .parse()
        .unwrap_or_else(|_| panic!("{words}: no number"))
}

#[test]
fn nobody_kills_a_hub_that_still_drains() {
    let server = Config::load(None, |_| None, &[]).expect("defaults").server;
    let needed = server.notice_s + server.drain_s;
    let (unit, file) = (packaged("hub.service"), packaged("Containerfile"));
    let compose = packaged("compose.yaml");
    let pods = packaged("kubernetes/statefulset.yaml");
    for (text, words) in [
        (&unit, "TimeoutStopSec="),
        (&file, "podman stop -t "),
        (&file, "terminationGracePeriodSeconds: "),
        (&compose, "stop_grace_period: "),
        (&pods, "terminationGracePeriodSeconds: "),
    ] {
        let given = number_after(text, words);
        assert!(given > needed, "{words}{given}, needed are {needed} s");
    }
    // What they say of the settings is so.
    assert_eq!(number_after(&unit, "server.notice_s ("), server.notice_s);
    assert_eq!(number_after(&unit, "server.drain_s ("), server.drain_s);
    assert_eq!(number_after(&file, "take up to "), needed);
    // The first signal is for the hub alone, and the one it understands.
    assert_eq!(
        (line(&unit, "KillSignal"), line(&unit, "KillMode")),
        ("SIGTERM", "mixed")
    );
    assert!(file.contains("STOPSIGNAL SIGTERM") && file.contains("\"hub\", \"health\""));
}

#[test]
fn every_variable_of_the_packaging_is_a_setting() {
    let files = [
        "hub.service",
        "Containerfile",
        "compose.yaml",
        "kubernetes/configmap.yaml",
        "kubernetes/secret.example.yaml",
        "kubernetes/statefulset.yaml",
    ];
    let text = files.map(packaged).join("\n");
    let word = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let names = text
        .split(|c| !word(c))
        .filter(|name| name.strip_prefix("HUB_").is_some_and(|rest| rest.len() > 1));
    let names: Vec<String> = names.map(str::to_owned).collect();
    assert!(names.len() >= 4, "{names:?}");
    assert_eq!(
        base::config::unknown(names.into_iter()),
        Vec::<String>::new()
    );
}

/// Names of metrics in a text.
fn metrics(text: &str) -> BTreeSet<&str> {
    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    text.split(|c| !word(c))
        .filter(|name| name.starts_with("hub_") || name.starts_with("process_"))
        .collect()
}

#[test]
fn all_metrics_of_the_alerts_are_exported() {
    let source = |path: &str| std::fs::read_to_string(workspace().join(path)).expect(path);
    let code = [
        "host/base/src/metrics/mod.rs",
        "host/base/src/metrics/process.rs",
        "host/api/src/metrics/collect.rs",
        "host/api/src/metrics/levels.rs",
    ];
    let code = code.map(source).join("\n");
    let exported = metrics(&code);
    for file in [
        "prometheus/alerts.yaml",
        "prometheus/alerts.test.yaml",
        "grafana/hub.json",
    ] {
        let text = packaged(file);
        let used = metrics(&text);
        assert!(used.len() >= 8, "{file}: {used:?}");
        for name in used {
            let parts = ["_bucket", "_sum", "_count"];
            let whole = parts.iter().find_map(|part| name.strip_suffix(part));
            assert!(
                exported.contains(name) || whole.is_some_and(|whole| exported.contains(whole)),
                "{file}: {name} is no metric of a hub"
            );
        }
    }
}

/// What the program of Prometheus says of files in a folder; false: it is not on the machine.
fn judged(words: [&str; 3], folder: &Path) -> bool {
    let judged = Command::new("promtool")
        .args(words)
        .current_dir(folder)
        .output();
    let Ok(judged) = judged else {
        judges::skipped("no promtool");
        return false;
    };
    let said = [judged.stdout, judged.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(judged.status.success(), "promtool {words:?}: {said}");
    true
}

/// The program of Prometheus judges alerts and their tests, where it is on the machine.
#[test]
fn prometheus_takes_the_alerts() {
    let folder = workspace().join("packaging/prometheus");
    if judged(["check", "rules", "alerts.yaml"], &folder) {
        judged(["test", "rules", "alerts.test.yaml"], &folder);
    }
}

/// The dashboard, and its panels.
fn dashboard() -> (Value, Vec<Value>) {
    let text = packaged("grafana/hub.json");
    let whole: Value = serde_json::from_str(&text).expect("JSON");
    let panels = whole["panels"].as_array().expect("panels").clone();
    (whole, panels)
}

/// The expressions of a panel, each with its letter.
fn queries(panel: &Value) -> Vec<(&str, &str)> {
    let targets = panel["targets"].as_array().into_iter().flatten();
    targets
        .map(|target| {
            let letter = target["refId"].as_str().expect("a letter");
            (letter, target["expr"].as_str().expect("an expression"))
        })
        .collect()
}

/// Names behind `$` in an expression.
fn variables(query: &str) -> impl Iterator<Item = &str> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let parts = query.split('$').skip(1);
    parts.map(move |part| part.split(|c| !word(c)).next().unwrap_or_default())
}

/// Grafana refuses, or shows wrong, what this looks at: it takes a dashboard with every
/// panel in a place of its own and every variable of an expression declared.
#[test]
fn the_dashboard_is_whole() {
    let (whole, panels) = dashboard();
    assert!(whole["schemaVersion"].as_u64() >= Some(36));
    for member in ["/title", "/uid", "/time/from", "/time/to"] {
        let text = whole.pointer(member).and_then(Value::as_str);
        assert!(text.is_some_and(|text| !text.is_empty()), "{member}");
    }
    let declared = whole.pointer("/templating/list").and_then(Value::as_array);
    let declared = declared.expect("variables").iter();
    let declared: BTreeSet<&str> = declared.filter_map(|one| one["name"].as_str()).collect();
    let mut used = BTreeSet::from(["datasource"]);
    let (mut ids, mut taken) = (BTreeSet::new(), BTreeSet::new());
    for panel in &panels {
        assert!(ids.insert(panel["id"].as_u64().expect("an id")), "{panel}");
        assert!(panel["title"].as_str() > Some(""), "{panel}");
        let at = ["x", "y", "w", "h"].map(|side| panel["gridPos"][side].as_u64().expect(side));
        let [x, y, width, height] = at;
        assert!(width > 0 && height > 0 && x + width <= 24, "{panel}");
        for place in (x..x + width).flat_map(|x| (y..y + height).map(move |y| (x, y))) {
            assert!(taken.insert(place), "{place:?} is taken twice: {panel}");
        }
        let letters = queries(panel);
        let kind = panel["type"].as_str().expect("a type");
        assert_eq!(letters.is_empty(), kind == "row", "{panel}");
        let known = ["row", "stat", "table", "timeseries"];
        assert!(known.contains(&kind), "{kind}");
        if kind != "row" {
            assert_eq!(panel["datasource"]["uid"], "${datasource}", "{panel}");
        }
        let own: BTreeSet<&str> = letters.iter().map(|(letter, _)| *letter).collect();
        assert_eq!(own.len(), letters.len(), "{panel}");
        let names = letters.iter().flat_map(|&(_, text)| variables(text));
        used.extend(names.filter(|name| !name.starts_with("__")));
    }
    assert!(panels.len() > 20);
    assert_eq!(used, declared);
}

/// Its expressions, as rules that the program of Prometheus judges.
#[test]
fn prometheus_takes_the_dashboard() {
    let (_, panels) = dashboard();
    let mut rules = Vec::new();
    for panel in &panels {
        for (letter, text) in queries(panel) {
            let times = text.replace("$__rate_interval", "5m");
            let query = times.replace("$__range", "1h");
            let record = format!("dashboard:panel_{}_{letter}", panel["id"]);
            rules.push(json!({ "record": record, "expr": query }));
        }
    }
    assert!(rules.len() > 40, "{}", rules.len());
    let rules = json!({ "groups": [{ "name": "dashboard", "rules": rules }] });
    let folder = tempfile::tempdir().expect("folder");
    // JSON is YAML.
    std::fs::write(folder.path().join("dashboard.yaml"), rules.to_string()).expect("rules");
    judged(["check", "rules", "dashboard.yaml"], folder.path());
}

/// Its members and those of its panels, as the compiler of TypeScript judges them by
/// Grafana's own types: a member that no dashboard has is refused, too.
#[test]
fn grafana_knows_every_member_of_the_dashboard() {
    let Some(modules) = judges::generators() else {
        return;
    };
    let (whole, panels) = dashboard();
    let kinds = ["stat", "table", "timeseries"].map(|kind| {
        let own = panels.iter().filter(|panel| panel["type"] == kind);
        let own = own.map(|panel| {
            let custom = &panel["fieldConfig"]["defaults"]["custom"];
            let custom = custom.as_object().cloned().unwrap_or_default();
            json!({ "options": panel["options"], "custom": custom })
        });
        (kind.to_owned(), own.collect::<Value>())
    });
    let kinds: Value = serde_json::Map::from_iter(kinds).into();
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    std::os::unix::fs::symlink(modules.join("node_modules"), at.join("node_modules"))
        .expect("a link");
    let types = workspace().join("tests/generators/dashboard.ts");
    std::fs::copy(types, at.join("dashboard.ts")).expect("types");
    // The last constant shows that the compiler would refuse.
    let given = format!(
        "import type {{ Dashboard, Panels }} from \"./dashboard\";\n\
         export const dashboard: Dashboard = {whole};\nexport const panels: Panels = {kinds};\n\
         // @ts-expect-error\nexport const wrong: Dashboard = {{ \"titulo\": \"hub\" }};\n"
    );
    std::fs::write(at.join("given.ts"), given).expect("written");
    let mut compiler = Command::new(modules.join("node_modules/.bin/tsc"));
    compiler.args([
        "--noEmit",
        "--strict",
        "--skipLibCheck",
        "--target",
        "es2022",
    ]);
    compiler.args(["--module", "preserve", "given.ts"]);
    let judged = compiler.current_dir(at).output().expect("the compiler");
    let said = String::from_utf8_lossy(&judged.stdout);
    assert!(judged.status.success(), "{said}");
}

/// Where systemd is on the machine.
#[test]
fn systemd_takes_the_unit() {
    if Command::new("systemd-analyze")
        .arg("--version")
        .output()
        .is_err()
    {
        eprintln!("skipped: no systemd-analyze on this machine");
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("hub.service");
    // The program need not be installed for this.
    let unit = packaged("hub.service").replace("/usr/local/bin/hub", "/bin/true");
    std::fs::write(&path, unit).expect("unit");
    let verified = Command::new("systemd-analyze")
        .arg("verify")
        .arg(&path)
        .output();
    let verified = verified.expect("systemd-analyze");
    let said = String::from_utf8_lossy(&verified.stderr).into_owned();
    assert!(
        verified.status.success() && !said.contains("hub.service:"),
        "{said}"
    );
}
