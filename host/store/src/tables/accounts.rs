//! Table `accounts`.

use crate::ids::AccountId;
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, row};

row! {
    #[derive(Clone, Debug, Default)]
    pub struct Account {
        pub id: AccountId,
        pub nome: String,
        pub requests_per_minute: i64,
        pub created_at_ms: i64,
        /// 1: may have CT-e sent while their transmission is in its test phase.
        pub cte_released: i64,
        /// 1: may issue MDF-e.
        pub mdfe_released: i64,
        /// When an operator blocked it; 0: it is not blocked.
        pub blocked_at_ms: i64,
        /// Why, as its people are told.
        pub blocked_reason: String,
    }
}

row! {
    /// An account as operators list it.
    #[derive(Clone, Debug)]
    pub struct Listed {
        pub id: AccountId,
        pub nome: String,
        pub requests_per_minute: i64,
        pub created_at_ms: i64,
        pub cte_released: i64,
        pub mdfe_released: i64,
        pub blocked_at_ms: i64,
        pub blocked_reason: String,
        /// Credits it can spend.
        pub available: i64,
        /// Credits put aside for open documents.
        pub held: i64,
        pub companies: i64,
        pub people: i64,
    }
}

/// Longest text that is looked for, in characters: as long as an e-mail may be.
const MOST_SOUGHT: usize = 254;

/// Which accounts an operator lists.
#[derive(Clone, Debug, Default)]
pub struct Sought {
    /// An id, the CNPJ of a company or the e-mail of a person, as a whole; empty: all.
    pub text: String,
    /// The same text as part of a name: small letters without accents.
    pub name: String,
    pub blocked_only: bool,
    /// Those opened before this one; empty: from the newest on.
    pub before: String,
}

const INSERT: &str =
    "INSERT INTO accounts (id, nome, requests_per_minute, created_at_ms) VALUES ($1, $2, $3, $4)";
const GET: &str = "SELECT * FROM accounts WHERE id = $1";
const RELEASE_CTE: &str = "UPDATE accounts SET cte_released = $2 WHERE id = $1";
const RELEASE_MDFE: &str = "UPDATE accounts SET mdfe_released = $2 WHERE id = $1";
const BLOCK: &str = "UPDATE accounts SET blocked_at_ms = $2, blocked_reason = $3 WHERE id = $1";
const SET_REQUESTS_PER_MINUTE: &str = "UPDATE accounts SET requests_per_minute = $2 WHERE id = $1";
// The ids are in the order of the accounts' age. A search reads every account; accents go
// letter by letter, as in the search of notes, so that both engines find the same names.
const LISTED: &str = "SELECT a.id, a.nome, a.requests_per_minute, a.created_at_ms, a.cte_released, a.mdfe_released, a.blocked_at_ms, a.blocked_reason, \
     (SELECT l.balance FROM ledger_accounts l WHERE l.account_id = a.id AND l.kind = 'available') AS available, \
     (SELECT l.balance FROM ledger_accounts l WHERE l.account_id = a.id AND l.kind = 'held') AS held, \
     (SELECT COUNT(*) FROM emitters e WHERE e.account_id = a.id) AS companies, \
     (SELECT COUNT(*) FROM members m WHERE m.account_id = a.id) AS people \
     FROM accounts a WHERE ($1 = '' OR a.id < $1) AND ($2 = 0 OR a.blocked_at_ms > 0) \
     AND ($3 = '' OR a.id = $3 OR REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(LOWER(a.nome), 'Á', 'a'), 'À', 'a'), 'Â', 'a'), 'Ã', 'a'), 'á', 'a'), 'à', 'a'), 'â', 'a'), 'ã', 'a') \
     , 'É', 'e'), 'Ê', 'e'), 'é', 'e'), 'ê', 'e') \
     , 'Í', 'i'), 'í', 'i') \
     , 'Ó', 'o'), 'Ô', 'o'), 'Õ', 'o'), 'ó', 'o'), 'ô', 'o'), 'õ', 'o') \
     , 'Ú', 'u'), 'Ü', 'u'), 'ú', 'u'), 'ü', 'u') \
     , 'Ç', 'c'), 'ç', 'c') \
     LIKE $4 ESCAPE '!' \
     OR EXISTS (SELECT 1 FROM emitters e WHERE e.account_id = a.id AND e.cnpj = $5) \
     OR EXISTS (SELECT 1 FROM members m JOIN users u ON u.id = m.user_id WHERE m.account_id = a.id AND u.email = $6)) \
     ORDER BY a.id DESC LIMIT CAST($7 AS BIGINT)";
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

impl Released {
    /// As a sentence says it.
    pub const fn title(self) -> &'static str {
        match self {
            Released::Cte => "CT-e",
            Released::Mdfe => "MDF-e",
        }
    }
}

impl Account {
    /// An operator blocked it.
    pub fn is_blocked(&self) -> bool {
        self.blocked_at_ms > 0
    }

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

/// Blocks an account from a moment on, with the reason its people are told, or ends
/// that (0 and empty). False: there is no such account.
pub async fn block(conn: &mut Conn, id: &AccountId, at_ms: i64, reason: &str) -> DbResult<bool> {
    Ok(execute!(conn, BLOCK, id, at_ms, reason)? == 1)
}

/// Sets how many calls the account may make in a minute. False: there is no such
/// account.
pub async fn set_requests_per_minute(
    conn: &mut Conn,
    id: &AccountId,
    requests: i64,
) -> DbResult<bool> {
    Ok(execute!(conn, SET_REQUESTS_PER_MINUTE, id, requests)? == 1)
}

/// The accounts that are sought, the newest first.
pub async fn listed(conn: &mut Conn, sought: &Sought, limit: i64) -> DbResult<Vec<Listed>> {
    let text = sought.text.trim();
    // Nothing is called so, and the engines refuse to compare it.
    let odd = |text: &str| text.contains('\0') || text.chars().count() > MOST_SOUGHT;
    if odd(text) || odd(&sought.before) {
        return Ok(Vec::new());
    }
    let cnpj: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    let mut pattern = String::from("%");
    for letter in sought.name.chars() {
        if matches!(letter, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    fetch_all!(
        conn,
        Listed,
        LISTED,
        &sought.before,
        i64::from(sought.blocked_only),
        text,
        &pattern,
        cnpj.to_ascii_uppercase(),
        text.to_lowercase(),
        limit
    )
}

/// Holds the account's row until the transaction ends: what is decided per
/// account is decided by one at a time.
pub async fn lock(conn: &mut Conn, id: &AccountId) -> DbResult<()> {
    execute!(conn, LOCK, id)?;
    Ok(())
}
