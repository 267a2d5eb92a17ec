//! Documents as they are judged: signed in shape only, asked of libxml2.

use markup::xml::Document;
use std::path::Path;
use std::process::Command;

/// The document with a signature in shape only, beside the element that has
/// the `Id`.
pub fn signed(xml: &str) -> String {
    const DSIG: &str = "http://www.w3.org/2000/09/xmldsig#";
    const C14N: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
    let doc = Document::parse(xml).expect("XML");
    let root = doc.root().name().to_owned();
    let id = doc.root().children().find_map(|part| part.attribute("Id"));
    let id = id.expect("an Id");
    let signature = format!(
        "<Signature xmlns=\"{DSIG}\"><SignedInfo><CanonicalizationMethod Algorithm=\"{C14N}\"/>\
         <SignatureMethod Algorithm=\"{DSIG}rsa-sha1\"/><Reference URI=\"#{id}\"><Transforms>\
         <Transform Algorithm=\"{DSIG}enveloped-signature\"/><Transform Algorithm=\"{C14N}\"/>\
         </Transforms><DigestMethod Algorithm=\"{DSIG}sha1\"/>\
         <DigestValue>AAAAAAAAAAAAAAAAAAAAAAAAAAA=</DigestValue></Reference></SignedInfo>\
         <SignatureValue>AAAA</SignatureValue><KeyInfo><X509Data>\
         <X509Certificate>AAAA</X509Certificate></X509Data></KeyInfo></Signature>"
    );
    xml.replace(&format!("</{root}>"), &format!("{signature}</{root}>"))
}

/// What an open element (`infModal`, `detEvento`) holds, as a document of the
/// namespace.
pub fn held(xml: &str, open: &str, namespace: &str) -> Option<(String, String)> {
    let doc = Document::parse(xml).expect("XML");
    let open = doc.elements().find(|element| element.name() == open)?;
    let group = open.children().next().expect("a group");
    let name = group.name().to_owned();
    let part = xml[group.span()].replacen(
        &format!("<{name}>"),
        &format!("<{name} xmlns=\"{namespace}\">"),
        1,
    );
    Some((name, part))
}

/// libxml2's verdict.
pub fn judge(schema: &Path, file: &Path, xml: &str, name: &str) {
    std::fs::write(file, xml).expect("a document");
    let output = Command::new("xmllint")
        .args(["--noout", "--nonet", "--schema"])
        .arg(schema)
        .arg(file)
        .output()
        .expect("xmllint runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {said}\n{xml}");
}
