//! One mail over SMTP (RFC 5321), and what its server made of it.

use crate::messaging::Handover;
use anyhow::Context as _;
use base::config::{Mail, Security};
use lettre::address::Envelope;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{Address, Message};
use std::time::Duration;

/// Hands a mail to the server.
pub async fn send(settings: &Mail, to: &Address, message: &Message) -> Handover {
    let whole = Duration::from_millis(settings.timeout_ms);
    match tokio::time::timeout(whole, converse(settings, to, message)).await {
        Ok(handover) => handover,
        Err(_) => Handover::Deferred("tempo esgotado".to_owned()),
    }
}

async fn converse(settings: &Mail, to: &Address, message: &Message) -> Handover {
    let from = settings.sender().map(|sender| sender.email);
    let Ok(envelope) = Envelope::new(from, vec![to.clone()]) else {
        return Handover::Refused("endereço".to_owned());
    };
    // A failure before MAIL FROM is about the two servers, whatever its code:
    // the mail is tried again.
    let mut connection = match connect(settings).await {
        Ok(connection) => connection,
        Err(error) => {
            tracing::warn!(error = %format!("{error:#}"), "the mail server cannot be used");
            return Handover::Deferred("servidor de e-mail indisponível".to_owned());
        }
    };
    match connection.send(&envelope, &message.formatted()).await {
        Ok(_) => {
            // It is taken; a goodbye that fails changes nothing.
            if let Err(error) = connection.quit().await {
                tracing::debug!(kind = word(&error), "mail server, at the end");
            }
            Handover::Accepted
        }
        Err(error) if error.is_permanent() || error.is_client() => Handover::Refused(word(&error)),
        Err(error) => Handover::Deferred(word(&error)),
    }
}

/// Connects and logs in as for a mail, and says goodbye.
///
/// # Errors
/// What did not come about: a sentence without name and password. Nothing bounds the
/// time that a server takes to answer.
pub async fn knock(settings: &Mail) -> anyhow::Result<()> {
    let mut connection = connect(settings).await?;
    if let Err(error) = connection.quit().await {
        tracing::debug!(kind = word(&error), "mail server, at the end");
    }
    Ok(())
}

async fn connect(settings: &Mail) -> anyhow::Result<AsyncSmtpConnection> {
    let hello = match settings.sender() {
        Some(sender) => ClientId::Domain(sender.email.domain().to_owned()),
        None => ClientId::default(),
    };
    let tls = match settings.security {
        Security::None => None,
        Security::Starttls | Security::Tls => Some(parameters(settings)?),
    };
    let first = tls.clone().filter(|_| settings.security == Security::Tls);
    let patience = Duration::from_millis(settings.connect_timeout_ms);
    let server = (settings.host.as_str(), settings.port);
    let connected =
        AsyncSmtpConnection::connect_tokio1(server, Some(patience), &hello, first, None);
    let mut connection = connected.await.context("connection")?;
    if settings.security == Security::Starttls {
        let tls = tls.context("TLS")?;
        connection.starttls(tls, &hello).await.context("STARTTLS")?;
    }
    if !settings.user.is_empty() {
        let credentials =
            Credentials::new(settings.user.clone(), settings.password.expose().to_owned());
        let mechanisms = [Mechanism::Plain, Mechanism::Login];
        // The server's answer may repeat the name.
        if let Err(error) = connection.auth(&mechanisms, &credentials).await {
            anyhow::bail!("login: {}", word(&error));
        }
    }
    Ok(connection)
}

fn parameters(settings: &Mail) -> anyhow::Result<TlsParameters> {
    let mut builder = TlsParameters::builder(settings.host.clone());
    if !settings.ca.as_os_str().is_empty() {
        let pem = std::fs::read(&settings.ca).context("mail.ca")?;
        builder = builder.add_root_certificate(Certificate::from_pem(&pem).context("mail.ca")?);
    }
    builder.build_native().context("TLS of mail")
}

/// An error as a code, or as the kind it is.
fn word(error: &lettre::transport::smtp::Error) -> String {
    if let Some(code) = error.status() {
        return code.to_string();
    }
    let kind = if error.is_timeout() {
        "tempo esgotado"
    } else if error.is_tls() {
        "TLS"
    } else if error.is_client() {
        "recusado antes do envio"
    } else {
        "conexão"
    };
    kind.to_owned()
}
