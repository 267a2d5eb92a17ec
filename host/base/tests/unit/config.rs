//! Layers, accepted values and secrets of the settings.

use base::config::{AuthoritiesMode, Config, ConfigError, Layers, Security, effective, unknown};
use std::path::PathBuf;

fn load(environment: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let owned: Vec<(String, String)> = environment
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    Config::load(
        None,
        |name| {
            owned
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.clone())
        },
        &[],
    )
}

#[test]
fn defaults_load_and_variables_win() {
    let config = load(&[
        ("HUB_FLOW_STEPS", "7"),
        ("HUB_AUTHORITIES_MODE", "simulator"),
        ("HUB_VAULT_REQUIRE_ICP_BRASIL", "true"),
        ("HUB_SERVER_TRUSTED_PROXIES", "10.0.0.0/8, ::1/128,"),
    ])
    .expect("config");
    assert_eq!(config.flow.steps, 7);
    assert_eq!(config.authorities.mode, AuthoritiesMode::Simulator);
    assert!(config.vault.require_icp_brasil);
    assert_eq!(config.server.trusted_proxies, ["10.0.0.0/8", "::1/128"]);
    assert_eq!(config.limits.json_bytes, 1 << 20);
    // The largest product note, signed and in its envelope, can be sent.
    assert!(config.flow.request_bytes >= markup::xmldsig::MAX_DOCUMENTO + (16 << 10));
}

#[test]
fn payments_keep_their_secrets() {
    let folder = tempfile();
    let (token, secret) = (folder.join("token"), folder.join("segredo"));
    std::fs::write(&token, "tok-do-psp\n").expect("written");
    std::fs::write(&secret, "segredo-dos-avisos\n").expect("written");
    let config = load(&[
        ("HUB_PAYMENTS_ADAPTER", "psp"),
        ("HUB_PAYMENTS_BASE_URL", "https://psp.example/api"),
        ("HUB_PAYMENTS_TOKEN_FILE", &token.display().to_string()),
        (
            "HUB_PAYMENTS_CALLBACK_SECRET_FILE",
            &secret.display().to_string(),
        ),
    ])
    .expect("config");
    std::fs::remove_dir_all(&folder).expect("removed");
    assert_eq!(config.payments.token.expose(), "tok-do-psp");
    assert_eq!(
        config.payments.callback_secret.expose(),
        "segredo-dos-avisos"
    );
    let shown = format!("{config:?}");
    assert!(
        !shown.contains("tok-do") && !shown.contains("segredo-dos"),
        "{shown}"
    );
    for (name, value, words) in [
        (
            "HUB_PAYMENTS_ADAPTER",
            "psp",
            ["payments.base_url", "https://"],
        ),
        (
            "HUB_PAYMENTS_CALLBACK_SECRET",
            "curto",
            ["payments.callback_secret", "16"],
        ),
        (
            "HUB_PAYMENTS_TOKEN_FILE",
            "/nao/ha",
            ["payments.token_file", "/nao/ha"],
        ),
        (
            "HUB_PAYMENTS_PIX_MINUTES",
            "0",
            ["payments.pix_minutes", "1 to 1440"],
        ),
        (
            "HUB_PAYMENTS_OPEN_PURCHASES",
            "1001",
            ["payments.open_purchases", "1 to 1000"],
        ),
    ] {
        let error = load(&[(name, value)]).expect_err(name).to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
        assert!(!error.contains("curto"), "{error}");
    }
}

#[test]
fn mail_is_off_until_it_has_a_server_and_guards_its_way_there() {
    let off = load(&[]).expect("config").mail;
    assert!(!off.on());
    let on = load(&[
        ("HUB_MAIL_HOST", "smtp.exemplo.com.br"),
        ("HUB_MAIL_FROM", "Notas da Loja <notas@exemplo.com.br>"),
        ("HUB_MAIL_PASSWORD", "senha-do-correio"),
        ("HUB_MAIL_SCHEDULE_S", "10, 20"),
    ])
    .expect("config");
    assert!(!format!("{on:?}").contains("senha-do"));
    let mail = on.mail;
    assert_eq!(mail.password.expose(), "senha-do-correio");
    assert!(mail.on() && mail.security == Security::Starttls);
    assert_eq!(
        [0, 1, 2, 3].map(|made| mail.schedule_s.pause_ms(made)),
        [None, Some(10_000), Some(20_000), None]
    );
    let from = mail.sender().expect("a sender");
    assert_eq!(from.email.to_string(), "notas@exemplo.com.br");
    let server = ("HUB_MAIL_HOST", "smtp.exemplo.com.br");
    let from = ("HUB_MAIL_FROM", "notas@exemplo.com.br");
    for (settings, words) in [
        (&[server][..], ["mail.from", "Notas <"]),
        (
            &[server, ("HUB_MAIL_FROM", "ninguém")],
            ["mail.from", "ninguém"],
        ),
        (
            &[server, from, ("HUB_MAIL_SECURITY", "none")],
            ["mail.security", "allow_plain"],
        ),
        (&[("HUB_MAIL_SECURITY", "ssl")], ["ssl", "starttls"]),
        (&[("HUB_MAIL_PORT", "0")], ["mail.port", "65535"]),
        (&[("HUB_MAIL_PER_CALL", "0")], ["mail.per_call", "1 to 100"]),
        (
            &[("HUB_MAIL_PER_ACCOUNT_DAY", "9")],
            ["mail.per_call", "mail.per_account_day"],
        ),
        (
            &[("HUB_MAIL_PASSWORD_FILE", "/nao/ha")],
            ["mail.password_file", "/nao/ha"],
        ),
    ] {
        let error = load(settings).expect_err(words[0]).to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }
    let plain = ("HUB_MAIL_SECURITY", "none");
    for local in ["localhost", "127.0.0.1", "::1"] {
        load(&[("HUB_MAIL_HOST", local), from, plain]).expect(local);
    }
    load(&[server, from, plain, ("HUB_MAIL_ALLOW_PLAIN", "true")]).expect("said");
}

#[test]
fn a_login_at_a_registry_of_adapters_is_for_one_host() {
    let host = ("HUB_ADAPTERS_OCI_HOST", "registry.example.com:5000");
    let password = ("HUB_ADAPTERS_OCI_PASSWORD", "senha-do-registro");
    let config = load(&[host, password, ("HUB_ADAPTERS_ALLOW_NETS", "10.0.0.0/8")]);
    let config = config.expect("config");
    assert!(!format!("{config:?}").contains("senha-do"));
    assert_eq!(config.adapters.oci_password.expose(), "senha-do-registro");
    let inside = "10.1.2.3".parse().expect("an address");
    assert!(config.adapters.outside().allows(inside));
    assert!(!config.registry.outside().allows(inside));
    for (settings, words) in [
        (
            &[password][..],
            ["adapters.oci_host", "oci_password is set"],
        ),
        (
            &[("HUB_ADAPTERS_OCI_HOST", "https://registry.example.com")],
            ["adapters.oci_host", "a host alone"],
        ),
        (
            &[("HUB_ADAPTERS_ALLOW_NETS", "10.0.0.0/99")],
            ["adapters.allow_nets", "networks"],
        ),
        (
            &[("HUB_REGISTRY_ALLOW_NETS", "rede")],
            ["registry.allow_nets", "networks"],
        ),
        (
            &[host, ("HUB_ADAPTERS_OCI_PASSWORD_FILE", "/nao/ha")],
            ["adapters.oci_password_file", "/nao/ha"],
        ),
    ] {
        let error = load(settings).expect_err(words[0]).to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
        assert!(!error.contains("senha"), "{error}");
    }
}

#[test]
fn a_messaging_app_is_spoken_to_over_tls_or_not_at_all() {
    let adapter = ("HUB_MESSAGING_ADAPTER", "chatapp");
    let error = load(&[adapter]).expect_err("no address").to_string();
    assert!(error.contains("messaging.base_url"), "{error}");
    load(&[adapter, ("HUB_AUTHORITIES_MODE", "simulator")]).expect("simulated");
    let config = load(&[
        adapter,
        ("HUB_MESSAGING_BASE_URL", "https://app.example/api"),
        ("HUB_MESSAGING_TOKEN", "tok-do-app"),
    ])
    .expect("config");
    assert!(!format!("{config:?}").contains("tok-do"));
    assert_eq!(config.messaging.token.expose(), "tok-do-app");
}

fn tempfile() -> PathBuf {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let next = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let name = format!("hub-config-{}-{next}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn a_bad_value_is_one_line_with_key_and_accepted_values() {
    for (name, value, words) in [
        ("HUB_FLOW_STEPS", "many", ["HUB_FLOW_STEPS", "many"]),
        ("HUB_SERVER_LISTEN", "here", ["server.listen", "here"]),
        (
            "HUB_SERVER_TRUSTED_PROXIES",
            "10.0.0.0/99",
            ["server.trusted_proxies", "10.0.0.0/99"],
        ),
        ("HUB_VAULT_REQUIRE_ICP_BRASIL", "1", ["= 1", "true"]),
        ("HUB_AUTHORITIES_MODE", "fake", ["mode", "official"]),
        (
            "HUB_DATABASE_URL",
            "mysql://u:secret@h/d",
            ["database.url", "sqlite:"],
        ),
        (
            "HUB_TRACES_ENDPOINT",
            "udp://h/?token=secret",
            ["traces.endpoint", "http://"],
        ),
        (
            "HUB_LIMITS_OBJECT_BYTES",
            "0",
            ["limits.object_bytes", "= 0"],
        ),
        ("HUB_STORAGE_ACCOUNT_BYTES", "-1", ["account_bytes", "= -1"]),
        (
            "HUB_PACKING_ROWS_AFTER_DAYS",
            "3651",
            ["packing.rows_after_days", "= 3651"],
        ),
        (
            "HUB_STORAGE_FREE_SPACE_WARNING",
            "101%",
            ["free_space_warning", "a share"],
        ),
        (
            "HUB_STORAGE_S3_BUCKET",
            "notas",
            ["storage.s3_key", "s3_bucket"],
        ),
    ] {
        let error = load(&[(name, value)]).expect_err(name).to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
        assert!(
            !error.contains('\n') && !error.contains("secret"),
            "{error}"
        );
    }
}

#[test]
fn every_secret_may_come_from_a_file_and_from_one_place() {
    let folder = tempfile();
    let url = folder.join("url");
    std::fs::write(&url, "postgres://hub:segredo@db/hub\n").expect("written");
    let path = url.display().to_string();
    let config = load(&[("HUB_DATABASE_URL_FILE", &path)]).expect("config");
    assert_eq!(config.database.url, "postgres://hub:segredo@db/hub");
    let both = [
        ("HUB_DATABASE_URL_FILE", path.as_str()),
        ("HUB_DATABASE_URL", "postgres://hub:outra@db/hub"),
    ];
    let error = load(&both).expect_err("two places").to_string();
    assert!(error.contains("database.url_file"), "{error}");
    assert!(
        !error.contains("outra") && !error.contains("segredo"),
        "{error}"
    );
    // What is kept from sight is what can be told by a file.
    let hidden: Vec<String> = Layers::defaults()
        .map(|layers| {
            let keys = layers.keys().into_iter();
            keys.filter(|(section, key)| layers.is_secret(section, key))
                .map(|(section, key)| format!("{section}.{key}"))
                .collect()
        })
        .expect("defaults");
    for known in [
        "database.url",
        "payments.callback_secret",
        "payments.token",
        "storage.s3_secret",
        "traces.endpoint",
    ] {
        assert!(hidden.iter().any(|one| one == known), "{known}: {hidden:?}");
    }
}

#[test]
fn what_holds_is_shown_with_its_source_and_without_secrets() {
    let folder = tempfile();
    let file = folder.join("hub.toml");
    std::fs::write(
        &file,
        "[flow]\nsteps = 9\n[payments]\ntoken = \"segredo-1\"\n",
    )
    .expect("written");
    let environment = |name: &str| match name {
        "HUB_DATABASE_URL" => Some("postgres://hub:segredo-2@db/hub".to_owned()),
        "HUB_LOG_LEVEL" => Some("debug".to_owned()),
        "HUB_TRACES_ENDPOINT" => Some("https://traces.example/v1?token=segredo-3".to_owned()),
        _ => None,
    };
    let flags = [("server.listen", "127.0.0.1:9".to_owned())];
    let settings = effective(Some(&file), environment, &flags).expect("settings");
    let lines: Vec<String> = settings.iter().map(ToString::to_string).collect();
    let text = lines.join("\n");
    let of_file = format!("flow.steps = 9 (file {})", file.display());
    for line in [
        of_file.as_str(),
        "log.level = \"debug\" (variable HUB_LOG_LEVEL)",
        "server.listen = \"127.0.0.1:9\" (flag)",
        "accounts.gift_credits = 200 (default)",
        "database.url = … (variable HUB_DATABASE_URL)",
    ] {
        assert!(lines.iter().any(|found| found == line), "{line}\n{text}");
    }
    assert!(!text.contains("segredo"), "{text}");
}

#[test]
fn variables_that_were_meant_to_be_settings_are_told() {
    let lines = |names: &[&str]| unknown(names.iter().map(|name| (*name).to_owned()));
    for (name, nearest) in [
        ("HUB_SERVER_LISTN", "HUB_SERVER_LISTEN"),
        ("HUB_SERVR_LISTEN", "HUB_SERVER_LISTEN"),
        ("HUB_DATABASE_URI", "HUB_DATABASE_URL"),
        ("HUB_LOG_LEVLE", "HUB_LOG_LEVEL"),
    ] {
        let told = lines(&[name]);
        assert_eq!(told.len(), 1, "{name}");
        assert!(
            told[0].starts_with(name) && told[0].ends_with(nearest),
            "{told:?}"
        );
    }
    let others = [
        "HUB_LOG",
        "HUB_FAULT_KILL",
        "HUB_TEST_POSTGRES_URL",
        "HUB_SERVICE_HOST",
        "HUB_PORT_8080_TCP",
        "HUB_DATABASE_URL_FILE",
        "PATH",
    ];
    assert_eq!(lines(&others), Vec::<String>::new());
}

#[test]
fn servers_of_the_dns_are_addresses_with_ports() {
    let dns = load(&[]).expect("config").dns;
    assert!(dns.addresses().is_empty() && dns.timeout_ms == 2_000);
    let set = [("HUB_DNS_SERVERS", "10.0.0.2:53, [fd00::2]:53")];
    let dns = load(&set).expect("config").dns;
    assert_eq!(dns.addresses().len(), 2);
    for (name, value) in [
        ("HUB_DNS_SERVERS", "10.0.0.2"),
        ("HUB_DNS_TIMEOUT_MS", "99"),
    ] {
        let error = load(&[(name, value)]).expect_err(name).to_string();
        assert!(error.contains("dns."), "{error}");
    }
}

#[test]
fn probes_are_bounded() {
    let probes = load(&[]).expect("config").probes;
    assert!(probes.enabled && probes.allow_nets.is_empty());
    for (name, value, words) in [
        ("HUB_PROBES_EVERY_HOURS", "0", "1 to 720"),
        ("HUB_PROBES_DOWN_AFTER", "1", "2 to 100"),
        ("HUB_PROBES_PER_MINUTE", "601", "1 to 600"),
        ("HUB_PROBES_CALL_MS", "10001", "100 to 10000"),
        ("HUB_PROBES_ALLOW_NETS", "localhost", "10.0.0.0/8"),
    ] {
        let error = load(&[(name, value)]).expect_err(name).to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn hosts_without_tls_are_names_endings_or_all() {
    let url = "http://ws.cidade.sp.gov.br:8080/nfse";
    let refuses = |entries: &str, url: &str| {
        let config = load(&[("HUB_AUTHORITIES_PLAIN_HTTP", entries)]);
        config.expect(entries).authorities.refuses_plain(url)
    };
    for entries in [
        "ws.cidade.sp.gov.br",
        ".sp.gov.br",
        "*",
        "a,WS.Cidade.SP.gov.br",
    ] {
        assert!(!refuses(entries, url), "{entries}");
    }
    for entries in ["a", "cidade.sp.gov.br", ".rj.gov.br", "sp.gov.br"] {
        assert!(refuses(entries, url), "{entries}");
    }
    assert!(refuses("*", "http://user@ws.cidade.sp.gov.br/"));
    assert!(!refuses("a", "https://ws.cidade.sp.gov.br/"));
    let none = load(&[]).expect("the default settings");
    assert!(none.authorities.refuses_plain(url));
    for wrong in ["http://a", "a:80", "*.a", ".", "a.", "a b"] {
        let error = load(&[("HUB_AUTHORITIES_PLAIN_HTTP", wrong)]).expect_err(wrong);
        let error = error.to_string();
        assert!(error.contains("authorities.plain_http"), "{error}");
        assert!(error.contains("names of hosts"), "{error}");
    }
}

#[test]
fn doors_for_who_moves_are_shut_and_their_links_bounded() {
    let config = load(&[]).expect("defaults");
    assert!(!config.moving.focus);
    assert_eq!(config.moving.link_hours, 168);
    let open = load(&[("HUB_MOVING_FOCUS", "true"), ("HUB_MOVING_LINK_HOURS", "0")]);
    let open = open.expect("a good setting");
    assert!(open.moving.focus && open.moving.link_hours == 0);
    let error = load(&[("HUB_MOVING_LINK_HOURS", "8785")]).expect_err("too long");
    assert!(error.to_string().contains("moving.link_hours"), "{error}");
}
