//! What an account may do while an operator has it blocked.

use base::errors::{Code, Failure, Refusal};
use base::operations::Operation;
use store::tables::accounts::Account;

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
/// company keep its documents.
///
/// # Errors
/// As [`key`].
pub(crate) fn person(operation: &Operation, account: &Account) -> Result<(), Failure> {
    if operation.method == "GET" && operation.price() == Some(0) {
        Ok(())
    } else {
        key(account)
    }
}
