//! POST /api/v1/nfse/status: asks the authority and repairs our record.

use crate::v1::event::StatusIn;
use crate::v1::stored::{StoredAnswer, stored};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use gate::request::body;
use issuing::actions::query;
use issuing::answer::{Nfse, RequestedEvent, SeenNfse, WithEvent};

pub fn built() -> Built {
    Built {
        operation: "nfse.status",
        route: |method| on(method, status),
        docs: Docs::new("Consulta a situação da NFS-e na prefeitura ou no ambiente nacional e corrige o registro local.")
            .explained("Use quando uma nota ficou sem resultado, ou para saber se ela mudou no portal da cidade. O hub pergunta sozinho pelas notas que ficaram em transmissão: chamar isto em laço não as apressa.")
            .body::<StatusIn>()
            .success::<SeenNfse>().success_at::<WithEvent<Nfse, RequestedEvent>>(202).answers(&[(200, "Situação da nota."), (202, "A consulta ainda não terminou.")])
            .sends("Location", &[202]),
    }
}

async fn status(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> StoredAnswer<SeenNfse, WithEvent<Nfse, RequestedEvent>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: StatusIn = body::read(value, call.tolerant)?;
    let nota = super::nota(&call, &body.r#ref).await?;
    let answer = query::query(&call.app, call.caller.clone(), nota, call.price()?).await?;
    stored(&call, answer)
}
