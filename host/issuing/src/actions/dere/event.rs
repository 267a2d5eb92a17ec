//! A new event: its id, its document, and what the layout says of it.

use super::Made;
use super::verdict::{drafted, errors};
use crate::Issuing;
use crate::issue::emitter;
use crate::issue::product::ambiente;
use accounts::caller::Caller;
use anyhow::Context as _;
use base::errors::{Code, Failure, Refusal};
use base::when;
use dere::catalogue::Kind;
use dere::id;
use dere::period::Period;
use markup::ids::Cnpj;
use serde_json::{Map, Value};
use store::ids::{DereEventId, EmitterId};
use store::tables::dere::{self as rows, DereEventRow, DereEventStatus};
use store::tables::emitters::EmitterRow;
use store::tables::idempotency::{self, Scope, Taken};
use store::words::Maybe;
use store::{Conn, Present as _, TxError};

/// How often an event takes another counter, because one of the same second
/// took the one it had chosen.
const TRIES: usize = 20;

/// An event somebody wants kept.
#[derive(Clone, Debug)]
pub struct EventOrder {
    pub caller: Caller,
    /// Absent: the account's default.
    pub emitter_id: Option<EmitterId>,
    pub kind: &'static Kind,
    pub period: Period,
    /// Members with the names of the layout.
    pub data: Map<String, Value>,
    pub idempotency: Option<(Scope, String)>,
}

/// Why the transaction did not keep an event.
enum Stop {
    /// Another event has its id.
    Taken,
    Refused(Refusal),
}

/// Writes an event, judges it and keeps it, also where it is wrong.
///
/// # Errors
/// No such emitter, or the key stands for another request.
pub async fn create(app: &Issuing, order: EventOrder) -> Result<Made<DereEventRow>, Failure> {
    let mut conn = app.db.read().await?;
    let company = emitter(&mut conn, &order.caller, order.emitter_id.as_ref()).await?;
    drop(conn);
    for _ in 0..TRIES {
        let row = row(app, &order, &company).await?;
        let keep = Keep {
            row,
            unseen: order.caller.unseen(),
            idempotency: order.idempotency.clone(),
            window_ms: app.config.issuing.idempotency_window_ms(),
        };
        let kept = app.db.write(keep, |keep, conn| Box::pin(kept(conn, keep)));
        match kept.await {
            Ok(made) => return Ok(made),
            Err(TxError::Abort(Stop::Taken)) => {}
            Err(TxError::Abort(Stop::Refused(refusal))) => return Err(refusal.into()),
            Err(TxError::Db(error)) => return Err(error.into()),
        }
    }
    Err(Refusal::new(Code::LimiteDeRequisicoes)
        .message("Há eventos demais desta empresa neste segundo.")
        .hint("Repita depois do tempo indicado em Retry-After.")
        .retry_after(1)
        .into())
}

/// The row of a new event, with the next free id.
async fn row(
    app: &Issuing,
    order: &EventOrder,
    company: &EmitterRow,
) -> Result<DereEventRow, Failure> {
    let now_ms = app.now_ms();
    let cnpj = Cnpj::parse(&company.cnpj).context("CNPJ of an emitter")?;
    let prefix = id::prefix(order.kind, cnpj.root(), when::local(now_ms, "DF"));
    let mut conn = app.db.read().await?;
    let (first, last) = (
        id::with_counter(&prefix, 0),
        id::with_counter(&prefix, id::MAX_COUNTER),
    );
    let before = rows::last_key(&mut conn, &first, &last).await?;
    drop(conn);
    let before = before.and_then(|key| id::counter(&key)).unwrap_or(0);
    let mut row = DereEventRow {
        id: DereEventId::new(now_ms),
        account_id: order.caller.account_id.clone(),
        emitter_id: company.id.clone(),
        ambiente: ambiente(&order.caller, company),
        tipo: order.kind.code.to_owned(),
        periodo: order.period.as_str().to_owned(),
        leiaute: dere::LAYOUT.to_owned(),
        inscricao: cnpj.root().to_owned(),
        chave: id::with_counter(&prefix, before + 1),
        status: DereEventStatus::Invalid,
        dados: serde_json::to_string(&order.data)?,
        xml: String::new(),
        assinado: 0,
        erros: String::new(),
        batch_id: Maybe(None),
        created_at_ms: now_ms,
        updated_at_ms: now_ms,
    };
    // Up to 1 MiB of JSON: off the threads that serve.
    let draft = tokio::task::spawn_blocking(move || {
        let draft = drafted(&row)?;
        row.xml = draft.xml.unwrap_or_default();
        if draft.faults.is_empty() {
            row.status = DereEventStatus::Valid;
        }
        row.erros = errors(draft.faults)?;
        Ok::<_, anyhow::Error>(row)
    });
    Ok(draft.await.context("writing an event")??)
}

struct Keep {
    row: DereEventRow,
    unseen: &'static str,
    idempotency: Option<(Scope, String)>,
    window_ms: i64,
}

/// Key and row, or the event the key stands for.
async fn kept(conn: &mut Conn, keep: &Keep) -> Result<Made<DereEventRow>, TxError<Stop>> {
    let row = &keep.row;
    if let Some((scope, fingerprint)) = &keep.idempotency {
        let now_ms = row.created_at_ms;
        let taken =
            idempotency::take(conn, scope, fingerprint, &row.id, now_ms, keep.window_ms).await?;
        if let Taken::Theirs(theirs) = taken {
            if theirs.fingerprint != *fingerprint {
                let refusal = Refusal::new(Code::ChaveIdempotenciaReutilizada)
                    .with("evento_id", theirs.subject_id);
                return Err(TxError::Abort(Stop::Refused(refusal)));
            }
            let id = DereEventId::from(theirs.subject_id);
            let there = rows::event(conn, &row.account_id, &id, keep.unseen).await?;
            return Ok(Made {
                row: there.present("event of a key", &id)?,
                replayed: true,
            });
        }
    }
    if !rows::insert_event(conn, row).await? {
        return Err(TxError::Abort(Stop::Taken));
    }
    Ok(Made {
        row: row.clone(),
        replayed: false,
    })
}
