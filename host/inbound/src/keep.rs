//! Keeping what the distribution brought: each document once, in the
//! transaction that moves the NSU on.

use crate::batch::{Evento, Nota, ReadDocument, Received};
use issuing::answer::{self, ReceivedEvent, ReceivedNota};
use sha2::{Digest as _, Sha256};
use store::ids::{AccountId, EmitterId, OutboxId, RecebidaId};
use store::tables::artifacts::{self, ArtifactRow};
use store::tables::outbox::{self, OutboxRow};
use store::tables::recebidas::{self, ReceivedEventRow, ReceivedNotaRow, ReceivedNotaStatus};
use store::words::Ambiente;
use store::{Conn, DbResult, contradiction};

/// Whose documents they are.
#[derive(Clone, Debug, Default)]
pub struct Owner {
    pub account_id: AccountId,
    pub emitter_id: EmitterId,
    pub ambiente: Ambiente,
    pub simulated: bool,
}

/// A document as the API tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// It was not known before.
    pub fresh: bool,
    pub documento: Documento,
}

/// What a document is, with its record.
#[derive(Clone, Debug, PartialEq)]
pub enum Documento {
    /// A whole note.
    Complete(Box<ReceivedNota>),
    /// The summary of a note.
    Summary(Box<ReceivedNota>),
    Evento(ReceivedEvent),
}

/// Keeps one document under an id, if it is new; a repeated one changes
/// nothing.
///
/// # Errors
/// The database failed.
pub async fn keep(
    conn: &mut Conn,
    owner: &Owner,
    received: &Received,
    id: RecebidaId,
    now_ms: i64,
) -> DbResult<Item> {
    match &received.read {
        ReadDocument::Nota(nota) => {
            let known = recebidas::of_emitter(conn, &owner.emitter_id, owner.ambiente, &nota.chave);
            match known.await? {
                Some(row) => alter(conn, owner, received, nota, row, now_ms).await,
                None => fresh(conn, owner, received, nota, id, now_ms).await,
            }
        }
        ReadDocument::Evento(evento) => keep_event(conn, owner, received, evento, id, now_ms).await,
    }
}

async fn fresh(
    conn: &mut Conn,
    owner: &Owner,
    received: &Received,
    nota: &Nota,
    id: RecebidaId,
    now_ms: i64,
) -> DbResult<Item> {
    let mut row = ReceivedNotaRow {
        id,
        account_id: owner.account_id.clone(),
        emitter_id: owner.emitter_id.clone(),
        ambiente: owner.ambiente,
        chave: nota.chave.clone(),
        simulada: i64::from(owner.simulated),
        created_at_ms: now_ms,
        updated_at_ms: now_ms,
        ..ReceivedNotaRow::default()
    };
    adopt(&mut row, received.nsu, nota);
    // The event may have come first.
    if recebidas::is_cancelled(conn, &row).await? {
        row.situacao = ReceivedNotaStatus::Cancelled;
    }
    if !recebidas::insert(conn, &row).await? {
        return Err(contradiction("new received note", &row.chave));
    }
    tell(conn, &row, now_ms).await?;
    with_xml(conn, owner, received, nota, row, now_ms).await
}

async fn alter(
    conn: &mut Conn,
    owner: &Owner,
    received: &Received,
    nota: &Nota,
    mut row: ReceivedNotaRow,
    now_ms: i64,
) -> DbResult<Item> {
    let before = (row.nsu, row.completa, row.situacao);
    adopt(&mut row, received.nsu, nota);
    if before != (row.nsu, row.completa, row.situacao) {
        row.updated_at_ms = now_ms;
        recebidas::save(conn, &row).await?;
    }
    let mut item = with_xml(conn, owner, received, nota, row, now_ms).await?;
    item.fresh = false;
    Ok(item)
}

/// Keeps the bytes of a note or summary; as the API tells it.
async fn with_xml(
    conn: &mut Conn,
    owner: &Owner,
    received: &Received,
    nota: &Nota,
    row: ReceivedNotaRow,
    now_ms: i64,
) -> DbResult<Item> {
    let kind = if nota.complete { "completa" } else { "resumo" };
    xml(conn, owner, &row.id, kind, &received.xml, now_ms).await?;
    let record = Box::new(ReceivedNota {
        // The document's own, not the last one of the note.
        nsu: received.nsu,
        ..answer::received(&row)
    });
    let documento = if nota.complete {
        Documento::Complete(record)
    } else {
        Documento::Summary(record)
    };
    Ok(Item {
        fresh: true,
        documento,
    })
}

/// Takes over what a document tells; a summary takes nothing back that the
/// whole note, or a cancellation, told before.
fn adopt(row: &mut ReceivedNotaRow, nsu: i64, nota: &Nota) {
    row.nsu = row.nsu.max(nsu);
    if row.situacao != ReceivedNotaStatus::Cancelled {
        row.situacao = nota.status;
    }
    if row.completa == 1 {
        return;
    }
    row.completa = i64::from(nota.complete);
    row.emitente_documento.clone_from(&nota.issuer);
    row.emitente_nome.clone_from(&nota.name);
    row.emitida_em.clone_from(&nota.issued_at);
    row.valor.clone_from(&nota.value);
    row.valor_centavos = nota.value_cents;
    row.protocolo.clone_from(&nota.protocol);
}

async fn keep_event(
    conn: &mut Conn,
    owner: &Owner,
    received: &Received,
    evento: &Evento,
    id: RecebidaId,
    now_ms: i64,
) -> DbResult<Item> {
    let row = ReceivedEventRow {
        id,
        account_id: owner.account_id.clone(),
        emitter_id: owner.emitter_id.clone(),
        ambiente: owner.ambiente,
        nsu: received.nsu,
        chave: evento.chave.clone(),
        codigo: evento.codigo.clone(),
        descricao: evento.description.clone(),
        sequencia: i64::from(evento.sequence),
        registrado_em: evento.registered_at.clone(),
        protocolo: evento.protocol.clone(),
        created_at_ms: now_ms,
    };
    let fresh = recebidas::insert_evento(conn, &row).await?;
    if fresh {
        xml(conn, owner, &row.id, "evento", &received.xml, now_ms).await?;
    }
    if matches!(evento.codigo.as_str(), "110111" | "110112") {
        cancel(conn, owner, &evento.chave, now_ms).await?;
    }
    let documento = Documento::Evento(answer::received_event(&row));
    Ok(Item { fresh, documento })
}

async fn cancel(conn: &mut Conn, owner: &Owner, chave: &str, now_ms: i64) -> DbResult<()> {
    let known = recebidas::of_emitter(conn, &owner.emitter_id, owner.ambiente, chave).await?;
    match known {
        Some(mut row) if row.situacao != ReceivedNotaStatus::Cancelled => {
            row.situacao = ReceivedNotaStatus::Cancelled;
            row.updated_at_ms = now_ms;
            recebidas::save(conn, &row).await
        }
        _ => Ok(()),
    }
}

/// Tells the customer of a new note.
async fn tell(conn: &mut Conn, row: &ReceivedNotaRow, now_ms: i64) -> DbResult<()> {
    let payload = serde_json::to_string(&answer::received(row))
        .map_err(|_| contradiction("received note", &row.id))?;
    let event = OutboxRow {
        id: OutboxId::new(now_ms),
        account_id: row.account_id.clone(),
        tipo: "dfe.recebida".to_owned(),
        subject_id: row.id.to_string(),
        payload,
        created_at_ms: now_ms,
        emitter_id: row.emitter_id.clone().into(),
        ambiente: row.ambiente.into(),
        ..OutboxRow::default()
    };
    outbox::insert(conn, &event).await
}

/// The authority's own bytes, once.
async fn xml(
    conn: &mut Conn,
    owner: &Owner,
    subject: &str,
    kind: &str,
    bytes: &[u8],
    now_ms: i64,
) -> DbResult<()> {
    let artifact = ArtifactRow {
        subject_id: subject.to_owned(),
        tipo: kind.to_owned(),
        account_id: owner.account_id.clone(),
        media_type: "application/xml".to_owned(),
        sha256: flow::hex(&Sha256::digest(bytes)),
        bytes: bytes.to_vec(),
        created_at_ms: now_ms,
    };
    artifacts::insert(conn, &artifact).await
}
