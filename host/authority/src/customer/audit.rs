//! Rows about what an adapter had signed, and what it was refused.

use crate::gateway::Gateway;
use base::ids;
use flow::driver::Turn;
use flow::{Asked, JournalError, Use};
use std::convert::Infallible;
use store::TxError;
use store::tables::adapter_uses::{self, UseKind, UseRow};

/// The rows of a turn, to be written in the transaction of the turn.
pub fn rows(turn: &Turn<'_>, now_ms: i64) -> Vec<UseRow> {
    let row = |made: &Use| UseRow {
        id: ids::new(adapter_uses::PREFIX, now_ms),
        account_id: turn.flow.account.as_str().into(),
        flow_id: turn.flow.id.as_str().into(),
        component: turn.flow.component.description.name.clone(),
        digest: turn.flow.component.digest.clone(),
        kind: match made.asked {
            Asked::Element => UseKind::Element,
            Asked::Text => UseKind::Text,
            Asked::Secret => UseKind::Secret,
            Asked::Certificate => UseKind::Certificate,
        },
        what: made.what.clone(),
        sha256: made.sha256.clone(),
        refused: made.refused.clone().unwrap_or_default(),
        at_ms: now_ms,
    };
    turn.uses.iter().map(row).collect()
}

/// Writes the rows of a turn that has no transaction of its own: a question's.
pub(crate) async fn write(app: &Gateway, turn: &Turn<'_>) -> Result<(), JournalError> {
    let rows = rows(turn, app.now_ms());
    let written = app.db.write(rows, |rows, conn| {
        Box::pin(
            async move { Ok::<_, TxError<Infallible>>(adapter_uses::insert(conn, rows).await?) },
        )
    });
    written
        .await
        .map_err(|error| JournalError::Unavailable(error.to_string()))
}
