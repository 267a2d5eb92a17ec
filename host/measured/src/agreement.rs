//! What the national system says of its agreement with a municipality (`GET
//! /{ibge}/convenio` of its service of parameters, which wants a certificate of
//! ICP-Brasil in the TLS handshake, of anybody).

use crate::probe::{AGENT, MOST};
use authority::tls::{Answer, Client, Identity, Outgoing, Profile, Trust};
use base::config::Probes;
use flow::contract::TransportKind;
use flow::registry::Registry;
use openssl::error::ErrorStack;
use openssl::pkey::PKey;
use openssl::x509::X509;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::time::Duration;
use store::tables::agreements::AgreementRow;
use vault::a1::A1;
use zeroize::Zeroizing;

/// The endpoint of the registry that is asked.
const ENDPOINT: &str = "parametrizacao";
/// Characters of a sentence of the service that are shown.
const SHOWN: usize = 200;

/// What was answered about a municipality.
#[derive(Debug, PartialEq, Eq)]
pub enum Told {
    Agreement(AgreementRow),
    /// The service answers, and knows nothing of it.
    Nothing(String),
    /// The service failed or said something else.
    Silent(String),
    /// It wants fewer questions, or refuses the certificate: the next question would
    /// be answered so, too.
    Stop(String),
}

/// What asks.
pub struct Asker {
    client: Client,
    base_url: String,
    timeout: Duration,
}

impl Asker {
    /// One that shows this certificate. None: the registry has no address of the
    /// service.
    ///
    /// # Errors
    /// OpenSSL refuses the certificate.
    pub fn new(
        registry: &Registry,
        trust: Trust,
        certificate: &A1,
        complete: impl FnOnce(Vec<X509>) -> Vec<X509>,
        settings: &Probes,
    ) -> Result<Option<Asker>, ErrorStack> {
        let mut systems = registry.systems();
        let address = systems.find_map(|system| system.production.get(ENDPOINT));
        let Some(base_url) = address.cloned() else {
            return Ok(None);
        };
        let key = PKey::private_key_from_pkcs8(&certificate.key_pkcs8)?;
        let key = Zeroizing::new(key.private_key_to_pem_pkcs8()?);
        let mut chain = Vec::new();
        for der in &certificate.chain_der {
            chain.extend(X509::from_der(der)?.to_pem()?);
        }
        let host = base_url.strip_prefix("https://").unwrap_or_default();
        let name = host.split(['/', ':']).next().unwrap_or_default();
        let profile = registry
            .tls(name)
            .map_or_else(Profile::unknown, Profile::from);
        let identity = Identity::new(&(chain, key), complete)?;
        let connect_timeout = Duration::from_millis(settings.connect_timeout_ms);
        let client = Client::new(trust, profile, Some(identity), connect_timeout);
        Ok(Some(Asker {
            client: client.only(settings.outside()),
            base_url,
            timeout: Duration::from_millis(settings.timeout_ms),
        }))
    }

    /// Asks about one municipality. What comes back is of the moment `at_ms`.
    pub async fn ask(&self, ibge: u32, at_ms: i64) -> Told {
        let answer = self.client.send(Outgoing {
            method: "GET".to_owned(),
            url: format!("{}/{ibge:07}/convenio", self.base_url),
            plain_http: false,
            host: None,
            headers: vec![
                ("accept".to_owned(), "application/json".to_owned()),
                ("user-agent".to_owned(), AGENT.to_owned()),
            ],
            body: Vec::new(),
            timeout: self.timeout,
            response_bytes: MOST,
        });
        match answer.await {
            Ok(answer) => read(&answer, ibge, at_ms),
            Err(fault) => {
                let why = format!("{:?}: {}", fault.kind, shown(&fault.detail));
                match fault.kind {
                    TransportKind::ClientCertificateRefused => Told::Stop(why),
                    _ => Told::Silent(why),
                }
            }
        }
    }
}

/// The answer; 400 and 404 have the same form, with `null` for parameters.
#[derive(Deserialize)]
struct Body {
    /// None: the answer is of somebody else, as of a gateway.
    #[serde(rename = "parametrosConvenio", default, deserialize_with = "given")]
    parameters: Option<Option<Parameters>>,
    /// A sentence; every answer has it.
    #[serde(rename = "mensagem")]
    message: String,
}

/// 1 is yes; 0, no; -1, not applicable.
#[derive(Deserialize)]
struct Parameters {
    #[serde(rename = "aderenteAmbienteNacional")]
    national_environment: i64,
    #[serde(rename = "aderenteEmissorNacional")]
    national_issuer: i64,
}

fn read(answer: &Answer, ibge: u32, at_ms: i64) -> Told {
    match answer.status {
        200 | 400 | 404 => {}
        401 | 403 => return Told::Stop(format!("HTTP {}: certificate refused", answer.status)),
        429 => return Told::Stop("HTTP 429: too many questions".to_owned()),
        status => return Told::Silent(format!("HTTP {status}")),
    }
    let body: Body = match object(&answer.body) {
        Ok(body) => body,
        // It may quote what was answered.
        Err(error) => {
            let why = shown(&error.to_string());
            return Told::Silent(format!("HTTP {}: {why}", answer.status));
        }
    };
    let Some(parameters) = body.parameters else {
        let sentence = shown(&body.message);
        return Told::Silent(format!("HTTP {}: {sentence}", answer.status));
    };
    let (environment, issuer) = match parameters {
        Some(told) => (told.national_environment == 1, told.national_issuer == 1),
        // It knows of no agreement.
        None if answer.status == 404 => (false, false),
        None => return Told::Nothing(shown(&body.message)),
    };
    Told::Agreement(AgreementRow {
        codigo_ibge: format!("{ibge:07}"),
        at_ms,
        ambiente_nacional: i64::from(environment),
        emissor_nacional: i64::from(issuer),
    })
}

/// Reads an object. (Serde also makes a struct of an array.)
fn object(body: &[u8]) -> serde_json::Result<Body> {
    let members: serde_json::Map<String, Value> = serde_json::from_slice(body)?;
    serde_json::from_value(Value::Object(members))
}

/// A member that is there, be it `null`.
fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<Parameters>>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// A sentence of the service, as a terminal may show it: letters, digits and plain signs.
/// Nothing that moves the cursor, turns the direction of a line, or is not seen.
fn shown(sentence: &str) -> String {
    let is_plain = |c: &char| c.is_alphanumeric() || c.is_ascii_graphic();
    let plain = |c: char| if is_plain(&c) { c } else { ' ' };
    sentence.chars().take(SHOWN).map(plain).collect()
}
