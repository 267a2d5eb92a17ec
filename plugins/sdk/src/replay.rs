//! Turns a straight-line `async fn` into `start` and `resume`.
//!
//! Each step runs the function again from its top on the recorded events,
//! with one poll and no executor, until it asks something new. If it would
//! ask something else than the record says, nothing is sent: the flow ends
//! as "perhaps exists" and the hub asks the authority.

use crate::bindings::control::{Context, Event, Exchange, Failure, Operacao, Outcome, Pause, Step};
use crate::flow::{Ask, Flow};
use crate::state::{self, Decoded, Entry, History, StateError};
use std::pin::pin;
use std::task::{self, Poll, Waker};

/// First step of a flow.
pub fn start<R, F>(run: R, op: Operacao, ctx: Context) -> Step
where
    R: FnOnce(Flow, Operacao) -> F,
    F: Future<Output = Outcome>,
{
    let begun = Before::Nothing(op.clone());
    advance(run, op, begun, Flow::new(ctx, Vec::new(), None))
}

/// What was before this step, as the next state has it.
enum Before {
    /// It is the first one, of this operation.
    Nothing(Operacao),
    Steps(History),
}

impl Before {
    fn history(self, content_spent: bool) -> Result<History, StateError> {
        match self {
            Before::Nothing(mut op) => {
                if content_spent {
                    op.conteudo.json.clear();
                }
                History::begin(op)
            }
            Before::Steps(history) => Ok(history),
        }
    }
}

/// The step after `event`.
pub fn resume<R, F>(run: R, state: Vec<u8>, event: Event, ctx: Context) -> Step
where
    R: FnOnce(Flow, Operacao) -> F,
    F: Future<Output = Outcome>,
{
    match state::decode(state) {
        Ok(Decoded {
            op,
            entries,
            pending,
            history,
        }) => {
            let event = Entry::Asked {
                digest: pending,
                event,
            };
            let before = Before::Steps(history);
            advance(run, op, before, Flow::new(ctx, entries, Some(event)))
        }
        Err(error) => Step::Done(Err(unreadable(error).maybe_exists())),
    }
}

fn unreadable(error: StateError) -> Failure {
    Failure::other(match error {
        StateError::Version => "estado de outra versao",
        StateError::Malformed | StateError::TooLarge => "estado ilegivel",
    })
}

fn advance<R, F>(run: R, op: Operacao, before: Before, flow: Flow) -> Step
where
    R: FnOnce(Flow, Operacao) -> F,
    F: Future<Output = Outcome>,
{
    let begun = flow.begun();
    let polled = {
        let mut future = pin!(run(flow.clone(), op));
        future
            .as_mut()
            .poll(&mut task::Context::from_waker(Waker::noop()))
    };
    let rest = flow.rest();
    // Once something was asked, a document may exist: only the author's own
    // outcome can say that it does not.
    let stop = |why: &str| {
        Step::Done(Err(Failure {
            may_exist: begun,
            ..Failure::other(why)
        }))
    };
    if let Some(why) = rest.diverged {
        return stop(&format!("divergencia: {why}"));
    }
    let ask = match (polled, rest.pending) {
        (Poll::Ready(_), None) if rest.unread > 0 => {
            return stop("divergencia: terminou antes do gravado");
        }
        (Poll::Ready(outcome), _) => return Step::Done(outcome),
        (Poll::Pending, Some(ask)) => ask,
        (Poll::Pending, None) => return stop("espera por algo que nao e o fluxo"),
    };
    let history = before.history(rest.content_spent);
    let state = history.and_then(|history| history.encode(rest.new, ask.digest()));
    match (state, ask) {
        (Ok(state), Ask::Send(request)) => Step::Send(Exchange { request, state }),
        (
            Ok(state),
            Ask::Wait {
                duration_ms,
                reason,
            },
        ) => Step::Wait(Pause {
            duration_ms,
            reason,
            state,
        }),
        (Err(_), _) => stop("estado grande demais"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bindings::control::{
        Ambiente, Conteudo, Effect, Emitente, FailureReason, HttpResponse, Situacao, Success,
        TransportFault, TransportKind,
    };
    use crate::{Fault, Request};

    fn ctx() -> Context {
        Context {
            flow: "f".into(),
            step: 0,
            now: "2026-10-05T10:15:00-03:00".into(),
            entropy: vec![0; 32],
            ambiente: Ambiente::Homologacao,
            municipio: None,
            uf: None,
            emitente: Emitente {
                documento: "00000000000191".into(),
                inscricao_municipal: None,
                inscricao_estadual: None,
                razao_social: "TESTE".into(),
                extras: Vec::new(),
            },
            endpoints: vec!["ws".into()],
            options: Vec::new(),
            secrets: Vec::new(),
        }
    }

    fn op() -> Operacao {
        Operacao {
            nome: "emitir".into(),
            conteudo: Conteudo {
                schema: "x/1".into(),
                json: "{}".into(),
            },
        }
    }

    fn answer(body: &[u8]) -> Event {
        Event::Response(HttpResponse {
            status: 200,
            headers: Vec::new(),
            body: body.to_vec(),
        })
    }

    /// A batch: send, ask until it is ready.
    async fn batch(flow: Flow, _: Operacao) -> Outcome {
        let signed = flow.keep("rps", || Ok("<rps/>".into())).await?;
        let sent = flow
            .send(Request::post("enviar", Effect::Once, "ws", "").body("text/xml", signed))
            .await?;
        let protocol = String::from_utf8_lossy(&sent.body).into_owned();
        loop {
            match flow.wait(1000, "lote em processamento").await {
                Ok(()) => {}
                Err(Fault::Cancelled) => return Err(Failure::other("desistencia").maybe_exists()),
                Err(fault) => return Err(fault.into()),
            }
            let asked = flow
                .send(Request::get("consultar", "ws", &protocol))
                .await?;
            if asked.body == b"pronto" {
                return Ok(Success::new(Situacao::Autorizado).protocol(Some(protocol)));
            }
        }
    }

    fn state_of(step: &Step) -> Vec<u8> {
        match step {
            Step::Send(exchange) => exchange.state.clone(),
            Step::Wait(pause) => pause.state.clone(),
            Step::Done(outcome) => panic!("ended: {outcome:?}"),
        }
    }

    #[test]
    fn a_straight_line_becomes_steps() {
        let mut step = start(batch, op(), ctx());
        let mut asked = Vec::new();
        for event in [
            answer(b"p1"),
            Event::Elapsed,
            answer(b"ainda"),
            Event::Elapsed,
            answer(b"pronto"),
        ] {
            asked.push(match &step {
                Step::Send(exchange) => exchange.request.label.clone(),
                Step::Wait(_) => "espera".into(),
                Step::Done(_) => "fim".into(),
            });
            step = resume(
                batch,
                state_of(&step),
                event,
                Context {
                    step: asked.len() as u32,
                    ..ctx()
                },
            );
        }
        assert_eq!(
            asked,
            ["enviar", "espera", "consultar", "espera", "consultar"]
        );
        assert_eq!(
            step,
            Step::Done(Ok(
                Success::new(Situacao::Autorizado).protocol(Some("p1".into()))
            ))
        );
    }

    #[test]
    fn faults_and_giving_up_reach_the_author() {
        let first = state_of(&start(batch, op(), ctx()));
        let fault = TransportFault {
            kind: TransportKind::Reset,
            detail: "cut".into(),
            maybe_arrived: true,
        };
        let Step::Done(Err(failure)) = resume(
            batch,
            first.clone(),
            Event::NoResponse(fault.clone()),
            ctx(),
        ) else {
            panic!("goes on after a fault");
        };
        assert_eq!(
            (failure.reason, failure.may_exist),
            (FailureReason::Transport(fault), true)
        );
        let waiting = state_of(&resume(batch, first, answer(b"p1"), ctx()));
        let Step::Done(Err(failure)) = resume(batch, waiting, Event::Cancelled, ctx()) else {
            panic!("goes on after cancelling");
        };
        assert_eq!(failure.reason, FailureReason::Other("desistencia".into()));
    }

    /// A later version that would send something else.
    async fn changed(flow: Flow, _: Operacao) -> Outcome {
        let signed = flow.keep("rps", || Ok("<rps/>".into())).await?;
        flow.send(Request::post("enviar", Effect::Once, "ws", "/v2").body("text/xml", signed))
            .await?;
        Ok(Success::new(Situacao::Autorizado))
    }

    async fn shorter(_: Flow, _: Operacao) -> Outcome {
        Ok(Success::new(Situacao::Autorizado))
    }

    async fn reordered(flow: Flow, _: Operacao) -> Outcome {
        flow.send(Request::get("consultar", "ws", "")).await?;
        Ok(Success::new(Situacao::Autorizado))
    }

    async fn elsewhere(_: Flow, _: Operacao) -> Outcome {
        std::future::pending().await
    }

    fn assert_stopped(step: Step, why: &str, may_exist: bool) {
        match step {
            Step::Done(Err(failure)) => {
                assert!(failure.detail.contains(why), "{}", failure.detail);
                assert_eq!(failure.may_exist, may_exist);
                assert!(matches!(failure.reason, FailureReason::Other(_)));
            }
            other => panic!("went on: {other:?}"),
        }
    }

    #[test]
    fn divergence_sends_nothing() {
        let state = state_of(&start(batch, op(), ctx()));
        assert_stopped(
            resume(changed, state.clone(), answer(b""), ctx()),
            "divergencia",
            true,
        );
        assert_stopped(
            resume(shorter, state.clone(), answer(b""), ctx()),
            "divergencia",
            true,
        );
        assert_stopped(
            resume(reordered, state.clone(), answer(b""), ctx()),
            "divergencia",
            true,
        );
        assert_stopped(
            resume(batch, state, Event::Elapsed, ctx()),
            "divergencia",
            true,
        );
        assert_stopped(
            resume(batch, b"junk".to_vec(), answer(b""), ctx()),
            "estado ilegivel",
            true,
        );
        assert_stopped(start(elsewhere, op(), ctx()), "espera por algo", false);
    }

    #[test]
    fn a_kept_value_survives_a_change_of_its_source() {
        async fn signs(flow: Flow, _: Operacao) -> Outcome {
            let source = flow.ctx().emitente.razao_social.clone();
            let kept = flow.keep("assinado", || Ok(source)).await?;
            flow.send(Request::get("consultar", "ws", &kept)).await?;
            Ok(Success::new(Situacao::Autorizado))
        }
        let state = state_of(&start(signs, op(), ctx()));
        let mut later = ctx();
        later.emitente.razao_social = "OUTRA".into();
        assert_eq!(
            resume(signs, state, answer(b""), later),
            Step::Done(Ok(Success::new(Situacao::Autorizado)))
        );
    }

    #[test]
    fn a_content_that_is_spent_is_not_in_the_state() {
        async fn builds(flow: Flow, op: Operacao) -> Outcome {
            let content = op.conteudo.json.clone();
            let kept = flow
                .keep_in_place_of_content("xml", || Ok(format!("<a>{content}</a>")))
                .await?;
            let first = flow.send(Request::get("enviar", "ws", &kept)).await?;
            let second = flow.send(Request::get("enviar", "ws", &kept)).await?;
            let said = [kept.as_bytes(), &first.body, &second.body].concat();
            let said = String::from_utf8_lossy(&said).into_owned();
            Ok(Success::new(Situacao::Autorizado).protocol(Some(content + &said)))
        }
        let mut given = op();
        given.conteudo.json = "{\"um\":\"texto\"}".into();
        let first = state_of(&start(builds, given, ctx()));
        let text = String::from_utf8_lossy(&first).into_owned();
        assert!(
            text.contains("emitir") && text.contains("\"json\":\"\""),
            "{text}"
        );
        let second = state_of(&resume(builds, first, answer(b"1"), ctx()));
        assert_eq!(
            resume(builds, second, answer(b"2"), ctx()),
            Step::Done(Ok(Success::new(Situacao::Autorizado)
                .protocol(Some("<a>{\"um\":\"texto\"}</a>12".into()))))
        );
    }

    #[test]
    fn a_history_too_large_for_the_host_ends_in_doubt() {
        let mut seed = 1_u32;
        let noise: Vec<u8> = (0..400_000)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (seed >> 24) as u8
            })
            .collect();
        let state = state_of(&start(batch, op(), ctx()));
        assert_stopped(
            resume(batch, state, answer(&noise), ctx()),
            "estado grande demais",
            true,
        );
    }
}
