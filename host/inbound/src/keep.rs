//! Keeping what the distribution brought: each document once, in the
//! transaction that moves the NSU on.

use crate::batch::{Evento, Lido, Nota, Recebido};
use issuing::answer::{self, EventoRecebido, Recebida};
use sha2::{Digest as _, Sha256};
use store::ids::{AccountId, EmitterId, OutboxId, RecebidaId};
use store::tables::artifacts::{self, ArtifactRow};
use store::tables::outbox::{self, OutboxRow};
use store::tables::recebidas::{self, RecebidaEventoRow, RecebidaRow, RecebidaSituacao};
use store::words::Ambiente;
use store::{Conn, DbResult, contradiction};

/// Whose documents they are.
#[derive(Clone, Debug, Default)]
pub struct Dono {
    pub account_id: AccountId,
    pub emitter_id: EmitterId,
    pub ambiente: Ambiente,
    pub simulada: bool,
}

/// A document as the API tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// It was not known before.
    pub nova: bool,
    pub documento: Documento,
}

/// What a document is, with its record.
#[derive(Clone, Debug, PartialEq)]
pub enum Documento {
    /// A whole note.
    Completa(Box<Recebida>),
    /// The summary of a note.
    Resumo(Box<Recebida>),
    Evento(EventoRecebido),
}

/// Keeps one document under an id, if it is new; a repeated one changes
/// nothing.
///
/// # Errors
/// The database failed.
pub async fn guardar(
    conn: &mut Conn,
    dono: &Dono,
    recebido: &Recebido,
    id: RecebidaId,
    now_ms: i64,
) -> DbResult<Item> {
    match &recebido.lido {
        Lido::Nota(nota) => {
            let known = recebidas::of_emitter(conn, &dono.emitter_id, dono.ambiente, &nota.chave);
            match known.await? {
                Some(row) => mudar(conn, dono, recebido, nota, row, now_ms).await,
                None => nova(conn, dono, recebido, nota, id, now_ms).await,
            }
        }
        Lido::Evento(evento) => guardar_evento(conn, dono, recebido, evento, id, now_ms).await,
    }
}

async fn nova(
    conn: &mut Conn,
    dono: &Dono,
    recebido: &Recebido,
    nota: &Nota,
    id: RecebidaId,
    now_ms: i64,
) -> DbResult<Item> {
    let mut row = RecebidaRow {
        id,
        account_id: dono.account_id.clone(),
        emitter_id: dono.emitter_id.clone(),
        ambiente: dono.ambiente,
        chave: nota.chave.clone(),
        simulada: i64::from(dono.simulada),
        created_at_ms: now_ms,
        updated_at_ms: now_ms,
        ..RecebidaRow::default()
    };
    adotar(&mut row, recebido.nsu, nota);
    // The event may have come first.
    if recebidas::is_cancelled(conn, &row).await? {
        row.situacao = RecebidaSituacao::Cancelada;
    }
    if !recebidas::insert(conn, &row).await? {
        return Err(contradiction("new received note", &row.chave));
    }
    contar(conn, &row, now_ms).await?;
    com_xml(conn, dono, recebido, nota, row, now_ms).await
}

async fn mudar(
    conn: &mut Conn,
    dono: &Dono,
    recebido: &Recebido,
    nota: &Nota,
    mut row: RecebidaRow,
    now_ms: i64,
) -> DbResult<Item> {
    let before = (row.nsu, row.completa, row.situacao);
    adotar(&mut row, recebido.nsu, nota);
    if before != (row.nsu, row.completa, row.situacao) {
        row.updated_at_ms = now_ms;
        recebidas::save(conn, &row).await?;
    }
    let mut item = com_xml(conn, dono, recebido, nota, row, now_ms).await?;
    item.nova = false;
    Ok(item)
}

/// Keeps the bytes of a note or summary; as the API tells it.
async fn com_xml(
    conn: &mut Conn,
    dono: &Dono,
    recebido: &Recebido,
    nota: &Nota,
    row: RecebidaRow,
    now_ms: i64,
) -> DbResult<Item> {
    let tipo = if nota.completa { "completa" } else { "resumo" };
    xml(conn, dono, &row.id, tipo, &recebido.xml, now_ms).await?;
    let record = Box::new(Recebida {
        // The document's own, not the last one of the note.
        nsu: recebido.nsu,
        ..answer::recebida(&row)
    });
    let documento = if nota.completa {
        Documento::Completa(record)
    } else {
        Documento::Resumo(record)
    };
    Ok(Item {
        nova: true,
        documento,
    })
}

/// Takes over what a document tells; a summary takes nothing back that the
/// whole note, or a cancellation, told before.
fn adotar(row: &mut RecebidaRow, nsu: i64, nota: &Nota) {
    row.nsu = row.nsu.max(nsu);
    if row.situacao != RecebidaSituacao::Cancelada {
        row.situacao = nota.situacao;
    }
    if row.completa == 1 {
        return;
    }
    row.completa = i64::from(nota.completa);
    row.emitente_documento.clone_from(&nota.emitente);
    row.emitente_nome.clone_from(&nota.nome);
    row.emitida_em.clone_from(&nota.emitida_em);
    row.valor.clone_from(&nota.valor);
    row.valor_centavos = nota.valor_centavos;
    row.protocolo.clone_from(&nota.protocolo);
}

async fn guardar_evento(
    conn: &mut Conn,
    dono: &Dono,
    recebido: &Recebido,
    evento: &Evento,
    id: RecebidaId,
    now_ms: i64,
) -> DbResult<Item> {
    let row = RecebidaEventoRow {
        id,
        account_id: dono.account_id.clone(),
        emitter_id: dono.emitter_id.clone(),
        ambiente: dono.ambiente,
        nsu: recebido.nsu,
        chave: evento.chave.clone(),
        codigo: evento.codigo.clone(),
        descricao: evento.descricao.clone(),
        sequencia: i64::from(evento.sequencia),
        registrado_em: evento.registrado_em.clone(),
        protocolo: evento.protocolo.clone(),
        created_at_ms: now_ms,
    };
    let nova = recebidas::insert_evento(conn, &row).await?;
    if nova {
        xml(conn, dono, &row.id, "evento", &recebido.xml, now_ms).await?;
    }
    if matches!(evento.codigo.as_str(), "110111" | "110112") {
        cancelar(conn, dono, &evento.chave, now_ms).await?;
    }
    let documento = Documento::Evento(answer::evento_recebido(&row));
    Ok(Item { nova, documento })
}

async fn cancelar(conn: &mut Conn, dono: &Dono, chave: &str, now_ms: i64) -> DbResult<()> {
    let known = recebidas::of_emitter(conn, &dono.emitter_id, dono.ambiente, chave).await?;
    match known {
        Some(mut row) if row.situacao != RecebidaSituacao::Cancelada => {
            row.situacao = RecebidaSituacao::Cancelada;
            row.updated_at_ms = now_ms;
            recebidas::save(conn, &row).await
        }
        _ => Ok(()),
    }
}

/// Tells the customer of a new note.
async fn contar(conn: &mut Conn, row: &RecebidaRow, now_ms: i64) -> DbResult<()> {
    let payload = serde_json::to_string(&answer::recebida(row))
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
    dono: &Dono,
    subject: &str,
    tipo: &str,
    bytes: &[u8],
    now_ms: i64,
) -> DbResult<()> {
    let artifact = ArtifactRow {
        subject_id: subject.to_owned(),
        tipo: tipo.to_owned(),
        account_id: dono.account_id.clone(),
        media_type: "application/xml".to_owned(),
        sha256: flow::hex(&Sha256::digest(bytes)),
        bytes: bytes.to_vec(),
        created_at_ms: now_ms,
    };
    artifacts::insert(conn, &artifact).await
}
