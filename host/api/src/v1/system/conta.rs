//! GET /api/v1/conta: the account of the key, its limits and environments.

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::{Built, json};
use ::accounts::ledger;
use axum::response::Response;
use axum::routing::on;
use base::when;
use serde_json::json as value;
use store::Present as _;
use store::tables::accounts;

pub fn built() -> Built {
    Built {
        operation: "conta",
        route: |method| on(method, conta),
        docs: Docs::new("Mostra a conta da chave, os seus limites e os ambientes que ela alcança."),
    }
}

async fn conta(call: Call) -> ApiResult<Response> {
    let app = &call.app;
    let mut conn = app.db.read().await?;
    let account = accounts::get(&mut conn, &call.caller.account_id)
        .await?
        .present("account", &call.caller.account_id)?;
    let balances = ledger::balances(&mut conn, &account.id).await?;
    let test = call.caller.is_test();
    let limits = &app.config.limits;
    Ok(json(
        200,
        &value!({
            "sucesso": true, "id": account.id, "nome": account.nome, "criada_em": when::rfc3339(account.created_at_ms),
            "chave_escopos": call.key.as_ref().map(|known| known.scopes.names()),
            "chave_tipo": if test { "teste" } else { "producao" },
            "ambientes": if test { value!(["simulado"]) } else { value!(["homologacao", "producao"]) },
            "autoridades_simuladas": app.config.authorities.mode == base::config::AuthoritiesMode::Simulator,
            "limites": {
                "requisicoes_por_minuto": account.requests_per_minute, "json_bytes": limits.json_bytes,
                "certificados_bytes": limits.certificate_bytes, "arquivos_bytes": limits.file_bytes,
                "objetos_bytes": limits.object_bytes, "objetos_simultaneos": limits.objects_at_once, "armazenamento_bytes": app.config.storage.account_bytes,
                "espera_ms": app.config.issuing.wait_ms,
                "idempotencia_horas": app.config.issuing.idempotency_hours,
            },
            "saldo": balances.available, "reservado": balances.held, "request_id": call.caller.request_id,
        }),
    ))
}
