//! GET /api/v1/nfse/{ref}/documento: the note as XML (the authority's bytes)
//! or PDF (rendered here).

use axum::body::Body;
use axum::extract::{Path, Query as UrlQuery};
use axum::http::{HeaderValue, header};
use axum::routing::on;
use base::errors::{Code, Refusal};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate::Call;
use gate::answer::{Answer, ApiAnswer};
use gate::docs::{Built, Docs};
use gate::request::list::{Query, flag, only};
use issuing::document::print;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use store::tables::artifacts;
use store::tables::notas::{self, NotaRow};
use store::words::Model;

pub fn built() -> Built {
    Built {
        operation: "nfse.documento",
        route: |method| on(method, documento),
        docs: Docs::new("Baixa a NFS-e em PDF (DANFSe) ou XML, em base64.")
            .explained("Use para enviar a nota a quem tomou o serviço, com formato=pdf, ou para guardar o arquivo que vale, com formato=xml. Com binario=1 a resposta é o próprio arquivo.")
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
    let mut conn = call.app.db.read().await?;
    let caller = &call.caller;
    let nota = notas::by_ref(&mut conn, &caller.account_id, &reference, caller.unseen()).await?;
    let nota = nota
        .filter(|nota| nota.modelo == Model::Nfse)
        .ok_or_else(|| Refusal::new(Code::NaoEncontrado))?;
    call.about(&nota.id);
    let xml = artifacts::get(&mut conn, &call.caller.account_id, &nota.id, "nfse")
        .await?
        .ok_or_else(|| without_document(&nota))?;
    drop(conn);
    let (bytes, media) = match format {
        "xml" => (xml.bytes, "application/xml"),
        _ => {
            let registry = call.app.registry.load();
            let pdf = print::pdf(&registry, &nota, &xml.bytes, None)?;
            (pdf, "application/pdf")
        }
    };
    let name = format!(
        "nfse-{}.{format}",
        if nota.numero_nfse.is_empty() {
            nota.id.as_str()
        } else {
            &nota.numero_nfse
        }
    );
    file(&call, bytes, media, name, binary)
}

/// The note does not exist yet, or its city answers without XML.
fn without_document(nota: &NotaRow) -> Refusal {
    let refusal = Refusal::new(Code::EstadoInvalido).nota(&nota.id);
    if nota.numero_nfse.is_empty() {
        return refusal
            .message("A nota ainda não tem documento.")
            .hint("O documento existe depois da autorização.");
    }
    refusal
        .message("O webservice da prefeitura não entrega o XML desta nota.")
        .hint("Baixe a nota no site da prefeitura, com o número e o código de verificação.")
}

/// Um arquivo em base64.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ArquivoOut {
    nome_arquivo: String,
    /// Tipo de mídia.
    tipo: &'static str,
    base64: String,
    /// SHA-256 do arquivo, em hexadecimal.
    sha256: String,
}

/// A file in the shape all downloads have, or its bare bytes.
///
/// # Errors
/// As [`Call::ok`].
pub fn file(
    call: &Call,
    bytes: Vec<u8>,
    media: &'static str,
    name: String,
    binary: bool,
) -> ApiAnswer<ArquivoOut> {
    if binary {
        let headers = [(header::CONTENT_TYPE, HeaderValue::from_static(media))];
        return Ok(Answer::other((headers, Body::from(bytes))));
    }
    call.ok(ArquivoOut {
        nome_arquivo: name,
        tipo: media,
        base64: STANDARD.encode(&bytes),
        sha256: flow::hex(&Sha256::digest(&bytes)),
    })
}
