//! POST /api/v1/cte-os: CT-e for other services (model 67) are not issued.

use axum::routing::on;
use base::errors::{Code, Refusal};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};

pub fn built() -> Built {
    Built {
        operation: "cte-os.create",
        route: |method| on(method, refused),
        docs: Docs::new("Recusa sempre: o CT-e OS (modelo 67) não é emitido; nada é reservado.")
            .no_members()
            .success::<()>()
            .answers(&[]),
    }
}

async fn refused(_call: Call) -> ApiAnswer<()> {
    Err(Refusal::new(Code::ModeloRecusado)
        .message("O CT-e OS (modelo 67) não é emitido; nada foi reservado nem cobrado.")
        .hint("Para transporte de cargas use o CT-e (modelo 57), em POST /api/v1/cte/criar.")
        .into())
}
