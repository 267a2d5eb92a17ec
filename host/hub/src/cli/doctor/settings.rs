//! Settings that are right each by itself and contradict one another.

use super::finding::Finding;
use base::config::{AuthoritiesMode, Config, Transmission};
use reqwest::Url;
use std::net::SocketAddr;

const CHECK: &str = "settings";

pub fn check(config: &Config) -> Vec<Finding> {
    let found = contradictions(config);
    if found.is_empty() {
        return vec![Finding::ok(CHECK, "nothing contradicts")];
    }
    found
}

/// Everything that contradicts. No value of a secret is in it.
pub fn contradictions(config: &Config) -> Vec<Finding> {
    let mut found = Vec::new();
    of_authorities(config, &mut found);
    of_listeners(config, &mut found);
    of_the_way_in(config, &mut found);
    of_adapters(config, &mut found);
    of_services(config, &mut found);
    found
}

fn warn(found: &mut Vec<Finding>, holds: bool, seen: &str, advice: &str) {
    if holds {
        found.push(Finding::warning(CHECK, seen, advice));
    }
}

fn fail(found: &mut Vec<Finding>, holds: bool, seen: &str, advice: &str) {
    if holds {
        found.push(Finding::error(CHECK, seen, advice));
    }
}

fn official(config: &Config) -> bool {
    config.authorities.mode == AuthoritiesMode::Official
}

/// Callers come by TLS: this is no hub of a developer.
fn is_public(config: &Config) -> bool {
    config.server.base_url.starts_with("https://")
}

/// Nobody outside of this machine reaches it.
fn is_own(listen: &str) -> bool {
    let address = listen.parse::<SocketAddr>();
    address.is_ok_and(|address| address.ip().is_loopback())
}

fn of_authorities(config: &Config, found: &mut Vec<Finding>) {
    let authorities = &config.authorities;
    warn(
        found,
        !official(config) && is_public(config),
        "authorities.mode is simulator, and server.base_url is https: callers may take simulated notes for real ones",
        "set authorities.mode = \"official\" where notes are to be real",
    );
    warn(
        found,
        official(config)
            && (!authorities.simulator.is_empty()
                || !authorities.simulator_ca.as_os_str().is_empty()
                || !authorities.simulator_cases.as_os_str().is_empty()),
        "authorities.simulator, simulator_ca or simulator_cases is set, and authorities.mode is official: they have no effect",
        "remove them, or set authorities.mode = \"simulator\"",
    );
    fail(
        found,
        official(config) && config.flow.wait_divisor > 1,
        "flow.wait_divisor is above 1, and authorities.mode is official: authorities are asked sooner than they allow, and block who does that",
        "set flow.wait_divisor = 1",
    );
    warn(
        found,
        authorities.plain_http.iter().any(|entry| entry == "*"),
        "authorities.plain_http is \"*\": notes and logins go to every city of http in the clear",
        "name the hosts that need it",
    );
    warn(
        found,
        !official(config) && config.vault.require_icp_brasil,
        "vault.require_icp_brasil is set, and authorities.mode is simulator: it has no effect",
        "remove it, or set authorities.mode = \"official\"",
    );
    warn(
        found,
        !official(config) && config.cte.transmissao == Transmission::Teste,
        "cte.transmissao is teste, and authorities.mode is simulator: CT-e go to the simulator",
        "nothing, if that is meant",
    );
}

fn of_listeners(config: &Config, found: &mut Vec<Finding>) {
    let admin = &config.admin;
    let without = admin.listen.is_empty()
        && !(admin.token_file.as_os_str().is_empty() && admin.totp_file.as_os_str().is_empty());
    warn(
        found,
        without,
        "admin.token_file or admin.totp_file is set, and admin.listen is not: they have no effect",
        "set admin.listen, as 127.0.0.1:9465, or remove them",
    );
    warn(
        found,
        !admin.listen.is_empty()
            && !is_own(&admin.listen)
            && admin.totp_file.as_os_str().is_empty(),
        "admin.listen is no address of this machine alone, and a token is all that it asks for",
        "hub second-factor FILE, and admin.totp_file; or listen on 127.0.0.1 and come by an SSH tunnel",
    );
    let listeners = [
        ("server.listen", &config.server.listen),
        ("metrics.listen", &config.metrics.listen),
        ("admin.listen", &admin.listen),
    ];
    for (at, (one, address)) in listeners.iter().enumerate() {
        for (other, same) in &listeners[at + 1..] {
            // Port 0 is another one each time.
            let taken = !address.is_empty() && address == same && !address.ends_with(":0");
            let seen = format!("{one} and {other} are both {address}: the hub does not start");
            fail(found, taken, &seen, "give each an address of its own");
        }
    }
}

fn of_the_way_in(config: &Config, found: &mut Vec<Finding>) {
    let server = &config.server;
    let own = is_own(&server.listen);
    warn(
        found,
        is_public(config) && server.trusted_proxies.is_empty(),
        "server.base_url is https, and server.trusted_proxies is empty: every caller has the proxy's address, for keys that are bound to addresses and for the throttle of logins",
        "name the proxy before the hub in server.trusted_proxies",
    );
    warn(
        found,
        !own && server.base_url.starts_with("http://"),
        "server.listen is no address of this machine alone, and server.base_url is http: keys and notes may go in the clear",
        "put a TLS proxy in front and set server.base_url to its https address",
    );
    let host = Url::parse(&server.base_url).ok();
    let host = host.as_ref().and_then(Url::host_str).unwrap_or_default();
    warn(
        found,
        matches!(host, "0.0.0.0" | "[::]"),
        "server.base_url is made of server.listen, which is every address: links in mails and answers lead nowhere",
        "set server.base_url to what callers know",
    );
    warn(
        found,
        config.panel.registration
            && config.accounts.gift_credits > 0
            && official(config)
            && is_public(config),
        "panel.registration is on, and accounts.gift_credits is above 0: whoever comes opens accounts with free credits",
        "set accounts.gift_credits = 0 or panel.registration = false, unless that is meant",
    );
}

fn of_adapters(config: &Config, found: &mut Vec<Finding>) {
    let adapters = &config.adapters;
    warn(
        found,
        official(config) && !adapters.require_signature,
        "adapters.require_signature is false, and authorities.mode is official: whoever can write a component can install it",
        "set adapters.trusted_keys and adapters.require_signature = true",
    );
    warn(
        found,
        !adapters.require_signature && !adapters.trusted_keys.is_empty(),
        "adapters.trusted_keys is set, and adapters.require_signature is false: components without a signature are taken all the same",
        "set adapters.require_signature = true",
    );
    let flow = &config.flow;
    warn(
        found,
        flow.computing_each > flow.computing,
        "flow.computing_each is above flow.computing: one adapter that hangs may hold every place",
        "set flow.computing_each below flow.computing",
    );
}

fn of_services(config: &Config, found: &mut Vec<Finding>) {
    let storage = &config.storage;
    warn(
        found,
        storage.s3_bucket.is_empty()
            && !(storage.s3_endpoint.is_empty()
                && storage.s3_key.is_empty()
                && storage.s3_secret.expose().is_empty()),
        "storage.s3_endpoint, s3_key or s3_secret is set, and storage.s3_bucket is not: files of customers go to the data folder",
        "set storage.s3_bucket, or remove the others",
    );
    let mail = &config.mail;
    warn(
        found,
        mail.host.is_empty() && !(mail.user.is_empty() && mail.password.expose().is_empty()),
        "mail.user or mail.password is set, and mail.host is not: no mail is sent",
        "set mail.host and mail.from, or remove the others",
    );
    warn(
        found,
        mail.user.is_empty() && !mail.password.expose().is_empty() && !mail.host.is_empty(),
        "mail.password is set, and mail.user is not: the hub does not log in",
        "set mail.user, or remove the password",
    );
    let payments = &config.payments;
    let sells = official(config) && !payments.adapter.is_empty();
    warn(
        found,
        sells && payments.token.expose().is_empty(),
        "payments.adapter is set, and payments.token is not: the provider refuses the hub",
        "set payments.token or payments.token_file",
    );
    warn(
        found,
        sells && payments.callback_secret.expose().is_empty(),
        "payments.adapter is set, and payments.callback_secret is not: callbacks are refused, and a payment is seen minutes later",
        "set payments.callback_secret or its file, the same as at the provider",
    );
    let webhooks = &config.webhooks;
    warn(
        found,
        official(config) && is_public(config) && webhooks.allow_http,
        "webhooks.allow_http is true: events of real notes may go in the clear",
        "set webhooks.allow_http = false",
    );
    let nets = webhooks.nets();
    let own = ["127.0.0.1", "::1"];
    let own = own.iter().filter_map(|address| address.parse().ok());
    warn(
        found,
        official(config)
            && own
                .into_iter()
                .any(|address| nets.iter().any(|net| net.has(address))),
        "webhooks.allow_nets holds this machine's own addresses: a customer can make the hub call what listens only here",
        "leave 127.0.0.0/8 and ::1 out",
    );
}
