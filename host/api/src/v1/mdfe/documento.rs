//! GET /api/v1/mdfe/{ref}/documento: the DAMDFE of an MDF-e or of a draft, or
//! its XML.

use super::released;
use crate::v1::nfse::documento::{ArquivoOut, file};
use crate::v1::transport;
use axum::extract::{Path, Query as UrlQuery};
use axum::routing::on;
use base::errors::{Code, Refusal};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, flag, only};
use issuing::model::Model;
use serde_json::json;

pub fn built() -> Built {
    Built {
        operation: "mdfe.documento",
        route: |method| on(method, documento),
        docs: Docs::new(
            "Baixa o MDF-e em PDF (DAMDFE) ou XML; o de um rascunho tem número provisório e não tem assinatura.",
        )
        .query(
            "formato",
            "pdf (padrão) ou xml; binario=1 devolve o arquivo.",
            json!({ "type": "string", "enum": ["pdf", "xml"] }),
        )
        .query(
            "binario",
            "1 devolve o arquivo em vez de JSON.",
            json!({ "type": "string", "enum": ["0", "1"] }),
        )
        .files(&["application/pdf", "application/xml"])
        .success::<ArquivoOut>(),
    }
}

async fn documento(
    call: Call,
    Path(reference): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<ArquivoOut> {
    released(&call).await?;
    only(&query, &["formato", "binario"])?;
    let binary = flag(&query, "binario")?;
    let format = query.get("formato").map_or("pdf", String::as_str);
    if !matches!(format, "pdf" | "xml") {
        return Err(Refusal::field(
            Code::ParametroInvalido,
            "formato",
            "Formato desconhecido.",
            "Use pdf ou xml.",
        )
        .into());
    }
    let document = transport::document(&call, &reference, Model::Mdfe).await?;
    let name = document.name(format);
    if format == "xml" {
        return file(&call, document.xml, "application/xml", name, binary);
    }
    let pdf = transport::print(&call, document).await?;
    file(&call, pdf, "application/pdf", name, binary)
}
