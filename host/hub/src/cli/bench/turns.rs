//! Two sides of a ratio, measured in turns in short rounds: a moment in which the machine
//! is slow hits both.

use anyhow::Context as _;
use std::time::{Duration, Instant};

/// Shortest time of one side in a round, and rounds.
const SHARE: Duration = Duration::from_millis(30);
const ROUNDS: usize = 41;

/// A number of which every round has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rounds {
    pub median: f64,
    /// Half of the rounds lie between these two.
    pub quartiles: (f64, f64),
}

impl Rounds {
    /// # Errors
    /// There was no round.
    pub fn of(mut numbers: Vec<f64>) -> anyhow::Result<Rounds> {
        numbers.sort_by(f64::total_cmp);
        let last = numbers.len().saturating_sub(1);
        let at = |part: usize| numbers.get(last * part / 4).copied();
        let all = (at(2), at(1), at(3));
        let (Some(median), Some(low), Some(high)) = all else {
            anyhow::bail!("nothing was measured");
        };
        Ok(Rounds {
            median,
            quartiles: (low, high),
        })
    }
}

/// Seconds of one call of each side, round by round.
///
/// # Errors
/// A call failed.
pub fn in_turns(
    mut first: impl FnMut() -> anyhow::Result<()>,
    mut second: impl FnMut() -> anyhow::Result<()>,
) -> anyhow::Result<Vec<(f64, f64)>> {
    let calls = (calls_of(&mut first)?, calls_of(&mut second)?);
    let mut rounds = Vec::new();
    for number in 0..ROUNDS {
        // Who begins changes: a machine that slows down favours neither.
        rounds.push(if number % 2 == 0 {
            let one = seconds(&mut first, calls.0)?;
            (one, seconds(&mut second, calls.1)?)
        } else {
            let other = seconds(&mut second, calls.1)?;
            (seconds(&mut first, calls.0)?, other)
        });
    }
    Ok(rounds)
}

/// The first side over the second, round by round.
///
/// # Errors
/// There was no round.
pub fn ratio(rounds: &[(f64, f64)]) -> anyhow::Result<Rounds> {
    Rounds::of(
        rounds
            .iter()
            .map(|(first, second)| first / second)
            .collect(),
    )
}

/// Of sides that were measured before, after and between: each of `inner` over the middle
/// of its neighbours in `outer`, which has one more.
///
/// # Errors
/// There was no round.
pub fn between(inner: &[f64], outer: &[f64]) -> anyhow::Result<Rounds> {
    let neighbours = outer.windows(2).map(|pair| pair.iter().sum::<f64>() / 2.0);
    Rounds::of(
        inner
            .iter()
            .zip(neighbours)
            .map(|(one, other)| one / other)
            .collect(),
    )
}

/// The quickest round of a side: everything else on the machine only adds.
///
/// # Errors
/// There was no round.
pub fn quickest(seconds: impl Iterator<Item = f64>) -> anyhow::Result<f64> {
    seconds
        .min_by(f64::total_cmp)
        .context("nothing was measured")
}

/// How many calls fill a share.
fn calls_of(call: &mut impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<u32> {
    let (began, mut calls) = (Instant::now(), 0);
    while began.elapsed() < SHARE {
        call()?;
        calls += 1;
    }
    Ok(calls)
}

fn seconds(call: &mut impl FnMut() -> anyhow::Result<()>, calls: u32) -> anyhow::Result<f64> {
    let began = Instant::now();
    for _ in 0..calls {
        call()?;
    }
    Ok(began.elapsed().as_secs_f64() / f64::from(calls))
}
