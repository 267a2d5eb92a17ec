//! One flow's means: the system, and sending with the answer read.

use crate::class::Class;
use crate::content::{Content, Nota, Reading};
use crate::system::{Learnt, Login, Question, Rps, System};
use sdk::{Failure, Fault, Flow, Mensagem, Response};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// What a flow works with.
pub struct Session<'a> {
    pub flow: &'a Flow,
    pub system: &'a dyn System,
    /// Messages of this run, by label.
    built: RefCell<BTreeMap<String, String>>,
    /// Token of the open session. It is not kept in the flow's state, and no
    /// wait is survived by it.
    token: RefCell<Option<String>>,
    /// The note to be cancelled, as the city shows it.
    shown: RefCell<Option<Nota>>,
    /// The declaration in the batch that is followed.
    followed: RefCell<Option<Rps>>,
}

/// Why there is no answer.
pub enum Missing {
    NoAnswer(Fault),
    /// The request could not even be built, or the login was refused.
    NotSent(Failure),
    /// The login had no usable answer, so the request was not sent.
    NotOpened(Failure),
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

/// What an answer to a sending says that has no message of the layout.
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
    pub fn content(self, system: &dyn System) -> Result<(Box<Content>, Response), WithoutContent> {
        let without_content = match self.reading {
            Reading::Content(content) => return Ok((content, self.response)),
            Reading::Fault(ref fault) => {
                let message = || vec![Mensagem::new(&fault.code, &fault.text)];
                match system.fault(fault) {
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
    pub fn fresh(flow: &'a Flow, system: &'a dyn System) -> Self {
        Session {
            flow,
            system,
            built: RefCell::default(),
            token: RefCell::default(),
            shown: RefCell::default(),
            followed: RefCell::default(),
        }
    }

    /// Waits. What comes after it logs in again.
    ///
    /// # Errors
    /// Someone gave up on the flow.
    pub async fn wait(&self, duration_ms: u64, reason: &str) -> Result<(), Fault> {
        self.token.take();
        self.flow.wait(duration_ms, reason).await
    }

    /// The note to be cancelled looks like this.
    pub fn show(&self, nota: Nota) {
        self.shown.replace(Some(nota));
    }

    /// The batch that is asked for has this declaration.
    pub fn follow(&self, rps: &Rps) {
        self.followed.replace(Some(rps.clone()));
    }

    /// The token that the request of a question needs.
    async fn open(&self, question: &Question<'_>) -> Result<Option<String>, Missing> {
        let ctx = self.flow.ctx();
        let Some(login) = self.system.login(ctx, question) else {
            return Ok(None);
        };
        let open = self.token.borrow().clone();
        if open.is_some() {
            return Ok(open);
        }
        let request = login.map_err(Missing::NotSent)?;
        let response = match self.flow.send(request).await {
            Ok(response) => response,
            Err(Fault::Cancelled) => return Err(Missing::NoAnswer(Fault::Cancelled)),
            Err(Fault::NoResponse(_)) => {
                let failure = Failure::unavailable(None, "a prefeitura nao atendeu ao login");
                return Err(Missing::NotOpened(failure));
            }
        };
        match self.system.read_login(ctx, &response) {
            Login::Open(token) => {
                self.token.replace(Some(token.clone()));
                Ok(Some(token))
            }
            Login::Refused(messages) => Err(Missing::NotSent(Failure::credentials(messages))),
            Login::Unclear(reason) => {
                let failure = Failure::unavailable(response.retry_after_ms(), reason);
                Err(Missing::NotOpened(failure.with_evidence(&response.body)))
            }
        }
    }

    /// Sends the message of a question and reads the answer.
    ///
    /// # Errors
    /// See [`Missing`].
    pub async fn send(&self, question: &Question<'_>, message: &str) -> Result<Received, Missing> {
        let ctx = self.flow.ctx();
        let token = self.open(question).await?;
        let shown = self.shown.borrow().clone();
        let followed = self.followed.borrow().clone();
        let learnt = Learnt {
            session: token.as_deref(),
            nota: shown.as_ref(),
            rps: followed.as_ref(),
        };
        let request = self
            .system
            .request_with(ctx, question, message, learnt)
            .map_err(Missing::NotSent)?;
        let response = self.flow.send(request).await.map_err(Missing::NoAnswer)?;
        let reading = self.system.read(ctx, question.service(), &response);
        Ok(Received { reading, response })
    }

    /// Asks: the message is built once for the whole flow, and sent.
    ///
    /// # Errors
    /// See [`Missing`].
    pub async fn ask(&self, question: &Question<'_>) -> Result<Received, Missing> {
        let message = self.message(question).await.map_err(Missing::NotSent)?;
        self.send(question, &message).await
    }

    /// The message of a question, remembered in the flow's state. The state is
    /// asked only once per run: a poll of hours would fill it otherwise.
    ///
    /// # Errors
    /// It cannot be built or signed.
    pub async fn message(&self, question: &Question<'_>) -> Result<String, Failure> {
        let label = question.label();
        let known = self.built.borrow().get(&label).cloned();
        if let Some(message) = known {
            return Ok(message);
        }
        let shown = self.shown.borrow().clone();
        let followed = self.followed.borrow().clone();
        let learnt = Learnt {
            session: None,
            nota: shown.as_ref(),
            rps: followed.as_ref(),
        };
        let build = || self.system.message_with(self.flow.ctx(), question, learnt);
        let message = self.flow.keep(&label, build).await?;
        self.built.borrow_mut().insert(label, message.clone());
        Ok(message)
    }
}
