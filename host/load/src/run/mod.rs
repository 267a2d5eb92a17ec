//! A load: operations arrive at a rate, whatever the server does, and each one's
//! latency counts from the moment it was due.

mod arrivals;
mod call;
pub mod chart;
mod known;
mod minutes;
pub mod mix;
pub mod plan;
pub mod report;
mod resident;
pub mod schedule;
mod tally;
mod verify;

use crate::client::Client;
use crate::receiver::{Arrived, Receiver};
use anyhow::Context as _;
use base::when::Clock;
use known::Known;
use plan::Plan;
use report::Report;
use serde_json::json;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tally::Tally;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long events may take after the last operation.
const EVENTS: Duration = Duration::from_secs(2);

/// What all operations of a run share.
struct Run {
    plan: Plan,
    client: Client,
    /// Places of connections.
    places: Semaphore,
    begun: Instant,
    tally: Mutex<Tally>,
    known: Mutex<Known>,
}

impl Run {
    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a load to its end. `say` is given a line for each minute where the plan
/// wants one.
///
/// # Errors
/// The server cannot be reached when the run begins, or refuses the key.
pub async fn run(plan: Plan, clock: Clock, say: fn(&str)) -> anyhow::Result<Report> {
    let client = Client::new(&plan.url, &plan.key, plan.connections, PATIENCE)?;
    let began_ms = clock();
    let name = format!("load-{began_ms}");
    let mut known = Known::new(plan.seed);
    for id in call::issued(&client).await.context("the first question")? {
        known.seen(id);
    }
    let receiver = match plan.webhook {
        true => Some(listening(&client, clock.clone()).await.context("webhook")?),
        false => None,
    };
    let run = Arc::new(Run {
        client,
        places: Semaphore::new(plan.connections),
        begun: Instant::now(),
        tally: Mutex::new(Tally::default()),
        known: Mutex::new(known),
        plan,
    });
    let minutes = tokio::spawn(minutes::count(run.clone(), say));
    let mut due = arrivals::start(&run, &name);
    let mut calls = JoinSet::new();
    while let Some(arrival) = due.recv().await {
        while calls.try_join_next().is_some() {}
        if calls.len() >= run.plan.waiting {
            run.tally().not_begun += 1;
            continue;
        }
        calls.spawn(call::perform(run.clone(), arrival));
    }
    while calls.join_next().await.is_some() {}
    let took = run.begun.elapsed();
    minutes.abort();
    let mut report = Report::of(&mut run.tally(), &run.plan, took);
    report.events = match receiver {
        Some((receiver, id)) => Some(heard(&run, receiver, &id).await),
        None => None,
    };
    if run.plan.tolerate_restart {
        let known = std::mem::take(&mut run.known().acknowledged);
        report.documents = Some(verify::verify(&run.client, &name, began_ms, &known).await?);
    }
    Ok(report)
}

/// A receiver on this machine that the account tells its events to, and the id of its webhook.
async fn listening(client: &Client, clock: Clock) -> anyhow::Result<(Receiver, String)> {
    let receiver = Receiver::start(clock).await?;
    let wish =
        json!({ "url": receiver.url(), "eventos": ["nfse.*", "nfe.*"], "descricao": "hub load" });
    let answer = client.post("/webhooks", &wish, None).await?;
    let body = answer.json();
    let text = |name: &str| body[name].as_str().map(ToOwned::to_owned);
    let (Some(id), Some(secret)) = (text("id"), text("segredo")) else {
        anyhow::bail!(
            "the server answers {}; receivers on its own machine need webhooks.allow_nets and webhooks.allow_http",
            answer.word()
        )
    };
    receiver.expect(secret);
    Ok((receiver, id))
}

/// What arrived until nothing more does; removes the webhook.
async fn heard(run: &Run, receiver: Receiver, id: &str) -> Arrived {
    receiver.quiet(EVENTS).await;
    if let Err(error) = run.client.delete(&format!("/webhooks/{id}")).await {
        tracing::warn!(%error, "the webhook of the load stays");
    }
    receiver.arrived()
}
