//! Plates that a person or a camera read badly: letters taken for digits and the
//! other way round.

use super::{Plate, PlateError, seven};

/// Most readings that are offered. A text of nothing but 0 or 1 has about a
/// hundred.
pub const MAX_CANDIDATES: usize = 16;

/// Signs that look alike. Of those with the same digit the likelier come first.
const ALIKE: [(u8, u8); 12] = [
    (b'O', b'0'),
    (b'I', b'1'),
    (b'Z', b'2'),
    (b'S', b'5'),
    (b'G', b'6'),
    (b'B', b'8'),
    (b'Q', b'0'),
    (b'D', b'0'),
    (b'L', b'1'),
    (b'A', b'4'),
    (b'T', b'7'),
    (b'J', b'1'),
];

/// A plate that a text may stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The plate.
    pub plate: Plate,
    /// How many signs differ from the text.
    pub changes: u8,
}

/// The plates that a text may stand for, those with the fewest changes first; at
/// most [`MAX_CANDIDATES`]. Signs that look alike are exchanged where the form asks
/// for the other kind; the fifth place, which takes both, stays as it is before it
/// is exchanged.
///
/// # Errors
/// Not seven letters and digits. No plate at all is an empty list.
pub fn candidates(text: &str) -> Result<Vec<Candidate>, PlateError> {
    let signs = seven(text)?;
    let mut found = vec![(0_u8, 0_usize, signs)];
    for (place, sign) in signs.into_iter().enumerate() {
        let options = options(place, sign);
        found = found
            .into_iter()
            .flat_map(|(changes, unlikely, signs)| {
                options.iter().map(move |(option, rank)| {
                    let changed = u8::from(*option != sign);
                    let mut signs = signs;
                    if let Some(sign) = signs.get_mut(place) {
                        *sign = *option;
                    }
                    (changes + changed, unlikely + rank, signs)
                })
            })
            .collect();
    }
    found.sort_unstable();
    Ok(found
        .into_iter()
        .filter_map(|(changes, _, signs)| {
            Some(Candidate {
                plate: Plate::of(signs)?,
                changes,
            })
        })
        .take(MAX_CANDIDATES)
        .collect())
}

/// What may stand at a place (from 0) for a sign, with its rank among what looks
/// alike: 0 is the sign itself.
fn options(place: usize, sign: u8) -> Vec<(u8, usize)> {
    let fits = |option: &u8| match place {
        0..=2 => option.is_ascii_uppercase(),
        4 => true,
        _ => option.is_ascii_digit(),
    };
    let alike = ALIKE
        .iter()
        .enumerate()
        .filter_map(|(rank, (letter, digit))| match sign {
            _ if sign == *letter => Some((*digit, rank + 1)),
            _ if sign == *digit => Some((*letter, rank + 1)),
            _ => None,
        });
    // A sign that fits is not doubted, except where both kinds fit.
    let doubted = place == 4 || !fits(&sign);
    std::iter::once((sign, 0))
        .chain(alike.filter(|_| doubted))
        .filter(|(option, _)| fits(option))
        .collect()
}
