//! Judges we did not write: libxml2 with the official schemas, xmlsec1.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use markup::xml::Document;
use std::io::Read as _;
use std::process::Command;
use tests::TestApp;

/// The fiscal messages a note's issuing flow sent, out of their envelopes.
pub async fn sent(app: &TestApp, nota_id: &str) -> Vec<String> {
    let mut conn = app.app.db.read().await.expect("connection");
    let turns = store::tables::flows::turns_of(&mut conn, &app.account_id, nota_id)
        .await
        .expect("turns");
    turns
        .iter()
        .filter_map(|turn| message(&turn.request_body))
        .collect()
}

/// DPS out of its JSON, XML or SOAP, or the ABRASF message out of its JSON or SOAP
/// envelope.
fn message(body: &[u8]) -> Option<String> {
    if let Ok(json) = serde_json::from_slice::<serde_json::Value>(body) {
        let fields = json.as_object()?;
        let mut texts = fields.values().filter_map(|field| field.as_str());
        if let Some(xml) = texts.find(|text| text.starts_with('<')) {
            return Some(xml.to_owned());
        }
        let mut fields = fields.iter();
        let (_, field) = fields.find(|(name, _)| name.ends_with("XmlGZipB64"))?;
        let packed = field.as_str().or_else(|| field[0].as_str())?;
        let packed = STANDARD.decode(packed).ok()?;
        let mut xml = String::new();
        flate2::read::GzDecoder::new(packed.as_slice())
            .read_to_string(&mut xml)
            .ok()?;
        return Some(xml);
    }
    let text = std::str::from_utf8(body).ok()?;
    let document = Document::parse(text).ok()?;
    // Escaped or CDATA: some element's text is the message, a shorter one its header.
    let inner = document
        .root()
        .descendants_or_self()
        .map(|element| element.text().trim().to_owned())
        .filter(|text| text.starts_with('<') && (text.contains("Envio") || text.contains("<DPS ")))
        .max_by_key(String::len);
    if inner.is_some() {
        return inner;
    }
    // Raw: the element itself.
    let named = |fits: fn(&str) -> bool| {
        let mut elements = document.root().descendants_or_self();
        elements.find(|element| fits(element.name()))
    };
    // Where roots have other names, what stands around the batch.
    let around_batch = || {
        let mut elements = document.root().descendants_or_self();
        elements.find(|element| element.child("LoteRps").is_some())
    };
    let element = named(|name| name == "DPS")
        .or_else(|| named(|name| name.ends_with("Envio")))
        .or_else(around_batch)?;
    Some(text[element.span()].to_owned())
}

/// `xmllint --schema`.
pub fn validate(xml: &str, schema: &str) {
    let Some(schema) = judges::shared(schema) else {
        return;
    };
    if !judges::has("xmllint") {
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("message.xml");
    std::fs::write(&file, xml).expect("write");
    let output = Command::new("xmllint")
        .args(["--noout", "--nonet", "--schema"])
        .arg(&schema)
        .arg(&file)
        .output()
        .expect("xmllint");
    assert!(
        output.status.success(),
        "{}\n{xml}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// `xmlsec1 --verify` of the signature over each of these elements.
pub fn verify_signature(xml: &str, elements: &[&str]) {
    if judges::has("xmlsec1") {
        let count = verify_signatures(xml);
        assert_eq!(count, elements.len(), "one signature each for {elements:?}");
    }
}

/// Elements that carry the id a signature refers to.
const SIGNED: [&str; 9] = [
    "infDPS",
    "infNFSe",
    "InfDeclaracaoPrestacaoServico",
    "InfRps",
    "Lote",
    "LoteRps",
    "InfPedidoCancelamento",
    "SubstituicaoNfse",
    "Rps",
];

/// The element around the signature as a document of its own, with the namespaces
/// of its message: so it was signed by an empty reference.
pub fn signed_alone(xml: &str) -> String {
    let document = Document::parse(xml).expect("a message");
    let mut elements = document.root().descendants_or_self();
    let around = elements.find(|element| element.child("Signature").is_some());
    let text = &xml[around.expect("a signed element").span()];
    if text.len() == xml.trim().len() {
        return text.to_owned();
    }
    let head = xml.split('>').next().unwrap_or_default();
    let declared: String = head
        .split_whitespace()
        .filter(|word| word.starts_with("xmlns"))
        .map(|word| format!(" {word}"))
        .collect();
    let name = text.find(['>', ' ']).expect("a tag");
    format!("{}{declared}{}", &text[..name], &text[name..])
}

/// `xmlsec1 --verify` of every signature in a message; how many there are.
pub fn verify_signatures(xml: &str) -> usize {
    let count = xml.matches("<Signature ").count();
    if !judges::has("xmlsec1") {
        return count;
    }
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("message.xml");
    std::fs::write(&file, xml).expect("write");
    for position in 1..=count {
        let mut command = Command::new("xmlsec1");
        // The signer's certificate travels in KeyInfo; its chain is another
        // test's business.
        command.args([
            "--verify",
            "--insecure",
            "--enabled-key-data",
            "x509,rsa,key-value",
        ]);
        for element in SIGNED {
            for attribute in ["Id", "id"] {
                if xml.contains(&format!("{element} {attribute}=")) {
                    command.args([&format!("--id-attr:{attribute}"), element]);
                }
            }
        }
        command
            .args([
                "--node-xpath",
                &format!("(//*[local-name()='Signature'])[{position}]"),
            ])
            .arg(&file);
        let output = command.output().expect("xmlsec1");
        assert!(
            output.status.success(),
            "signature {position}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    count
}
