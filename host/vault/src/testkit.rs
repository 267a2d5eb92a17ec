//! Certificates, keys and folders for the vault's own tests. All generated.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use openssl::asn1::{Asn1Integer, Asn1Object, Asn1Time};
use openssl::bn::BigNum;
use openssl::ec::{EcGroup, EcKey};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::x509::extension::{BasicConstraints, SubjectAlternativeName};
use openssl::x509::{X509, X509Builder, X509Name, X509NameRef};

/// 2026-01-01T00:00:00Z.
pub const VALID_FROM_MS: i64 = 1_767_225_600_000;
/// 2027-01-01T00:00:00Z.
pub const VALID_UNTIL_MS: i64 = 1_798_761_600_000;
/// A moment in between.
pub const NOW_MS: i64 = VALID_FROM_MS + 86_400_000;

/// A certificate with its key.
#[derive(Clone)]
pub struct Leaf {
    pub certificate: X509,
    pub key: PKey<Private>,
}

/// What a generated end-user certificate says.
pub struct Holder<'a> {
    pub common_name: &'a str,
    /// otherName 2.16.76.1.3.3.
    pub cnpj: Option<&'a str>,
    /// otherName 2.16.76.1.3.1.
    pub natural_person: Option<&'a str>,
    pub ca: bool,
    pub key: Option<PKey<Private>>,
    pub valid_ms: (i64, i64),
}

impl Default for Holder<'_> {
    fn default() -> Self {
        Self {
            common_name: "EMPRESA DE TESTE LTDA:11222333000181",
            cnpj: None,
            natural_person: None,
            ca: false,
            key: None,
            valid_ms: (VALID_FROM_MS, VALID_UNTIL_MS),
        }
    }
}

/// Making RSA keys is slow: tests share these.
static KEYS: LazyLock<[PKey<Private>; 3]> = LazyLock::new(|| [rsa(2048), rsa(2048), rsa(2048)]);

static ROOT: LazyLock<Leaf> = LazyLock::new(|| {
    let holder = Holder {
        common_name: "AC RAIZ DE TESTE",
        ca: true,
        ..Holder::default()
    };
    let key = KEYS[1].clone();
    let certificate = build(&holder, &key, None);
    Leaf { certificate, key }
});

static AUTHORITY: LazyLock<Leaf> = LazyLock::new(|| {
    let holder = Holder {
        common_name: "AC DE TESTE",
        ca: true,
        ..Holder::default()
    };
    let key = KEYS[2].clone();
    let certificate = build(&holder, &key, Some(&ROOT));
    Leaf { certificate, key }
});

/// The self-signed root.
pub fn root() -> Leaf {
    ROOT.clone()
}

/// The authority that issues [`leaf`]s.
pub fn authority() -> Leaf {
    AUTHORITY.clone()
}

/// An end user's certificate.
pub fn leaf(holder: &Holder<'_>) -> Leaf {
    let key = holder.key.clone().unwrap_or_else(|| KEYS[0].clone());
    Leaf {
        certificate: build(holder, &key, Some(&AUTHORITY)),
        key,
    }
}

/// A certificate for `key`, self-signed without `issuer`.
pub fn issue(holder: &Holder<'_>, key: &PKey<Private>, issuer: Option<&Leaf>) -> Leaf {
    Leaf {
        certificate: build(holder, key, issuer),
        key: key.clone(),
    }
}

pub fn rsa(bits: u32) -> PKey<Private> {
    PKey::from_rsa(Rsa::generate(bits).unwrap()).unwrap()
}

pub fn ec_key() -> PKey<Private> {
    let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap();
    PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap()
}

fn build(holder: &Holder<'_>, key: &PKey<Private>, issuer: Option<&Leaf>) -> X509 {
    let mut builder = X509Builder::new().unwrap();
    builder.set_version(2).unwrap();
    let serial = BigNum::from_u32(7).unwrap();
    builder
        .set_serial_number(&Asn1Integer::from_bn(&serial).unwrap())
        .unwrap();
    let subject = name(holder.common_name);
    builder.set_subject_name(&subject).unwrap();
    let issuer_name: &X509NameRef = issuer.map_or(&subject, |i| i.certificate.subject_name());
    builder.set_issuer_name(issuer_name).unwrap();
    let (from, until) = holder.valid_ms;
    builder
        .set_not_before(&Asn1Time::from_unix(from / 1000).unwrap())
        .unwrap();
    builder
        .set_not_after(&Asn1Time::from_unix(until / 1000).unwrap())
        .unwrap();
    builder.set_pubkey(key).unwrap();
    let mut constraints = BasicConstraints::new();
    if holder.ca {
        constraints.ca();
    }
    builder
        .append_extension(constraints.critical().build().unwrap())
        .unwrap();

    let mut names = SubjectAlternativeName::new();
    names.email("fiscal@empresa.test");
    for (id, value) in [
        ("2.16.76.1.3.1", holder.natural_person),
        ("2.16.76.1.3.3", holder.cnpj),
    ] {
        if let Some(value) = value {
            names.other_name2(
                Asn1Object::from_str(id).unwrap(),
                &tlv(0x04, value.as_bytes()),
            );
        }
    }
    let names = names.build(&builder.x509v3_context(None, None)).unwrap();
    builder.append_extension(names).unwrap();
    let signer = issuer.map_or(key, |issuer| &issuer.key);
    builder.sign(signer, MessageDigest::sha256()).unwrap();
    builder.build()
}

fn name(common_name: &str) -> X509Name {
    let mut builder = X509Name::builder().unwrap();
    builder.append_entry_by_text("C", "BR").unwrap();
    builder.append_entry_by_text("O", "ICP-Teste").unwrap();
    builder.append_entry_by_text("CN", common_name).unwrap();
    builder.build()
}

/// One DER element.
pub fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    match content.len() {
        short @ 0..0x80 => out.push(short as u8),
        long => {
            let octets = long.to_be_bytes();
            let used = octets.iter().position(|&o| o != 0).unwrap();
            out.push(0x80 | (octets.len() - used) as u8);
            out.extend_from_slice(&octets[used..]);
        }
    }
    out.extend_from_slice(content);
    out
}

/// A folder that is removed at the end of the test.
pub struct TempDir(PathBuf);

impl TempDir {
    pub fn new() -> Self {
        let mut random = [0u8; 8];
        getrandom::fill(&mut random).unwrap();
        let name = format!("hub-vault-{:016x}", u64::from_be_bytes(random));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            eprintln!("temporary folder stays: {error}");
        }
    }
}
