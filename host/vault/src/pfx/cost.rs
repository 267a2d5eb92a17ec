//! How much key derivation opening one PFX may take.
//!
//! A PFX names its own iteration counts (RFC 7292 §4, RFC 8018 App. A), some
//! of them inside content that another derivation must first decrypt: a
//! hostile file could keep a core busy for hours. So the reader has one purse
//! for the whole file, and pays before each derivation.

use crate::pfx::hash::Hash;

/// What one file may cost, in hashes of a short input. One takes 55 ns on the
/// machine the prices were measured on: about half a second.
///
/// Common exporters use 1 to 600 000 iterations for each of three derivations;
/// the dearest of these combinations come to 9 000 000.
const MAX_COST: u64 = 10_000_000;

/// The file asks for more derivation than one import may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Excessive;

/// What is left to spend.
pub(crate) struct Budget {
    left: u64,
}

impl Budget {
    pub(crate) fn new() -> Self {
        Self { left: MAX_COST }
    }

    /// Pays for a PBKDF2 key of `length` octets. An iteration is an HMAC, two
    /// hashes and OpenSSL's housekeeping.
    pub(crate) fn pbkdf2(
        &mut self,
        hash: Hash,
        iterations: u64,
        length: usize,
    ) -> Result<(), Excessive> {
        let price = match hash {
            Hash::Sha1 | Hash::Sha224 | Hash::Sha256 => 3,
            Hash::Sha384 | Hash::Sha512 => 6,
        };
        self.pay(price, hash, iterations, length)
    }

    /// Pays for a key of PKCS#12's own derivation, an iteration of which is a
    /// plain hash.
    pub(crate) fn pkcs12(
        &mut self,
        hash: Hash,
        iterations: u64,
        length: usize,
    ) -> Result<(), Excessive> {
        let price = match hash {
            Hash::Sha1 | Hash::Sha224 | Hash::Sha256 => 1,
            Hash::Sha384 | Hash::Sha512 => 3,
        };
        self.pay(price, hash, iterations, length)
    }

    /// A key longer than a hash takes several times the iterations.
    fn pay(
        &mut self,
        price: u64,
        hash: Hash,
        iterations: u64,
        length: usize,
    ) -> Result<(), Excessive> {
        let hashes = u64::try_from(length.div_ceil(hash.size()).max(1)).ok();
        let cost = hashes
            .and_then(|hashes| hashes.checked_mul(price))
            .and_then(|each| each.checked_mul(iterations.max(1)));
        self.left = cost
            .and_then(|cost| self.left.checked_sub(cost))
            .ok_or(Excessive)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_exporters_ask_for_is_affordable() {
        // Key, certificates and MAC, each PBKDF2 with 600 000 iterations.
        let mut budget = Budget::new();
        for _ in 0..3 {
            assert_eq!(budget.pbkdf2(Hash::Sha256, 600_000, 32), Ok(()));
        }
        // The same with SHA-512, and the MAC as PKCS#12 has always had it.
        let mut budget = Budget::new();
        for _ in 0..2 {
            assert_eq!(budget.pbkdf2(Hash::Sha512, 600_000, 32), Ok(()));
        }
        assert_eq!(budget.pkcs12(Hash::Sha512, 600_000, 64), Ok(()));
        // Java 12 to 15: 50 000 for the key (24 octets, then the IV) and the
        // certificates (5, then the IV), 100 000 for the MAC.
        let mut budget = Budget::new();
        for (iterations, length) in [
            (50_000, 24),
            (50_000, 8),
            (50_000, 5),
            (50_000, 8),
            (100_000, 20),
        ] {
            assert_eq!(budget.pkcs12(Hash::Sha1, iterations, length), Ok(()));
        }
    }

    #[test]
    fn small_amounts_add_up_and_none_overflows() {
        let mut budget = Budget::new();
        let paid = (0..1_000).take_while(|_| budget.pbkdf2(Hash::Sha1, 100_000, 32).is_ok());
        assert_eq!(paid.count(), 16);
        for iterations in [u64::from(u32::MAX) >> 1, u64::MAX >> 1, u64::MAX] {
            for length in [0, 1, 64, usize::MAX] {
                assert_eq!(
                    Budget::new().pkcs12(Hash::Sha1, iterations, length),
                    Err(Excessive)
                );
                assert_eq!(
                    Budget::new().pbkdf2(Hash::Sha512, iterations, length),
                    Err(Excessive)
                );
            }
        }
    }

    #[test]
    fn a_long_key_costs_each_of_its_blocks() {
        let affordable = |length| {
            Budget::new()
                .pkcs12(Hash::Sha1, MAX_COST / 2, length)
                .is_ok()
        };
        assert!(affordable(40));
        assert!(!affordable(41));
    }
}
