//! Opening an account: balances, gift, and its first two keys; and what each
//! kind of key may see.

use crate::api_keys::{self, KeyOrder};
use crate::ledger::{self, Movement, Payer};
use std::convert::Infallible;
use store::ids::{AccountId, RequestId};
use store::tables::accounts::Account;
use store::tables::api_keys::ApiKey;
use store::words::Ambiente;
use store::{Conn, Db, DbResult, TxError};
use vault::apikey::KeyKind;

/// The environment a kind of key does not see: a test key nothing of
/// production, a live one nothing that is only simulated. What lies between,
/// homologation, both see.
pub fn unseen(test: bool) -> &'static str {
    let unseen = if test {
        Ambiente::Production
    } else {
        Ambiente::Simulated
    };
    unseen.as_str()
}

/// The environments that a list for a kind of key leaves out, words with a comma between them.
/// `wanted`: the environment that is asked for, beside which nothing is listed; None: all that
/// the key sees.
pub fn left_out(test: bool, wanted: Option<Ambiente>) -> &'static str {
    match (wanted, test) {
        (None, _) => unseen(test),
        (Some(Ambiente::Homologacao), _) => "producao,simulado",
        (Some(Ambiente::Production), false) => "homologacao,simulado",
        (Some(Ambiente::Simulated), true) => "homologacao,producao",
        (Some(Ambiente::Production), true) | (Some(Ambiente::Simulated), false) => {
            "homologacao,producao,simulado"
        }
    }
}

/// The environment that is counted where none is named: of a live key production alone,
/// because what is of homologação has no fiscal value. None: all that the key sees.
pub fn counted(test: bool) -> Option<Ambiente> {
    (!test).then_some(Ambiente::Production)
}

/// An account to be.
pub struct Opening {
    pub name: String,
    pub requests_per_minute: i64,
    pub gift_credits: i64,
    pub now_ms: i64,
}

/// An account and its two keys, shown this once.
pub struct NewAccount {
    pub id: AccountId,
    pub test_key: String,
    pub live_key: String,
}

/// The rows of an account to be.
#[derive(Clone)]
pub struct Prepared {
    account: Account,
    keys: [ApiKey; 2],
    gift: i64,
}

/// An account with its gift of credits and two keys, digested under `pepper`:
/// what its owner is shown, and the rows to [`insert`].
///
/// # Errors
/// The source of randomness failed.
pub fn prepare(pepper: &[u8; 32], opening: &Opening) -> anyhow::Result<(NewAccount, Prepared)> {
    let id = AccountId::new(opening.now_ms);
    let key = |kind| {
        let request = KeyOrder::open(kind, &opening.name);
        api_keys::fresh(pepper, &id, request, opening.now_ms)
    };
    let (test, live) = (key(KeyKind::Test)?, key(KeyKind::Live)?);
    let account = Account {
        id: id.clone(),
        nome: opening.name.clone(),
        requests_per_minute: opening.requests_per_minute,
        created_at_ms: opening.now_ms,
        cte_released: 0,
        mdfe_released: 0,
        blocked_at_ms: 0,
        blocked_reason: String::new(),
    };
    let shown = NewAccount {
        id: account.id.clone(),
        test_key: test.chave.expose().to_owned(),
        live_key: live.chave.expose().to_owned(),
    };
    let prepared = Prepared {
        account,
        keys: [test.row, live.row],
        gift: opening.gift_credits,
    };
    Ok((shown, prepared))
}

/// Prepares an account and writes it.
///
/// # Errors
/// The database or the source of randomness failed.
pub async fn open(db: &Db, pepper: &[u8; 32], opening: Opening) -> anyhow::Result<NewAccount> {
    let (shown, prepared) = prepare(pepper, &opening)?;
    let written = db.write(prepared, |prepared, conn| {
        Box::pin(async move { Ok::<_, TxError<Infallible>>(insert(conn, prepared).await?) })
    });
    written.await?;
    Ok(shown)
}

/// Writes the rows of a prepared account.
///
/// # Errors
/// The database failed.
pub async fn insert(conn: &mut Conn, prepared: &Prepared) -> DbResult<()> {
    let Prepared {
        account,
        keys,
        gift,
    } = prepared;
    store::tables::accounts::insert(conn, account).await?;
    ledger::open(conn, &account.id).await?;
    if *gift > 0 {
        let movement = Movement {
            account_id: &account.id,
            subject_id: "",
            operation: "conta",
            request_id: &RequestId::default(),
            payer: &Payer::default(),
            now_ms: account.created_at_ms,
        };
        ledger::gift(conn, &movement, *gift, "abertura").await?;
    }
    for key in keys {
        store::tables::api_keys::insert(conn, key).await?;
    }
    Ok(())
}
