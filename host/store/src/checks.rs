//! Invariants as SQL: each query returns the rows that break a rule, so an
//! empty answer is a clean bill. `hub doctor` and every fault test run them.

mod calls;
mod days;

use super::{Conn, DbResult, execute, fetch_all, fetch_value, row};

/// A broken rule and the row that breaks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub rule: &'static str,
    pub row: String,
}

row! {
    struct Found {
        id: String,
    }
}

row! {
    struct Untold {
        id: String,
        /// 1: a received note, 0: one of the account's own.
        received: i64,
    }
}

const I2_AVAILABLE: &str = "SELECT a.account_id AS id FROM ledger_accounts a WHERE a.kind = 'available' AND a.balance <> \
     (SELECT COALESCE(SUM(CASE WHEN t.credit = 'available' THEN t.amount ELSE 0 END), 0) - COALESCE(SUM(CASE WHEN t.debit = 'available' THEN t.amount ELSE 0 END), 0) \
      FROM transfers t WHERE t.account_id = a.account_id) LIMIT 20";
const I2_HELD: &str = "SELECT a.account_id AS id FROM ledger_accounts a WHERE a.kind = 'held' AND a.balance <> \
     (SELECT COALESCE(SUM(CASE WHEN t.credit = 'held' THEN t.amount ELSE 0 END), 0) - COALESCE(SUM(CASE WHEN t.debit = 'held' THEN t.amount ELSE 0 END), 0) \
      FROM transfers t WHERE t.account_id = a.account_id) LIMIT 20";
const I3_NEGATIVE: &str = "SELECT account_id AS id FROM ledger_accounts WHERE balance < 0 LIMIT 20";
const I4_HELD_IS_OPEN_HOLDS: &str = "SELECT a.account_id AS id FROM ledger_accounts a WHERE a.kind = 'held' AND a.balance <> \
     (SELECT COALESCE(SUM(h.amount), 0) FROM transfers h WHERE h.account_id = a.account_id AND h.kind = 'hold' \
      AND NOT EXISTS (SELECT 1 FROM transfers r WHERE r.pending_id = h.id)) LIMIT 20";
// No index has the holds of notes: those that are open are listed once, and not asked for by
// each hold.
const I5_OPEN_HOLD_WITHOUT_WORK: &str = "SELECT h.id AS id FROM transfers h WHERE h.kind = 'hold' \
     AND NOT EXISTS (SELECT 1 FROM transfers r WHERE r.pending_id = h.id) \
     AND h.id NOT IN (SELECT n.hold_id FROM notas n WHERE n.status IN ('em_transmissao', 'pendente_prefeitura') \
     UNION ALL SELECT e.hold_id FROM eventos e WHERE e.status = 'em_transmissao') LIMIT 20";
const I6_AUTHORIZED_NOT_POSTED: &str = "SELECT n.id AS id FROM notas n WHERE n.status IN ('autorizada', 'cancelada') AND n.hold_id <> '' \
     AND (SELECT COUNT(*) FROM transfers r WHERE r.pending_id = n.hold_id AND r.kind = 'post') <> 1 LIMIT 20";
const I6_REFUSED_NOT_RETURNED: &str = "SELECT n.id AS id FROM notas n WHERE n.status IN ('rejeitada', 'nao_enviada') AND n.hold_id <> '' \
     AND (SELECT COUNT(*) FROM transfers r WHERE r.pending_id = n.hold_id AND r.kind = 'void') <> 1 LIMIT 20";
const I6_EVENT_NOT_POSTED: &str = "SELECT e.id AS id FROM eventos e WHERE e.status = 'registrado' AND e.hold_id <> '' \
     AND (SELECT COUNT(*) FROM transfers r WHERE r.pending_id = e.hold_id AND r.kind = 'post') <> 1 LIMIT 20";
const I6_EVENT_NOT_RETURNED: &str = "SELECT e.id AS id FROM eventos e WHERE e.status IN ('rejeitado', 'nao_enviado') AND e.hold_id <> '' \
     AND (SELECT COUNT(*) FROM transfers r WHERE r.pending_id = e.hold_id AND r.kind = 'void') <> 1 LIMIT 20";
const I7_WITHOUT_REQUEST: &str =
    "SELECT id AS id FROM transfers WHERE debit = 'available' AND request_id = '' LIMIT 20";
const PRICE_NOT_HELD: &str = "SELECT n.id AS id FROM notas n WHERE n.preco > 0 AND n.status <> 'rascunho' \
     AND NOT EXISTS (SELECT 1 FROM transfers h WHERE h.id = n.hold_id AND h.kind = 'hold' AND h.amount = n.preco) LIMIT 20";
const NUMBER_LOST: &str = "SELECT s.emitter_id || '/' || s.ambiente || '/' || s.modelo || '/' || s.serie AS id FROM number_sequences s WHERE \
     (SELECT COUNT(*) FROM notas n WHERE n.emitter_id = s.emitter_id AND n.ambiente = s.ambiente AND n.modelo = s.modelo AND n.serie = s.serie AND n.number_active = 1) \
     + (SELECT COUNT(*) FROM number_free f WHERE f.emitter_id = s.emitter_id AND f.ambiente = s.ambiente AND f.modelo = s.modelo AND f.serie = s.serie) \
     + (SELECT COUNT(*) FROM number_void v WHERE v.emitter_id = s.emitter_id AND v.ambiente = s.ambiente AND v.modelo = s.modelo AND v.serie = s.serie AND v.was_free = 1) \
     + s.skipped <> s.next - s.first LIMIT 20";
const NUMBER_BOTH: &str = "SELECT n.id AS id FROM notas n JOIN number_free f ON f.emitter_id = n.emitter_id AND f.ambiente = n.ambiente \
     AND f.modelo = n.modelo AND f.serie = n.serie AND f.numero = n.numero WHERE n.number_active = 1 LIMIT 20";
const NUMBER_VOID_IN_USE: &str = "SELECT n.id AS id FROM notas n JOIN number_void v ON v.emitter_id = n.emitter_id AND v.ambiente = n.ambiente \
     AND v.modelo = n.modelo AND v.serie = n.serie AND v.numero = n.numero WHERE n.number_active = 1 LIMIT 20";
const NUMBER_NOT_RETURNED: &str = "SELECT n.id AS id FROM notas n WHERE n.status IN ('rejeitada', 'nao_enviada') AND n.number_active = 1 LIMIT 20";
const STRANDED: &str = "SELECT n.id AS id FROM notas n WHERE n.status IN ('em_transmissao', 'pendente_prefeitura') AND n.next_check_ms = 0 \
     AND NOT EXISTS (SELECT 1 FROM flows f WHERE f.subject_id = n.id AND f.phase <> 'done') LIMIT 20";
// A city that answers in JSON shows its notes by their code.
const AUTHORIZED_WITHOUT_XML: &str = "SELECT n.id AS id FROM notas n WHERE n.status IN ('autorizada', 'validada') \
     AND NOT (n.via = 'municipal' AND n.codigo_verificacao <> '') \
     AND NOT EXISTS (SELECT 1 FROM artifacts a WHERE a.subject_id = n.id AND a.tipo = n.modelo) \
     AND NOT EXISTS (SELECT 1 FROM packed_records p WHERE p.subject_id = n.id AND p.kinds LIKE '% ' || n.modelo || ' %') LIMIT 20";
// Events are removed when they are old. Places are given without a gap, so where one is missing
// its event was removed, and all that were made before the first event behind the last gap of
// the account may be (`removed`): what is older than that is not asked for. No clock of today
// and no setting is looked at, for both may have been others when events were removed. A day for
// clocks of nodes that differ, and for events that got their places late. Where the last place
// is missing all were removed. One statement for both rules: all events are read once.
const NOT_TOLD: &str = "WITH removed AS (SELECT y.account_id AS account_id, MAX(y.until_ms) AS until_ms FROM ( \
     SELECT x.account_id AS account_id, x.created_at_ms + 86400000 AS until_ms FROM (SELECT o.account_id AS account_id, o.created_at_ms AS created_at_ms, \
     o.sequencia - LAG(o.sequencia, 1, CAST(0 AS BIGINT)) OVER (PARTITION BY o.account_id ORDER BY o.sequencia) AS step FROM outbox o WHERE o.sequencia > 0) AS x WHERE x.step > 1 \
     UNION ALL SELECT e.account_id AS account_id, CAST(9223372036854775807 AS BIGINT) AS until_ms FROM event_order e \
     WHERE e.last > COALESCE((SELECT MAX(o.sequencia) FROM outbox o WHERE o.account_id = e.account_id AND o.sequencia > 0), 0)) AS y GROUP BY y.account_id) \
     SELECT x.id AS id, CAST(0 AS BIGINT) AS received FROM (SELECT n.id AS id FROM notas n LEFT JOIN removed p ON p.account_id = n.account_id \
     WHERE n.status IN ('autorizada', 'rejeitada') AND n.created_at_ms > COALESCE(p.until_ms, -1) \
     AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.subject_id = n.id) LIMIT 20) AS x \
     UNION ALL SELECT y.id AS id, CAST(1 AS BIGINT) AS received FROM (SELECT r.id AS id FROM recebidas r LEFT JOIN removed p ON p.account_id = r.account_id \
     WHERE (SELECT COUNT(*) FROM outbox o WHERE o.subject_id = r.id AND o.tipo = 'dfe.recebida') \
     NOT BETWEEN CASE WHEN r.created_at_ms > COALESCE(p.until_ms, -1) THEN 1 ELSE 0 END AND 1 LIMIT 20) AS y";
const RECEIVED_WITHOUT_XML: &str = "SELECT r.id AS id FROM recebidas r WHERE NOT EXISTS (SELECT 1 FROM artifacts a WHERE a.subject_id = r.id \
     AND a.tipo = CASE WHEN r.completa = 1 THEN 'completa' ELSE 'resumo' END) AND NOT EXISTS (SELECT 1 FROM packed_records p WHERE p.subject_id = r.id \
     AND p.kinds LIKE CASE WHEN r.completa = 1 THEN '% completa %' ELSE '% resumo %' END) LIMIT 20";
const PACKED_WITHOUT_RECORD: &str = "SELECT n.id AS id FROM notas n WHERE n.packed <> 0 AND NOT EXISTS (SELECT 1 FROM packed_records p WHERE p.subject_id = n.id) \
     UNION ALL SELECT e.id AS id FROM eventos e WHERE e.packed <> 0 AND NOT EXISTS (SELECT 1 FROM packed_records p WHERE p.subject_id = e.id) \
     UNION ALL SELECT f.id AS id FROM flows f WHERE f.packed <> 0 AND NOT EXISTS (SELECT 1 FROM packed_records p WHERE p.subject_id = f.subject_id) LIMIT 20";
const BUDGET_FORGOTTEN: &str = "SELECT b.id AS id FROM budgets b WHERE b.gasto_mes < \
     (SELECT COALESCE(SUM(t.amount), 0) FROM transfers t WHERE t.budget_id = b.id AND t.budget_id <> '' AND t.kind IN ('hold', 'direct') AND t.created_at_ms >= b.mes_ms \
      AND NOT EXISTS (SELECT 1 FROM transfers r WHERE r.pending_id = t.id AND r.kind = 'void')) LIMIT 20";

// What is said twice of a kind is the condition of the index `transfers_ref`.
const PAID_NOT_CREDITED: &str = "SELECT c.id AS id FROM compras c WHERE c.status = 'paga' AND \
     (SELECT COUNT(*) FROM transfers t WHERE t.account_id = c.account_id AND t.kind = 'purchase' AND t.pending_id IS NULL AND t.kind <> 'hold' AND t.ref = c.id AND t.amount = c.creditos) <> 1 LIMIT 20";
const CREDITED_NOT_PAID: &str = "SELECT t.id AS id FROM transfers t WHERE t.kind = 'purchase' \
     AND NOT EXISTS (SELECT 1 FROM compras c WHERE c.id = t.ref AND c.account_id = t.account_id AND c.status = 'paga') LIMIT 20";
const PURCHASE_STRANDED: &str =
    "SELECT id AS id FROM compras WHERE status = 'aguardando' AND next_check_ms = 0 LIMIT 20";
const REFUND_NOT_TAKEN: &str = "SELECT r.id AS id FROM reembolsos r WHERE \
     (SELECT COUNT(*) FROM transfers t WHERE t.account_id = r.account_id AND t.kind = 'refund' AND t.pending_id IS NULL AND t.kind <> 'hold' AND t.ref = r.id AND t.amount = r.creditos) <> 1 LIMIT 20";
const REFUND_BACK: &str = "SELECT r.id AS id FROM reembolsos r WHERE \
     (SELECT COUNT(*) FROM transfers t WHERE t.account_id = r.account_id AND t.kind = 'adjust' AND t.pending_id IS NULL AND t.kind <> 'hold' AND t.ref = r.id AND t.amount = r.creditos) \
     <> CASE WHEN r.status = 'recusado' THEN 1 ELSE 0 END LIMIT 20";
const TAKEN_WITHOUT_REFUND: &str = "SELECT t.id AS id FROM transfers t WHERE t.kind = 'refund' \
     AND NOT EXISTS (SELECT 1 FROM reembolsos r WHERE r.id = t.ref AND r.account_id = t.account_id) LIMIT 20";
const REFUND_BEYOND: &str = "SELECT c.id AS id FROM compras c WHERE \
     (SELECT COALESCE(SUM(r.creditos), 0) FROM reembolsos r WHERE r.compra_id = c.id AND r.status <> 'recusado') \
     > CASE WHEN c.status = 'paga' THEN c.creditos ELSE 0 END LIMIT 20";
const STORAGE_MISCOUNTED: &str = "SELECT u.account_id AS id FROM objetos_uso u WHERE \
     u.bytes <> (SELECT COALESCE(SUM(o.bytes), 0) FROM objetos o WHERE o.account_id = u.account_id) \
     OR u.objetos <> (SELECT COUNT(*) FROM objetos o WHERE o.account_id = u.account_id) LIMIT 20";

const CREDITS_MISCOUNTED: &str = "SELECT x.account_id || '/' || CAST(x.day AS TEXT) || '/' || x.operation || '/' || x.key_id AS id FROM ( \
     SELECT account_id, day, operation, key_id, debited, returned, refunded FROM usage_credits \
     UNION ALL SELECT t.account_id, t.created_at_ms / 86400000, COALESCE(h.operation, t.operation), COALESCE(h.key_id, t.key_id), CASE WHEN t.kind IN ('post', 'direct') THEN -t.amount ELSE 0 END, \
     CASE WHEN t.kind = 'void' THEN -t.amount ELSE 0 END, CASE WHEN t.kind = 'refund' THEN -t.amount ELSE 0 END FROM transfers t LEFT JOIN transfers h ON h.id = t.pending_id \
     WHERE t.kind IN ('post', 'direct', 'void', 'refund')) AS x GROUP BY x.account_id, x.day, x.operation, x.key_id \
     HAVING SUM(x.debited) <> 0 OR SUM(x.returned) <> 0 OR SUM(x.refunded) <> 0 LIMIT 20";

const MAIL_WITHOUT_CONTENT: &str = "SELECT m.id AS id FROM mails m WHERE m.status = 'fila' \
     AND NOT EXISTS (SELECT 1 FROM mail_contents c WHERE c.id = m.content_id AND c.account_id = m.account_id) LIMIT 20";
const MAIL_OVER_WITH_ADDRESS: &str =
    "SELECT id AS id FROM mails WHERE status <> 'fila' AND destino <> '' LIMIT 20";
const CONTENT_FORGOTTEN: &str = "SELECT c.id AS id FROM mail_contents c WHERE \
     NOT EXISTS (SELECT 1 FROM mails m WHERE m.content_id = c.id AND m.status = 'fila') LIMIT 20";

// No reference of the table says so: it was asked at each insert. A delivery that was made while
// its event was removed is as old, and is removed with the next old ones.
const DELIVERY_OF_NOTHING: &str = "SELECT d.id AS id FROM deliveries d LEFT JOIN outbox o ON o.id = d.event_id LEFT JOIN accounts a ON a.id = d.account_id \
     WHERE o.id IS NULL OR a.id IS NULL LIMIT 20";

const READABLE: &str = "SELECT COUNT(*) FROM accounts WHERE id = ''";
const WRITABLE: &str =
    "INSERT INTO probes (id, at_ms) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at_ms = $1";

/// The schema is there and can be read.
pub async fn readable(conn: &mut Conn) -> DbResult<()> {
    fetch_value!(conn, i64, READABLE)?;
    Ok(())
}

/// A transaction can write: the row is new each time, so that there is
/// something to commit.
pub async fn writable(conn: &mut Conn, now_ms: i64) -> DbResult<()> {
    execute!(conn, WRITABLE, now_ms)?;
    Ok(())
}

const CLOCK_POSTGRES: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";

/// What the clock of the database's server says, epoch milliseconds; None: the database
/// is a file of this machine.
pub async fn clock_ms(conn: &mut Conn) -> DbResult<Option<i64>> {
    if matches!(conn, Conn::Sqlite(_)) {
        return Ok(None);
    }
    fetch_value!(conn, i64, CLOCK_POSTGRES)
}

const CHAVE_TWICE: &str = "SELECT MIN(n.id) AS id FROM notas n WHERE n.chave <> '' AND n.status IN ('autorizada', 'cancelada') \
     GROUP BY n.ambiente, n.chave HAVING COUNT(*) > 1 LIMIT 20";

/// Runs every rule.
pub async fn run(conn: &mut Conn) -> DbResult<Vec<Finding>> {
    let mut findings = Vec::new();
    macro_rules! check {
        ($($rule:literal => $sql:expr),+ $(,)?) => {
            $(for found in fetch_all!(&mut *conn, Found, $sql)? {
                findings.push(Finding { rule: $rule, row: found.id });
            })+
        };
    }
    check! {
        "I2: the available balance is the sum of its transfers" => I2_AVAILABLE,
        "I2: the held balance is the sum of its transfers" => I2_HELD,
        "I3: no balance is negative" => I3_NEGATIVE,
        "I4: what is held is the sum of the open holds" => I4_HELD_IS_OPEN_HOLDS,
        "I5: an open hold belongs to work in progress" => I5_OPEN_HOLD_WITHOUT_WORK,
        "I6: an authorized note was debited once" => I6_AUTHORIZED_NOT_POSTED,
        "I6: a refused note got its credit back" => I6_REFUSED_NOT_RETURNED,
        "I6: a registered event was debited once" => I6_EVENT_NOT_POSTED,
        "I6: a refused event got its credit back" => I6_EVENT_NOT_RETURNED,
        "I7: no balance falls without a request" => I7_WITHOUT_REQUEST,
        "a budget has counted all that its keys spent in the month" => BUDGET_FORGOTTEN,
        "a priced note has its hold" => PRICE_NOT_HELD,
        "every number given is in a note, free or skipped" => NUMBER_LOST,
        "a number is in use or free, not both" => NUMBER_BOTH,
        "a voided number is in no note" => NUMBER_VOID_IN_USE,
        "a refused note gave its number back" => NUMBER_NOT_RETURNED,
        "a note in transmission has a flow or a next check" => STRANDED,
        "an authorized note has its XML, or the code of its city" => AUTHORIZED_WITHOUT_XML,
        "a document of the authority is one note" => CHAVE_TWICE,
        "a received note has its XML or its summary" => RECEIVED_WITHOUT_XML,
        "a document whose texts were packed has its record" => PACKED_WITHOUT_RECORD,
        "a paid purchase was credited once" => PAID_NOT_CREDITED,
        "bought credits belong to a paid purchase" => CREDITED_NOT_PAID,
        "an open purchase is asked about" => PURCHASE_STRANDED,
        "a refund took its credits once" => REFUND_NOT_TAKEN,
        "credits of a refund come back when it is refused, and only then" => REFUND_BACK,
        "refunded credits belong to a refund" => TAKEN_WITHOUT_REFUND,
        "no purchase is refunded beyond what was paid" => REFUND_BEYOND,
        "what an account keeps is the sum of its objects" => STORAGE_MISCOUNTED,
        "usage has counted every credit of a day once" => CREDITS_MISCOUNTED,
        "a mail that waits has its content" => MAIL_WITHOUT_CONTENT,
        "a mail that is over has no address" => MAIL_OVER_WITH_ADDRESS,
        "a content is kept for a mail that waits" => CONTENT_FORGOTTEN,
        "a delivery has its event and its account" => DELIVERY_OF_NOTHING,
    }
    for untold in fetch_all!(&mut *conn, Untold, NOT_TOLD)? {
        findings.push(Finding {
            rule: match untold.received {
                0 => "a settled note told its customer",
                _ => "a received note was told once",
            },
            row: untold.id,
        });
    }
    findings.extend(calls::run(conn).await?);
    findings.extend(days::run(conn).await?);
    Ok(findings)
}
