//! Notes whose result is still not known, of all accounts for operators and of one for its
//! people: tables `notas` and `flows`.

use super::flows::FlowPhase;
use super::notas::{NotaStatus, Via};
use crate::ids::{AccountId, EmitterId, NotaId};
use crate::words::{Ambiente, Maybe, Model};
use crate::{Conn, DbResult, fetch_all, row};

row! {
    /// Such a note, without its content and without who it is for.
    #[derive(Clone, Debug)]
    pub struct StuckRow {
        pub id: NotaId,
        pub account_id: AccountId,
        /// Name of the account.
        pub nome: String,
        pub emitter_id: EmitterId,
        pub modelo: Model,
        pub ambiente: Ambiente,
        pub status: NotaStatus,
        pub serie: String,
        pub numero: i64,
        pub municipio: String,
        pub via: Via,
        pub sistema: String,
        pub detalhes: String,
        pub next_check_ms: i64,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
        /// Of its open flow; none: no flow of it is open.
        pub phase: Maybe<FlowPhase>,
        pub wake_at_ms: i64,
        /// A node runs the flow now.
        pub leased: i64,
    }
}

row! {
    /// Which note it is.
    #[derive(Clone, Debug)]
    pub struct OpenRow {
        pub id: NotaId,
    }
}

// The conditions on `next_check_ms` and `wake_at_ms` are those of partial indexes: what
// is open is few beside all notes and flows.
const STUCK: &str = "SELECT x.* FROM ( \
     SELECT n.id, n.account_id, a.nome, n.emitter_id, n.modelo, n.ambiente, n.status, n.serie, n.numero, n.municipio, n.via, n.sistema, n.detalhes, n.next_check_ms, n.created_at_ms, n.updated_at_ms, \
     COALESCE(f.phase, '') AS phase, COALESCE(f.wake_at_ms, 0) AS wake_at_ms, CAST(CASE WHEN f.lease_owner <> '' THEN 1 ELSE 0 END AS BIGINT) AS leased \
     FROM notas n JOIN accounts a ON a.id = n.account_id LEFT JOIN flows f ON f.subject_id = n.id AND f.phase <> 'done' \
     WHERE n.status = 'em_transmissao' AND n.next_check_ms >= 0 AND n.id > $1 AND n.created_at_ms <= $2 \
     UNION ALL \
     SELECT n.id, n.account_id, a.nome, n.emitter_id, n.modelo, n.ambiente, n.status, n.serie, n.numero, n.municipio, n.via, n.sistema, n.detalhes, n.next_check_ms, n.created_at_ms, n.updated_at_ms, \
     f.phase, f.wake_at_ms, CAST(CASE WHEN f.lease_owner <> '' THEN 1 ELSE 0 END AS BIGINT) AS leased \
     FROM flows f JOIN notas n ON n.id = f.subject_id JOIN accounts a ON a.id = n.account_id \
     WHERE f.phase <> 'done' AND f.wake_at_ms >= 0 AND n.status = 'pendente_prefeitura' AND n.id > $1 AND n.created_at_ms <= $2 \
     ) AS x ORDER BY x.id LIMIT CAST($3 AS BIGINT)";

// As above, of one account: `account_id || ''` keeps SQLite from walking all it has, and
// tables with CROSS JOIN between them are read in this order.
const OF_ACCOUNT: &str = "SELECT x.id FROM ( \
     SELECT n.id, n.created_at_ms FROM notas n WHERE n.status = 'em_transmissao' AND n.next_check_ms >= 0 AND n.account_id || '' = $1 AND n.ambiente <> $2 \
     UNION ALL \
     SELECT n.id, n.created_at_ms FROM flows f CROSS JOIN notas n WHERE f.phase <> 'done' AND f.wake_at_ms >= 0 AND n.id = f.subject_id \
     AND n.status = 'pendente_prefeitura' AND n.account_id || '' = $1 AND n.ambiente <> $2 \
     ) AS x ORDER BY x.created_at_ms, x.id LIMIT CAST($3 AS BIGINT)";

/// Those of an account, whenever they were made, the oldest first; none of the environment
/// that is not seen.
///
/// # Errors
/// The database failed.
pub async fn of_account(
    conn: &mut Conn,
    account: &AccountId,
    unseen: &str,
    limit: i64,
) -> DbResult<Vec<OpenRow>> {
    fetch_all!(conn, OpenRow, OF_ACCOUNT, account, unseen, limit)
}

/// Those made at a moment or before it, above an id, oldest id first. On a connection
/// for reports.
///
/// # Errors
/// The database failed.
pub async fn list(
    conn: &mut Conn,
    after: &str,
    until_ms: i64,
    limit: i64,
) -> DbResult<Vec<StuckRow>> {
    fetch_all!(conn, StuckRow, STUCK, after, until_ms, limit)
}
