//! A mail as bytes: RFC 5322 and MIME.

use crate::mail::text::Escrita;
use ::accounts::letters::Arquivo;
use anyhow::Context as _;
use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Attachment, Body, Mailbox, MultiPart};
use lettre::{Address, Message};
use std::time::{Duration, SystemTime};
use store::ids::MailId;

/// What a mail is put together of.
pub struct Partes<'a> {
    /// The same each time it is sent.
    pub id: &'a MailId,
    pub from: Mailbox,
    pub to: &'a str,
    pub escrita: Escrita,
    pub arquivos: Vec<Arquivo>,
    /// Nobody asked for it by hand: out-of-office replies keep away
    /// (RFC 3834).
    pub automatica: bool,
    /// When it was asked for, epoch milliseconds.
    pub em_ms: i64,
}

/// The recipient and the bytes of a mail.
///
/// # Errors
/// The address or a media type has not the form of one.
pub fn montar(partes: Partes<'_>) -> anyhow::Result<(Address, Message)> {
    // Addresses are not repeated in errors: they are logged.
    let to: Address = partes.to.parse().ok().context("address of a mail")?;
    let domain = partes.from.email.domain().to_owned();
    let at = Duration::from_millis(u64::try_from(partes.em_ms).unwrap_or(0));
    let mut builder = Message::builder()
        .message_id(Some(format!("<{}@{domain}>", partes.id)))
        .date(SystemTime::UNIX_EPOCH + at)
        .from(partes.from)
        .to(Mailbox::new(None, to.clone()))
        .subject(partes.escrita.assunto);
    if partes.automatica {
        let name = HeaderName::new_from_ascii_str("Auto-Submitted");
        builder = builder.raw_header(HeaderValue::new(name, "auto-generated".to_owned()));
    }
    let words = MultiPart::alternative_plain_html(partes.escrita.texto, partes.escrita.html);
    let message = if partes.arquivos.is_empty() {
        builder.multipart(words)
    } else {
        let mut mixed = MultiPart::mixed().multipart(words);
        for arquivo in partes.arquivos {
            let tipo = ContentType::parse(&arquivo.tipo).context("media type of a file")?;
            // Any other encoding lets servers change the ends of lines.
            let body = Body::new_with_encoding(arquivo.bytes, ContentTransferEncoding::Base64);
            let body = body.ok().context("file of a mail")?;
            mixed = mixed.singlepart(Attachment::new(arquivo.nome).body(body, tipo));
        }
        builder.multipart(mixed)
    };
    Ok((to, message.context("parts of a mail")?))
}
