//! Questions that belong to no document: to a SEFAZ (is it working, who is
//! registered, what was issued against this company) or to another source. They
//! change nothing, or may be repeated without harm. So they are not journaled,
//! and are lost when the process dies.

use super::customer::{IssuingCustomer, audit};
use super::transport::FlowTransport;
use super::way::Rumo;
use super::way::Way;
use crate::gateway::Gateway;
use base::ids;
use flow::contract::{Conteudo, Context, Effect, Operacao, Outcome};
use flow::driver::{Next, Turn};
use flow::{Driver, End, Flow, Journal, JournalError, Loaded, Phase};
use std::sync::Arc;
use std::time::Duration;
use store::ids::AccountId;

/// Time a question may take besides that of its one request.
const ROOM: Duration = Duration::from_secs(5);

/// Nobody answered in time.
#[derive(Debug, thiserror::Error)]
#[error("a question had no answer in time")]
pub struct NoAnswer;

/// Asks and waits for the answer.
///
/// # Errors
/// [`NoAnswer`]; or the adapter is gone, or the certificate cannot be
/// opened.
pub async fn ask(
    app: &Gateway,
    account: &AccountId,
    rumo: &Rumo,
    operation: &str,
    schema: &str,
    content: String,
) -> anyhow::Result<Outcome> {
    let context: Context = serde_json::from_str(&rumo.context)?;
    let way: Way = serde_json::from_str(&rumo.way)?;
    let component = app
        .catalog
        .pinned(&rumo.digest, &rumo.component)
        .ok_or_else(|| anyhow::anyhow!("adapter {} is not installed", rumo.component))?;
    let customer = IssuingCustomer::open(app, account, &context.emitente.documento, &way).await?;
    let question = Question {
        account: account.to_owned(),
        component,
        customer: Arc::new(customer),
        context,
        way,
        operation: Operacao {
            nome: operation.to_owned(),
            conteudo: Conteudo {
                schema: schema.to_owned(),
                json: content,
            },
        },
        idempotent: false,
    };
    question.carry_out(app).await
}

/// A question with all it takes.
pub struct Question {
    pub account: AccountId,
    pub component: Arc<Loaded>,
    pub customer: Arc<IssuingCustomer>,
    pub context: Context,
    pub way: Way,
    pub operation: Operacao,
    /// Requests that change something may leave, if twice is the same as once.
    pub idempotent: bool,
}

impl Question {
    /// The longest time a question takes. A request that runs out of its own
    /// time is a failure the adapter puts into words. This limit ends a
    /// question whose adapter does not get that far, and bounds the leases of
    /// those who ask.
    pub fn longest(app: &Gateway) -> Duration {
        let settings = &app.config.authorities;
        Duration::from_millis(settings.connect_timeout_ms + settings.timeout_ms) + ROOM
    }

    /// Asks and waits for the answer.
    ///
    /// # Errors
    /// [`NoAnswer`]; or the adapter cannot run.
    pub async fn carry_out(self, app: &Gateway) -> anyhow::Result<Outcome> {
        let idempotent = self.idempotent;
        let (flow, transport) = self.flow(app);
        let driver = Driver {
            runtime: app.driver.runtime.clone(),
            journal: Arc::new(Forgetful {
                idempotent,
                app: app.clone(),
            }),
            now_ms: app.driver.now_ms.clone(),
            computing: app.driver.computing.clone(),
            wait_divisor: app.driver.wait_divisor,
        };
        let longest = Question::longest(app);
        let end = tokio::time::timeout(longest, driver.run(flow, &transport)).await;
        match end.map_err(|_elapsed| NoAnswer)? {
            End::Done(outcome) => Ok(outcome),
            // An answer is there at once or it is not: nobody comes back later.
            End::Sleeping(_) => Err(NoAnswer.into()),
            End::Fenced => anyhow::bail!("a question without owner"),
            End::Unavailable(reason) => anyhow::bail!(reason),
        }
    }

    fn flow(self, app: &Gateway) -> (Flow, FlowTransport) {
        let id = ids::new("ask", app.now_ms());
        let flow = Flow {
            id: id.clone(),
            account: self.account.to_string(),
            fence: 0,
            component: self.component,
            customer: self.customer.clone(),
            operation: self.operation,
            context: Context {
                flow: id,
                ..self.context
            },
            phase: Phase::Start,
            step: 0,
            state: Vec::new(),
            request: None,
            wake_at_ms: 0,
            acted: false,
            attachment: None,
        };
        let transport = FlowTransport {
            app: app.clone(),
            account: self.account,
            way: self.way,
            customer: self.customer,
        };
        (flow, transport)
    }
}

/// A journal that keeps nothing but what was signed and refused.
struct Forgetful {
    idempotent: bool,
    app: Gateway,
}

#[async_trait::async_trait]
impl Journal for Forgetful {
    async fn record(&self, turn: Turn<'_>) -> Result<(), JournalError> {
        // No question of the adapters here signs anything.
        if !turn.uses.is_empty() {
            audit::write(&self.app, &turn).await?;
        }
        match turn.next {
            Next::Send { request, .. } => match request.effect {
                Effect::ReadOnly => Ok(()),
                Effect::Idempotent if self.idempotent => Ok(()),
                _ => Err(JournalError::Unavailable(
                    "a question may only read".to_owned(),
                )),
            },
            _ => Ok(()),
        }
    }
}
