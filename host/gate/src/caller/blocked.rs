//! What an account may do while an operator has it blocked.

use base::errors::{Code, Failure, Refusal};
use base::operations::Operation;
use store::tables::accounts::Account;

/// The operation that a person of a blocked account still has: a key that leaked is one to
/// revoke before the block ends.
const REVOKES: &str = "chaves.delete";

/// Refuses every call with a key.
///
/// # Errors
/// 403 `conta_bloqueada`, with the reason.
pub(crate) fn key(account: &Account) -> Result<(), Failure> {
    if !account.is_blocked() {
        return Ok(());
    }
    Err(Refusal::new(Code::ContaBloqueada)
        .message(format!(
            "A conta está bloqueada. Motivo: {}",
            account.blocked_reason
        ))
        .into())
}

/// A person of the account still reads what costs nothing, because the law makes a
/// company keep its documents, and revokes keys.
///
/// # Errors
/// As [`key`].
pub(crate) fn person(operation: &Operation, account: &Account) -> Result<(), Failure> {
    let reads = operation.method == "GET" && operation.price() == Some(0);
    if reads || operation.operation == REVOKES {
        Ok(())
    } else {
        key(account)
    }
}
