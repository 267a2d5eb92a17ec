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

/// What a state holds.
#[derive(Debug)]
pub struct Decoded {
    pub op: Operacao,
    pub entries: Vec<Entry>,
    /// Digest of the question now waiting for its event.
    pub pending: u64,
    /// The same operation and entries, for the next state.
    pub history: History,
}

/// The operation and what happened before this step, as the next state has
/// them: a step only writes what it adds.
#[derive(Debug)]
pub struct History {
    /// A plain state up to its last entry, without [`end`].
    open: Vec<u8>,
    entries: usize,
}

/// Why a state cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateError {
    TooLarge,
    Malformed,
    Version,
}

impl History {
    /// The history of a flow that begins.
    ///
    /// # Errors
    /// See [`StateError`].
    pub fn begin(op: Operacao) -> Result<Self, StateError> {
        let saved = Saved {
            v: VERSION,
            op: SavedOp {
                nome: op.nome,
                schema: op.conteudo.schema,
                json: op.conteudo.json,
            },
            past: Vec::new(),
            ask: 0,
        };
        let mut state = vec![PLAIN];
        serde_json::to_writer(&mut state, &saved).map_err(|_| StateError::Malformed)?;
        History::reopen(state, &saved)
    }

    /// The state after `new` happened too and `pending` was asked.
    ///
    /// # Errors
    /// The history does not fit into the host's limit.
    pub fn encode(self, new: Vec<Entry>, pending: u64) -> Result<Vec<u8>, StateError> {
        let mut state = self.open;
        for (at, entry) in (self.entries..).zip(new) {
            if at > 0 {
                state.push(b',');
            }
            serde_json::to_writer(&mut state, &SavedEntry::from(entry))
                .map_err(|_| StateError::Malformed)?;
        }
        state.extend_from_slice(end(pending).as_bytes());
        if state.len() > COMPRESS_FROM + 1 {
            state = gzip::append(vec![GZIP], &state[1..]);
        }
        if state.len() > MAX_STATE {
            return Err(StateError::TooLarge);
        }
        Ok(state)
    }

    /// Takes the end off a plain state.
    fn reopen(mut state: Vec<u8>, saved: &Saved) -> Result<Self, StateError> {
        let end = end(saved.ask);
        if !state.ends_with(end.as_bytes()) {
            return Err(StateError::Malformed);
        }
        state.truncate(state.len() - end.len());
        Ok(History {
            open: state,
            entries: saved.past.len(),
        })
    }
}

/// How the JSON of [`Saved`] ends after its last entry.
fn end(ask: u64) -> String {
    format!("],\"ask\":{ask}}}")
}

/// # Errors
/// The bytes are not a state of this SDK, or one of another version.
pub fn decode(mut state: Vec<u8>) -> Result<Decoded, StateError> {
    match state.split_first() {
        Some((&PLAIN, _)) => {}
        Some((&GZIP, bytes)) => {
            state = gzip::decompress(bytes, MAX_DECODED).map_err(|_| StateError::Malformed)?;
            state.insert(0, PLAIN);
        }
        _ => return Err(StateError::Malformed),
    }
    let saved: Saved = serde_json::from_slice(&state[1..]).map_err(|_| StateError::Malformed)?;
    if saved.v != VERSION {
        return Err(StateError::Version);
    }
    if saved.past.len() > MAX_ENTRIES {
        return Err(StateError::TooLarge);
    }
    let history = History::reopen(state, &saved)?;
    Ok(Decoded {
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
        history,
    })
}

/// Finds accidents between versions, not attackers. It multiplies as FNV-1a does, but
/// eight bytes at a time: a body of some kilobytes is digested at each step.
struct Digest(u64);

impl Digest {
    fn new() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    fn word(&mut self, word: u64) {
        let product = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        // The last bytes of a word would reach the highest bits alone.
        self.0 = product ^ (product >> 29);
    }

    /// One field; its length keeps neighbours apart.
    fn field(mut self, bytes: &[u8]) -> Self {
        self.word(bytes.len() as u64);
        let (words, rest) = bytes.as_chunks();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.word(u64::from_le_bytes(last));
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

/// `past` and `ask` stay the last two: see [`end`].
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

impl From<Entry> for SavedEntry {
    fn from(entry: Entry) -> Self {
        let (d, event) = match entry {
            Entry::Kept { label, value } => return SavedEntry::Kept { l: label, v: value },
            Entry::Asked { digest, event } => (digest, event),
        };
        match event {
            Event::Response(response) => SavedEntry::Response {
                d,
                s: response.status,
                h: response
                    .headers
                    .into_iter()
                    .map(|header| (header.name, header.value))
                    .collect(),
                b: match String::from_utf8(response.body) {
                    Ok(text) => SavedBody::Text(text),
                    Err(other) => SavedBody::Base64(b64::encode(other.as_bytes())),
                },
            },
            Event::NoResponse(fault) => SavedEntry::NoResponse {
                d,
                k: kind_code(fault.kind),
                t: fault.detail,
                m: fault.maybe_arrived,
            },
            Event::Elapsed => SavedEntry::Elapsed { d },
            Event::Cancelled => SavedEntry::Cancelled { d },
        }
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

    /// A state as the first version of the SDK wrote it.
    const OLD: &str = concat!(
        "\u{1}",
        r#"{"v":1,"op":{"nome":"emitir","schema":"nfse.dps/1","json":"{\"a\":\"ç\"}"},"past":["#,
        r#"{"k":{"l":"xml","v":"<a/>"}},{"n":{"d":1,"k":4,"t":"30 s","m":true}},"#,
        r#"{"e":{"d":18446744073709551615}},"#,
        r#"{"r":{"d":2,"s":201,"h":[["Content-Type","text/xml"]],"b":{"t":"olá \"x\""}}},"#,
        r#"{"r":{"d":2,"s":201,"h":[["Content-Type","text/xml"]],"b":{"b":"//4A"}}},"#,
        r#"{"c":{"d":3}}],"ask":4}"#,
    );

    fn op() -> Operacao {
        Operacao {
            nome: "emitir".into(),
            conteudo: Conteudo {
                schema: "nfse.dps/1".into(),
                json: "{\"a\":\"ç\"}".into(),
            },
        }
    }

    fn response(body: &[u8]) -> Entry {
        let headers = vec![Named {
            name: "Content-Type".into(),
            value: "text/xml".into(),
        }];
        Entry::Asked {
            digest: 2,
            event: Event::Response(HttpResponse {
                status: 201,
                headers,
                body: body.to_vec(),
            }),
        }
    }

    fn entries() -> Vec<Entry> {
        let fault = TransportFault {
            kind: TransportKind::Timeout,
            detail: "30 s".into(),
            maybe_arrived: true,
        };
        let asked = |digest, event| Entry::Asked { digest, event };
        vec![
            Entry::Kept {
                label: "xml".into(),
                value: "<a/>".into(),
            },
            asked(1, Event::NoResponse(fault)),
            asked(u64::MAX, Event::Elapsed),
            response("olá \"x\"".as_bytes()),
            response(&[0xff, 0xfe, 0]),
            asked(3, Event::Cancelled),
        ]
    }

    fn encode(entries: Vec<Entry>, pending: u64) -> Result<Vec<u8>, StateError> {
        History::begin(op())?.encode(entries, pending)
    }

    fn error(state: &[u8]) -> Option<StateError> {
        decode(state.to_vec()).err()
    }

    #[test]
    fn the_format_is_the_one_of_the_first_version() {
        assert_eq!(encode(entries(), 4).as_deref(), Ok(OLD.as_bytes()));
        let old = decode(OLD.into()).expect("read");
        assert_eq!((old.op, old.entries, old.pending), (op(), entries(), 4));
    }

    #[test]
    fn each_byte_and_each_length_has_a_digest_of_its_own() {
        let body: Vec<u8> = (1..=100).collect();
        let digest = |bytes: &[u8]| Digest::new().field(bytes).0;
        let mut digests = vec![digest(&body)];
        for at in 0..body.len() {
            for bit in 0..8 {
                let mut other = body.clone();
                other[at] ^= 1 << bit;
                digests.push(digest(&other));
            }
            digests.push(digest(&body[..at]));
            // What belongs to one field is not the same in two.
            let (one, other) = body.split_at(at);
            digests.push(Digest::new().field(one).field(other).0);
            digests.push(digest(&[&body[..at], &[0]].concat()));
        }
        let all = digests.len();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), all);
    }

    #[test]
    fn a_state_grows_step_by_step() {
        let bodies = [
            b"ol\xc3\xa1".to_vec(),
            vec![0xff, 0xfe, 0],
            vec![b'a'; 300_000],
            b"]}".to_vec(),
        ];
        let mut all = Vec::new();
        let mut state = encode(Vec::new(), 0).expect("fits");
        for (body, pending) in bodies.iter().zip(1..) {
            let decoded = decode(state).expect("read");
            assert_eq!(decoded.entries, all);
            let new = vec![response(body), entries().remove(0)];
            all.extend(new.clone());
            state = decoded.history.encode(new, pending).expect("fits");
            assert_eq!(encode(all.clone(), pending).as_ref(), Ok(&state));
            assert!(state.len() < 4 * 1024);
        }
        let decoded = decode(state).expect("read");
        assert_eq!(
            (decoded.op, decoded.entries, decoded.pending),
            (op(), all, 4)
        );
    }

    #[test]
    fn too_much_is_refused() {
        // Bytes that do not compress: a linear congruential sequence.
        let mut seed = 1_u32;
        let noise: Vec<u8> = (0..400_000)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (seed >> 24) as u8
            })
            .collect();
        assert_eq!(encode(vec![response(&noise)], 4), Err(StateError::TooLarge));
    }

    #[test]
    fn junk_is_refused() {
        for junk in ["", "\u{1}{}", "\u{2}nope", "\u{9}{}"] {
            assert_eq!(error(junk.as_bytes()), Some(StateError::Malformed));
        }
        let newer = OLD.replacen("\"v\":1", "\"v\":2", 1);
        assert_eq!(error(newer.as_bytes()), Some(StateError::Version));
        // Not as the SDK ends a state: nothing could be added to it.
        let foreign = format!("{OLD} ");
        assert_eq!(error(foreign.as_bytes()), Some(StateError::Malformed));
    }
}
