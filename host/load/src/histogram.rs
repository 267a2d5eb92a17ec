//! Latencies in constant memory: a log-linear histogram.
//!
//! Values below 128 µs have a place each. Above, each doubling is cut into 128
//! equal places, so that what is read is at most 1/128 (0.8 %) above what was
//! recorded. It is a hundred lines and merges by adding, which a dependency
//! would not make shorter.

use std::time::Duration;

/// Places of one doubling: 2^7.
const BITS: u32 = 7;
const PLACES: usize = 1 << BITS;
/// Largest value that is told apart: 2^37 µs, 38 hours.
const MOST_BITS: u32 = 37;
const LENGTH: usize = (MOST_BITS - BITS + 1) as usize * PLACES;

/// Durations, counted by their length.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
    max_us: u64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram {
            counts: vec![0; LENGTH],
            total: 0,
            max_us: 0,
        }
    }
}

/// Place of a value.
fn place(us: u64) -> usize {
    let us = us.min((1 << MOST_BITS) - 1);
    let shift = (u64::BITS - us.leading_zeros()).saturating_sub(BITS + 1);
    let within = usize::try_from(us >> shift).unwrap_or(usize::MAX);
    shift as usize * PLACES + within
}

/// Largest value of a place.
fn last(place: usize) -> u64 {
    if place < 2 * PLACES {
        return place as u64;
    }
    let shift = place / PLACES - 1;
    let within = (place % PLACES + PLACES) as u64;
    ((within + 1) << shift) - 1
}

impl Histogram {
    pub fn record(&mut self, took: Duration) {
        let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.counts[place(us)] += 1;
        self.total += 1;
        self.max_us = self.max_us.max(us);
    }

    /// Adds what another one counted.
    pub fn merge(&mut self, other: &Histogram) {
        for (own, more) in self.counts.iter_mut().zip(&other.counts) {
            *own += more;
        }
        self.total += other.total;
        self.max_us = self.max_us.max(other.max_us);
    }

    /// Forgets everything; keeps its memory.
    pub fn clear(&mut self) {
        self.counts.fill(0);
        (self.total, self.max_us) = (0, 0);
    }

    pub fn len(&self) -> u64 {
        self.total
    }

    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The longest, exactly.
    pub fn max(&self) -> Duration {
        Duration::from_micros(self.max_us)
    }

    /// What so large a part (0 to 1) took at most, never below the truth; zero
    /// where nothing was recorded.
    pub fn quantile(&self, part: f64) -> Duration {
        let rank = (part.clamp(0.0, 1.0) * self.total as f64).ceil().max(1.0);
        let mut seen = 0;
        for (place, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen as f64 >= rank {
                return Duration::from_micros(last(place).min(self.max_us));
            }
        }
        self.max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeded::Seeded;

    #[test]
    fn every_place_holds_the_values_it_says() {
        for us in (0..3_000).chain((12..37).flat_map(|n| [(1 << n) - 1, 1 << n, (1 << n) + 77])) {
            let upper = last(place(us));
            assert!(upper >= us, "{us}");
            assert!(upper - us <= us / 128, "{us}: {upper}");
        }
        assert_eq!(place(u64::MAX), LENGTH - 1);
    }

    #[test]
    fn quantiles_are_within_one_percent() {
        let mut seeded = Seeded::new(7);
        let mut all: Vec<u64> = (0..20_000)
            .map(|_| seeded.exponential(9_000.0) as u64)
            .collect();
        let mut histogram = Histogram::default();
        for us in &all {
            histogram.record(Duration::from_micros(*us));
        }
        all.sort_unstable();
        for (part, place) in [(0.5, 9_999), (0.9, 17_999), (0.99, 19_799), (0.999, 19_979)] {
            let exact = all[place] as f64;
            let told = histogram.quantile(part).as_micros() as f64;
            assert!(
                told >= exact && told <= exact * 1.01 + 1.0,
                "{part}: {exact} {told}"
            );
        }
        assert_eq!(histogram.max().as_micros() as u64, all[19_999]);
        assert_eq!(histogram.quantile(1.0), histogram.max());
    }

    #[test]
    fn parts_together_are_the_whole() {
        let mut seeded = Seeded::new(8);
        let (mut one, mut two, mut whole) = (
            Histogram::default(),
            Histogram::default(),
            Histogram::default(),
        );
        for n in 0..5_000 {
            let took = Duration::from_micros(seeded.exponential(50_000.0) as u64);
            if n % 3 == 0 {
                one.record(took)
            } else {
                two.record(took)
            }
            whole.record(took);
        }
        one.merge(&two);
        assert_eq!((one.len(), one.max()), (whole.len(), whole.max()));
        for part in [0.0, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0] {
            assert_eq!(one.quantile(part), whole.quantile(part));
        }
        one.clear();
        assert!(one.is_empty());
        assert_eq!(one.quantile(0.5), Duration::ZERO);
    }
}
