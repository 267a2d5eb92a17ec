//! POST /api/v1/nfe/danfe/ler: the access key in the text of a PDF.

use crate::Built;
use crate::gate::Call;
use crate::gate::charge;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::upload::PDF;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use base::errors::{Code, Refusal};
use prints::danfe::{self, ReadError};

pub fn built() -> Built {
    Built {
        operation: "nfe.danfe.ler",
        route: |method| on(method, read),
        docs: Docs::new(
            "Lê a chave de acesso do texto de um DANFE em PDF; não lê fotos nem digitalizações.",
        )
        .file(&PDF, "PdfIn"),
    }
}

async fn read(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiResult<Response> {
    let pdf = PDF.read(&call, &headers, &bytes)?;
    charge::affordable(&call).await?;
    let read = tokio::task::spawn_blocking(move || danfe::read(&pdf));
    let found = read.await.map_err(anyhow::Error::from)?.map_err(|error| {
        let code = match error {
            ReadError::NotPdf | ReadError::Large(_) | ReadError::Protected => {
                Code::ParametroInvalido
            }
            ReadError::NoText => Code::PdfSemCamadaDeTexto,
            ReadError::NoChave | ReadError::InvalidDigit => Code::ChaveDvInvalido,
            ReadError::OtherModel(_) => Code::ModeloRecusado,
        };
        Refusal::new(code).message(error.to_string())
    })?;
    charge::answer(&call, serde_json::to_value(found)?).await
}
