//! GET /api/v1/cte/{ref}/xml: the CT-e as the authority has it, or a draft as it
//! would be sent.

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
        operation: "cte.xml",
        route: |method| on(method, xml),
        docs: transport::file_docs(Docs::new(
            "Baixa o XML do CT-e: o autorizado, byte a byte; o de um rascunho, sem assinatura e com número provisório.",
        ))
        .files(&["application/xml"])
        .success::<ArquivoOut>(),
    }
}

async fn xml(
    call: Call,
    Path(reference): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<ArquivoOut> {
    only(&query, &["formato"])?;
    let binary = transport::binary(&query)?;
    let document = transport::document(&call, &reference, Model::Cte).await?;
    let name = document.name("xml");
    file(&call, document.xml, "application/xml", name, binary)
}
