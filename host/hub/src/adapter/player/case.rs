//! A case's files in the types of the sandbox. What the files say is read by
//! `cassette`, for adapters' own tests and for here alike.

use super::{outcome, words};
use cassette::{Answer, Mode, Request, Wait};
use flow::contract::{
    Ambiente, Conteudo, Context, Emitente, Event, HttpRequest, HttpResponse, Municipio, Named,
    Operacao, Outcome, Target, TransportFault, TransportKind,
};
use std::path::Path;

/// One folder.
pub struct Case {
    files: cassette::Case,
    mode: Mode,
}

/// `input.json`, understood.
pub struct Input {
    pub operation: Operacao,
    pub context: Context,
    /// Whether the customer has a certificate.
    pub certificate: bool,
}

impl Case {
    /// # Errors
    /// No `case.toml`, or one that says nothing.
    pub fn open(folder: &Path) -> Result<Case, String> {
        Ok(Case {
            files: cassette::Case::open(folder)?,
            mode: Mode::Play,
        })
    }

    /// One whose requests, pauses and outcome are written, not compared.
    ///
    /// # Errors
    /// As `open`.
    pub fn recording(folder: &Path) -> Result<Case, String> {
        Ok(Case {
            mode: Mode::Record,
            ..Case::open(folder)?
        })
    }

    /// # Errors
    /// `input.json` is missing, or has a field nobody knows.
    pub fn input(&self) -> Result<Input, String> {
        let cassette::Input {
            operation,
            context,
            certificate,
        } = self.files.input()?;
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
            certificate,
        })
    }

    /// Whether someone gives up during this step.
    pub fn cancelled(&self, number: u32) -> bool {
        self.files.cancelled(number)
    }

    /// What answers the request of a step.
    ///
    /// # Errors
    /// There is no answer, or it cannot be read.
    pub fn answer(&self, number: u32) -> Result<Event, String> {
        Ok(match self.files.answer(number)? {
            Answer::Cancelled => Event::Cancelled,
            Answer::NoResponse(silence) => Event::NoResponse(TransportFault {
                kind: words::kind(&silence.kind).ok_or_else(|| {
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

    /// # Errors
    /// What differs from `NN-request.*`.
    pub(super) fn request(&self, number: u32, request: &HttpRequest) -> Result<(), String> {
        let found = described(request);
        self.files.request(number, &found, &request.body, self.mode)
    }

    /// # Errors
    /// What differs from `NN-wait.toml`.
    pub(super) fn wait(&self, number: u32, duration_ms: u64, reason: &str) -> Result<(), String> {
        let found = Wait {
            duration_ms,
            reason: reason.to_owned(),
        };
        self.files.wait(number, &found, self.mode)
    }

    /// Compares the outcome, which came instead of step `number`.
    ///
    /// # Errors
    /// It differs from `outcome.json`, or files of later steps are left over.
    pub(super) fn end(&self, number: u32, outcome: &Outcome) -> Result<(), String> {
        let found = outcome::render(outcome, &|bytes| self.files.name_of(bytes, self.mode))?;
        self.files.end(number, found, self.mode)
    }
}

/// No answer, and nobody knows what arrived.
pub(super) fn silence() -> Event {
    Event::NoResponse(TransportFault {
        kind: TransportKind::Timeout,
        detail: "no answer".to_owned(),
        maybe_arrived: true,
    })
}

fn named(pairs: impl IntoIterator<Item = (String, String)>) -> Vec<Named> {
    let pairs = pairs.into_iter();
    pairs.map(|(name, value)| Named { name, value }).collect()
}

fn described(request: &HttpRequest) -> Request {
    let (endpoint, path, url) = match &request.target {
        Target::Endpoint(target) => (
            Some(target.endpoint.clone()),
            Some(target.path.clone()),
            None,
        ),
        Target::Url(url) => (None, None, Some(url.clone())),
    };
    let headers = request.headers.iter();
    Request {
        label: request.label.clone(),
        method: request.method.clone(),
        endpoint,
        path,
        url,
        effect: words::effect(request.effect).to_owned(),
        client_certificate: request.client_certificate,
        timeout_ms: request.timeout_ms,
        headers: headers
            .map(|header| (header.name.clone(), header.value.clone()))
            .collect(),
    }
}
