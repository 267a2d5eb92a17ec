//! Where randomness comes from, so that a test can decide it.

/// The operating system gave no random bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no randomness available")]
pub struct RandomError;

/// A source of cryptographic randomness.
pub trait Random: Send + Sync {
    /// Fills `out` completely or fails.
    fn fill(&self, out: &mut [u8]) -> Result<(), RandomError>;
}

/// The operating system's generator: what production uses.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsRandom;

impl Random for OsRandom {
    fn fill(&self, out: &mut [u8]) -> Result<(), RandomError> {
        getrandom::fill(out).map_err(|_| RandomError)
    }
}

impl<F> Random for F
where
    F: Fn(&mut [u8]) -> Result<(), RandomError> + Send + Sync,
{
    fn fill(&self, out: &mut [u8]) -> Result<(), RandomError> {
        self(out)
    }
}

/// What `cNF` is drawn from, once for a key.
pub fn random() -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&entropy()[..8]);
    bytes
}

/// The 32 random bytes of a flow.
pub fn entropy() -> Vec<u8> {
    let mut bytes = vec![0; 32];
    if OsRandom.fill(&mut bytes).is_err() {
        // Without a source of randomness nothing of this program is safe.
        std::process::abort();
    }
    bytes
}
