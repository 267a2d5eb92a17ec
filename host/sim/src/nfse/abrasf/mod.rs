//! Cities on ABRASF systems (SOAP 1.1 and 1.2).
//!
//! Sources: the schemas ABRASF 1.00 and 2.00 to 2.04 and the vendors' own
//! versions of them, the error table of ABRASF 1.0, recorded answers.

mod answer;
mod batch;
mod change;
mod codes;
mod message;
mod note;
mod profiles;
mod query;
mod rps;
mod signed;
mod soap;
mod typed;

use crate::engine::faults::Peek;
use crate::engine::{Call, Outcome};
use crate::pki::{CertificateProblem, holder};
use crate::request::{Answer, SimRequest};
use codes::RefusalMessage;
use message::Message;
use profiles::Op;
pub use profiles::{Profile, giss_space, profile};

/// What the faults look at.
pub(crate) fn peek(profile: &'static Profile, req: &SimRequest, host: &str) -> Peek {
    let mut documents: Vec<String> = req.holder_document().into_iter().collect();
    let opened = message::open(profile, req).ok();
    let operation = opened.as_ref().map_or("outra", |m| m.op.operation());
    documents.extend(opened.iter().filter_map(Message::provider));
    Peek {
        host: host.to_owned(),
        operation,
        documents,
        ..Peek::default()
    }
}

/// Processes one request.
pub(crate) fn process(call: &mut Call<'_>, profile: &'static Profile) -> Outcome {
    let version = soap::Version::of(call.req);
    if call.req.method != "POST" {
        return Answer::new(405, "text/plain", "").into();
    }
    // A hub that sends the place of a secret instead of the secret.
    if call.req.path.contains("@@") {
        return soap::fault(version, "Credencial ilegível").into();
    }
    let caller = match call.req.client_cert_der.as_deref() {
        // Some systems know the caller by signature or login only.
        None if profile.any_system() => None,
        None => return soap::fault(version, "Certificado não informado").into(),
        Some(der) => match call.pki.check(der, call.now_ms) {
            Err(CertificateProblem::Expired) => {
                return soap::fault(version, "Certificado expirado").into();
            }
            Err(_) => return soap::fault(version, "Certificado não autorizado").into(),
            Ok(()) => match holder(der) {
                Some(caller) => Some(caller),
                None => return soap::fault(version, "Certificado sem CNPJ ou CPF").into(),
            },
        },
    };
    let message = match message::open(profile, call.req) {
        Ok(message) => message,
        Err(message::Problem::Protocol(text)) => return soap::fault(version, text).into(),
        Err(message::Problem::Refused(op, refusal)) => {
            return soap::wrap(
                profile,
                version,
                op,
                &answer::refusal(profile, op, &[refusal]),
            )
            .into();
        }
    };
    let work = Work {
        profile,
        message: &message,
        version,
        local: call.req.authority(),
        name: caller.as_ref().map_or_else(
            || "PRESTADOR SIMULADO".to_owned(),
            |caller| caller.name.clone(),
        ),
    };
    if let Err(refusal) = message.checks(call, caller.as_ref()) {
        return work.refuse(&[refusal]).into();
    }
    match message.op {
        Op::Generate => batch::single(call, &work),
        Op::SynchronousBatch => batch::synchronous(call, &work),
        Op::Batch => batch::asynchronous(call, &work),
        Op::QueryBatch => query::batch(call, &work).into(),
        Op::BatchStatus => query::situation(call, &work).into(),
        Op::ByRps => query::by_rps(call, &work).into(),
        Op::Range | Op::Rendered | Op::Notas => query::list(call, &work).into(),
        Op::Cancel => change::cancel(call, &work),
        Op::Replace => change::replace(call, &work),
    }
}

/// One message being processed.
struct Work<'m> {
    profile: &'static Profile,
    message: &'m Message,
    version: soap::Version,
    /// Host name of the city.
    local: String,
    /// Name of the caller, from the certificate of the connection if it has one.
    name: String,
}

impl Work<'_> {
    fn reply(&self, xml: &str) -> Answer {
        soap::wrap(self.profile, self.version, self.message.op, xml)
    }

    fn refuse(&self, messages: &[RefusalMessage]) -> Answer {
        self.reply(&answer::refusal(self.profile, self.message.op, messages))
    }
}

/// Refusal that a fault orders.
pub(crate) fn refuse(
    call: &Call<'_>,
    profile: &'static Profile,
    code: &str,
    text: Option<&str>,
) -> Answer {
    let version = soap::Version::of(call.req);
    let op = message::open(profile, call.req).map_or(Op::Generate, |m| m.op);
    let mut message = RefusalMessage::of(code);
    if let Some(text) = text {
        message.text = text.to_owned();
    }
    soap::wrap(
        profile,
        version,
        op,
        &answer::refusal(profile, op, &[message]),
    )
}

/// The service's own internal error.
pub(crate) fn internal_error(call: &Call<'_>) -> Answer {
    soap::fault(soap::Version::of(call.req), "Erro interno do servidor")
}

/// What it answers to a certificate that expired.
pub(crate) fn expired(call: &Call<'_>) -> Answer {
    soap::fault(soap::Version::of(call.req), "Certificado expirado")
}
