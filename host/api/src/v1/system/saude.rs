//! GET /saude: the process is alive.

use axum::routing::on;
use base::when;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use schemars::JsonSchema;
use serde::Serialize;

pub fn built() -> Built {
    Built {
        operation: "saude",
        route: |method| on(method, saude),
        docs: Docs::new("Diz que o processo está vivo; não consulta nada.").success::<SaudeOut>(),
    }
}

#[derive(Serialize, JsonSchema)]
struct SaudeOut {
    /// Sempre `ok`.
    status: &'static str,
    versao: &'static str,
    /// Quando o processo começou.
    iniciado_em: String,
}

async fn saude(call: Call) -> ApiAnswer<SaudeOut> {
    call.ok(SaudeOut {
        status: "ok",
        versao: env!("CARGO_PKG_VERSION"),
        iniciado_em: when::rfc3339(call.app.started_ms),
    })
}
