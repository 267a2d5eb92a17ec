//! A batch: events of one company that go together, and what is found of them.

use super::verdict::{Entry, Judged, judge_all};
use super::{Made, company, wrong};
use crate::Issuing;
use accounts::caller::Caller;
use anyhow::Context as _;
use authority::customer::IssuingCustomer;
use authority::way::{Mode, Way};
use base::errors::{Code, Failure, Refusal};
use dere::batch::MAX_EVENTS;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use store::ids::{DereBatchId, DereEventId};
use store::tables::dere::{self as rows, DereBatchRow, DereBatchStatus, DereEventRow};
use store::tables::emitters;
use store::tables::idempotency::{self, Scope, Taken};
use store::words::{Ambiente, Maybe};
use store::{Conn, Present as _, TxError, stored};

/// Largest documents of a batch together, bytes. The layout has no limit; this
/// one bounds what one call works on and answers.
const MAX_BYTES: usize = 8 << 20;

/// Events somebody wants put together.
#[derive(Clone, Debug)]
pub struct BatchOrder {
    pub caller: Caller,
    pub events: Vec<DereEventId>,
    pub idempotency: Option<(Scope, String)>,
}

/// Puts events into a batch, signs and judges them. The batch that comes back
/// is the one that was put together: what was found is in its row.
///
/// # Errors
/// No such event, events of several companies, events of another batch, too
/// many of them, or the key stands for another request.
pub async fn assemble(app: &Issuing, order: BatchOrder) -> Result<Made<DereBatchRow>, Failure> {
    let events = events(app, &order).await?;
    let first = events.first().context("a batch has an event")?;
    let (inscription, ambiente, emitter_id) = company(first);
    let now_ms = app.now_ms();
    let entries: Vec<Entry> = events.iter().map(Entry::unjudged).collect();
    let begin = Begin {
        row: DereBatchRow {
            id: DereBatchId::new(now_ms),
            account_id: order.caller.account_id.clone(),
            emitter_id: emitter_id.clone(),
            ambiente,
            leiaute: dere::LAYOUT.to_owned(),
            inscricao: inscription.to_owned(),
            status: DereBatchStatus::Assembled,
            eventos: serde_json::to_string(&entries)?,
            created_at_ms: now_ms,
            updated_at_ms: now_ms,
        },
        events: order.events,
        unseen: order.caller.unseen(),
        idempotency: order.idempotency,
        window_ms: app.config.issuing.idempotency_window_ms(),
    };
    let begun = app
        .db
        .write(begin, |begin, conn| Box::pin(begun(conn, begin)));
    let made = begun.await?;
    if !made.replayed {
        found(app, made.row.clone()).await?;
    }
    Ok(made)
}

/// Judges all events of a batch again, by the layout in force.
///
/// # Errors
/// The database failed, a row is damaged, or the certificate cannot sign.
pub async fn judge(app: &Issuing, batch: DereBatchRow) -> Result<DereBatchRow, Failure> {
    let now_ms = app.now_ms();
    let said = app.db.write(batch, move |batch, conn| {
        Box::pin(async move {
            rows::judging(conn, &batch.account_id, &batch.id, now_ms).await?;
            Ok::<_, TxError<Refusal>>(batch.clone())
        })
    });
    found(app, said.await?).await
}

/// The events of an order, in its order.
async fn events(app: &Issuing, order: &BatchOrder) -> Result<Vec<DereEventRow>, Failure> {
    if order.events.is_empty() {
        return Err(wrong(
            "eventos",
            "O lote não tem eventos.",
            "Informe de 1 a 50 eventos.",
        ));
    }
    if order.events.len() > MAX_EVENTS {
        let limit = format!(
            "O lote tem {} eventos; cabem {MAX_EVENTS}.",
            order.events.len()
        );
        return Err(full(&limit, "Divida os eventos em mais de um lote."));
    }
    let mut conn = app.db.read().await?;
    let mut found: Vec<DereEventRow> = Vec::with_capacity(order.events.len());
    for (index, id) in order.events.iter().enumerate() {
        let place = format!("eventos[{index}]");
        let account = &order.caller.account_id;
        let row = rows::event(&mut conn, account, id, order.caller.unseen()).await?;
        let row = row.ok_or_else(|| {
            Refusal::field(
                Code::NaoEncontrado,
                &place,
                "Evento não encontrado.",
                "Use o evento_id de POST /api/v1/dere/eventos.",
            )
        })?;
        fits(&found, &row, &place)?;
        found.push(row);
    }
    // An event that could not be written has no document, and may be as large.
    let size = |row: &DereEventRow| row.xml.len().max(row.dados.len());
    if found.iter().map(size).sum::<usize>() > MAX_BYTES {
        return Err(full(
            "Os eventos são grandes demais para um lote: cabem 8 MiB.",
            "Divida os eventos em mais de um lote.",
        ));
    }
    Ok(found)
}

/// A batch has each event once, of one company and one environment.
fn fits(before: &[DereEventRow], row: &DereEventRow, place: &str) -> Result<(), Failure> {
    let Some(first) = before.first() else {
        return Ok(());
    };
    if before.iter().any(|other| other.id == row.id) {
        return Err(wrong(
            place,
            "O evento está repetido no lote.",
            "Deixe cada evento uma vez só.",
        ));
    }
    if first.inscricao != row.inscricao {
        return Err(wrong(
            place,
            "O evento é de outra empresa: a raiz do CNPJ é diferente da do primeiro.",
            "Monte um lote para cada empresa.",
        ));
    }
    if first.ambiente != row.ambiente {
        return Err(wrong(
            place,
            "O evento é de outro ambiente que o primeiro.",
            "Monte um lote para cada ambiente.",
        ));
    }
    Ok(())
}

fn full(message: &str, hint: &str) -> Failure {
    let refusal = Refusal::field(Code::LimiteDoLote, "eventos", message, hint);
    refusal.message(message).into()
}

struct Begin {
    row: DereBatchRow,
    events: Vec<DereEventId>,
    unseen: &'static str,
    idempotency: Option<(Scope, String)>,
    window_ms: i64,
}

/// Key, row and events, or the batch the key stands for.
async fn begun(conn: &mut Conn, begin: &Begin) -> Result<Made<DereBatchRow>, TxError<Refusal>> {
    let row = &begin.row;
    let now_ms = row.created_at_ms;
    if let Some((scope, fingerprint)) = &begin.idempotency {
        let taken =
            idempotency::take(conn, scope, fingerprint, &row.id, now_ms, begin.window_ms).await?;
        if let Taken::Theirs(theirs) = taken {
            if theirs.fingerprint != *fingerprint {
                let refusal = Refusal::new(Code::ChaveIdempotenciaReutilizada);
                return Err(TxError::Abort(refusal.with("lote_id", theirs.subject_id)));
            }
            let id = DereBatchId::from(theirs.subject_id);
            let there = rows::batch(conn, &row.account_id, &id, begin.unseen).await?;
            return Ok(Made {
                row: there.present("batch of a key", &id)?,
                replayed: true,
            });
        }
    }
    rows::insert_batch(conn, row).await?;
    for (index, id) in begin.events.iter().enumerate() {
        if !rows::join(conn, &row.account_id, id, &row.id, now_ms).await? {
            let mut refusal = Refusal::field(
                Code::EstadoInvalido,
                &format!("eventos[{index}]"),
                "O evento já está em outro lote.",
                "Só sai de um lote o evento de um lote rejeitado.",
            );
            refusal.message = Some("Um evento já está em outro lote.".to_owned());
            refusal.hint = Some("Use eventos que não estão em um lote.".to_owned());
            return Err(TxError::Abort(refusal));
        }
    }
    Ok(Made {
        row: row.clone(),
        replayed: false,
    })
}

/// What the JSON of a batch says of which event it is about.
#[derive(Deserialize)]
struct Listed {
    evento_id: DereEventId,
}

/// Signs and judges the events of a batch and writes what was found.
async fn found(app: &Issuing, mut batch: DereBatchRow) -> Result<DereBatchRow, Failure> {
    let listed: Vec<Listed> = stored(&batch.eventos, "events of a batch", &batch.id)?;
    let mut conn = app.db.read().await?;
    let mut events = Vec::with_capacity(listed.len());
    for one in listed {
        let row = rows::event(&mut conn, &batch.account_id, &one.evento_id, "").await?;
        events.push(row.present("event of a batch", &one.evento_id)?);
    }
    drop(conn);
    let customer = customer(app, &batch).await?;
    let id = batch.id.clone();
    // Up to 8 MiB are written, signed and judged: off the threads that serve.
    let judged = tokio::task::spawn_blocking(move || judge_all(events, &id, &customer));
    let judged = judged.await.context("judging a batch")??;
    let now_ms = app.now_ms();
    batch.status = if judged.accepted() {
        DereBatchStatus::Accepted
    } else {
        DereBatchStatus::Rejected
    };
    dere::LAYOUT.clone_into(&mut batch.leiaute);
    batch.eventos = serde_json::to_string(&judged.entries)?;
    batch.updated_at_ms = now_ms;
    let written = app.db.write((batch, judged), move |(batch, judged), conn| {
        Box::pin(async move {
            write(conn, batch, judged, now_ms).await?;
            Ok::<_, TxError<Refusal>>(batch.clone())
        })
    });
    Ok(written.await?)
}

async fn write(
    conn: &mut Conn,
    batch: &DereBatchRow,
    judged: &Judged,
    now_ms: i64,
) -> store::DbResult<()> {
    for row in &judged.rows {
        let row = DereEventRow {
            updated_at_ms: now_ms,
            ..row.clone()
        };
        rows::judged_event(conn, &row, &batch.id).await?;
    }
    rows::judged_batch(conn, batch).await
}

/// Who signs: the company's certificate, the simulated one of a test key, or
/// nobody.
async fn customer(app: &Issuing, batch: &DereBatchRow) -> Result<IssuingCustomer, Failure> {
    let mut conn = app.db.read().await?;
    let emitter = emitters::get(&mut conn, &batch.account_id, &batch.emitter_id).await?;
    drop(conn);
    let Some(emitter) = emitter else {
        return Ok(IssuingCustomer::empty());
    };
    let simulated = batch.ambiente == Ambiente::Simulated;
    let way = Way {
        mode: if simulated {
            Mode::InProcess
        } else {
            Mode::Official
        },
        endpoints: BTreeMap::new(),
        hosts: BTreeSet::new(),
        emitter_id: emitter.id.clone(),
        certificate_id: if simulated {
            Maybe(None)
        } else {
            emitter.certificate_id.clone()
        },
    };
    Ok(IssuingCustomer::open(app, &batch.account_id, &emitter.cnpj, &way).await?)
}
