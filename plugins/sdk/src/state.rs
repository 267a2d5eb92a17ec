//! The bytes a flow leaves with the host between two steps: the operation,
//! what happened so far, and the digest of the question now pending.
//!
//! First byte: 1 = JSON, 2 = gzip of JSON. The JSON's `v` is the version of
//! the rest.

use crate::bindings::control::{
    Conteudo, Effect, Event, HttpRequest, HttpResponse, Named, Operacao, Target, TransportFault,
    TransportKind,
};
use crate::{b64, gzip};
use serde::{Deserialize, Serialize};

/// Version of this encoding, told by `describe`.
pub const VERSION: u32 = 1;
/// Entries of one flow: the host stops a flow at 64 steps.
pub const MAX_ENTRIES: usize = 128;
/// States above this are compressed. Compressing costs more inside the
/// sandbox than anything else a step does, and most states are below 20 KiB.
const COMPRESS_FROM: usize = 64 * 1024;
/// Most bytes a state may have; the host's limit is 256 KiB.
const MAX_STATE: usize = 192 * 1024;
/// Most bytes a decompressed state may have.
const MAX_DECODED: usize = 8 * 1024 * 1024;

const PLAIN: u8 = 1;
const GZIP: u8 = 2;

/// Something the author's function must see again in a replay.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A question that was asked and what came back.
    Asked { digest: u64, event: Event },
    /// A value computed once and kept.
    Kept { label: String, value: String },
}

/// Everything a state holds.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    pub op: Operacao,
    pub entries: Vec<Entry>,
    /// Digest of the question now waiting for its event.
    pub pending: u64,
}

/// Why a state cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateError {
    TooLarge,
    Malformed,
    Version,
}

/// # Errors
/// The history does not fit into the host's limit.
pub fn encode(history: &History) -> Result<Vec<u8>, StateError> {
    let json = serde_json::to_vec(&Saved::from(history)).map_err(|_| StateError::Malformed)?;
    let (kind, bytes) = if json.len() > COMPRESS_FROM {
        (GZIP, gzip::compress(&json))
    } else {
        (PLAIN, json)
    };
    if bytes.len() >= MAX_STATE {
        return Err(StateError::TooLarge);
    }
    let mut state = Vec::with_capacity(bytes.len() + 1);
    state.push(kind);
    state.extend_from_slice(&bytes);
    Ok(state)
}

/// # Errors
/// The bytes are not a state of this SDK, or one of another version.
pub fn decode(state: &[u8]) -> Result<History, StateError> {
    let (kind, bytes) = state.split_first().ok_or(StateError::Malformed)?;
    let saved: Saved = match *kind {
        PLAIN => serde_json::from_slice(bytes),
        GZIP => {
            let json = gzip::decompress(bytes, MAX_DECODED).map_err(|_| StateError::Malformed)?;
            serde_json::from_slice(&json)
        }
        _ => return Err(StateError::Malformed),
    }
    .map_err(|_| StateError::Malformed)?;
    if saved.v != VERSION {
        return Err(StateError::Version);
    }
    if saved.past.len() > MAX_ENTRIES {
        return Err(StateError::TooLarge);
    }
    saved.try_into()
}

/// FNV-1a, 64 bits: finds accidents between versions, not attackers.
struct Digest(u64);

impl Digest {
    fn new() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    /// One field; its length keeps neighbours apart.
    fn field(mut self, bytes: &[u8]) -> Self {
        let length = (bytes.len() as u64).to_le_bytes();
        for &byte in length.iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        self
    }
}

/// Digest of everything the host would send.
pub fn request_digest(request: &HttpRequest) -> u64 {
    let mut digest = Digest::new().field(b"send");
    digest = match &request.target {
        Target::Endpoint(target) => digest
            .field(b"endpoint")
            .field(target.endpoint.as_bytes())
            .field(target.path.as_bytes()),
        Target::Url(url) => digest.field(b"url").field(url.as_bytes()),
    };
    digest = digest.field(request.method.as_bytes());
    for header in &request.headers {
        digest = digest
            .field(header.name.as_bytes())
            .field(header.value.as_bytes());
    }
    let effect = match request.effect {
        Effect::ReadOnly => 0,
        Effect::Idempotent => 1,
        Effect::Once => 2,
    };
    let timeout = request.timeout_ms.map(u32::to_le_bytes);
    digest
        .field(&request.body)
        .field(&[effect, u8::from(request.client_certificate)])
        .field(timeout.as_ref().map_or(&[], |bytes| bytes.as_slice()))
        .field(request.label.as_bytes())
        .0
}

/// Digest of a pause.
pub fn pause_digest(duration_ms: u64, reason: &str) -> u64 {
    Digest::new()
        .field(b"wait")
        .field(&duration_ms.to_le_bytes())
        .field(reason.as_bytes())
        .0
}

#[derive(Serialize, Deserialize)]
struct Saved {
    v: u32,
    op: SavedOp,
    past: Vec<SavedEntry>,
    ask: u64,
}

#[derive(Serialize, Deserialize)]
struct SavedOp {
    nome: String,
    schema: String,
    json: String,
}

#[derive(Serialize, Deserialize)]
enum SavedEntry {
    #[serde(rename = "r")]
    Response {
        d: u64,
        s: u16,
        h: Vec<(String, String)>,
        b: SavedBody,
    },
    #[serde(rename = "n")]
    NoResponse { d: u64, k: u8, t: String, m: bool },
    #[serde(rename = "e")]
    Elapsed { d: u64 },
    #[serde(rename = "c")]
    Cancelled { d: u64 },
    #[serde(rename = "k")]
    Kept { l: String, v: String },
}

/// Text where possible, base64 otherwise.
#[derive(Serialize, Deserialize)]
enum SavedBody {
    #[serde(rename = "t")]
    Text(String),
    #[serde(rename = "b")]
    Base64(String),
}

impl From<&History> for Saved {
    fn from(history: &History) -> Self {
        Saved {
            v: VERSION,
            op: SavedOp {
                nome: history.op.nome.clone(),
                schema: history.op.conteudo.schema.clone(),
                json: history.op.conteudo.json.clone(),
            },
            past: history.entries.iter().map(SavedEntry::from).collect(),
            ask: history.pending,
        }
    }
}

impl From<&Entry> for SavedEntry {
    fn from(entry: &Entry) -> Self {
        match entry {
            Entry::Kept { label, value } => SavedEntry::Kept {
                l: label.clone(),
                v: value.clone(),
            },
            Entry::Asked { digest, event } => match event {
                Event::Response(response) => SavedEntry::Response {
                    d: *digest,
                    s: response.status,
                    h: response
                        .headers
                        .iter()
                        .map(|h| (h.name.clone(), h.value.clone()))
                        .collect(),
                    b: match std::str::from_utf8(&response.body) {
                        Ok(text) => SavedBody::Text(text.into()),
                        Err(_) => SavedBody::Base64(b64::encode(&response.body)),
                    },
                },
                Event::NoResponse(fault) => SavedEntry::NoResponse {
                    d: *digest,
                    k: kind_code(fault.kind),
                    t: fault.detail.clone(),
                    m: fault.maybe_arrived,
                },
                Event::Elapsed => SavedEntry::Elapsed { d: *digest },
                Event::Cancelled => SavedEntry::Cancelled { d: *digest },
            },
        }
    }
}

impl TryFrom<Saved> for History {
    type Error = StateError;

    fn try_from(saved: Saved) -> Result<Self, StateError> {
        Ok(History {
            op: Operacao {
                nome: saved.op.nome,
                conteudo: Conteudo {
                    schema: saved.op.schema,
                    json: saved.op.json,
                },
            },
            entries: saved
                .past
                .into_iter()
                .map(Entry::try_from)
                .collect::<Result<_, _>>()?,
            pending: saved.ask,
        })
    }
}

impl TryFrom<SavedEntry> for Entry {
    type Error = StateError;

    fn try_from(saved: SavedEntry) -> Result<Self, StateError> {
        Ok(match saved {
            SavedEntry::Kept { l, v } => Entry::Kept { label: l, value: v },
            SavedEntry::Elapsed { d } => Entry::Asked {
                digest: d,
                event: Event::Elapsed,
            },
            SavedEntry::Cancelled { d } => Entry::Asked {
                digest: d,
                event: Event::Cancelled,
            },
            SavedEntry::NoResponse { d, k, t, m } => Entry::Asked {
                digest: d,
                event: Event::NoResponse(TransportFault {
                    kind: kind_from_code(k),
                    detail: t,
                    maybe_arrived: m,
                }),
            },
            SavedEntry::Response { d, s, h, b } => Entry::Asked {
                digest: d,
                event: Event::Response(HttpResponse {
                    status: s,
                    headers: h
                        .into_iter()
                        .map(|(name, value)| Named { name, value })
                        .collect(),
                    body: match b {
                        SavedBody::Text(text) => text.into_bytes(),
                        SavedBody::Base64(text) => {
                            b64::decode(&text).ok_or(StateError::Malformed)?
                        }
                    },
                }),
            },
        })
    }
}

fn kind_code(kind: TransportKind) -> u8 {
    match kind {
        TransportKind::Dns => 0,
        TransportKind::Connect => 1,
        TransportKind::Tls => 2,
        TransportKind::ClientCertificateRefused => 3,
        TransportKind::Timeout => 4,
        TransportKind::Reset => 5,
        TransportKind::TooLarge => 6,
        TransportKind::Blocked => 7,
        TransportKind::Other => 8,
    }
}

fn kind_from_code(code: u8) -> TransportKind {
    match code {
        0 => TransportKind::Dns,
        1 => TransportKind::Connect,
        2 => TransportKind::Tls,
        3 => TransportKind::ClientCertificateRefused,
        4 => TransportKind::Timeout,
        5 => TransportKind::Reset,
        6 => TransportKind::TooLarge,
        7 => TransportKind::Blocked,
        _ => TransportKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(body: Vec<u8>) -> History {
        let response = HttpResponse {
            status: 201,
            headers: vec![Named {
                name: "Content-Type".into(),
                value: "text/xml".into(),
            }],
            body,
        };
        let fault = TransportFault {
            kind: TransportKind::Timeout,
            detail: "30 s".into(),
            maybe_arrived: true,
        };
        History {
            op: Operacao {
                nome: "emitir".into(),
                conteudo: Conteudo {
                    schema: "nfse.dps/1".into(),
                    json: "{\"a\":\"ç\"}".into(),
                },
            },
            entries: vec![
                Entry::Kept {
                    label: "xml".into(),
                    value: "<a/>".into(),
                },
                Entry::Asked {
                    digest: 1,
                    event: Event::NoResponse(fault),
                },
                Entry::Asked {
                    digest: u64::MAX,
                    event: Event::Elapsed,
                },
                Entry::Asked {
                    digest: 2,
                    event: Event::Response(response),
                },
                Entry::Asked {
                    digest: 3,
                    event: Event::Cancelled,
                },
            ],
            pending: 4,
        }
    }

    #[test]
    fn states_survive() {
        for body in [
            b"ol\xc3\xa1".to_vec(),
            vec![0xff, 0xfe, 0],
            vec![b'a'; 300_000],
        ] {
            let history = history(body);
            let state = encode(&history).expect("fits");
            assert_eq!(decode(&state).as_ref(), Ok(&history));
            assert!(state.len() < 4 * 1024);
        }
    }

    #[test]
    fn too_much_is_refused() {
        // Bytes that do not compress: a linear congruential sequence.
        let mut seed = 1_u32;
        let noise = (0..400_000)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (seed >> 24) as u8
            })
            .collect();
        assert_eq!(encode(&history(noise)), Err(StateError::TooLarge));
    }

    #[test]
    fn junk_is_refused() {
        let mut other = encode(&history(Vec::new())).expect("fits");
        assert_eq!(decode(&[]), Err(StateError::Malformed));
        assert_eq!(decode(b"\x01{}"), Err(StateError::Malformed));
        assert_eq!(decode(b"\x02nope"), Err(StateError::Malformed));
        other[0] = 9;
        assert_eq!(decode(&other), Err(StateError::Malformed));
        let newer =
            encode(&history(Vec::new())).map(|state| String::from_utf8(state).expect("text"));
        let newer = newer.expect("fits").replacen("\"v\":1", "\"v\":2", 1);
        assert_eq!(decode(newer.as_bytes()), Err(StateError::Version));
    }
}
