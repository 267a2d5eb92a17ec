//! New adapters over the library of another one: a system of the ABRASF family, or a city
//! that takes the DPS at its own address. Their case is one of that library, with the names
//! of the new system in it.

use super::{Files, New};
use anyhow::bail;
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
    /// With a base: namespace of the messages (of the base, if not given).
    #[arg(long, value_name = "URL")]
    pub namespace: Option<String>,
    /// Base `abrasf`: namespace of the envelope and beginning of SOAPAction (of the base, if
    /// not given).
    #[arg(long, value_name = "URL")]
    pub soap_namespace: Option<String>,
    /// Base `abrasf`: element around a message; {metodo} is the operation, as GerarNfse
    /// ({metodo}Request, if not given).
    #[arg(long, value_name = "PATTERN")]
    pub operation: Option<String>,
    /// Base `dps`: path of the sending, after the address (/nfse, if not given).
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,
    /// With a base: address in production, for the lines of the registry
    /// (https://example.com.br/nfse, if not given).
    #[arg(long, value_name = "URL")]
    pub address: Option<String>,
    /// The same for tests.
    #[arg(long, value_name = "URL")]
    pub test_address: Option<String>,
}

impl Names {
    /// Refuses options that a new adapter over this base would ignore.
    ///
    /// # Errors
    /// One was given.
    pub fn belong_to(&self, base: Base) -> anyhow::Result<()> {
        let family = self.soap_namespace.is_some() || self.operation.is_some();
        let city = self.path.is_some();
        let given = [&self.namespace, &self.address, &self.test_address];
        let any = given.iter().any(|option| option.is_some());
        match base {
            Base::Blank if family || city || any => bail!(
                "--namespace, --soap-namespace, --operation, --path, --address and --test-address belong to --base"
            ),
            Base::Abrasf if city => bail!("--path belongs to --base dps"),
            Base::Dps if family => {
                bail!("--soap-namespace and --operation belong to --base abrasf")
            }
            _ => Ok(()),
        }
    }
}

const SOAP_NAMESPACE: &str = "http://nfse.abrasf.org.br";
const OPERATION: &str = "{metodo}Request";
const DPS_PATH: &str = "/nfse";
const ADDRESS: &str = "https://example.com.br/nfse";
/// The operation of the recorded case of `abrasf`.
const RECORDED: &str = "GerarNfse";

/// The library that a new adapter is built over.
struct Family {
    /// Its folder in `plugins/`.
    name: &'static str,
    /// The endpoint of its messages.
    endpoint: &'static str,
    /// The namespace of its messages.
    namespace: &'static str,
    files: Files,
    /// Its recorded case.
    case: Files,
}

macro_rules! files {
    ($source:literal) => {
        &[
            ("Cargo.toml", include_str!("base/Cargo.toml.txt")),
            ("README.md", include_str!("base/README.md.txt")),
            ("registro.toml", include_str!("base/registro.toml.txt")),
            ("src/lib.rs", include_str!(concat!("base/", $source))),
            ("tests/cases.rs", include_str!("cases.rs.txt")),
        ]
    };
}

macro_rules! recorded {
    ($folder:literal, $($file:literal),* $(,)?) => {
        &[$((
            concat!("cases/issued/", $file),
            include_str!(concat!("../../../../../plugins/", $folder, "/", $file)),
        )),*]
    };
}

const ABRASF: Family = Family {
    name: "abrasf",
    endpoint: "nfse",
    namespace: "http://www.abrasf.org.br/nfse.xsd",
    files: files!("abrasf.rs.txt"),
    case: recorded!(
        "abrasf/cases/abrasf203-completa",
        "case.toml",
        "input.json",
        "01-request.toml",
        "01-request.xml",
        "01-response.toml",
        "01-response.xml",
        "outcome-1.xml",
        "outcome.json",
    ),
};

const DPS: Family = Family {
    name: "dps",
    endpoint: "sefin",
    namespace: "http://www.sped.fazenda.gov.br/nfse",
    files: files!("dps.rs.txt"),
    case: recorded!(
        "dps/cases/issued",
        "case.toml",
        "input.json",
        "01-request.toml",
        "01-request.json",
        "01-request.dpsXmlGZipB64.xml",
        "01-response.toml",
        "01-response.json",
        "nfse.xml",
        "outcome.json",
    ),
};

/// Writes the folder of an adapter over a base.
///
/// # Errors
/// A name cannot stand in a text of Rust, or a file cannot be written.
pub fn write(folder: &Path, new: &New) -> anyhow::Result<()> {
    let family = match new.base {
        Base::Blank => bail!("a new adapter from nothing is over no base"),
        Base::Abrasf => ABRASF,
        Base::Dps => DPS,
    };
    let names = &new.names;
    let namespace = given(&names.namespace, family.namespace)?;
    let soap_namespace = given(&names.soap_namespace, SOAP_NAMESPACE)?;
    let operation = given(&names.operation, OPERATION)?;
    let path = given(&names.path, DPS_PATH)?;
    let words = [
        ("name", new.name.as_str()),
        ("crate", &new.name.replace('-', "_")),
        ("base", family.name),
        ("endpoint", family.endpoint),
        ("namespace", namespace),
        ("soap_namespace", soap_namespace),
        ("operation", operation),
        ("path", path),
        ("address", given(&names.address, ADDRESS)?),
        ("test_address", given(&names.test_address, ADDRESS)?),
    ];
    super::write(folder, &[family.files], &words)?;
    // What only the case of the other base has changes nothing.
    let changes = [
        (
            "nfse:GerarNfseRequest",
            format!("nfse:{}", operation.replace("{metodo}", RECORDED)),
        ),
        (family.namespace, namespace.to_owned()),
        (SOAP_NAMESPACE, soap_namespace.to_owned()),
        ("path = \"/nfse\"", format!("path = \"{path}\"")),
    ];
    for (file, text) in family.case {
        let mut text = (*text).to_owned();
        if file.ends_with("input.json") {
            text = without_options(&text)?;
        }
        for (from, to) in &changes {
            text = text.replace(from, to);
        }
        super::put(folder, file, &text)?;
    }
    Ok(())
}

/// The options of the recorded city are what the new adapter fixes by itself.
fn without_options(input: &str) -> anyhow::Result<String> {
    let mut input: serde_json::Value = serde_json::from_str(input)?;
    input["context"]["options"] = serde_json::json!({});
    Ok(format!("{input:#}\n"))
}

/// A name or an address that was given, or what stands for it. It goes into texts of Rust,
/// TOML and XML as it is.
fn given<'t>(option: &'t Option<String>, otherwise: &'t str) -> anyhow::Result<&'t str> {
    let text = option.as_deref().unwrap_or(otherwise);
    let safe = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#@!$*+,;=%{}".contains(c);
    if text.is_empty() || !text.chars().all(safe) {
        bail!("{text}: give letters, digits and the signs of an address");
    }
    Ok(text)
}
