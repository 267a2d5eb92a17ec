//! A case's files in the types of an adapter. What the files say is read by
//! the crate `cassette`, for the hub's sandbox and for here alike.

use super::{Mode, outcome};
use crate::bindings::control::{
    Ambiente, Conteudo, Context, Effect, Emitente, EndpointPath, Event, HttpRequest, HttpResponse,
    Municipio, Named, Operacao, Outcome, Target, TransportFault,
};
use ::cassette::{Answer, Request, Wait};
use std::path::Path;

/// One folder.
pub struct Case(::cassette::Case);

/// `input.json`, understood.
pub struct Input {
    pub operation: Operacao,
    pub context: Context,
    pub certificate: bool,
}

impl Case {
    /// # Errors
    /// No `case.toml`, or one that says nothing.
    pub fn open(folder: &Path) -> Result<Self, String> {
        ::cassette::Case::open(folder).map(Case)
    }

    /// # Errors
    /// `input.json` is missing or has an unknown field.
    pub fn input(&self) -> Result<Input, String> {
        let file = self.0.input()?;
        let (operation, context) = (file.operation, file.context);
        Ok(Input {
            operation: Operacao {
                nome: operation.nome,
                conteudo: Conteudo {
                    schema: operation.schema,
                    json: operation.conteudo.to_string(),
                },
            },
            context: Context {
                flow: context.flow,
                step: 0,
                now: context.now,
                entropy: context.entropy,
                ambiente: if context.producao {
                    Ambiente::Producao
                } else {
                    Ambiente::Homologacao
                },
                municipio: context.municipio.map(|municipality| Municipio {
                    codigo: municipality.codigo,
                    nome: municipality.nome,
                    uf: municipality.uf,
                    codigo_tom: municipality.codigo_tom,
                }),
                uf: context.uf,
                emitente: Emitente {
                    documento: context.emitente.documento,
                    inscricao_municipal: context.emitente.inscricao_municipal,
                    inscricao_estadual: context.emitente.inscricao_estadual,
                    razao_social: context.emitente.razao_social,
                    extras: named(context.emitente.extras),
                },
                endpoints: context.endpoints,
                options: named(context.options),
                secrets: context.secrets,
            },
            certificate: file.certificate,
        })
    }

    /// Removes what a recording writes again: requests, waits, outcome.
    pub fn forget_requests(&self) -> Result<(), String> {
        self.0.forget_requests()
    }

    /// Compares or writes the request of a step.
    pub fn request(&self, number: u32, request: &HttpRequest, mode: Mode) -> Result<(), String> {
        let found = described(request);
        self.0.request(number, &found, &request.body, mode)
    }

    /// Compares or writes the pause of a step.
    pub fn wait(
        &self,
        number: u32,
        duration_ms: u64,
        reason: &str,
        mode: Mode,
    ) -> Result<(), String> {
        let found = Wait {
            duration_ms,
            reason: reason.into(),
        };
        self.0.wait(number, &found, mode)
    }

    /// Whether someone gives up during this step.
    pub fn cancelled(&self, number: u32) -> bool {
        self.0.cancelled(number)
    }

    /// The event that answers the request of a step.
    pub fn answer(&self, number: u32) -> Result<Event, String> {
        Ok(match self.0.answer(number)? {
            Answer::Cancelled => Event::Cancelled,
            Answer::NoResponse(silence) => Event::NoResponse(TransportFault {
                kind: outcome::transport_kind(&silence.kind).ok_or_else(|| {
                    format!("{number:02}-no-response.toml: kind {}", silence.kind)
                })?,
                detail: silence.detail,
                maybe_arrived: silence.maybe_arrived,
            }),
            Answer::Response(response) => Event::Response(HttpResponse {
                status: response.status,
                headers: named(response.headers),
                body: response.body,
            }),
        })
    }

    /// Compares or writes the outcome, reached instead of step `number`.
    pub fn end(&self, number: u32, outcome: &Outcome, mode: Mode) -> Result<(), String> {
        let found = outcome::render(outcome, |bytes| self.0.name_of(bytes, mode))?;
        self.0.end(number, found, mode)
    }
}

fn described(request: &HttpRequest) -> Request {
    let (endpoint, path, url) = match &request.target {
        Target::Endpoint(EndpointPath { endpoint, path }) => {
            (Some(endpoint.clone()), Some(path.clone()), None)
        }
        Target::Url(url) => (None, None, Some(url.clone())),
    };
    Request {
        label: request.label.clone(),
        method: request.method.clone(),
        endpoint,
        path,
        url,
        effect: match request.effect {
            Effect::ReadOnly => "read-only",
            Effect::Idempotent => "idempotent",
            Effect::Once => "once",
        }
        .into(),
        client_certificate: request.client_certificate,
        timeout_ms: request.timeout_ms,
        headers: request
            .headers
            .iter()
            .map(|header| (header.name.clone(), header.value.clone()))
            .collect(),
    }
}

fn named(pairs: impl IntoIterator<Item = (String, String)>) -> Vec<Named> {
    let pairs = pairs.into_iter();
    pairs.map(|(name, value)| Named { name, value }).collect()
}
