//! GET /api/v1/mdfe: the account's MDF-e, newest first.

use super::released;
use crate::v1::transport::list;
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Listing, Query};
use issuing::answer::{Mdfe, Registered};
use issuing::model::Model;

pub fn built() -> Built {
    let docs = Docs::new("Lista os MDF-e da conta, do mais novo para o mais antigo.");
    Built {
        operation: "mdfe.list",
        route: |method| on(method, get),
        docs: list::list_docs(docs, Model::Mdfe).success::<Listing<Registered<Mdfe>>>(),
    }
}

async fn get(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Listing<Registered<Mdfe>>> {
    released(&call).await?;
    list::list(call, &query, Model::Mdfe).await
}
