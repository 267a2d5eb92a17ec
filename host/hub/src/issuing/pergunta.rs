//! Questions to a SEFAZ that belong to no document: is it working, who is
//! registered, what was issued against this company. They change nothing, so
//! nothing is journaled: a process that dies forgets the question.

use super::context::Way;
use super::customer::IssuingCustomer;
use super::query::Rumo;
use super::transport::FlowTransport;
use crate::app::App;
use crate::ids;
use flow::contract::{Conteudo, Context, Effect, Operacao, Outcome};
use flow::driver::{Next, Turn};
use flow::{Driver, End, Flow, Journal, JournalError, Phase};
use std::sync::Arc;
use std::time::Duration;

/// What a question may take besides its one request.
const ROOM: Duration = Duration::from_secs(5);

/// Nobody answered in time.
#[derive(Debug, thiserror::Error)]
#[error("a question had no answer in time")]
pub struct SemResposta;

/// Asks and waits for the answer.
///
/// # Errors
/// [`SemResposta`]; or the adapter is gone, or the certificate cannot be
/// opened.
pub async fn perguntar(
    app: &App,
    account: &str,
    rumo: &Rumo,
    operacao: &str,
    schema: &str,
    conteudo: String,
) -> anyhow::Result<Outcome> {
    let context: Context = serde_json::from_str(&rumo.context)?;
    let way: Way = serde_json::from_str(&rumo.way)?;
    let component = app
        .catalog
        .pinned(&rumo.digest, &rumo.component)
        .ok_or_else(|| anyhow::anyhow!("adapter {} is not installed", rumo.component))?;
    let customer = IssuingCustomer::open(app, account, &context.emitente.documento, &way).await?;
    let customer = Arc::new(customer);
    let id = ids::new("ask", app.now_ms());
    let flow = Flow {
        id: id.clone(),
        fence: 0,
        component,
        customer: customer.clone(),
        operacao: Operacao {
            nome: operacao.to_owned(),
            conteudo: Conteudo {
                schema: schema.to_owned(),
                json: conteudo,
            },
        },
        context: Context {
            flow: id,
            ..context
        },
        phase: Phase::Start,
        step: 0,
        state: Vec::new(),
        request: None,
        wake_at_ms: 0,
        acted: false,
        anexo: None,
    };
    let transport = FlowTransport {
        app: app.clone(),
        account: account.to_owned(),
        way,
        customer,
    };
    let driver = Driver {
        runtime: app.driver.runtime.clone(),
        journal: Arc::new(Forgetful),
        now_ms: app.driver.now_ms.clone(),
        computing: app.driver.computing.clone(),
        wait_divisor: app.driver.wait_divisor,
    };
    // The request has its own limit, whose end the adapter tells in words;
    // this one is for what does not even come to that.
    let settings = &app.config.authorities;
    let request_ms = settings.connect_timeout_ms + settings.timeout_ms;
    let limit = Duration::from_millis(request_ms) + ROOM;
    let end = tokio::time::timeout(limit, driver.run(flow, &transport)).await;
    match end.map_err(|_elapsed| SemResposta)? {
        End::Done(outcome) => Ok(outcome),
        // An answer is there at once or it is not: nobody comes back later.
        End::Sleeping(_) => Err(SemResposta.into()),
        End::Fenced => anyhow::bail!("a question without owner"),
        End::Unavailable(reason) => anyhow::bail!(reason),
    }
}

/// A journal that keeps nothing.
struct Forgetful;

#[async_trait::async_trait]
impl Journal for Forgetful {
    async fn record(&self, turn: Turn<'_>) -> Result<(), JournalError> {
        match turn.next {
            Next::Send { request, .. } if request.effect != Effect::ReadOnly => Err(
                JournalError::Unavailable("a question may only read".to_owned()),
            ),
            _ => Ok(()),
        }
    }
}
