//! New adapters over the library of another one: a system of the ABRASF family, or a city
//! that takes the DPS at its own address. Their case is one of that library, with the names
//! of the new system in it.

use super::{Files, New};
use anyhow::{Context as _, bail};
use std::path::Path;

/// What a new adapter in Rust begins from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Base {
    /// Nothing: one signed message to one address.
    Blank,
    /// The layouts of the ABRASF family.
    Abrasf,
    /// The national DPS.
    Dps,
}

/// Names and addresses of a system of its own.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Names {
    /// Namespace of the messages (of the base, if not given).
    #[arg(long, value_name = "URL")]
    pub namespace: Option<String>,
    /// Base `abrasf`: namespace of the envelope and beginning of SOAPAction.
    #[arg(long, value_name = "URL", default_value = SOAP_NAMESPACE)]
    pub soap_namespace: String,
    /// Base `abrasf`: element around a message; {metodo} is the operation, as GerarNfse.
    #[arg(long, value_name = "PATTERN", default_value = OPERATION)]
    pub operation: String,
    /// Base `dps`: path of the sending, after the address.
    #[arg(long, value_name = "PATH", default_value = DPS_PATH)]
    pub path: String,
    /// Address in production, for the lines of the registry.
    #[arg(long, value_name = "URL", default_value = ADDRESS)]
    pub address: String,
    /// The same for tests.
    #[arg(long, value_name = "URL", default_value = ADDRESS)]
    pub test_address: String,
}

const ABRASF_NAMESPACE: &str = "http://www.abrasf.org.br/nfse.xsd";
const SOAP_NAMESPACE: &str = "http://nfse.abrasf.org.br";
const OPERATION: &str = "{metodo}Request";
const DPS_NAMESPACE: &str = "http://www.sped.fazenda.gov.br/nfse";
const DPS_PATH: &str = "/nfse";
const ADDRESS: &str = "https://example.com.br/nfse";
/// The operation of the recorded case of `abrasf`.
const RECORDED: &str = "GerarNfse";

macro_rules! recorded {
    ($folder:literal, $($file:literal),*) => {
        &[$((
            concat!("cases/issued/", $file),
            include_str!(concat!("../../../../../plugins/", $folder, "/", $file)),
        )),*]
    };
}

const ABRASF_CASE: Files = recorded!(
    "abrasf/cases/abrasf203-completa",
    "case.toml",
    "input.json",
    "01-request.toml",
    "01-request.xml",
    "01-response.toml",
    "01-response.xml",
    "outcome-1.xml",
    "outcome.json"
);

const DPS_CASE: Files = recorded!(
    "dps/cases/issued",
    "case.toml",
    "input.json",
    "01-request.toml",
    "01-request.json",
    "01-request.dpsXmlGZipB64.xml",
    "01-response.toml",
    "01-response.json",
    "nfse.xml",
    "outcome.json"
);

const ABRASF: Files = &[
    ("Cargo.toml", include_str!("base/Cargo.toml.txt")),
    ("README.md", include_str!("README.md.txt")),
    ("registro.toml", include_str!("base/registro.toml.txt")),
    ("src/lib.rs", include_str!("base/abrasf.rs.txt")),
    ("tests/cases.rs", include_str!("cases.rs.txt")),
];

const DPS: Files = &[
    ("Cargo.toml", include_str!("base/Cargo.toml.txt")),
    ("README.md", include_str!("README.md.txt")),
    ("registro.toml", include_str!("base/registro.toml.txt")),
    ("src/lib.rs", include_str!("base/dps.rs.txt")),
    ("tests/cases.rs", include_str!("cases.rs.txt")),
];

/// Writes the folder of an adapter over a base.
///
/// # Errors
/// A name cannot stand in a text of Rust, or a file cannot be written.
pub fn write(folder: &Path, new: &New) -> anyhow::Result<()> {
    let Names {
        namespace,
        soap_namespace,
        operation,
        path,
        address,
        test_address,
    } = &new.names;
    let dps = new.base == Base::Dps;
    let of_base = if dps { DPS_NAMESPACE } else { ABRASF_NAMESPACE };
    let namespace = namespace.as_deref().unwrap_or(of_base);
    for text in [
        namespace,
        soap_namespace,
        operation,
        path,
        address,
        test_address,
    ] {
        check(text)?;
    }
    let words = [
        ("name", new.name.as_str()),
        ("crate", &new.name.replace('-', "_")),
        ("base", if dps { "dps" } else { "abrasf" }),
        ("endpoint", if dps { "sefin" } else { "nfse" }),
        ("namespace", namespace),
        ("soap_namespace", soap_namespace),
        ("operation", operation),
        ("path", path),
        ("address", address),
        ("test_address", test_address),
    ];
    super::write(folder, &[if dps { DPS } else { ABRASF }], &words)?;
    let sent_to = format!("path = \"{path}\"");
    let around = format!("nfse:{}", operation.replace("{metodo}", RECORDED));
    let changes: Vec<(&str, &str)> = if dps {
        vec![(DPS_NAMESPACE, namespace), ("path = \"/nfse\"", &sent_to)]
    } else {
        vec![
            ("nfse:GerarNfseRequest", &around),
            (ABRASF_NAMESPACE, namespace),
            (SOAP_NAMESPACE, soap_namespace),
        ]
    };
    for (file, text) in if dps { DPS_CASE } else { ABRASF_CASE } {
        let mut text = (*text).to_owned();
        if file.ends_with("input.json") {
            text = without_options(&text)?;
        }
        for (from, to) in &changes {
            text = text.replace(from, to);
        }
        let file = folder.join(file);
        let above = file.parent().unwrap_or(folder);
        std::fs::create_dir_all(above).with_context(|| above.display().to_string())?;
        std::fs::write(&file, text).with_context(|| file.display().to_string())?;
    }
    Ok(())
}

/// The options of the recorded city are what the new adapter fixes by itself.
fn without_options(input: &str) -> anyhow::Result<String> {
    let mut input: serde_json::Value = serde_json::from_str(input)?;
    input["context"]["options"] = serde_json::json!({});
    Ok(format!("{input:#}\n"))
}

/// A name or an address goes into texts of Rust, TOML and XML as it is.
fn check(text: &str) -> anyhow::Result<()> {
    let safe = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#@!$*+,;=%{}".contains(c);
    if text.is_empty() || !text.chars().all(safe) {
        bail!("{text}: give letters, digits and the signs of an address");
    }
    Ok(())
}
