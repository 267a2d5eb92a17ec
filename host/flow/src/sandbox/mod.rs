//! One step of one adapter: a fresh instance, used once.

mod declared;
mod error;
pub mod outcome;
pub mod request;

pub use declared::place;
pub use error::StepError;

use crate::component::Loaded;
use crate::contract::permissions::Permissions;
use crate::contract::{Context, Event, Operacao, Step};
use crate::engine::Runtime;
use crate::host::{Customer, Granted, Memo};
use std::borrow::Cow;
use std::sync::Arc;

/// Characters kept of the reason of a pause.
const REASON_CHARS: usize = 200;

/// What a step is given.
pub enum Call<'a> {
    Start(&'a Operacao),
    Resume { state: &'a [u8], event: &'a Event },
}

impl Runtime {
    /// Runs one step. Blocks for as long as the adapter computes: call it
    /// where blocking is allowed.
    ///
    /// # Errors
    /// The adapter trapped, ran out of a limit, or asked for something it
    /// may not have.
    pub fn step(
        &self,
        loaded: &Loaded,
        call: &Call<'_>,
        context: &Context,
        customer: Arc<dyn Customer>,
        memo: Arc<Memo>,
    ) -> Result<Step, StepError> {
        let permissions = loaded.permissions.clone();
        let context = &*shown(context, permissions.as_deref());
        let granted = Granted::new(permissions, context);
        let limit_ms = self.limits.step_ms;
        let mut store = self.store(customer, memo.clone(), granted, &context.entropy, limit_ms);
        let called = (|| {
            let instance = loaded.pre.instantiate(&mut store)?;
            match call {
                Call::Start(operation) => {
                    let start = instance.get_typed_func::<(&Operacao, &Context), (Step,)>(
                        &mut store,
                        loaded.start,
                    )?;
                    start.call(&mut store, (operation, context))
                }
                Call::Resume { state, event } => {
                    let resume = instance.get_typed_func::<(&[u8], &Event, &Context), (Step,)>(
                        &mut store,
                        loaded.resume,
                    )?;
                    resume.call(&mut store, (state, event, context))
                }
            }
        })();
        let logs = std::mem::take(&mut store.data_mut().logs);
        drop(store);
        for (level, message) in &logs {
            tracing::debug!(adapter = %loaded.description.name, flow.id = %context.flow, ?level, "{message}");
        }
        match called {
            Ok((step,)) => {
                let step = check(step, context, self);
                let step = step.and_then(|step| declared(step, loaded, context, &memo));
                step.map_err(|error| self.report(loaded, context, error))
            }
            Err(error) => {
                let error = match error.downcast_ref::<wasmtime::Trap>() {
                    Some(wasmtime::Trap::Interrupt) => StepError::Deadline(self.limits.step_ms),
                    // The panic message arrives by the log import just before the trap.
                    _ => StepError::Trap(match logs.last() {
                        Some((crate::contract::diagnostics::Level::Error, message)) => {
                            message.clone()
                        }
                        _ => first_line(&error),
                    }),
                };
                Err(self.report(loaded, context, error))
            }
        }
    }

    fn report(&self, loaded: &Loaded, context: &Context, error: StepError) -> StepError {
        tracing::warn!(adapter = %loaded.description.name, digest = %loaded.digest, flow.id = %context.flow, step = context.step, %error, "adapter step failed");
        error
    }
}

/// The context without the names of secrets that the adapter does not declare.
fn shown<'c>(context: &'c Context, permissions: Option<&Permissions>) -> Cow<'c, Context> {
    let declared = |name: &String| permissions.is_none_or(|it| it.secret(name));
    if context.secrets.iter().all(declared) {
        return Cow::Borrowed(context);
    }
    let mut context = context.clone();
    context.secrets.retain(declared);
    Cow::Owned(context)
}

/// Holds a request to what its adapter declares; what is refused is noted.
fn declared(
    step: Step,
    loaded: &Loaded,
    context: &Context,
    memo: &Memo,
) -> Result<Step, StepError> {
    if let (Step::Send(exchange), Some(permissions)) = (&step, &loaded.permissions) {
        let request = &exchange.request;
        declared::check(request, permissions, &context.entropy).map_err(|refused| {
            let why = refused.refused.clone().unwrap_or_default();
            memo.note(refused);
            StepError::Undeclared(why)
        })?;
    }
    Ok(step)
}

fn first_line(error: &wasmtime::Error) -> String {
    format!("{:#}", error.root_cause())
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(300)
        .collect()
}

/// Holds a step to the limits and to what the flow was given.
fn check(step: Step, context: &Context, runtime: &Runtime) -> Result<Step, StepError> {
    let limits = &runtime.limits;
    let state_fits = |state: &[u8]| match state.len() {
        size if size > limits.state_bytes => Err(StepError::StateTooLarge {
            size,
            limit: limits.state_bytes,
        }),
        _ => Ok(()),
    };
    match step {
        Step::Send(exchange) => {
            state_fits(&exchange.state)?;
            request::check(&exchange.request, context, limits)?;
            Ok(Step::Send(exchange))
        }
        Step::Wait(mut pause) => {
            state_fits(&pause.state)?;
            pause.duration_ms = pause.duration_ms.min(limits.pause_ms);
            pause.reason = pause
                .reason
                .chars()
                .filter(|c| !c.is_control())
                .take(REASON_CHARS)
                .collect();
            Ok(Step::Wait(pause))
        }
        Step::Done(outcome) => outcome::bounded(outcome, limits).map(Step::Done),
    }
}
