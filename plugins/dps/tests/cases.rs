//! Every cassette of the adapter, and the official schema on what they send.

use std::path::{Path, PathBuf};
use std::process::Command;

const CRATE: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn cases() {
    sdk::cassette::play_all(CRATE, adapter_dps::adapter());
}

/// The schemas, or None (and says so) when they or xmllint are not here.
fn schemas() -> Option<PathBuf> {
    let bundle = judges::shared("schemas/nfse-nacional/v1.01-20260727")?;
    judges::has("xmllint").then_some(bundle)
}

/// The document without its (fake) signature, which is optional in a request.
fn unsigned(xml: &str) -> String {
    match (xml.find("<Signature "), xml.find("</Signature>")) {
        (Some(from), Some(to)) => format!("{}{}", &xml[..from], &xml[to + "</Signature>".len()..]),
        _ => xml.to_owned(),
    }
}

fn validate(schema: &Path, document: &Path, folder: &Path) {
    let xml = std::fs::read_to_string(document).expect("document");
    let file = folder.join("document.xml");
    std::fs::write(&file, unsigned(&xml)).expect("temporary file");
    let output = Command::new("xmllint")
        .args(["--noout", "--schema"])
        .arg(schema)
        .arg(&file)
        .output()
        .expect("xmllint");
    assert!(
        output.status.success(),
        "{}: {}",
        document.display(),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn everything_sent_is_valid_in_the_official_schema() {
    let Some(bundle) = schemas() else { return };
    let folder = std::env::temp_dir().join(format!("dps-cases-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("temporary folder");
    let mut seen = [0, 0];
    for case in sdk::cassette::cases(CRATE).expect("cases") {
        for entry in std::fs::read_dir(&case)
            .expect("case")
            .filter_map(Result::ok)
        {
            let name = entry.file_name().into_string().expect("name");
            let content = std::fs::read_to_string(entry.path()).unwrap_or_default();
            let root = |name: &str| content.contains(&format!("<{name} "));
            let (schema, kind) = if !name.contains("-request.") || !name.ends_with("XmlGZipB64.xml")
            {
                continue;
            } else if root("NFSe") {
                // Judged in `systems.rs`, with what the city fills in.
                continue;
            } else if root("DPS") {
                ("DPS_v1.01.xsd", 0)
            } else if root("pedRegEvento") {
                ("pedRegEvento_v1.01.xsd", 1)
            } else {
                continue;
            };
            validate(&bundle.join(schema), &entry.path(), &folder);
            seen[kind] += 1;
        }
    }
    std::fs::remove_dir_all(&folder).expect("temporary folder");
    assert!(
        seen[0] > 0 && seen[1] > 0,
        "no documents in the cases: {seen:?}"
    );
}
