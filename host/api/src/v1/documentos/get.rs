//! GET /api/v1/documentos/{ref}: a document as it is now; where a 202 points.

use super::{OfModel, load};
use axum::extract::Path;
use axum::routing::on;
use gate::Call;
use gate::answer::refusal::RefusalOut;
use gate::answer::{Answer, Success};
use gate::docs::{Built, Docs};
use gate::error::ApiResult;
use issuing::answer::{Cte, Mdfe, Nfce, Nfe, Nfse, Record, Registered, registered};
use issuing::issue::contingency::is_announced;
use issuing::model::Model;
use schemars::JsonSchema;
use serde::Serialize;
use store::tables::notas::{NotaRow, NotaStatus};

pub fn built() -> Built {
    Built {
        operation: "documentos.get",
        route: |method| on(method, get),
        docs: Docs::new("Mostra um documento pelo nota_id ou pela chave de acesso.")
            .explained("Use para saber em que situação está um documento de qualquer tipo, depois de um 202 ou de um webhook; os endereços do XML e do PDF estão em links. Recusa com 404 o documento de outra conta.")
            .plain::<DocumentoOut>(),
    }
}

/// Um documento como está agora.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Documento{N}")]
struct Documento<N> {
    #[serde(flatten)]
    nota: N,
    /// Por que nada foi emitido; só de um documento rejeitado ou não enviado.
    #[serde(skip_serializing_if = "Option::is_none")]
    recusa: Option<RefusalOut>,
    /// O documento existe, e com ele o número.
    consumiu_numero_fiscal: bool,
    /// O preço da emissão foi cobrado.
    consumiu_credito: bool,
}

/// The whole body of a document of one model.
type Of<D> = Success<Documento<Registered<D>>>;
type DocumentoOut = OfModel<Of<Nfse>, Of<Nfe>, Of<Nfce>, Of<Cte>, Of<Mdfe>>;

async fn get(call: Call, Path(reference): Path<String>) -> ApiResult<Answer<DocumentoOut>> {
    let mut conn = call.app.db.read().await?;
    let nota = load(&call, &mut conn, &reference).await?;
    drop(conn);
    let request_id = &call.caller.request_id;
    let body = match nota.modelo {
        Model::Nfse => OfModel::Nfse(Success::new(shown::<Nfse>(&nota)?, request_id)),
        Model::Nfe => OfModel::Nfe(Success::new(shown::<Nfe>(&nota)?, request_id)),
        Model::Nfce => OfModel::Nfce(Success::new(shown::<Nfce>(&nota)?, request_id)),
        Model::Cte => OfModel::Cte(Success::new(shown::<Cte>(&nota)?, request_id)),
        Model::Mdfe => OfModel::Mdfe(Success::new(shown::<Mdfe>(&nota)?, request_id)),
    };
    Answer::plain(200, &body)
}

fn shown<D: Record>(nota: &NotaRow) -> ApiResult<Documento<Registered<D>>> {
    let exists = matches!(nota.status, NotaStatus::Authorized | NotaStatus::Cancelled);
    let refused = matches!(nota.status, NotaStatus::Rejected | NotaStatus::NotSent);
    // What the issuing call was answered.
    let refusal = refused.then(|| serde_json::from_str(&nota.answer));
    Ok(Documento {
        nota: registered(nota)?,
        recusa: refusal.transpose()?,
        consumiu_numero_fiscal: exists || is_announced(nota),
        consumiu_credito: exists && nota.preco > 0,
    })
}
