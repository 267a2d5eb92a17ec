//! gzip and base64 around the XML documents.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// Largest document after decompression.
const MAX_XML: u64 = 4 * 1024 * 1024;

/// Takes the document in `field` of a JSON body. The error is the code that
/// the authority answers.
pub(super) fn open(body: &[u8], field: &str) -> Result<String, &'static str> {
    // Not a `Value`: in one the JSON library nests without end.
    let fields: BTreeMap<String, String> = serde_json::from_slice(body).map_err(|_| "E1225")?;
    unpack(fields.get(field).ok_or("E1225")?)
}

/// The document in base64 of gzip.
pub(super) fn unpack(packed: &str) -> Result<String, &'static str> {
    let gzip = STANDARD.decode(packed.trim()).map_err(|_| "E1225")?;
    let mut xml = Vec::new();
    let read = GzDecoder::new(gzip.as_slice())
        .take(MAX_XML + 1)
        .read_to_end(&mut xml)
        .map_err(|_| "E1226")?;
    if read as u64 > MAX_XML || read == 0 {
        return Err("E1226");
    }
    String::from_utf8(xml).map_err(|_| "E1229")
}

/// gzip and base64.
pub(super) fn pack(xml: &str) -> String {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let packed = encoder
        .write_all(xml.as_bytes())
        .and_then(|()| encoder.finish());
    // Writing to memory does not fail.
    STANDARD.encode(packed.unwrap_or_default())
}
