//! Logs and signatures of a step stay within bounds.

use flow::contract::SignError;
use flow::contract::diagnostics::{Host as _, Level};
use flow::contract::signer::{self, Host as _};
use flow::{Allow, Customer, Granted, Limits, MEMO_BYTES, Memo, StepHost};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Answers every signature with a mebibyte.
#[derive(Default)]
struct Counting(AtomicUsize);

impl Customer for Counting {
    fn sign_xml(
        &self,
        xml: &str,
        _: &str,
        _: &signer::Options,
        _: Allow<'_>,
    ) -> Result<String, SignError> {
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

fn host(limits: &Limits, customer: Arc<dyn Customer>, memo: Arc<Memo>) -> StepHost {
    StepHost::new(limits, customer, memo, Granted::default(), &[])
}

/// A refusal each time is no way to fill the database.
#[test]
fn refusals_are_noted_within_bounds() {
    struct Refusing;
    impl Customer for Refusing {
        fn sign_xml(
            &self,
            _: &str,
            _: &str,
            _: &signer::Options,
            _: Allow<'_>,
        ) -> Result<String, SignError> {
            Err(SignError::NoCertificate)
        }
        fn sign_bytes(&self, _: &[u8], _: signer::Algorithm) -> Result<Vec<u8>, SignError> {
            Err(SignError::Unsupported("nothing".to_owned()))
        }
        fn certificate(&self) -> Option<signer::Certificate> {
            None
        }
        fn has_secret(&self, _: &str) -> bool {
            false
        }
    }
    let memo = Arc::<Memo>::default();
    let mut host = host(&Limits::default(), Arc::new(Refusing), memo.clone());
    for n in 0..100 {
        let signed = host.sign_bytes(vec![n], signer::Algorithm::RsaSha256);
        assert!(matches!(signed, Err(SignError::Unsupported(_))));
    }
    assert_eq!(memo.take_uses().len(), 16);
    assert!(memo.take_uses().is_empty(), "each is written down once");
}

#[test]
fn logs_are_few_short_and_plain() {
    let limits = Limits::default();
    let mut host = host(&limits, Arc::new(Counting::default()), Arc::default());
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
        let mut host = host(&limits, customer.clone(), memo.clone());
        host.sign_bytes(vec![n], signer::Algorithm::RsaSha256)
            .map(|signed| signed.len())
    };
    for n in (0..100).chain(0..100) {
        assert_eq!(sign(n), Ok(1 << 20));
    }
    // Eight fit: these were made once, the other 92 twice.
    assert_eq!(customer.0.load(Ordering::Relaxed), 8 + 2 * 92);
    assert_eq!(memo.bytes(), MEMO_BYTES);
    let mut host = host(&limits, customer, Arc::default());
    let made = (0..200_u8)
        .filter(|n| {
            host.sign_bytes(vec![*n], signer::Algorithm::RsaSha1)
                .is_ok()
        })
        .count();
    assert_eq!(made, limits.signatures as usize);
}
