//! Writes to the account's audit what its keys changed; people's changes are
//! written there by the panel.

use crate::Services;
use crate::caller;
use crate::server::Peer;
use accounts::people::known::Known;
use accounts::users::{self, Actor};
use axum::http::HeaderMap;
use base::operations::Operation;
use store::ids::RequestId;
use store::words::Maybe;

/// Families whose changes are those of an administrator; documents have a
/// history of their own.
const FAMILIES: [&str; 4] = ["keys", "webhooks", "credits", "emitters"];

/// Whether a call of this operation, once it succeeded, belongs there.
pub(crate) fn belongs(operation: &Operation) -> bool {
    operation.method != "GET"
        && (FAMILIES.contains(&operation.family.as_str())
            || operation.operation == "documentos.delete")
}

/// Notes a call that succeeded. It is written before the call is answered; a
/// database that fails now cannot undo what was done, and is told to the log.
pub(crate) async fn note(
    app: &Services,
    operation: &Operation,
    known: &Known,
    from: (&HeaderMap, Option<Peer>),
    subject: &str,
    request_id: &RequestId,
) {
    let (headers, peer) = from;
    let trusted = &app.config.server.trusted_proxies;
    let address = peer.and_then(|peer| caller::address(peer.0, headers, trusted));
    let actor = Actor {
        account_id: known.key.account_id.clone(),
        user_id: Maybe(None),
        name: format!("chave …{}", known.key.hint),
        ip: address
            .map(|address| address.to_string())
            .unwrap_or_default(),
    };
    let noted = users::note(app, &actor, &operation.operation, subject, request_id).await;
    if let Err(error) = noted {
        tracing::error!(%request_id, operation = %operation.operation, error = %format!("{error:#}"), "a change is not in the audit");
    }
}
