//! Short messages by an app. Its provider is spoken to by an adapter the
//! operator names, as the payment service provider is.

use crate::app::App;
use crate::config::AuthoritiesMode;
use crate::issuing::context::{self, Mode, Way};
use crate::issuing::customer::IssuingCustomer;
use crate::issuing::pergunta::Pergunta;
use crate::when;
use flow::Loaded;
use flow::contract::{
    Ambiente, Conteudo, Context, Emitente, FailureReason, Operacao, Outcome, Situacao,
};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Once};
use zeroize::Zeroizing;

/// Name of the adapter's endpoint and of its secret.
const API: &str = "api";
const TOKEN: &str = "token";
const ENVIAR: &str = "mensagem.enviar";
const SIMULATED_TOKEN: &str = "simulado";

/// What became of a message; the words are codes, never the number.
#[derive(Debug, PartialEq, Eq)]
pub enum Recado {
    Aceito,
    /// Sending it again makes no sense.
    Recusado(String),
    /// Nobody knows, or not now: the same id may be sent again.
    Adiado(String),
}

/// The app of this hub.
pub struct Oferta {
    component: Arc<Loaded>,
    mode: Mode,
    base_url: String,
    token: Zeroizing<String>,
}

/// The app the operator connected; where all authorities are simulated, the
/// simulated one takes its place. None: no message is sent here.
pub fn offered(app: &App) -> Option<Oferta> {
    let settings = &app.config.messaging;
    if settings.adapter.is_empty() {
        return None;
    }
    let Some(component) = app.catalog.current(&settings.adapter) else {
        // Asked all the time: said once.
        static SAID: Once = Once::new();
        SAID.call_once(|| {
            tracing::error!(adapter = %settings.adapter, "the adapter of messages is not installed: no message is sent");
        });
        return None;
    };
    let simulated = app.config.authorities.mode == AuthoritiesMode::Simulator;
    Some(if simulated {
        Oferta {
            component,
            mode: Mode::Simulator,
            base_url: format!("https://{}", sim::chatapp::HOST),
            token: Zeroizing::new(SIMULATED_TOKEN.to_owned()),
        }
    } else {
        Oferta {
            component,
            mode: Mode::Official,
            base_url: settings.base_url.clone(),
            token: Zeroizing::new(settings.token.expose().to_owned()),
        }
    })
}

/// Hands a message to the provider; `id` is what it knows it by.
pub async fn enviar(app: &App, account: &str, id: &str, para: &str, texto: &str) -> Recado {
    let Some(oferta) = offered(app) else {
        return Recado::Adiado("não conectado".to_owned());
    };
    let way = Way {
        mode: oferta.mode,
        endpoints: BTreeMap::from([(API.to_owned(), oferta.base_url)]),
        hosts: BTreeSet::new(),
        emitter_id: String::new(),
        certificate_id: String::new(),
    };
    let mut secrets = BTreeMap::new();
    if !oferta.token.is_empty() {
        secrets.insert(TOKEN.to_owned(), oferta.token);
    }
    let conteudo = json!({ "mensagem_id": id, "para": para, "texto": texto });
    let pergunta = Pergunta {
        account: account.to_owned(),
        component: oferta.component,
        context: hub_context(app, oferta.mode, secrets.keys().cloned().collect()),
        customer: Arc::new(IssuingCustomer::with_secrets(secrets)),
        way,
        operacao: Operacao {
            nome: ENVIAR.to_owned(),
            conteudo: Conteudo {
                schema: format!("{ENVIAR}/1"),
                json: conteudo.to_string(),
            },
        },
        idempotente: true,
    };
    match pergunta.fazer(app).await {
        Ok(outcome) => read(outcome),
        Err(error) => {
            tracing::warn!(error = %format!("{error:#}"), "the messaging app was not asked to the end");
            Recado::Adiado("não perguntado".to_owned())
        }
    }
}

/// A call in the hub's own name: there is no company behind it.
fn hub_context(app: &App, mode: Mode, secrets: Vec<String>) -> Context {
    Context {
        flow: String::new(),
        step: 0,
        now: when::rfc3339(app.now_ms()),
        entropy: context::entropy(),
        ambiente: if mode == Mode::Official {
            Ambiente::Producao
        } else {
            Ambiente::Homologacao
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
        options: Vec::new(),
        secrets,
    }
}

fn read(outcome: Outcome) -> Recado {
    let failure = match outcome {
        Ok(success) if success.situacao == Situacao::Consultado => return Recado::Aceito,
        Ok(_) => return Recado::Adiado("resposta inesperada".to_owned()),
        Err(failure) => failure,
    };
    match failure.reason {
        FailureReason::Rejected(said) if !failure.may_exist => {
            let first = said.into_iter().next();
            Recado::Recusado(first.map(|said| said.codigo).unwrap_or_default())
        }
        FailureReason::InvalidInput(_) => Recado::Recusado("dados inválidos".to_owned()),
        // The operator's token: the message is not to blame.
        FailureReason::Credentials(_) => Recado::Adiado("credencial".to_owned()),
        _ => Recado::Adiado("indisponível".to_owned()),
    }
}
