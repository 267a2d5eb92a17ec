//! Exports of the vault: a ZIP of an account's documents of a period, made by
//! whichever node takes it up, for whoever has the signed link.
//!
//! An export is a row with a lease, as a flow is: when the node that makes it
//! dies, another begins it again. Files stand below the data folder, which
//! nodes of one database share (it has their keys, too).

mod build;

use authority::gateway::Gateway;
use base::errors::{Code, Failure, Refusal};
use store::ids::{EmitterId, ExportacaoId};
use store::tables::emitters;
use store::tables::exportacoes::{self, ExportRow, ExportStatus, Selection};
use store::words::{Ambiente, Maybe};
use store::{Period, TxError};

use accounts::caller::Caller;
use accounts::opening;
use base::files;
use build::{Built, Full};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::rounds::{self, Rounds};
use tokio::sync::Semaphore;
use vault::link;

/// What links to exports are signed for.
const LINK: &str = "hub/export-link/1";
/// How often a node asks for work.
const LOOK_MS: u64 = 500;
/// How often a node looks for files that are over.
const SWEEP_MS: i64 = 60_000;
/// Times an export is begun before it is given up.
const ATTEMPTS: i64 = 3;

/// What somebody wants exported.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ExportOrder {
    pub periodo: Period,
    pub xml: bool,
    pub pdf: bool,
    /// NF-e, NFC-e, NFS-e.
    pub modelos: [bool; 3],
    /// None: all that the key sees.
    #[serde(default)]
    pub ambiente: Option<Ambiente>,
}

/// Writes an export down for the nodes to make.
///
/// # Errors
/// The company is not the account's, there is too much in the period, or
/// another export of the account is being made.
pub async fn ask(
    app: &Gateway,
    caller: &Caller,
    emitter: Option<EmitterId>,
    request: &ExportOrder,
) -> Result<ExportRow, Failure> {
    let now_ms = app.now_ms();
    let account = &caller.account_id;
    let mut conn = app.db.walk(account).await?;
    if let Some(emitter) = &emitter
        && emitters::get(&mut conn, account, emitter).await?.is_none()
    {
        return Err(Refusal::new(Code::NaoEncontrado)
            .message("Emitente não encontrado.")
            .into());
    }
    let mut row = ExportRow {
        id: ExportacaoId::new(now_ms),
        account_id: account.clone(),
        teste: i64::from(caller.is_test()),
        emitter_id: Maybe(emitter),
        pedido: serde_json::to_string(request)?,
        status: ExportStatus::Processing,
        created_at_ms: now_ms,
        ..ExportRow::default()
    };
    row.total = exportacoes::count(&mut conn, &selection(&row, request)).await?;
    drop(conn);
    let limit = app.config.exports.documents;
    if row.total > limit {
        return Err(Refusal::field(
            Code::ParametroInvalido,
            "ate",
            &format!(
                "O período tem {} documentos; uma exportação leva até {limit}.",
                row.total
            ),
            "Exporte períodos menores, ou um emitente ou modelo por vez.",
        )
        .into());
    }
    let written = app.db.write(row.clone(), |row, conn| {
        Box::pin(async move {
            if exportacoes::insert(conn, row).await? {
                return Ok(());
            }
            let running = exportacoes::running(conn, &row.account_id).await?;
            let refusal = Refusal::new(Code::ExportacaoEmAndamento);
            Err(TxError::Abort(match running {
                Some(running) => refusal.with("exportacao_id", running.id),
                None => refusal,
            }))
        })
    });
    written.await?;
    Ok(row)
}

fn selection(row: &ExportRow, request: &ExportOrder) -> Selection {
    let test = row.teste == 1;
    Selection {
        account_id: row.account_id.clone(),
        left_out: opening::left_out(test, request.ambiente),
        emitter_id: row.emitter_id.clone(),
        period: request.periodo.clone(),
        modelos: request.modelos,
    }
}

/// Its state at this moment: a file whose time is over is gone, swept or not.
pub fn status(app: &Gateway, row: &ExportRow) -> ExportStatus {
    if row.status == ExportStatus::Ready && row.expira_ms <= app.now_ms() {
        return ExportStatus::Expired;
    }
    row.status
}

/// Where the file can be fetched without a key; None while there is none.
pub fn url(app: &Gateway, row: &ExportRow) -> Option<String> {
    (status(app, row) == ExportStatus::Ready).then(|| {
        let query = link::query(&app.pepper, LINK, &row.id, row.expira_ms / 1_000);
        let path = format!("/api/v1/documentos/exportacoes/{}/arquivo?{query}", row.id);
        format!("{}{path}", app.config.server.base_url)
    })
}

/// Whether this hub made the link.
pub fn genuine(app: &Gateway, id: &ExportacaoId, expires_s: i64, signature: &str) -> bool {
    link::genuine(&app.pepper, LINK, id, expires_s, signature)
}

/// The file of an export; each that began it has its own.
pub fn file(app: &Gateway, row: &ExportRow) -> PathBuf {
    folder(app).join(format!("{}-{}.zip", row.id, row.fence))
}

fn folder(app: &Gateway) -> PathBuf {
    app.config.storage.data_dir.join("exportacoes")
}

/// The loop of a node: makes what is due, removes what is over.
pub async fn poll(app: Gateway) {
    let mut rounds = Rounds::every(&app, Duration::from_millis(LOOK_MS));
    let places = Arc::new(Semaphore::new(app.config.exports.at_once));
    let mut swept_ms = 0;
    loop {
        rounds.next().await;
        let now_ms = app.now_ms();
        if now_ms - swept_ms > SWEEP_MS {
            swept_ms = now_ms;
            if let Err(error) = sweep(&app, now_ms).await {
                tracing::error!(error = %format!("{error:#}"), "old exports cannot be removed");
            }
        }
        let work = |row| {
            let app = app.clone();
            async move { run(&app, row).await }
        };
        if let Err(error) = rounds::start(&places, || claim(&app), work).await {
            tracing::error!(error = %format!("{error:#}"), "exports cannot be taken up");
        }
    }
}

async fn claim(app: &Gateway) -> anyhow::Result<Option<ExportRow>> {
    let now_ms = app.now_ms();
    let mut conn = app.db.read().await?;
    if !exportacoes::due(&mut conn, now_ms).await? {
        return Ok(None);
    }
    drop(conn);
    let input = (app.name.clone(), now_ms + app.config.flow.lease_ms, now_ms);
    let claimed = app.db.write(input, |(node, until_ms, now_ms), conn| {
        Box::pin(async move {
            let row = exportacoes::claim(conn, node, *until_ms, *now_ms).await?;
            Ok::<_, TxError<Infallible>>(row)
        })
    });
    Ok(claimed.await?)
}

/// Makes an export this node has claimed.
async fn run(app: &Gateway, row: ExportRow) {
    let (id, fence, attempts) = (row.id.clone(), row.fence, row.attempts);
    let path = file(app, &row);
    let (error, again) = if attempts > ATTEMPTS {
        (anyhow::anyhow!("begun {ATTEMPTS} times"), None)
    } else {
        match build::build(app, row, &path).await {
            Ok(Built::Ready) => return,
            // Another node has it: only its own file stays.
            Ok(Built::Fenced) => return remove(&path),
            Ok(Built::Stopped) => (anyhow::anyhow!("the node stops"), Some(0)),
            Err(error) if error.is::<Full>() || attempts == ATTEMPTS => (error, None),
            Err(error) => (error, Some(app.now_ms() + app.config.flow.lease_ms)),
        }
    };
    remove(&path);
    tracing::warn!(export.id = %id, attempts, again = again.is_some(), error = %format!("{error:#}"), "export was not made");
    let input = (id, fence, again, app.now_ms());
    let left = app.db.write(input, |(id, fence, again, now_ms), conn| {
        Box::pin(async move {
            match again {
                Some(until_ms) => exportacoes::defer(conn, id, *fence, *until_ms).await?,
                None => exportacoes::failed(conn, id, *fence, *now_ms).await?,
            }
            Ok::<_, TxError<Infallible>>(())
        })
    });
    if let Err(error) = left.await {
        tracing::error!(%error, "an export is left to its lease");
    }
}

fn remove(path: &std::path::Path) {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            tracing::warn!(%error, path = %path.display(), "file of an export stays for now");
        }
        _ => {}
    }
}

/// Ends the exports whose time is over and removes every file that is not the
/// one of an export that is ready or being made.
async fn sweep(app: &Gateway, now_ms: i64) -> anyhow::Result<()> {
    let expired = app.db.write(now_ms, |now_ms, conn| {
        Box::pin(
            async move { Ok::<_, TxError<Infallible>>(exportacoes::expire(conn, *now_ms).await?) },
        )
    });
    expired.await?;
    files::folder(&folder(app))?;
    for entry in std::fs::read_dir(folder(app))? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|name| name.to_str());
        let Some((id, _)) = stem.and_then(|stem| stem.rsplit_once('-')) else {
            continue;
        };
        let mut conn = app.db.read().await?;
        let row = exportacoes::by_id(&mut conn, &id.into()).await?;
        drop(conn);
        let wanted = row.is_some_and(|row| {
            matches!(row.status, ExportStatus::Ready | ExportStatus::Processing)
                && file(app, &row) == path
        });
        if !wanted {
            remove(&path);
        }
    }
    Ok(())
}
