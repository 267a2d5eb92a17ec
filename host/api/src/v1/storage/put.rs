//! PUT /api/v1/storage/objetos/{caminho}: keeps the bytes of the body.

use super::objetos::Object;
use axum::body::{Body, Bytes};
use axum::extract::Path;
use axum::http::{HeaderMap, header};
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use futures::{Stream, StreamExt as _};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::only;
use objects::storage::{self, Caminho, Cut, Keeping};
use serde_json::json;
use std::time::Duration;

/// Longest media type.
const KIND: usize = 255;
/// A refused body is read and dropped for this long, and up to this many
/// largest objects: a client that is still writing would not see an answer.
const DISCARD_TIME: Duration = Duration::from_secs(30);
const DISCARDED: u64 = 2;

pub fn built() -> Built {
    Built {
        operation: "storage.objetos.put",
        route: |method| on(method, put),
        docs: Docs::new("Guarda os bytes do corpo em um caminho da conta, no lugar do que houver; chaves de teste e de produção dividem o mesmo espaço.")
            .bytes()
            .header(
                "If-None-Match",
                "* só guarda se ainda não há objeto no caminho; senão, 412.",
                json!({ "type": "string", "enum": ["*"] }),
            )
            .answers(&[(201, "Objeto guardado.")])
            .success::<Object>(),
    }
}

async fn put(
    call: Call,
    Path(caminho): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> ApiAnswer<Object> {
    let mut body = body.into_data_stream().map(|piece| piece.map_err(|_| Cut));
    let asked = asked(&call, caminho, &headers);
    let (app, caller) = (call.app.clone(), call.caller.clone());
    // In a task of its own: a caller that goes away does not leave parts of
    // an object behind.
    let kept = tokio::spawn(async move {
        let kept = match asked {
            Ok(asked) => storage::keep(&app.objects, &caller, asked, &mut body).await,
            Err(failure) => Err(failure),
        };
        if kept.is_err() {
            let limit = app.config.limits.object_bytes.saturating_mul(DISCARDED);
            let passed = tokio::time::timeout(DISCARD_TIME, discard(&mut body, limit)).await;
            if passed.is_err() {
                tracing::debug!("a refused body was not waited for");
            }
        }
        kept
    });
    let row = kept.await.map_err(anyhow::Error::from)??;
    call.about(&row.id);
    call.created(row.into())
}

fn asked(call: &Call, caminho: String, headers: &HeaderMap) -> Result<Keeping, Failure> {
    only(&call.query, &[])?;
    let kind = match headers.get(header::CONTENT_TYPE) {
        None => "application/octet-stream",
        Some(kind) => kind
            .to_str()
            .ok()
            .filter(|kind| kind.contains('/') && kind.len() <= KIND)
            .ok_or_else(|| {
                Refusal::new(Code::MidiaInvalida)
                    .message("O Content-Type não é um tipo de mídia.")
                    .hint("Envie, por exemplo, Content-Type: application/pdf.")
            })?,
    };
    let new = match headers.get(header::IF_NONE_MATCH) {
        None => false,
        Some(given) if given == "*" => true,
        Some(_) => {
            return Err(Refusal::field(
                Code::ParametroInvalido,
                "If-None-Match",
                "Valor inválido.",
                "Use * para só guardar onde ainda não há objeto.",
            )
            .into());
        }
    };
    Ok(Keeping {
        caminho: Caminho::parse(caminho)?,
        kind: kind.to_owned(),
        new,
        declared: headers
            .get(header::CONTENT_LENGTH)
            .and_then(|bytes| bytes.to_str().ok()?.parse().ok()),
    })
}

async fn discard(body: &mut (impl Stream<Item = Result<Bytes, Cut>> + Unpin), limit: u64) {
    let mut seen = 0;
    while let Some(Ok(piece)) = body.next().await {
        seen += piece.len() as u64;
        if seen > limit {
            return;
        }
    }
}
