//! A system of the family, as the flow of `plugins/rps` knows it.

use crate::answer;
use crate::message::{cancellation, query, sending};
use crate::options::Options;
use crate::request;
use crate::service::Service;
use rps::{Class, Learnt, Login, Question, Reading, System};
use sdk::{Context, Failure, Mensagem, Operacao, Request, Response};

/// A system with the options of the registry.
pub struct Abrasf {
    options: Options,
}

impl Abrasf {
    /// # Errors
    /// The registry's options are wrong, or the customer has not given a secret
    /// that the messages hold.
    pub fn read(ctx: &Context, op: &Operacao) -> Result<Self, Failure> {
        let mut options = Options::read(ctx)?;
        options.dialect = options.dialect.of_call(ctx, &op.conteudo.json)?;
        Ok(Abrasf { options })
    }

    /// The model's service; None: this system has none.
    fn service(&self, service: rps::Service) -> Option<Service> {
        Some(match service {
            rps::Service::Issue => Service::of_issue(self.options.mode),
            rps::Service::Replace => Service::Substituir,
            rps::Service::Status => Service::QueryStatus,
            rps::Service::Batch => Service::QueryBatch,
            rps::Service::ByRps => Service::ConsultarRps,
            rps::Service::ByNota => query::service_by_number(&self.options)?,
            rps::Service::Cancel => Service::Cancelar,
        })
    }

    fn known(&self, service: rps::Service) -> Result<Service, Failure> {
        let missing = || Failure::not_supported("O webservice da prefeitura não tem este serviço.");
        self.service(service).ok_or_else(missing)
    }
}

impl System for Abrasf {
    fn interval_ms(&self) -> u64 {
        self.options.interval_ms
    }

    fn lacks(&self, service: rps::Service) -> Option<&'static str> {
        match service {
            rps::Service::Replace if self.options.version.first() => {
                Some("A versão 1.00 do leiaute não tem substituição.")
            }
            rps::Service::Replace if !self.options.has(Service::Substituir) => Some(
                "O webservice da prefeitura não substitui NFS-e: cancele a nota e emita outra.",
            ),
            rps::Service::Cancel if !self.options.has(Service::Cancelar) => Some(
                "O webservice da prefeitura não cancela NFS-e: o cancelamento é feito no site dela.",
            ),
            rps::Service::ByNota if self.service(service).is_none() => {
                Some("O webservice da prefeitura não consulta NFS-e pelo número.")
            }
            _ => None,
        }
    }

    fn message(&self, ctx: &Context, question: &Question<'_>) -> Result<String, Failure> {
        let options = &self.options;
        let service = self.known(question.service())?;
        match *question {
            Question::Issue(dps) => sending::build(options, ctx, dps, service, None),
            Question::Replace(dps, old) => sending::build(options, ctx, dps, service, Some(old)),
            Question::Status(protocol) | Question::Batch(protocol) => {
                query::by_protocol(options, ctx, service, protocol)
            }
            Question::ByRps(rps) => query::by_rps(options, ctx, rps),
            Question::ByNota(nota) => {
                let number = nota.numero.as_deref().unwrap_or_default().trim();
                query::by_number(options, ctx, service, number)
            }
            Question::Cancel(cancellation) => cancellation::build(options, ctx, cancellation),
        }
    }

    fn looks_before_cancelling(&self) -> bool {
        self.options.dialect.wants_nota()
    }

    fn message_with(
        &self,
        ctx: &Context,
        question: &Question<'_>,
        learnt: Learnt<'_>,
    ) -> Result<String, Failure> {
        let (Question::Cancel(request), Some(nota)) = (question, learnt.nota) else {
            return self.message(ctx, question);
        };
        let mut options = self.options.clone();
        let xml = nota.documento.xml.as_deref().unwrap_or_default();
        options.dialect = options.dialect.of_nota(xml)?;
        cancellation::build(&options, ctx, request)
    }

    fn request(
        &self,
        ctx: &Context,
        question: &Question<'_>,
        message: &str,
    ) -> Result<Request, Failure> {
        self.request_with(ctx, question, message, Learnt::default())
    }

    fn request_with(
        &self,
        ctx: &Context,
        question: &Question<'_>,
        message: &str,
        learnt: Learnt<'_>,
    ) -> Result<Request, Failure> {
        let service = self.known(question.service())?;
        request::build(ctx, &self.options, service, message, learnt.session)
    }

    fn login(&self, _ctx: &Context, question: &Question<'_>) -> Option<Result<Request, Failure>> {
        let service = self.service(question.service())?;
        request::opening(&self.options, service)
    }

    fn read_login(&self, _ctx: &Context, response: &Response) -> Login {
        answer::session(response)
    }

    fn read(&self, ctx: &Context, service: rps::Service, response: &Response) -> Reading {
        match self.service(service) {
            Some(service) => answer::read(response, service, ctx),
            None => Reading::Illegible("servico desconhecido"),
        }
    }

    fn classify(&self, messages: &[Mensagem]) -> Class {
        answer::classify(messages)
    }

    fn status_first(&self) -> bool {
        self.options.version.first()
    }
}
