//! Sending, and the waits around it.

use crate::Call;
use crate::answer::{self, Answer};
use crate::request::build;
use crate::service::Service;
use sdk::{Failure, Fault, Mensagem, Request, Response, TransportFault, TransportKind};

/// What came of a request that may be made only once.
pub enum Sent {
    Answer(Response),
    /// Nobody knows whether it arrived.
    Lost(Failure),
}

impl Call<'_> {
    /// # Errors
    /// The family or the registry has no such service.
    pub fn build(&self, service: Service, message: &str) -> Result<Request, Failure> {
        build(self, service, message)
    }

    /// A question: asked once, read once.
    ///
    /// # Errors
    /// No usable answer. Nothing changed, so nothing may exist.
    pub async fn ask(&self, service: Service, message: &str) -> Result<Answer, Failure> {
        let request = self.build(service, message)?;
        let response = self.flow.send(request).await.map_err(unanswered)?;
        self.open(&response, service)
    }

    /// The message that answers a service.
    ///
    /// # Errors
    /// Anything else: see [`answer::open`].
    pub fn open(&self, response: &Response, service: Service) -> Result<Answer, Failure> {
        answer::open(response, self.family, service.names(self.family)?.answer)
    }

    /// Something that may be done only once.
    ///
    /// # Errors
    /// The request did not leave: nothing can exist.
    pub async fn send(&self, request: Request) -> Result<Sent, Failure> {
        match self.flow.send(request).await {
            Ok(response) => Ok(Sent::Answer(response)),
            Err(Fault::NoResponse(failure)) if !failure.maybe_arrived => {
                Err(not_connected(failure))
            }
            Err(failure) => Ok(Sent::Lost(failure.into())),
        }
    }

    /// Waits so many times the first interval. False: someone gave up, so this
    /// is the last chance to ask.
    pub async fn wait(&self, times: u64, reason: &str) -> bool {
        let pause_ms = self.options.interval_ms.saturating_mul(times);
        !self.flow.cancelled() && self.flow.wait(pause_ms, reason).await.is_ok()
    }
}

/// A question without an answer says nothing, whatever became of it.
fn unanswered(failure: Fault) -> Failure {
    let mut failure = match failure {
        Fault::NoResponse(failure) if !failure.maybe_arrived => not_connected(failure),
        other => other.into(),
    };
    failure.may_exist = false;
    failure
}

/// The request did not leave: nothing can exist.
fn not_connected(failure: TransportFault) -> Failure {
    if failure.kind == TransportKind::ClientCertificateRefused {
        return Failure::credentials(vec![Mensagem::new(
            "certificado",
            "A SEFAZ recusou o certificado na conexão.",
        )]);
    }
    Fault::NoResponse(failure).into()
}
