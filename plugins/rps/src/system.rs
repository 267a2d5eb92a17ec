//! What the flow needs of a system: its messages, its requests, and what its
//! answers say.

use crate::class::{self, Class};
use crate::content::{Nota, Reading};
use sdk::nfse::{Cancelamento, Dps, NotaRef};
use sdk::soap::Fault;
use sdk::{Context, Failure, Mensagem, Request, Response};

/// A declaration to look for.
#[derive(Clone, Debug, PartialEq)]
pub struct Rps {
    pub serie: String,
    pub number: u64,
    /// The moment the declaration names, RFC 3339, where it is known.
    pub emitted_at: Option<String>,
}

/// What a system may be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    Issue,
    Replace,
    /// The situation of a batch, where it is a service of its own.
    Status,
    Batch,
    ByRps,
    ByNota,
    Cancel,
}

/// One question with what it is about.
#[derive(Clone, Copy, Debug)]
pub enum Question<'a> {
    Issue(&'a Dps),
    /// A note in the place of another one.
    Replace(&'a Dps, &'a NotaRef),
    /// By protocol.
    Status(&'a str),
    /// By protocol.
    Batch(&'a str),
    ByRps(&'a Rps),
    ByNota(&'a NotaRef),
    Cancel(&'a Cancelamento),
}

impl Question<'_> {
    pub fn service(&self) -> Service {
        match self {
            Question::Issue(_) => Service::Issue,
            Question::Replace(..) => Service::Replace,
            Question::Status(_) => Service::Status,
            Question::Batch(_) => Service::Batch,
            Question::ByRps(_) => Service::ByRps,
            Question::ByNota(_) => Service::ByNota,
            Question::Cancel(_) => Service::Cancel,
        }
    }

    /// Under which name a flow keeps the message.
    pub(crate) fn label(&self) -> String {
        match self {
            Question::Issue(_) | Question::Replace(..) | Question::Cancel(_) => "mensagem".into(),
            Question::Status(protocol) => format!("ConsultarSituacaoLoteRps {protocol}"),
            Question::Batch(protocol) => format!("ConsultarLoteRps {protocol}"),
            Question::ByRps(_) => "consulta-rps".into(),
            Question::ByNota(_) => "consulta-numero".into(),
        }
    }
}

/// What a flow has learnt before it asks. It goes into requests, and into the
/// message of a cancellation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Learnt<'a> {
    /// Token of the session that a login has opened.
    pub session: Option<&'a str>,
    /// The note to be cancelled, as the city shows it.
    pub nota: Option<&'a Nota>,
    /// The declaration in the batch that is asked for.
    pub rps: Option<&'a Rps>,
}

/// What the answer to a login says.
#[derive(Debug)]
pub enum Login {
    /// The token of the session.
    Open(String),
    /// User or password were refused.
    Refused(Vec<Mensagem>),
    /// Anything else: the service is not there.
    Unclear(&'static str),
}

/// A municipal system.
pub trait System {
    /// First interval between two questions, in milliseconds; it doubles.
    fn interval_ms(&self) -> u64;

    /// Why the system cannot be asked for this, in the customer's words; None:
    /// it can.
    fn lacks(&self, service: Service) -> Option<&'static str>;

    /// The message of a question, signed. The flow keeps it: what is sent
    /// again is the same bytes.
    ///
    /// # Errors
    /// The content does not fit the layout, or nothing can be signed.
    fn message(&self, ctx: &Context, question: &Question<'_>) -> Result<String, Failure>;

    /// The HTTP request that carries a message.
    ///
    /// # Errors
    /// The customer has not given a secret that the request holds.
    fn request(
        &self,
        ctx: &Context,
        question: &Question<'_>,
        message: &str,
    ) -> Result<Request, Failure>;

    /// As [`System::message`], with what the flow has learnt.
    ///
    /// # Errors
    /// As [`System::message`].
    fn message_with(
        &self,
        ctx: &Context,
        question: &Question<'_>,
        _learnt: Learnt<'_>,
    ) -> Result<String, Failure> {
        self.message(ctx, question)
    }

    /// As [`System::request`], with what the flow has learnt.
    ///
    /// # Errors
    /// As [`System::request`].
    fn request_with(
        &self,
        ctx: &Context,
        question: &Question<'_>,
        message: &str,
        _learnt: Learnt<'_>,
    ) -> Result<Request, Failure> {
        self.request(ctx, question, message)
    }

    /// The request that opens the session which the request of a question
    /// needs. None: it needs none.
    fn login(&self, _ctx: &Context, _question: &Question<'_>) -> Option<Result<Request, Failure>> {
        None
    }

    /// What the answer to a login says.
    fn read_login(&self, _ctx: &Context, _response: &Response) -> Login {
        Login::Unclear("o sistema nao tem login")
    }

    /// What an answer to a request of this service says.
    fn read(&self, ctx: &Context, service: Service, response: &Response) -> Reading;

    /// What the messages of an answer say together.
    fn classify(&self, messages: &[Mensagem]) -> Class;

    /// What a SOAP fault says: `Refusal` and `Credential` are certain, None is
    /// not known.
    fn fault(&self, fault: &Fault) -> Option<Class> {
        class::of_fault(fault)
    }

    /// The situation of a batch is asked for before the batch itself.
    fn status_first(&self) -> bool {
        false
    }

    /// The system refuses a second copy of a message by a mark inside it, and
    /// says so. Where it has no query by RPS, sending the same bytes again is
    /// then how one learns what became of the first copy.
    fn refuses_copies(&self) -> bool {
        false
    }

    /// An answer to an emission may have a protocol and messages: the batch is
    /// there then, and what became of it is asked by the protocol.
    fn protocol_decides(&self) -> bool {
        false
    }

    /// A cancellation has content of the note (series, price, an id the system
    /// gave it) that the request for it does not know: the note is looked up first.
    fn looks_before_cancelling(&self) -> bool {
        false
    }

    /// Nobody knows how the system words an accepted cancellation, so a refused
    /// one is believed only when the note is still valid.
    fn doubts_refused_cancellations(&self) -> bool {
        false
    }
}
