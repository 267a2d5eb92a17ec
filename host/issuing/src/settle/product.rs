//! What the authority's yes makes of a product note and of its events: the
//! signed document and the protocol joined, byte for byte.

use super::record::{event, series};
use super::verdict::{Verdict, Who, failed};
use crate::answer::{self, EventResult, RequestedRange, SefazEvent};
use crate::document::product::{Announcement, Details};
use crate::document::signed;
use crate::model::{Fact, Issued as _, Model, NUMBER_ALREADY_USED, family};
use crate::settle::manifestation;
use accounts::ledger::{self, Resolution};
use base::errors::{Code, Refusal, Rejection};
use fiscal::nfe::event::{Family, document_proc, proc_evento, proc_voiding};
use flow::contract::{Documento, Outcome, Situacao, Success};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use store::ids::{AccountId, NotaId, OutboxId};
use store::tables::artifacts::{self, ArtifactRow};
use store::tables::eventos::{self, EventKind, EventoRow, EventoStatus};
use store::tables::flows::{self, FlowRow};
use store::tables::notas::{self, NotaRow, NotaStatus};
use store::tables::vinculos::{self, LinkRow};
use store::tables::{idempotency, numbers, outbox};
use store::{Conn, DbResult, Present as _, Readable as _};

/// The signed document of a note, as it left.
const SENT: &str = "document of a note that was sent";

/// Keeps the note with its protocol, and forgets the copy that was sent.
pub async fn keep(
    conn: &mut Conn,
    nota: &mut NotaRow,
    documento: &Documento,
    now_ms: i64,
) -> DbResult<()> {
    let sent = signed::sent(conn, nota).await?;
    let mut details = Details::of(nota)?;
    let signed = text(&sent.bytes).readable(SENT, &nota.id)?;
    as_sent(&mut details, signed, &nota.id)?;
    let whole = text(documento.xml.as_deref().unwrap_or_default())
        .zip(family(nota.modelo))
        .and_then(|(protocol, family)| document_proc(family, signed, protocol).ok())
        .present("protocol of a note", &nota.id)?
        .into_bytes();
    let artifact = xml(
        &nota.account_id,
        &nota.id,
        nota.modelo.as_str(),
        whole,
        now_ms,
    );
    artifacts::insert(conn, &artifact).await?;
    artifacts::delete_sent(conn, &nota.id).await?;
    details.status_sefaz = value(documento, "cStat");
    details.mensagem_sefaz = value(documento, "xMotivo");
    nota.detalhes = details.to_json()?;
    // What was signed is in the document now.
    nota.conteudo.clear();
    if details.finalidade.is_empty() {
        return Ok(());
    }
    for (index, chave) in details.referencias.iter().enumerate() {
        let link = LinkRow {
            id: format!("vin_{}_{index}", nota.id).into(),
            account_id: nota.account_id.clone(),
            nota_id: nota.id.clone(),
            chave_origem: chave.clone(),
            tipo: details.finalidade.clone(),
            created_at_ms: now_ms,
        };
        vinculos::insert(conn, &link).await?;
    }
    Ok(())
}

/// A SEFAZ says that the number belongs to a document that is not ours.
pub fn number_taken(reasons: &[Rejection]) -> bool {
    reasons
        .iter()
        .any(|reason| reason.origem == "sefaz" && reason.codigo == NUMBER_ALREADY_USED)
}

/// Whether the protocol is about another document than the one we sent: its
/// `digVal` is not the digest of our signed document.
pub async fn of_other_content(
    conn: &mut Conn,
    nota: &NotaRow,
    documento: &Documento,
) -> DbResult<bool> {
    let said = value(documento, "digVal");
    let Some(chave) = documento.chave.as_deref().filter(|_| !said.is_empty()) else {
        return Ok(false);
    };
    let sent = artifacts::get(conn, &nota.account_id, &nota.id, &signed::kind(chave)).await?;
    let sent = sent.present(SENT, &nota.id)?;
    Ok(digest(&sent.bytes).readable(SENT, &nota.id)? != said)
}

/// Takes moment and QR code from the document the authority authorized. A note
/// that had several keys, one after the other, had one of each for every key; the
/// code of a CT-e in contingency was completed when it was signed.
///
/// # Errors
/// `xml` cannot be read.
pub fn as_sent(details: &mut Details, xml: &str, nota_id: &NotaId) -> DbResult<()> {
    if details.chaves_anteriores.is_empty() && details.announcement().is_none() {
        return Ok(());
    }
    let documento = markup::xml::Document::parse(xml).readable(SENT, nota_id)?;
    let root = documento.root();
    let code: &[&str] = match details.announcement() {
        Some(_) => &["infCTeSupl", "qrCodCTe"],
        None => &["infNFeSupl", "qrCode"],
    };
    for (path, kept) in [
        (&["infNFe", "ide", "dhEmi"][..], &mut details.data_emissao),
        (code, &mut details.qr_code),
        (&["infNFeSupl", "urlChave"], &mut details.url_consulta),
    ] {
        if let Some(text) = root.text_at(path) {
            *kept = text.into_owned();
        }
    }
    Ok(())
}

/// An event of a product note, a voiding request or a manifestation is over.
pub async fn evento(
    conn: &mut Conn,
    flow: &FlowRow,
    nota: Option<NotaRow>,
    mut evento: EventoRow,
    outcome: &Outcome,
    now_ms: i64,
) -> DbResult<()> {
    if evento.status != EventoStatus::InTransmission {
        return Ok(());
    }
    evento.updated_at_ms = now_ms;
    let who = Who::sefaz(nota.as_ref().map_or(Model::Nfe, |nota| nota.modelo));
    match outcome {
        Ok(success) if is_yes(success, &evento) && of_other(conn, &evento, success).await? => {
            let reasons = vec![other_sequence(&evento)];
            evento.status = EventoStatus::Rejected;
            EventResult::refused(&reasons).keep(&mut evento)?;
            let refusal = answer::refused(who.model, reasons);
            refuse(conn, nota.as_ref(), evento, refusal, now_ms).await
        }
        Ok(success) if is_yes(success, &evento) => {
            registered(conn, nota, evento, success, now_ms).await
        }
        Err(failure) if !failure.may_exist => {
            let refusal = match failed(failure, &who) {
                Verdict::Rejected(reasons)
                    if repeated(&evento, &reasons)
                        && flows::acted_before(conn, &evento.id, &flow.id).await? =>
                {
                    return there(conn, nota, evento, &reasons, now_ms).await;
                }
                Verdict::Rejected(reasons) => {
                    evento.status = EventoStatus::Rejected;
                    EventResult::refused(&reasons).keep(&mut evento)?;
                    answer::refused(who.model, reasons)
                }
                Verdict::NotSent(_) if flows::acted_before(conn, &evento.id, &flow.id).await? => {
                    // This attempt did not leave; an earlier one may have.
                    evento.attempts += 1;
                    return eventos::save(conn, &evento).await;
                }
                Verdict::NotSent(refusal) => {
                    evento.status = EventoStatus::NotSent;
                    refusal
                }
                // `failed` gives one of the two above.
                _ => Refusal::new(Code::FalhaDoAdaptador),
            };
            refuse(conn, nota.as_ref(), evento, refusal, now_ms).await
        }
        // Not known: the work job sends the same bytes again later; the
        // authority knows an event by its key, kind and sequence.
        Ok(_) | Err(_) => {
            tracing::info!(flow.id = %flow.id, evento.id = %evento.id, "event not known yet");
            evento.attempts += 1;
            eventos::save(conn, &evento).await
        }
    }
}

/// The authority registered this very event and shows it.
fn is_yes(success: &Success, evento: &EventoRow) -> bool {
    let said = match evento.tipo {
        EventKind::Cancelamento => success.situacao == Situacao::Cancelado,
        EventKind::Voiding => success.situacao == Situacao::Inutilizado,
        EventKind::Query
        | EventKind::Cce
        | EventKind::Econf
        | EventKind::EconfUndone
        | EventKind::Reforma
        | EventKind::Manifestation
        | EventKind::Epec
        | EventKind::Closing
        | EventKind::Driver
        | EventKind::Documents => success.situacao == Situacao::Autorizado,
    };
    said && success
        .documentos
        .first()
        .is_some_and(|documento| documento.xml.as_ref().is_some_and(|xml| !xml.is_empty()))
}

/// Whether the authority shows an event of this key, kind and number with
/// another content than ours: another system registered it. Not asked of a
/// cancellation, because the note is cancelled whoever did it.
async fn of_other(conn: &mut Conn, evento: &EventoRow, success: &Success) -> DbResult<bool> {
    let shown = success.documentos.first();
    let joined = of_chave(&evento.chave).joined_event();
    let shown = shown.filter(|documento| documento.tipo == joined);
    let Some(shown) = shown.filter(|_| evento.tipo != EventKind::Cancelamento) else {
        return Ok(false);
    };
    let kind = signed::kind(&evento.chave);
    let sent = artifacts::get(conn, &evento.account_id, &evento.id, &kind).await?;
    let ours = sent.as_ref().and_then(|sent| digest(&sent.bytes));
    let theirs = digest(shown.xml.as_deref().unwrap_or_default());
    Ok(ours.is_some() && theirs.is_some() && ours != theirs)
}

/// `DigestValue` of the first signature of a document.
fn digest(xml: &[u8]) -> Option<&str> {
    let (_, rest) = text(xml)?.split_once("<DigestValue>")?;
    rest.split_once('<').map(|(digest, _)| digest)
}

fn other_sequence(evento: &EventoRow) -> Rejection {
    let codigo = match of_chave(&evento.chave) {
        Family::Cte | Family::Mdfe => DUPLICATE_OF_FREIGHT,
        Family::Nfe => DUPLICATE,
    };
    Rejection {
        origem: "sefaz".to_owned(),
        codigo: codigo.to_owned(),
        motivo: format!(
            "A SEFAZ já tem outro evento deste tipo com a sequência {}, registrado por outro sistema.",
            evento.sequencia
        ),
        correcao: "Envie de novo: o evento sai com a próxima sequência.".to_owned(),
    }
}

async fn registered(
    conn: &mut Conn,
    nota: Option<NotaRow>,
    mut evento: EventoRow,
    success: &Success,
    now_ms: i64,
) -> DbResult<()> {
    let Some(documento) = success.documentos.first() else {
        return Ok(());
    };
    evento.status = EventoStatus::Registered;
    evento.protocolo = documento
        .protocolo
        .clone()
        .or_else(|| success.protocolo.clone())
        .unwrap_or_default();
    let result = EventResult {
        registrado_em: documento.emitido_em.clone(),
        status_sefaz: Some(value(documento, "cStat")),
        mensagem_sefaz: Some(value(documento, "xMotivo")),
        rejeicao: None,
    };
    result.keep(&mut evento)?;
    keep_event(conn, &evento, documento, now_ms).await?;
    concluded(conn, nota, evento, now_ms).await
}

/// 573: the authority has an event of this key, kind and number.
const DUPLICATE: &str = "573";
/// The same of CT-e and MDF-e.
const DUPLICATE_OF_FREIGHT: &str = "631";

/// Whether the authority refused a manifestation or an announcement (EPEC) as a
/// duplicate. Only the recipient can have sent the first manifestation, and only
/// who drew the key's random code the first announcement, so ours was registered
/// and its answer was lost. No question shows it: the national environment answers
/// none about events, and a contingency authority need not know a CT-e that it has
/// only the announcement of.
fn repeated(evento: &EventoRow, reasons: &[Rejection]) -> bool {
    let duplicate = match evento.tipo {
        EventKind::Manifestation => DUPLICATE,
        EventKind::Epec => DUPLICATE_OF_FREIGHT,
        _ => return false,
    };
    reasons.iter().any(|reason| reason.codigo == duplicate)
}

/// Settles an event that is registered and whose answer was lost: the document we
/// sent is kept, without a protocol.
async fn there(
    conn: &mut Conn,
    nota: Option<NotaRow>,
    mut evento: EventoRow,
    reasons: &[Rejection],
    now_ms: i64,
) -> DbResult<()> {
    evento.status = EventoStatus::Registered;
    let result = EventResult {
        status_sefaz: reasons.first().map(|reason| reason.codigo.clone()),
        mensagem_sefaz: reasons.first().map(|reason| reason.motivo.clone()),
        ..EventResult::default()
    };
    result.keep(&mut evento)?;
    let kind = signed::kind(&evento.chave);
    let sent = artifacts::get(conn, &evento.account_id, &evento.id, &kind)
        .await?
        .present("event that was sent", &evento.id)?;
    let kept = ArtifactRow {
        tipo: "evento".to_owned(),
        ..sent
    };
    artifacts::insert(conn, &kept).await?;
    artifacts::delete_sent(conn, &evento.id).await?;
    concluded(conn, nota, evento, now_ms).await
}

/// What follows a registered event, whoever showed it.
async fn concluded(
    conn: &mut Conn,
    nota: Option<NotaRow>,
    mut evento: EventoRow,
    now_ms: i64,
) -> DbResult<()> {
    ledger::resolve(conn, &evento.hold_id, Resolution::Debit, now_ms).await?;
    let nota = match nota {
        Some(mut nota) => {
            if evento.tipo == EventKind::Cancelamento {
                nota.status = NotaStatus::Cancelled;
                let said = EventResult::of(&evento)?;
                let (status, message) = (said.status_sefaz, said.mensagem_sefaz);
                said_last(
                    &mut nota,
                    &status.unwrap_or_default(),
                    &message.unwrap_or_default(),
                )?;
                nota.updated_at_ms = now_ms;
                notas::save(conn, &nota).await?;
                let what = nota.modelo.evento(Fact::Cancelled);
                event(conn, &nota, what, now_ms).await?;
            }
            // A letter of a CT-e has no event of its own in the contract.
            if evento.tipo == EventKind::Cce && nota.modelo == Model::Nfe {
                // Its packed record is made again, for it says what the customer was told.
                if nota.packed != 0 {
                    notas::save(conn, &nota).await?;
                }
                event(conn, &nota, "nfe.cce", now_ms).await?;
            }
            if evento.tipo == EventKind::Epec {
                announced(&mut nota, &evento, now_ms)?;
                notas::save(conn, &nota).await?;
            }
            if evento.tipo == EventKind::Closing {
                closed(&mut nota, &evento, now_ms)?;
                notas::save(conn, &nota).await?;
                event(conn, &nota, "mdfe.encerrado", now_ms).await?;
            }
            Some(nota)
        }
        None => None,
    };
    if evento.tipo == EventKind::Voiding {
        tell_voided(conn, &evento, now_ms).await?;
    }
    if evento.tipo == EventKind::Manifestation {
        manifestation::registered(conn, &evento, now_ms).await?;
    }
    let balance = ledger::available(conn, &evento.account_id).await?;
    let (status, body) = match &nota {
        Some(nota) => answer::event(nota, &evento, balance)?,
        None => answer::event_alone(&evento, balance)?,
    };
    evento.answer_status = i64::from(status);
    evento.answer = body;
    eventos::save(conn, &evento).await
}

/// Keeps that a CT-e was announced at the contingency authority.
fn announced(nota: &mut NotaRow, evento: &EventoRow, now_ms: i64) -> DbResult<()> {
    let mut details = Details::of(nota)?;
    let said = EventResult::of(evento)?;
    details.transporte.get_or_insert_default().epec = Some(Announcement {
        protocolo: evento.protocolo.clone(),
        registrado_em: said
            .registrado_em
            .unwrap_or_else(|| base::when::rfc3339(now_ms)),
        attempt_ms: 0,
    });
    nota.detalhes = details.to_json()?;
    nota.updated_at_ms = now_ms;
    Ok(())
}

/// Ends a CT-e whose announcement did not happen, with the same answer: its number
/// goes back.
async fn not_announced(
    conn: &mut Conn,
    nota: &NotaRow,
    evento: &EventoRow,
    now_ms: i64,
) -> DbResult<()> {
    let status = match evento.status {
        EventoStatus::NotSent => NotaStatus::NotSent,
        _ => NotaStatus::Rejected,
    };
    let reason = EventResult::of(evento)?.rejeicao;
    let ended = NotaRow {
        status,
        rejeicao: match status {
            NotaStatus::Rejected => answer::written(&reason)?,
            _ => String::new(),
        },
        answer_status: evento.answer_status,
        answer: evento.answer.clone(),
        number_active: 0,
        updated_at_ms: now_ms,
        ..nota.clone()
    };
    notas::save(conn, &ended).await?;
    if status == NotaStatus::Rejected {
        event(conn, &ended, nota.modelo.evento(Fact::Rejected), now_ms).await?;
    }
    numbers::free(conn, &series(nota), nota.numero, now_ms).await
}

/// Keeps that the transport of an MDF-e is over.
fn closed(nota: &mut NotaRow, evento: &EventoRow, now_ms: i64) -> DbResult<()> {
    let mut details = Details::of(nota)?;
    let said = EventResult::of(evento)?;
    let at = said
        .registrado_em
        .unwrap_or_else(|| base::when::rfc3339(now_ms));
    details.transporte.get_or_insert_default().encerrado_em = at;
    nota.detalhes = details.to_json()?;
    nota.updated_at_ms = now_ms;
    Ok(())
}

/// Keeps the last code and sentence of the authority about the note, in place
/// of those of its authorization.
///
/// # Errors
/// What is stored cannot be read.
pub fn said_last(nota: &mut NotaRow, status: &str, message: &str) -> DbResult<()> {
    if status.is_empty() {
        return Ok(());
    }
    let mut details = Details::of(nota)?;
    status.clone_into(&mut details.status_sefaz);
    message.clone_into(&mut details.mensagem_sefaz);
    nota.detalhes = details.to_json()?;
    Ok(())
}

/// What a SEFAZ says of a note (wit/schemas/sefaz.situacao.1.json).
#[derive(Deserialize)]
pub struct Said {
    pub cstat: String,
    pub motivo: String,
    pub eventos: Vec<SefazEvent>,
}

/// The authority's words about a product note; none where they are not those of
/// the contract.
pub fn said_of(success: &Success, nota: &NotaRow) -> Option<Said> {
    let said = success
        .conteudo
        .as_ref()
        .filter(|_| nota.modelo.goes_to_sefaz());
    serde_json::from_str(&said?.json).ok()
}

/// The record of a product note that the authority shows as ended says so, too.
///
/// # Errors
/// What is stored cannot be read.
pub fn said_at_the_end(nota: &mut NotaRow, success: &Success) -> DbResult<()> {
    if !nota.modelo.goes_to_sefaz() {
        return Ok(());
    }
    let said = said_of(success, nota);
    let model = nota.modelo;
    let (status, message) = said
        .as_ref()
        .map_or(cancelled_words(model), |said| said.end(model));
    said_last(nota, status, message)
}

/// What an authorizer says of a cancelled document, where it gave no words of its
/// own.
fn cancelled_words(model: Model) -> (&'static str, &'static str) {
    let message = match model {
        Model::Cte => "Cancelamento de CT-e homologado",
        Model::Mdfe => "Cancelamento de MDF-e homologado",
        Model::Nfe | Model::Nfce | Model::Nfse => "Cancelamento de NF-e homologado",
    };
    ("101", message)
}

impl Said {
    /// How the note ended, code and sentence: the situation, where it is that of an
    /// ended note. Some authorizers go on to answer 100, and show the event only.
    pub fn end(&self, model: Model) -> (&str, &str) {
        if matches!(self.cstat.as_str(), "101" | "151" | "155") {
            return (&self.cstat, &self.motivo);
        }
        let mut eventos = self.eventos.iter();
        let cancelamento = eventos.rfind(|evento| {
            // 110112 closes an MDF-e and cancels a note.
            let kinds: &[&str] = match model {
                Model::Mdfe => &["110111"],
                _ => &["110111", "110112"],
            };
            kinds.contains(&evento.tipo.as_str())
                && matches!(evento.cstat.as_str(), "135" | "136" | "155")
        });
        cancelamento.map_or(cancelled_words(model), |evento| {
            (&evento.cstat, &evento.motivo)
        })
    }
}

/// The event as both sides wrote it: ours with the answer, or the whole one
/// the authority showed when it was asked.
async fn keep_event(
    conn: &mut Conn,
    evento: &EventoRow,
    documento: &Documento,
    now_ms: i64,
) -> DbResult<()> {
    let answered = text(documento.xml.as_deref().unwrap_or_default())
        .present("answer to an event", &evento.id)?;
    let family = of_chave(&evento.chave);
    let kind = signed::kind(&evento.chave);
    let sent = artifacts::get(conn, &evento.account_id, &evento.id, &kind).await?;
    let whole = match (documento.tipo.as_str(), &sent) {
        (tipo, _) if tipo == family.joined_event() => Some(answered.to_owned()),
        (_, None) => Some(answered.to_owned()),
        ("retInutNFe", Some(sent)) => {
            text(&sent.bytes).and_then(|sent| proc_voiding(sent, answered).ok())
        }
        (_, Some(sent)) => {
            text(&sent.bytes).and_then(|sent| proc_evento(family, sent, answered).ok())
        }
    };
    let whole = whole
        .present("answer to an event", &evento.id)?
        .into_bytes();
    let artifact = xml(&evento.account_id, &evento.id, "evento", whole, now_ms);
    artifacts::insert(conn, &artifact).await?;
    artifacts::delete_sent(conn, &evento.id).await
}

/// The end of an event that did not happen: credit and numbers go back.
async fn refuse(
    conn: &mut Conn,
    nota: Option<&NotaRow>,
    mut evento: EventoRow,
    mut refusal: Refusal,
    now_ms: i64,
) -> DbResult<()> {
    if let Some(nota) = nota {
        refusal = refusal.nota(&nota.id);
    }
    refusal = refusal.with("evento_id", evento.id.as_str());
    idempotency::forget(conn, &evento.id).await?;
    if evento.tipo == EventKind::Voiding {
        numbers::unvoid(conn, &evento.id, now_ms).await?;
    }
    evento.answer_status = i64::from(refusal.code.status());
    evento.answer = super::record::told(&refusal, &evento.request_id);
    if let Some(nota) = nota
        && evento.tipo == EventKind::Epec
    {
        not_announced(conn, nota, &evento, now_ms).await?;
    }
    // Numbers before the balance: everybody takes them in this order.
    ledger::resolve(conn, &evento.hold_id, Resolution::Return, now_ms).await?;
    eventos::save(conn, &evento).await
}

/// Tells the customer of a voided range.
async fn tell_voided(conn: &mut Conn, evento: &EventoRow, now_ms: i64) -> DbResult<()> {
    let range: RequestedRange = answer::read(&evento.detalhes)?;
    let row = outbox::OutboxRow {
        id: OutboxId::new(now_ms),
        account_id: evento.account_id.clone(),
        tipo: "nfe.inutilizada".to_owned(),
        subject_id: evento.id.to_string(),
        payload: json!({ "evento_id": evento.id, "faixa": range, "protocolo": evento.protocolo })
            .to_string(),
        created_at_ms: now_ms,
        emitter_id: evento.emitter_id.clone().into(),
        ambiente: evento.ambiente,
        ..outbox::OutboxRow::default()
    };
    outbox::insert(conn, &row).await
}

/// The family of an event, by the key of its document. A voided range has none
/// and is the NF-e's.
fn of_chave(chave: &str) -> Family {
    let model = chave.get(20..22).and_then(|model| model.parse().ok());
    model.and_then(Family::of_model).unwrap_or(Family::Nfe)
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

fn value(documento: &Documento, name: &str) -> String {
    let found = documento.valores.iter().find(|value| value.name == name);
    found.map(|value| value.value.clone()).unwrap_or_default()
}

fn xml(account: &AccountId, subject: &str, kind: &str, bytes: Vec<u8>, now_ms: i64) -> ArtifactRow {
    ArtifactRow {
        subject_id: subject.to_owned(),
        tipo: kind.to_owned(),
        account_id: account.to_owned(),
        media_type: "application/xml".to_owned(),
        sha256: flow::hex(&Sha256::digest(&bytes)),
        bytes,
        created_at_ms: now_ms,
    }
}
