//! POST /api/v1/cte/inutilizar: layout 4.00 has no voiding of numbers.

use super::in_test;
use axum::routing::on;
use base::errors::{Code, Refusal};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};

pub fn built() -> Built {
    Built {
        operation: "cte.inutilizar",
        route: |method| on(method, inutilizar),
        docs: Docs::new(
            "Inutilizava uma faixa de números de CT-e: o leiaute 4.00 extinguiu o serviço, e a operação sempre recusa, sem cobrar.",
        )
        .no_members()
        .success::<()>()
        .answers(&[]),
    }
}

/// The service CteInutilizacao exists up to layout 3.00 alone (MOC CT-e 4.00,
/// list of services): a number that was jumped needs nothing.
async fn inutilizar(call: Call) -> ApiAnswer<()> {
    in_test(&call).await?;
    Err(Refusal::new(Code::OperacaoNaoSuportadaPelaSefaz)
        .message("O leiaute 4.00 do CT-e não tem inutilização de números; nada foi cobrado.")
        .hint("Um número pulado não precisa de providência: o próximo CT-e segue a série.")
        .into())
}
