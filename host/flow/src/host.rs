//! What an adapter can reach from inside the sandbox: signatures, names of
//! secrets, a bounded log. Nothing else exists for it.

use crate::contract::{SignError, diagnostics, secrets, signer};
use crate::limits::Limits;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use wasmtime::{StoreLimits, StoreLimitsBuilder};

/// Signed bytes remembered in one flow: twice the largest batch. What does not
/// fit is signed again when it is asked for again.
const MEMO_BYTES: usize = 8 << 20;

/// The customer's side of a flow, given by the hub.
pub trait Customer: Send + Sync {
    /// Signs an element of a document with the customer's certificate.
    ///
    /// # Errors
    /// As the contract's `sign-error`.
    fn sign_xml(
        &self,
        xml: &str,
        reference: &str,
        options: &signer::Options,
    ) -> Result<String, SignError>;

    /// PKCS#1 v1.5 over raw bytes.
    ///
    /// # Errors
    /// As the contract's `sign-error`.
    fn sign_bytes(&self, data: &[u8], algorithm: signer::Algorithm) -> Result<Vec<u8>, SignError>;

    fn certificate(&self) -> Option<signer::Certificate>;

    fn has_secret(&self, name: &str) -> bool;
}

/// Signatures already made in this flow: an adapter that replays its steps
/// asks for the same ones again, and RSA is the dearest thing it can ask.
#[derive(Default)]
pub struct Memo(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    signed: HashMap<[u8; 32], Vec<u8>>,
    bytes: usize,
}

impl Memo {
    fn get_or(
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

/// Store data of one step.
pub(crate) struct StepHost {
    pub limits: StoreLimits,
    pub customer: Arc<dyn Customer>,
    pub memo: Arc<Memo>,
    /// Distinguishes this flow's placeholders from text that looks like one.
    pub placeholder_tag: String,
    pub signatures_left: u32,
    pub log_left: u32,
    pub log_chars: usize,
    pub logs: Vec<(diagnostics::Level, String)>,
}

impl StepHost {
    pub fn new(
        limits: &Limits,
        customer: Arc<dyn Customer>,
        memo: Arc<Memo>,
        entropy: &[u8],
    ) -> Self {
        StepHost {
            limits: StoreLimitsBuilder::new()
                .memory_size(limits.memory_bytes)
                .instances(limits.instances)
                .memories(limits.memories)
                .tables(limits.instances)
                .trap_on_grow_failure(true)
                .build(),
            customer,
            memo,
            placeholder_tag: crate::placeholder::tag(entropy),
            signatures_left: limits.signatures,
            log_left: limits.log_lines,
            log_chars: limits.log_chars,
            logs: Vec::new(),
        }
    }

    fn spend_signature(&mut self) -> Result<(), SignError> {
        self.signatures_left = self
            .signatures_left
            .checked_sub(1)
            .ok_or_else(|| SignError::Unsupported("too many signatures in one step".to_owned()))?;
        Ok(())
    }
}

impl signer::Host for StepHost {
    fn sign_xml(
        &mut self,
        xml: String,
        reference: String,
        options: signer::Options,
    ) -> Result<String, SignError> {
        self.spend_signature()?;
        let key = digest(&[
            b"xml",
            xml.as_bytes(),
            reference.as_bytes(),
            format!("{options:?}").as_bytes(),
        ]);
        let customer = &self.customer;
        let signed = self.memo.get_or(key, || {
            customer
                .sign_xml(&xml, &reference, &options)
                .map(String::into_bytes)
        })?;
        String::from_utf8(signed)
            .map_err(|_| SignError::Other("signed text is not UTF-8".to_owned()))
    }

    fn sign_bytes(
        &mut self,
        data: Vec<u8>,
        algorithm: signer::Algorithm,
    ) -> Result<Vec<u8>, SignError> {
        self.spend_signature()?;
        let key = digest(&[b"raw", &data, format!("{algorithm:?}").as_bytes()]);
        let customer = &self.customer;
        self.memo
            .get_or(key, || customer.sign_bytes(&data, algorithm))
    }

    fn customer_certificate(&mut self) -> Option<signer::Certificate> {
        self.customer.certificate()
    }
}

impl secrets::Host for StepHost {
    fn reference(&mut self, name: String, encoding: secrets::Encoding) -> Option<String> {
        self.customer
            .has_secret(&name)
            .then(|| crate::placeholder::secret(&self.placeholder_tag, &name, encoding))
    }

    fn basic_auth(&mut self, user: String, password: String) -> Option<String> {
        (self.customer.has_secret(&user) && self.customer.has_secret(&password))
            .then(|| crate::placeholder::basic(&self.placeholder_tag, &user, &password))
    }
}

impl diagnostics::Host for StepHost {
    fn log(&mut self, level: diagnostics::Level, message: String) {
        if self.log_left > 0 {
            self.log_left -= 1;
            let message = message
                .chars()
                .filter(|c| !c.is_control())
                .take(self.log_chars)
                .collect();
            self.logs.push((level, message));
        }
    }
}

impl crate::contract::fiscal::provider::control::Host for StepHost {}

fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::diagnostics::{Host as _, Level};
    use crate::contract::signer::Host as _;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Answers every signature with a mebibyte.
    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl Customer for Counting {
        fn sign_xml(&self, xml: &str, _: &str, _: &signer::Options) -> Result<String, SignError> {
            Ok(xml.to_owned())
        }
        fn sign_bytes(&self, _: &[u8], _: signer::Algorithm) -> Result<Vec<u8>, SignError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(vec![0; 1 << 20])
        }
        fn certificate(&self) -> Option<signer::Certificate> {
            None
        }
        fn has_secret(&self, _: &str) -> bool {
            false
        }
    }

    #[test]
    fn logs_are_few_short_and_plain() {
        let limits = Limits::default();
        let mut host = StepHost::new(&limits, Arc::new(Counting::default()), Arc::default(), &[]);
        for _ in 0..10_000 {
            host.log(Level::Info, "a\r\n\u{1b}b".repeat(1_000));
        }
        assert_eq!(host.logs.len(), limits.log_lines as usize);
        assert!(
            host.logs
                .iter()
                .all(|(_, line)| line.chars().count() == limits.log_chars && !line.contains('\n'))
        );
    }

    #[test]
    fn signatures_are_remembered_within_bounds_and_rationed() {
        let limits = Limits::default();
        let customer = Arc::new(Counting::default());
        let memo = Arc::<Memo>::default();
        let sign = |n: u8| {
            let mut host = StepHost::new(&limits, customer.clone(), memo.clone(), &[]);
            host.sign_bytes(vec![n], signer::Algorithm::RsaSha256)
                .map(|signed| signed.len())
        };
        for n in (0..100).chain(0..100) {
            assert_eq!(sign(n), Ok(1 << 20));
        }
        // Eight fit: these were made once, the other 92 twice.
        assert_eq!(customer.0.load(Ordering::Relaxed), 8 + 2 * 92);
        assert_eq!(memo.lock().bytes, MEMO_BYTES);
        let mut host = StepHost::new(&limits, customer, Arc::default(), &[]);
        let made = (0..200_u8)
            .filter(|n| {
                host.sign_bytes(vec![*n], signer::Algorithm::RsaSha1)
                    .is_ok()
            })
            .count();
        assert_eq!(made, limits.signatures as usize);
    }
}
