//! The mail server: connection, TLS and login; no mail is sent.

use super::finding::Finding;
use base::config::Config;

const CHECK: &str = "mail";

pub async fn check(config: &Config) -> Vec<Finding> {
    let settings = &config.mail;
    let place = format!("{}:{}", settings.host, settings.port);
    if settings.host.is_empty() {
        return vec![Finding::ok(CHECK, "no mail.host: the hub sends no mail")];
    }
    let login = if settings.user.is_empty() {
        "without a login"
    } else {
        "and takes the login"
    };
    vec![match events::mail::knock(settings).await {
        Ok(()) => Finding::ok(CHECK, format!("{place} answers {login}")),
        Err(error) => Finding::error(
            CHECK,
            format!("{place} cannot be used: {error:#}"),
            "check [mail] host, port, security, ca, user and password; until then mails wait, and are given up after mail.schedule_s",
        ),
    }]
}
