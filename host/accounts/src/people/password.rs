//! Passwords: Argon2id with 19 MiB, two passes, one lane (OWASP's minimum),
//! a few at a time, off the threads that serve calls.

use anyhow::Context as _;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, Version};
use std::sync::Arc;
use tokio::sync::Semaphore;
use zeroize::Zeroizing;

const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// Hashes at the same time: 38 MiB and two threads at most.
const AT_ONCE: usize = 2;

/// Fewest characters of a password, and most (a hash of more is no better).
pub const FEWEST: usize = 10;
const MOST: usize = 200;

/// Makes and checks hashes.
pub struct Hasher(Arc<Semaphore>);

impl Default for Hasher {
    fn default() -> Hasher {
        Hasher(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

fn argon2() -> anyhow::Result<Argon2<'static>> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None)
        .map_err(|error| anyhow::anyhow!("argon2: {error}"))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

impl Hasher {
    /// The hash to store.
    ///
    /// # Errors
    /// The source of randomness failed.
    pub async fn hash(&self, password: Zeroizing<String>) -> anyhow::Result<String> {
        self.run(move || {
            let hash = argon2()?
                .hash_password(password.as_bytes())
                .map_err(|error| anyhow::anyhow!("argon2: {error}"))?;
            Ok(hash.to_string())
        })
        .await
    }

    /// Whether the password is the one of this hash. With no hash it takes as
    /// long and answers no: who asks does not learn whether the person exists.
    ///
    /// # Errors
    /// The stored hash cannot be read.
    pub async fn verify(
        &self,
        password: Zeroizing<String>,
        hash: Option<String>,
    ) -> anyhow::Result<bool> {
        self.run(move || {
            let Some(hash) = hash else {
                drop(argon2()?.hash_password(password.as_bytes()));
                return Ok(false);
            };
            let hash = PasswordHash::new(&hash)
                .map_err(|error| anyhow::anyhow!("stored password: {error}"))?;
            Ok(argon2()?
                .verify_password(password.as_bytes(), &hash)
                .is_ok())
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        let place = self.0.clone().acquire_owned().await.context("hasher")?;
        tokio::task::spawn_blocking(move || {
            let done = work();
            drop(place);
            done
        })
        .await
        .context("hasher")?
    }
}

/// Why a password cannot be taken, for customers.
pub fn weakness(password: &str, email: &str) -> Option<&'static str> {
    let count = password.chars().count();
    if count < FEWEST {
        return Some("Use pelo menos 10 caracteres.");
    }
    if count > MOST {
        return Some("Use até 200 caracteres.");
    }
    let lower = password.to_lowercase();
    let user = email.split('@').next().unwrap_or_default();
    if user.len() > 3 && lower.contains(user) {
        return Some("A senha não pode conter o começo do seu e-mail, antes do @.");
    }
    let first = password.chars().next();
    let one = password.chars().all(|c| Some(c) == first);
    let run = |text: &str| text.contains(&lower);
    if one
        || run("12345678901234567890")
        || run("qwertyuiopasdfghjklzxcvbnm")
        || run("abcdefghijklmnopqrstuvwxyz")
        || lower.starts_with("senha")
        || lower.starts_with("password")
    {
        return Some("Esta senha é fácil de adivinhar.");
    }
    None
}
