//! Every message of every cassette against the XSD of its system.
//!
//! The schemas are not part of this repository: the folder is HUB_SHARED, or
//! `../shared` beside the workspace. Without it, or without xmllint, the test
//! says so and checks nothing.

mod systems;
mod xsd;

use sdk::cassette;
use std::path::{Path, PathBuf};
use xsd::{messages, validate, with_valid_signatures};

/// The schema file for a message of a system; cases are named by their
/// system.
fn schema(schemas: &Path, case: &str, root: &str) -> PathBuf {
    let file = match case.split('-').next().unwrap_or_default() {
        "webiss" => "webiss/2.02/nfse.xsd".into(),
        "fiorilli" => "fiorilli/2.00/nfse.xsd".into(),
        "giss" => format!("giss/2.04/{}-v2_04.xsd", hyphens(root)),
        "sigep" => "sigep/2.00/nfse.xsd".into(),
        "issnet100" => format!(
            "issnet/1.00/servico_{}.xsd",
            hyphens(root).replace('-', "_")
        ),
        "fisslex" => "fisslex/1.00/nfse.xsd".into(),
        "publica" => "publica/1.00/nfse.xsd".into(),
        "publicsoft" => "publicsoft/2.03/nfse.xsd".into(),
        "datasmart" => "datasmart/2.02/nfse.xsd".into(),
        "abrasf100" => "abrasf/1.00/nfse.xsd".into(),
        "abrasf201" => "abrasf/2.01/nfse v201.xsd".into(),
        "abrasf203" => "abrasf/2.03/nfse_v203.xsd".into(),
        "abrasf204" => return without_occurrences(&schemas.join("abrasf/2.04/nfse_v204.xsd")),
        other => panic!("no schema for the cases of {other}"),
    };
    schemas.join(file)
}

/// Messages that a system takes in another form than its schema says.
const APART: [(&str, &str); 1] = [
    // The request stands in no namespace, as in the system's example.
    ("issnet100", "CancelarNfseEnvio"),
];

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
            // Its queries have no root that could be known.
            let rootless = case.starts_with("fisslex");
            assert!(
                rootless || messages.iter().any(|(root, _)| root != "cabecalho"),
                "{case} {number:02}: no message"
            );
            for (root, xml) in messages {
                if APART.contains(&(case.split('-').next().unwrap_or_default(), &root)) {
                    continue;
                }
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
