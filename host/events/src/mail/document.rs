//! A note by mail: the authority's XML and its printout.

use crate::parts::Events;
use ::accounts::letters::{Arquivo, Sending, over_limit, queue};
use ::accounts::letters::{Documento, Letter};
use ::accounts::users;
use anyhow::Context as _;
use base::errors::{Code, Failure, Refusal};
use base::faultpoint;
use issuing::document::print;
use issuing::model::Ambiente;
use markup::xml::Document;
use serde_json::Value;
use store::ids::{AccountId, MailContentId};
use store::tables::emitters::EmitterRow;
use store::tables::idempotency::{self, Scope, Taken};
use store::tables::mails::MailKind;
use store::tables::notas::{NotaRow, NotaStatus};
use store::tables::{accounts, artifacts, emitters, mails};
use store::{Conn, DbResult, TxError, stored, unreadable};

/// What somebody wants sent.
pub struct MailOrder {
    pub nota: NotaRow,
    /// Addresses, as they are written to; None: that of the note's recipient.
    pub to: Option<Vec<String>>,
    /// Words of the sender; may be empty.
    pub message: String,
    pub idempotency: Option<(Scope, String)>,
}

/// What was asked for: id of the request, mails it is, and whether an earlier
/// call had asked.
pub struct Requested {
    pub id: MailContentId,
    pub recipients: i64,
    pub replayed: bool,
}

/// An address mail can be written to, as it is compared.
pub fn address(text: &str) -> Option<String> {
    let plain = users::email(text)?;
    plain.parse::<lettre::Address>().ok()?;
    Some(plain)
}

/// The recipient's own address in a note.
fn recipient(nota: &NotaRow, xml: &[u8]) -> DbResult<Option<String>> {
    if nota.modelo.goes_to_sefaz() {
        let text = std::str::from_utf8(xml).ok();
        let document = text.and_then(|text| Document::parse(text).ok());
        let document = document.ok_or_else(|| unreadable("XML of a note", &nota.id))?;
        let mut elements = document.elements();
        let dest = elements.find(|element| element.name() == "dest");
        let email = dest.and_then(|dest| dest.child("email"));
        return Ok(email.map(|email| email.text().into_owned()));
    }
    if nota.conteudo.is_empty() {
        return Ok(None);
    }
    let content: Value = stored(&nota.conteudo, "content of a note", &nota.id)?;
    let email = content.pointer("/tomador/email");
    Ok(email.and_then(Value::as_str).map(str::to_owned))
}

/// Writes the mails of a note.
///
/// # Errors
/// The note has no XML, or nobody to be sent to, is too large for mail, the account asked for too many
/// mails, or the key stands for another request.
pub async fn send(app: &Events, request: MailOrder) -> Result<Requested, Failure> {
    let now_ms = app.now_ms();
    let nota = request.nota;
    let (id, account) = (nota.id.clone(), nota.account_id.clone());
    let mut conn = app.db.read().await?;
    let xml = xml(&mut conn, &nota).await?;
    let to = match request.to {
        Some(to) => to,
        None => vec![own_address(&nota, &xml)?],
    };
    let emitter = emitters::get(&mut conn, &account, &nota.emitter_id)
        .await?
        .context("emitter of a note")?;
    drop(conn);
    let mut limit = app.config.mail.per_account_day;
    if without_value(&nota) {
        limit = limit.min(app.config.mail.per_account_day_test);
    }
    let letter = letter(&nota, &emitter, request.message);
    let sending = Sending::new(&account, MailKind::Documento, &id, &letter, &to, now_ms)?;
    let files = files(app, nota, xml, &emitter).await?;
    let begin = Begin {
        account,
        sending: sending.with_files(files),
        // The address of the operation says which note; the body does not.
        idempotency: request
            .idempotency
            .map(|(scope, fingerprint)| (scope, format!("{fingerprint} {id}"))),
        window_ms: app.config.issuing.idempotency_window_ms(),
        limit,
        now_ms,
    };
    let written = app
        .db
        .write(begin, |begin, conn| Box::pin(begun(conn, begin)));
    let requested = written.await?;
    faultpoint::hit("mail queued");
    Ok(requested)
}

/// It has no fiscal value: anybody can make as many as they like.
fn without_value(nota: &NotaRow) -> bool {
    nota.simulada == 1 || nota.ambiente != Ambiente::Production
}

/// The authority's XML of a note.
async fn xml(conn: &mut Conn, nota: &NotaRow) -> Result<Vec<u8>, Failure> {
    let xml = artifacts::get(conn, &nota.account_id, &nota.id, nota.modelo.as_str()).await?;
    let xml = xml.ok_or_else(|| {
        Refusal::new(Code::EstadoInvalido)
            .message("O documento ainda não tem XML.")
            .hint("O XML existe depois da autorização; só então o documento pode ser enviado.")
            .nota(&nota.id)
    })?;
    Ok(xml.bytes)
}

/// The address of the note's recipient.
fn own_address(nota: &NotaRow, xml: &[u8]) -> Result<String, Failure> {
    let own = recipient(nota, xml)?.and_then(|text| address(&text));
    own.ok_or_else(|| {
        Refusal::field(
            Code::ParametroInvalido,
            "para",
            "A nota não tem o e-mail do destinatário.",
            "Informe os endereços em para.",
        )
        .into()
    })
}

fn letter(nota: &NotaRow, emitter: &EmitterRow, message: String) -> Letter {
    let model = nota.modelo;
    let serie = Some(nota.serie.clone()).filter(|_| model.goes_to_sefaz());
    Letter::Documento(Documento {
        titulo: model.title().to_owned(),
        numero: number(nota),
        serie: serie.unwrap_or_default(),
        emitente: emitter.razao_social.clone(),
        cnpj: emitter.cnpj.clone(),
        destinatario: nota.tomador_nome.clone(),
        valor_centavos: nota.valor_centavos,
        chave: nota.chave.clone(),
        codigo_verificacao: nota.codigo_verificacao.clone(),
        url_consulta: nota.url_consulta.clone(),
        cancelada: nota.status == NotaStatus::Cancelled,
        sem_valor: without_value(nota),
        mensagem: message,
    })
}

/// XML and printout, if mail can carry them.
async fn files(
    app: &Events,
    nota: NotaRow,
    xml: Vec<u8>,
    emitter: &EmitterRow,
) -> Result<Vec<Arquivo>, Failure> {
    let (id, name) = (nota.id.clone(), name(&nota));
    let logo = print::logo(emitter)?;
    let registry = app.registry.load();
    let drawn = tokio::task::spawn_blocking(move || {
        let pdf = print::pdf(&registry, &nota, &xml, logo.as_deref());
        pdf.map(|pdf| (pdf, xml))
    });
    let (pdf, xml) = drawn.await.map_err(anyhow::Error::from)??;
    if pdf.len() + xml.len() > app.config.mail.attachment_bytes {
        return Err(Refusal::new(Code::EstadoInvalido)
            .message("O XML e o PDF deste documento são grandes demais para um e-mail.")
            .hint("Baixe os arquivos pela API e envie um link.")
            .nota(id)
            .into());
    }
    let file = |extension: &str, kind: &str, bytes| Arquivo {
        name: format!("{name}.{extension}"),
        kind: kind.to_owned(),
        bytes,
    };
    Ok(vec![
        file("xml", "application/xml", xml),
        file("pdf", "application/pdf", pdf),
    ])
}

struct Begin {
    account: AccountId,
    sending: Sending,
    idempotency: Option<(Scope, String)>,
    window_ms: i64,
    limit: i64,
    now_ms: i64,
}

/// Key and mails, or the request the key stands for.
async fn begun(conn: &mut Conn, b: &Begin) -> Result<Requested, TxError<Refusal>> {
    if let Some((scope, fingerprint)) = &b.idempotency {
        let id = b.sending.id();
        let taken = idempotency::take(conn, scope, fingerprint, id, b.now_ms, b.window_ms).await?;
        if let Taken::Theirs(theirs) = taken {
            if theirs.fingerprint != *fingerprint {
                return Err(TxError::Abort(Refusal::new(
                    Code::ChaveIdempotenciaReutilizada,
                )));
            }
            let id = MailContentId::from(theirs.subject_id);
            return Ok(Requested {
                recipients: mails::of_content(conn, &b.account, &id).await?,
                id,
                replayed: true,
            });
        }
    }
    if !store::tables::users::answers_for_mail(conn, &b.account).await? {
        return Err(TxError::Abort(
            Refusal::new(Code::SemPermissao)
                .message("A conta só envia e-mails a outros depois que um dono confirma o próprio endereço.")
                .hint("Abra o link que chegou por e-mail, ou peça outro no painel."),
        ));
    }
    // One after the other: together they could pass the limit.
    accounts::lock(conn, &b.account).await?;
    let more = b.sending.len();
    if let Some(refusal) = over_limit(conn, &b.account, more, b.limit, b.now_ms).await? {
        return Err(TxError::Abort(refusal));
    }
    queue(conn, &b.sending).await?;
    faultpoint::hit("mail queued, before commit");
    Ok(Requested {
        id: b.sending.id().to_owned(),
        recipients: more,
        replayed: false,
    })
}

fn number(nota: &NotaRow) -> String {
    if !nota.numero_nfse.is_empty() {
        nota.numero_nfse.clone()
    } else if nota.numero > 0 {
        nota.numero.to_string()
    } else {
        String::new()
    }
}

/// Name of the files: the key, where there is one. Numbers of cities may hold
/// anything.
fn name(nota: &NotaRow) -> String {
    let number = [nota.chave.as_str(), &nota.numero_nfse, &nota.id]
        .into_iter()
        .find(|text| !text.is_empty());
    let number = number.unwrap_or_default();
    let plain: String = number
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '-'
            }
        })
        .take(80)
        .collect();
    format!("{}-{plain}", nota.modelo.name())
}
