//! The files of a step, and the end.

use crate::{Case, Mode, template};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// `NN-request.toml`; the enumerations in their WIT spelling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    pub label: String,
    pub method: String,
    /// With `path`; or `url` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    pub effect: String,
    #[serde(default)]
    pub client_certificate: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u32>,
    #[serde(default)]
    pub headers: Vec<(String, String)>,
}

/// `NN-wait.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    pub duration_ms: u64,
    pub reason: String,
}

/// What the world says to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Response(Response),
    NoResponse(NoResponse),
    /// Someone gave up.
    Cancelled,
}

/// `NN-response.toml` with its body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Response {
    pub status: u16,
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// What it says of the note, for the simulated city that learns from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub means: Option<Means>,
    #[serde(skip)]
    pub body: Vec<u8>,
}

/// What an answer says of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Means {
    /// The note exists now; to a question about a batch: it was issued.
    Issued,
    /// Taken, to be asked about by a protocol.
    Queued,
    Refused,
    /// The same RPS, or whatever tells documents apart, is a note already.
    Duplicate,
    /// The note that was asked about.
    Found,
    /// The same of a cancelled note.
    FoundCancelled,
    NotFound,
    /// The batch is not processed yet.
    Waiting,
    /// The batch is processed; what became of it is another question.
    Ready,
    Cancelled,
    AlreadyCancelled,
    /// User, password or token are wrong.
    Login,
    /// A session was opened; what comes next shows what it gave.
    Session,
}

/// `NN-no-response.toml`; `kind` in its WIT spelling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoResponse {
    pub kind: String,
    pub detail: String,
    pub maybe_arrived: bool,
}

impl Case {
    /// Compares or writes the request of a step.
    ///
    /// # Errors
    /// What differs from `NN-request.*`.
    pub fn request(
        &self,
        number: u32,
        found: &Request,
        body: &[u8],
        mode: Mode,
    ) -> Result<(), String> {
        let stem = format!("{number:02}-request");
        let name = format!("{stem}.toml");
        if mode == Mode::Record {
            return self.record(&stem, found, body);
        }
        if !self.has(&name) {
            let label = &found.label;
            return Err(format!("step {number}: request {label} was not expected"));
        }
        let expected: Request = self.toml(&name)?;
        same(&name, &expected, found)?;
        template::compare(&self.body(&stem)?, body, self)
            .map_err(|error| format!("{stem}: {error}"))
    }

    fn record(&self, stem: &str, request: &Request, body: &[u8]) -> Result<(), String> {
        let name = format!("{stem}.toml");
        let text = toml::to_string(request).map_err(|error| format!("{name}: {error}"))?;
        self.write(&name, text.as_bytes())?;
        if body.is_empty() {
            return Ok(());
        }
        let template = template::abstracted(body, |key, content| {
            let name = format!("{stem}.{key}.xml");
            self.write(&name, content).map(|()| name)
        })?;
        self.write(&format!("{stem}.{}", extension(body)), &template)
    }

    /// The recorded request of a step with its body; None where the step is
    /// none, or the flow ended before.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn recorded(&self, number: u32) -> Result<Option<(Request, Vec<u8>)>, String> {
        let stem = format!("{number:02}-request");
        let name = format!("{stem}.toml");
        if !self.has(&name) {
            return Ok(None);
        }
        let body = template::expand(&self.body(&stem)?, self)?;
        Ok(Some((self.toml(&name)?, body)))
    }

    /// Whether a step exists, a pause too.
    #[must_use]
    pub fn has_step(&self, number: u32) -> bool {
        let named = |kind: &str| self.has(&format!("{number:02}-{kind}.toml"));
        named("request") || named("wait")
    }

    /// `outcome.json` as it is written.
    ///
    /// # Errors
    /// It is missing or no JSON.
    pub fn outcome(&self) -> Result<Value, String> {
        serde_json::from_slice(&self.read("outcome.json")?)
            .map_err(|error| format!("outcome.json: {error}"))
    }

    /// Compares or writes the pause of a step.
    ///
    /// # Errors
    /// What differs from `NN-wait.toml`.
    pub fn wait(&self, number: u32, found: &Wait, mode: Mode) -> Result<(), String> {
        let name = format!("{number:02}-wait.toml");
        if mode == Mode::Record {
            let text = toml::to_string(found).map_err(|error| format!("{name}: {error}"))?;
            return self.write(&name, text.as_bytes());
        }
        if !self.has(&name) {
            let (ms, reason) = (found.duration_ms, &found.reason);
            return Err(format!(
                "step {number}: a wait of {ms} ms ({reason}) was not expected"
            ));
        }
        let expected: Wait = self.toml(&name)?;
        same(&name, &expected, found)
    }

    /// Whether someone gives up during this step.
    #[must_use]
    pub fn cancelled(&self, number: u32) -> bool {
        self.has(&format!("{number:02}-cancelled.toml"))
    }

    /// What answers the request of a step.
    ///
    /// # Errors
    /// There is no answer, or it cannot be read.
    pub fn answer(&self, number: u32) -> Result<Answer, String> {
        if self.cancelled(number) {
            return Ok(Answer::Cancelled);
        }
        let silent = format!("{number:02}-no-response.toml");
        if self.has(&silent) {
            return self.toml(&silent).map(Answer::NoResponse);
        }
        let stem = format!("{number:02}-response");
        let response: Response = self.toml(&format!("{stem}.toml"))?;
        Ok(Answer::Response(Response {
            body: template::expand(&self.body(&stem)?, self)?,
            ..response
        }))
    }

    /// Writes what answers the request of a step; `change` sees the body, and what is
    /// packed in it, before.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn put_response(
        &self,
        number: u32,
        response: &Response,
        change: &dyn Fn(&[u8]) -> Vec<u8>,
    ) -> Result<(), String> {
        let stem = format!("{number:02}-response");
        let name = format!("{stem}.toml");
        let text = toml::to_string(response).map_err(|error| format!("{name}: {error}"))?;
        self.write(&name, text.as_bytes())?;
        if response.body.is_empty() {
            return Ok(());
        }
        let template = template::abstracted(&response.body, |key, content| {
            let name = format!("{stem}.{key}.xml");
            self.write(&name, &change(content)).map(|()| name)
        })?;
        let name = format!("{stem}.{}", extension(&response.body));
        self.write(&name, &change(&template))
    }

    /// Writes that the request of a step was not answered.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn put_silence(&self, number: u32, silence: &NoResponse) -> Result<(), String> {
        let name = format!("{number:02}-no-response.toml");
        let text = toml::to_string(silence).map_err(|error| format!("{name}: {error}"))?;
        self.write(&name, text.as_bytes())
    }

    /// Compares or writes the outcome, which came instead of step `number`.
    ///
    /// # Errors
    /// It differs from `outcome.json`, or files of later steps are left over.
    pub fn end(&self, number: u32, found: Value, mode: Mode) -> Result<(), String> {
        if mode == Mode::Record {
            let text = serde_json::to_string_pretty(&found).map_err(|error| error.to_string())?;
            self.write("outcome.json", format!("{text}\n").as_bytes())?;
        } else {
            let (expected, found) = (without_nulls(self.outcome()?), without_nulls(found));
            if expected != found {
                return Err(format!(
                    "outcome.json:\n      expected: {expected:#}\n      found:    {found:#}"
                ));
            }
        }
        let of_later_step = |name: &&String| {
            let digits = name
                .split_once('-')
                .map(|(digits, _)| digits.parse::<u32>());
            matches!(digits, Some(Ok(step)) if step >= number)
        };
        match self.names()?.iter().find(of_later_step) {
            Some(name) => Err(format!("{name} is left over: the flow ended before")),
            None => Ok(()),
        }
    }
}

fn same<T: std::fmt::Debug + PartialEq>(name: &str, expected: &T, found: &T) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    Err(format!(
        "{name}:\n      expected: {expected:?}\n      found:    {found:?}"
    ))
}

/// An absent optional value may be written as null or left out.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => members
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key, without_nulls(value)))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        plain => plain,
    }
}

fn extension(body: &[u8]) -> &'static str {
    match (body.first(), std::str::from_utf8(body)) {
        (_, Err(_)) => "bin",
        (Some(b'<'), _) => "xml",
        (Some(b'{' | b'['), _) => "json",
        _ => "txt",
    }
}
