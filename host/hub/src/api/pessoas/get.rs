//! GET /api/v1/pessoas/{id}

use super::record;
use crate::api::Built;
use crate::api::gate::Call;
use crate::api::list::only;
use crate::api::openapi::Docs;
use crate::db;
use crate::errors::Failure;
use crate::pessoas;
use axum::extract::Path;
use axum::response::Response;
use axum::routing::on;

pub fn built() -> Built {
    Built {
        operation: "pessoas.get",
        route: |method| on(method, get),
        docs: Docs::new("Mostra uma pessoa, com endereços e telefones, e a sua versão em ETag.")
            .sends("ETag", &[200]),
    }
}

async fn get(call: Call, Path(id): Path<String>) -> Result<Response, Failure> {
    only(&call.query, &[])?;
    let mut conn = call.app.db.read().await?;
    let row = db::pessoas::get(&mut conn, &call.caller.account_id, &id).await?;
    drop(conn);
    record::respond(&call, 200, &row.ok_or_else(pessoas::inexistente)?, None)
}
