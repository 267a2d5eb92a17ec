//! Objects customers keep: each account has a space of its own, which its test
//! and live keys share.
//!
//! A row says which file is an object's content, and every version has a file
//! of its own. The file is durable before its row is written and goes after
//! its row is gone: what a crash leaves is a file without a row, and those are
//! swept. What the customer calls the object never becomes part of a file's
//! name.

mod backend;
mod link;
pub mod parts;
mod path;
mod sweep;

pub use backend::{Content, Store};
pub use link::{Link, genuine};
pub use path::Caminho;
pub use sweep::{poll, sweep};

use accounts::caller::Caller;
use base::errors::{Code, Failure, Refusal};
use base::{faultpoint, ids};
use futures::{Stream, StreamExt as _};
use hyper::body::Bytes;
use parts::Objects;
use sha2::{Digest as _, Sha256};
use std::time::Duration;
use store::ids::ObjetoId;
use store::tables::objetos::{self, ObjectRow, Uso};
use store::{Conn, TxError};
use tokio::time::Instant;

/// Time the next piece of an object has to arrive.
const PIECE_TIME: Duration = Duration::from_secs(30);
/// Time a whole object has to arrive.
const WHOLE_TIME: Duration = Duration::from_secs(15 * 60);
/// A row is written at most this long after its file was begun; the sweep
/// takes only files twice as old.
const ROW_TIME_MS: i64 = 30 * 60_000;

/// What the names of files begin with.
const VERSION: &str = "ver";
/// Attempts at opening an object whose content is replaced all the time.
const LOOKS: u32 = 16;

/// What somebody wants to keep.
pub struct Keeping {
    pub caminho: Caminho,
    /// Media type, as it came.
    pub kind: String,
    /// Only where there is nothing yet (`If-None-Match: *`).
    pub new: bool,
    /// What the client says that will come.
    pub declared: Option<u64>,
}

/// Why a body does not come any further.
#[derive(Debug, thiserror::Error)]
#[error("the body broke off")]
pub struct Cut;

/// Keeps an object, instead of the one that may be there.
///
/// # Errors
/// 408, 412, 413, 422 `limite_de_armazenamento`, or the store is down.
pub async fn keep(
    app: &Objects,
    caller: &Caller,
    request: Keeping,
    body: &mut (impl Stream<Item = Result<Bytes, Cut>> + Send + Unpin),
) -> Result<ObjectRow, Failure> {
    let account = &caller.account_id;
    let limit = app.config.limits.object_bytes;
    if request.declared.is_some_and(|bytes| bytes > limit) {
        return Err(Refusal::new(Code::CorpoGrandeDemais).into());
    }
    // What is refused anyway need not come over the network; the transaction
    // below decides.
    let mut conn = app.db.read().await?;
    let there = objetos::get(&mut conn, account, request.caminho.as_str()).await?;
    let uso = objetos::uso(&mut conn, account).await?;
    drop(conn);
    if request.new && there.is_some() {
        return Err(exists().into());
    }
    let declared = request.declared.and_then(|bytes| i64::try_from(bytes).ok());
    let replaced = there.map_or(0, |row| row.bytes);
    let more = declared.unwrap_or(0) - replaced;
    if more > 0 && uso.bytes + more > app.config.storage.account_bytes {
        return Err(full(&uso, app.config.storage.account_bytes).into());
    }

    let now_ms = app.now_ms();
    let arquivo = app.objects.name(account, &ids::new(VERSION, now_ms));
    let mut row = ObjectRow {
        id: ObjetoId::new(now_ms),
        account_id: account.clone(),
        caminho: request.caminho.as_str().to_owned(),
        arquivo,
        tipo: request.kind,
        created_at_ms: now_ms,
        updated_at_ms: now_ms,
        ..ObjectRow::default()
    };
    // Each holds a part in memory, and the disk beyond the account's limit.
    let turn = tokio::time::timeout(PIECE_TIME, app.objects.turn(account)).await;
    let Ok(Some(_turn)) = turn else {
        return Err(Refusal::new(Code::LimiteDeRequisicoes)
            .message("A conta já envia objetos demais ao mesmo tempo.")
            .hint("Espere os envios em andamento; o limite está em GET /api/v1/conta.")
            .retry_after(5)
            .into());
    };
    let (bytes, sha256) = receive(app, &row.arquivo, limit, body).await?;
    row.bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
    row.sha256 = sha256;
    faultpoint::hit("storage.file");
    if app.now_ms() - now_ms > ROW_TIME_MS {
        app.objects.remove(&row.arquivo).await;
        return Err(Refusal::new(Code::RequisicaoIncompleta).into());
    }
    let arquivo = row.arquivo.clone();
    let input = (row, request.new, app.config.storage.account_bytes);
    let stored = app.db.write(input, |(row, new, limit), conn| {
        Box::pin(write(conn, row, *new, *limit))
    });
    match stored.await {
        Ok((row, old)) => {
            faultpoint::hit("storage.row");
            if let Some(old) = old {
                app.objects.remove(&old).await;
            }
            Ok(row)
        }
        Err(TxError::Abort(refusal)) => {
            app.objects.remove(&arquivo).await;
            Err(refusal.into())
        }
        // Nobody knows whether the row was written: the file stays, and the
        // sweep finds out.
        Err(TxError::Db(error)) => Err(error.into()),
    }
}

/// Takes the body to the store; size and SHA-256 of what arrived.
async fn receive(
    app: &Objects,
    arquivo: &str,
    limit: u64,
    body: &mut (impl Stream<Item = Result<Bytes, Cut>> + Send + Unpin),
) -> Result<(u64, String), Failure> {
    let mut upload = app.objects.begin(arquivo);
    let end = Instant::now() + WHOLE_TIME;
    let (mut digest, mut bytes) = (Sha256::new(), 0_u64);
    let refused = loop {
        let patience = end.min(Instant::now() + PIECE_TIME);
        let piece = match tokio::time::timeout_at(patience, body.next()).await {
            Ok(None) => break None,
            Ok(Some(Ok(piece))) => piece,
            Ok(Some(Err(Cut))) | Err(_) => {
                break Some(Refusal::new(Code::RequisicaoIncompleta));
            }
        };
        bytes += piece.len() as u64;
        if bytes > limit {
            break Some(Refusal::new(Code::CorpoGrandeDemais));
        }
        digest.update(&piece);
        if let Err(error) = upload.write(piece).await {
            upload.abort().await;
            return Err(unavailable(&error));
        }
    };
    if let Some(refusal) = refused {
        upload.abort().await;
        return Err(refusal.into());
    }
    if let Err(error) = upload.finish().await {
        return Err(unavailable(&error));
    }
    Ok((bytes, flow::hex(&digest.finalize())))
}

/// The row of a file that is there, within the account's limit; the file that
/// was the content before.
async fn write(
    conn: &mut Conn,
    row: &ObjectRow,
    new: bool,
    limit: i64,
) -> Result<(ObjectRow, Option<String>), TxError<Refusal>> {
    let uso = objetos::take(conn, &row.account_id).await?;
    let there = objetos::get(conn, &row.account_id, &row.caminho).await?;
    if new && there.is_some() {
        return Err(TxError::Abort(exists()));
    }
    let (old_bytes, count) = there.as_ref().map_or((0, 1), |old| (old.bytes, 0));
    let more = row.bytes - old_bytes;
    // Less than before always fits, also where the limit was lowered.
    if more > 0 && uso.bytes + more > limit {
        return Err(TxError::Abort(full(&uso, limit)));
    }
    objetos::count(conn, &row.account_id, more, count).await?;
    let Some(old) = there else {
        objetos::insert(conn, row).await?;
        return Ok((row.clone(), None));
    };
    let row = ObjectRow {
        id: old.id,
        created_at_ms: old.created_at_ms,
        ..row.clone()
    };
    objetos::replace(conn, &row).await?;
    Ok((row, Some(old.arquivo)))
}

/// Deletes an object.
///
/// # Errors
/// 404: there is none.
pub async fn delete(app: &Objects, caller: &Caller, caminho: &Caminho) -> Result<(), Failure> {
    let input = (caller.account_id.clone(), caminho.as_str().to_owned());
    let deleted = app.db.write(input, |(account, caminho), conn| {
        Box::pin(async move {
            objetos::take(conn, account).await?;
            let row = objetos::delete(conn, account, caminho).await?;
            let row = row.ok_or_else(|| TxError::Abort(nonexistent()))?;
            objetos::count(conn, account, -row.bytes, -1).await?;
            Ok(row.arquivo)
        })
    });
    let arquivo = deleted.await?;
    faultpoint::hit("storage.deleted");
    app.objects.remove(&arquivo).await;
    Ok(())
}

/// The content of an object, by its id; None when it is gone.
///
/// # Errors
/// The store is down.
pub async fn open(app: &Objects, id: &ObjetoId) -> Result<Option<(ObjectRow, Content)>, Failure> {
    // The content may be replaced between the two looks: then the row names
    // another file.
    let mut missed = String::new();
    for _ in 0..LOOKS {
        let mut conn = app.db.read().await?;
        let row = objetos::by_id(&mut conn, id).await?;
        drop(conn);
        let Some(row) = row else {
            return Ok(None);
        };
        if let Some(content) = app
            .objects
            .open(&row.arquivo)
            .await
            .map_err(|error| unavailable(&error))?
        {
            return Ok(Some((row, content)));
        }
        if row.arquivo == missed {
            break;
        }
        missed = row.arquivo;
    }
    Err(anyhow::anyhow!("object {id} has no file {missed}").into())
}

/// 404 for an object that is not the account's.
pub fn nonexistent() -> Refusal {
    Refusal::new(Code::NaoEncontrado).message("Objeto não encontrado.")
}

fn exists() -> Refusal {
    Refusal::new(Code::VersaoDesatualizada)
        .message("Já existe um objeto neste caminho.")
        .hint("Use outro caminho, ou retire If-None-Match para substituir o objeto.")
}

fn full(uso: &Uso, limit: i64) -> Refusal {
    Refusal::new(Code::LimiteDeArmazenamento)
        .with("usado_bytes", uso.bytes)
        .with("limite_bytes", limit)
}

fn unavailable(error: &backend::StoreError) -> Failure {
    tracing::error!(error = %backend::reason(error), "the store of objects does not work");
    Refusal::new(Code::Manutencao)
        .message("O armazenamento de objetos está indisponível.")
        .retry_after(5)
        .into()
}
