//! The `Authorization` header: the key in it, or what is wrong with its form.

use base::errors::{Code, Failure, Refusal};
use vault::apikey;

/// What callers are told to send.
const HINT: &str = "Envie Authorization: Bearer e a chave, com um espaço entre os dois.";

/// The key of `Bearer <key>`. Another scheme than those that people try has no key.
///
/// # Errors
/// 401 `chave_invalida` for Basic, and for a key without the word `Bearer`.
pub(crate) fn bearer(value: &str) -> Result<&str, Failure> {
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    let refused = |message: &str| {
        let refusal = Refusal::new(Code::ChaveInvalida);
        Err(refusal.message(message).hint(HINT).into())
    };
    if scheme.eq_ignore_ascii_case("bearer") {
        return Ok(token.trim());
    }
    if scheme.eq_ignore_ascii_case("basic") {
        return refused("A autenticação Basic (usuário e senha) não é aceita nesta API.");
    }
    if apikey::parse(scheme).is_ok() {
        return refused("Falta a palavra Bearer antes da chave.");
    }
    Ok("")
}
