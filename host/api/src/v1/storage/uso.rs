//! GET /api/v1/storage/uso: how much is kept and how much fits.

use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::only;
use schemars::JsonSchema;
use serde::Serialize;
use store::tables::objetos;

pub fn built() -> Built {
    Built {
        operation: "storage.uso",
        route: |method| on(method, uso),
        docs: Docs::new("Mostra quanto a conta guarda, quanto cabe e o que se cobra (nada).")
            .success::<UsoOut>(),
    }
}

/// O espaço da conta.
#[derive(Serialize, JsonSchema)]
struct UsoOut {
    usado_bytes: i64,
    limite_bytes: i64,
    livre_bytes: i64,
    /// Quantos objetos há.
    objetos: i64,
    /// Sempre `false`.
    cobrado: bool,
    /// Sempre `null`: guardar não custa nada.
    preco: (),
}

async fn uso(call: Call) -> ApiAnswer<UsoOut> {
    only(&call.query, &[])?;
    let mut conn = call.app.db.read().await?;
    let uso = objetos::uso(&mut conn, &call.caller.account_id).await?;
    drop(conn);
    let limit = call.app.config.storage.account_bytes;
    call.ok(UsoOut {
        usado_bytes: uso.bytes,
        limite_bytes: limit,
        livre_bytes: (limit - uso.bytes).max(0),
        objetos: uso.objetos,
        cobrado: false,
        preco: (),
    })
}
