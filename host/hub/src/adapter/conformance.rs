//! Inputs that every adapter must handle, whatever it speaks to: made from
//! `describe()` alone, and by hostile answers to the adapter's own cases.

use super::player::fake::FakeCustomer;
use super::player::{self, Case};
use flow::contract::{
    Ambiente, Conteudo, Context, Description, Effect, Emitente, Event, FailureReason, HttpRequest,
    HttpResponse, Municipio, Named, Operacao, Outcome, Situacao, Step, TransportFault,
    TransportKind,
};
use flow::{Call, Loaded, Memo, Runtime};
use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Depth of the nested content and answers: more than any reader allows.
const DEEP: usize = 5_000;
/// Size of the long content and of the long answers, in bytes. A flow keeps
/// every answer: what a step costs grows with all of them.
const LONG: usize = 300_000;
const LONG_ANSWER: usize = 32_000;
/// Answers that also leave open whether a request was carried out, by their names.
const EMPTY: &str = "an empty 200";
const HTML: &str = "HTML";
const BYTES: &str = "bytes";
/// Most findings listed.
const FINDINGS: usize = 40;

/// Everything that does not conform, one sentence each.
pub fn check(runtime: &Runtime, loaded: &Loaded, cases: &[PathBuf]) -> Vec<String> {
    let check = Check {
        runtime,
        loaded,
        context: context(loaded),
    };
    let mut findings = Vec::new();
    check.unknown_operation(&mut findings);
    check.junk_content(&mut findings);
    check.junk_state(&mut findings);
    let mut asked = HashSet::new();
    for folder in cases {
        check.hostile_answers(folder, &mut asked, &mut findings);
        check.doubt(folder, &mut findings);
    }
    findings.truncate(FINDINGS);
    findings
}

/// What an adapter lacks that it should have, one sentence; it runs without.
/// One that cancels should ask for notes, too: after a lost answer only the note
/// shows whether the city has cancelled it.
pub fn advice(description: &Description) -> Option<&'static str> {
    let operations = &description.operations;
    let has = |name: &str| operations.iter().any(|operation| operation.name == name);
    (has("cancelar") && !has("consultar-nota")).then_some(
        "operation \"cancelar\" without \"consultar-nota\": after a lost answer the hub cannot see \
         whether the note was cancelled",
    )
}

struct Check<'a> {
    runtime: &'a Runtime,
    loaded: &'a Loaded,
    context: Context,
}

impl Check<'_> {
    fn step(&self, call: &Call<'_>) -> Result<Step, String> {
        let customer = Arc::new(FakeCustomer {
            documento: Some(self.context.emitente.documento.clone()),
            secrets: Vec::new(),
        });
        self.runtime
            .step(
                self.loaded,
                call,
                &self.context,
                customer,
                Arc::new(Memo::default()),
            )
            .map_err(|error| error.to_string())
    }

    fn start(&self, name: &str, schema: &str, json: &str) -> Result<Step, String> {
        let content = Conteudo {
            schema: schema.to_owned(),
            json: json.to_owned(),
        };
        self.step(&Call::Start(&Operacao {
            nome: name.to_owned(),
            conteudo: content,
        }))
    }

    /// An operation `describe` did not list is not-supported.
    fn unknown_operation(&self, findings: &mut Vec<String>) {
        for name in ["", "operacao-desconhecida", "EMITIR"] {
            let schema = self
                .loaded
                .description
                .schemas
                .first()
                .map_or("", String::as_str);
            match self.start(name, schema, "{}") {
                Ok(Step::Done(Err(failure)))
                    if matches!(failure.reason, FailureReason::NotSupported(_)) => {}
                other => findings.push(format!(
                    "operation \"{name}\": expected not-supported, got {}",
                    told(&other)
                )),
            }
        }
    }

    /// A content that is none is invalid-input (or not-supported), at once.
    fn junk_content(&self, findings: &mut Vec<String>) {
        let deep = "[".repeat(DEEP);
        let long = format!("\"{}\"", "x".repeat(LONG));
        let junk = [
            "",
            "null",
            "true",
            "[]",
            "{",
            "\"texto\"",
            "{\"a\":",
            "\u{0}",
            "1e999999",
            &deep,
            &long,
        ];
        for operation in &self.loaded.description.operations {
            for schema in &self.loaded.description.schemas {
                for json in junk {
                    self.refused(&operation.name, schema, json, findings);
                }
            }
            self.refused(&operation.name, "desconhecido/9", "{}", findings);
            // An empty object may be a valid content of a small schema: any
            // step will do, as long as it is one.
            for schema in &self.loaded.description.schemas {
                if let Err(error) = self.start(&operation.name, schema, "{}") {
                    findings.push(format!("{} of {schema} with {{}}: {error}", operation.name));
                }
            }
        }
    }

    fn refused(&self, operation: &str, schema: &str, json: &str, findings: &mut Vec<String>) {
        let reason = match self.start(operation, schema, json) {
            Ok(Step::Done(Err(failure))) if failure.may_exist => {
                "may-exist, and nothing was sent".to_owned()
            }
            Ok(Step::Done(Err(failure))) => match failure.reason {
                FailureReason::InvalidInput(_) | FailureReason::NotSupported(_) => return,
                other => format!("{other:?}"),
            },
            other => told(&other),
        };
        let shown: String = json.chars().take(20).collect();
        findings.push(format!(
            "{operation} of {schema} with {shown:?}: expected invalid-input, got {reason}"
        ));
    }

    /// A state the adapter did not write never makes it act.
    fn junk_state(&self, findings: &mut Vec<String>) {
        let answer = HttpResponse {
            status: 200,
            headers: Vec::new(),
            body: b"{}".to_vec(),
        };
        let fault = TransportFault {
            kind: TransportKind::Reset,
            detail: "cut".to_owned(),
            maybe_arrived: true,
        };
        let events = [
            Event::Response(answer),
            Event::NoResponse(fault),
            Event::Elapsed,
            Event::Cancelled,
        ];
        let long = vec![0xa5; self.runtime.limits().state_bytes];
        for state in [b"".as_slice(), b"junk", &[0], &[0xff; 64], &long] {
            for event in &events {
                match self.step(&Call::Resume { state, event }) {
                    Ok(Step::Done(Ok(_))) => findings.push(format!(
                        "a state of {} foreign bytes became a success",
                        state.len()
                    )),
                    Ok(Step::Send(exchange)) if exchange.request.effect != Effect::ReadOnly => {
                        findings.push(format!(
                            "a state of {} foreign bytes sent {}",
                            state.len(),
                            exchange.request.label
                        ));
                    }
                    Ok(_) => {}
                    Err(error) => {
                        findings.push(format!("a state of {} foreign bytes: {error}", state.len()))
                    }
                }
            }
        }
    }

    /// Plays a case up to its first request of the effect `once` and answers that one, and
    /// all later ones, with something unclear. The outcome must say that the document may
    /// exist. No other request of this effect may be sent; the same bytes may be sent
    /// again, because some cities answer a copy with the note's state.
    fn doubt(&self, folder: &Path, findings: &mut Vec<String>) {
        let name = folder.file_name().map(|name| name.to_string_lossy());
        let name = name.unwrap_or_default();
        for (what, doubtful) in doubtful() {
            let sent = RefCell::new(Vec::<HttpRequest>::new());
            let exchange = |_: u32, request: &HttpRequest, recorded: Event| {
                let mut sent = sent.borrow_mut();
                if request.effect == Effect::Once {
                    sent.push(request.clone());
                }
                if sent.is_empty() {
                    recorded
                } else {
                    doubtful.clone()
                }
            };
            let outcome = player::run_with(self.runtime, self.loaded, folder, &exchange);
            let sent = sent.borrow();
            let Some((first, more)) = sent.split_first() else {
                continue;
            };
            match outcome {
                _ if more.iter().any(|other| other != first) => findings.push(format!(
                    "{name}: after {what} another {} leaves, without an answer to a question",
                    first.label
                )),
                Ok(Ok(success)) if success.situacao != Situacao::EmProcessamento => {
                    findings.push(format!("{name}: {what} became {:?}", success.situacao));
                }
                Ok(Err(failure)) if !failure.may_exist => findings.push(format!(
                    "{name}: after {what} the document may exist, and the outcome denies it: {:?}",
                    failure.reason
                )),
                Ok(_) => {}
                Err(error) => findings.push(format!("{name} with {what}: {error}")),
            }
        }
    }

    /// Plays a case with each of its answers replaced by garbage: nothing may
    /// stop the adapter, and no garbage is a yes. Cases that begin alike and
    /// hear only garbage are one: `asked` holds how they begin.
    fn hostile_answers(
        &self,
        folder: &Path,
        asked: &mut HashSet<String>,
        findings: &mut Vec<String>,
    ) {
        let name = folder
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let input = match Case::open(folder).and_then(|case| case.input()) {
            Ok(input) => input,
            Err(error) => {
                findings.push(format!("{name}: {error}"));
                return;
            }
        };
        let is_new = asked.insert(format!(
            "{:?} {:?} {}",
            input.operation, input.context, input.certificate
        ));
        for (what, garbage) in garbage().into_iter().filter(|_| is_new) {
            let everywhere = |_: u32, _: &HttpRequest, _: Event| garbage.clone();
            match player::run_with(self.runtime, self.loaded, folder, &everywhere) {
                Ok(outcome) if is_yes(&outcome) => {
                    findings.push(format!("{name}: {what} became a success"))
                }
                Ok(_) => {}
                Err(error) => findings.push(format!("{name} with {what}: {error}")),
            }
        }
        // Half of each recorded answer: whatever it says, no trap.
        let half = |_: u32, _: &HttpRequest, recorded: Event| match recorded {
            Event::Response(mut response) => {
                response.body.truncate(response.body.len() / 2);
                Event::Response(response)
            }
            other => other,
        };
        if let Err(error) = player::run_with(self.runtime, self.loaded, folder, &half) {
            findings.push(format!("{name} with half an answer: {error}"));
        }
    }
}

/// What leaves open whether a request was carried out.
fn doubtful() -> Vec<(&'static str, Event)> {
    let cut = TransportFault {
        kind: TransportKind::Reset,
        detail: "cut".to_owned(),
        maybe_arrived: true,
    };
    let answers = garbage().into_iter();
    let mut doubtful: Vec<_> = answers
        .filter(|(what, _)| matches!(*what, EMPTY | HTML | BYTES))
        .collect();
    doubtful.push(("a cut connection", Event::NoResponse(cut)));
    doubtful
}

/// Answers that say nothing.
fn garbage() -> Vec<(&'static str, Event)> {
    let answer = |status, body: &[u8]| {
        Event::Response(HttpResponse {
            status,
            headers: Vec::new(),
            body: body.to_vec(),
        })
    };
    let deep = format!("{}{}", "<a>".repeat(DEEP), "</a>".repeat(DEEP));
    let html = b"<html><body>Em manuten\xe7\xe3o</body></html>";
    vec![
        (EMPTY, answer(200, b"")),
        ("an empty 204", answer(204, b"")),
        ("a redirection", answer(302, b"")),
        (HTML, answer(200, html)),
        ("HTML in a 503", answer(503, html)),
        ("deep XML", answer(200, deep.as_bytes())),
        ("deep JSON", answer(200, "[".repeat(DEEP).as_bytes())),
        (
            "a doctype",
            answer(200, b"<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>"),
        ),
        (BYTES, answer(200, &[0xff, 0xfe, 0x00, 0x3c, 0x80])),
        ("a long line", answer(200, &[b'x'; LONG_ANSWER])),
        ("status 0", answer(0, b"{}")),
    ]
}

fn is_yes(outcome: &Outcome) -> bool {
    matches!(outcome, Ok(success) if matches!(success.situacao, Situacao::Autorizado | Situacao::Cancelado | Situacao::Substituido))
}

fn told(step: &Result<Step, String>) -> String {
    match step {
        Ok(Step::Send(exchange)) => format!("a request ({})", exchange.request.label),
        Ok(Step::Wait(_)) => "a wait".to_owned(),
        Ok(Step::Done(Ok(_))) => "a success".to_owned(),
        Ok(Step::Done(Err(failure))) => format!("{:?}", failure.reason),
        Err(error) => error.clone(),
    }
}

/// A call in which everything `describe` declares is there.
fn context(loaded: &Loaded) -> Context {
    let description = &loaded.description;
    let value = |option: &flow::contract::OptionSpec| {
        let value = option.default.clone().or_else(|| {
            option.required.then(|| {
                option
                    .choices
                    .first()
                    .cloned()
                    .unwrap_or_else(|| "1".to_owned())
            })
        });
        value.map(|value| Named {
            name: option.name.clone(),
            value,
        })
    };
    Context {
        flow: "flw_conformance".to_owned(),
        step: 0,
        now: "2026-10-05T10:15:00-03:00".to_owned(),
        entropy: vec![7; 32],
        ambiente: Ambiente::Homologacao,
        municipio: Some(Municipio {
            codigo: 3_106_200,
            nome: "Belo Horizonte".to_owned(),
            uf: "MG".to_owned(),
            codigo_tom: None,
        }),
        uf: Some("MG".to_owned()),
        emitente: Emitente {
            documento: "11222333000181".to_owned(),
            inscricao_municipal: Some("12345".to_owned()),
            inscricao_estadual: None,
            razao_social: "EMPRESA DE TESTE LTDA".to_owned(),
            extras: Vec::new(),
        },
        endpoints: description
            .endpoints
            .iter()
            .map(|endpoint| endpoint.name.clone())
            .collect(),
        options: description.options.iter().filter_map(value).collect(),
        secrets: Vec::new(),
    }
}
