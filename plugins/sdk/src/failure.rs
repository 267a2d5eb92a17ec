//! Ways a flow ends without success.

use crate::bindings::control::{
    Failure, FailureReason, FieldError, Mensagem, SignError, TransportFault, Unavailable,
};

/// Longest piece of an answer kept as evidence, in bytes.
const MAX_EVIDENCE: usize = 4096;

/// Why `flow.send` or `flow.wait` gave no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// No usable answer; `maybe_arrived` says what is known.
    NoResponse(TransportFault),
    /// Someone gave up on the flow: finish, or send one last request.
    Cancelled,
}

impl Fault {
    /// False only if it is certain that no byte of the request was processed.
    pub fn maybe_arrived(&self) -> bool {
        match self {
            Fault::NoResponse(fault) => fault.maybe_arrived,
            Fault::Cancelled => true,
        }
    }
}

impl From<Fault> for Failure {
    /// May-exist follows `maybe_arrived`: right after a single request. An
    /// author who sent more than one decides with [`Failure::maybe_exists`].
    fn from(fault: Fault) -> Self {
        let may_exist = fault.maybe_arrived();
        let failure = match fault {
            Fault::NoResponse(fault) => {
                let detail = fault.detail.clone();
                Failure::new(FailureReason::Transport(fault), &detail)
            }
            Fault::Cancelled => Failure::other("fluxo cancelado"),
        };
        Failure {
            may_exist,
            ..failure
        }
    }
}

impl Failure {
    /// A failure after which nothing can exist on the other side.
    pub fn new(reason: FailureReason, detail: &str) -> Self {
        Failure {
            reason,
            may_exist: false,
            detail: detail.into(),
            evidence: None,
        }
    }

    /// The authority said no.
    pub fn rejected(messages: Vec<Mensagem>) -> Self {
        Failure::new(
            FailureReason::Rejected(messages),
            "recusado pela autoridade",
        )
    }

    /// The content cannot be expressed in this layout.
    pub fn invalid_input(fields: Vec<FieldError>) -> Self {
        Failure::new(
            FailureReason::InvalidInput(fields),
            "conteudo invalido para o leiaute",
        )
    }

    /// The authority is down or throttling.
    pub fn unavailable(retry_after_ms: Option<u64>, detail: &str) -> Self {
        let unavailable = Unavailable {
            retry_after_ms,
            mensagens: Vec::new(),
        };
        Failure::new(FailureReason::Unavailable(unavailable), detail)
    }

    pub fn not_supported(what: &str) -> Self {
        Failure::new(
            FailureReason::NotSupported(what.into()),
            "operacao nao suportada",
        )
    }

    /// Certificate, login or token was refused.
    pub fn credentials(messages: Vec<Mensagem>) -> Self {
        Failure::new(FailureReason::Credentials(messages), "credencial recusada")
    }

    /// An answer nobody understands. `evidence` is cut to 4 KiB.
    pub fn unexpected(what: &str, evidence: &[u8]) -> Self {
        Failure::new(
            FailureReason::UnexpectedResponse(what.into()),
            "resposta inesperada",
        )
        .with_evidence(evidence)
    }

    pub fn other(what: &str) -> Self {
        Failure::new(FailureReason::Other(what.into()), what)
    }

    /// The document may exist on the other side all the same: the hub will
    /// ask again and never emit again.
    #[must_use]
    pub fn maybe_exists(mut self) -> Self {
        self.may_exist = true;
        self
    }

    /// Keeps a piece of the answer for support.
    #[must_use]
    pub fn with_evidence(mut self, bytes: &[u8]) -> Self {
        let cut = bytes.get(..MAX_EVIDENCE).unwrap_or(bytes);
        self.evidence = (!cut.is_empty()).then(|| cut.to_vec());
        self
    }
}

impl From<SignError> for Failure {
    fn from(error: SignError) -> Self {
        Failure::new(FailureReason::Signing(error), "assinatura nao realizada")
    }
}

impl Mensagem {
    pub fn new(codigo: &str, text: &str) -> Self {
        Mensagem {
            codigo: codigo.into(),
            texto: text.into(),
            correcao: None,
            campo: None,
        }
    }
}

impl FieldError {
    /// `campo` is the path in the API's body, `texto` pt-BR for the customer.
    pub fn new(field: &str, rule: &str, text: &str) -> Self {
        FieldError {
            campo: field.into(),
            regra: rule.into(),
            texto: text.into(),
        }
    }
}
