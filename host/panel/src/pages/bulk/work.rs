//! The work at batches that somebody confirmed: their notes are issued one
//! after another, some at a time, by the operations of the API.
//!
//! Each note has an `Idempotency-Key` of its batch and line, so that a note is
//! issued once, whatever dies meanwhile. A batch belongs to one node by its
//! lease; what a dead node left is taken up as everything else of it
//! (`store::presence`).

use super::batch::{Fault, faults, fields, kept};
use super::columns::Columns;
use super::result::{kind, titles};
use crate::pages::issue::wrong::Refused;
use crate::reply::text;
use accounts::people::known::Known;
use accounts::users::Rights as _;
use accounts::users::role::Role;
use api::inside::{Inside, Reply};
use axum::http::{HeaderMap, HeaderValue, Method};
use futures::StreamExt as _;
use futures::stream;
use gate::Services;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use store::TxError;
use store::rounds::{self, Rounds};
use store::tables::lotes::{self, LoteNotaRow, LoteNotaStatus, LoteRow, LoteStatus};
use store::words::{KeyKind, Maybe};
use tokio::sync::Semaphore;

/// How often a node asks for work.
const LOOK: Duration = Duration::from_millis(500);
/// Batches a node works at.
const BATCHES: usize = 4;
/// Notes of a batch that are sent at a time.
const AT_ONCE: usize = 4;
/// How long a batch is kept.
const KEPT_MS: i64 = 90 * 86_400_000;
/// How often old ones are deleted.
const SWEEP_MS: i64 = 3_600_000;
/// A key is trusted this much shorter than the hub remembers it.
const MARGIN_MS: i64 = 600_000;

/// Codes of refusals that the next note would get, too: the batch stops, and
/// the note waits. None of them leaves anything sent.
const STOPS: &[&str] = &[
    "saldo_insuficiente",
    "conta_bloqueada",
    "certificado_ausente",
    "certificado_vencido",
    "csc_ausente",
    "perfil_fiscal_incompleto",
    "sefaz_indisponivel",
    "espaco_esgotado",
    "prefeitura_indisponivel",
    "consumo_indevido_bloqueado",
    "limite_de_requisicoes",
    "manutencao",
];

/// The loop of a node.
pub async fn poll(app: Services) {
    let inside = Inside::new(&app);
    let mut rounds = Rounds::every(&app, LOOK);
    let places = Arc::new(Semaphore::new(BATCHES));
    let mut swept_ms = 0;
    loop {
        rounds.next().await;
        let now_ms = app.now_ms();
        if now_ms - swept_ms > SWEEP_MS {
            swept_ms = now_ms;
            if let Err(error) = sweep(&app, now_ms).await {
                tracing::error!(%error, "old batches of notes cannot be deleted");
            }
        }
        let work = |batch| {
            let (app, inside) = (app.clone(), inside.clone());
            async move { run(&app, &inside, batch).await }
        };
        if let Err(error) = rounds::start(&places, || claim(&app), work).await {
            tracing::error!(error = %format!("{error:#}"), "batches of notes cannot be taken up");
        }
    }
}

async fn sweep(app: &Services, now_ms: i64) -> Result<(), TxError<Infallible>> {
    let swept = app.db.write(now_ms - KEPT_MS, |before_ms, conn| {
        Box::pin(
            async move { Ok::<_, TxError<Infallible>>(lotes::forget(conn, *before_ms).await?) },
        )
    });
    swept.await
}

/// Until when a node has a batch: longer than its notes wait for an authority.
fn until_ms(app: &Services) -> i64 {
    let wait_ms = i64::try_from(app.config.issuing.wait_ms).unwrap_or(i64::MAX / 8);
    app.now_ms() + app.config.flow.lease_ms + 2 * wait_ms
}

async fn claim(app: &Services) -> anyhow::Result<Option<LoteRow>> {
    let now_ms = app.now_ms();
    let mut conn = app.db.read().await?;
    if !lotes::due(&mut conn, now_ms).await? {
        return Ok(None);
    }
    drop(conn);
    let input = (app.name.clone(), until_ms(app), now_ms);
    let claimed = app.db.write(input, |(node, until_ms, now_ms), conn| {
        Box::pin(async move {
            let row = lotes::claim(conn, node, *until_ms, *now_ms).await?;
            Ok::<_, TxError<Infallible>>(row)
        })
    });
    Ok(claimed.await?)
}

/// Why the work at a batch ended.
enum End {
    Finished,
    Stopped(String),
    /// Another node has it, or this one stops: it goes on elsewhere.
    Left,
}

async fn run(app: &Services, inside: &Inside, batch: LoteRow) {
    let id = batch.id.clone();
    let end = match issue(app, inside, &batch).await {
        Ok(end) => end,
        Err(error) => {
            tracing::error!(batch.id = %id, error = %format!("{error:#}"), "a batch of notes stopped");
            let reason =
                "Houve uma falha nossa. As notas já emitidas estão guardadas: continue o lote.";
            End::Stopped(reason.to_owned())
        }
    };
    let (status, reason) = match end {
        End::Finished => (LoteStatus::Finished, String::new()),
        End::Stopped(reason) => (LoteStatus::Stopped, reason),
        // The lease ends, or the process.
        End::Left => return,
    };
    let input = (batch, status, reason, app.now_ms());
    let ended = app
        .db
        .write(input, |(batch, status, reason, now_ms), conn| {
            Box::pin(async move {
                lotes::end(conn, batch, *status, reason, *now_ms).await?;
                Ok::<_, TxError<Infallible>>(())
            })
        });
    if let Err(error) = ended.await {
        tracing::error!(batch.id = %id, %error, "a batch of notes is left to its lease");
    }
}

/// Issues what is left of a batch.
async fn issue(app: &Services, inside: &Inside, batch: &LoteRow) -> anyhow::Result<End> {
    loop {
        if app.draining.load(Ordering::Relaxed) || !renewed(app, batch).await? {
            return Ok(End::Left);
        }
        let mut conn = app.db.read().await?;
        let rows = lotes::open(&mut conn, &batch.id, i64::try_from(AT_ONCE)?).await?;
        let kind = if batch.live == 1 {
            KeyKind::Live
        } else {
            KeyKind::Test
        };
        let scopes = Role::Developer.scopes();
        let person = Known::person(&mut conn, &batch.account_id, kind, scopes, app.now_ms());
        let person = Arc::new(person.await?);
        drop(conn);
        if rows.is_empty() {
            return Ok(End::Finished);
        }
        let stop = AtomicBool::new(false);
        let one = |row| one(app, inside, (batch, &person), row, &stop);
        let done: Vec<anyhow::Result<Option<String>>> = stream::iter(rows)
            .map(one)
            .buffer_unordered(AT_ONCE)
            .collect()
            .await;
        for done in done {
            if let Some(reason) = done? {
                return Ok(End::Stopped(reason));
            }
        }
    }
}

async fn renewed(app: &Services, batch: &LoteRow) -> anyhow::Result<bool> {
    let input = (batch.id.clone(), batch.fence, until_ms(app));
    let renewed = app.db.write(input, |(id, fence, until_ms), conn| {
        Box::pin(async move {
            let renewed = lotes::renew(conn, id, *fence, *until_ms).await?;
            Ok::<_, TxError<Infallible>>(renewed)
        })
    });
    Ok(renewed.await?)
}

/// Issues a note; Some: why the batch stops.
async fn one(
    app: &Services,
    inside: &Inside,
    (batch, person): (&LoteRow, &Arc<Known>),
    mut row: LoteNotaRow,
    stop: &AtomicBool,
) -> anyhow::Result<Option<String>> {
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let window_ms = app.config.issuing.idempotency_window_ms() - MARGIN_MS;
    if row.enviada_ms > 0 && app.now_ms() - row.enviada_ms > window_ms {
        row.status = LoteNotaStatus::Uncertain;
        let what = "O envio desta nota foi interrompido, e não se sabe se ela foi emitida. Procure-a em Documentos antes de enviar outra.";
        row.erros = said(row.linha, what)?;
        ended(app, row).await?;
        return Ok(None);
    }
    if !begun(app, batch, &row).await? {
        return Ok(None);
    }
    let mut headers = HeaderMap::new();
    let key = format!("lote-{}-{}", batch.id, row.linha);
    headers.insert("idempotency-key", HeaderValue::from_str(&key)?);
    let path = format!("/api/v1/{}", kind(batch));
    let body = row.corpo.clone().into_bytes();
    let reply = inside
        .ask_in_turn(person, Method::POST, &path, headers, body)
        .await?;
    match outcome(batch, &mut row, &reply)? {
        Outcome::Ended => {
            ended(app, row).await?;
            Ok(None)
        }
        Outcome::Waits(reason) => {
            stop.store(true, Ordering::Relaxed);
            back(app, row).await?;
            Ok(Some(reason))
        }
        Outcome::Unknown(reason) => {
            stop.store(true, Ordering::Relaxed);
            Ok(Some(reason))
        }
    }
}

enum Outcome {
    /// The row says what came of it.
    Ended,
    /// Nothing was sent, and nothing of the batch is now.
    Waits(String),
    /// A failure of ours: the note is asked for again under its key.
    Unknown(String),
}

/// What an answer means for the row.
fn outcome(batch: &LoteRow, row: &mut LoteNotaRow, reply: &Reply) -> anyhow::Result<Outcome> {
    let answer = reply.json();
    let note = text(&answer, "nota_id");
    if reply.ok() && !note.is_empty() {
        row.status = LoteNotaStatus::Sent;
        row.nota_id = Maybe::of(note);
        row.erros = "[]".to_owned();
        return Ok(Outcome::Ended);
    }
    let code = text(&answer, "codigo");
    let columns = Columns::read(&titles(batch), kind(batch));
    let group = kept(&row.celulas);
    let refused = match &columns {
        Ok(columns) => {
            let fields = fields(columns, &group, kind(batch), &batch.emitter_id);
            Refused::of(reply, &fields)
        }
        Err(_) => Refused::of_body(&answer, &crate::form::Fields::default()),
    };
    let reason = || {
        let said = refused.said.iter().map(|said| said.sentence.clone());
        said.collect::<Vec<_>>().join(" ")
    };
    if STOPS.contains(&code) {
        return Ok(Outcome::Waits(reason()));
    }
    if reply.status >= 500 {
        return Ok(Outcome::Unknown(reason()));
    }
    row.nota_id = Maybe::of(note);
    // It is still on its way under this key: its own page says what becomes of it.
    let open = matches!(code, "requisicao_em_andamento" | "em_transmissao");
    row.status = if open {
        LoteNotaStatus::Sent
    } else {
        LoteNotaStatus::Refused
    };
    row.erros = if open {
        "[]".to_owned()
    } else {
        serde_json::to_string(&faults(&group, &refused))?
    };
    Ok(Outcome::Ended)
}

fn said(line: i64, sentence: &str) -> anyhow::Result<String> {
    let fault = Fault {
        line,
        column: String::new(),
        sentence: sentence.to_owned(),
    };
    Ok(serde_json::to_string(&[fault])?)
}

async fn begun(app: &Services, batch: &LoteRow, row: &LoteNotaRow) -> anyhow::Result<bool> {
    let input = (batch.id.clone(), row.linha, batch.fence, app.now_ms());
    let begun = app.db.write(input, |(id, line, fence, now_ms), conn| {
        Box::pin(async move {
            let begun = lotes::begin_nota(conn, id, *line, *fence, *now_ms).await?;
            Ok::<_, TxError<Infallible>>(begun)
        })
    });
    Ok(begun.await?)
}

async fn ended(app: &Services, row: LoteNotaRow) -> anyhow::Result<()> {
    let ended = app.db.write(row, |row, conn| {
        Box::pin(async move { Ok::<_, TxError<Infallible>>(lotes::end_nota(conn, row).await?) })
    });
    Ok(ended.await?)
}

async fn back(app: &Services, row: LoteNotaRow) -> anyhow::Result<()> {
    let back = app.db.write(row, |row, conn| {
        Box::pin(async move {
            lotes::back(conn, &row.lote_id, row.linha).await?;
            Ok::<_, TxError<Infallible>>(())
        })
    });
    Ok(back.await?)
}
