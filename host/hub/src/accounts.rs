//! Opening an account: balances, gift, and its first two keys.

use crate::chaves::{self, Pedido};
use crate::db::accounts::Account;
use crate::db::api_keys::ApiKey;
use crate::db::{self, Conn, Db, DbResult, TxError};
use crate::ids;
use crate::ledger::{self, Movement, Payer};
use crate::vault::apikey::KeyKind;
use std::convert::Infallible;

/// An account to be.
pub struct Opening {
    pub nome: String,
    pub requests_per_minute: i64,
    pub gift_credits: i64,
    pub now_ms: i64,
}

/// An account and its two keys, shown this once.
pub struct NewAccount {
    pub id: String,
    pub test_key: String,
    pub live_key: String,
}

/// Opens an account with its gift of credits and two keys, digested under
/// `pepper`.
///
/// # Errors
/// The database or the source of randomness failed.
pub async fn open(db: &Db, pepper: &[u8; 32], opening: Opening) -> anyhow::Result<NewAccount> {
    let id = ids::new("con", opening.now_ms);
    let key = |kind| {
        let pedido = Pedido::open(kind, &opening.nome);
        chaves::fresh(pepper, &id, pedido, opening.now_ms)
    };
    let (test, live) = (key(KeyKind::Test)?, key(KeyKind::Live)?);
    let account = Account {
        id: id.clone(),
        nome: opening.nome,
        requests_per_minute: opening.requests_per_minute,
        created_at_ms: opening.now_ms,
    };
    let input = (account, [test.row, live.row], opening.gift_credits);
    let written = db.write(input, |(account, keys, gift), conn| {
        Box::pin(
            async move { Ok::<_, TxError<Infallible>>(insert(conn, account, keys, *gift).await?) },
        )
    });
    written.await?;
    Ok(NewAccount {
        id,
        test_key: test.chave.expose().to_owned(),
        live_key: live.chave.expose().to_owned(),
    })
}

async fn insert(conn: &mut Conn, account: &Account, keys: &[ApiKey], gift: i64) -> DbResult<()> {
    db::accounts::insert(conn, account).await?;
    ledger::open(conn, &account.id).await?;
    if gift > 0 {
        let movement = Movement {
            account_id: &account.id,
            subject_id: "",
            operation: "conta",
            request_id: "",
            payer: &Payer::default(),
            now_ms: account.created_at_ms,
        };
        ledger::gift(conn, &movement, gift, "abertura").await?;
    }
    for key in keys {
        db::api_keys::insert(conn, key).await?;
    }
    Ok(())
}
