//! The files of one case.

use super::{Mode, outcome, template};
use crate::bindings::control::{
    Ambiente, Conteudo, Context, Effect, Emitente, EndpointPath, Event, HttpRequest, HttpResponse,
    Municipio, Named, Operacao, Outcome, Target, TransportFault, TransportKind,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// One folder.
pub struct Case {
    folder: PathBuf,
}

/// `input.json`, understood.
pub struct Input {
    pub operation: Operacao,
    pub context: Context,
    pub certificate: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    title: String,
    origin: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InputFile {
    operation: OperationFile,
    context: ContextFile,
    #[serde(default = "yes")]
    certificate: bool,
}

fn yes() -> bool {
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
    #[serde(default)]
    uf: Option<String>,
    #[serde(default)]
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
    #[serde(default)]
    codigo_tom: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EmitenteFile {
    documento: String,
    #[serde(default)]
    inscricao_municipal: Option<String>,
    #[serde(default)]
    inscricao_estadual: Option<String>,
    razao_social: String,
    #[serde(default)]
    extras: BTreeMap<String, String>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestFile {
    label: String,
    method: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    endpoint: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    effect: String,
    #[serde(default)]
    client_certificate: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timeout_ms: Option<u32>,
    #[serde(default)]
    headers: Vec<(String, String)>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WaitFile {
    duration_ms: u64,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResponseFile {
    status: u16,
    #[serde(default)]
    headers: Vec<(String, String)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoResponseFile {
    kind: String,
    detail: String,
    maybe_arrived: bool,
}

impl Case {
    /// # Errors
    /// No `case.toml`, or one without title and origin.
    pub fn open(folder: &Path) -> Result<Self, String> {
        let case = Case {
            folder: folder.into(),
        };
        let about: CaseFile = case.toml("case.toml")?;
        if about.title.is_empty() || about.origin.is_empty() {
            return Err("case.toml: title and origin must say something".into());
        }
        Ok(case)
    }

    /// A file of the folder; only plain names.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        if name.is_empty() || name.contains(['/', '\\']) || name.starts_with('.') {
            return Err(format!("{name}: not a plain file name"));
        }
        fs::read(self.folder.join(name)).map_err(|error| format!("{name}: {error}"))
    }

    fn write(&self, name: &str, content: &[u8]) -> Result<(), String> {
        fs::write(self.folder.join(name), content).map_err(|error| format!("{name}: {error}"))
    }

    fn exists(&self, name: &str) -> bool {
        self.folder.join(name).is_file()
    }

    fn names(&self) -> Result<Vec<String>, String> {
        let entries = fs::read_dir(&self.folder).map_err(|error| error.to_string())?;
        let mut names: Vec<String> = entries
            .filter_map(Result::ok)
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort();
        Ok(names)
    }

    fn toml<T: serde::de::DeserializeOwned>(&self, name: &str) -> Result<T, String> {
        let text = String::from_utf8(self.read(name)?).map_err(|_| format!("{name}: not UTF-8"))?;
        toml::from_str(&text).map_err(|error| format!("{name}: {error}"))
    }

    /// # Errors
    /// `input.json` is missing or has an unknown field.
    pub fn input(&self) -> Result<Input, String> {
        let file: InputFile = serde_json::from_slice(&self.read("input.json")?)
            .map_err(|error| format!("input.json: {error}"))?;
        let context = file.context;
        let ambiente = match context.ambiente.as_str() {
            "producao" => Ambiente::Producao,
            "homologacao" => Ambiente::Homologacao,
            other => return Err(format!("input.json: unknown ambiente {other}")),
        };
        Ok(Input {
            operation: Operacao {
                nome: file.operation.nome,
                conteudo: Conteudo {
                    schema: file.operation.schema,
                    json: file.operation.conteudo.to_string(),
                },
            },
            context: Context {
                flow: context.flow,
                step: 0,
                now: context.now,
                entropy: entropy(&context.entropy)?,
                ambiente,
                municipio: context.municipio.map(|municipio| Municipio {
                    codigo: municipio.codigo,
                    nome: municipio.nome,
                    uf: municipio.uf,
                    codigo_tom: municipio.codigo_tom,
                }),
                uf: context.uf,
                emitente: Emitente {
                    documento: context.emitente.documento,
                    inscricao_municipal: context.emitente.inscricao_municipal,
                    inscricao_estadual: context.emitente.inscricao_estadual,
                    razao_social: context.emitente.razao_social,
                    extras: named(context.emitente.extras),
                },
                endpoints: context.endpoints,
                options: named(context.options),
                secrets: context.secrets,
            },
            certificate: file.certificate,
        })
    }

    /// Removes what a recording writes again: requests, waits, outcome.
    pub fn forget_requests(&self) -> Result<(), String> {
        for name in self.names()? {
            let step = name.get(2..).unwrap_or_default();
            let written = step.starts_with("-request.")
                || step.starts_with("-wait.")
                || name.starts_with("outcome");
            if written {
                fs::remove_file(self.folder.join(&name))
                    .map_err(|error| format!("{name}: {error}"))?;
            }
        }
        Ok(())
    }

    /// Compares or writes the request of a step.
    pub fn request(&self, number: u32, request: &HttpRequest, mode: Mode) -> Result<(), String> {
        let stem = format!("{number:02}-request");
        let name = format!("{stem}.toml");
        let found = RequestFile::from(request);
        if mode == Mode::Record {
            let text = toml::to_string(&found).map_err(|error| format!("{name}: {error}"))?;
            self.write(&name, text.as_bytes())?;
            if request.body.is_empty() {
                return Ok(());
            }
            let body = template::abstracted(&request.body, |key, content| {
                let name = format!("{stem}.{key}.xml");
                self.write(&name, content).map(|()| name)
            })?;
            return self.write(&format!("{stem}.{}", extension(&request.body)), &body);
        }
        if !self.exists(&name) {
            return Err(format!(
                "step {number}: unexpected request {}",
                request.label
            ));
        }
        let expected: RequestFile = self.toml(&name)?;
        if expected != found {
            return Err(format!("{name}: expected {expected:?}, found {found:?}"));
        }
        let template = self.body(&stem)?.unwrap_or_default();
        template::compare(&template, &request.body, self)
            .map_err(|error| format!("{stem}: {error}"))
    }

    /// Compares or writes the pause of a step.
    pub fn wait(
        &self,
        number: u32,
        duration_ms: u64,
        reason: &str,
        mode: Mode,
    ) -> Result<(), String> {
        let name = format!("{number:02}-wait.toml");
        let found = WaitFile {
            duration_ms,
            reason: reason.into(),
        };
        if mode == Mode::Record {
            let text = toml::to_string(&found).map_err(|error| format!("{name}: {error}"))?;
            return self.write(&name, text.as_bytes());
        }
        if !self.exists(&name) {
            return Err(format!(
                "step {number}: unexpected wait of {duration_ms} ms ({reason})"
            ));
        }
        let expected: WaitFile = self.toml(&name)?;
        if expected == found {
            Ok(())
        } else {
            Err(format!("{name}: expected {expected:?}, found {found:?}"))
        }
    }

    /// Whether someone gives up during this step.
    pub fn cancelled(&self, number: u32) -> bool {
        self.exists(&format!("{number:02}-cancelled.toml"))
    }

    /// The event that answers the request of a step.
    pub fn answer(&self, number: u32) -> Result<Event, String> {
        if self.cancelled(number) {
            return Ok(Event::Cancelled);
        }
        let name = format!("{number:02}-no-response.toml");
        if self.exists(&name) {
            let file: NoResponseFile = self.toml(&name)?;
            let kind =
                kind(&file.kind).ok_or_else(|| format!("{name}: unknown kind {}", file.kind))?;
            return Ok(Event::NoResponse(TransportFault {
                kind,
                detail: file.detail,
                maybe_arrived: file.maybe_arrived,
            }));
        }
        let stem = format!("{number:02}-response");
        let file: ResponseFile = self.toml(&format!("{stem}.toml"))?;
        let body = self.body(&stem)?.unwrap_or_default();
        Ok(Event::Response(HttpResponse {
            status: file.status,
            headers: file
                .headers
                .into_iter()
                .map(|(name, value)| Named { name, value })
                .collect(),
            body: template::expand(&body, self)?,
        }))
    }

    /// Compares or writes the outcome, reached instead of step `number`.
    pub fn end(&self, number: u32, outcome: &Outcome, mode: Mode) -> Result<(), String> {
        let rendered = outcome::render(outcome, |bytes| self.name_of(bytes, mode))?;
        if mode == Mode::Record {
            let text =
                serde_json::to_string_pretty(&rendered).map_err(|error| error.to_string())?;
            self.write("outcome.json", format!("{text}\n").as_bytes())?;
        } else {
            let expected: serde_json::Value = serde_json::from_slice(&self.read("outcome.json")?)
                .map_err(|error| format!("outcome.json: {error}"))?;
            if outcome::without_nulls(expected.clone()) != outcome::without_nulls(rendered.clone())
            {
                return Err(format!(
                    "outcome.json: expected {expected:#}\nfound {rendered:#}"
                ));
            }
        }
        let unused = |name: &String| {
            let step = name.get(..2).and_then(|digits| digits.parse::<u32>().ok());
            step.is_some_and(|step| step >= number) && name.get(2..3) == Some("-")
        };
        match self.names()?.iter().find(|name| unused(name)) {
            Some(name) => Err(format!("{name}: the flow ended before this step")),
            None => Ok(()),
        }
    }

    /// Name of the file with exactly these bytes; a recording writes one.
    fn name_of(&self, bytes: &[u8], mode: Mode) -> Result<String, String> {
        for name in self.names()? {
            if self.read(&name).is_ok_and(|content| content == bytes) {
                return Ok(name);
            }
        }
        if mode == Mode::Play {
            return Err("no file of the folder has the document of the outcome".into());
        }
        let taken = self
            .names()?
            .iter()
            .filter(|name| name.starts_with("outcome-"))
            .count();
        let name = format!("outcome-{}.xml", taken + 1);
        self.write(&name, bytes)?;
        Ok(name)
    }

    /// The body file of a step: `<stem>.<ext>`, any extension but toml.
    fn body(&self, stem: &str) -> Result<Option<Vec<u8>>, String> {
        for name in self.names()? {
            let extension = name
                .strip_prefix(stem)
                .and_then(|rest| rest.strip_prefix('.'));
            if extension.is_some_and(|extension| extension != "toml" && !extension.contains('.')) {
                return self.read(&name).map(Some);
            }
        }
        Ok(None)
    }
}

impl From<&HttpRequest> for RequestFile {
    fn from(request: &HttpRequest) -> Self {
        let (endpoint, path, url) = match &request.target {
            Target::Endpoint(EndpointPath { endpoint, path }) => {
                (Some(endpoint.clone()), Some(path.clone()), None)
            }
            Target::Url(url) => (None, None, Some(url.clone())),
        };
        RequestFile {
            label: request.label.clone(),
            method: request.method.clone(),
            endpoint,
            path,
            url,
            effect: match request.effect {
                Effect::ReadOnly => "read-only",
                Effect::Idempotent => "idempotent",
                Effect::Once => "once",
            }
            .into(),
            client_certificate: request.client_certificate,
            timeout_ms: request.timeout_ms,
            headers: request
                .headers
                .iter()
                .map(|header| (header.name.clone(), header.value.clone()))
                .collect(),
        }
    }
}

fn named(map: BTreeMap<String, String>) -> Vec<Named> {
    map.into_iter()
        .map(|(name, value)| Named { name, value })
        .collect()
}

/// 32 bytes from 64 hex digits; none = zeros.
fn entropy(hex: &str) -> Result<Vec<u8>, String> {
    if hex.is_empty() {
        return Ok(vec![0; 32]);
    }
    let bytes: Option<Vec<u8>> = (0..hex.len())
        .step_by(2)
        .map(|at| {
            hex.get(at..at + 2)
                .and_then(|pair| u8::from_str_radix(pair, 16).ok())
        })
        .collect();
    bytes
        .filter(|bytes| bytes.len() == 32)
        .ok_or_else(|| "input.json: entropy must be 64 hex digits".into())
}

fn extension(body: &[u8]) -> &'static str {
    match (body.first(), std::str::from_utf8(body)) {
        (_, Err(_)) => "bin",
        (Some(b'<'), _) => "xml",
        (Some(b'{' | b'['), _) => "json",
        _ => "txt",
    }
}

fn kind(name: &str) -> Option<TransportKind> {
    outcome::TRANSPORT_KINDS
        .iter()
        .find(|(_, known)| *known == name)
        .map(|(kind, _)| *kind)
}
