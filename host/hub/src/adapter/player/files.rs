//! The files of one case, read.

use flow::contract::{Ambiente, Conteudo, Context, Emitente, Municipio, Named, Operacao};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Largest file of a case, in bytes: the sandbox's limit for an answer is
/// half of it.
const FILE_BYTES: u64 = 16 << 20;
/// Files of one case: 64 steps have at most four each.
const FILES: usize = 400;

/// One folder.
pub struct Case {
    folder: PathBuf,
    /// Names of its files, sorted.
    pub(super) names: Vec<String>,
}

/// `input.json`, understood.
pub struct Input {
    pub operation: Operacao,
    pub context: Context,
    /// Whether the customer has a certificate.
    pub certificate: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    title: String,
    origin: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InputFile {
    operation: OperationFile,
    context: ContextFile,
    #[serde(default = "has_certificate")]
    certificate: bool,
}

fn has_certificate() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OperationFile {
    nome: String,
    schema: String,
    conteudo: serde_json::Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ContextFile {
    flow: String,
    now: String,
    #[serde(default)]
    entropy: String,
    ambiente: String,
    uf: Option<String>,
    municipio: Option<MunicipioFile>,
    emitente: EmitenteFile,
    #[serde(default)]
    endpoints: Vec<String>,
    #[serde(default)]
    options: BTreeMap<String, String>,
    #[serde(default)]
    secrets: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MunicipioFile {
    codigo: u32,
    nome: String,
    uf: String,
    codigo_tom: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EmitenteFile {
    documento: String,
    inscricao_municipal: Option<String>,
    inscricao_estadual: Option<String>,
    razao_social: String,
    #[serde(default)]
    extras: BTreeMap<String, String>,
}

impl Case {
    /// # Errors
    /// No `case.toml`, or one that says nothing.
    pub fn open(folder: &Path) -> Result<Case, String> {
        let entries = std::fs::read_dir(folder).map_err(|error| error.to_string())?;
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .take(FILES + 1)
            .collect();
        if names.len() > FILES {
            return Err(format!("more than {FILES} files"));
        }
        names.sort();
        let case = Case {
            folder: folder.to_owned(),
            names,
        };
        let about: About = case.toml("case.toml")?;
        if about.title.trim().is_empty() || about.origin.trim().is_empty() {
            return Err("case.toml: title and origin must say something".to_owned());
        }
        Ok(case)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// A file of the folder itself, by its plain name.
    pub(super) fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        if !self.has(name) {
            return Err(format!("{name} is missing"));
        }
        let path = self.folder.join(name);
        let size = std::fs::metadata(&path)
            .map_err(|error| format!("{name}: {error}"))?
            .len();
        if size > FILE_BYTES {
            return Err(format!("{name}: {size} bytes, the limit is {FILE_BYTES}"));
        }
        std::fs::read(path).map_err(|error| format!("{name}: {error}"))
    }

    pub(super) fn toml<T: DeserializeOwned>(&self, name: &str) -> Result<T, String> {
        let text = String::from_utf8(self.read(name)?).map_err(|_| format!("{name}: not UTF-8"))?;
        toml::from_str(&text).map_err(|error| format!("{name}: {error}"))
    }

    /// The body that goes with `<stem>.toml`: `<stem>.<ext>`, any extension
    /// but toml. Empty when there is no such file.
    pub(super) fn body(&self, stem: &str) -> Result<Vec<u8>, String> {
        let is_body = |name: &&String| {
            name.strip_prefix(stem)
                .and_then(|rest| rest.strip_prefix('.'))
                .is_some_and(|extension| extension != "toml" && !extension.contains('.'))
        };
        self.names
            .iter()
            .find(is_body)
            .map_or(Ok(Vec::new()), |name| self.read(name))
    }

    /// # Errors
    /// `input.json` is missing, or has a field nobody knows.
    pub fn input(&self) -> Result<Input, String> {
        let file: InputFile = serde_json::from_slice(&self.read("input.json")?)
            .map_err(|error| format!("input.json: {error}"))?;
        let (operation, context) = (file.operation, file.context);
        let ambiente = match context.ambiente.as_str() {
            "producao" => Ambiente::Producao,
            "homologacao" => Ambiente::Homologacao,
            other => return Err(format!("input.json: ambiente {other}")),
        };
        let municipio = context.municipio.map(|municipio| Municipio {
            codigo: municipio.codigo,
            nome: municipio.nome,
            uf: municipio.uf,
            codigo_tom: municipio.codigo_tom,
        });
        let emitente = Emitente {
            documento: context.emitente.documento,
            inscricao_municipal: context.emitente.inscricao_municipal,
            inscricao_estadual: context.emitente.inscricao_estadual,
            razao_social: context.emitente.razao_social,
            extras: named(context.emitente.extras),
        };
        Ok(Input {
            operation: Operacao {
                nome: operation.nome,
                conteudo: Conteudo {
                    schema: operation.schema,
                    json: operation.conteudo.to_string(),
                },
            },
            context: Context {
                flow: context.flow,
                step: 0,
                now: context.now,
                entropy: entropy(&context.entropy)?,
                ambiente,
                municipio,
                uf: context.uf,
                emitente,
                endpoints: context.endpoints,
                options: named(context.options),
                secrets: context.secrets,
            },
            certificate: file.certificate,
        })
    }

    /// Whether someone gives up during this step.
    pub fn cancelled(&self, number: u32) -> bool {
        self.has(&format!("{number:02}-cancelled.toml"))
    }
}

fn named(map: BTreeMap<String, String>) -> Vec<Named> {
    map.into_iter()
        .map(|(name, value)| Named { name, value })
        .collect()
}

/// 32 bytes from 64 hex digits; an empty text is zeros.
fn entropy(text: &str) -> Result<Vec<u8>, String> {
    if text.is_empty() {
        return Ok(vec![0; 32]);
    }
    let digits: Option<Vec<u8>> = text
        .chars()
        .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect();
    match digits {
        Some(digits) if digits.len() == 64 => Ok(digits
            .as_chunks::<2>()
            .0
            .iter()
            .map(|[high, low]| high << 4 | low)
            .collect()),
        _ => Err("input.json: entropy must be 64 hex digits".to_owned()),
    }
}
