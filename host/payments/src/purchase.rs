//! The life of a purchase: row, charge, settlement.

use super::lease_ms;
use super::psp::{self, Answer, Charge, Payer, State};
use crate::offer::{Offer, offered};
use ::accounts::caller::Caller;
use ::accounts::ledger::{self, Movement, NOBODY};
use authority::gateway::Gateway;
use base::errors::{Code, Failure, Refusal};
use base::faultpoint;
use base::when;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::convert::Infallible;
use store::ids::{AccountId, CompraId};
use store::tables::accounts;
use store::tables::compras::{self, PurchaseMeans, PurchaseRow, PurchaseStatus};
use store::tables::idempotency::{self, Scope, Taken};
use store::{Conn, DbResult, Present as _, TxError, contradiction};
use time::Duration;

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;
/// How long after its end a purchase is still asked about: a payment of the
/// last moment, and the day or two a boleto takes to be cleared.
const LATE_MS: i64 = 10 * MINUTE_MS;
const LATE_BOLETO_MS: i64 = 4 * DAY_MS;
/// The PSP is asked about an open purchase in steps of a quarter of its age,
/// between these: the callback is what is fast.
const FIRST_MS: i64 = 15_000;
const LONGEST_MS: i64 = 30 * MINUTE_MS;
/// When a call that met a PSP that does not answer may be repeated.
const AGAIN_S: u64 = 10;

/// Meio de pagamento.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "Meio")]
#[serde(rename_all = "snake_case")]
pub enum Means {
    Pix,
    Boleto,
    /// Em uma página do prestador de pagamento.
    Cartao,
}

impl Means {
    /// As a purchase's row has it.
    fn stored(self) -> PurchaseMeans {
        match self {
            Means::Pix => PurchaseMeans::Pix,
            Means::Boleto => PurchaseMeans::Boleto,
            Means::Cartao => PurchaseMeans::Card,
        }
    }
}

/// A purchase somebody wants.
pub struct PurchaseOrder {
    pub means: Means,
    pub installments: i64,
    pub creditos: i64,
    pub payer: Payer,
    pub idempotency: Option<(Scope, String)>,
}

/// Writes a purchase down and has the PSP make its charge. Returns it, and
/// whether an earlier call with the same key had made it.
///
/// # Errors
/// Nothing is sold here, too many are open, the key stands for another body,
/// or the PSP refuses or does not answer.
pub async fn buy(
    app: &Gateway,
    caller: &Caller,
    request: PurchaseOrder,
) -> Result<(PurchaseRow, bool), Failure> {
    let offer = offered(app).ok_or_else(|| Refusal::new(Code::CompraNaoOferecida))?;
    let row = row(app, caller, &request)?;
    let begin = Begin {
        row: row.clone(),
        idempotency: request.idempotency,
        window_ms: app.config.issuing.idempotency_window_ms(),
        limit: app.config.payments.open_purchases,
    };
    let begun = app
        .db
        .write(begin, |begin, conn| Box::pin(begun(conn, begin)));
    let begun = begun.await?;
    faultpoint::hit("purchase written");
    let Some(existing) = begun else {
        return Ok((in_task(app, offer, row, Fresh::Yes).await?, false));
    };
    let row = load(app, &caller.account_id, &existing).await?;
    if row.status != PurchaseStatus::Waiting || !row.cobranca_id.is_empty() {
        return Ok((row, true));
    }
    // The earlier call ended without knowing: the same charge is asked for
    // again, unless somebody is at it.
    match claim(app, &row).await? {
        Some(row) => Ok((in_task(app, offer, row, Fresh::No).await?, true)),
        None => Err(Refusal::new(Code::RequisicaoEmAndamento)
            .retry_after(2)
            .with("compra_id", existing)
            .into()),
    }
}

/// Whether a purchase is new in this call: no charge of it can be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fresh {
    Yes,
    No,
}

fn row(app: &Gateway, caller: &Caller, request: &PurchaseOrder) -> Result<PurchaseRow, Failure> {
    let now_ms = app.now_ms();
    let settings = &app.config.payments;
    let mut due_date = String::new();
    let expires_ms = match request.means {
        Means::Pix => now_ms + settings.pix_minutes * MINUTE_MS,
        Means::Cartao => now_ms + settings.card_minutes * MINUTE_MS,
        Means::Boleto => {
            let due = when::today(now_ms, "DF") + Duration::days(settings.boleto_days);
            due_date = due.to_string();
            // Until the end of its day.
            when::brasilia(due + Duration::DAY)
        }
    };
    let lease_until_ms = now_ms + lease_ms(app);
    Ok(PurchaseRow {
        id: CompraId::new(now_ms),
        account_id: caller.account_id.clone(),
        meio: request.means.stored(),
        parcelas: request.installments,
        creditos: request.creditos,
        status: PurchaseStatus::Waiting,
        pagador: serde_json::to_string(&request.payer)?,
        vencimento: due_date,
        request_id: caller.request_id.clone(),
        expira_ms: expires_ms,
        next_check_ms: lease_until_ms,
        lease_owner: app.name.clone(),
        lease_until_ms,
        created_at_ms: now_ms,
        updated_at_ms: now_ms,
        ..PurchaseRow::default()
    })
}

struct Begin {
    row: PurchaseRow,
    idempotency: Option<(Scope, String)>,
    window_ms: i64,
    limit: i64,
}

/// Key and row, or the purchase the key stands for.
async fn begun(conn: &mut Conn, begin: &Begin) -> Result<Option<CompraId>, TxError<Refusal>> {
    let row = &begin.row;
    if let Some((scope, fingerprint)) = &begin.idempotency {
        let now_ms = row.created_at_ms;
        let taken =
            idempotency::take(conn, scope, fingerprint, &row.id, now_ms, begin.window_ms).await?;
        if let Taken::Theirs(theirs) = taken {
            if theirs.fingerprint == *fingerprint {
                return Ok(Some(theirs.subject_id.into()));
            }
            return Err(TxError::Abort(
                Refusal::new(Code::ChaveIdempotenciaReutilizada)
                    .with("compra_id", theirs.subject_id),
            ));
        }
    }
    // One after the other: together they could pass the limit.
    accounts::lock(conn, &row.account_id).await?;
    if compras::open(conn, &row.account_id).await? >= begin.limit {
        return Err(TxError::Abort(
            Refusal::new(Code::EstadoInvalido)
                .message(format!("A conta já tem {} compras em aberto.", begin.limit))
                .hint("Pague ou deixe expirar as compras em aberto."),
        ));
    }
    compras::insert(conn, row).await?;
    Ok(None)
}

/// The charge in a task of its own: a caller that goes away leaves none half
/// made.
async fn in_task(
    app: &Gateway,
    offer: Offer,
    row: PurchaseRow,
    fresh: Fresh,
) -> Result<PurchaseRow, Failure> {
    let app = app.clone();
    let made = tokio::spawn(async move { make_charge(&app, &offer, row, fresh).await });
    made.await.map_err(anyhow::Error::from)?
}

/// Has the charge made of a purchase this caller holds, and gives it back.
async fn make_charge(
    app: &Gateway,
    offer: &Offer,
    row: PurchaseRow,
    fresh: Fresh,
) -> Result<PurchaseRow, Failure> {
    let asked = psp::create(app, offer, &row)
        .await
        .map_err(anyhow::Error::from)?;
    faultpoint::hit("charge answered");
    let unanswered = || {
        Refusal::new(Code::PagamentoIndisponivel)
            .retry_after(AGAIN_S)
            .with("compra_id", row.id.clone())
    };
    match asked {
        Answer::Found(charge) if of_this(&row, &charge) => {
            observed(app, &row, charge).await?;
            load(app, &row.account_id, &row.id).await
        }
        Answer::Found(charge) => {
            tracing::error!(compra.id = %row.id, charge.id = %charge.cobranca_id, cents = charge.valor_centavos, "the PSP has another charge under this purchase");
            later(app, &row, interval_ms(app, &row)).await?;
            Err(unanswered().into())
        }
        Answer::Refused { codigo, text } => {
            close(
                app,
                &row,
                PurchaseStatus::Cancelled,
                &format!("{codigo}: {text}"),
            )
            .await?;
            let words = json!({ "codigo": codigo, "mensagem": text });
            Err(Refusal::new(Code::PagamentoRecusado)
                .with("compra_id", row.id)
                .with("recusa", words)
                .into())
        }
        // There is certainly no charge, so the purchase is cancelled as well.
        Answer::Unknown { exists: false } if fresh == Fresh::Yes => {
            close(app, &row, PurchaseStatus::Cancelled, "o PSP não respondeu").await?;
            Err(Refusal::new(Code::PagamentoIndisponivel)
                .retry_after(AGAIN_S)
                .into())
        }
        Answer::Unknown { .. } | Answer::NotFound => {
            later(app, &row, interval_ms(app, &row)).await?;
            Err(unanswered().into())
        }
    }
}

fn of_this(row: &PurchaseRow, charge: &Charge) -> bool {
    charge.compra_id == row.id
        && charge.valor_centavos == row.creditos
        && charge.meio == row.meio.as_str()
}

/// Goes on with an open purchase this caller holds: for the job.
///
/// # Errors
/// The database failed.
pub(super) async fn go_on(app: &Gateway, offer: &Offer, row: PurchaseRow) -> Result<(), Failure> {
    if row.cobranca_id.is_empty() && app.now_ms() < row.expira_ms {
        return match make_charge(app, offer, row, Fresh::No).await {
            // What the PSP says is in the row; nobody waits for it here.
            Ok(_) | Err(Failure::Refused(_)) => Ok(()),
            Err(failure) => Err(failure),
        };
    }
    let step_ms = interval_ms(app, &row);
    check(app, offer, row, step_ms).await
}

/// Asks the PSP what became of a purchase, and gives it back; without an
/// answer, to be asked again after `step_ms`.
async fn check(
    app: &Gateway,
    offer: &Offer,
    row: PurchaseRow,
    step_ms: i64,
) -> Result<(), Failure> {
    match psp::query(app, offer, &row).await {
        Answer::Found(charge) if charge.compra_id == row.id => observed(app, &row, charge).await,
        Answer::NotFound if over(app, &row) => {
            close(
                app,
                &row,
                PurchaseStatus::Expired,
                "o PSP não tem a cobrança",
            )
            .await
        }
        other => {
            if let Answer::Found(charge) = other {
                tracing::error!(compra.id = %row.id, charge.id = %charge.cobranca_id, "the PSP answered about another purchase");
            }
            later(app, &row, step_ms).await
        }
    }
}

/// Whether the purchase has expired, and the time for payments that were still
/// on their way is over too.
fn over(app: &Gateway, row: &PurchaseRow) -> bool {
    let late_ms = if row.meio == PurchaseMeans::Boleto {
        LATE_BOLETO_MS
    } else {
        LATE_MS
    };
    app.now_ms() >= row.expira_ms + late_ms
}

/// Writes what the PSP answered about this purchase: paid, paid with another
/// amount, ended, or still open.
async fn observed(app: &Gateway, row: &PurchaseRow, charge: Charge) -> Result<(), Failure> {
    let paid_right = charge.pago_centavos == row.creditos && of_this(row, &charge);
    let pay = json!({ "pix": charge.pix, "boleto": charge.boleto, "cartao": charge.cartao });
    let next_ms = app.now_ms() + interval_ms(app, row);
    let input = Observation {
        row: row.clone(),
        pay: pay.to_string(),
        end: match charge.situacao {
            State::Paga if paid_right => Observed::Paid,
            State::Paga => Observed::Divergent,
            State::Expirada if over(app, row) => Observed::Over(PurchaseStatus::Expired),
            State::Aguardando if over(app, row) => Observed::Over(PurchaseStatus::Expired),
            State::Cancelada => Observed::Over(PurchaseStatus::Cancelled),
            State::Aguardando | State::Expirada => Observed::Open(next_ms),
        },
        charge,
        now_ms: app.now_ms(),
    };
    if let Observed::Divergent = input.end {
        tracing::error!(
            compra.id = %row.id, wanted_cents = row.creditos, paid_cents = input.charge.pago_centavos,
            "a purchase was paid with another amount; nothing is credited"
        );
    }
    let written = app.db.write(input, |input, conn| {
        Box::pin(async move { Ok::<_, TxError<Infallible>>(record(conn, input).await?) })
    });
    Ok(written.await.map_err(anyhow::Error::from)?)
}

struct Observation {
    row: PurchaseRow,
    /// JSON: what is paid with.
    pay: String,
    charge: Charge,
    end: Observed,
    now_ms: i64,
}

enum Observed {
    Open(i64),
    Paid,
    Divergent,
    Over(PurchaseStatus),
}

/// Charge, state and credits, in one transaction.
async fn record(conn: &mut Conn, o: &Observation) -> DbResult<()> {
    let (row, now_ms) = (&o.row, o.now_ms);
    compras::charged(conn, row, &o.charge.cobranca_id, &o.pay, now_ms).await?;
    match o.end {
        Observed::Open(next_ms) => compras::later(conn, row, next_ms).await,
        Observed::Over(status) => {
            compras::closed(conn, row, status, "", now_ms).await?;
            Ok(())
        }
        Observed::Divergent => compras::diverged(conn, row, o.charge.pago_centavos, now_ms).await,
        Observed::Paid => {
            if !compras::settled(conn, row, o.charge.pago_centavos, now_ms).await? {
                return Ok(());
            }
            let movement = Movement {
                account_id: &row.account_id,
                subject_id: &row.id,
                operation: "creditos.compras.create",
                request_id: &row.request_id,
                payer: &NOBODY,
                now_ms,
            };
            if !ledger::purchase(conn, &movement, row.creditos, &row.id).await? {
                return Err(contradiction("second credit of a purchase", &row.id));
            }
            faultpoint::hit("purchase credited, before commit");
            Ok(())
        }
    }
}

fn interval_ms(app: &Gateway, row: &PurchaseRow) -> i64 {
    ((app.now_ms() - row.created_at_ms) / 4).clamp(FIRST_MS, LONGEST_MS)
}

async fn later(app: &Gateway, row: &PurchaseRow, step_ms: i64) -> Result<(), Failure> {
    let input = (row.clone(), app.now_ms() + step_ms);
    let written = app.db.write(input, |(row, next_ms), conn| {
        Box::pin(
            async move { Ok::<_, TxError<Infallible>>(compras::later(conn, row, *next_ms).await?) },
        )
    });
    Ok(written.await.map_err(anyhow::Error::from)?)
}

/// Ends a purchase nobody will pay; the key of one that was never charged
/// serves another.
async fn close(
    app: &Gateway,
    row: &PurchaseRow,
    status: PurchaseStatus,
    why: &str,
) -> Result<(), Failure> {
    let input = (row.clone(), status, why.to_owned(), app.now_ms());
    let written = app.db.write(input, |(row, status, why, now_ms), conn| {
        Box::pin(async move {
            let closed = compras::closed(conn, row, *status, why, *now_ms).await?;
            if closed && *status == PurchaseStatus::Cancelled {
                idempotency::forget(conn, &row.id).await?;
            }
            Ok::<_, TxError<Infallible>>(())
        })
    });
    Ok(written.await.map_err(anyhow::Error::from)?)
}

async fn load(app: &Gateway, account: &AccountId, id: &CompraId) -> Result<PurchaseRow, Failure> {
    let mut conn = app.db.read().await?;
    Ok(compras::get(&mut conn, account, id)
        .await?
        .present("purchase", id)?)
}

async fn claim(app: &Gateway, row: &PurchaseRow) -> Result<Option<PurchaseRow>, Failure> {
    let now_ms = app.now_ms();
    let node = app.name.clone();
    let input = (row.clone(), node, now_ms + lease_ms(app), now_ms);
    let claimed = app.db.write(input, |(row, node, until_ms, now_ms), conn| {
        Box::pin(async move {
            compras::hint(conn, &row.account_id, &row.id, *now_ms).await?;
            let id = (&row.account_id, &row.id);
            let claimed = compras::claim(conn, id, node, *until_ms, *now_ms).await?;
            Ok::<_, TxError<Infallible>>(claimed)
        })
    });
    Ok(claimed.await.map_err(anyhow::Error::from)?)
}

/// A genuine callback named this purchase: the PSP is asked. If somebody is
/// asking already, the row makes them ask once more.
///
/// # Errors
/// Nobody knows the purchase, or the database failed.
pub async fn notice_received(
    app: &Gateway,
    offer: Offer,
    purchase_id: &CompraId,
) -> Result<(), Failure> {
    let mut conn = app.db.read().await?;
    let row = compras::by_id(&mut conn, purchase_id).await?;
    drop(conn);
    let row = row.ok_or_else(|| {
        Refusal::new(Code::NaoEncontrado).message("Nenhuma compra tem este identificador.")
    })?;
    if row.status == PurchaseStatus::Paid {
        return Ok(());
    }
    if let Some(row) = claim(app, &row).await? {
        let app = app.clone();
        let asked = tokio::spawn(async move { check(&app, &offer, row, FIRST_MS).await });
        asked.await.map_err(anyhow::Error::from)??;
    }
    Ok(())
}
