//! GET /api/v1/documentos/{ref}: a document as it is now; where a 202 points.

use super::{NotaRecord, load, nota_record};
use crate::Built;
use crate::answer::ApiAnswer;
use crate::gate::Call;
use crate::openapi::Docs;
use crate::v1::refusal::Recusa;
use axum::extract::Path;
use axum::routing::on;
use schemars::JsonSchema;
use serde::Serialize;

pub fn built() -> Built {
    Built {
        operation: "documentos.get",
        route: |method| on(method, get),
        docs: Docs::new("Mostra um documento pelo nota_id ou pela chave de acesso.")
            .success::<DocumentoOut>(),
    }
}

/// Um documento como está agora.
#[derive(Serialize, JsonSchema)]
struct DocumentoOut {
    #[serde(flatten)]
    nota: NotaRecord,
    /// Por que nada foi emitido; só de um documento rejeitado ou não enviado.
    #[serde(skip_serializing_if = "Option::is_none")]
    recusa: Option<Recusa>,
    /// O documento existe, e com ele o número.
    consumiu_numero_fiscal: bool,
    /// O preço da emissão foi cobrado.
    consumiu_credito: bool,
}

async fn get(call: Call, Path(reference): Path<String>) -> ApiAnswer<DocumentoOut> {
    let mut conn = call.app.db.read().await?;
    let nota = load(&call, &mut conn, &reference).await?;
    drop(conn);
    let exists = matches!(nota.status.as_str(), "autorizada" | "cancelada");
    let refused = matches!(nota.status.as_str(), "rejeitada" | "nao_enviada");
    // What the issuing call was answered.
    let recusa = refused.then(|| serde_json::from_str(&nota.answer));
    call.ok(DocumentoOut {
        recusa: recusa.transpose()?,
        consumiu_numero_fiscal: exists,
        consumiu_credito: exists && nota.preco > 0,
        nota: nota_record(&nota)?,
    })
}
