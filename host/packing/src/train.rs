//! Dictionaries made of samples.

use crate::{Record, frame};
use std::io;

/// Bytes of a dictionary: zstd's own default.
pub const MAX_DICTIONARY: usize = 112_640;

/// Samples that training takes at least.
const FEWEST: usize = 8;

/// Why there is no dictionary.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    #[error(
        "{0} records are too few to learn from; {FEWEST} and more are needed, hundreds are better"
    )]
    TooFew(usize),
    #[error("zstd: {0}")]
    Zstd(#[from] io::Error),
}

/// A dictionary of what the records have in common; `aside` as in [`Record::pack`].
///
/// # Errors
/// There are too few of them, or they have nothing in common.
pub fn train(records: &[Record], aside: impl Fn(&str) -> bool) -> Result<Vec<u8>, TrainError> {
    if records.len() < FEWEST {
        return Err(TrainError::TooFew(records.len()));
    }
    let samples: Vec<Vec<u8>> = records
        .iter()
        .map(|record| frame::written(record, &aside).0)
        .collect();
    Ok(zstd::dict::from_samples(&samples, MAX_DICTIONARY)?)
}
