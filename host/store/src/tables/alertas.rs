//! Table `alertas`: where a customer wants to hear of a low balance. The
//! thresholds themselves stand beside the balance.

use crate::ids::AccountId;
use crate::{Conn, DbResult, execute, fetch_optional, row};

row! {
    #[derive(Clone, Debug, Default)]
    pub struct AlertaRow {
        /// JSON: `email`, `chatapp`, `webhook`.
        pub canais: String,
        /// JSON: numbers of the channel `chatapp`.
        pub telefones: String,
        /// Joined by commas.
        pub limiares: String,
    }
}

const SAVE: &str = "INSERT INTO alertas (account_id, canais, updated_at_ms, telefones) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (account_id) DO UPDATE SET canais = $2, updated_at_ms = $3, telefones = $4";
const GET: &str = "SELECT a.canais, a.telefones, l.limiares FROM alertas a \
     JOIN ledger_accounts l ON l.account_id = a.account_id AND l.kind = 'available' WHERE a.account_id = $1";

pub async fn save(
    conn: &mut Conn,
    account: &AccountId,
    channels: &str,
    telefones: &str,
    now_ms: i64,
) -> DbResult<()> {
    execute!(conn, SAVE, account, channels, now_ms, telefones)?;
    Ok(())
}

/// None: the account has chosen nothing.
pub async fn get(conn: &mut Conn, account: &AccountId) -> DbResult<Option<AlertaRow>> {
    fetch_optional!(conn, AlertaRow, GET, account)
}
