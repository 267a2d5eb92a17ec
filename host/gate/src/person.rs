//! Who calls from inside the process: a person without a key, or a key that was let
//! in before. Nothing from outside can put either into a request.

use crate::services::limiter::Verdict;
use accounts::people::known::Known;
use std::sync::Arc;

/// Who asks, in the place of a key.
#[derive(Clone)]
pub struct Person(pub Arc<Known>);

/// Beside a [`Person`]: the call is one of many that the hub makes in turn for
/// something a person asked for once. The account's rate does not count it.
#[derive(Clone, Copy)]
pub struct InTurn;

/// Beside a [`Person`]: the body of a call that stores a draft is a form, which may lack what
/// a note must have ([`crate::Call::form`]).
#[derive(Clone, Copy)]
pub struct FormBody;

/// Beside a [`Person`]: the call is charged once under this key, however often it comes
/// ([`crate::Call::once`]).
#[derive(Clone)]
pub struct ChargedOnce(pub String);

/// A key that [`crate::caller::entry::let_in`] let in and counted, for calls that are made of
/// the one that came. Its addresses name a document by its reference alone
/// ([`crate::Call::sole_reference`]).
#[derive(Clone)]
pub struct LetIn {
    pub known: Arc<Known>,
    pub(crate) pace: Verdict,
}
