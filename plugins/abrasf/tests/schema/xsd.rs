//! Messages against an official XSD, through libxml2.

use sdk::soap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Roots of requests.
const MESSAGES: [&str; 12] = [
    "GerarNfseEnvio",
    "EnviarLoteRpsEnvio",
    "EnviarLoteRpsSincronoEnvio",
    "ConsultarLoteRpsEnvio",
    "ConsultarSituacaoLoteRpsEnvio",
    "ConsultarNfseRpsEnvio",
    "ConsultarNfseServicoPrestadoEnvio",
    "ConsultarNfseFaixaEnvio",
    "ConsultarNfseEnvio",
    "CancelarNfseEnvio",
    "SubstituirNfseEnvio",
    "cabecalho",
];

/// The fake signature of the player is no XMLDSig; a dummy one that follows
/// the schema stands for it, because 2.00 demands a signature.
pub fn with_valid_signatures(xml: &str) -> String {
    const OPEN: &str = "<Signature xmlns=\"http://www.w3.org/2000/09/xmldsig#\">";
    const CLOSE: &str = "</Signature>";
    let dummy = format!(
        "{OPEN}<SignedInfo><CanonicalizationMethod Algorithm=\"urn:c\"/><SignatureMethod Algorithm=\"urn:s\"/>\
         <Reference URI=\"\"><DigestMethod Algorithm=\"urn:d\"/><DigestValue>AA==</DigestValue></Reference></SignedInfo>\
         <SignatureValue>AA==</SignatureValue>{CLOSE}"
    );
    // Credentials have a length of their own in some schemas.
    let xml = ["senha", "token", "usuario"]
        .iter()
        .fold(xml.to_owned(), |xml, name| {
            xml.replace(
                &format!("{{{{secret:{name}:xml-text}}}}"),
                "0000000000000000",
            )
        });
    let mut out = String::new();
    let mut rest = xml.as_str();
    while let Some((before, signature)) = rest.split_once(OPEN) {
        let (_, after) = signature.split_once(CLOSE).expect("signature ends");
        out.push_str(before);
        out.push_str(&dummy);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The messages in a request, each standing alone. As nodes a message carries
/// its own namespace, so its text is a document. The element that carries a
/// message may have the message's name: the innermost is the message.
pub fn messages(body: &[u8]) -> Vec<(String, String)> {
    let object: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    let field = object.as_ref().and_then(|object| object["xml"].as_str());
    let body = field.map_or(body, str::as_bytes);
    MESSAGES
        .into_iter()
        .filter_map(|root| Some((root.to_owned(), innermost(body, root)?)))
        .collect()
}

fn innermost(body: &[u8], root: &str) -> Option<String> {
    let document = soap::unwrap(body, &[root]).ok()?;
    let element = document.root().descendant(root)?;
    let texts = std::iter::once(element).chain(element.children());
    let inside = texts
        .map(|element| element.text())
        .filter(|text| text.starts_with('<'))
        .find_map(|text| innermost(text.as_bytes(), root));
    Some(inside.unwrap_or_else(|| document.raw(element).to_owned()))
}

pub fn validate(schema: &Path, xml: &str) -> Result<(), String> {
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
