//! Tables `flows` and `flow_turns`: the journal of the adapters' steps.

use super::packed::{self, PackedRow, Turn, text_of, turns_in};
use crate::ids::{AccountId, FlowId, NotaId};
use crate::words::words;
use crate::{Conn, DbResult, Present as _, execute, fetch_all, fetch_optional, fetch_value, row};
use std::collections::HashMap;

words! {
    /// What a flow does: the contract's name of its operation.
    #[derive(Default)]
    pub enum FlowOperation {
        /// Looks at a note that exists, or at its cancellation.
        #[default]
        ConsultarNota = "consultar-nota",
        /// Asks what became of a service note, by its RPS.
        ConsultarRps = "consultar-rps",
        /// Asks what became of a product note, by its key.
        Consultar = "consultar",
        /// Issues a service note.
        Emitir = "emitir",
        /// Issues a service note in the place of another.
        Substituir = "substituir",
        /// Issues a product note.
        Authorize = "autorizar",
        /// Cancels a service note.
        Cancelar = "cancelar",
        /// Registers an event of a product note.
        Evento = "evento",
        /// Voids numbers.
        Inutilizar = "inutilizar",
    }
}

impl FlowOperation {
    /// It issues a note.
    pub const fn is_emission(self) -> bool {
        match self {
            FlowOperation::Emitir | FlowOperation::Substituir | FlowOperation::Authorize => true,
            FlowOperation::ConsultarNota
            | FlowOperation::ConsultarRps
            | FlowOperation::Consultar
            | FlowOperation::Cancelar
            | FlowOperation::Evento
            | FlowOperation::Inutilizar => false,
        }
    }

    /// It carries a signed document.
    pub const fn is_signed(self) -> bool {
        match self {
            FlowOperation::Authorize | FlowOperation::Evento | FlowOperation::Inutilizar => true,
            FlowOperation::ConsultarNota
            | FlowOperation::ConsultarRps
            | FlowOperation::Consultar
            | FlowOperation::Emitir
            | FlowOperation::Substituir
            | FlowOperation::Cancelar => false,
        }
    }
}

words! {
    /// Where a flow stands.
    #[derive(Default)]
    pub enum FlowPhase {
        #[default]
        Start = "start",
        /// A request may have left.
        Sending = "sending",
        /// Asleep until `wake_at_ms`.
        Waiting = "waiting",
        Done = "done",
    }
}

words! {
    /// What an adapter wanted at the end of a step.
    pub enum TurnNext {
        Send = "send",
        Wait = "wait",
        Done = "done",
    }
}

row! {
    #[derive(Clone, Debug, Default)]
    pub struct FlowRow {
        pub id: FlowId,
        pub account_id: AccountId,
        pub subject_id: String,
        pub operacao: FlowOperation,
        pub component: String,
        pub digest: String,
        pub conteudo: String,
        pub context: String,
        pub way: String,
        pub phase: FlowPhase,
        pub step: i64,
        pub state: Vec<u8>,
        pub acted: i64,
        pub wake_at_ms: i64,
        pub fence: i64,
        pub lease_owner: String,
        pub lease_until_ms: i64,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
        /// Not 0: texts and journal are in the packed record of its subject, at this place,
        /// counted from 1; below 0: and the record is to be made again.
        pub packed: i64,
    }
}

row! {
    #[derive(Clone, Debug)]
    pub struct TurnRow {
        pub flow_id: FlowId,
        pub step: i64,
        /// What came in, without its body: JSON, or empty at the start.
        pub event: String,
        pub event_body: Vec<u8>,
        pub next: TurnNext,
        pub label: String,
        /// The request that followed, with placeholders for secrets: head as
        /// JSON, body apart.
        pub request: String,
        pub request_body: Vec<u8>,
        pub at_ms: i64,
    }
}

const INSERT: &str = "INSERT INTO flows (id, account_id, subject_id, operacao, component, digest, conteudo, context, way, phase, step, state, acted, wake_at_ms, fence, lease_owner, lease_until_ms, created_at_ms, updated_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) ON CONFLICT DO NOTHING";
const CLAIM: &str = "UPDATE flows SET lease_owner = $2, lease_until_ms = $3, fence = fence + 1 \
     WHERE id = $1 AND phase <> 'done' AND wake_at_ms <= $4 AND (lease_owner = '' OR lease_until_ms < $4) RETURNING *";
const REWORD: &str = "UPDATE flows SET conteudo = $3, updated_at_ms = $4 WHERE id = $1 AND fence = $2 AND phase = 'start'";
const DUE: &str = "SELECT id FROM flows WHERE phase <> 'done' AND wake_at_ms <= $1 AND (lease_owner = '' OR lease_until_ms < $1) ORDER BY wake_at_ms LIMIT CAST($2 AS BIGINT)";
const RENEW: &str = "UPDATE flows SET lease_until_ms = $2 WHERE lease_owner = $1 AND phase <> 'done' RETURNING id, fence";
const RELEASE_ALL: &str = "UPDATE flows SET lease_owner = '', lease_until_ms = 0 WHERE phase <> 'done' AND lease_owner <> ''";
const RELEASE_OF: &str = "UPDATE flows SET lease_owner = '', lease_until_ms = 0 WHERE lease_owner = $1 AND phase <> 'done'";
const DEFER: &str = "UPDATE flows SET lease_owner = '', lease_until_ms = 0, wake_at_ms = $3 WHERE id = $1 AND fence = $2 AND phase <> 'done'";
const ACTED_BEFORE: &str = "SELECT COUNT(*) FROM flows WHERE subject_id = $1 AND id <> $2 AND acted = 1 AND created_at_ms >= $3";
const COUNT_OF: &str = "SELECT COUNT(*) FROM flows WHERE subject_id = $1 AND operacao = $2";
const COUNT_SINCE: &str =
    "SELECT COUNT(*) FROM flows WHERE subject_id = $1 AND operacao = $2 AND created_at_ms >= $3";
const MOVED: &str =
    "SELECT COALESCE(MAX(updated_at_ms), 0) FROM flows WHERE subject_id = $1 AND operacao = $2";
const SENDING: &str = "UPDATE flows SET phase = 'sending', step = $3, state = $4, acted = $5, wake_at_ms = 0, lease_until_ms = $6, updated_at_ms = $7 \
     WHERE id = $1 AND fence = $2 AND phase <> 'done'";
const WAITING: &str = "UPDATE flows SET phase = 'waiting', step = $3, state = $4, wake_at_ms = $5, lease_owner = '', lease_until_ms = 0, updated_at_ms = $6 \
     WHERE id = $1 AND fence = $2 AND phase <> 'done' RETURNING subject_id AS id";
const DONE: &str = "UPDATE flows SET phase = 'done', step = $3, state = $5, lease_owner = '', lease_until_ms = 0, updated_at_ms = $4 \
     WHERE id = $1 AND fence = $2 AND phase <> 'done' RETURNING *";
const TURN: &str = "INSERT INTO flow_turns (flow_id, step, event, event_body, next, label, request, request_body, at_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
const TURNS_OF: &str = "SELECT t.flow_id, t.step, t.event, t.event_body, t.next, t.label, t.request, t.request_body, t.at_ms FROM flow_turns t \
     JOIN flows f ON f.id = t.flow_id WHERE f.account_id = $1 AND f.subject_id = $2 ORDER BY t.at_ms, t.flow_id, t.step LIMIT 200";
const HEADS_OF: &str = "SELECT t.flow_id, t.step, t.event, t.next, t.label, t.request, t.at_ms, f.way FROM flow_turns t \
     JOIN flows f ON f.id = t.flow_id WHERE f.account_id = $1 AND f.subject_id = $2 ORDER BY t.at_ms, t.flow_id, t.step LIMIT 200";
// SQLite makes NULL of a part of an empty value.
const REQUEST_BODY: &str = "SELECT COALESCE(substr(t.request_body, 1, 262144), t.request_body) AS bytes, CAST(length(t.request_body) AS BIGINT) AS total \
     FROM flow_turns t JOIN flows f ON f.id = t.flow_id WHERE f.account_id = $1 AND t.flow_id = $2 AND t.step = $3";
const EVENT_BODY: &str = "SELECT COALESCE(substr(t.event_body, 1, 262144), t.event_body) AS bytes, CAST(length(t.event_body) AS BIGINT) AS total \
     FROM flow_turns t JOIN flows f ON f.id = t.flow_id WHERE f.account_id = $1 AND t.flow_id = $2 AND t.step = $3";
const STEPS_OF: &str = "SELECT f.subject_id, t.event, t.next, t.label, t.at_ms FROM flow_turns t JOIN flows f ON f.id = t.flow_id \
     WHERE f.account_id = $1 AND f.subject_id IN (SELECT CAST($2 AS TEXT) UNION ALL SELECT e.id FROM eventos e WHERE e.nota_id = $2) \
     ORDER BY t.at_ms DESC, t.flow_id DESC, t.step DESC LIMIT CAST($3 AS BIGINT)";
const GET: &str = "SELECT * FROM flows WHERE id = $1";
const PLACES: &str =
    "SELECT id, ABS(packed) AS place FROM flows WHERE subject_id = $1 AND packed <> 0";
const TURN_AT: &str = "SELECT flow_id, step, event, event_body, next, label, request, request_body, at_ms FROM flow_turns WHERE flow_id = $1 AND step = $2";
const LAST_WITH: &str = "SELECT * FROM flows WHERE subject_id = $1 AND operacao = $2 ORDER BY created_at_ms DESC, id DESC LIMIT 1";
const LAST_OF: &str = "SELECT * FROM flows WHERE subject_id = $1 \
     ORDER BY CASE WHEN phase <> 'done' THEN 0 ELSE 1 END, created_at_ms DESC, id DESC LIMIT 1";

/// The line of one step.
pub async fn turn_at(conn: &mut Conn, flow: &FlowId, step: i64) -> DbResult<Option<TurnRow>> {
    fetch_optional!(conn, TurnRow, TURN_AT, flow, step)
}

/// False when the subject already has an open flow.
pub async fn insert(conn: &mut Conn, f: &FlowRow) -> DbResult<bool> {
    let rows = execute!(
        conn,
        INSERT,
        &f.id,
        &f.account_id,
        &f.subject_id,
        f.operacao,
        &f.component,
        &f.digest,
        &f.conteudo,
        &f.context,
        &f.way,
        f.phase,
        f.step,
        &f.state,
        f.acted,
        f.wake_at_ms,
        f.fence,
        &f.lease_owner,
        f.lease_until_ms,
        f.created_at_ms,
        f.updated_at_ms
    )?;
    Ok(rows == 1)
}

/// Takes a flow that is due and owned by nobody alive; None if another was
/// faster.
pub async fn claim(
    conn: &mut Conn,
    id: &FlowId,
    owner: &str,
    until_ms: i64,
    now_ms: i64,
) -> DbResult<Option<FlowRow>> {
    fetch_optional!(conn, FlowRow, CLAIM, id, owner, until_ms, now_ms)
}

row! {
    struct Id {
        id: FlowId,
    }
}

/// Flows that are due and that nobody alive owns, the longest due first.
pub async fn due(conn: &mut Conn, now_ms: i64, limit: i64) -> DbResult<Vec<FlowId>> {
    Ok(fetch_all!(conn, Id, DUE, now_ms, limit)?
        .into_iter()
        .map(|row| row.id)
        .collect())
}

row! {
    /// A flow and the fence of its owner.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Owned {
        pub id: FlowId,
        pub fence: i64,
    }
}

/// Says that this node is alive, and returns the flows it owns: at most what
/// it runs.
pub async fn renew(conn: &mut Conn, owner: &str, until_ms: i64) -> DbResult<Vec<Owned>> {
    fetch_all!(conn, Owned, RENEW, owner, until_ms)
}

/// Frees every flow: right when one process alone uses the database and has
/// just started.
pub async fn release_all(conn: &mut Conn) -> DbResult<()> {
    execute!(conn, RELEASE_ALL)?;
    Ok(())
}

/// Frees the flows of one node, which is gone or going.
pub async fn release_of(conn: &mut Conn, owner: &str) -> DbResult<()> {
    execute!(conn, RELEASE_OF, owner)?;
    Ok(())
}

/// Gives a flow up, as its owner: anybody may take it from `wake_at_ms` on.
pub async fn defer(conn: &mut Conn, id: &FlowId, fence: i64, wake_at_ms: i64) -> DbResult<()> {
    execute!(conn, DEFER, id, fence, wake_at_ms)?;
    Ok(())
}

/// Replaces the content of a flow that has not begun, if this node owns it;
/// false when it has begun or another node owns it.
pub async fn reword(
    conn: &mut Conn,
    id: &FlowId,
    fence: i64,
    content: &str,
    now_ms: i64,
) -> DbResult<bool> {
    Ok(execute!(conn, REWORD, id, fence, content, now_ms)? == 1)
}

/// Whether another flow of this subject may have changed something at the
/// authority.
pub async fn acted_before(conn: &mut Conn, subject: &str, flow: &FlowId) -> DbResult<bool> {
    acted_since(conn, subject, flow, 0).await
}

/// The same of flows that began at this moment or later.
pub async fn acted_since(
    conn: &mut Conn,
    subject: &str,
    flow: &FlowId,
    since_ms: i64,
) -> DbResult<bool> {
    Ok(fetch_value!(conn, i64, ACTED_BEFORE, subject, flow, since_ms)?.unwrap_or(0) > 0)
}

/// How many flows of one operation a subject has had.
pub async fn count_of(conn: &mut Conn, subject: &str, operation: FlowOperation) -> DbResult<i64> {
    Ok(fetch_value!(conn, i64, COUNT_OF, subject, operation)?.unwrap_or(0))
}

/// How many of them began at this moment or later.
pub async fn count_since(
    conn: &mut Conn,
    subject: &str,
    operation: FlowOperation,
    since_ms: i64,
) -> DbResult<i64> {
    Ok(fetch_value!(conn, i64, COUNT_SINCE, subject, operation, since_ms)?.unwrap_or(0))
}

/// The flow of one operation that a subject had last.
pub async fn last_with(
    conn: &mut Conn,
    subject: &str,
    operation: FlowOperation,
) -> DbResult<Option<FlowRow>> {
    let row = fetch_optional!(conn, FlowRow, LAST_WITH, subject, operation)?;
    whole(conn, row).await
}

/// When a flow of this operation moved last, epoch milliseconds; None: the
/// subject had no such flow.
pub async fn moved_ms(
    conn: &mut Conn,
    subject: &str,
    operation: FlowOperation,
) -> DbResult<Option<i64>> {
    let moved_ms = fetch_value!(conn, i64, MOVED, subject, operation)?;
    Ok(moved_ms.filter(|moved_ms| *moved_ms > 0))
}

/// What `sending` writes.
pub struct Sending<'a> {
    pub step: i64,
    pub state: &'a [u8],
    pub acted: bool,
    pub lease_until_ms: i64,
}

/// False when the fence is not the current one any more.
pub async fn sending(
    conn: &mut Conn,
    id: &FlowId,
    fence: i64,
    s: &Sending<'_>,
    now_ms: i64,
) -> DbResult<bool> {
    let rows = execute!(
        conn,
        SENDING,
        id,
        fence,
        s.step,
        s.state,
        i64::from(s.acted),
        s.lease_until_ms,
        now_ms
    )?;
    Ok(rows == 1)
}

row! {
    /// Note or event that a flow is about.
    struct Subject {
        id: String,
    }
}

/// What `waiting` writes.
pub struct Sleeping<'a> {
    pub step: i64,
    pub state: &'a [u8],
    pub wake_at_ms: i64,
}

/// Gives a flow up until `wake_at_ms`; its subject, or None when the fence is
/// not the current one any more.
pub async fn waiting(
    conn: &mut Conn,
    id: &FlowId,
    fence: i64,
    s: &Sleeping<'_>,
    now_ms: i64,
) -> DbResult<Option<String>> {
    let row = fetch_optional!(
        conn,
        Subject,
        WAITING,
        id,
        fence,
        s.step,
        s.state,
        s.wake_at_ms,
        now_ms
    )?;
    Ok(row.map(|row| row.id))
}

/// Ends a flow and forgets its state; the flow, or None when the fence is not
/// the current one any more.
pub async fn done(
    conn: &mut Conn,
    id: &FlowId,
    fence: i64,
    step: i64,
    now_ms: i64,
) -> DbResult<Option<FlowRow>> {
    let no_state: &[u8] = &[];
    fetch_optional!(conn, FlowRow, DONE, id, fence, step, now_ms, no_state)
}

/// Adds a line to the journal.
pub async fn turn(conn: &mut Conn, t: &TurnRow) -> DbResult<()> {
    execute!(
        conn,
        TURN,
        &t.flow_id,
        t.step,
        &t.event,
        &t.event_body,
        t.next,
        &t.label,
        &t.request,
        &t.request_body,
        t.at_ms
    )?;
    Ok(())
}

/// The journal of a subject, in order.
pub async fn turns_of(
    conn: &mut Conn,
    account: &AccountId,
    subject: &str,
) -> DbResult<Vec<TurnRow>> {
    let mut turns = fetch_all!(conn, TurnRow, TURNS_OF, account, subject)?;
    if let Some(row) = packed::get(conn, subject).await?
        && row.account_id == *account
    {
        turns.extend(packed_turns(conn, &row).await?.1);
        in_order(&mut turns);
    }
    Ok(turns)
}

row! {
    /// A turn without its bodies, and the way of its flow.
    #[derive(Clone, Debug)]
    pub struct HeadRow {
        pub flow_id: FlowId,
        pub step: i64,
        pub event: String,
        pub next: TurnNext,
        pub label: String,
        pub request: String,
        pub at_ms: i64,
        pub way: String,
    }
}

row! {
    /// The first 256 KiB of a body, and how long it is.
    #[derive(Clone, Debug)]
    pub struct BodyRow {
        pub bytes: Vec<u8>,
        pub total: i64,
    }
}

/// The journal of a subject without what was sent and what came back, in order.
pub async fn heads_of(
    conn: &mut Conn,
    account: &AccountId,
    subject: &str,
) -> DbResult<Vec<HeadRow>> {
    let mut heads = fetch_all!(conn, HeadRow, HEADS_OF, account, subject)?;
    if let Some(row) = packed::get(conn, subject).await?
        && row.account_id == *account
    {
        let (ways, turns) = packed_turns(conn, &row).await?;
        heads.extend(turns.into_iter().map(|turn| HeadRow {
            way: ways.get(&turn.flow_id).cloned().unwrap_or_default(),
            flow_id: turn.flow_id,
            step: turn.step,
            event: turn.event,
            next: turn.next,
            label: turn.label,
            request: turn.request,
            at_ms: turn.at_ms,
        }));
        heads.sort_by(|a, b| (a.at_ms, &a.flow_id, a.step).cmp(&(b.at_ms, &b.flow_id, b.step)));
        // What was packed between the two questions is in both answers.
        heads.dedup_by(|a, b| (&a.flow_id, a.step) == (&b.flow_id, b.step));
        heads.truncate(SHOWN);
    }
    Ok(heads)
}

/// What a step sent.
pub async fn request_body(
    conn: &mut Conn,
    account: &AccountId,
    flow: &FlowId,
    step: i64,
) -> DbResult<Option<BodyRow>> {
    let body = fetch_optional!(conn, BodyRow, REQUEST_BODY, account, flow, step)?;
    match body {
        Some(body) => Ok(Some(body)),
        None => packed_body(conn, account, flow, step, |turn| turn.request_body).await,
    }
}

/// What came before a step.
pub async fn event_body(
    conn: &mut Conn,
    account: &AccountId,
    flow: &FlowId,
    step: i64,
) -> DbResult<Option<BodyRow>> {
    let body = fetch_optional!(conn, BodyRow, EVENT_BODY, account, flow, step)?;
    match body {
        Some(body) => Ok(Some(body)),
        None => packed_body(conn, account, flow, step, |turn| turn.event_body).await,
    }
}

row! {
    /// A turn without what was sent and what came back.
    #[derive(Clone, Debug)]
    pub struct StepRow {
        pub subject_id: String,
        pub event: String,
        pub next: TurnNext,
        pub label: String,
        pub at_ms: i64,
    }
}

impl StepRow {
    fn is(&self, other: &StepRow) -> bool {
        (self.at_ms, &self.subject_id) == (other.at_ms, &other.subject_id)
            && (&self.label, &self.event) == (&other.label, &other.event)
    }
}

/// The newest steps of a note and of what was done to it, newest first:
/// hundreds of bodies would be megabytes, so they stay where they are.
pub async fn steps_of(
    conn: &mut Conn,
    account: &AccountId,
    nota: &NotaId,
    limit: i64,
) -> DbResult<Vec<StepRow>> {
    let mut steps = fetch_all!(conn, StepRow, STEPS_OF, account, nota, limit)?;
    let mut packed_steps = Vec::new();
    // One at a time: what is left of each is small.
    for row in packed::of_nota(conn, account, nota, limit).await? {
        let subject = row.subject_id.clone();
        for turn in turns_in(&row.whole(conn).await?, &subject)? {
            let (at_ms, step) = (turn.about.at_ms, turn.about.step);
            let row = StepRow {
                subject_id: subject.clone(),
                event: turn.event,
                next: turn.about.next,
                label: turn.about.label,
                at_ms,
            };
            packed_steps.push(((at_ms, turn.place, step), row));
        }
    }
    packed_steps.retain(|(_, step)| !steps.iter().any(|other| step.is(other)));
    if !packed_steps.is_empty() {
        packed_steps.sort_by(|(a, _), (b, _)| b.cmp(a));
        steps.extend(packed_steps.into_iter().map(|(_, step)| step));
        steps.sort_by_key(|step| std::cmp::Reverse(step.at_ms));
        steps.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    Ok(steps)
}

/// Turns that are shown of a subject: the limit of the statements.
const SHOWN: usize = 200;
/// Bytes that are shown of a body: the length in the statements.
const BODY: usize = 262_144;

fn in_order(turns: &mut Vec<TurnRow>) {
    turns.sort_by(|a, b| (a.at_ms, &a.flow_id, a.step).cmp(&(b.at_ms, &b.flow_id, b.step)));
    turns.dedup_by(|a, b| (&a.flow_id, a.step) == (&b.flow_id, b.step));
    turns.truncate(SHOWN);
}

impl TurnRow {
    fn of(flow_id: FlowId, turn: Turn<TurnNext>) -> TurnRow {
        TurnRow {
            flow_id,
            step: turn.about.step,
            event: turn.event,
            event_body: turn.event_body,
            next: turn.about.next,
            label: turn.about.label,
            request: turn.request,
            request_body: turn.request_body,
            at_ms: turn.about.at_ms,
        }
    }
}

row! {
    /// A flow and where its texts are in a record.
    struct PlaceRow {
        id: FlowId,
        place: i64,
    }
}

/// The journal of a packed record with the ids of its flows, and the way of each.
async fn packed_turns(
    conn: &mut Conn,
    row: &PackedRow,
) -> DbResult<(HashMap<FlowId, String>, Vec<TurnRow>)> {
    let subject = &row.subject_id;
    let record = row.whole(conn).await?;
    let flows = fetch_all!(conn, PlaceRow, PLACES, subject)?;
    let mut ways = HashMap::new();
    for flow in &flows {
        // One that was packed since is not in this record: its turns were rows a moment ago.
        if let Some(way) = record.get(&format!("{}/way", flow.place)) {
            ways.insert(flow.id.clone(), text_of(way, subject)?);
        }
    }
    let mut turns = Vec::new();
    for turn in turns_in(&record, subject)? {
        let mut flows = flows.iter();
        let flow = flows.find(|flow| flow.place == turn.place);
        let flow = flow.present("flow of a packed turn", subject)?;
        turns.push(TurnRow::of(flow.id.clone(), turn));
    }
    Ok((ways, turns))
}

async fn packed_body(
    conn: &mut Conn,
    account: &AccountId,
    flow: &FlowId,
    step: i64,
    body: impl FnOnce(Turn<TurnNext>) -> Vec<u8>,
) -> DbResult<Option<BodyRow>> {
    let row = fetch_optional!(conn, FlowRow, GET, flow)?;
    let Some(row) = row.filter(|row| row.account_id == *account && row.packed != 0) else {
        return Ok(None);
    };
    let Some(packed) = packed::get(conn, &row.subject_id).await? else {
        return Ok(None);
    };
    let turns = turns_in(&packed.whole(conn).await?, &row.subject_id)?;
    let turn = turns
        .into_iter()
        .find(|turn: &Turn<TurnNext>| turn.place == row.packed.abs() && turn.about.step == step);
    let Some(mut bytes) = turn.map(body) else {
        return Ok(None);
    };
    let total = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
    bytes.truncate(BODY);
    Ok(Some(BodyRow { bytes, total }))
}

/// Fills the texts of a flow that are in the packed record of its subject.
async fn whole(conn: &mut Conn, mut row: Option<FlowRow>) -> DbResult<Option<FlowRow>> {
    let Some(flow) = row.as_mut().filter(|flow| flow.packed != 0) else {
        return Ok(row);
    };
    let packed = packed::get(conn, &flow.subject_id).await?;
    let record = packed.present("a packed flow", &flow.id)?.near()?;
    let place = flow.packed.abs();
    for (name, column) in [
        ("component", &mut flow.component),
        ("digest", &mut flow.digest),
        ("conteudo", &mut flow.conteudo),
        ("context", &mut flow.context),
        ("way", &mut flow.way),
    ] {
        let text = record.get(&format!("{place}/{name}"));
        *column = text_of(
            text.present("a packed flow", &flow.subject_id)?,
            &flow.subject_id,
        )?;
    }
    Ok(row)
}

pub async fn get(conn: &mut Conn, id: &FlowId) -> DbResult<Option<FlowRow>> {
    let row = fetch_optional!(conn, FlowRow, GET, id)?;
    whole(conn, row).await
}

/// The newest flow of a note or event.
pub async fn last_of(conn: &mut Conn, subject: &str) -> DbResult<Option<FlowRow>> {
    let row = fetch_optional!(conn, FlowRow, LAST_OF, subject)?;
    whole(conn, row).await
}
