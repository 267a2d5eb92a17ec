//! What a run of a flow remembers of its signatures.

use super::audit::{Asked, Use};
use crate::contract::SignError;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

/// Signed bytes remembered in one flow: twice the largest batch. What does not
/// fit is signed again when it is asked for again.
pub const MEMO_BYTES: usize = 8 << 20;

/// Refused signatures of one step that are written down.
const REFUSED: usize = 16;

/// Signatures already made in this flow: an adapter that replays its steps
/// asks for the same ones again, and RSA is the dearest thing it can ask.
#[derive(Default)]
pub struct Memo(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    signed: HashMap<[u8; 32], Vec<u8>>,
    bytes: usize,
    /// Since [`Memo::take_uses`].
    uses: Vec<Use>,
}

impl Memo {
    /// Bytes of the signatures kept: at most [`MEMO_BYTES`].
    pub fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// What was signed and refused since this was asked last.
    pub fn take_uses(&self) -> Vec<Use> {
        std::mem::take(&mut self.lock().uses)
    }

    /// Of the refusals of a step the first ones are kept: an adapter may ask for what
    /// it likes as often as it likes.
    pub(crate) fn note(&self, made: Use) {
        let mut kept = self.lock();
        let refused = kept.uses.iter().filter(|made| made.refused.is_some());
        // Of a request there is one in a step.
        let of_request = matches!(made.asked, Asked::Secret | Asked::Certificate);
        if made.refused.is_none() || of_request || refused.count() < REFUSED {
            kept.uses.push(made);
        }
    }

    pub(super) fn get_or(
        &self,
        key: [u8; 32],
        sign: impl FnOnce() -> Result<Vec<u8>, SignError>,
    ) -> Result<Vec<u8>, SignError> {
        if let Some(known) = self.lock().signed.get(&key) {
            return Ok(known.clone());
        }
        let signed = sign()?;
        let mut kept = self.lock();
        if kept.bytes + signed.len() <= MEMO_BYTES {
            kept.bytes += signed.len();
            kept.signed.insert(key, signed.clone());
        }
        Ok(signed)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
