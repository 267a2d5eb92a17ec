//! /api/v1/webhooks

mod create;
mod delete;
mod entregas;
mod get;
mod list;
mod record;
mod reenviar;
mod rotacionar_segredo;
mod testar;
mod tipos_evento;
mod update;

use base::errors::Failure;
use events::webhooks::registration;
use gate::Call;
use gate::docs::Built;
use store::ids::WebhookId;
use store::tables::webhooks::{self, WebhookRow};

pub fn built() -> Vec<Built> {
    let mut all = vec![
        create::built(),
        list::built(),
        get::built(),
        update::built(),
        delete::built(),
        testar::built(),
        rotacionar_segredo::built(),
        tipos_evento::built(),
    ];
    all.extend(entregas::built());
    all.extend(reenviar::built());
    all
}

/// The webhook of an address, of the caller's account and kind of key.
///
/// # Errors
/// 404.
async fn load(call: &Call, id: &WebhookId) -> Result<WebhookRow, Failure> {
    let caller = &call.caller;
    let mut conn = call.app.db.read().await?;
    let row = webhooks::get(&mut conn, &caller.account_id, caller.kind, id).await?;
    Ok(row.ok_or_else(registration::unknown)?)
}
