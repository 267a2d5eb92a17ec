//! One operation of a load.

use super::Run;
use super::arrivals::Arrival;
use super::mix::Operation;
use crate::bodies;
use crate::client::{Answer, Client, Silence};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An operation that begins so much after it was due is counted as late.
const LATE: Duration = Duration::from_millis(10);
/// Pause before a server that did not answer is asked again, and the longest time it is.
const AGAIN: Duration = Duration::from_millis(100);
const GIVEN_UP: Duration = Duration::from_secs(120);

/// What is asked.
enum Question {
    Get(String),
    Post(&'static str, Value),
}

/// Asks, waits for the answer and counts it.
pub async fn perform(run: Arc<Run>, arrival: Arrival) {
    let Ok(_place) = run.places.acquire().await else {
        return;
    };
    let begins = arrival.due.elapsed();
    if begins > LATE {
        let mut tally = run.tally();
        tally.late += 1;
        tally.latest = tally.latest.max(begins);
    }
    let (operation, question) = question(&run, &arrival);
    let answered = asked(&run, &arrival, &question).await;
    let took = arrival.due.elapsed();
    let (word, good) = match &answered {
        Ok(answer) => (answer.word(), answer.is_good()),
        Err(silence) => (silence.word().to_owned(), false),
    };
    run.tally().over(operation, arrival.at, took, &word, good);
    if let Ok(answer) = answered
        && good
        && matches!(operation, Operation::Issue | Operation::Nfe)
    {
        remember(&run, operation, &arrival, &answer);
    }
}

/// What an operation asks. Where there is no document for it yet, it lists.
fn question(run: &Run, arrival: &Arrival) -> (Operation, Question) {
    let list = || {
        (
            Operation::List,
            Question::Get("/documentos?limite=50".to_owned()),
        )
    };
    let (reference, number) = (&arrival.reference, arrival.number);
    let of = |operation, path: String| (operation, Question::Get(path));
    match arrival.operation {
        Operation::Issue => {
            let body = bodies::nfse(reference, number);
            (Operation::Issue, Question::Post("/nfse", body))
        }
        Operation::Nfe => {
            let body = bodies::nfe(reference, number);
            (Operation::Nfe, Question::Post("/nfe", body))
        }
        Operation::Cancel => run.known().cancel().map_or_else(list, |id| {
            let body = bodies::cancellation(&id);
            (Operation::Cancel, Question::Post("/nfse/cancelar", body))
        }),
        Operation::Pdf => run.known().any().map_or_else(list, |id| {
            of(
                Operation::Pdf,
                format!("/nfse/{id}/documento?formato=pdf&binario=1"),
            )
        }),
        Operation::Get => run
            .known()
            .any()
            .map_or_else(list, |id| of(Operation::Get, format!("/documentos/{id}"))),
        Operation::List => list(),
        Operation::Usage => of(Operation::Usage, "/usage".to_owned()),
    }
}

/// Asks until there is an answer, where the plan says so.
async fn asked(run: &Run, arrival: &Arrival, question: &Question) -> Result<Answer, Silence> {
    let begun = Instant::now();
    loop {
        let answer = match question {
            Question::Get(path) => run.client.get(path).await,
            Question::Post(path, body) => {
                run.client.post(path, body, Some(&arrival.reference)).await
            }
        };
        let again = match &answer {
            Err(_) => {
                run.tally().not_reached += 1;
                true
            }
            // It leaves, or another attempt is at work.
            Ok(answer) => is_open(answer),
        };
        if !again || !run.plan.tolerate_restart || begun.elapsed() > GIVEN_UP {
            return answer;
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// Whether the same question gets another answer later.
fn is_open(answer: &Answer) -> bool {
    matches!(answer.status, 502..=504) || answer.code == "requisicao_em_andamento"
}

fn remember(run: &Run, operation: Operation, arrival: &Arrival, answer: &Answer) {
    let mut known = run.known();
    if run.plan.tolerate_restart {
        known.acknowledged.push(arrival.number);
    }
    // A note whose result is not known yet can be neither printed nor cancelled.
    if operation == Operation::Issue
        && answer.status == 201
        && let Some(id) = answer.json()["id"].as_str()
    {
        known.issued(id.to_owned());
    }
}

/// Service notes that the account has already, the newest.
///
/// # Errors
/// The server does not answer as it should.
pub async fn issued(client: &Client) -> anyhow::Result<Vec<String>> {
    let answer = client.get("/nfse?status=autorizada&limite=100").await?;
    anyhow::ensure!(answer.is_good(), "the server answers {}", answer.word());
    let body = answer.json();
    let items = body["itens"].as_array().cloned().unwrap_or_default();
    let ids = items.iter().filter_map(|item| item["id"].as_str());
    Ok(ids.map(ToOwned::to_owned).collect())
}
