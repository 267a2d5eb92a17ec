//! POST /api/v1/catalogo/gtin/{ean}/reportar: a code gave the wrong product.

use super::barcode;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use datasets::catalog;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::body;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::TxError;
use store::ids::ReportId;
use store::tables::catalog_own::{self, ReportRow};

/// Longest reason and name, characters.
const TEXT_CHARS: usize = 500;

pub fn built() -> Built {
    Built {
        operation: "catalogo.gtin.reportar",
        route: |method| on(method, reportar),
        docs: Docs::new("Avisa que um código de barras trouxe o produto errado; grátis.")
            .body::<ReportarIn>()
            .answers(&[(202, "O aviso foi guardado.")])
            .success_at::<ReportarOut>(202),
    }
}

/// O que está errado.
#[derive(Deserialize, JsonSchema)]
struct ReportarIn {
    /// O que está errado no produto.
    #[schemars(length(min = 1, max = 500))]
    motivo: String,
    /// O nome que o produto tem.
    #[serde(default)]
    #[schemars(length(max = 500))]
    nome_correto: Option<String>,
}

/// O aviso guardado.
#[derive(Serialize, JsonSchema)]
struct ReportarOut {
    /// Identifica o aviso no atendimento.
    protocolo: String,
}

async fn reportar(
    call: Call,
    Path(code): Path<String>,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiAnswer<ReportarOut> {
    let code = barcode("ean", &code)?;
    let value = body::parse(&call, &headers, &bytes)?;
    let body: ReportarIn = body::read(value, call.tolerant)?;
    let reason = short("motivo", &body.motivo)?;
    if reason.is_empty() {
        return Err(Refusal::field(
            Code::ParametroAusente,
            "motivo",
            "Falta o que está errado.",
            "Diga em motivo o que está errado no produto.",
        )
        .into());
    }
    let now_ms = call.app.now_ms();
    let row = ReportRow {
        id: ReportId::new(now_ms),
        account_id: call.caller.account_id.clone(),
        gtin: catalog::number(&code),
        motivo: reason,
        nome_correto: short("nome_correto", &body.nome_correto.unwrap_or_default())?,
        created_at_ms: now_ms,
    };
    let answer = ReportarOut {
        protocolo: row.id.to_string(),
    };
    let kept = call.app.db.write(row, |row, conn| {
        Box::pin(async move { Ok(catalog_own::report(conn, row).await?) })
    });
    kept.await
        .map_err(|error: TxError<Refusal>| Failure::from(error))?;
    call.answer(202, answer)
}

/// A text that fits.
fn short(field: &str, text: &str) -> Result<String, Failure> {
    let text = text.trim();
    if text.chars().count() <= TEXT_CHARS {
        return Ok(text.to_owned());
    }
    Err(Refusal::field(
        Code::ParametroInvalido,
        field,
        "O texto é longo demais.",
        "Use até 500 caracteres.",
    )
    .into())
}
