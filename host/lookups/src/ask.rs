//! Asks one source after the other until one knows the answer.

use crate::kinds::{Kind, Question};
use crate::parts::Lookups;
use crate::sources::Source;
use authority::question::NoAnswer;
use authority::service::Service;
use flow::contract::{FailureReason, Outcome, Situacao, TransportKind};
use serde::de::DeserializeOwned;
use std::convert::Infallible;
use std::sync::Once;
use store::ids::AccountId;
use store::tables::lookup_answers::{self, AnswerRow};
use store::{DbResult, TxError};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// Days that an answer is kept for the case that no source answers any more.
const KEPT_DAYS: i64 = 365;
/// Old answers that are forgotten with each new one.
const FORGOTTEN: i64 = 2;

/// What became of a question.
#[derive(Debug)]
pub struct Asked<T> {
    /// What was asked; none where nothing was.
    pub kind: Option<Kind>,
    pub found: Option<Found<T>>,
    /// A source said that there is none.
    pub missing: bool,
    /// Who was asked, in order.
    pub looked: Vec<Looked>,
}

/// An answer.
#[derive(Debug)]
pub struct Found<T> {
    pub answer: T,
    pub source: String,
    /// When the source said it (epoch milliseconds).
    pub fetched_ms: i64,
}

/// A place where it was looked, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Looked {
    pub source: String,
    pub result: LookedResult,
}

/// What came of looking there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookedResult {
    Found,
    Missing,
    /// It failed shortly before and is left alone.
    Resting,
    /// It answered, but not with what was asked for.
    Failed,
    TimedOut,
}

/// What a source said.
enum Said {
    Answer(String),
    Nothing,
    /// It is not asked such questions.
    Never,
    /// It answered, but not this question: others may go well.
    Unread,
    /// It cannot be reached, is down or does not let the hub in.
    Failed {
        timed_out: bool,
        pause_ms: Option<i64>,
    },
}

/// Whether anybody is asked such questions.
pub fn asks(app: &Lookups, kind: Kind) -> bool {
    !app.sources.of(kind, &app.config).is_empty()
}

/// Asks; an answer that is still young is not asked for again, and an old one
/// is better than none when no source answers.
///
/// # Errors
/// The database failed.
pub async fn ask<T: DeserializeOwned>(
    app: &Lookups,
    account: &AccountId,
    question: &Question,
) -> DbResult<Asked<T>> {
    let (kind, config) = (question.kind, &app.config);
    let (_, days) = kind.settings(&config.lookups);
    let sources = app.sources.of(kind, config);
    let now_ms = app.now_ms();
    let mut asked = Asked {
        kind: Some(kind),
        ..Asked::default()
    };
    let kept = kept(app, question, &sources).await?;
    if let Some(row) = &kept {
        let age_ms = now_ms - row.fetched_at_ms;
        if row.answer.is_empty() {
            if age_ms < i64::from(config.lookups.missing_hours) * HOUR_MS {
                asked.missing = true;
                asked.note(&row.source, LookedResult::Missing);
                return Ok(asked);
            }
        } else if age_ms < i64::from(days) * DAY_MS && asked.take(row) {
            return Ok(asked);
        }
    }
    let mut nobody = None;
    let mut failed = false;
    for source in &sources {
        if app.resting.rests(&source.name, now_ms) {
            failed = true;
            asked.note(&source.name, LookedResult::Resting);
            continue;
        }
        match answer::<T>(app, account, source, question).await {
            Said::Answer(answer) => {
                app.resting.works(&source.name);
                let row = row(source, answer, app.now_ms());
                keep(app, question, &row).await?;
                asked.take(&row);
                return Ok(asked);
            }
            Said::Nothing => {
                app.resting.works(&source.name);
                nobody = nobody.or(Some(source));
                asked.note(&source.name, LookedResult::Missing);
            }
            Said::Never => {}
            Said::Unread => {
                failed = true;
                asked.note(&source.name, LookedResult::Failed);
            }
            Said::Failed {
                timed_out,
                pause_ms,
            } => {
                failed = true;
                let rest_ms = i64::from(config.lookups.rest_s) * 1_000;
                let pause_ms = pause_ms.unwrap_or(rest_ms);
                app.resting.rest(&source.name, now_ms, pause_ms);
                let result = match timed_out {
                    true => LookedResult::TimedOut,
                    false => LookedResult::Failed,
                };
                asked.note(&source.name, result);
            }
        }
    }
    if let Some(source) = nobody {
        asked.missing = true;
        if !failed {
            let row = row(source, String::new(), app.now_ms());
            keep(app, question, &row).await?;
        }
    } else if let Some(row) = &kept {
        asked.take(row);
    }
    Ok(asked)
}

impl<T> Default for Asked<T> {
    /// Nobody was asked.
    fn default() -> Asked<T> {
        Asked {
            kind: None,
            found: None,
            missing: false,
            looked: Vec::new(),
        }
    }
}

impl<T: DeserializeOwned> Asked<T> {
    fn note(&mut self, source: &str, result: LookedResult) {
        self.looked.push(Looked {
            source: source.to_owned(),
            result,
        });
    }

    /// Takes an answer that is kept; false when it does not read any more.
    fn take(&mut self, row: &AnswerRow) -> bool {
        // It was read before it was kept, by this version or an earlier one; what
        // this one cannot read is asked for again.
        let Ok(answer) = serde_json::from_str(&row.answer) else {
            return false;
        };
        self.note(&row.source, LookedResult::Found);
        self.found = Some(Found {
            answer,
            source: row.source.clone(),
            fetched_ms: row.fetched_at_ms,
        });
        true
    }
}

fn row(source: &Source, answer: String, now_ms: i64) -> AnswerRow {
    AnswerRow {
        source: source.name.clone(),
        answer,
        fetched_at_ms: now_ms,
    }
}

/// The answer that is kept, if its source is still one of those that are asked.
async fn kept(
    app: &Lookups,
    question: &Question,
    sources: &[Source],
) -> DbResult<Option<AnswerRow>> {
    let mut conn = app.db.read().await?;
    let kind = question.kind.operation();
    let row = lookup_answers::get(&mut conn, kind, &question.key).await?;
    Ok(row.filter(|row| sources.iter().any(|source| source.name == row.source)))
}

async fn keep(app: &Lookups, question: &Question, row: &AnswerRow) -> DbResult<()> {
    let input = (
        question.kind.operation(),
        question.key.clone(),
        row.clone(),
        app.now_ms() - KEPT_DAYS * DAY_MS,
    );
    let written = app.db.write(input, |(kind, key, row, before_ms), conn| {
        Box::pin(async move {
            lookup_answers::put(conn, kind, key, row).await?;
            lookup_answers::purge(conn, *before_ms, FORGOTTEN).await?;
            Ok::<_, TxError<Infallible>>(())
        })
    });
    // It is only a copy: an answer is not lost because it cannot be kept.
    if let Err(error) = written.await {
        tracing::warn!(%error, "an answer of a source is not kept");
    }
    Ok(())
}

/// What one source says.
async fn answer<T: DeserializeOwned>(
    app: &Lookups,
    account: &AccountId,
    source: &Source,
    question: &Question,
) -> Said {
    let failed = Said::Failed {
        timed_out: false,
        pause_ms: None,
    };
    let Some(service) = service(app, source) else {
        return failed;
    };
    let operation = question.kind.operation();
    let name = source.name.as_str();
    let asked = service.ask(app, account, operation, &question.content);
    match asked.await {
        Ok(outcome) => read::<T>(outcome, operation, name),
        Err(error) if error.is::<NoAnswer>() => Said::Failed {
            timed_out: true,
            pause_ms: None,
        },
        Err(error) => {
            tracing::warn!(source = name, operation, error = %format!("{error:#}"), "a source was not asked to the end");
            failed
        }
    }
}

fn service(app: &Lookups, source: &Source) -> Option<Service> {
    let name = &app.config.lookups.adapter;
    let Some(component) = app.catalog.current(name) else {
        // Logged once, because this is called all the time.
        static SAID: Once = Once::new();
        SAID.call_once(|| {
            tracing::error!(adapter = %name, "the adapter of look-ups is not installed: no source is asked");
        });
        return None;
    };
    let (option, map) = &source.map;
    let service = if source.name == crate::sources::SIMULATED {
        Service::simulated(component, sim::sources::HOST)
    } else {
        Service::official(component, &source.base_url, &source.token)
    };
    Some(service.with_option(option, map))
}

fn read<T: DeserializeOwned>(outcome: Outcome, operation: &str, source: &str) -> Said {
    let failure = match outcome {
        Ok(success) if success.situacao == Situacao::NaoEncontrado => return Said::Nothing,
        Ok(success) => {
            let schema = format!("{operation}.resposta/1");
            let content = success.conteudo.filter(|content| content.schema == schema);
            let json = content.map(|content| content.json).unwrap_or_default();
            if serde_json::from_str::<T>(&json).is_ok() {
                return Said::Answer(json);
            }
            tracing::error!(source, operation, "a source gave another content");
            return Said::Unread;
        }
        Err(failure) => failure,
    };
    if matches!(failure.reason, FailureReason::NotSupported(_)) {
        return Said::Never;
    }
    tracing::warn!(source, operation, detail = %failure.detail, "a source gave no answer");
    let failed = |timed_out, pause_ms| Said::Failed {
        timed_out,
        pause_ms,
    };
    match failure.reason {
        FailureReason::Transport(fault) => failed(fault.kind == TransportKind::Timeout, None),
        FailureReason::Unavailable(unavailable) => {
            let asked = unavailable.retry_after_ms;
            failed(false, asked.and_then(|ms| i64::try_from(ms).ok()))
        }
        FailureReason::Credentials(_) | FailureReason::Other(_) => failed(false, None),
        // Of this question alone: whoever asks it must not close the source to others.
        _ => Said::Unread,
    }
}
