//! API keys of an account: made, rotated, revoked.
//!
//! A key never gives away more than it has: scopes, the live environment, its
//! addresses, its end, and the credits it may spend. A key that is limited makes
//! keys that spend from the same allowance.

use crate::people::People;
use crate::scopes::Scopes;
use base::errors::{Code, Failure, Refusal};
use base::net::Net;
use base::random::OsRandom;
use store::ids::{AccountId, BudgetId, KeyId};
use store::tables::api_keys::{self, ApiKey};
use store::tables::budgets;
use store::words::Maybe;
use store::{Conn, TxError};
use vault::apikey::{self, KeyKind, NewKey};

const HOUR_MS: i64 = 3_600_000;

/// A key to be.
#[derive(Clone, Debug)]
pub struct KeyOrder {
    pub kind: KeyKind,
    pub name: String,
    pub scopes: Scopes,
    /// Ranges with a space between; empty: any address.
    pub ips: String,
    /// Credits per day.
    pub daily_limit: Option<i64>,
    /// Credits per month.
    pub monthly_limit: Option<i64>,
    /// Where what it spends is counted; empty: a count of its own, if it has a
    /// limit.
    pub budget_id: Maybe<BudgetId>,
    /// 0 = never.
    pub expires_at_ms: i64,
}

impl KeyOrder {
    /// A key of this kind that may do everything.
    pub fn open(kind: KeyKind, name: &str) -> KeyOrder {
        KeyOrder {
            kind,
            name: name.to_owned(),
            scopes: Scopes::all(),
            ips: String::new(),
            daily_limit: None,
            monthly_limit: None,
            budget_id: Maybe(None),
            expires_at_ms: 0,
        }
    }
}

/// A key just made, shown this once, and what is stored of it.
pub struct CreatedKey {
    pub chave: NewKey,
    pub segredo: NewKey,
    pub row: ApiKey,
}

/// Makes a key, with nothing stored yet.
///
/// # Errors
/// The source of randomness failed.
pub fn fresh(
    pepper: &[u8; 32],
    account_id: &AccountId,
    request: KeyOrder,
    now_ms: i64,
) -> anyhow::Result<CreatedKey> {
    let chave = apikey::generate(request.kind, &OsRandom)?;
    let segredo = apikey::generate_secret(&OsRandom)?;
    let id = KeyId::new(now_ms);
    let limited = request.daily_limit.is_some() || request.monthly_limit.is_some();
    let budget_id = if limited && request.budget_id.is_none() {
        BudgetId::from(&id).into()
    } else {
        request.budget_id
    };
    let row = ApiKey {
        id,
        account_id: account_id.to_owned(),
        kind: request.kind,
        nome: request.name,
        digest: flow::hex(&chave.digest(pepper)),
        secret_digest: flow::hex(&segredo.digest(pepper)),
        hint: chave.hint().to_owned(),
        escopos: request.scopes.text(),
        ips: request.ips,
        limite_diario: request.daily_limit,
        limite_mensal: request.monthly_limit,
        budget_id,
        substituida_por: Maybe(None),
        created_at_ms: now_ms,
        revoked_at_ms: 0,
        expires_at_ms: request.expires_at_ms,
    };
    Ok(CreatedKey {
        chave,
        segredo,
        row,
    })
}

/// Makes a key for `creator`'s account.
///
/// # Errors
/// It would have more than its creator, or the account has too many.
pub async fn create(
    app: &People,
    creator: &ApiKey,
    request: KeyOrder,
) -> Result<CreatedKey, Failure> {
    let request = within(creator, request)?;
    let now_ms = app.now_ms();
    let fresh = fresh(&app.pepper, &creator.account_id, request, now_ms)?;
    let input = Input {
        creator: creator.clone(),
        row: fresh.row.clone(),
        most: app.config.accounts.keys,
        now_ms,
    };
    let written = app.db.write(input, |input, conn| {
        Box::pin(async move {
            input.begin(conn).await?;
            let budget = BudgetId::from(&input.row.id);
            if input.row.budget_id.as_ref() == Some(&budget) {
                budgets::insert(conn, &input.row.account_id, &budget).await?;
            }
            Ok(api_keys::insert(conn, &input.row).await?)
        })
    });
    written.await?;
    Ok(fresh)
}

/// Makes a key in the place of another, which goes on for `hours`; both spend
/// from one allowance. Also the other key, as it was.
///
/// # Errors
/// There is no such key, it does not work any more or was rotated before, or it
/// may do more than `creator`.
pub async fn rotate(
    app: &People,
    creator: &ApiKey,
    id: &KeyId,
    hours: i64,
) -> Result<(CreatedKey, ApiKey), Failure> {
    let old = find(app, creator, id).await?;
    let now_ms = app.now_ms();
    let request = KeyOrder {
        kind: old.kind,
        name: old.nome.clone(),
        scopes: Scopes::read(&old.escopos),
        ips: old.ips.clone(),
        daily_limit: old.limite_diario,
        monthly_limit: old.limite_mensal,
        budget_id: old.budget_id.clone(),
        expires_at_ms: old.expires_at_ms,
    };
    outranked(creator, &request)?;
    if creator.budget_id.is_some() && old.budget_id != creator.budget_id {
        return Err(Refusal::new(Code::SemPermissao)
            .message("Uma chave com limite de gastos só rotaciona as que gastam do mesmo limite que ela.")
            .hint("Use uma chave sem limite, com o escopo chaves.")
            .into());
    }
    let fresh = fresh(&app.pepper, &creator.account_id, request, now_ms)?;
    let ends_ms = match old.expires_at_ms {
        0 => now_ms + hours * HOUR_MS,
        expires_at_ms => expires_at_ms.min(now_ms + hours * HOUR_MS),
    };
    let input = Input {
        creator: creator.clone(),
        row: fresh.row.clone(),
        // What lives on for a while does not keep others from following.
        most: app.config.accounts.keys.saturating_mul(2),
        now_ms,
    };
    let written = app.db.write(
        (input, old.clone(), ends_ms),
        |(input, old, ends_ms), conn| {
            Box::pin(async move {
                input.begin(conn).await?;
                let over = old.expires_at_ms > 0 && old.expires_at_ms <= input.now_ms;
                let (account, new) = (&old.account_id, &input.row.id);
                if over || !api_keys::replace(conn, account, &old.id, new, *ends_ms).await? {
                    return Err(TxError::Abort(gone(conn, old, input.now_ms).await?));
                }
                Ok(api_keys::insert(conn, &input.row).await?)
            })
        },
    );
    written.await?;
    app.keys.forget(&old.digest);
    Ok((fresh, old))
}

/// Ends a key at once, on this node; the others follow within seconds.
///
/// # Errors
/// There is no such key, or it was revoked before.
pub async fn revoke(app: &People, creator: &ApiKey, id: &KeyId) -> Result<ApiKey, Failure> {
    let row = find(app, creator, id).await?;
    let input = (creator.clone(), row.clone(), app.now_ms());
    let written = app.db.write(input, |(creator, row, now_ms), conn| {
        Box::pin(async move {
            working(conn, creator, *now_ms).await?;
            if api_keys::revoke(conn, &row.account_id, &row.id, *now_ms).await? {
                return Ok(());
            }
            Err(TxError::Abort(
                Refusal::new(Code::EstadoInvalido)
                    .message("A chave já foi revogada.")
                    .hint("Nada a fazer."),
            ))
        })
    });
    written.await?;
    app.keys.forget(&row.digest);
    Ok(row)
}

/// What making a key takes.
struct Input {
    creator: ApiKey,
    row: ApiKey,
    /// Keys the account may have.
    most: i64,
    now_ms: i64,
}

impl Input {
    /// One at a time per account, by a key that works at this moment: what a
    /// node remembers of it may be seconds old, and a key that was revoked must
    /// not leave another behind.
    async fn begin(&self, conn: &mut Conn) -> Result<(), TxError<Refusal>> {
        let account = &self.row.account_id;
        store::tables::accounts::lock(conn, account).await?;
        working(conn, &self.creator, self.now_ms).await?;
        let count = api_keys::count_working(conn, account, self.now_ms).await?;
        if count >= self.most {
            return Err(TxError::Abort(
                Refusal::new(Code::EstadoInvalido)
                    .message(format!("A conta já tem {count} chaves em uso."))
                    .hint("Revogue as que não usa: DELETE /api/v1/chaves/{id}."),
            ));
        }
        Ok(())
    }
}

/// Refuses when the key has stopped working. A person in the panel has none:
/// their session was looked up for this very call.
async fn working(conn: &mut Conn, key: &ApiKey, now_ms: i64) -> Result<(), TxError<Refusal>> {
    if key.id.is_empty() {
        return Ok(());
    }
    let row = api_keys::get(conn, &key.account_id, &key.id).await?;
    let code = match row {
        Some(row) if row.revoked_at_ms > 0 => Code::ChaveRevogada,
        Some(row) if row.expires_at_ms > 0 && row.expires_at_ms <= now_ms => Code::ChaveExpirada,
        Some(_) => return Ok(()),
        None => Code::ChaveInvalida,
    };
    Err(TxError::Abort(Refusal::new(code)))
}

/// A key of the account. A test key does not see the live ones.
async fn find(app: &People, creator: &ApiKey, id: &KeyId) -> Result<ApiKey, Failure> {
    let mut conn = app.db.read().await?;
    let row = api_keys::get(&mut conn, &creator.account_id, id).await?;
    let seen = row.filter(|row| creator.kind == KeyKind::Live || row.kind == creator.kind);
    seen.ok_or_else(|| {
        Refusal::new(Code::NaoEncontrado)
            .message("Chave não encontrada.")
            .hint(
                "Use o id que GET /api/v1/chaves mostra; uma chave de teste não vê as de produção.",
            )
            .into()
    })
}

/// Why a key cannot be rotated.
async fn gone(conn: &mut Conn, old: &ApiKey, now_ms: i64) -> Result<Refusal, sqlx::Error> {
    let row = api_keys::get(conn, &old.account_id, &old.id).await?;
    let refusal = Refusal::new(Code::EstadoInvalido).hint("Crie outra: POST /api/v1/chaves.");
    Ok(match row {
        Some(row) if row.revoked_at_ms > 0 => refusal.message("A chave foi revogada."),
        Some(row) if row.substituida_por.is_some() => refusal
            .message("A chave já foi rotacionada.")
            .hint("Rotacione a que a substituiu, indicada em substituida_por.")
            .with("substituida_por", row.substituida_por.as_str()),
        Some(row) if row.expires_at_ms > 0 && row.expires_at_ms <= now_ms => {
            refusal.message("A chave expirou.")
        }
        _ => refusal.message("A chave mudou."),
    })
}

/// The key as its creator can give it.
fn within(creator: &ApiKey, mut request: KeyOrder) -> Result<KeyOrder, Failure> {
    // What is not asked for is as the creator has it.
    if request.expires_at_ms == 0 {
        request.expires_at_ms = creator.expires_at_ms;
    }
    if request.ips.is_empty() {
        creator.ips.clone_into(&mut request.ips);
    }
    if creator.budget_id.is_some() {
        request.daily_limit = request.daily_limit.or(creator.limite_diario);
        request.monthly_limit = request.monthly_limit.or(creator.limite_mensal);
        creator.budget_id.clone_into(&mut request.budget_id);
    }
    outranked(creator, &request)?;
    Ok(request)
}

/// Whether these ranges lie in those; none is all there is.
fn all_within(ranges: &str, those: &str) -> bool {
    let read = |text: &str| -> Result<Vec<Net>, ()> { text.split(' ').map(str::parse).collect() };
    // One that cannot be read lies nowhere.
    let (Ok(ranges), Ok(those)) = (read(ranges), read(those)) else {
        return false;
    };
    ranges
        .iter()
        .all(|range| those.iter().any(|wide| wide.covers(range)))
}

/// Refuses a key that may do what its creator may not.
fn outranked(creator: &ApiKey, request: &KeyOrder) -> Result<(), Failure> {
    if request.kind == KeyKind::Live && creator.kind != KeyKind::Live {
        return Err(Refusal::new(Code::ChaveDeTeste)
            .message("Uma chave de teste não dá chaves de produção.")
            .hint("Use uma chave de produção com o escopo chaves.")
            .into());
    }
    let later = request.expires_at_ms == 0 || request.expires_at_ms > creator.expires_at_ms;
    if creator.expires_at_ms > 0 && later {
        return Err(Refusal::new(Code::SemPermissao)
            .message("Uma chave com validade não dá outra que valha por mais tempo.")
            .hint("Peça uma validade até a dela, ou use uma chave sem validade.")
            .into());
    }
    if !creator.ips.is_empty() && !all_within(&request.ips, &creator.ips) {
        return Err(Refusal::new(Code::SemPermissao)
            .message("Uma chave presa a endereços não dá outra que valha fora deles.")
            .hint("Peça endereços dentro dos dela, ou use uma chave sem ips.")
            .into());
    }
    for (name, own, asked) in [
        ("limite_diario", creator.limite_diario, request.daily_limit),
        (
            "limite_mensal",
            creator.limite_mensal,
            request.monthly_limit,
        ),
    ] {
        let Some(own) = own else { continue };
        if asked.is_none_or(|asked| asked > own) {
            return Err(Refusal::new(Code::SemPermissao)
                .message(format!(
                    "A chave não pode dar outra que gaste mais do que ela: {name} é no máximo {own}."
                ))
                .hint("Peça um limite menor, ou use uma chave sem limite.")
                .into());
        }
    }
    let beyond = request.scopes.beyond(Scopes::read(&creator.escopos));
    if beyond.is_empty() {
        return Ok(());
    }
    let names = beyond.names();
    Err(Refusal::new(Code::SemPermissao)
        .message(format!(
            "A chave não pode dar escopos que ela mesma não tem: {}.",
            names.join(", ")
        ))
        .hint("Retire estes escopos, ou use uma chave que os tenha.")
        .with("escopos", names)
        .into())
}
