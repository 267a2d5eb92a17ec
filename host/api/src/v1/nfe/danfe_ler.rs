//! POST /api/v1/nfe/danfe/ler: the access key in the text of a PDF.

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Refusal};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::upload::PDF;
use prints::danfe::{self, FoundChave, ReadError};
use schemars::JsonSchema;
use serde::Serialize;

pub fn built() -> Built {
    Built {
        operation: "nfe.danfe.ler",
        route: |method| on(method, read),
        docs: Docs::new(
            "Lê a chave de acesso do texto de um DANFE em PDF; não lê fotos nem digitalizações.",
        )
        .file(&PDF, "PdfIn")
        .success::<Charged<ReadChaveOut>>(),
    }
}

/// A chave de acesso de um DANFE, e o que ela diz.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChaveLidaOut")]
struct ReadChaveOut {
    chave: String,
    uf: &'static str,
    /// Vazio se o emitente é pessoa física.
    cnpj_emitente: String,
    /// Só de emitente pessoa física.
    #[serde(skip_serializing_if = "Option::is_none")]
    cpf_emitente: Option<String>,
    /// `55` ou `65`.
    modelo: String,
    serie: u16,
    numero: u32,
    /// `AAAA-MM`.
    ano_mes: String,
    /// Sempre `true`: uma chave com o dígito errado é recusada.
    dv_confere: bool,
}

impl From<FoundChave> for ReadChaveOut {
    fn from(read: FoundChave) -> ReadChaveOut {
        ReadChaveOut {
            chave: read.chave,
            uf: read.uf,
            cnpj_emitente: read.cnpj_emitente,
            cpf_emitente: read.cpf_emitente,
            modelo: read.modelo,
            serie: read.serie,
            numero: read.numero,
            ano_mes: read.ano_mes,
            dv_confere: read.dv_confere,
        }
    }
}

async fn read(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<ReadChaveOut>> {
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
    charge::paid(&call, ReadChaveOut::from(found)).await
}
