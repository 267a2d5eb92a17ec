//! One flow's means: the options, and sending with the answer read.

use crate::answer::{self, Class, Content, Reading};
use crate::message::query::{self, Rps};
use crate::options::Options;
use crate::request;
use crate::service::Service;
use sdk::{Failure, Fault, Flow, Mensagem, Operacao, Response};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// What a flow works with.
pub struct Session<'a> {
    pub flow: &'a Flow,
    pub options: Options,
    /// Messages of this run, by label.
    built: RefCell<BTreeMap<String, String>>,
}

/// Why there is no answer.
pub enum Missing {
    NoAnswer(Fault),
    /// The request could not even be built.
    NotSent(Failure),
}

/// Someone gave up on the flow: nothing more is asked, and nothing is known.
pub fn giving_up() -> Failure {
    Failure::from(Fault::Cancelled).maybe_exists()
}

/// Our message for 401 and 403, which bring none of the city's.
pub fn barred(status: u16) -> Mensagem {
    Mensagem::new(
        &format!("HTTP {status}"),
        "A prefeitura não aceitou o certificado ou o acesso.",
    )
}

/// An answer, read, with its bytes for evidence.
pub struct Received {
    pub reading: Reading,
    pub response: Response,
}

/// What an answer to a sending says that has no message of the model.
pub enum WithoutContent {
    /// An explicit no.
    Refused(Failure),
    /// Not known.
    Uncertain(Failure),
}

impl Received {
    /// The content of an answer to a sending, and the answer.
    ///
    /// # Errors
    /// See [`WithoutContent`].
    pub fn content(self) -> Result<(Box<Content>, Response), WithoutContent> {
        let without_content = match self.reading {
            Reading::Content(content) => return Ok((content, self.response)),
            Reading::Fault(ref fault) => {
                let message = || vec![Mensagem::new(&fault.code, &fault.text)];
                match answer::fault(fault) {
                    Some(Class::Credential) => {
                        WithoutContent::Refused(Failure::credentials(message()))
                    }
                    Some(_) => WithoutContent::Refused(
                        Failure::rejected(message()).with_evidence(&self.response.body),
                    ),
                    None => WithoutContent::Uncertain(self.undetermined("SOAP Fault do servidor")),
                }
            }
            Reading::Barred => {
                let message = barred(self.response.status);
                WithoutContent::Refused(Failure::credentials(vec![message]))
            }
            Reading::Throttled(wait) => {
                WithoutContent::Refused(Failure::unavailable(wait, "envios demais"))
            }
            Reading::Illegible(reason) => WithoutContent::Uncertain(self.undetermined(reason)),
        };
        Err(without_content)
    }

    /// An end for an answer that says nothing certain.
    pub fn undetermined(&self, reason: &str) -> Failure {
        Failure::unexpected(reason, &self.response.body)
    }
}

impl<'a> Session<'a> {
    /// # Errors
    /// The registry's options are wrong, or the customer has not given a secret
    /// that the messages hold.
    pub fn fresh(flow: &'a Flow, op: &Operacao) -> Result<Self, Failure> {
        let mut options = Options::read(flow.ctx())?;
        options.dialect = options.dialect.of_call(flow.ctx(), &op.conteudo.json)?;
        Ok(Session {
            flow,
            options,
            built: RefCell::default(),
        })
    }

    /// Sends a message and reads the answer.
    ///
    /// # Errors
    /// See [`Missing`].
    pub async fn send(&self, service: Service, message: &str) -> Result<Received, Missing> {
        let ctx = self.flow.ctx();
        let request =
            request::build(ctx, &self.options, service, message).map_err(Missing::NotSent)?;
        let response = self.flow.send(request).await.map_err(Missing::NoAnswer)?;
        let reading = answer::read(&response, service, ctx);
        Ok(Received { reading, response })
    }

    /// The query by RPS, built once for the whole flow.
    ///
    /// # Errors
    /// It cannot be built or signed.
    pub async fn query_rps(&self, rps: &Rps) -> Result<String, Failure> {
        let build = || query::by_rps(&self.options, self.flow.ctx(), rps);
        self.once("consulta-rps", build).await
    }

    /// The query by protocol, built once for each protocol.
    ///
    /// # Errors
    /// It cannot be built or signed.
    pub async fn query_protocol(
        &self,
        service: Service,
        protocol: &str,
    ) -> Result<String, Failure> {
        let ctx = self.flow.ctx();
        let build = || query::by_protocol(&self.options, ctx, service, protocol);
        self.once(&format!("{} {protocol}", service.method()), build)
            .await
    }

    /// The query by number, built once for the whole flow.
    ///
    /// # Errors
    /// It cannot be built or signed.
    pub async fn query_number(&self, service: Service, number: &str) -> Result<String, Failure> {
        let build = || query::by_number(&self.options, self.flow.ctx(), service, number);
        self.once("consulta-numero", build).await
    }

    /// Remembers in the flow's state, and asks the state only once per run:
    /// a poll of hours would fill it otherwise.
    async fn once(
        &self,
        label: &str,
        build: impl FnOnce() -> Result<String, Failure>,
    ) -> Result<String, Failure> {
        let known = self.built.borrow().get(label).cloned();
        if let Some(message) = known {
            return Ok(message);
        }
        let message = self.flow.keep(label, build).await?;
        self.built
            .borrow_mut()
            .insert(label.to_owned(), message.clone());
        Ok(message)
    }
}
