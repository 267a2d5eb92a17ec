//! GET /api/v1/cte/{ref}/dacte: the DACTE of a CT-e, or of a draft.

use crate::v1::nfse::documento::{ArquivoOut, file};
use crate::v1::transport;
use axum::extract::{Path, Query as UrlQuery};
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, only};
use issuing::model::Model;

pub fn built() -> Built {
    Built {
        operation: "cte.dacte",
        route: |method| on(method, dacte),
        docs: transport::file_docs(Docs::new(
            "Baixa o DACTE do CT-e em PDF; o de um rascunho sai com a marca de rascunho e número provisório.",
        ))
        .files(&["application/pdf"])
        .success::<ArquivoOut>(),
    }
}

async fn dacte(
    call: Call,
    Path(reference): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<ArquivoOut> {
    only(&query, &["formato"])?;
    let binary = transport::binary(&query)?;
    let document = transport::document(&call, &reference, Model::Cte).await?;
    let name = document.name("pdf");
    let pdf = transport::print(&call, document).await?;
    file(&call, pdf, "application/pdf", name, binary)
}
