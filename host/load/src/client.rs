//! A customer of the API, who keeps what was answered.

use reqwest::{Method, RequestBuilder};
use serde_json::Value;
use std::time::Duration;

/// A hub and a key of it.
pub struct Client {
    http: reqwest::Client,
    base: String,
    key: String,
}

/// What was answered.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    /// Of a refusal: `validacao_previa`.
    pub code: String,
    pub bytes: Vec<u8>,
}

impl Answer {
    pub fn is_good(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// `201`, or `422 validacao_previa`.
    pub fn word(&self) -> String {
        let Answer { status, code, .. } = self;
        match code.as_str() {
            "" => status.to_string(),
            code => format!("{status} {code}"),
        }
    }

    /// The body; null where it is none of JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or(Value::Null)
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// Nobody listens there.
    NotReached,
    /// The connection ended before the answer.
    Cut,
    Timeout,
}

impl Silence {
    pub const fn word(self) -> &'static str {
        match self {
            Silence::NotReached => "not reached",
            Silence::Cut => "cut off",
            Silence::Timeout => "timeout",
        }
    }
}

impl std::fmt::Display for Silence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

impl std::error::Error for Silence {}

impl Client {
    /// A customer; `url` without `/api/v1`.
    ///
    /// # Errors
    /// The client cannot be made.
    pub fn new(
        url: &str,
        key: &str,
        connections: usize,
        patience: Duration,
    ) -> anyhow::Result<Client> {
        let base = format!("{}/api/v1", url.trim_end_matches('/'));
        Client::at(base, key, connections, patience)
    }

    /// An operator with the token of `admin.token_file`, at the address of `admin.listen`.
    ///
    /// # Errors
    /// The client cannot be made.
    pub fn operator(url: &str, token: &str, patience: Duration) -> anyhow::Result<Client> {
        let base = format!("{}/admin/v1", url.trim_end_matches('/'));
        Client::at(base, token, 1, patience)
    }

    fn at(
        base: String,
        key: &str,
        connections: usize,
        patience: Duration,
    ) -> anyhow::Result<Client> {
        let http = reqwest::Client::builder()
            .no_proxy()
            .http1_only()
            .tcp_nodelay(true)
            .pool_max_idle_per_host(connections)
            .connect_timeout(Duration::from_secs(5))
            .timeout(patience)
            .build()?;
        Ok(Client {
            http,
            base,
            key: key.to_owned(),
        })
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base));
        request.bearer_auth(&self.key)
    }

    /// # Errors
    /// There is no answer.
    pub async fn get(&self, path: &str) -> Result<Answer, Silence> {
        sent(self.request(Method::GET, path)).await
    }

    /// # Errors
    /// There is no answer.
    pub async fn delete(&self, path: &str) -> Result<Answer, Silence> {
        sent(self.request(Method::DELETE, path)).await
    }

    /// Posts a body, with an `Idempotency-Key` where one is given.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn post(
        &self,
        path: &str,
        body: &Value,
        idempotency: Option<&str>,
    ) -> Result<Answer, Silence> {
        let mut request = self
            .request(Method::POST, path)
            .header("content-type", "application/json");
        if let Some(idempotency) = idempotency {
            request = request.header("idempotency-key", idempotency);
        }
        sent(request.body(body.to_string())).await
    }
}

async fn sent(request: RequestBuilder) -> Result<Answer, Silence> {
    let silent = |error: reqwest::Error| match () {
        () if error.is_connect() => Silence::NotReached,
        () if error.is_timeout() => Silence::Timeout,
        () => Silence::Cut,
    };
    let response = request.send().await.map_err(silent)?;
    let code = response.headers().get("x-error-code");
    let code = code.and_then(|code| code.to_str().ok()).unwrap_or_default();
    Ok(Answer {
        status: response.status().as_u16(),
        code: code.to_owned(),
        bytes: response.bytes().await.map_err(silent)?.to_vec(),
    })
}

/// A value of a query as an address may hold it.
pub fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(byte.into())
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_queries_are_escaped() {
        assert_eq!(
            escaped("2026-11-30T10:00:00-03:00"),
            "2026-11-30T10%3A00%3A00-03%3A00"
        );
        assert_eq!(escaped("pão & cia+"), "p%C3%A3o%20%26%20cia%2B");
    }

    #[test]
    fn an_answer_has_a_word() {
        let answer = |status, code: &str| Answer {
            status,
            code: code.to_owned(),
            bytes: Vec::new(),
        };
        assert_eq!(answer(201, "").word(), "201");
        assert_eq!(
            answer(422, "validacao_previa").word(),
            "422 validacao_previa"
        );
        assert!(answer(202, "").is_good() && !answer(503, "").is_good());
    }
}
