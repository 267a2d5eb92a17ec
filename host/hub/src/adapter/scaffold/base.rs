//! New adapters over the library of another one: a system of the ABRASF family, or a city
//! that takes the DPS at its own address. Their cases are in that library's words, with the
//! names of the new system in them.

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
    /// The same of the city's environment for tests (homologação); without it the city has
    /// none.
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
/// The operations in the cases of `abrasf`.
const RECORDED: [&str; 3] = ["GerarNfse", "ConsultarNfsePorRps", "CancelarNfse"];

/// The library that a new adapter is built over.
struct Family {
    /// Its folder in `plugins/`.
    name: &'static str,
    /// The endpoint of its messages.
    endpoint: &'static str,
    /// The namespace of its messages.
    namespace: &'static str,
    files: Files,
    /// A note that is issued and one that is refused. Where the simulated city is to learn
    /// of them, also what else is asked of it, and every group of the layout.
    cases: &'static [Files],
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

/// A case: its name, and the files of each folder.
macro_rules! case {
    ($case:literal: $($folder:literal [$($file:literal),* $(,)?]),* $(,)?) => {
        &[$($((
            concat!("cases/", $case, "/", $file),
            include_str!(concat!($folder, "/", $file)),
        )),*),*]
    };
}

/// A case of one request by SOAP: its name, its folder, and what else the folder has.
macro_rules! soap {
    ($case:literal: $folder:literal [$($more:literal),*]) => {
        case!($case: $folder [
            "case.toml",
            "input.json",
            "01-request.toml",
            "01-request.xml",
            "01-response.toml",
            "01-response.xml",
            "outcome.json"
            $(, $more)*
        ])
    };
}

const ABRASF: Family = Family {
    name: "abrasf",
    endpoint: "nfse",
    namespace: "http://www.abrasf.org.br/nfse.xsd",
    files: files!("abrasf.rs.txt"),
    cases: &[
        soap!("issued": "base/abrasf-issued" ["outcome-1.xml"]),
        soap!("refused": "base/abrasf-refused" []),
        soap!("found": "base/abrasf-found" ["outcome-1.xml"]),
        soap!("not-found": "base/abrasf-not-found" []),
        soap!("cancelled": "base/abrasf-cancelled" ["outcome-1.xml"]),
        case!("every-group":
            "base/abrasf-groups" ["case.toml"],
            "../../../../../plugins/abrasf/cases/abrasf203-completa" [
                "input.json",
                "01-request.toml",
                "01-request.xml",
                "01-response.toml",
                "01-response.xml",
                "outcome-1.xml",
                "outcome.json",
            ],
        ),
    ],
};

const DPS: Family = Family {
    name: "dps",
    endpoint: "sefin",
    namespace: "http://www.sped.fazenda.gov.br/nfse",
    files: files!("dps.rs.txt"),
    // No city learns from them: their messages are compressed.
    cases: &[
        case!("issued": "../../../../../plugins/dps/cases/issued" [
            "case.toml",
            "input.json",
            "01-request.toml",
            "01-request.json",
            "01-request.dpsXmlGZipB64.xml",
            "01-response.toml",
            "01-response.json",
            "nfse.xml",
            "outcome.json",
        ]),
        case!("refused": "../../../../../plugins/dps/cases/refused" [
            "case.toml",
            "input.json",
            "01-request.toml",
            "01-request.json",
            "01-request.dpsXmlGZipB64.xml",
            "01-response.toml",
            "01-response.json",
            "outcome.json",
        ]),
    ],
};

/// Writes the folder of an adapter over a base.
///
/// # Errors
/// A name cannot stand in a text of Rust, the checkout's registry has no options of the base,
/// or a file cannot be written.
pub fn write(workspace: &Path, folder: &Path, new: &New) -> anyhow::Result<()> {
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
    let options = options(workspace, family.name)?;
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
        ("for_tests", &for_tests(names)?),
        ("options", &options),
    ];
    super::write(folder, &[family.files], &words)?;
    // What only the cases of the other base have changes nothing.
    let mut changes: Vec<(String, String)> = RECORDED
        .iter()
        .map(|method| {
            let element = operation.replace("{metodo}", method);
            (format!("nfse:{method}Request"), format!("nfse:{element}"))
        })
        .collect();
    changes.extend([
        (family.namespace.to_owned(), namespace.to_owned()),
        (SOAP_NAMESPACE.to_owned(), soap_namespace.to_owned()),
        ("path = \"/nfse\"".to_owned(), format!("path = \"{path}\"")),
    ]);
    for (file, text) in family.cases.iter().copied().flatten() {
        let mut text = text.replace("{{name}}", &new.name);
        if file.ends_with("input.json") {
            text = without_options(text)?;
        }
        for (from, to) in &changes {
            text = text.replace(from, to);
        }
        super::put(folder, file, &text)?;
    }
    Ok(())
}

/// The registry's line of the address for tests. Without one a note of an emitter that is
/// in homologação is refused: it must not arrive in production.
fn for_tests(names: &Names) -> anyhow::Result<String> {
    if names.test_address.is_none() {
        return Ok(
            "# homologacao = \"https://…\": if the city has an environment for tests".to_owned(),
        );
    }
    let address = given(&names.test_address, ADDRESS)?;
    Ok(format!("homologacao = \"{address}\""))
}

/// What the registry of the checkout says of the options of a base, as it stands there: a
/// new adapter has all of them.
fn options(workspace: &Path, base: &str) -> anyhow::Result<String> {
    let file = workspace.join("providers.toml");
    let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let header = format!("[adapters.{base}.options]");
    let Some((_, below)) = text.split_once(&format!("\n{header}\n")) else {
        bail!("{} has no {header}", file.display());
    };
    let lines = below.lines().take_while(|line| !line.starts_with('['));
    let lines: Vec<&str> = lines.collect();
    Ok(lines.join("\n").trim_end().to_owned())
}

/// The options of a recorded city are what the new adapter fixes by itself.
fn without_options(text: String) -> anyhow::Result<String> {
    let mut input: serde_json::Value = serde_json::from_str(&text)?;
    let options = &mut input["context"]["options"];
    if *options == serde_json::json!({}) {
        return Ok(text);
    }
    *options = serde_json::json!({});
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
