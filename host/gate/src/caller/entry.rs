//! Letting a call with a key in: the key, where it is used from, how often, and what
//! for.

use super::{address, blocked, scheme};
use crate::Services;
use crate::person::LetIn;
use crate::server::Peer;
use crate::services::limiter::Verdict;
use accounts::people::known::Known;
use accounts::scopes::{self, Access};
use axum::http::{HeaderMap, header};
use base::errors::{Code, Failure, Refusal};
use base::operations::Operation;
use std::sync::Arc;
use vault::apikey;

/// Lets a call in that is no operation of the API but is made of some: by its key, from
/// its address, counted against the account's rate. The operations it then calls check
/// the key's scopes themselves.
///
/// # Errors
/// As every call with a key.
pub async fn let_in(
    app: &Services,
    headers: &HeaderMap,
    peer: Option<Peer>,
) -> Result<LetIn, Failure> {
    let (mut key, mut pace) = (None, None);
    admit(app, headers, peer, app.now_ms(), &mut key, &mut pace).await?;
    let let_in = key.zip(pace).map(|(known, pace)| LetIn { known, pace });
    Ok(let_in.ok_or_else(|| anyhow::anyhow!("a call was let in without a key"))?)
}

/// Finds the key of a call and counts the call, whatever it asks for.
pub(crate) async fn admit(
    app: &Services,
    headers: &HeaderMap,
    peer: Option<Peer>,
    now_ms: i64,
    key: &mut Option<Arc<Known>>,
    pace: &mut Option<Verdict>,
) -> Result<(), Failure> {
    let found = authenticate(app, headers, now_ms).await?;
    *key = Some(found.clone());
    // Before the rate: who tries a stolen key does not slow its owner down.
    if found.is_bound() {
        from_its_address(app, &found, headers, peer)?;
    }
    let verdict = in_time(app, &found, now_ms).await?;
    *pace = Some(verdict);
    if !verdict.allowed {
        return Err(too_fast(verdict).into());
    }
    blocked::key(&found.account)?;
    // A key in a browser is a key given away.
    if headers.contains_key(header::ORIGIN) {
        return Err(Refusal::new(Code::SemPermissao)
            .message("Chaves de API não podem ser usadas em um navegador.")
            .into());
    }
    Ok(())
}

/// Refuses an operation that the key has no scope for.
///
/// # Errors
/// 403, with the scope.
pub fn permitted(operation: &Operation, known: &Known) -> Result<(), Failure> {
    let Access::Scope(scope) = access(operation)? else {
        return Ok(());
    };
    if known.scopes.has(scope) {
        return Ok(());
    }
    let scope = scope.as_str();
    Err(Refusal::new(Code::SemPermissao)
        .message(format!(
            "Esta operação pede uma chave com o escopo {scope}, que esta não tem."
        ))
        .hint("Use uma chave com o escopo indicado em escopo.")
        .with("escopo", scope)
        .into())
}

/// Who may call an operation.
pub(crate) fn access(operation: &Operation) -> Result<Access, Failure> {
    let access = scopes::access(operation);
    Ok(access.ok_or_else(|| anyhow::anyhow!("{} has no scope", operation.operation))?)
}

/// Counts a call of the account.
pub(crate) async fn in_time(
    app: &Services,
    known: &Known,
    now_ms: i64,
) -> Result<Verdict, Failure> {
    let account = &known.account;
    let verdict = app
        .limiter
        .check(&app.db, &account.id, account.requests_per_minute, now_ms);
    Ok(verdict.await?)
}

/// The refusal of a call that is one too many.
pub(crate) fn too_fast(verdict: Verdict) -> Refusal {
    let seconds = u64::try_from(verdict.reset_s).unwrap_or(1);
    Refusal::new(Code::LimiteDeRequisicoes)
        .message(format!(
            "A conta passou do limite de requisições por minuto, que é de {}.",
            verdict.limit
        ))
        .retry_after(seconds)
}

/// Refuses a key that is used from an address that is not in its list.
fn from_its_address(
    app: &Services,
    known: &Known,
    headers: &HeaderMap,
    peer: Option<Peer>,
) -> Result<(), Failure> {
    let trusted = &app.config.server.trusted_proxies;
    let address = peer.and_then(|peer| address(peer.0, headers, trusted));
    if address.is_some_and(|address| known.admits(address)) {
        return Ok(());
    }
    let refusal = Refusal::new(Code::IpNaoAutorizado);
    Err(match address {
        Some(address) => refusal
            .message(format!(
                "A chave não pode ser usada a partir do endereço {address}."
            ))
            .with("ip", address.to_string()),
        None => refusal.message("O endereço de quem chama não pôde ser lido."),
    }
    .into())
}

/// Finds the key of either form. Malformed ones die without a query.
async fn authenticate(
    app: &Services,
    headers: &HeaderMap,
    now_ms: i64,
) -> Result<Arc<Known>, Failure> {
    let header_text = |name: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::trim)
    };
    let bearer = header_text("authorization")
        .map(scheme::bearer)
        .transpose()?;
    let pair = header_text("x-api-key");
    let invalid = || Failure::from(Refusal::new(Code::ChaveInvalida));
    let text = match (bearer, pair) {
        (Some(bearer), Some(pair)) if bearer != pair => return Err(invalid()),
        (Some(bearer), _) => bearer,
        (None, Some(pair)) => pair,
        (None, None) => return Err(Refusal::new(Code::NaoAutenticado).into()),
    };
    let parsed = apikey::parse(text).map_err(|_| invalid())?;
    let digest = flow::hex(&parsed.digest(&app.pepper));
    let known = app
        .people
        .keys
        .find(&app.db, &digest, now_ms)
        .await?
        .ok_or_else(invalid)?;
    let key = &known.key;
    if bearer.is_none() {
        let secret = header_text("x-api-secret").ok_or_else(|| {
            Refusal::new(Code::ChaveInvalida)
                .message("Falta o segredo da chave de API.")
                .hint(
                    "Com X-API-Key envie também X-API-Secret, ou só Authorization: Bearer <chave>.",
                )
        })?;
        let secret = apikey::parse_secret(secret).map_err(|_| invalid())?;
        let given = flow::hex(&apikey::digest(&app.pepper, secret));
        if !bool::from(subtle::ConstantTimeEq::ct_eq(
            given.as_bytes(),
            key.secret_digest.as_bytes(),
        )) {
            return Err(invalid());
        }
    }
    if key.revoked_at_ms > 0 {
        return Err(Refusal::new(Code::ChaveRevogada).into());
    }
    if key.expires_at_ms > 0 && key.expires_at_ms <= now_ms {
        return Err(Refusal::new(Code::ChaveExpirada).into());
    }
    Ok(known)
}
