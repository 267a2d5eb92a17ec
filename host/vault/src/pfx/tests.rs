//! PFX files made by hand: layouts no exporter has, and counts no honest one.

use std::sync::LazyLock;

use openssl::nid::Nid;
use openssl::pkcs12::Pkcs12;
use openssl::provider::Provider;
use openssl::symm::{Cipher, encrypt};

use super::cost::Excessive;
use super::*;
use crate::a1;
use crate::testkit::{self, Holder, NOW_MS, tlv};

const PASSWORD: &str = "segredo 123";
const SALT: &[u8] = b"saltsalt";
/// Hours, were it obeyed.
const ENDLESS: u64 = 0x7fff_ffff;

const PBES2: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0d];
const PBKDF2: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0c];
const SCRYPT: &[u8] = &[0x2b, 0x06, 0x01, 0x04, 0x01, 0xda, 0x47, 0x04, 0x0b];
const AES_256_CBC: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x2a];
const HMAC_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x09];
const SHA256: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01];

/// RC2 and single DES live in OpenSSL's legacy provider.
static LEGACY: LazyLock<Provider> =
    LazyLock::new(|| Provider::try_load(None, "legacy", true).unwrap());

fn seq(parts: &[&[u8]]) -> Vec<u8> {
    tlv(0x30, &parts.concat())
}

fn oid(oid: &[u8]) -> Vec<u8> {
    tlv(0x06, oid)
}

fn integer(number: u64) -> Vec<u8> {
    let octets = [&[0][..], &number.to_be_bytes()].concat();
    let first = octets.windows(2).position(|w| w[0] != 0 || w[1] > 0x7f);
    tlv(0x02, &octets[first.unwrap_or(octets.len() - 1)..])
}

/// How a layer is encrypted: with which scheme and how many iterations.
#[derive(Clone, Copy)]
enum Scheme {
    Modern(u64),
    /// The last arc of the OID in RFC 7292 App. C.
    Legacy(u8, u64),
}

impl Scheme {
    fn iterations(self) -> u64 {
        match self {
            Self::Modern(iterations) | Self::Legacy(_, iterations) => iterations,
        }
    }

    fn with(self, iterations: u64) -> Self {
        match self {
            Self::Modern(_) => Self::Modern(iterations),
            Self::Legacy(arc, _) => Self::Legacy(arc, iterations),
        }
    }

    fn algorithm(self) -> Vec<u8> {
        let count = integer(self.iterations());
        match self {
            Self::Modern(_) => {
                let prf = seq(&[&oid(HMAC_SHA256), &[5, 0]]);
                let kdf = seq(&[&oid(PBKDF2), &seq(&[&tlv(0x04, SALT), &count, &prf])]);
                let cipher = seq(&[&oid(AES_256_CBC), &tlv(0x04, &[7; 16])]);
                seq(&[&oid(PBES2), &seq(&[&kdf, &cipher])])
            }
            Self::Legacy(arc, _) => {
                let scheme = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c, 0x01, arc];
                seq(&[&oid(&scheme), &seq(&[&tlv(0x04, SALT), &count])])
            }
        }
    }

    /// Really encrypts, unless the count is endless: then any octets will do.
    fn encrypt(self, clear: &[u8]) -> Vec<u8> {
        if self.iterations() == ENDLESS {
            return vec![0; clear.len().next_multiple_of(16)];
        }
        let (password, salted) = (
            Password::new(PASSWORD),
            Salted {
                salt: SALT,
                iterations: self.iterations(),
            },
        );
        let (cipher, key, iv) = match self {
            Self::Modern(_) => {
                let key = kdf::pbkdf2(Hash::Sha256, &password, salted, 32, &mut Budget::new());
                (Cipher::aes_256_cbc(), key.unwrap(), vec![7; 16])
            }
            Self::Legacy(arc, _) => {
                LazyLock::force(&LEGACY);
                let nid = match arc {
                    3 => Nid::DES_EDE3_CBC,
                    4 => Nid::DES_EDE_CBC,
                    5 => Nid::RC2_CBC,
                    _ => Nid::RC2_40_CBC,
                };
                let cipher = Cipher::from_nid(nid).unwrap();
                let derive = |purpose, length| {
                    let budget = &mut Budget::new();
                    kdf::pkcs12(Hash::Sha1, purpose, &password, salted, length, budget).unwrap()
                };
                let iv = derive(Purpose::Iv, 8).to_vec();
                (cipher, derive(Purpose::Key, cipher.key_len()), iv)
            }
        };
        encrypt(cipher, &key, Some(&iv), clear).unwrap()
    }
}

fn bag(kind: u8, value: &[u8]) -> Vec<u8> {
    let kind = oid(&[BAG_TYPES, &[kind]].concat());
    seq(&[&kind, &tlv(0xa0, value)])
}

fn private_key() -> Vec<u8> {
    let leaf = testkit::leaf(&Holder::default());
    leaf.key.private_key_to_pkcs8().unwrap()
}

fn shrouded(scheme: Scheme) -> Vec<u8> {
    let encrypted = scheme.encrypt(&private_key());
    bag(2, &seq(&[&scheme.algorithm(), &tlv(0x04, &encrypted)]))
}

fn certificate() -> Vec<u8> {
    let leaf = testkit::leaf(&Holder::default());
    let der = leaf.certificate.to_der().unwrap();
    let value = tlv(0xa0, &tlv(0x04, &der));
    bag(3, &seq(&[&oid(X509_CERTIFICATE), &value]))
}

/// A safe whose bags anybody may list.
fn open_safe(bags: &[&[u8]]) -> Vec<u8> {
    seq(&[&oid(DATA), &tlv(0xa0, &tlv(0x04, &seq(bags)))])
}

fn encrypted_safe(scheme: Scheme, bags: &[&[u8]]) -> Vec<u8> {
    let encrypted = tlv(0x80, &scheme.encrypt(&seq(bags)));
    let info = seq(&[&oid(DATA), &scheme.algorithm(), &encrypted]);
    let data = seq(&[&integer(0), &info]);
    seq(&[&oid(ENCRYPTED_DATA), &tlv(0xa0, &data)])
}

/// Without a MAC.
fn bare(safes: &[&[u8]]) -> Vec<u8> {
    seq(&[&integer(3), &open_safe(safes)])
}

fn hmac(key: &[u8], safes: &[u8]) -> Vec<u8> {
    let key = PKey::hmac(key).unwrap();
    let mut signer = Signer::new(Hash::Sha256.message_digest(), &key).unwrap();
    signer.sign_oneshot_to_vec(safes).unwrap()
}

/// With the MAC all exporters add, 2048 iterations of SHA-256.
fn file(safes: &[&[u8]]) -> Vec<u8> {
    let salted = Salted {
        salt: SALT,
        iterations: 2048,
    };
    let (password, budget) = (Password::new(PASSWORD), &mut Budget::new());
    let key = kdf::pkcs12(Hash::Sha256, Purpose::Mac, &password, salted, 32, budget).unwrap();
    let digest = tlv(0x04, &hmac(&key, &seq(safes)));
    let info = seq(&[&seq(&[&oid(SHA256), &[5, 0]]), &digest]);
    let mac = seq(&[&info, &tlv(0x04, SALT), &integer(2048)]);
    seq(&[&integer(3), &open_safe(safes), &mac])
}

/// RFC 9879: the MAC's key comes from PBKDF2.
fn file_with_pbmac1(safes: &[&[u8]], iterations: u64) -> Vec<u8> {
    let salted = Salted {
        salt: SALT,
        iterations: iterations.min(2048),
    };
    let (password, budget) = (Password::new(PASSWORD), &mut Budget::new());
    let key = kdf::pbkdf2(Hash::Sha256, &password, salted, 32, budget).unwrap();
    let prf = seq(&[&oid(HMAC_SHA256), &[5, 0]]);
    let parameters = [&tlv(0x04, SALT), &integer(iterations), &integer(32), &prf];
    let kdf = seq(&[&oid(PBKDF2), &seq(&parameters.map(Vec::as_slice))]);
    let algorithm = seq(&[&oid(PBMAC1), &seq(&[&kdf, &prf])]);
    let info = seq(&[&algorithm, &tlv(0x04, &hmac(&key, &seq(safes)))]);
    let mac = seq(&[&info, &tlv(0x04, b"unused"), &integer(1)]);
    seq(&[&integer(3), &open_safe(safes), &mac])
}

fn refusal(pfx: &[u8], password: &str) -> Option<PfxError> {
    open(pfx, password, &mut Budget::new()).err()
}

/// The file opens, to a key and a certificate, here as with OpenSSL.
fn assert_opens(pfx: &[u8]) {
    let contents = open(pfx, PASSWORD, &mut Budget::new());
    let contents = contents.unwrap_or_else(|error| panic!("{error:?}"));
    assert!(contents.key_pkcs8.as_deref() == Some(&private_key()));
    assert_eq!(contents.certificates.len(), 1);
    let theirs = Pkcs12::from_der(pfx).unwrap().parse2(PASSWORD).unwrap();
    assert!(theirs.pkey.is_some());
    assert!(theirs.cert.is_some() || theirs.ca.is_some());
    assert_eq!(refusal(pfx, "outra"), Some(PfxError::WrongPassword));
}

const SCHEMES: [Scheme; 5] = [
    Scheme::Modern(2048),
    Scheme::Legacy(3, 2048),
    Scheme::Legacy(4, 2048),
    Scheme::Legacy(5, 2048),
    Scheme::Legacy(6, 2048),
];

#[test]
fn any_layout_opens() {
    for scheme in SCHEMES {
        let (key, certificate) = (shrouded(scheme), certificate());
        // Key in an open safe, certificates in an encrypted one, as exporters
        // write them, in either order.
        let usual = [open_safe(&[&key]), encrypted_safe(scheme, &[&certificate])];
        assert_opens(&file(&[&usual[0], &usual[1]]));
        assert_opens(&file(&[&usual[1], &usual[0]]));
        assert_opens(&bare(&[&usual[0], &usual[1]]));
        // The key encrypted twice; bags in a bag; nothing encrypted at all.
        let nested = bag(6, &seq(&[&key, &certificate]));
        assert_opens(&file(&[&encrypted_safe(scheme, &[&key, &certificate])]));
        assert_opens(&file(&[&encrypted_safe(scheme, &[&nested])]));
        assert_opens(&file(&[&open_safe(&[
            &bag(1, &private_key()),
            &certificate,
        ])]));
    }
    assert_opens(&file_with_pbmac1(
        &[&open_safe(&[&shrouded(Scheme::Modern(1)), &certificate()])],
        2048,
    ));
}

#[test]
fn endless_counts_are_refused_in_every_layer() {
    for outer in SCHEMES {
        for inner in SCHEMES {
            let key = shrouded(inner.with(ENDLESS));
            let nested = bag(6, &seq(&[&bag(6, &seq(&[&key]))]));
            for safe in [
                // The file seen in the attack.
                encrypted_safe(outer, &[&key]),
                encrypted_safe(outer, &[&certificate(), &key]),
                encrypted_safe(outer, &[&nested]),
                open_safe(&[&key]),
                open_safe(&[&nested]),
                encrypted_safe(outer.with(ENDLESS), &[&key]),
            ] {
                assert_eq!(
                    refusal(&file(&[&safe]), PASSWORD),
                    Some(PfxError::Excessive)
                );
                assert_eq!(
                    refusal(&bare(&[&safe]), PASSWORD),
                    Some(PfxError::Excessive)
                );
            }
        }
    }
    let safe = open_safe(&[&certificate()]);
    let answer = refusal(&file_with_pbmac1(&[&safe], ENDLESS), PASSWORD);
    assert_eq!(answer, Some(PfxError::Excessive));
}

#[test]
fn the_import_says_what_is_wrong_with_such_a_file() {
    let key = shrouded(Scheme::Modern(ENDLESS));
    let pfx = file(&[&encrypted_safe(Scheme::Modern(2048), &[&key])]);
    assert!(pfx.len() < 2_500);
    let expected = "os parâmetros de proteção da senha são excessivos".to_owned();
    assert_eq!(
        a1::import(&pfx, PASSWORD, NOW_MS).err(),
        Some(a1::A1Error::Invalid(expected))
    );
    // Who does not know the password learns nothing else.
    for wrong in ["outra", "coração", ""] {
        assert_eq!(
            a1::import(&pfx, wrong, NOW_MS).err(),
            Some(a1::A1Error::WrongPassword)
        );
    }
}

#[test]
fn one_budget_pays_for_all_layers() {
    let safe = encrypted_safe(Scheme::Modern(1_000), &[&certificate()]);
    let two = bare(&[&safe, &safe]);
    // Leaves 10 000, and each safe costs 3 000.
    let mut budget = Budget::new();
    let spend = |budget: &mut Budget, iterations| budget.pkcs12(Hash::Sha1, iterations, 20);
    assert_eq!(spend(&mut budget, 9_990_000), Ok(()));
    assert_eq!(
        open(&two, PASSWORD, &mut budget)
            .unwrap()
            .certificates
            .len(),
        2
    );
    let again = open(&two, PASSWORD, &mut budget).err();
    assert_eq!(again, Some(PfxError::Excessive));
    assert_eq!(spend(&mut budget, 1_001), Err(Excessive));
}

#[test]
fn too_many_parts_and_too_deep_ones_are_refused() {
    let many: Vec<u8> = certificate().repeat(MAX_CERTIFICATES + 1);
    let answer = refusal(&file(&[&open_safe(&[&many])]), PASSWORD);
    assert_eq!(answer, Some(PfxError::TooManyCertificates));

    let secrets = bag(5, &[]).repeat(MAX_PARTS);
    let answer = refusal(&file(&[&open_safe(&[&secrets])]), PASSWORD);
    assert_eq!(answer, Some(PfxError::TooManyCertificates));

    let deep = |levels: u32| (0..levels).fold(certificate(), |inner, _| bag(6, &seq(&[&inner])));
    let deepest = file(&[&open_safe(&[&deep(MAX_NESTED - 1)])]);
    assert_eq!(refusal(&deepest, PASSWORD), None);
    let deeper = file(&[&open_safe(&[&deep(MAX_NESTED)])]);
    assert_eq!(refusal(&deeper, PASSWORD), Some(PfxError::Damaged));
}

#[test]
fn damage_and_foreign_algorithms_are_told_apart_from_a_wrong_password() {
    let cut = open_safe(&[&certificate(), &[0x30, 9, 1]]);
    assert_eq!(refusal(&file(&[&cut]), PASSWORD), Some(PfxError::Damaged));
    assert_eq!(
        refusal(&bare(&[&cut]), PASSWORD),
        Some(PfxError::WrongPassword)
    );

    let cost = [integer(16_384), integer(8), integer(1)].concat();
    let scrypt = seq(&[&oid(SCRYPT), &seq(&[&tlv(0x04, SALT), &cost])]);
    let cipher = seq(&[&oid(AES_256_CBC), &tlv(0x04, &[7; 16])]);
    let algorithm = seq(&[&oid(PBES2), &seq(&[&scrypt, &cipher])]);
    let key = bag(2, &seq(&[&algorithm, &tlv(0x04, &[0; 32])]));
    let rc4 = encrypted_safe(Scheme::Legacy(1, ENDLESS), &[&key]);
    let signed = seq(&[&oid(&[0x2a, 0x03]), &tlv(0xa0, &tlv(0x04, &[]))]);
    for foreign in [
        file(&[&open_safe(&[&key])]),
        file(&[&rc4]),
        seq(&[&integer(3), &signed]),
    ] {
        assert_eq!(refusal(&foreign, PASSWORD), Some(PfxError::Unsupported));
    }

    // A negative count is as good as infinite.
    let negative = seq(&[&tlv(0x04, SALT), &[0x02, 1, 0x80]]);
    let scheme = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c, 0x01, 3];
    let algorithm = seq(&[&oid(&scheme), &negative]);
    let key = bag(2, &seq(&[&algorithm, &tlv(0x04, &[0; 8])]));
    let answer = refusal(&file(&[&open_safe(&[&key])]), PASSWORD);
    assert_eq!(answer, Some(PfxError::Excessive));
}

#[test]
fn a_key_that_is_not_rsa_is_not_even_read() {
    // DSA with numbers of 320 000 bits: OpenSSL would compute the public half
    // on reading it.
    let dsa = oid(&[0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x01]);
    let number = tlv(0x02, &[0x7f; 40_000]);
    let domain = seq(&[&number, &integer(257), &integer(3)]);
    let algorithm = seq(&[&dsa, &domain]);
    let key = seq(&[&integer(0), &algorithm, &tlv(0x04, &number)]);
    let pfx = file(&[&open_safe(&[&bag(1, &key), &certificate()])]);
    let answer = a1::import(&pfx, PASSWORD, NOW_MS).err();
    let expected = "a chave não é RSA".to_owned();
    assert_eq!(answer, Some(a1::A1Error::NotA1(expected)));
}
