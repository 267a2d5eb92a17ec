//! GET /api/v1/mdfe/autorizador/status: is the SEFAZ of the MDF-e working?

use super::released;
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
        operation: "mdfe.autorizador.status",
        route: |method| on(method, status),
        docs: authorizer::docs(
            "Diz se o autorizador de MDF-e está em operação; a resposta vale por 3 minutos.",
        )
        .success::<Charged<AutorizadorOut>>(),
    }
}

async fn status(
    call: Call,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<Charged<AutorizadorOut>> {
    released(&call).await?;
    authorizer::status(call, &query, Model::Mdfe).await
}
