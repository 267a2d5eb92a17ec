//! GET /api/v1/nfe-entrada/{chave}: one received note with its XML, or with
//! that of its summary.

use axum::extract::{Path, Query as UrlQuery};
use axum::routing::on;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, only};
use issuing::answer::{self, ReceivedNota};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use store::Present as _;
use store::ids::EmitterId;
use store::tables::artifacts;

pub fn built() -> Built {
    Built {
        operation: "nfe-entrada.get",
        route: |method| on(method, get),
        docs: Docs::new(
            "Mostra uma NF-e recebida e o XML como a SEFAZ o entregou: o completo, se completa é true; senão o do resumo.",
        )
        .query(
            "emitente_id",
            "Empresa da conta que recebeu; só é preciso quando mais de uma recebeu a nota.",
            json!({ "type": "string" }),
        )
        .success::<ReceivedNotaOut>(),
    }
}

/// Uma nota recebida, com o XML.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RecebidaOut")]
struct ReceivedNotaOut {
    chave: String,
    /// `true`: o XML é o da nota; `false`: o do resumo.
    completa: bool,
    /// Como a SEFAZ o entregou.
    xml_base64: String,
    /// SHA-256 do XML, em hexadecimal.
    sha256: String,
    resumo: ReceivedNota,
}

async fn get(
    call: Call,
    Path(chave): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<ReceivedNotaOut> {
    only(&query, &["emitente_id"])?;
    let emitter = query
        .get("emitente_id")
        .map(|id| EmitterId::from(id.as_str()));
    let received = super::received(&call, &chave, emitter.as_ref()).await?;
    let kind = if received.completa == 1 {
        "completa"
    } else {
        "resumo"
    };
    let mut conn = call.app.db.read().await?;
    let xml = artifacts::get(&mut conn, &received.account_id, &received.id, kind)
        .await?
        .present("XML of a received note", &received.id)?;
    let summary = answer::received(&received);
    call.ok(ReceivedNotaOut {
        chave: received.chave,
        completa: received.completa == 1,
        xml_base64: STANDARD.encode(&xml.bytes),
        sha256: xml.sha256,
        resumo: summary,
    })
}
