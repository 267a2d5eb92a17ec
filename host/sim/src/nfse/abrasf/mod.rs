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

use crate::engine::faults::Peek;
use crate::engine::{Call, Outcome};
use crate::pki::{CertificateProblem, holder};
use crate::request::{Answer, SimRequest};
use codes::Mensagem;
use message::Message;
use profiles::Op;
pub(crate) use profiles::{Profile, profile};

/// What the faults look at.
pub(crate) fn peek(profile: &'static Profile, req: &SimRequest, host: &str) -> Peek {
    let mut documentos: Vec<String> = req
        .client_cert_der
        .as_deref()
        .and_then(holder)
        .map(|h| h.documento)
        .into_iter()
        .collect();
    let opened = message::open(profile, req).ok();
    let operacao = opened.as_ref().map_or("outra", |m| m.op.operation());
    documentos.extend(opened.iter().filter_map(Message::provider));
    Peek {
        host: host.to_owned(),
        operacao,
        documentos,
        ..Peek::default()
    }
}

/// Processes one request.
pub(crate) fn process(call: &mut Call<'_>, profile: &'static Profile) -> Outcome {
    let version = soap::Version::of(call.req);
    if call.req.method != "POST" {
        return Answer::new(405, "text/plain", "").into();
    }
    let caller = match call.req.client_cert_der.as_deref() {
        None => return soap::fault(version, "Certificado não informado").into(),
        Some(der) => match call.pki.check(der, call.now_ms) {
            Err(CertificateProblem::Expired) => {
                return soap::fault(version, "Certificado expirado").into();
            }
            Err(_) => return soap::fault(version, "Certificado não autorizado").into(),
            Ok(()) => match holder(der) {
                Some(caller) => caller,
                None => return soap::fault(version, "Certificado sem CNPJ ou CPF").into(),
            },
        },
    };
    let message = match message::open(profile, call.req) {
        Ok(message) => message,
        Err(message::Problem::Protocol(text)) => return soap::fault(version, text).into(),
        Err(message::Problem::Refused(op, mensagem)) => {
            return soap::wrap(
                profile,
                version,
                op,
                &answer::refusal(profile, op, &[mensagem]),
            )
            .into();
        }
    };
    let work = Work {
        profile,
        message: &message,
        version,
        local: call.req.authority(),
        name: caller.nome.clone(),
    };
    if let Err(mensagem) = message.checks(call, &caller) {
        return work.refuse(&[mensagem]).into();
    }
    match message.op {
        Op::Gerar => batch::single(call, &work),
        Op::LoteSincrono => batch::synchronous(call, &work),
        Op::Lote => batch::asynchronous(call, &work),
        Op::ConsultarLote => query::batch(call, &work).into(),
        Op::SituacaoLote => query::situation(call, &work).into(),
        Op::PorRps => query::by_rps(call, &work).into(),
        Op::Faixa | Op::Prestado | Op::Notas => query::list(call, &work).into(),
        Op::Cancelar => change::cancel(call, &work),
        Op::Substituir => change::replace(call, &work),
    }
}

/// One message being processed.
struct Work<'m> {
    profile: &'static Profile,
    message: &'m Message,
    version: soap::Version,
    /// Host name of the city.
    local: String,
    /// Name of the caller, from the certificate.
    name: String,
}

impl Work<'_> {
    fn reply(&self, xml: &str) -> Answer {
        soap::wrap(self.profile, self.version, self.message.op, xml)
    }

    fn refuse(&self, messages: &[Mensagem]) -> Answer {
        self.reply(&answer::refusal(self.profile, self.message.op, messages))
    }
}

/// Refusal that a fault orders.
pub(crate) fn refuse(
    call: &Call<'_>,
    profile: &'static Profile,
    codigo: &str,
    text: Option<&str>,
) -> Answer {
    let version = soap::Version::of(call.req);
    let op = message::open(profile, call.req).map_or(Op::Gerar, |m| m.op);
    let mut mensagem = Mensagem::of(codigo);
    if let Some(text) = text {
        mensagem.texto = text.to_owned();
    }
    soap::wrap(
        profile,
        version,
        op,
        &answer::refusal(profile, op, &[mensagem]),
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
