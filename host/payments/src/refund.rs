//! Refunds: CDC, art. 49 (Lei 8.078/1990; Decreto 7.962/2013, art. 5): who
//! bought at a distance may withdraw within seven days and gets the money back.
//! Credits that were spent meanwhile are not refunded.

use super::lease_ms;
use super::psp::{self, Answer, RefundState};
use crate::offer::{Offer, offered};
use accounts::caller::Caller;
use accounts::ledger::{self, Movement, NOBODY};
use authority::gateway::Gateway;
use base::errors::{Code, Failure, Refusal};
use base::faultpoint;
use base::when;
use serde_json::json;
use std::convert::Infallible;
use store::ids::{AccountId, CompraId, ReembolsoId, RequestId};
use store::tables::compras::{self, PurchaseRow, PurchaseStatus};
use store::tables::idempotency::{self, Scope, Taken};
use store::tables::reembolsos::{self, ReembolsoRow, ReembolsoStatus};
use store::{Conn, DbResult, Present as _, TxError, contradiction};
use time::Duration;

/// Days to withdraw. The first one is not counted and the last one is, whole
/// (Código Civil, art. 132); days are those of Brasília.
const DAYS: i64 = 7;
/// The PSP is asked again in growing steps.
const FIRST_MS: i64 = 15_000;
const LONGEST_MS: i64 = 3_600_000;

/// A refund somebody wants.
pub struct RefundOrder {
    pub purchase_id: CompraId,
    pub reason: String,
    pub idempotency: Option<(Scope, String)>,
}

/// What became of it.
pub struct Refunded {
    pub row: ReembolsoRow,
    /// An earlier call with the same key had asked for it.
    pub replayed: bool,
}

/// Takes what is left of a purchase out of the balance and has the PSP give
/// it back.
///
/// # Errors
/// The purchase is not the account's or not paid, it is late, nothing is
/// left, or the PSP refuses.
pub async fn refund(
    app: &Gateway,
    caller: &Caller,
    request: RefundOrder,
) -> Result<Refunded, Failure> {
    let offer = offered(app).ok_or_else(|| Refusal::new(Code::CompraNaoOferecida))?;
    let now_ms = app.now_ms();
    let begin = Begin {
        account_id: caller.account_id.clone(),
        request_id: caller.request_id.clone(),
        id: ReembolsoId::new(now_ms),
        request,
        window_ms: app.config.issuing.idempotency_window_ms(),
        node: app.name.clone(),
        lease_until_ms: now_ms + lease_ms(app),
        now_ms,
    };
    let begun = app
        .db
        .write(begin, |begin, conn| Box::pin(begun(conn, begin)));
    match begun.await? {
        Begun::New(row) => {
            faultpoint::hit("refund written");
            let id = row.id.clone();
            let task = app.clone();
            // In a task of its own: a caller that goes away leaves none half done.
            let asked = tokio::spawn(async move { ask(&task, &offer, *row).await });
            asked.await.map_err(anyhow::Error::from)??;
            told(app, caller, &id, false).await
        }
        Begun::Existing(id) => told(app, caller, &id, true).await,
    }
}

async fn told(
    app: &Gateway,
    caller: &Caller,
    id: &ReembolsoId,
    replayed: bool,
) -> Result<Refunded, Failure> {
    let mut conn = app.db.read().await?;
    let row = reembolsos::get(&mut conn, &caller.account_id, id).await?;
    let row = row.present("refund", id)?;
    if row.status == ReembolsoStatus::Refused {
        return Err(Refusal::new(Code::ReembolsoRecusado)
            .with("reembolso_id", row.id)
            .with("recusa", json!({ "mensagem": row.detalhe }))
            .into());
    }
    Ok(Refunded { row, replayed })
}

struct Begin {
    account_id: AccountId,
    request_id: RequestId,
    id: ReembolsoId,
    request: RefundOrder,
    window_ms: i64,
    /// Who asks the PSP.
    node: String,
    lease_until_ms: i64,
    now_ms: i64,
}

enum Begun {
    New(Box<ReembolsoRow>),
    Existing(ReembolsoId),
}

/// Key, credits and row, or none of them.
async fn begun(conn: &mut Conn, b: &Begin) -> Result<Begun, TxError<Refusal>> {
    let refused = TxError::Abort::<Refusal>;
    if let Some((scope, fingerprint)) = &b.request.idempotency {
        let taken =
            idempotency::take(conn, scope, fingerprint, &b.id, b.now_ms, b.window_ms).await?;
        if let Taken::Theirs(theirs) = taken {
            if theirs.fingerprint == *fingerprint {
                return Ok(Begun::Existing(theirs.subject_id.into()));
            }
            return Err(refused(Refusal::new(Code::ChaveIdempotenciaReutilizada)));
        }
    }
    let purchase = compras::get(conn, &b.account_id, &b.request.purchase_id).await?;
    let purchase = purchase.ok_or_else(|| {
        refused(Refusal::new(Code::NaoEncontrado).message("Compra não encontrada."))
    })?;
    if purchase.status != PurchaseStatus::Paid {
        return Err(refused(
            Refusal::new(Code::EstadoInvalido)
                .message("Só uma compra paga pode ser reembolsada.")
                .hint("Consulte a compra em GET /api/v1/creditos/compras/{id}."),
        ));
    }
    if b.now_ms >= limit_ms(&purchase) {
        let last = when::rfc3339(limit_ms(&purchase));
        return Err(refused(
            Refusal::new(Code::ForaDoPrazoDeReembolso).with("prazo_ate", last),
        ));
    }
    ledger::lock(conn, &b.account_id).await?;
    let creditos = left(conn, &purchase).await?;
    if creditos == 0 {
        return Err(refused(Refusal::new(Code::SemCreditoAReembolsar)));
    }
    let row = ReembolsoRow {
        id: b.id.clone(),
        account_id: b.account_id.clone(),
        compra_id: purchase.id,
        creditos,
        motivo: b.request.reason.clone(),
        status: ReembolsoStatus::Requested,
        request_id: b.request_id.clone(),
        next_check_ms: b.lease_until_ms,
        lease_owner: b.node.clone(),
        lease_until_ms: b.lease_until_ms,
        created_at_ms: b.now_ms,
        updated_at_ms: b.now_ms,
        ..ReembolsoRow::default()
    };
    reembolsos::insert(conn, &row).await?;
    if !ledger::refund(conn, &movement(&row, b.now_ms), creditos, &row.id).await? {
        return Err(contradiction("balance under a refund", &row.id).into());
    }
    faultpoint::hit("refund taken, before commit");
    Ok(Begun::New(Box::new(row)))
}

/// When the right to withdraw from a purchase is over.
pub fn limit_ms(purchase: &PurchaseRow) -> i64 {
    let day = when::today(purchase.paga_ms, "DF");
    when::brasilia(day + Duration::days(DAYS + 1))
}

/// Credits of a paid purchase that were not spent: what was bought first is
/// spent first, after all gifts.
async fn left(conn: &mut Conn, purchase: &PurchaseRow) -> DbResult<i64> {
    let unspent = ledger::origin(conn, &purchase.account_id).await?.refundable;
    let since = compras::since(conn, purchase).await?;
    let own = since.iter().find(|rest| rest.id == purchase.id);
    let own = own.map_or(0, |own| own.resto);
    let later: i64 = since.iter().map(|rest| rest.resto).sum::<i64>() - own;
    Ok((unspent - later).clamp(0, own))
}

fn movement(row: &ReembolsoRow, now_ms: i64) -> Movement<'_> {
    Movement {
        account_id: &row.account_id,
        subject_id: &row.compra_id,
        operation: "creditos.compras.reembolso",
        request_id: &row.request_id,
        payer: &NOBODY,
        now_ms,
    }
}

/// Asks the PSP to give the money of a refund back that this caller holds.
///
/// # Errors
/// The database failed.
pub(super) async fn ask(app: &Gateway, offer: &Offer, row: ReembolsoRow) -> Result<(), Failure> {
    let asked = psp::refund(app, offer, &row).await;
    faultpoint::hit("refund answered");
    let of_this =
        |reembolso_id: &ReembolsoId, cents: i64| *reembolso_id == row.id && cents == row.creditos;
    let end = match asked {
        Answer::Found(done) if of_this(&done.reembolso_id, done.valor_centavos) => {
            match done.situacao {
                RefundState::Concluido => End::Done,
                RefundState::Processando => End::Later,
                RefundState::Recusado => End::Refused("recusado pelo PSP".to_owned()),
            }
        }
        Answer::Found(other) => {
            tracing::error!(reembolso.id = %row.id, answered.id = %other.reembolso_id, cents = other.valor_centavos, "the PSP answered about another refund");
            End::Later
        }
        Answer::Refused { codigo, text } => End::Refused(format!("{codigo}: {text}")),
        Answer::NotFound | Answer::Unknown { .. } => End::Later,
    };
    let now_ms = app.now_ms();
    let step = FIRST_MS.saturating_mul(row.attempts.saturating_mul(row.attempts).max(1));
    let input = (row, end, now_ms + step.min(LONGEST_MS), now_ms);
    let written = app.db.write(input, |(row, end, next_ms, now_ms), conn| {
        Box::pin(async move {
            Ok::<_, TxError<Infallible>>(record(conn, row, end, *next_ms, *now_ms).await?)
        })
    });
    Ok(written.await.map_err(anyhow::Error::from)?)
}

enum End {
    Done,
    Later,
    Refused(String),
}

async fn record(
    conn: &mut Conn,
    row: &ReembolsoRow,
    end: &End,
    next_ms: i64,
    now_ms: i64,
) -> DbResult<()> {
    match end {
        End::Later => reembolsos::later(conn, row, next_ms).await,
        End::Done => {
            reembolsos::ended(conn, row, ReembolsoStatus::Concluded, "", now_ms).await?;
            Ok(())
        }
        End::Refused(words) => {
            if !reembolsos::ended(conn, row, ReembolsoStatus::Refused, words, now_ms).await? {
                return Ok(());
            }
            let movement = movement(row, now_ms);
            if !ledger::refund_returned(conn, &movement, row.creditos, &row.id).await? {
                return Err(contradiction("second return of a refund", &row.id));
            }
            Ok(())
        }
    }
}
