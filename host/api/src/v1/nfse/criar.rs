//! POST /api/v1/nfse/criar: assembles and stores a draft; no number is taken.

use super::create;
use crate::v1::issuance;
use crate::v1::issuance::{Draft, Drafted};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{Nfse, Registered};

pub fn built() -> Built {
    Built {
        operation: "nfse.criar",
        route: |method| on(method, criar),
        docs: Docs::new("Monta e guarda um rascunho de NFS-e, sem tomar número.")
            .explained("Use para conferir a nota ou deixá-la para outra pessoa emitir. O rascunho não vai à prefeitura; emita-o com POST /api/v1/nfse/emitir ou exclua-o com DELETE /api/v1/documentos/{ref}. Recusa os mesmos campos que a emissão recusa.")
            .body_of(create::schema)
            .idempotent()
            .success::<Draft<Registered<Nfse>>>()
            .answers(&[(201, "Rascunho guardado.")]),
    }
}

async fn criar(call: Call, headers: HeaderMap, bytes: Bytes) -> Drafted<Nfse> {
    issuance::draft(call, &headers, &bytes, create::read).await
}
