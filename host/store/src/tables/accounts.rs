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
        /// 1: may have CT-e sent while their transmission is in its test phase.
        pub cte_released: i64,
        /// 1: may issue MDF-e.
        pub mdfe_released: i64,
    }
}

const INSERT: &str =
    "INSERT INTO accounts (id, nome, requests_per_minute, created_at_ms) VALUES ($1, $2, $3, $4)";
const GET: &str = "SELECT * FROM accounts WHERE id = $1";
const RELEASE_CTE: &str = "UPDATE accounts SET cte_released = $2 WHERE id = $1";
const RELEASE_MDFE: &str = "UPDATE accounts SET mdfe_released = $2 WHERE id = $1";
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

/// Documents that an operator releases for an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Released {
    Cte,
    Mdfe,
}

impl Account {
    /// Whether the account may have these documents.
    pub fn has(&self, document: Released) -> bool {
        match document {
            Released::Cte => self.cte_released == 1,
            Released::Mdfe => self.mdfe_released == 1,
        }
    }
}

/// Releases documents for an account, or takes the release back. False: there is
/// no such account.
pub async fn release(
    conn: &mut Conn,
    id: &AccountId,
    document: Released,
    released: bool,
) -> DbResult<bool> {
    let statement = match document {
        Released::Cte => RELEASE_CTE,
        Released::Mdfe => RELEASE_MDFE,
    };
    Ok(execute!(conn, statement, id, i64::from(released))? == 1)
}

/// Holds the account's row until the transaction ends: what is decided per
/// account is decided by one at a time.
pub async fn lock(conn: &mut Conn, id: &AccountId) -> DbResult<()> {
    execute!(conn, LOCK, id)?;
    Ok(())
}
