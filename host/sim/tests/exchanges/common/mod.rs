//! What the tests of the simulator share: a world with a clock, companies and
//! a client that signs by hand (the documents are written in canonical form).

pub mod abrasf;
pub mod freight;
pub mod national;
pub mod sefaz;

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use openssl::hash::{MessageDigest, hash};
use openssl::pkey::PKey;
use openssl::sign::Signer;
use serde_json::{Value, json};
use sim::pki::{A1Files, A1Request};
use sim::{Pki, Sim, SimAnswer, SimConfig, SimRequest};

/// 2026-11-20T12:00:00-03:00
pub const NOW: i64 = 1_795_186_800_000;
pub const DAY: i64 = 86_400_000;
pub const COMPANY: &str = "11222333000181";
pub const OTHER: &str = "44555666000181";

pub static PKI: LazyLock<Pki> = LazyLock::new(|| Pki::generate(NOW).expect("keys"));
pub static COMPANY_A1: LazyLock<A1Files> =
    LazyLock::new(|| a1(&PKI, COMPANY, NOW - DAY, NOW + 365 * DAY));
pub static OTHER_A1: LazyLock<A1Files> =
    LazyLock::new(|| a1(&PKI, OTHER, NOW - DAY, NOW + 365 * DAY));

pub fn a1(pki: &Pki, document: &str, from: i64, to: i64) -> A1Files {
    pki.issue_a1(A1Request {
        document: document.to_owned(),
        name: "EMPRESA DE TESTE LTDA".to_owned(),
        valid_from_ms: from,
        valid_until_ms: to,
    })
    .expect("certificate")
}

pub struct World {
    pub sim: Sim,
    pub clock: Arc<AtomicI64>,
}

impl World {
    pub fn new() -> Self {
        Self::with(None)
    }

    pub fn with(file: Option<PathBuf>) -> Self {
        Self::of(file, sim::Cities::default())
    }

    /// A world with cities that are learned from cases.
    pub fn of(file: Option<PathBuf>, cities: sim::Cities) -> Self {
        let clock = Arc::new(AtomicI64::new(NOW));
        let reader = Arc::clone(&clock);
        let sim = Sim::new(SimConfig {
            seed: 7,
            now: Arc::new(move || reader.load(Ordering::Relaxed)),
            pki: PKI.clone(),
            file,
            cities,
        });
        sim.open().expect("simulator");
        Self { sim, clock }
    }

    pub fn advance(&self, ms: i64) {
        self.clock.fetch_add(ms, Ordering::Relaxed);
    }

    pub async fn call(
        &self,
        host: &str,
        method: &str,
        path: &str,
        body: Vec<u8>,
        a1: Option<&A1Files>,
    ) -> SimAnswer {
        self.request(host, method, path, Vec::new(), body, a1).await
    }

    pub async fn request(
        &self,
        host: &str,
        method: &str,
        path: &str,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
        a1: Option<&A1Files>,
    ) -> SimAnswer {
        self.sim
            .handle(SimRequest {
                host: host.to_owned(),
                method: method.to_owned(),
                path: path.to_owned(),
                headers,
                body,
                client_cert_der: a1.map(|a| a.cert_der.clone()),
            })
            .await
    }

    pub async fn fault(&self, fault: Value) {
        let answer = self
            .call(
                "qualquer",
                "POST",
                "/__sim/faults",
                fault.to_string().into_bytes(),
                None,
            )
            .await;
        assert_eq!(status(&answer), 201, "{answer:?}");
    }
}

pub fn status(answer: &SimAnswer) -> u16 {
    match answer {
        SimAnswer::Response { status, .. } => *status,
        _ => 0,
    }
}

pub fn body(answer: &SimAnswer) -> &[u8] {
    match answer {
        SimAnswer::Response { body, .. } => body,
        _ => b"",
    }
}

pub fn text(answer: &SimAnswer) -> String {
    String::from_utf8_lossy(body(answer)).into_owned()
}

pub fn json_of(answer: &SimAnswer) -> Value {
    serde_json::from_slice(body(answer)).unwrap_or(Value::Null)
}

/// Codes of a refusal of the national system, in either spelling.
pub fn codes(answer: &SimAnswer) -> Vec<String> {
    let json = json_of(answer);
    let list = match (json.get("erros"), json.get("erro")) {
        (Some(Value::Array(list)), _) | (None, Some(Value::Array(list))) => list.clone(),
        (None, Some(one)) => vec![one.clone()],
        _ => Vec::new(),
    };
    list.iter()
        .filter_map(|e| e.get("Codigo").or_else(|| e.get("codigo")))
        .filter_map(|c| c.as_str().map(str::to_owned))
        .collect()
}

pub fn gzip64(text: &str) -> String {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).expect("gzip");
    STANDARD.encode(encoder.finish().expect("gzip"))
}

pub fn gunzip64(text: &str) -> String {
    let mut out = String::new();
    flate2::read::GzDecoder::new(STANDARD.decode(text).expect("base64").as_slice())
        .read_to_string(&mut out)
        .expect("gzip");
    out
}

/// Which algorithms a signature uses.
#[derive(Clone, Copy)]
pub enum Algorithms {
    Sha1,
    Sha256Exclusive,
}

/// `Signature` element over a canonical text whose element has this `id`
/// (empty: the whole document).
pub fn signature(canonical: &str, id: &str, a1: &A1Files, algorithms: Algorithms) -> String {
    signature_in("", canonical, id, a1, algorithms)
}

/// The same; `scope` is what ancestors declare with a prefix, which inclusive
/// canonical form repeats on SignedInfo.
pub fn signature_in(
    scope: &str,
    canonical: &str,
    id: &str,
    a1: &A1Files,
    algorithms: Algorithms,
) -> String {
    let (digest, c14n, digest_name, method) = match algorithms {
        Algorithms::Sha1 => (
            MessageDigest::sha1(),
            "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
            "http://www.w3.org/2000/09/xmldsig#sha1",
            "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
        ),
        Algorithms::Sha256Exclusive => (
            MessageDigest::sha256(),
            "http://www.w3.org/2001/10/xml-exc-c14n#",
            "http://www.w3.org/2001/04/xmlenc#sha256",
            "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
        ),
    };
    let uri = if id.is_empty() {
        String::new()
    } else {
        format!("#{id}")
    };
    let value = STANDARD.encode(hash(digest, canonical.as_bytes()).expect("hash"));
    let inside = format!(
        "<CanonicalizationMethod Algorithm=\"{c14n}\"></CanonicalizationMethod>\
         <SignatureMethod Algorithm=\"{method}\"></SignatureMethod>\
         <Reference URI=\"{uri}\"><Transforms>\
         <Transform Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"></Transform>\
         <Transform Algorithm=\"{c14n}\"></Transform></Transforms>\
         <DigestMethod Algorithm=\"{digest_name}\"></DigestMethod><DigestValue>{value}</DigestValue></Reference></SignedInfo>"
    );
    let signed =
        format!("<SignedInfo xmlns=\"http://www.w3.org/2000/09/xmldsig#\"{scope}>{inside}");
    let key = PKey::private_key_from_pkcs8(&a1.key_pkcs8_der).expect("key");
    let mut signer = Signer::new(digest, &key).expect("signer");
    let rsa = STANDARD.encode(
        signer
            .sign_oneshot_to_vec(signed.as_bytes())
            .expect("signature"),
    );
    format!(
        "<Signature xmlns=\"http://www.w3.org/2000/09/xmldsig#\"><SignedInfo>{inside}\
         <SignatureValue>{rsa}</SignatureValue><KeyInfo><X509Data><X509Certificate>{}</X509Certificate></X509Data></KeyInfo></Signature>",
        STANDARD.encode(&a1.cert_der)
    )
}

/// Validates with xmllint; true when it was possible.
pub fn xmllint(schema: &str, xml: &str) -> bool {
    let Some(schema) = judges::shared(schema) else {
        return false;
    };
    let dir = tempfile::tempdir().expect("folder");
    let file = dir.path().join("documento.xml");
    std::fs::write(&file, xml).expect("file");
    let output = Command::new("xmllint")
        .args(["--noout", "--nonet", "--schema"])
        .arg(schema)
        .arg(&file)
        .output();
    let Ok(output) = output else {
        judges::skipped("xmllint is not installed");
        return false;
    };
    assert!(
        output.status.success(),
        "{}\n{xml}",
        String::from_utf8_lossy(&output.stderr)
    );
    true
}

pub fn fault_on(operation: &str, kind: &str) -> Value {
    json!({"quando": {"operacao": operation}, "falha": kind})
}
