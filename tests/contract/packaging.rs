//! The files in packaging/ agree with the settings, the metrics and who reads them.

use base::config::Config;
use std::collections::BTreeSet;
use std::process::Command;
use tests::adapters::workspace;

fn packaged(name: &str) -> String {
    std::fs::read_to_string(workspace().join("packaging").join(name)).expect(name)
}

/// The value of a line of a unit.
fn line<'u>(unit: &'u str, key: &str) -> &'u str {
    let mut lines = unit.lines();
    let found = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    found.unwrap_or_else(|| panic!("{key} is not set"))
}

/// The number behind some words of a file.
fn number_after(text: &str, words: &str) -> u64 {
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
        .filter(|name| name.starts_with("hub_"))
        .collect()
}

#[test]
fn all_metrics_of_the_alerts_are_exported() {
    let source = |path: &str| std::fs::read_to_string(workspace().join(path)).expect(path);
    let code = source("host/base/src/metrics/mod.rs") + &source("host/api/src/metrics/collect.rs");
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
