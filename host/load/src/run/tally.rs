//! What a run counts, in memory that does not grow with it but by a line a second.

use super::mix::Operation;
use crate::histogram::Histogram;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// Seconds whose arrivals may still be answered; a later answer counts into the
/// oldest of them.
const OPEN: usize = 64;

/// One operation of the mix.
#[derive(Default)]
pub struct Counted {
    pub took: Histogram,
    pub errors: u64,
}

/// A second of the run, by when its operations were due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Second {
    pub at_s: u64,
    pub answered: u64,
    pub p50_ms: f64,
    pub p99_ms: f64,
}

/// A minute of the run, by when its operations were answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Minute {
    pub number: u64,
    pub per_s: f64,
    pub p50_ms: f64,
    pub p99_ms: f64,
    pub errors: u64,
    /// Process and its resident memory in bytes; 0: it has ended.
    pub resident: Vec<(u32, u64)>,
}

#[derive(Default)]
pub struct Tally {
    pub operations: [Counted; Operation::ALL.len()],
    /// Answers by what they were: `201`, `422 validacao_previa`, `timeout`.
    pub answers: BTreeMap<String, u64>,
    /// Attempts that reached no server.
    pub not_reached: u64,
    /// Operations that were due while too many others waited.
    pub not_begun: u64,
    /// Operations that began later than they were due, by more than a hair, and the longest wait.
    pub late: u64,
    pub latest: Duration,
    pub minute: Histogram,
    pub minute_errors: u64,
    pub minutes: Vec<Minute>,
    closed: Vec<Second>,
    /// The first second that is open.
    first_open_s: u64,
    open: VecDeque<Histogram>,
}

/// Milliseconds of a duration.
pub fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

impl Tally {
    /// An operation that was due at `at` is over.
    pub fn over(
        &mut self,
        operation: Operation,
        at: Duration,
        took: Duration,
        word: &str,
        good: bool,
    ) {
        let counted = &mut self.operations[operation.place()];
        counted.took.record(took);
        self.minute.record(took);
        if !good {
            counted.errors += 1;
            self.minute_errors += 1;
        }
        match self.answers.get_mut(word) {
            Some(count) => *count += 1,
            None => drop(self.answers.insert(word.to_owned(), 1)),
        }
        self.second(at.as_secs()).record(took);
    }

    /// The histogram of a second.
    fn second(&mut self, second: u64) -> &mut Histogram {
        while self.first_open_s + OPEN as u64 <= second {
            self.close();
        }
        let place = second.saturating_sub(self.first_open_s);
        let place = usize::try_from(place).unwrap_or_default();
        if self.open.len() <= place {
            self.open.resize_with(place + 1, Histogram::default);
        }
        &mut self.open[place]
    }

    fn close(&mut self) {
        let histogram = self.open.pop_front().unwrap_or_default();
        self.closed.push(Second {
            at_s: self.first_open_s,
            answered: histogram.len(),
            p50_ms: ms(histogram.quantile(0.5)),
            p99_ms: ms(histogram.quantile(0.99)),
        });
        self.first_open_s += 1;
    }

    /// All seconds of a run that is over.
    pub fn seconds(&mut self) -> Vec<Second> {
        while !self.open.is_empty() {
            self.close();
        }
        std::mem::take(&mut self.closed)
    }

    /// Ends a minute that took so many seconds.
    pub fn end_minute(&mut self, seconds: f64, resident: Vec<(u32, u64)>) -> Minute {
        let minute = Minute {
            number: self.minutes.len() as u64 + 1,
            per_s: self.minute.len() as f64 / seconds,
            p50_ms: ms(self.minute.quantile(0.5)),
            p99_ms: ms(self.minute.quantile(0.99)),
            errors: self.minute_errors,
            resident,
        };
        self.minute.clear();
        self.minute_errors = 0;
        self.minutes.push(minute.clone());
        minute
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(tally: &mut Tally, second: u64, ms: u64) {
        let (at, took) = (Duration::from_secs(second), Duration::from_millis(ms));
        tally.over(Operation::Get, at, took, "200", ms < 1_000);
    }

    #[test]
    fn operations_count_in_the_second_they_were_due() {
        let mut tally = Tally::default();
        for (second, ms) in [(0, 10), (0, 10), (2, 30), (1, 2_000), (100, 50), (0, 70)] {
            answered(&mut tally, second, ms);
        }
        let seconds = tally.seconds();
        assert_eq!(seconds.len(), 101);
        let counts: Vec<u64> = seconds.iter().map(|second| second.answered).collect();
        // The last one came when second 0 was closed: it is in the oldest that was open.
        assert_eq!(
            (counts[0], counts[1], counts[2], counts[37], counts[100]),
            (2, 1, 1, 1, 1)
        );
        assert!((seconds[0].p99_ms - 10.0).abs() < 0.1);
        assert_eq!(tally.operations[Operation::Get.place()].errors, 1);
    }

    #[test]
    fn each_minute_begins_anew() {
        let mut tally = Tally::default();
        answered(&mut tally, 0, 1_500);
        let first = tally.end_minute(2.0, vec![(7, 1)]);
        assert_eq!((first.number, first.per_s, first.errors), (1, 0.5, 1));
        let second = tally.end_minute(60.0, Vec::new());
        assert_eq!((second.number, second.per_s, second.errors), (2, 0.0, 0));
        assert_eq!(tally.minutes.len(), 2);
    }
}
