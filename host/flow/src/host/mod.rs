//! What an adapter can reach from inside the sandbox: signatures, names of
//! secrets, a bounded log. Nothing else exists for it.

mod audit;
mod memo;

pub use audit::{Asked, Use};
pub use memo::{MEMO_BYTES, Memo};

use crate::contract::permissions::{Given, Permissions};
use crate::contract::{Context, SignError, diagnostics, secrets, signer};
use crate::hex;
use crate::limits::Limits;
use crate::placeholder;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use wasmtime::{StoreLimits, StoreLimitsBuilder};

/// An element that is about to be signed.
pub struct Signing<'a> {
    /// Local name of the signed element, of the root where the whole document is
    /// signed.
    pub name: &'a str,
    /// Its namespace; `""`: none.
    pub namespace: &'a str,
    /// The bytes whose digest the key signs: the canonical `SignedInfo`.
    pub bytes: &'a [u8],
}

/// Says whether an element may be signed, before the key is touched.
pub type Allow<'a> = &'a mut dyn FnMut(&Signing<'_>) -> Result<(), SignError>;

/// The customer's side of a flow, given by the hub.
pub trait Customer: Send + Sync {
    /// Signs an element of a document with the customer's certificate, if `allow`
    /// has nothing against it.
    ///
    /// # Errors
    /// As the contract's `sign-error`.
    fn sign_xml(
        &self,
        xml: &str,
        reference: &str,
        options: &signer::Options,
        allow: Allow<'_>,
    ) -> Result<String, SignError>;

    /// PKCS#1 v1.5 over raw bytes.
    ///
    /// # Errors
    /// As the contract's `sign-error`.
    fn sign_bytes(&self, data: &[u8], algorithm: signer::Algorithm) -> Result<Vec<u8>, SignError>;

    fn certificate(&self) -> Option<signer::Certificate>;

    fn has_secret(&self, name: &str) -> bool;
}

/// What a step of an adapter may do beyond computing.
#[derive(Clone, Default)]
pub struct Granted {
    /// None: the component is from before declarations, the floor alone holds.
    permissions: Option<Arc<Permissions>>,
    given: Given,
}

impl Granted {
    /// By a component's declaration, in a flow with this context.
    #[must_use]
    pub fn new(permissions: Option<Arc<Permissions>>, context: &Context) -> Granted {
        // Options are looked at for elements only.
        let signs = permissions
            .as_ref()
            .is_some_and(|it| !it.elements.is_empty());
        Granted {
            given: if signs {
                Given::of(context)
            } else {
                Given::default()
            },
            permissions,
        }
    }

    fn secret(&self, name: &str) -> bool {
        self.permissions.as_ref().is_none_or(|it| it.secret(name))
    }

    fn element(&self, name: &str, namespace: &str) -> Result<(), SignError> {
        let allowed = |it: &Arc<Permissions>| it.element(name, namespace, &self.given);
        if self.permissions.as_ref().is_none_or(allowed) {
            return Ok(());
        }
        Err(SignError::Unsupported(format!(
            "the adapter does not declare that it signs {name} of namespace {namespace:?}"
        )))
    }

    fn text(&self, data: &[u8]) -> Result<(), SignError> {
        if self.permissions.as_ref().is_none_or(|it| it.text(data)) {
            return Ok(());
        }
        Err(SignError::Unsupported(format!(
            "the adapter does not declare that it signs such a text of {} bytes",
            data.len()
        )))
    }
}

/// Store data of one step: what the adapter's imports reach.
pub struct StepHost {
    pub(crate) limits: StoreLimits,
    customer: Arc<dyn Customer>,
    memo: Arc<Memo>,
    granted: Granted,
    /// The flow's: distinguishes its placeholders from text that looks like one.
    entropy: Box<[u8]>,
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
        granted: Granted,
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
            granted,
            entropy: entropy.into(),
            signatures_left: limits.signatures,
            log_left: limits.log_lines,
            log_chars: limits.log_chars,
            logs: Vec::new(),
        }
    }

    /// Writes down what became of a signature; what failed for another reason than a
    /// prohibition is no use of the key and no attempt at one.
    fn note(&self, asked: Asked, what: &str, sha256: String, refused: Option<&SignError>) {
        let refused = match refused {
            None => None,
            Some(SignError::Unsupported(why)) => Some(why.as_str()),
            Some(_) => return,
        };
        self.memo.note(Use::new(asked, what, sha256, refused));
    }

    fn has_secret(&self, name: &str) -> bool {
        self.granted.secret(name) && self.customer.has_secret(name)
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
        let signed = self.memo.get_or(key, || {
            let (mut what, mut sha256) = (String::new(), String::new());
            let mut allow = |signing: &Signing<'_>| {
                what = format!("{} {{{}}}", signing.name, signing.namespace);
                sha256 = hex(&Sha256::digest(signing.bytes));
                self.granted.element(signing.name, signing.namespace)
            };
            let signed = (self.customer).sign_xml(&xml, &reference, &options, &mut allow);
            self.note(Asked::Element, &what, sha256, signed.as_ref().err());
            signed.map(String::into_bytes)
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
        self.memo.get_or(key, || {
            let allowed = self.granted.text(&data);
            let signed = allowed.and_then(|()| self.customer.sign_bytes(&data, algorithm));
            let sha256 = hex(&Sha256::digest(&data));
            self.note(Asked::Text, "", sha256, signed.as_ref().err());
            signed
        })
    }

    fn customer_certificate(&mut self) -> Option<signer::Certificate> {
        self.customer.certificate()
    }
}

impl secrets::Host for StepHost {
    fn reference(&mut self, name: String, encoding: secrets::Encoding) -> Option<String> {
        self.has_secret(&name)
            .then(|| placeholder::secret(&placeholder::tag(&self.entropy), &name, encoding))
    }

    fn basic_auth(&mut self, user: String, password: String) -> Option<String> {
        (self.has_secret(&user) && self.has_secret(&password))
            .then(|| placeholder::basic(&placeholder::tag(&self.entropy), &user, &password))
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
