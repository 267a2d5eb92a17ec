//! The order of stops: a short way through all of them.
//!
//! Nearest neighbour from several starts, then exchanges of two edges (2-opt) and
//! moves of short runs of stops (Or-opt) as long as they shorten the way, then
//! rounds that cut the best way in four and repair it. Nothing is random: the same
//! matrix always gives the same order. All work is bounded by constants.

mod costs;
mod path;
mod search;

use costs::Costs;
use path::Path;

/// Most stops between the first one and a fixed last one.
pub const MAX_STOPS: usize = 100;
/// Most places of a matrix: the stops, the first and a fixed last one.
pub const MAX_PLACES: usize = MAX_STOPS + 2;

/// Why stops are not put in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TourError {
    /// No place, or more than [`MAX_PLACES`].
    #[error("{0} places, possible are 1 to {max}", max = MAX_PLACES)]
    Places(usize),
    /// The matrix has not as many distances as places times places.
    #[error("{found} distances, expected {expected}")]
    Matrix {
        /// Places times places.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// The fixed last stop is the first one, or none of the matrix.
    #[error("place {0} cannot be the last stop")]
    End(usize),
}

/// How the way ends. It always begins at place 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Back at place 0.
    Closed,
    /// At whatever stop is best.
    Open,
    /// At this place.
    At(usize),
}

/// An order of all places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tour {
    /// Places in the order of the way. Begins with 0; a closed way does not name 0
    /// again at its end.
    pub order: Vec<usize>,
    /// Metres of this way, with the way back if it is closed.
    pub length_m: u64,
    /// Metres of the order that was sent: 0, 1, 2, ..., a fixed last stop moved
    /// to the end. Never below `length_m`.
    pub sent_m: u64,
}

/// Puts stops in order.
///
/// `metres` has the distance from each of `places` places to each, row by row; the
/// two directions may differ. The result is at most a few percent longer than the
/// best (the tests compare it with TSPLIB: at most 3 %).
///
/// # Errors
/// Too many places, a matrix of another size, an impossible last stop.
pub fn order(places: usize, metres: &[u32], ending: Ending) -> Result<Tour, TourError> {
    if !(1..=MAX_PLACES).contains(&places) {
        return Err(TourError::Places(places));
    }
    let expected = places * places;
    if metres.len() != expected {
        let found = metres.len();
        return Err(TourError::Matrix { expected, found });
    }
    if let Ending::At(end) = ending
        && (end == 0 || end >= places)
    {
        return Err(TourError::End(end));
    }
    let costs = Costs::new(places, metres, ending);
    let sent = Path::new(&costs, costs.as_sent());
    let sent_m = sent.length();
    let best = search::shorten(&costs, sent);
    let length_m = best.length();
    let mut order = best.into_order();
    if !matches!(ending, Ending::At(_)) {
        // What stood for the way back, or for the free end, is no place.
        order.pop();
    }
    Ok(Tour {
        order,
        length_m,
        sent_m,
    })
}
