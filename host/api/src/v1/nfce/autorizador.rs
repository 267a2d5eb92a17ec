//! GET /api/v1/nfce/autorizador/status: is the SEFAZ of a state working?

use crate::v1::authorizer::{self, AutorizadorOut};
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::Charged;
use gate::docs::Built;
use gate::request::list::Query;
use issuing::model::Model;

pub fn built() -> Built {
    Built {
        operation: "nfce.autorizador.status",
        route: |method| on(method, status),
        docs: authorizer::docs(
            "Diz se o autorizador de NFC-e da UF está em operação; a resposta vale por 3 minutos.",
        )
        .success::<Charged<AutorizadorOut>>(),
    }
}

async fn status(
    call: Call,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<Charged<AutorizadorOut>> {
    authorizer::status(call, &query, Model::Nfce).await
}
