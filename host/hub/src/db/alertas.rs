//! Table `alertas`: where a customer wants to hear of a low balance. The
//! thresholds themselves stand beside the balance.

use super::{Conn, DbResult, execute};

const SAVE: &str = "INSERT INTO alertas (account_id, canais, updated_at_ms) VALUES ($1, $2, $3) \
     ON CONFLICT (account_id) DO UPDATE SET canais = $2, updated_at_ms = $3";

pub async fn save(conn: &mut Conn, account: &str, canais: &str, now_ms: i64) -> DbResult<()> {
    execute!(conn, SAVE, account, canais, now_ms)?;
    Ok(())
}
