//! Every message of every cassette against the XSD of its system.
//!
//! The schemas are not part of this repository: the folder is HUB_SHARED, or
//! `../shared` beside the workspace. Without it, or without xmllint, the test
//! says so and checks nothing.

use sdk::cassette;
use sdk::soap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Roots of requests.
const MESSAGES: [&str; 11] = [
    "GerarNfseEnvio",
    "EnviarLoteRpsEnvio",
    "EnviarLoteRpsSincronoEnvio",
    "ConsultarLoteRpsEnvio",
    "ConsultarSituacaoLoteRpsEnvio",
    "ConsultarNfseRpsEnvio",
    "ConsultarNfseServicoPrestadoEnvio",
    "ConsultarNfseEnvio",
    "CancelarNfseEnvio",
    "SubstituirNfseEnvio",
    "cabecalho",
];

/// The schema file for a message of a system; cases are named by their
/// system.
fn schema(schemas: &Path, case: &str, root: &str) -> PathBuf {
    let file = match case.split('-').next().unwrap_or_default() {
        "webiss" => "webiss/2.02/nfse.xsd".into(),
        "fiorilli" => "fiorilli/2.00/nfse.xsd".into(),
        "giss" => format!("giss/2.04/{}-v2_04.xsd", hyphens(root)),
        "abrasf100" => "abrasf/1.00/nfse.xsd".into(),
        "abrasf201" => "abrasf/2.01/nfse v201.xsd".into(),
        "abrasf203" => "abrasf/2.03/nfse_v203.xsd".into(),
        "abrasf204" => return without_occurrences(&schemas.join("abrasf/2.04/nfse_v204.xsd")),
        other => panic!("no schema for the cases of {other}"),
    };
    schemas.join(file)
}

/// The model's file of 2.04 has occurrences on a global element, which no
/// schema processor accepts: a copy without them.
fn without_occurrences(schema: &Path) -> PathBuf {
    const GLOBAL: &str = "<xsd:element name=\"CompNfse\"";
    let text = std::fs::read_to_string(schema).expect("schema");
    let (before, rest) = text.split_once(GLOBAL).expect("CompNfse");
    let (attributes, after) = rest.split_once("/>").expect("element ends");
    let attributes = attributes
        .replace("minOccurs=\"1\"", "")
        .replace("maxOccurs=\"1\"", "");
    let out = format!("{before}{GLOBAL}{attributes}/>{after}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("abrasf-2.04");
    std::fs::create_dir_all(&folder).expect("folder");
    let dsig = "xmldsig-core-schema20020212.xsd";
    let original = schema.with_file_name(dsig);
    std::fs::write(folder.join(dsig), std::fs::read(original).expect("dsig")).expect("copy");
    let copy = folder.join("nfse_v204.xsd");
    std::fs::write(&copy, out).expect("copy");
    copy
}

fn hyphens(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// The fake signature of the player is no XMLDSig; a dummy one that follows
/// the schema stands for it, because 2.00 demands a signature.
fn with_valid_signatures(xml: &str) -> String {
    const OPEN: &str = "<Signature xmlns=\"http://www.w3.org/2000/09/xmldsig#\">";
    const CLOSE: &str = "</Signature>";
    let dummy = format!(
        "{OPEN}<SignedInfo><CanonicalizationMethod Algorithm=\"urn:c\"/><SignatureMethod Algorithm=\"urn:s\"/>\
         <Reference URI=\"\"><DigestMethod Algorithm=\"urn:d\"/><DigestValue>AA==</DigestValue></Reference></SignedInfo>\
         <SignatureValue>AA==</SignatureValue>{CLOSE}"
    );
    let mut out = String::new();
    let mut rest = xml;
    while let Some((before, signature)) = rest.split_once(OPEN) {
        let (_, after) = signature.split_once(CLOSE).expect("signature ends");
        out.push_str(before);
        out.push_str(&dummy);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The message in a request, standing alone. As nodes it carries its own
/// namespace, so its text is a document.
fn messages(body: &[u8]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for root in MESSAGES {
        if let Ok(document) = soap::unwrap(body, &[root])
            && let Some(element) = document.root().descendant(root)
        {
            found.push((root.to_owned(), document.raw(element).to_owned()));
        }
    }
    found
}

fn validate(schema: &Path, xml: &str) -> Result<(), String> {
    let mut child = Command::new("xmllint")
        .args(["--noout", "--nonet", "--schema"])
        .arg(schema)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut stdin = child.stdin.take().ok_or("no stdin")?;
    stdin
        .write_all(xml.as_bytes())
        .map_err(|error| error.to_string())?;
    drop(stdin);
    let output = child
        .wait_with_output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

#[test]
fn messages_follow_the_schemas() {
    let Some(schemas) = judges::shared("schemas/nfse-municipal") else {
        return;
    };
    if !judges::has("xmllint") {
        return;
    }
    let mut checked = 0;
    let mut errors = Vec::new();
    for folder in cassette::cases(env!("CARGO_MANIFEST_DIR")).expect("cases") {
        let case = folder.file_name().and_then(|n| n.to_str()).expect("name");
        for number in 1..=64 {
            let Ok(body) = std::fs::read(folder.join(format!("{number:02}-request.xml"))) else {
                continue;
            };
            let messages = messages(&body);
            assert!(
                messages.iter().any(|(root, _)| root != "cabecalho"),
                "{case} {number:02}: no message"
            );
            for (root, xml) in messages {
                checked += 1;
                let schema = schema(&schemas, case, &root);
                if let Err(error) = validate(&schema, &with_valid_signatures(&xml)) {
                    errors.push(format!("{case} {number:02} {root}:\n{error}"));
                }
            }
        }
    }
    assert!(
        errors.is_empty(),
        "{} of {checked}\n{}",
        errors.len(),
        errors.join("\n")
    );
    println!("{checked} messages follow their schemas");
    assert!(checked > 100, "only {checked} messages");
}
