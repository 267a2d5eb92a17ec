//! Numbers that look random and are the same for the same seed (SplitMix64, by
//! Steele, Lea and Flood, 2014): a run can be made again. Nothing secret.

/// The increment of the generator, odd and without pattern.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// A sequence of numbers.
#[derive(Clone, Debug)]
pub struct Seeded(u64);

/// Mixes the bits of a number.
fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Seeded {
    pub fn new(seed: u64) -> Seeded {
        Seeded(seed)
    }

    /// A sequence of its own for each number: work can be taken up anywhere.
    pub fn of(seed: u64, number: u64) -> Seeded {
        Seeded(mixed(seed ^ mixed(number.wrapping_mul(STEP))))
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mixed(self.0)
    }

    /// A number below a limit; 0 where the limit is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        let product = u128::from(self.bits()) * u128::from(limit);
        u64::try_from(product >> 64).unwrap_or_default()
    }

    /// From 0 to 1, 1 left out.
    pub fn part(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Exponentially distributed around a mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -(1.0 - self.part()).ln() * mean
    }

    /// One of a list.
    ///
    /// # Errors
    /// None where the list is empty.
    pub fn one<'l, T>(&mut self, list: &'l [T]) -> Option<&'l T> {
        let place = self.below(list.len() as u64);
        list.get(usize::try_from(place).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_again() {
        let numbers =
            |mut seeded: Seeded| -> Vec<u64> { (0..100).map(|_| seeded.bits()).collect() };
        assert_eq!(numbers(Seeded::new(1)), numbers(Seeded::new(1)));
        assert_ne!(numbers(Seeded::new(1)), numbers(Seeded::new(2)));
        assert_ne!(numbers(Seeded::of(1, 1)), numbers(Seeded::of(1, 2)));
    }

    #[test]
    fn numbers_stay_below_their_limit_and_reach_all_of_it() {
        let mut seeded = Seeded::new(3);
        let mut seen = [0_u32; 10];
        for _ in 0..10_000 {
            let number = usize::try_from(seeded.below(10)).expect("small");
            seen[number] += 1;
        }
        assert!(
            seen.iter().all(|count| (800..1_200).contains(count)),
            "{seen:?}"
        );
        assert_eq!(seeded.below(0), 0);
    }
}
