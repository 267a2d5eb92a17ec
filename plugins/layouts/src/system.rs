//! A system of the registry, as the flow of `plugins/rps` knows it.

use crate::layout::{Layout, endpoint_of, section_of};
use crate::names::{Known, Scope};
use crate::reading::{self, Rules};
use crate::source::Call;
use crate::template::Rendering;
use rps::{Class, Fields, Learnt, Login, Question, Reading, Service, System};
use sdk::{Context, Effect, Failure, Mensagem, Request, Response};

/// Shortest, usual and longest first interval between two queries.
const INTERVAL_MS: (u64, u64, u64) = (1_000, 5_000, 600_000);

/// A layout with the options of a city.
pub struct City {
    layout: Layout,
    interval_ms: u64,
    absent: Vec<String>,
    /// How messages are classified, whatever service they come from.
    rules: Rules,
}

impl City {
    /// # Errors
    /// The registry's options are wrong.
    pub fn read(ctx: &Context) -> Result<Self, Failure> {
        let layout = Layout::of(ctx)?;
        let (shortest, usual, longest) = INTERVAL_MS;
        let absent = ctx.option("servicos_ausentes").unwrap_or_default();
        Ok(City {
            interval_ms: ctx
                .option_u64("intervalo_consulta_ms", usual)
                .clamp(shortest, longest),
            absent: absent
                .split(',')
                .map(|name| name.trim().to_owned())
                .collect(),
            rules: layout.rules(Service::Issue)?,
            layout,
        })
    }

    /// The request that opens a session. It changes nothing of a note, and a
    /// query has one, too.
    fn opening(&self, ctx: &Context, question: &Question<'_>) -> Result<Request, Failure> {
        let sending = self.layout.login()?;
        let names = self.names(Scope::Reference);
        let mut fields = Fields::default();
        let call = Call::new(ctx, question, &self.layout.variants, &mut fields);
        let message = sending.message(Rendering::new(&call), &names)?;
        let call = call.with_message(&message, sending.operation());
        sending.request(ctx, "nfse", Effect::ReadOnly, &call, &message, &names)
    }

    fn names(&self, scope: Scope) -> Known<'_> {
        Known {
            scope,
            variants: self.layout.declared(),
        }
    }
}

fn scope(question: &Question<'_>) -> Scope {
    match question {
        Question::Issue(_) | Question::Replace(..) => Scope::Declaration,
        _ => Scope::Reference,
    }
}

/// What the host may do when the answer is lost.
fn effect(service: Service) -> Effect {
    match service {
        Service::Issue | Service::Replace | Service::Cancel => Effect::Once,
        Service::Status | Service::Batch | Service::ByRps | Service::ByNota => Effect::ReadOnly,
    }
}

/// What no layout of a city can say, although it would change the note.
fn refuse(question: &Question<'_>, fields: &mut Fields) {
    let (Question::Issue(dps) | Question::Replace(dps, _)) = question else {
        return;
    };
    if dps.inf_dps.as_ref().is_some_and(|map| !map.is_empty()) {
        fields.error(
            "inf_dps",
            "sem_equivalente",
            "Esta prefeitura não usa o leiaute nacional: inf_dps não se aplica.",
        );
    }
    if dps.identificacao.numero == 0 {
        fields.error(
            "identificacao.numero",
            "formato",
            "O número do RPS começa em 1.",
        );
    }
}

impl System for City {
    fn interval_ms(&self) -> u64 {
        self.interval_ms
    }

    fn lacks(&self, service: Service) -> Option<&'static str> {
        let name = section_of(service);
        let absent = self.absent.iter().any(|absent| absent == name);
        if self.layout.has(service) && !absent {
            return None;
        }
        Some(match service {
            Service::Issue => "O webservice da prefeitura não emite NFS-e.",
            Service::Replace => {
                "O webservice da prefeitura não substitui NFS-e: cancele a nota e emita outra."
            }
            Service::Status | Service::Batch => {
                "O webservice da prefeitura não consulta lotes de RPS."
            }
            Service::ByRps => "O webservice da prefeitura não consulta NFS-e pelo RPS.",
            Service::ByNota => "O webservice da prefeitura não consulta NFS-e pelo número.",
            Service::Cancel => {
                "O webservice da prefeitura não cancela NFS-e: o cancelamento é feito no site dela."
            }
        })
    }

    fn message(&self, ctx: &Context, question: &Question<'_>) -> Result<String, Failure> {
        self.message_with(ctx, question, Learnt::default())
    }

    fn message_with(
        &self,
        ctx: &Context,
        question: &Question<'_>,
        learnt: Learnt<'_>,
    ) -> Result<String, Failure> {
        let sending = self.layout.sending(question.service())?;
        let mut fields = Fields::default();
        refuse(question, &mut fields);
        let names = self.names(scope(question));
        let call = Call::new(ctx, question, &self.layout.variants, &mut fields).with_learnt(learnt);
        // The message tells all problems of the content, those of the text among them.
        let signature = sending.signature_of_text(Rendering::new(&call), &names);
        let found = signature.as_ref().ok().cloned().flatten();
        let call = call.with_signature(found.unwrap_or_default());
        let mut rendering = Rendering::new(&call);
        *rendering.fields() = fields;
        let message = sending.message(rendering, &names)?;
        signature.map(|_| message)
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
        let service = question.service();
        let sending = self.layout.sending(service)?;
        let mut fields = Fields::default();
        let call = Call::new(ctx, question, &self.layout.variants, &mut fields)
            .with_message(message, sending.operation())
            .with_learnt(learnt);
        let own = endpoint_of(service);
        let endpoint = if ctx.has_endpoint(own) { own } else { "nfse" };
        let names = self.names(scope(question));
        sending.request(ctx, endpoint, effect(service), &call, message, &names)
    }

    fn login(&self, ctx: &Context, question: &Question<'_>) -> Option<Result<Request, Failure>> {
        let sending = self.layout.sending(question.service()).ok()?;
        sending.needs_session().then(|| self.opening(ctx, question))
    }

    fn read_login(&self, _ctx: &Context, response: &Response) -> Login {
        match self.layout.login_rules() {
            Ok(rules) => reading::read_login(&rules, response),
            Err(_) => Login::Unclear("leiaute com erro"),
        }
    }

    fn read(&self, ctx: &Context, service: Service, response: &Response) -> Reading {
        match self.layout.rules(service) {
            Ok(rules) => reading::read(&rules, service, ctx, response),
            Err(_) => Reading::Illegible("leiaute com erro"),
        }
    }

    fn classify(&self, messages: &[Mensagem]) -> Class {
        self.rules.classify(messages)
    }

    fn status_first(&self) -> bool {
        self.layout.status_first
    }

    fn refuses_copies(&self) -> bool {
        self.layout.refuses_copies
    }

    fn protocol_decides(&self) -> bool {
        self.layout.protocol_decides
    }

    fn looks_before_cancelling(&self) -> bool {
        self.layout.looks_before_cancelling
    }

    fn doubts_refused_cancellations(&self) -> bool {
        self.layout.doubts_refused_cancellations
    }
}
