//! Table `vinculos`: which note a return, complement or adjustment is of.

use super::notas::NotaStatus;
use crate::ids::{AccountId, NotaId, VinculoId};
use crate::{Conn, DbResult, execute, fetch_all, row};

row! {
    #[derive(Clone, Debug)]
    pub struct LinkRow {
        pub id: VinculoId,
        pub account_id: AccountId,
        pub nota_id: NotaId,
        /// Key of the original note, of this emitter or another.
        pub chave_origem: String,
        /// `devolucao`, `complementar`, `ajuste` ...
        pub tipo: String,
        pub created_at_ms: i64,
    }
}

row! {
    /// A note that derives from another one.
    #[derive(Clone, Debug)]
    pub struct Derived {
        pub id: VinculoId,
        pub tipo: String,
        pub nota_id: NotaId,
        pub chave: String,
        pub status: NotaStatus,
    }
}

const INSERT: &str = "INSERT INTO vinculos (id, account_id, nota_id, chave_origem, tipo, created_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
const OF_NOTA: &str = "SELECT id, account_id, nota_id, chave_origem, tipo, created_at_ms FROM vinculos \
     WHERE account_id = $1 AND nota_id = $2 ORDER BY id LIMIT 500";
const DERIVED: &str = "SELECT v.id AS id, v.tipo AS tipo, n.id AS nota_id, n.chave AS chave, n.status AS status FROM vinculos v \
     JOIN notas n ON n.id = v.nota_id WHERE v.account_id = $1 AND v.chave_origem = $2 AND n.ambiente <> $3 ORDER BY v.id LIMIT 500";

/// False when the two are linked already.
pub async fn insert(conn: &mut Conn, v: &LinkRow) -> DbResult<bool> {
    let rows = execute!(
        conn,
        INSERT,
        &v.id,
        &v.account_id,
        &v.nota_id,
        &v.chave_origem,
        &v.tipo,
        v.created_at_ms
    )?;
    Ok(rows == 1)
}

/// The notes this one derives from.
pub async fn of_nota(
    conn: &mut Conn,
    account: &AccountId,
    nota: &NotaId,
) -> DbResult<Vec<LinkRow>> {
    fetch_all!(conn, LinkRow, OF_NOTA, account, nota)
}

/// The account's notes that derive from the one with this key; none in the
/// environment the key of the request does not see.
pub async fn derived(
    conn: &mut Conn,
    account: &AccountId,
    chave: &str,
    unseen: &str,
) -> DbResult<Vec<Derived>> {
    fetch_all!(conn, Derived, DERIVED, account, chave, unseen)
}
