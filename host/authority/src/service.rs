//! A service outside, of no authority, that an adapter speaks to in the hub's
//! own name: the payment service provider, the messaging app.

use super::customer::IssuingCustomer;
use super::way::{Mode, Way};
use crate::gateway::Gateway;
use crate::question::Question;
use base::when;
use flow::Loaded;
use flow::contract::{Ambiente, Conteudo, Context, Emitente, Named, Operacao, Outcome};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::ids::{AccountId, EmitterId};
use store::words::Maybe;
use zeroize::Zeroizing;

/// Name of the adapter's endpoint and of its secret.
const API: &str = "api";
const TOKEN: &str = "token";
/// What a simulated service takes for a token: no word that its answers have.
const SIMULATED_TOKEN: &str = "token-0-do-simulador";

/// A service, and the adapter that speaks to it.
#[derive(Clone)]
pub struct Service {
    component: Arc<Loaded>,
    mode: Mode,
    base_url: String,
    token: Zeroizing<String>,
    options: Vec<Named>,
}

impl Service {
    /// The one the operator named.
    pub fn official(component: Arc<Loaded>, base_url: &str, token: &str) -> Service {
        Service {
            component,
            mode: Mode::Official,
            base_url: base_url.to_owned(),
            token: Zeroizing::new(token.to_owned()),
            options: Vec::new(),
        }
    }

    /// The one of the simulator, at this host.
    pub fn simulated(component: Arc<Loaded>, host: &str) -> Service {
        Service {
            component,
            mode: Mode::Simulator,
            base_url: format!("https://{host}"),
            token: Zeroizing::new(SIMULATED_TOKEN.to_owned()),
            options: Vec::new(),
        }
    }

    /// Sets an option of the adapter.
    #[must_use]
    pub fn with_option(mut self, name: &str, value: &str) -> Service {
        self.options.push(Named {
            name: name.to_owned(),
            value: value.to_owned(),
        });
        self
    }

    pub fn is_simulated(&self) -> bool {
        self.mode == Mode::Simulator
    }

    /// Asks it something; the content has the schema of the operation's name.
    /// Whoever lost the answer may ask the same again.
    ///
    /// # Errors
    /// It was not asked to the end.
    pub async fn ask(
        &self,
        app: &Gateway,
        account: &AccountId,
        operation: &str,
        content: &Value,
    ) -> anyhow::Result<Outcome> {
        let way = Way {
            mode: self.mode,
            endpoints: BTreeMap::from([(API.to_owned(), self.base_url.clone())]),
            hosts: BTreeSet::new(),
            emitter_id: EmitterId::default(),
            certificate_id: Maybe(None),
        };
        let mut secrets = BTreeMap::new();
        if !self.token.is_empty() {
            secrets.insert(TOKEN.to_owned(), self.token.clone());
        }
        let question = Question {
            account: account.to_owned(),
            component: self.component.clone(),
            context: self.context(app, secrets.keys().cloned().collect()),
            customer: Arc::new(IssuingCustomer::with_secrets(secrets)),
            way,
            operation: Operacao {
                nome: operation.to_owned(),
                conteudo: Conteudo {
                    schema: format!("{operation}/1"),
                    json: content.to_string(),
                },
            },
            idempotent: true,
        };
        question.carry_out(app).await
    }

    /// The context of a question: no company, the hub asks in its own name.
    fn context(&self, app: &Gateway, secrets: Vec<String>) -> Context {
        Context {
            flow: String::new(),
            step: 0,
            now: when::rfc3339(app.now_ms()),
            entropy: base::random::entropy(),
            ambiente: match self.mode {
                Mode::Official => Ambiente::Producao,
                _ => Ambiente::Homologacao,
            },
            municipio: None,
            uf: None,
            emitente: Emitente {
                documento: String::new(),
                inscricao_municipal: None,
                inscricao_estadual: None,
                razao_social: "hub".to_owned(),
                extras: Vec::new(),
            },
            endpoints: vec![API.to_owned()],
            options: self.options.clone(),
            secrets,
        }
    }
}
