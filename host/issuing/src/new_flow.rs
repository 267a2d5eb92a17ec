//! Creates flows: the first one of a document, and the next one of a document
//! that had one.

use crate::Issuing;
use authority::way::Way;
use flow::contract::Context;
use store::ids::FlowId;
use store::tables::flows::{self, FlowOperation, FlowPhase, FlowRow};
use store::tables::{certificates, emitters};
use store::{Conn, DbResult, stored};

/// A new flow in the transaction of the caller, owned by nobody; the rest of
/// `base` (subject, component, content, context, way) is taken as it is.
pub async fn insert_flow(
    conn: &mut Conn,
    base: FlowRow,
    operation: FlowOperation,
    now_ms: i64,
) -> DbResult<()> {
    insert_flow_at(conn, base, operation, now_ms, now_ms).await
}

/// As `insert_flow`, for a flow that begins at `at_ms`.
pub async fn insert_flow_at(
    conn: &mut Conn,
    base: FlowRow,
    operation: FlowOperation,
    at_ms: i64,
    now_ms: i64,
) -> DbResult<()> {
    let row = FlowRow {
        wake_at_ms: at_ms,
        ..begun(base, operation, &Lease::default(), now_ms)
    };
    flows::insert(conn, &row).await?;
    Ok(())
}

/// A flow that nothing has happened to yet.
fn begun(base: FlowRow, operation: FlowOperation, lease: &Lease, now_ms: i64) -> FlowRow {
    FlowRow {
        id: FlowId::new(now_ms),
        operacao: operation,
        phase: FlowPhase::Start,
        step: 0,
        state: Vec::new(),
        acted: 0,
        wake_at_ms: now_ms,
        fence: i64::from(!lease.owner.is_empty()),
        lease_owner: lease.owner.clone(),
        lease_until_ms: lease.until_ms,
        created_at_ms: now_ms,
        updated_at_ms: now_ms,
        ..base
    }
}

/// Who owns a flow from its first moment, and until when.
#[derive(Clone, Default)]
pub struct Lease {
    pub owner: String,
    pub until_ms: i64,
}

impl Lease {
    /// This node's.
    pub fn of(app: &Issuing) -> Lease {
        Lease {
            owner: app.name.clone(),
            until_ms: app.now_ms() + app.config.flow.lease_ms,
        }
    }
}

/// A new flow this node runs at once, without claiming it apart; None when
/// the subject already has one.
pub async fn insert_owned_flow(
    conn: &mut Conn,
    base: FlowRow,
    operation: FlowOperation,
    lease: &Lease,
    now_ms: i64,
) -> DbResult<Option<FlowRow>> {
    let row = begun(base, operation, lease, now_ms);
    let inserted = flows::insert(conn, &row).await?;
    Ok(inserted.then_some(row))
}

/// The newest flow of a document as another one would begin: with the
/// certificate its emitter has today.
pub async fn again(conn: &mut Conn, subject: &str) -> DbResult<Option<FlowRow>> {
    let Some(last) = flows::last_of(conn, subject).await? else {
        return Ok(None);
    };
    let mut way: Way = stored(&last.way, "way of a flow", &last.id)?;
    let emitter = emitters::get(conn, &last.account_id, &way.emitter_id).await?;
    if let Some(emitter) = emitter
        && emitter.certificate_id.is_some()
        && way.certificate_id.is_some()
    {
        way.certificate_id = emitter.certificate_id;
    }
    let way = serde_json::to_string(&way).map_err(|error| sqlx::Error::Encode(error.into()))?;
    Ok(Some(FlowRow { way, ..last }))
}

/// The way of a flow that is taken up where it stood: with the certificate it
/// began with, or, if that one was removed meanwhile, with that of its emitter
/// today.
///
/// # Errors
/// It cannot be read.
pub async fn way_of(conn: &mut Conn, flow: &FlowRow) -> DbResult<Way> {
    let mut way: Way = stored(&flow.way, "way of a flow", &flow.id)?;
    let Some(id) = way.certificate_id.as_ref() else {
        return Ok(way);
    };
    let account = &flow.account_id;
    if certificates::get(conn, account, id).await?.is_some() {
        return Ok(way);
    }
    let emitter = emitters::get(conn, account, &way.emitter_id).await?;
    if let Some(emitter) = emitter
        && emitter.certificate_id.is_some()
    {
        way.certificate_id = emitter.certificate_id;
    }
    Ok(way)
}

/// A context with a clock and randomness of its own, for a flow that asks now
/// about what was sent with it. `id` names its row in an error.
///
/// # Errors
/// It cannot be read.
pub fn fresh(context: &str, id: &str, now_ms: i64) -> DbResult<String> {
    let mut context: Context = stored(context, "context of a document", id)?;
    let uf = context.uf.clone().unwrap_or_default();
    context.now = base::when::format(base::when::local(now_ms, &uf));
    context.entropy = base::random::entropy();
    serde_json::to_string(&context).map_err(|error| sqlx::Error::Encode(error.into()))
}
