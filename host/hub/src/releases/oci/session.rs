//! Requests to one repository, with the login its registry asks for.

use super::super::web;
use super::challenge::{Challenge, challenge};
use super::place::Place;
use anyhow::Context as _;
use base::config::Config;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use serde::Deserialize;

/// Largest answer with a token.
const TOKEN_BYTES: u64 = 64 << 10;

/// Requests to a repository.
pub struct Session<'s> {
    pub client: Client,
    pub place: &'s Place,
    config: &'s Config,
    /// What is done: `pull`, or `pull,push`.
    actions: &'static str,
    /// What goes with each request, once it is known.
    authorization: Option<HeaderValue>,
}

/// What a server of tokens answers; registries use one of the two names.
#[derive(Deserialize)]
struct Token {
    #[serde(default)]
    token: String,
    #[serde(default)]
    access_token: String,
}

impl<'s> Session<'s> {
    /// # Errors
    /// The registry is at an address that is not asked.
    pub fn open(
        config: &'s Config,
        place: &'s Place,
        actions: &'static str,
    ) -> anyhow::Result<Session<'s>> {
        web::permitted(&place.registry, &config.adapters.outside())?;
        let mut session = Session {
            client: web::client(config)?,
            place,
            config,
            actions,
            authorization: None,
        };
        if session.knows_login() && config.adapters.oci_user.is_empty() {
            let token = config.adapters.oci_password.expose();
            session.authorization = Some(bearer(token)?);
        }
        Ok(session)
    }

    /// The settings have a login, and it is for this registry.
    fn knows_login(&self) -> bool {
        let settings = &self.config.adapters;
        settings.oci_host.eq_ignore_ascii_case(&self.place.host)
            && !settings.oci_password.expose().is_empty()
    }

    /// Sends a request; where the registry asks for a login, gives it and sends the
    /// request again.
    ///
    /// # Errors
    /// A sentence: no answer, or no login that the registry takes.
    pub async fn send(&mut self, request: RequestBuilder) -> anyhow::Result<Response> {
        let again = request.try_clone();
        let answer = self.once(request).await?;
        if answer.status() != StatusCode::UNAUTHORIZED {
            return self.admitted(answer);
        }
        let again = again.context("a request cannot be sent twice")?;
        self.log_in(&answer).await?;
        let answer = self.once(again).await?;
        self.admitted(answer)
    }

    async fn once(&self, mut request: RequestBuilder) -> anyhow::Result<Response> {
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let answer = request.send().await;
        let answer = answer.map_err(reqwest::Error::without_url);
        answer.with_context(|| format!("{} cannot be asked", self.place.host))
    }

    fn admitted(&self, answer: Response) -> anyhow::Result<Response> {
        let refused = matches!(
            answer.status(),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN
        );
        if refused {
            return Err(self.refused());
        }
        Ok(answer)
    }

    fn refused(&self) -> anyhow::Error {
        let host = &self.place.host;
        if self.knows_login() {
            return anyhow::anyhow!(
                "{host} refuses the login of adapters.oci_user and adapters.oci_password"
            );
        }
        anyhow::anyhow!(
            "{host} asks for a login: set adapters.oci_host to {host}, adapters.oci_user and adapters.oci_password_file"
        )
    }

    async fn log_in(&mut self, answer: &Response) -> anyhow::Result<()> {
        let settings = &self.config.adapters;
        let known = self.knows_login();
        // A token of the settings was sent and refused.
        if known && settings.oci_user.is_empty() {
            return Err(self.refused());
        }
        let user = settings.oci_user.as_str();
        let password = settings.oci_password.expose();
        let basic = known.then(|| basic(user, password)).transpose()?;
        let headers = answer.headers().get_all(WWW_AUTHENTICATE).iter();
        let texts: Vec<&str> = headers.filter_map(|value| value.to_str().ok()).collect();
        let asked = challenge(&texts.join(", "));
        let asked = asked.with_context(|| {
            let host = &self.place.host;
            format!("{host} asks for a login of an unknown kind")
        })?;
        self.authorization = match asked {
            Challenge::Basic => Some(basic.ok_or_else(|| self.refused())?),
            Challenge::Bearer {
                realm,
                service,
                scope,
            } => {
                let url = self.token_address(&realm, service, scope)?;
                // The registry says where its tokens are made. The login goes there as it
                // would go to the registry: by TLS where that is asked by TLS.
                let is_plain = url.scheme() != "https" && self.place.registry.scheme() == "https";
                anyhow::ensure!(
                    basic.is_none() || !is_plain,
                    "{} gives tokens at {realm}, where the login would go without TLS",
                    self.place.host
                );
                Some(self.token(url, basic).await?)
            }
        };
        Ok(())
    }

    /// Where a token for this repository is given.
    fn token_address(
        &self,
        realm: &str,
        service: Option<String>,
        scope: Option<String>,
    ) -> anyhow::Result<Url> {
        let host = &self.place.host;
        let mut url =
            Url::parse(realm).with_context(|| format!("{host} gives no address of its tokens"))?;
        web::permitted(&url, &self.config.adapters.outside())
            .with_context(|| format!("{host} gives tokens at {realm}"))?;
        let (repository, actions) = (&self.place.repository, self.actions);
        let scope = scope.unwrap_or_else(|| format!("repository:{repository}:{actions}"));
        let mut query = url.query_pairs_mut();
        if let Some(service) = service {
            query.append_pair("service", &service);
        }
        query.append_pair("scope", &scope);
        drop(query);
        Ok(url)
    }

    /// A token, for nobody where the settings have no login: many registries give
    /// everybody one to read.
    async fn token(&self, url: Url, basic: Option<HeaderValue>) -> anyhow::Result<HeaderValue> {
        let mut request = self.client.get(url);
        if let Some(basic) = basic {
            request = request.header(AUTHORIZATION, basic);
        }
        let answer = request.send().await.map_err(reqwest::Error::without_url);
        let host = &self.place.host;
        let answer = answer.with_context(|| format!("the server of tokens of {host}"))?;
        let status = answer.status();
        if status.is_client_error() {
            return Err(self.refused());
        }
        anyhow::ensure!(
            status.is_success(),
            "the server of tokens of {host} answers with {status}"
        );
        let body = web::body(answer, TOKEN_BYTES).await?;
        let token: Token = serde_json::from_slice(&body)
            .with_context(|| format!("the server of tokens of {host} gives none"))?;
        let text = if token.token.is_empty() {
            token.access_token
        } else {
            token.token
        };
        bearer(&text)
    }
}

fn basic(user: &str, password: &str) -> anyhow::Result<HeaderValue> {
    let text = STANDARD.encode(format!("{user}:{password}"));
    secret(&format!("Basic {text}"))
}

fn bearer(token: &str) -> anyhow::Result<HeaderValue> {
    secret(&format!("Bearer {token}"))
}

/// A header that no log shows.
fn secret(text: &str) -> anyhow::Result<HeaderValue> {
    let mut value = HeaderValue::from_str(text).context("a login that no header can have")?;
    value.set_sensitive(true);
    Ok(value)
}
