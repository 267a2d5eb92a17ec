use base::config::Config;
use base::files::Space;
use hub::cli::doctor::{Finding, State, certificates, clock, contradictions, disk};

const DAY_MS: i64 = 86_400_000;
const GIB: u64 = 1 << 30;

fn config(settings: &[(&str, &str)]) -> Config {
    let overrides: Vec<(&str, String)> = settings
        .iter()
        .map(|(key, value)| (*key, (*value).to_owned()))
        .collect();
    Config::load(None, |_| None, &overrides).expect("settings")
}

#[test]
fn the_default_settings_contradict_nothing() {
    assert_eq!(contradictions(&config(&[])), []);
    let of_up = config(&[
        ("authorities.mode", "simulator"),
        ("flow.wait_divisor", "5"),
        ("webhooks.allow_nets", "127.0.0.0/8,::1"),
        ("webhooks.allow_http", "true"),
    ]);
    assert_eq!(contradictions(&of_up), []);
}

#[test]
fn settings_that_contradict_are_told_with_what_to_do() {
    let https = ("server.base_url", "https://notas.exemplo.com.br");
    let proxies = ("server.trusted_proxies", "10.0.0.0/8");
    let no_gift = ("accounts.gift_credits", "0");
    for (settings, part, state) in [
        (
            &[("flow.wait_divisor", "5")][..],
            "flow.wait_divisor",
            State::Error,
        ),
        (
            &[https, proxies, ("authorities.mode", "simulator")],
            "simulated notes",
            State::Warning,
        ),
        (
            &[("authorities.simulator", "localhost:8443")],
            "no effect",
            State::Warning,
        ),
        (
            &[("authorities.plain_http", "*")],
            "every city",
            State::Warning,
        ),
        (
            &[
                ("authorities.mode", "simulator"),
                ("vault.require_icp_brasil", "true"),
            ],
            "vault.require_icp_brasil",
            State::Warning,
        ),
        (
            &[("admin.token_file", "token")],
            "admin.listen is not",
            State::Warning,
        ),
        (
            &[
                ("admin.listen", "0.0.0.0:9465"),
                ("admin.token_file", "token"),
            ],
            "a token is all",
            State::Warning,
        ),
        (
            &[("metrics.listen", "127.0.0.1:8080")],
            "are both 127.0.0.1:8080",
            State::Error,
        ),
        (
            &[https, no_gift],
            "server.trusted_proxies is empty",
            State::Warning,
        ),
        (
            &[("server.listen", "10.0.0.1:8080")],
            "in the clear",
            State::Warning,
        ),
        (&[https, proxies], "free credits", State::Warning),
        (
            &[("adapters.require_signature", "false")],
            "adapters.require_signature is false",
            State::Warning,
        ),
        (
            &[("storage.s3_key", "k")],
            "storage.s3_bucket is not",
            State::Warning,
        ),
        (&[("mail.user", "u")], "mail.host is not", State::Warning),
        (
            &[
                ("payments.adapter", "psp"),
                ("payments.base_url", "https://psp.exemplo.com.br"),
            ],
            "payments.token is not",
            State::Warning,
        ),
        (
            &[https, proxies, no_gift, ("webhooks.allow_http", "true")],
            "webhooks.allow_http",
            State::Warning,
        ),
        (
            &[("webhooks.allow_nets", "127.0.0.0/8")],
            "this machine's own addresses",
            State::Warning,
        ),
    ] {
        let found = contradictions(&config(settings));
        let told = found.iter().find(|finding| finding.seen.contains(part));
        let told = told.unwrap_or_else(|| panic!("{settings:?}: {found:?}"));
        assert_eq!(told.state, state, "{settings:?}");
        assert!(!told.advice.is_empty(), "{settings:?}");
    }
}

#[test]
fn no_secret_is_told() {
    let secrets = [
        ("mail.password", "segredo-1"),
        ("storage.s3_secret", "segredo-2"),
        ("payments.token", "segredo-3"),
        ("payments.callback_secret", "segredo-de-16-letras"),
    ];
    let found = contradictions(&config(&secrets));
    assert!(found.len() >= 2, "{found:?}");
    let text = format!("{found:?}");
    assert!(!text.contains("segredo"), "{text}");
}

#[test]
fn a_disk_is_judged_by_what_is_left() {
    let judged = |free, total| disk::judged("data", Space { free, total }).state;
    assert_eq!(judged(50 * GIB, 100 * GIB), State::Ok);
    assert_eq!(judged(GIB, 100 * GIB), State::Warning);
    assert_eq!(judged(GIB / 8, 100 * GIB), State::Error);
    // 5 % of a large disk is a lot, and half of a small one, too.
    assert_eq!(judged(50 * GIB, 1_000 * GIB), State::Ok);
    assert_eq!(judged(GIB / 2, GIB), State::Ok);
    assert_eq!(disk::bytes(1_610_612_736), "1.5 GiB");
    assert_eq!(disk::bytes(1_000), "1000 bytes");
}

#[test]
fn clocks_apart_are_told() {
    let beside = |ahead_ms| clock::beside("another", ahead_ms, 2_000, 7_500);
    assert_eq!(beside(1_900).state, State::Ok);
    assert_eq!(beside(-2_100).state, State::Warning);
    let told = beside(90_000);
    assert_eq!(told.state, State::Error);
    assert!(told.seen.contains("90.0 s before another"), "{}", told.seen);
    assert!(beside(-2_100).seen.contains("2.1 s behind another"));
}

#[test]
fn certificates_are_judged_by_their_ends() {
    let now_ms = 1_800_000_000_000;
    let judged = |days: &[i64]| {
        let ends = days
            .iter()
            .map(|days| (format!("one of {days}"), now_ms + days * DAY_MS));
        certificates::judged("roots", ends, now_ms, "renew it")
    };
    assert_eq!(judged(&[31, 400]).state, State::Ok);
    let soon = judged(&[400, 29]);
    assert_eq!(soon.state, State::Warning);
    assert!(soon.seen.contains("one of 29 ") && !soon.seen.contains("one of 400"));
    let ended = judged(&[29, -1]);
    assert_eq!(
        (ended.state, ended.advice.as_str()),
        (State::Error, "renew it")
    );
    assert!(ended.seen.contains("one of -1 "), "{}", ended.seen);
}

#[test]
fn a_finding_reads_the_same_for_people_and_programs() {
    let finding = Finding::warning("disk", "little is left", "free room");
    assert_eq!(
        finding.to_string(),
        "warning  disk          little is left\n                       do: free room"
    );
    let json = serde_json::to_value(&finding).expect("JSON");
    let expected = serde_json::json!({
        "check": "disk", "state": "warning", "seen": "little is left", "do": "free room"
    });
    assert_eq!(json, expected);
    let well = Finding::ok("mail", "it answers").to_string();
    assert_eq!(well, "ok       mail          it answers");
}
