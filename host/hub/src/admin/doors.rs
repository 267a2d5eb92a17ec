//! What opens the operators' listener: a token, and a second factor where the settings
//! name one.

use accounts::users::totp;
use anyhow::Context as _;
use base::config::Admin;
use openssl::memcmp;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use zeroize::Zeroizing;

/// Characters a token must have: it cannot be guessed, however often somebody tries.
const LEAST: usize = 32;
/// Different characters it must have: one letter many times can be guessed. Of 32 digits at
/// random, one token in seventeen million has fewer.
const DIFFERENT: usize = 6;
/// Permission of a file: everybody on this machine may read it.
const EVERYBODY_READS: u32 = 0o004;
/// Largest file of a token or secret, in bytes.
const FILE_BYTES: u64 = 4 << 10;
/// Wrong codes in a time, after which none is taken until that time is over: a code has
/// six digits.
const WRONG: u32 = 10;
const WRONG_MS: i64 = 15 * 60_000;

/// What a request must bring.
pub(super) struct Doors {
    /// SHA-256 of the token.
    token: [u8; 32],
    /// None: the token alone opens.
    factor: Option<Factor>,
}

/// The secret of the codes, and how they were used.
struct Factor {
    secret: Zeroizing<Vec<u8>>,
    used: Mutex<Used>,
}

#[derive(Default)]
struct Used {
    /// Step of the last code that was taken: it is good for nothing else.
    last: i64,
    /// Wrong codes since a moment.
    wrong: u32,
    since_ms: i64,
}

/// Why a code is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closed {
    /// It is not there, is none, or was used.
    Wrong,
    /// There were too many wrong ones.
    TooMany,
}

impl Doors {
    /// Reads what the settings name.
    ///
    /// # Errors
    /// A file cannot be read, or holds no token or secret: nobody is admitted then.
    pub fn of(settings: &Admin) -> anyhow::Result<Doors> {
        let (token_file, totp_file) = (&settings.token_file, &settings.totp_file);
        let token = token(token_file)
            .with_context(|| format!("admin.token_file {}", token_file.display()))?;
        let factor = if totp_file.as_os_str().is_empty() {
            None
        } else {
            let secret = secret(totp_file)
                .with_context(|| format!("admin.totp_file {}", totp_file.display()))?;
            Some(Factor {
                secret,
                used: Mutex::default(),
            })
        };
        Ok(Doors {
            token: Sha256::digest(token.as_bytes()).into(),
            factor,
        })
    }

    /// Whether a text is the token, in a time that says nothing about it.
    pub fn is_token(&self, given: &str) -> bool {
        memcmp::eq(&Sha256::digest(given), &self.token)
    }

    /// A second factor is asked for.
    pub fn asks_for_code(&self) -> bool {
        self.factor.is_some()
    }

    /// Takes a code, where one is asked for: each is good once, for a change or for a
    /// session. Who calls has shown the token.
    ///
    /// # Errors
    /// It is not taken.
    pub fn takes(&self, code: &str, now_ms: i64) -> Result<(), Closed> {
        let Some(factor) = &self.factor else {
            return Ok(());
        };
        // Nothing was guessed.
        if code.is_empty() {
            return Err(Closed::Wrong);
        }
        let mut used = factor.used.lock().unwrap_or_else(PoisonError::into_inner);
        if !(0..WRONG_MS).contains(&now_ms.saturating_sub(used.since_ms)) {
            (used.wrong, used.since_ms) = (0, now_ms);
        }
        if used.wrong >= WRONG {
            return Err(Closed::TooMany);
        }
        let Some(step) = totp::step_of(&factor.secret, code, now_ms, used.last) else {
            used.wrong += 1;
            if used.wrong == WRONG {
                tracing::error!(
                    "the operators' second factor takes no code for a while: {WRONG} were wrong"
                );
            }
            return Err(Closed::Wrong);
        };
        used.last = step;
        Ok(())
    }
}

/// The one line of a file.
fn line(file: &Path, setting: &str, what: &str) -> anyhow::Result<Zeroizing<String>> {
    let bytes = Zeroizing::new(flow::component::bounded::read(file, FILE_BYTES)?);
    if std::fs::metadata(file)?.mode() & EVERYBODY_READS != 0 {
        tracing::warn!(file = %file.display(), "everybody on this machine can read {setting}");
    }
    let text = std::str::from_utf8(&bytes).with_context(|| format!("{what} is text"))?;
    Ok(Zeroizing::new(text.trim().to_owned()))
}

/// The token of a file: one line, as a header can have it.
fn token(file: &Path) -> anyhow::Result<Zeroizing<String>> {
    let token = line(file, "admin.token_file", "a token")?;
    anyhow::ensure!(
        token.len() >= LEAST,
        "a token has at least {LEAST} characters"
    );
    anyhow::ensure!(
        token.chars().all(|c| c.is_ascii_graphic()),
        "a token is one line of letters, digits and signs"
    );
    let different: BTreeSet<char> = token.chars().collect();
    anyhow::ensure!(
        different.len() >= DIFFERENT,
        "a token has at least {DIFFERENT} different characters"
    );
    Ok(token)
}

/// The secret of a file that `hub second-factor` wrote.
fn secret(file: &Path) -> anyhow::Result<Zeroizing<Vec<u8>>> {
    let text = line(file, "admin.totp_file", "a secret")?;
    totp::from_base32(&text).context("it is no secret of `hub second-factor`")
}
