//! Table `accounts`.

use crate::ids::AccountId;
use crate::{Conn, DbResult, execute, fetch_optional, row};

row! {
    #[derive(Clone, Debug)]
    pub struct Account {
        pub id: AccountId,
        pub nome: String,
        pub requests_per_minute: i64,
        pub created_at_ms: i64,
    }
}

const INSERT: &str =
    "INSERT INTO accounts (id, nome, requests_per_minute, created_at_ms) VALUES ($1, $2, $3, $4)";
const GET: &str = "SELECT id, nome, requests_per_minute, created_at_ms FROM accounts WHERE id = $1";
const LOCK: &str = "UPDATE accounts SET nome = nome WHERE id = $1";

pub async fn insert(conn: &mut Conn, account: &Account) -> DbResult<()> {
    execute!(
        conn,
        INSERT,
        &account.id,
        &account.nome,
        account.requests_per_minute,
        account.created_at_ms
    )?;
    Ok(())
}

pub async fn get(conn: &mut Conn, id: &AccountId) -> DbResult<Option<Account>> {
    fetch_optional!(conn, Account, GET, id)
}

/// Holds the account's row until the transaction ends: what is decided per
/// account is decided by one at a time.
pub async fn lock(conn: &mut Conn, id: &AccountId) -> DbResult<()> {
    execute!(conn, LOCK, id)?;
    Ok(())
}
