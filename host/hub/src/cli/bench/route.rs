//! How long the order of the most stops that a route may have takes.

use anyhow::Context as _;
use std::time::{Duration, Instant};
use tools::tour::{self, Ending, MAX_STOPS};

/// Routes that are measured; the slowest counts.
const ROUTES: u32 = 20;
/// Side of the square in which the places lie, metres.
const SIDE_M: u32 = 100_000;

/// Milliseconds of the slowest of some routes of [`MAX_STOPS`] stops: places
/// spread evenly, the way back one tenth longer than the way there.
///
/// # Errors
/// A route is refused: a mistake of ours.
pub(super) fn slowest_order_ms() -> anyhow::Result<f64> {
    let mut slowest = Duration::ZERO;
    for route in 0..ROUTES {
        let metres = distances(route);
        let ending = if route % 2 == 0 {
            Ending::Closed
        } else {
            Ending::Open
        };
        let began = Instant::now();
        let tour = tour::order(MAX_STOPS + 1, &metres, ending).context("route")?;
        slowest = slowest.max(began.elapsed());
        anyhow::ensure!(tour.order.len() == MAX_STOPS + 1, "a stop is missing");
    }
    Ok(slowest.as_secs_f64() * 1_000.0)
}

/// The matrix of one route, the same at every run.
fn distances(route: u32) -> Vec<u32> {
    // Steps without a common factor with the side: no place comes twice.
    let place = |number: u32, step: u64| {
        let spread = (u64::from(number + route * 1_000) + 1).wrapping_mul(step) % u64::from(SIDE_M);
        f64::from(u32::try_from(spread).unwrap_or_default())
    };
    let points: Vec<[f64; 2]> = (0..=u32::try_from(MAX_STOPS).unwrap_or_default())
        .map(|number| [place(number, 61_803), place(number, 38_197 * 7)])
        .collect();
    let mut metres = Vec::with_capacity(points.len() * points.len());
    for (from, [x, y]) in points.iter().enumerate() {
        for (to, [u, v]) in points.iter().enumerate() {
            let straight = (x - u).hypot(y - v);
            let way = if to < from { straight * 1.1 } else { straight };
            metres.push(whole(way));
        }
    }
    metres
}

/// Whole metres of a distance that is far below four thousand kilometres.
fn whole(metres: f64) -> u32 {
    metres.round() as u32
}
