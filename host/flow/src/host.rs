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
pub const MEMO_BYTES: usize = 8 << 20;

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
    /// Bytes of the signatures kept: at most [`MEMO_BYTES`].
    pub fn bytes(&self) -> usize {
        self.lock().bytes
    }

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

/// Store data of one step: what the adapter's imports reach.
pub struct StepHost {
    pub(crate) limits: StoreLimits,
    customer: Arc<dyn Customer>,
    memo: Arc<Memo>,
    /// Distinguishes this flow's placeholders from text that looks like one.
    placeholder_tag: String,
    signatures_left: u32,
    log_left: u32,
    log_chars: usize,
    /// Lines the adapter has logged in this step, as far as the limits let it.
    pub logs: Vec<(diagnostics::Level, String)>,
}

impl StepHost {
    /// For one step of a flow with this entropy; `memo` holds the signatures of
    /// the flow's earlier steps.
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
