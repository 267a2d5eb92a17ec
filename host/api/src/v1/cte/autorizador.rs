//! GET /api/v1/cte/autorizador/status: is the SEFAZ of a state working?

use super::in_test;
use crate::v1::authorizer::{self, AutorizadorOut};
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::Built;
use gate::request::list::Query;
use issuing::model::Model;

pub fn built() -> Built {
    Built {
        operation: "cte.autorizador.status",
        route: |method| on(method, status),
        docs: authorizer::docs(
            "Diz, em teste, se o autorizador de CT-e da UF está em operação; a resposta vale por 3 minutos.",
        )
        .success::<AutorizadorOut>(),
    }
}

async fn status(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<AutorizadorOut> {
    in_test(&call).await?;
    authorizer::free(call, &query, Model::Cte).await
}
