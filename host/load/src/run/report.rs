//! What a load was and what became of it: text for people, a structure for programs.

use super::mix::Operation;
use super::plan::Plan;
use super::tally::{Minute, Second, Tally, ms};
use super::verify::Documents;
use crate::histogram::Histogram;
use crate::receiver::Arrived;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::time::Duration;

/// Latencies of one operation, or of all.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Latency {
    pub operation: &'static str,
    pub answered: u64,
    pub errors: u64,
    pub p50_ms: f64,
    pub p90_ms: f64,
    pub p99_ms: f64,
    pub p999_ms: f64,
    pub max_ms: f64,
}

/// A run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    pub rate: f64,
    pub seconds: u64,
    /// Operations answered each second of the run, its tail included.
    pub reached_per_s: f64,
    /// Until the last answer.
    pub took_s: f64,
    pub operations: Vec<Latency>,
    pub total: Latency,
    /// Answers by status and code.
    pub answers: BTreeMap<String, u64>,
    /// Attempts that reached no server or were cut off.
    pub not_reached: u64,
    pub not_begun: u64,
    pub late: u64,
    pub latest_ms: f64,
    pub events: Option<Arrived>,
    pub documents: Option<Documents>,
    pub minutes: Vec<Minute>,
    pub by_second: Vec<Second>,
}

fn latency(operation: &'static str, took: &Histogram, errors: u64) -> Latency {
    Latency {
        operation,
        answered: took.len(),
        errors,
        p50_ms: ms(took.quantile(0.5)),
        p90_ms: ms(took.quantile(0.9)),
        p99_ms: ms(took.quantile(0.99)),
        p999_ms: ms(took.quantile(0.999)),
        max_ms: ms(took.max()),
    }
}

impl Report {
    /// Of a run that is over.
    pub(super) fn of(tally: &mut Tally, plan: &Plan, took: Duration) -> Report {
        let mut all = Histogram::default();
        let (mut errors, mut operations) = (0, Vec::new());
        for operation in Operation::ALL {
            let counted = &tally.operations[operation.place()];
            if !counted.took.is_empty() {
                operations.push(latency(operation.name(), &counted.took, counted.errors));
            }
            all.merge(&counted.took);
            errors += counted.errors;
        }
        let took_s = took.as_secs_f64();
        Report {
            rate: plan.rate,
            seconds: plan.seconds,
            reached_per_s: all.len() as f64 / took_s.max(1e-3),
            took_s,
            operations,
            total: latency("total", &all, errors),
            answers: std::mem::take(&mut tally.answers),
            not_reached: tally.not_reached,
            not_begun: tally.not_begun,
            late: tally.late,
            latest_ms: ms(tally.latest),
            events: None,
            documents: None,
            minutes: std::mem::take(&mut tally.minutes),
            by_second: tally.seconds(),
        }
    }

    /// Whether every operation was answered as it should be, and every document is there once.
    pub fn is_good(&self) -> bool {
        let exact = self.documents.as_ref().is_none_or(Documents::is_exact);
        let signed = self.events.is_none_or(|events| events.forged == 0);
        self.total.errors == 0 && self.not_begun == 0 && exact && signed
    }

    /// For people.
    pub fn text(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            text,
            "rate: {:.1}/s reached of {:.1}/s over {} s; the last answer came after {:.1} s",
            self.reached_per_s, self.rate, self.seconds, self.took_s
        )?;
        writeln!(
            text,
            "begun late: {} (at most {:.1} ms); not begun: {}; attempts that reached no server: {}",
            self.late, self.latest_ms, self.not_begun, self.not_reached
        )?;
        writeln!(
            text,
            "\n{:<10}{:>10}{:>8}{:>10}{:>10}{:>10}{:>10}{:>10}",
            "ms", "answered", "errors", "p50", "p90", "p99", "p99.9", "max"
        )?;
        for line in self.operations.iter().chain([&self.total]) {
            writeln!(
                text,
                "{:<10}{:>10}{:>8}{:>10.1}{:>10.1}{:>10.1}{:>10.1}{:>10.1}",
                line.operation,
                line.answered,
                line.errors,
                line.p50_ms,
                line.p90_ms,
                line.p99_ms,
                line.p999_ms,
                line.max_ms
            )?;
        }
        writeln!(text, "\nanswers:")?;
        for (word, count) in &self.answers {
            writeln!(text, "{count:>10}  {word}")?;
        }
        if let Some(events) = &self.events {
            writeln!(
                text,
                "\nevents: {} arrived, {} repeated, {} with a wrong signature; after p50 {:.1} ms, p99 {:.1} ms, max {:.1} ms",
                events.events,
                events.repeated,
                events.forged,
                events.p50_ms,
                events.p99_ms,
                events.max_ms
            )?;
        }
        if let Some(documents) = &self.documents {
            writeln!(
                text,
                "\ndocuments: {} acknowledged, {} found, {} lost, {} double",
                documents.acknowledged, documents.found, documents.lost, documents.double
            )?;
            for name in &documents.named {
                writeln!(text, "  {name}")?;
            }
        }
        Ok(())
    }
}

/// The line of a minute.
pub fn minute(minute: &Minute) -> String {
    let Minute {
        number,
        per_s,
        p50_ms,
        p99_ms,
        errors,
        resident,
    } = minute;
    let mut line = format!(
        "minute {number}: {per_s:.1}/s, p50 {p50_ms:.1} ms, p99 {p99_ms:.1} ms, errors {errors}"
    );
    for (pid, bytes) in resident {
        let mb = *bytes as f64 / 1e6;
        // Writing into a string does not fail.
        let _ = match bytes {
            0 => write!(line, ", process {pid}: ended"),
            _ => write!(line, ", process {pid}: {mb:.1} MB"),
        };
    }
    line
}

#[cfg(test)]
pub mod tests {
    use super::*;

    fn line(operation: &'static str, answered: u64, errors: u64) -> Latency {
        Latency {
            operation,
            answered,
            errors,
            p50_ms: 6.25,
            p90_ms: 9.0,
            p99_ms: 33.5,
            p999_ms: 120.0,
            max_ms: 1_204.1,
        }
    }

    /// A report with everything in it.
    pub fn example() -> Report {
        Report {
            rate: 200.0,
            seconds: 3,
            reached_per_s: 198.7,
            took_s: 3.02,
            operations: vec![line("issue", 360, 0), line("list", 240, 1)],
            total: line("total", 600, 1),
            answers: BTreeMap::from([
                ("200".to_owned(), 239),
                ("201".to_owned(), 360),
                ("503 indisponivel".to_owned(), 1),
            ]),
            not_reached: 2,
            not_begun: 0,
            late: 4,
            latest_ms: 12.5,
            events: Some(Arrived {
                events: 360,
                repeated: 1,
                forged: 0,
                p50_ms: 21.0,
                p99_ms: 70.5,
                max_ms: 90.0,
            }),
            documents: Some(Documents {
                acknowledged: 360,
                found: 360,
                lost: 0,
                double: 0,
                named: Vec::new(),
            }),
            minutes: Vec::new(),
            by_second: (0..3)
                .map(|at_s| Second {
                    at_s,
                    answered: 200,
                    p50_ms: 6.0 + at_s as f64,
                    p99_ms: 30.0,
                })
                .collect(),
        }
    }

    #[test]
    fn the_text_says_everything() {
        let expected = "\
rate: 198.7/s reached of 200.0/s over 3 s; the last answer came after 3.0 s
begun late: 4 (at most 12.5 ms); not begun: 0; attempts that reached no server: 2

ms          answered  errors       p50       p90       p99     p99.9       max
issue            360       0       6.2       9.0      33.5     120.0    1204.1
list             240       1       6.2       9.0      33.5     120.0    1204.1
total            600       1       6.2       9.0      33.5     120.0    1204.1

answers:
       239  200
       360  201
         1  503 indisponivel

events: 360 arrived, 1 repeated, 0 with a wrong signature; after p50 21.0 ms, p99 70.5 ms, max 90.0 ms

documents: 360 acknowledged, 360 found, 0 lost, 0 double
";
        assert_eq!(example().text(), expected);
        assert!(!example().is_good());
    }

    #[test]
    fn a_minute_is_a_line() {
        let example = Minute {
            number: 3,
            per_s: 200.04,
            p50_ms: 6.1,
            p99_ms: 33.0,
            errors: 0,
            resident: vec![(12, 118_200_000), (13, 0)],
        };
        assert_eq!(
            minute(&example),
            "minute 3: 200.0/s, p50 6.1 ms, p99 33.0 ms, errors 0, process 12: 118.2 MB, process 13: ended"
        );
    }

    #[test]
    fn one_mistake_makes_a_run_bad() {
        let mut good = example();
        good.total.errors = 0;
        assert!(good.is_good());
        let mut lost = good.clone();
        lost.documents = Some(Documents {
            lost: 1,
            ..Documents::default()
        });
        assert!(!lost.is_good());
        let not_begun = Report {
            not_begun: 1,
            ..good
        };
        assert!(!not_begun.is_good());
    }
}
