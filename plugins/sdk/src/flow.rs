//! The author's view of a flow: ask, and go on as if the answer were there.

use crate::Fault;
use crate::bindings::control::{Context, Event, Failure, HttpRequest, HttpResponse, Named};
use crate::state::{Entry, MAX_ENTRIES, pause_digest, request_digest};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::vec;

/// Handle given to the author's `async fn`. Clones are the same flow.
///
/// The function runs again from its top at every step, with the answers so
/// far: it must not depend on anything but the operation, [`Flow::ctx`] and
/// what the flow answered. It asks one thing at a time.
#[derive(Clone)]
pub struct Flow {
    inner: Rc<Inner>,
    ctx: Rc<Context>,
}

struct Inner {
    /// Entries of earlier steps, not yet replayed: the history has them.
    past: RefCell<vec::IntoIter<Entry>>,
    /// Number of all entries of earlier steps.
    known: usize,
    /// What this step begins with, not yet seen by the author.
    event: RefCell<Option<Entry>>,
    /// Entries of this step, which the history does not have yet.
    new: RefCell<Vec<Entry>>,
    /// Questions asked in this run, replayed ones included.
    asks: Cell<u32>,
    cancelled: Cell<bool>,
    /// No later step needs the operation's content.
    content_spent: Cell<bool>,
    pending: RefCell<Option<Ask>>,
    diverged: RefCell<Option<String>>,
}

/// A question to the host.
pub(crate) enum Ask {
    Send(HttpRequest),
    Wait { duration_ms: u64, reason: String },
}

impl Ask {
    pub(crate) fn digest(&self) -> u64 {
        match self {
            Ask::Send(request) => request_digest(request),
            Ask::Wait {
                duration_ms,
                reason,
            } => pause_digest(*duration_ms, reason),
        }
    }
}

/// What is left when the function has run as far as it can.
pub(crate) struct Rest {
    /// Entries that this run added.
    pub new: Vec<Entry>,
    pub pending: Option<Ask>,
    pub diverged: Option<String>,
    /// Entries the run did not reach.
    pub unread: usize,
    /// The operation is kept without its content.
    pub content_spent: bool,
}

impl Flow {
    /// A run on the entries of earlier steps and the event of this one.
    pub(crate) fn new(mut ctx: Context, past: Vec<Entry>, event: Option<Entry>) -> Self {
        // The step number differs between replays, so nobody may see it.
        ctx.step = 0;
        let inner = Inner {
            known: past.len(),
            past: RefCell::new(past.into_iter()),
            event: RefCell::new(event),
            new: RefCell::default(),
            asks: Cell::new(0),
            cancelled: Cell::new(false),
            content_spent: Cell::new(false),
            pending: RefCell::new(None),
            diverged: RefCell::new(None),
        };
        Flow {
            inner: Rc::new(inner),
            ctx: Rc::new(ctx),
        }
    }

    /// The same flow, with these options where the registry gives none: for an adapter
    /// that is another one with options of its own.
    #[must_use]
    pub fn with_defaults(&self, options: &[(&str, &str)]) -> Flow {
        let mut ctx = Context::clone(&self.ctx);
        for (name, value) in options {
            if ctx.option(name).is_none() {
                ctx.options.retain(|option| option.name != *name);
                ctx.options.push(Named {
                    name: (*name).into(),
                    value: (*value).into(),
                });
            }
        }
        Flow {
            inner: self.inner.clone(),
            ctx: Rc::new(ctx),
        }
    }

    /// What the host says about the call: the same at every step.
    pub fn ctx(&self) -> &Context {
        &self.ctx
    }

    /// Questions asked so far, this one's step number in other words. For
    /// bounds: the host ends a flow at 64 steps.
    pub fn asks(&self) -> u32 {
        self.inner.asks.get()
    }

    /// Someone gave up on the flow in this or an earlier step: finish, or
    /// send one last request.
    pub fn cancelled(&self) -> bool {
        self.inner.cancelled.get()
    }

    /// Sends a request and gives its answer.
    ///
    /// # Errors
    /// No usable answer, or the flow was cancelled.
    pub async fn send(&self, request: impl Into<HttpRequest>) -> Result<HttpResponse, Fault> {
        match self.ask(Ask::Send(request.into())).await {
            Event::Response(response) => Ok(response),
            Event::NoResponse(fault) => Err(Fault::NoResponse(fault)),
            Event::Cancelled => Err(Fault::Cancelled),
            Event::Elapsed => self.diverge("tempo decorrido em resposta a um envio").await,
        }
    }

    /// Sleeps durably. `reason` is shown to operators.
    ///
    /// # Errors
    /// The flow was cancelled.
    pub async fn wait(&self, duration_ms: u64, reason: &str) -> Result<(), Fault> {
        match self
            .ask(Ask::Wait {
                duration_ms,
                reason: reason.into(),
            })
            .await
        {
            Event::Elapsed => Ok(()),
            Event::Cancelled => Err(Fault::Cancelled),
            Event::Response(_) | Event::NoResponse(_) => {
                self.diverge("resposta a uma espera").await
            }
        }
    }

    /// Computes a text once and remembers it in the state: later steps get
    /// the same bytes even if the certificate or the emitter's profile has
    /// changed since. For signed documents and everything sent again.
    ///
    /// # Errors
    /// Those of `compute`; an error is not remembered.
    pub async fn keep(
        &self,
        label: &str,
        compute: impl FnOnce() -> Result<String, Failure>,
    ) -> Result<String, Failure> {
        match self.next_entry() {
            Some(Entry::Kept { label: kept, value }) if kept == label => Ok(value),
            Some(_) => self.diverge("valor guardado em outra ordem").await,
            None => {
                let value = compute()?;
                self.inner.new.borrow_mut().push(Entry::Kept {
                    label: label.into(),
                    value: value.clone(),
                });
                Ok(value)
            }
        }
    }

    /// As [`Flow::keep`], for the text that the operation's content becomes. Nothing
    /// outside of `compute` may read that content: later steps get it empty, because
    /// the state, which is written and read at each step, leaves it out.
    ///
    /// # Errors
    /// Those of `compute`; an error is not remembered.
    pub async fn keep_in_place_of_content(
        &self,
        label: &str,
        compute: impl FnOnce() -> Result<String, Failure>,
    ) -> Result<String, Failure> {
        let kept = self.keep(label, compute).await?;
        self.inner.content_spent.set(true);
        Ok(kept)
    }

    async fn ask(&self, ask: Ask) -> Event {
        let asks = self.inner.asks.get() + 1;
        self.inner.asks.set(asks);
        match self.next_entry() {
            Some(Entry::Asked { digest, event }) if digest == ask.digest() => {
                if event == Event::Cancelled {
                    self.inner.cancelled.set(true);
                }
                event
            }
            Some(_) => {
                self.diverge(&format!("passo {asks} difere do gravado"))
                    .await
            }
            None if self.inner.pending.borrow().is_some() => {
                self.diverge("duas perguntas ao mesmo tempo").await
            }
            None if self.inner.known + self.inner.new.borrow().len() >= MAX_ENTRIES => {
                self.diverge("passos demais").await
            }
            None => {
                *self.inner.pending.borrow_mut() = Some(ask);
                std::future::pending().await
            }
        }
    }

    fn next_entry(&self) -> Option<Entry> {
        let past = self.inner.past.borrow_mut().next();
        past.or_else(|| {
            let event = self.inner.event.take()?;
            self.inner.new.borrow_mut().push(event.clone());
            Some(event)
        })
    }

    /// Stops the run for good; [`crate::replay`] turns it into a failure.
    async fn diverge<T>(&self, why: &str) -> T {
        self.inner
            .diverged
            .borrow_mut()
            .get_or_insert_with(|| why.into());
        std::future::pending().await
    }

    /// Something was asked in an earlier step. For before the run.
    pub(crate) fn begun(&self) -> bool {
        self.inner.event.borrow().is_some()
    }

    pub(crate) fn rest(&self) -> Rest {
        Rest {
            unread: self.inner.past.borrow().len()
                + usize::from(self.inner.event.borrow().is_some()),
            new: self.inner.new.take(),
            pending: self.inner.pending.take(),
            diverged: self.inner.diverged.take(),
            content_spent: self.inner.content_spent.get(),
        }
    }
}
