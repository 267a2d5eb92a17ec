//! GET /api/v1/cte: the account's CT-e, newest first.

use crate::v1::transport::list;
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Listing, Query};
use issuing::answer::{Cte, Registered};
use issuing::model::Model;

pub fn built() -> Built {
    let docs = Docs::new("Lista os CT-e da conta, do mais novo para o mais antigo.");
    Built {
        operation: "cte.list",
        route: |method| on(method, get),
        docs: list::list_docs(docs, Model::Cte).success::<Listing<Registered<Cte>>>(),
    }
}

async fn get(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Listing<Registered<Cte>>> {
    list::list(call, &query, Model::Cte).await
}
