//! What an adapter did, held against the files of its case.

use super::files::Case;
use super::{body, outcome, words};
use flow::contract::{HttpRequest, Outcome, Target};
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestFile {
    label: String,
    method: String,
    endpoint: Option<String>,
    path: Option<String>,
    url: Option<String>,
    effect: String,
    #[serde(default)]
    client_certificate: bool,
    timeout_ms: Option<u32>,
    #[serde(default)]
    headers: Vec<(String, String)>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct WaitFile {
    duration_ms: u64,
    reason: String,
}

/// # Errors
/// What differs from `NN-request.*`.
pub fn request(case: &Case, number: u32, request: &HttpRequest) -> Result<(), String> {
    let stem = format!("{number:02}-request");
    let name = format!("{stem}.toml");
    if !case.has(&name) {
        return Err(format!(
            "step {number}: request {} was not expected",
            request.label
        ));
    }
    let expected: RequestFile = case.toml(&name)?;
    let found = described(request);
    if expected != found {
        return Err(format!(
            "{name}:\n      expected: {expected:?}\n      found:    {found:?}"
        ));
    }
    body::compare(&case.body(&stem)?, &request.body, case)
        .map_err(|error| format!("{stem}: {error}"))
}

fn described(request: &HttpRequest) -> RequestFile {
    let (endpoint, path, url) = match &request.target {
        Target::Endpoint(target) => (
            Some(target.endpoint.clone()),
            Some(target.path.clone()),
            None,
        ),
        Target::Url(url) => (None, None, Some(url.clone())),
    };
    RequestFile {
        label: request.label.clone(),
        method: request.method.clone(),
        endpoint,
        path,
        url,
        effect: words::effect(request.effect).to_owned(),
        client_certificate: request.client_certificate,
        timeout_ms: request.timeout_ms,
        headers: request
            .headers
            .iter()
            .map(|header| (header.name.clone(), header.value.clone()))
            .collect(),
    }
}

/// # Errors
/// What differs from `NN-wait.toml`.
pub fn wait(case: &Case, number: u32, duration_ms: u64, reason: &str) -> Result<(), String> {
    let name = format!("{number:02}-wait.toml");
    if !case.has(&name) {
        return Err(format!(
            "step {number}: a wait of {duration_ms} ms ({reason}) was not expected"
        ));
    }
    let expected: WaitFile = case.toml(&name)?;
    let found = WaitFile {
        duration_ms,
        reason: reason.to_owned(),
    };
    if expected == found {
        Ok(())
    } else {
        Err(format!(
            "{name}:\n      expected: {expected:?}\n      found:    {found:?}"
        ))
    }
}

/// Compares the outcome, which came instead of step `number`.
///
/// # Errors
/// It differs from `outcome.json`, or files of later steps are left over.
pub fn end(case: &Case, number: u32, outcome: &Outcome) -> Result<(), String> {
    let expected: Value = serde_json::from_slice(&case.read("outcome.json")?)
        .map_err(|error| format!("outcome.json: {error}"))?;
    let found = outcome::render(outcome, &|bytes| name_of(case, bytes))?;
    let (expected, found) = (without_nulls(expected), without_nulls(found));
    if expected != found {
        return Err(format!(
            "outcome.json:\n      expected: {expected}\n      found:    {found}"
        ));
    }
    let of_later_step = |name: &&String| {
        let digits = name
            .split_once('-')
            .and_then(|(digits, _)| digits.parse::<u32>().ok());
        digits.is_some_and(|step| step >= number)
    };
    match case.names.iter().find(of_later_step) {
        Some(name) => Err(format!("{name} is left over: the flow ended before")),
        None => Ok(()),
    }
}

/// The file of the folder with exactly these bytes.
fn name_of(case: &Case, bytes: &[u8]) -> Result<String, String> {
    let same = |name: &&String| case.read(name).is_ok_and(|content| content == bytes);
    case.names
        .iter()
        .find(same)
        .cloned()
        .ok_or_else(|| "the document of the outcome is in no file of the folder".to_owned())
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
