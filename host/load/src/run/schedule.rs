//! When operations arrive. Arrivals are open: they come at a rate, whether or not
//! the server keeps up, so that its stalls are seen by those that wait
//! (no coordinated omission).

use crate::seeded::Seeded;
use std::time::Duration;

/// How arrivals follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gaps {
    /// As independent customers arrive: exponential gaps.
    Exponential,
    Even,
}

/// The moments of arrivals since the begin, in order, until a run is over.
#[derive(Clone, Debug)]
pub struct Schedule {
    gaps: Gaps,
    seeded: Seeded,
    /// Seconds between two arrivals, on average.
    mean_s: f64,
    until_s: f64,
    next_s: f64,
    number: u64,
}

impl Schedule {
    /// `rate` arrivals a second, above 0, for `seconds`.
    pub fn new(gaps: Gaps, rate: f64, seconds: u64, seed: u64) -> Schedule {
        Schedule {
            gaps,
            seeded: Seeded::new(seed),
            mean_s: 1.0 / rate,
            until_s: seconds as f64,
            next_s: 0.0,
            number: 0,
        }
    }
}

impl Iterator for Schedule {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let at = self.next_s;
        if at >= self.until_s {
            return None;
        }
        self.number += 1;
        self.next_s = match self.gaps {
            // Added up, their mistakes would add up.
            Gaps::Even => self.number as f64 * self.mean_s,
            Gaps::Exponential => at + self.seeded.exponential(self.mean_s),
        };
        Some(Duration::from_secs_f64(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_gaps_are_even() {
        let moments: Vec<Duration> = Schedule::new(Gaps::Even, 4.0, 2, 1).collect();
        assert_eq!(moments.len(), 8);
        assert_eq!(moments[3], Duration::from_millis(750));
    }

    #[test]
    fn exponential_gaps_reach_the_rate_and_bunch() {
        let moments: Vec<Duration> = Schedule::new(Gaps::Exponential, 200.0, 600, 1).collect();
        // Four standard deviations of 120,000 arrivals.
        assert!(moments.len().abs_diff(120_000) < 1_400, "{}", moments.len());
        assert!(moments.is_sorted());
        let close = moments
            .windows(2)
            .filter(|two| two[1] - two[0] < Duration::from_millis(1));
        let part = close.count() as f64 / moments.len() as f64;
        assert!(
            (part - 0.181).abs() < 0.01,
            "1 - e^-0.2 of the gaps are below 1 ms: {part}"
        );
    }

    #[test]
    fn a_seed_gives_the_same_arrivals_again() {
        let of = |seed| Schedule::new(Gaps::Exponential, 100.0, 10, seed).collect::<Vec<_>>();
        assert_eq!(of(5), of(5));
        assert_ne!(of(5), of(6));
    }
}
