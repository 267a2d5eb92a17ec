//! GET /api/v1/openapi.json: the document of what is built, packed for who takes that,
//! and not sent again to who has it.

use crate::openapi::document;
use anyhow::Context as _;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::on;
use flate2::Compression;
use flate2::write::GzEncoder;
use gate::Call;
use gate::answer::Answer;
use gate::docs::{Built, Docs};
use gate::error::ApiResult;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use std::io::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

/// Characters of a digest in an `ETag`: enough to tell two documents apart.
const TAG: usize = 20;

pub fn built() -> Built {
    Built {
        operation: "openapi",
        route: |method| on(method, openapi),
        docs: Docs::new("O documento OpenAPI 3.1 desta API, comprimido para quem aceita gzip.")
            .plain::<Document>()
            .header(
                "If-None-Match",
                "O ETag do documento que você já tem: se for o mesmo, a resposta é 304, sem corpo.",
                json!({ "type": "string" }),
            )
            .answers(&[
                (200, "O documento."),
                (304, "O documento é o que você já tem."),
            ])
            .sends("ETag", &[200, 304]),
    }
}

/// The document, which does not describe itself.
type Document = Map<String, Value>;

/// The document made for one address, plain and packed.
struct Made {
    base_url: String,
    plain: Form,
    packed: Form,
}

/// The document as it is sent. The two forms have different tags, as different
/// representations must (RFC 9110 §8.8.3).
struct Form {
    tag: String,
    bytes: Bytes,
}

impl Form {
    fn new(bytes: Vec<u8>) -> Form {
        let mut digest = flow::hex(&Sha256::digest(&bytes));
        digest.truncate(TAG);
        Form {
            tag: format!("\"{digest}\""),
            bytes: bytes.into(),
        }
    }
}

async fn openapi(call: Call, headers: HeaderMap) -> ApiResult<Answer<Document>> {
    let made = made(&call.app.config.server.base_url)?;
    let packed = takes_gzip(&headers);
    let form = if packed { &made.packed } else { &made.plain };
    let answer = if has(&headers, &form.tag) {
        Answer::other(StatusCode::NOT_MODIFIED)
    } else {
        let json = [(header::CONTENT_TYPE, "application/json")];
        let answer = Answer::other((json, form.bytes.clone()));
        if packed {
            answer.header("content-encoding", "gzip")
        } else {
            answer
        }
    };
    Ok(answer
        .header("etag", &form.tag)
        .header("vary", "accept-encoding")
        .header("cache-control", "no-cache"))
}

/// The document for an address. Anybody may ask for it: it is made once.
fn made(base_url: &str) -> anyhow::Result<Arc<Made>> {
    static MADE: Mutex<Option<Arc<Made>>> = Mutex::new(None);
    let mut kept = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(made) = kept.as_ref().filter(|made| made.base_url == base_url) {
        return Ok(made.clone());
    }
    let plain = document(base_url).to_string().into_bytes();
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(&plain).context("packing the document")?;
    let made = Arc::new(Made {
        base_url: base_url.to_owned(),
        packed: Form::new(packer.finish().context("packing the document")?),
        plain: Form::new(plain),
    });
    *kept = Some(made.clone());
    Ok(made)
}

/// The parts of a header that is a list.
fn listed(headers: &HeaderMap, name: header::HeaderName) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(name).into_iter();
    let texts = lines.filter_map(|value| value.to_str().ok());
    texts.flat_map(|text| text.split(',')).map(str::trim)
}

/// Whether gzip is named and not refused (`q=0`). `*` alone is not taken for it: who
/// sends that rarely unpacks.
fn takes_gzip(headers: &HeaderMap) -> bool {
    listed(headers, header::ACCEPT_ENCODING).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().trim_start_matches(['q', 'Q']);
        let weight = weight.trim_start_matches('=').parse::<f32>();
        name.trim().eq_ignore_ascii_case("gzip") && weight.unwrap_or(1.0) > 0.0
    })
}

/// Whether the caller has what the tag names.
fn has(headers: &HeaderMap, tag: &str) -> bool {
    let mut tags = listed(headers, header::IF_NONE_MATCH);
    tags.any(|one| one == "*" || one.trim_start_matches("W/") == tag)
}
