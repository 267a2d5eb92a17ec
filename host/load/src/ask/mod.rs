//! Questions to every listing, with values of the store itself, and how long each takes.

mod questions;
mod samples;

use crate::client::{Client, Silence};
use crate::histogram::Histogram;
use crate::seeded::Seeded;
use serde::Serialize;
use std::fmt;
use std::time::{Duration, Instant};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// What is asked of whom.
#[derive(Clone, Debug)]
pub struct Plan {
    pub url: String,
    pub key: String,
    /// Address and token of operators, whose lists are asked too.
    pub operator: Option<(String, String)>,
    /// How often each question is asked, each time with other values.
    pub rounds: u32,
    pub seed: u64,
    /// What a p99 may be at most, in milliseconds.
    pub limit_ms: Option<f64>,
}

/// How a question was answered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    pub question: &'static str,
    pub asked: u64,
    /// The first time: the store may have been cold.
    pub first_ms: f64,
    pub p50_ms: f64,
    pub p99_ms: f64,
    pub max_ms: f64,
    /// Mean size of an answer. A store is compared with a smaller one by questions of which both
    /// answer as much.
    pub mean_bytes: u64,
    /// Answers that were none, the last of them in words.
    pub errors: u64,
    pub last_error: Option<String>,
}

/// What became of all questions.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Answered {
    pub lines: Vec<Line>,
    pub limit_ms: Option<f64>,
}

/// Asks everything, question by question in turns, so that all of them meet the
/// same moments of the machine.
///
/// # Errors
/// The server does not answer, or the account has no documents.
pub async fn ask(plan: &Plan) -> anyhow::Result<Answered> {
    let client = Client::new(&plan.url, &plan.key, 1, PATIENCE)?;
    let mut seeded = Seeded::new(plan.seed);
    let samples = samples::taken(&client, &mut seeded).await?;
    let operator = plan.operator.as_ref();
    let operator = operator.map(|(url, token)| Client::operator(url, token, PATIENCE));
    let operator = operator.transpose()?;
    let mut asked = Vec::new();
    for question in questions::ALL {
        asked.push((question, &client, Asked::default()));
    }
    if let Some(operator) = &operator {
        for question in questions::OF_OPERATORS {
            asked.push((question, operator, Asked::default()));
        }
    }
    for _ in 0..plan.rounds {
        for (question, client, asked) in &mut asked {
            // A question may not fit each document: one that was refused has no key.
            let drawn = (0..samples.len())
                .find_map(|_| (question.path)(seeded.one(&samples)?, &mut seeded));
            let path = drawn.or_else(|| {
                let mut all = samples.iter();
                all.find_map(|sample| (question.path)(sample, &mut seeded))
            });
            let Some(path) = path else { continue };
            let begun = Instant::now();
            let answer = client.get(&path).await;
            let took = begun.elapsed();
            let bytes = answer.as_ref().map_or(0, |answer| answer.bytes.len());
            let wrong = match answer {
                Ok(answer) if answer.is_good() => None,
                Ok(answer) => Some(answer.word()),
                Err(Silence::NotReached) => anyhow::bail!("the server is gone"),
                Err(silence) => Some(silence.to_string()),
            };
            asked.over(took, bytes, wrong);
        }
    }
    let lines = asked
        .iter()
        .map(|(question, _, asked)| asked.line(question.name));
    Ok(Answered {
        lines: lines.collect(),
        limit_ms: plan.limit_ms,
    })
}

/// A question so far.
#[derive(Default)]
struct Asked {
    took: Histogram,
    first: Option<Duration>,
    bytes: u64,
    errors: u64,
    last_error: Option<String>,
}

impl Asked {
    fn over(&mut self, took: Duration, bytes: usize, wrong: Option<String>) {
        self.took.record(took);
        self.bytes = self.bytes.saturating_add(bytes as u64);
        self.first.get_or_insert(took);
        if wrong.is_some() {
            self.errors += 1;
            self.last_error = wrong;
        }
    }

    fn line(&self, question: &'static str) -> Line {
        let ms = |took: Duration| took.as_secs_f64() * 1e3;
        Line {
            question,
            asked: self.took.len(),
            first_ms: ms(self.first.unwrap_or_default()),
            p50_ms: ms(self.took.quantile(0.5)),
            p99_ms: ms(self.took.quantile(0.99)),
            max_ms: ms(self.took.max()),
            mean_bytes: self.bytes / self.took.len().max(1),
            errors: self.errors,
            last_error: self.last_error.clone(),
        }
    }
}

impl Answered {
    /// Whether every question was asked and answered, and none took longer than it may.
    pub fn is_good(&self) -> bool {
        self.lines.iter().all(|line| self.mark(line).is_empty())
    }

    /// What is wrong with a line.
    fn mark(&self, line: &Line) -> String {
        if line.asked == 0 {
            return "not asked: no document has what it asks for".to_owned();
        }
        if let Some(error) = &line.last_error {
            return format!("{} errors, the last one {error}", line.errors);
        }
        match self.limit_ms {
            Some(limit) if line.p99_ms > limit => format!("above {limit} ms"),
            _ => String::new(),
        }
    }

    /// A table for people.
    pub fn text(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Answered {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            text,
            "{:<44}{:>7}{:>10}{:>10}{:>10}{:>10}{:>10}",
            "ms", "asked", "first", "p50", "p99", "max", "bytes"
        )?;
        for line in &self.lines {
            let row = format!(
                "{:<44}{:>7}{:>10.1}{:>10.1}{:>10.1}{:>10.1}{:>10}  {}",
                line.question,
                line.asked,
                line.first_ms,
                line.p50_ms,
                line.p99_ms,
                line.max_ms,
                line.mean_bytes,
                self.mark(line)
            );
            writeln!(text, "{}", row.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(question: &'static str, p99_ms: f64) -> Line {
        Line {
            question,
            asked: 50,
            first_ms: 9.0,
            p50_ms: 1.25,
            p99_ms,
            max_ms: 12.0,
            mean_bytes: 18_350,
            errors: 0,
            last_error: None,
        }
    }

    #[test]
    fn the_table_names_what_is_too_slow() {
        let mut answered = Answered {
            lines: vec![
                line("documents: newest", 4.0),
                line("NFS-e by status", 30.0),
            ],
            limit_ms: Some(20.0),
        };
        let expected = "\
ms                                            asked     first       p50       p99       max     bytes
documents: newest                                50       9.0       1.2       4.0      12.0     18350
NFS-e by status                                  50       9.0       1.2      30.0      12.0     18350  above 20 ms
";
        assert_eq!(answered.text(), expected);
        assert!(!answered.is_good());
        answered.limit_ms = None;
        assert!(answered.is_good());
        answered.lines[0].errors = 2;
        answered.lines[0].last_error = Some("503 indisponivel".to_owned());
        assert!(
            answered
                .text()
                .contains("2 errors, the last one 503 indisponivel")
        );
        assert!(!answered.is_good());
    }

    #[test]
    fn a_question_that_was_not_asked_is_a_failure() {
        let mut never = line("NF-e by key", 0.0);
        never.asked = 0;
        let answered = Answered {
            lines: vec![line("documents: newest", 4.0), never],
            limit_ms: Some(20.0),
        };
        assert!(!answered.is_good());
        let text = answered.text();
        let last = text.lines().last().unwrap_or_default();
        assert!(last.starts_with("NF-e by key"), "{text}");
        assert!(
            last.ends_with("not asked: no document has what it asks for"),
            "{text}"
        );
    }
}
