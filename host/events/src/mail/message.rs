//! A mail as bytes: RFC 5322 and MIME.

use crate::mail::text::Written;
use ::accounts::letters::Arquivo;
use anyhow::Context as _;
use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Attachment, Body, Mailbox, MultiPart};
use lettre::{Address, Message};
use std::time::{Duration, SystemTime};
use store::ids::MailId;

/// What a mail is put together of.
pub struct Parts<'a> {
    /// The same each time it is sent.
    pub id: &'a MailId,
    pub from: Mailbox,
    pub to: &'a str,
    pub written: Written,
    pub arquivos: Vec<Arquivo>,
    /// Nobody asked for it by hand: out-of-office replies keep away
    /// (RFC 3834).
    pub automatic: bool,
    /// When it was asked for, epoch milliseconds.
    pub at_ms: i64,
}

/// The recipient and the bytes of a mail.
///
/// # Errors
/// The address or a media type has not the form of one.
pub fn build(parts: Parts<'_>) -> anyhow::Result<(Address, Message)> {
    // Addresses are not repeated in errors: they are logged.
    let to: Address = parts.to.parse().ok().context("address of a mail")?;
    let domain = parts.from.email.domain().to_owned();
    let at = Duration::from_millis(u64::try_from(parts.at_ms).unwrap_or(0));
    let mut builder = Message::builder()
        .message_id(Some(format!("<{}@{domain}>", parts.id)))
        .date(SystemTime::UNIX_EPOCH + at)
        .from(parts.from)
        .to(Mailbox::new(None, to.clone()))
        .subject(parts.written.subject);
    if parts.automatic {
        let name = HeaderName::new_from_ascii_str("Auto-Submitted");
        builder = builder.raw_header(HeaderValue::new(name, "auto-generated".to_owned()));
    }
    let words = MultiPart::alternative_plain_html(parts.written.text, parts.written.html);
    let message = if parts.arquivos.is_empty() {
        builder.multipart(words)
    } else {
        let mut mixed = MultiPart::mixed().multipart(words);
        for arquivo in parts.arquivos {
            let kind = ContentType::parse(&arquivo.kind).context("media type of a file")?;
            // Any other encoding lets servers change the ends of lines.
            let body = Body::new_with_encoding(arquivo.bytes, ContentTransferEncoding::Base64);
            let body = body.ok().context("file of a mail")?;
            mixed = mixed.singlepart(Attachment::new(arquivo.name).body(body, kind));
        }
        builder.multipart(mixed)
    };
    Ok((to, message.context("parts of a mail")?))
}
