//! POST /api/v1/nfe/inutilizar: voids numbers no note has.

use crate::v1::event;
use crate::v1::stored::StoredAnswer;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{SentRange, VoidedRange, Voiding};
use issuing::model::Model;

pub fn built() -> Built {
    Built {
        operation: "nfe.inutilizar",
        route: |method| on(method, inutilizar),
        docs: Docs::new("Inutiliza uma faixa de números que nenhuma NF-e usa.")
            .explained("Use para os números que ficaram pulados e não serão usados, até o dia 10 do mês seguinte; o evento numeracao.lacuna aponta quais. Depois disso nenhuma nota sai com eles. Recusa a faixa em que um número já tem nota.")
            .body::<event::InutilizarIn>()
            .idempotent()
            .success::<Voiding<VoidedRange>>()
            .success_at::<Voiding<SentRange>>(202)
            .answers(&[(200, "Faixa inutilizada."), (202, "Ainda sem resultado.")]),
    }
}

async fn inutilizar(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> StoredAnswer<Voiding<VoidedRange>, Voiding<SentRange>> {
    event::inutilizar(call, &headers, &bytes, Model::Nfe).await
}
