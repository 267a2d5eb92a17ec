//! What the authority's yes makes of a product note and of its events: the
//! signed document and the protocol joined, byte for byte.

use super::record::event;
use super::verdict::{Quem, Verdict, failed};
use crate::answer::{self, EventoNaSefaz, FaixaPedida, Resultado};
use crate::document::product::Detalhes;
use crate::document::signed;
use crate::model::{Fato, Issued as _, Modelo, NUMERO_JA_USADO};
use crate::settle::manifestation;
use accounts::ledger::{self, Resolution};
use base::errors::{Code, Refusal, Rejeicao};
use fiscal::nfe::event::{nfe_proc, proc_evento, proc_inut};
use flow::contract::{Documento, Outcome, Situacao, Success};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use store::ids::{AccountId, NotaId, OutboxId};
use store::tables::artifacts::{self, ArtifactRow};
use store::tables::eventos::{self, EventoRow, EventoStatus, EventoTipo};
use store::tables::flows::{self, FlowRow};
use store::tables::notas::{self, NotaRow, NotaStatus};
use store::tables::vinculos::{self, VinculoRow};
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
    let sent = signed::enviado(conn, nota).await?;
    let mut detalhes = Detalhes::of(nota)?;
    let signed = text(&sent.bytes).readable(SENT, &nota.id)?;
    as_sent(&mut detalhes, signed, &nota.id)?;
    let whole = text(documento.xml.as_deref().unwrap_or_default())
        .and_then(|protocol| nfe_proc(signed, protocol).ok())
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
    detalhes.status_sefaz = value(documento, "cStat");
    detalhes.mensagem_sefaz = value(documento, "xMotivo");
    nota.detalhes = detalhes.to_json()?;
    // What was signed is in the document now.
    nota.conteudo.clear();
    if detalhes.finalidade.is_empty() {
        return Ok(());
    }
    for (index, chave) in detalhes.referencias.iter().enumerate() {
        let link = VinculoRow {
            id: format!("vin_{}_{index}", nota.id).into(),
            account_id: nota.account_id.clone(),
            nota_id: nota.id.clone(),
            chave_origem: chave.clone(),
            tipo: detalhes.finalidade.clone(),
            created_at_ms: now_ms,
        };
        vinculos::insert(conn, &link).await?;
    }
    Ok(())
}

/// A SEFAZ says that the number belongs to a document that is not ours.
pub fn numero_tomado(reasons: &[Rejeicao]) -> bool {
    reasons
        .iter()
        .any(|reason| reason.origem == "sefaz" && reason.codigo == NUMERO_JA_USADO)
}

/// Whether the protocol is about another document than the one we sent: its
/// `digVal` is not the digest of our signed document.
pub async fn de_outro_conteudo(
    conn: &mut Conn,
    nota: &NotaRow,
    documento: &Documento,
) -> DbResult<bool> {
    let said = value(documento, "digVal");
    let Some(chave) = documento.chave.as_deref().filter(|_| !said.is_empty()) else {
        return Ok(false);
    };
    let sent = artifacts::get(conn, &nota.account_id, &nota.id, &signed::tipo(chave)).await?;
    let sent = sent.present(SENT, &nota.id)?;
    Ok(digest(&sent.bytes).readable(SENT, &nota.id)? != said)
}

/// Takes moment and QR code from the document the authority authorized. A note
/// that had several keys, one after the other, had one of each for every key.
fn as_sent(detalhes: &mut Detalhes, xml: &str, nota_id: &NotaId) -> DbResult<()> {
    if detalhes.chaves_anteriores.is_empty() {
        return Ok(());
    }
    let documento = markup::xml::Document::parse(xml).readable(SENT, nota_id)?;
    let raiz = documento.root();
    for (path, kept) in [
        (&["infNFe", "ide", "dhEmi"][..], &mut detalhes.data_emissao),
        (&["infNFeSupl", "qrCode"], &mut detalhes.qr_code),
        (&["infNFeSupl", "urlChave"], &mut detalhes.url_consulta),
    ] {
        if let Some(text) = raiz.text_at(path) {
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
    if evento.status != EventoStatus::EmTransmissao {
        return Ok(());
    }
    evento.updated_at_ms = now_ms;
    let quem = Quem::sefaz(nota.as_ref().map_or(Modelo::Nfe, |nota| nota.modelo));
    match outcome {
        Ok(success) if is_yes(success, &evento) && de_outro(conn, &evento, success).await? => {
            let reasons = vec![outra_sequencia(&evento)];
            evento.status = EventoStatus::Rejeitado;
            Resultado::refused(&reasons).keep(&mut evento)?;
            let refusal = answer::refused(quem.modelo, reasons);
            refuse(conn, nota.as_ref(), evento, refusal, now_ms).await
        }
        Ok(success) if is_yes(success, &evento) => {
            registered(conn, nota, evento, success, now_ms).await
        }
        Err(failure) if !failure.may_exist => {
            let refusal = match failed(failure, &quem) {
                Verdict::Rejected(reasons)
                    if repeated(&evento, &reasons)
                        && flows::acted_before(conn, &evento.id, &flow.id).await? =>
                {
                    return there(conn, evento, &reasons, now_ms).await;
                }
                Verdict::Rejected(reasons) => {
                    evento.status = EventoStatus::Rejeitado;
                    Resultado::refused(&reasons).keep(&mut evento)?;
                    answer::refused(quem.modelo, reasons)
                }
                Verdict::NotSent(_) if flows::acted_before(conn, &evento.id, &flow.id).await? => {
                    // This attempt did not leave; an earlier one may have.
                    evento.attempts += 1;
                    return eventos::save(conn, &evento).await;
                }
                Verdict::NotSent(refusal) => {
                    evento.status = EventoStatus::NaoEnviado;
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
        EventoTipo::Cancelamento => success.situacao == Situacao::Cancelado,
        EventoTipo::Inutilizacao => success.situacao == Situacao::Inutilizado,
        EventoTipo::Consulta
        | EventoTipo::Cce
        | EventoTipo::Econf
        | EventoTipo::EconfDesfeito
        | EventoTipo::Reforma
        | EventoTipo::Manifestacao => success.situacao == Situacao::Autorizado,
    };
    said && success
        .documentos
        .first()
        .is_some_and(|documento| documento.xml.as_ref().is_some_and(|xml| !xml.is_empty()))
}

/// Whether the authority shows an event of this key, kind and number with
/// another content than ours: another system registered it. Not asked of a
/// cancellation, because the note is cancelled whoever did it.
async fn de_outro(conn: &mut Conn, evento: &EventoRow, success: &Success) -> DbResult<bool> {
    let shown = success.documentos.first();
    let shown = shown.filter(|documento| documento.tipo == "procEventoNFe");
    let Some(shown) = shown.filter(|_| evento.tipo != EventoTipo::Cancelamento) else {
        return Ok(false);
    };
    let tipo = signed::tipo(&evento.chave);
    let sent = artifacts::get(conn, &evento.account_id, &evento.id, &tipo).await?;
    let ours = sent.as_ref().and_then(|sent| digest(&sent.bytes));
    let theirs = digest(shown.xml.as_deref().unwrap_or_default());
    Ok(ours.is_some() && theirs.is_some() && ours != theirs)
}

/// `DigestValue` of the first signature of a document.
fn digest(xml: &[u8]) -> Option<&str> {
    let (_, rest) = text(xml)?.split_once("<DigestValue>")?;
    rest.split_once('<').map(|(digest, _)| digest)
}

fn outra_sequencia(evento: &EventoRow) -> Rejeicao {
    Rejeicao {
        origem: "sefaz".to_owned(),
        codigo: DUPLICIDADE.to_owned(),
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
    evento.status = EventoStatus::Registrado;
    evento.protocolo = documento
        .protocolo
        .clone()
        .or_else(|| success.protocolo.clone())
        .unwrap_or_default();
    let resultado = Resultado {
        registrado_em: documento.emitido_em.clone(),
        status_sefaz: Some(value(documento, "cStat")),
        mensagem_sefaz: Some(value(documento, "xMotivo")),
        rejeicao: None,
    };
    resultado.keep(&mut evento)?;
    keep_event(conn, &evento, documento, now_ms).await?;
    concluded(conn, nota, evento, now_ms).await
}

/// 573: the authority has an event of this key, kind and number.
const DUPLICIDADE: &str = "573";

/// Whether the authority refused a manifestation as a duplicate (573). Only the
/// recipient can have sent the first one, so ours was registered and its answer
/// was lost. No question can show it: the national environment answers none
/// about events.
fn repeated(evento: &EventoRow, reasons: &[Rejeicao]) -> bool {
    evento.tipo == EventoTipo::Manifestacao
        && reasons.iter().any(|reason| reason.codigo == DUPLICIDADE)
}

/// Settles a manifestation that is registered and whose answer was lost: the
/// document we sent is kept, without a protocol.
async fn there(
    conn: &mut Conn,
    mut evento: EventoRow,
    reasons: &[Rejeicao],
    now_ms: i64,
) -> DbResult<()> {
    evento.status = EventoStatus::Registrado;
    let resultado = Resultado {
        status_sefaz: Some(DUPLICIDADE.to_owned()),
        mensagem_sefaz: reasons.first().map(|reason| reason.motivo.clone()),
        ..Resultado::default()
    };
    resultado.keep(&mut evento)?;
    let tipo = signed::tipo(&evento.chave);
    let sent = artifacts::get(conn, &evento.account_id, &evento.id, &tipo)
        .await?
        .present("manifestation that was sent", &evento.id)?;
    let kept = ArtifactRow {
        tipo: "evento".to_owned(),
        ..sent
    };
    artifacts::insert(conn, &kept).await?;
    artifacts::delete_sent(conn, &evento.id).await?;
    concluded(conn, None, evento, now_ms).await
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
            if evento.tipo == EventoTipo::Cancelamento {
                nota.status = NotaStatus::Cancelada;
                let said = Resultado::of(&evento)?;
                let (status, mensagem) = (said.status_sefaz, said.mensagem_sefaz);
                said_last(
                    &mut nota,
                    &status.unwrap_or_default(),
                    &mensagem.unwrap_or_default(),
                )?;
                nota.updated_at_ms = now_ms;
                notas::save(conn, &nota).await?;
                let what = nota.modelo.evento(Fato::Cancelada);
                event(conn, &nota, what, now_ms).await?;
            }
            if evento.tipo == EventoTipo::Cce {
                event(conn, &nota, "nfe.cce", now_ms).await?;
            }
            Some(nota)
        }
        None => None,
    };
    if evento.tipo == EventoTipo::Inutilizacao {
        tell_voided(conn, &evento, now_ms).await?;
    }
    if evento.tipo == EventoTipo::Manifestacao {
        manifestation::registrada(conn, &evento, now_ms).await?;
    }
    let saldo = ledger::available(conn, &evento.account_id).await?;
    let (status, body) = match &nota {
        Some(nota) => answer::event(nota, &evento, saldo)?,
        None => answer::event_alone(&evento, saldo)?,
    };
    evento.answer_status = i64::from(status);
    evento.answer = body;
    eventos::save(conn, &evento).await
}

/// Keeps the last code and sentence of the authority about the note, in place
/// of those of its authorization.
///
/// # Errors
/// What is stored cannot be read.
pub fn said_last(nota: &mut NotaRow, status: &str, mensagem: &str) -> DbResult<()> {
    if status.is_empty() {
        return Ok(());
    }
    let mut detalhes = Detalhes::of(nota)?;
    status.clone_into(&mut detalhes.status_sefaz);
    mensagem.clone_into(&mut detalhes.mensagem_sefaz);
    nota.detalhes = detalhes.to_json()?;
    Ok(())
}

/// What a SEFAZ says of a note (wit/schemas/sefaz.situacao.1.json).
#[derive(Deserialize)]
pub struct Said {
    pub cstat: String,
    pub motivo: String,
    pub eventos: Vec<EventoNaSefaz>,
}

/// The authority's words about a product note; none where they are not those of
/// the contract.
pub fn said_of(success: &Success, nota: &NotaRow) -> Option<Said> {
    let said = success
        .conteudo
        .as_ref()
        .filter(|_| nota.modelo.is_produto());
    serde_json::from_str(&said?.json).ok()
}

/// The record of a product note that the authority shows as ended says so, too.
///
/// # Errors
/// What is stored cannot be read.
pub fn said_at_the_end(nota: &mut NotaRow, success: &Success) -> DbResult<()> {
    if !nota.modelo.is_produto() {
        return Ok(());
    }
    let said = said_of(success, nota);
    let (status, mensagem) = said.as_ref().map_or(ENDED, Said::end);
    said_last(nota, status, mensagem)
}

/// What an authorizer says of a cancelled note, where it gave no words of its own.
const ENDED: (&str, &str) = ("101", "Cancelamento de NF-e homologado");

impl Said {
    /// How the note ended: the situation, where it is that of an ended note.
    /// Some authorizers go on to answer 100, and show the event only.
    fn end(&self) -> (&str, &str) {
        if matches!(self.cstat.as_str(), "101" | "151" | "155") {
            return (&self.cstat, &self.motivo);
        }
        let mut eventos = self.eventos.iter();
        let cancelamento = eventos.rfind(|evento| {
            matches!(evento.tipo.as_str(), "110111" | "110112")
                && matches!(evento.cstat.as_str(), "135" | "136" | "155")
        });
        cancelamento.map_or(ENDED, |evento| (&evento.cstat, &evento.motivo))
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
    let tipo = signed::tipo(&evento.chave);
    let sent = artifacts::get(conn, &evento.account_id, &evento.id, &tipo).await?;
    let whole = match (documento.tipo.as_str(), &sent) {
        ("procEventoNFe", _) | (_, None) => Some(answered.to_owned()),
        ("retInutNFe", Some(sent)) => {
            text(&sent.bytes).and_then(|sent| proc_inut(sent, answered).ok())
        }
        (_, Some(sent)) => text(&sent.bytes).and_then(|sent| proc_evento(sent, answered).ok()),
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
    ledger::resolve(conn, &evento.hold_id, Resolution::Return, now_ms).await?;
    idempotency::forget(conn, &evento.id).await?;
    if evento.tipo == EventoTipo::Inutilizacao {
        numbers::unvoid(conn, &evento.id, now_ms).await?;
    }
    evento.answer_status = i64::from(refusal.code.status());
    evento.answer = super::record::told(&refusal, &evento.request_id);
    eventos::save(conn, &evento).await
}

/// Tells the customer of a voided range.
async fn tell_voided(conn: &mut Conn, evento: &EventoRow, now_ms: i64) -> DbResult<()> {
    let faixa: FaixaPedida = answer::read(&evento.detalhes)?;
    let row = outbox::OutboxRow {
        id: OutboxId::new(now_ms),
        account_id: evento.account_id.clone(),
        tipo: "nfe.inutilizada".to_owned(),
        subject_id: evento.id.to_string(),
        payload: json!({ "evento_id": evento.id, "faixa": faixa, "protocolo": evento.protocolo })
            .to_string(),
        created_at_ms: now_ms,
        emitter_id: evento.emitter_id.clone().into(),
        ambiente: evento.ambiente,
        ..outbox::OutboxRow::default()
    };
    outbox::insert(conn, &row).await
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

fn value(documento: &Documento, name: &str) -> String {
    let found = documento.valores.iter().find(|value| value.name == name);
    found.map(|value| value.value.clone()).unwrap_or_default()
}

fn xml(account: &AccountId, subject: &str, tipo: &str, bytes: Vec<u8>, now_ms: i64) -> ArtifactRow {
    ArtifactRow {
        subject_id: subject.to_owned(),
        tipo: tipo.to_owned(),
        account_id: account.to_owned(),
        media_type: "application/xml".to_owned(),
        sha256: flow::hex(&Sha256::digest(&bytes)),
        bytes,
        created_at_ms: now_ms,
    }
}

#[cfg(test)]
mod tests {
    use super::{Detalhes, Said, as_sent};
    use serde_json::json;

    /// Its moment and QR code would be those of an earlier key.
    #[test]
    fn a_document_that_was_sent_and_cannot_be_read_is_an_error() {
        let mut detalhes = Detalhes {
            chaves_anteriores: vec!["velha".to_owned()],
            data_emissao: "antes".to_owned(),
            ..Detalhes::default()
        };
        let error = as_sent(&mut detalhes, "<NFe>", &"nfe_1".into()).expect_err("half a document");
        assert!(error.to_string().contains("nfe_1"), "{error}");
        let sent = "<NFe><infNFe><ide><dhEmi>depois</dhEmi></ide></infNFe></NFe>";
        as_sent(&mut detalhes, sent, &"nfe_1".into()).expect("a document");
        assert_eq!(detalhes.data_emissao, "depois");
    }

    #[test]
    fn an_ended_note_says_how_it_ended() {
        let event = |tipo: &str, cstat: &str| json!({ "tipo": tipo, "cstat": cstat, "motivo": format!("evento {cstat}") });
        for (cstat, eventos, said) in [
            ("101", vec![event("110111", "135")], "101"),
            ("151", vec![], "151"),
            // The authorizer goes on to say that it authorized the note.
            (
                "100",
                vec![event("110110", "135"), event("110111", "155")],
                "155",
            ),
            (
                "100",
                vec![event("110112", "135"), event("110140", "136")],
                "135",
            ),
            ("100", vec![event("110111", "573")], "101"),
            ("150", vec![], "101"),
        ] {
            let said_of = json!({ "cstat": cstat, "motivo": "situação", "chave": null, "recebido_em": null, "eventos": eventos });
            let read: Said = serde_json::from_value(said_of).expect("as the contract says");
            assert_eq!(read.end().0, said, "{cstat} {eventos:?}");
            assert!(!read.end().1.is_empty());
        }
    }
}
