//! `hub roots import`: certificates an operator adds, each checked first.

use super::{Known, Origin, Purpose, Roots, chain, embedded};
use base::files;
use openssl::pkey::Id;
use openssl::stack::Stack;
use openssl::x509::X509;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Largest file read; the whole of ICP-Brasil takes half of it.
const MAX_BYTES: u64 = 1 << 20;
/// Files taken from a folder.
const MAX_FILES: usize = 1_000;
/// Certificates taken at once.
const MAX_CERTIFICATES: usize = 2_000;
const EXTENSIONS: [&str; 3] = ["pem", "crt", "cer"];
/// Smallest key of an authority, bits.
const MIN_RSA_BITS: u32 = 2048;
const MIN_EC_BITS: u32 = 256;

/// Roots of ICP-Brasil that sign neither servers nor documents.
const NEVER: [(&str, &str); 1] = [(
    "1406710058180fa4081aab3f246f1702429c552a11fa3143b84c88cb3ab8e5e7",
    "ICP-Brasil v11 is for code signing only",
)];

/// What became of one certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Imported(PathBuf),
    /// In the binary, or imported before.
    AlreadyThere,
    Refused(String),
}

/// One line of the report.
#[derive(Clone, Debug)]
pub struct Imported {
    /// File it was read from.
    pub from: PathBuf,
    /// Holder; empty when the file has no certificate.
    pub holder: String,
    pub fingerprint: String,
    pub valid_until_ms: i64,
    pub outcome: Outcome,
}

/// Copies the certificates of a file or folder into `data_dir`. They count
/// from the next start on.
///
/// # Errors
/// The path cannot be read, or `data_dir` not written. A certificate that is
/// refused is no error but a line of the report.
pub fn import(
    data_dir: &Path,
    path: &Path,
    purpose: Purpose,
    now_ms: i64,
) -> anyhow::Result<Vec<Imported>> {
    let roots = Roots::open(data_dir);
    let mut report = Vec::new();
    let candidates = candidates(path, purpose, &mut report)?;
    let mut intermediates = Stack::new()?;
    for known in candidates.iter().filter(|known| !known.root) {
        intermediates.push(known.x509.clone())?;
    }
    // An intermediate may come with its root.
    let mut trusted = Roots::open(data_dir);
    trusted.imported.extend(
        candidates
            .iter()
            .filter(|known| known.root && refusal(&roots, known, now_ms).is_none())
            .cloned(),
    );
    let store = trusted.store(purpose)?;
    let folder = super::folder(data_dir, purpose);
    files::folder(&folder)?;
    for known in candidates {
        let outcome = match refusal(&roots, &known, now_ms) {
            Some(reason) => Outcome::Refused(reason),
            None if there(&roots, &known) => Outcome::AlreadyThere,
            None if !known.root && !chain::verified(&store, &known.x509, &intermediates)? => {
                Outcome::Refused(format!(
                    "no root for {} is known above it; import that first",
                    purpose.as_str()
                ))
            }
            None => {
                let to = folder.join(format!("{}.pem", known.facts.fingerprint));
                let created = files::create(&to, &known.x509.to_pem()?)?;
                if created {
                    Outcome::Imported(to)
                } else {
                    Outcome::AlreadyThere
                }
            }
        };
        let Origin::Imported { path } = known.origin else {
            continue;
        };
        report.push(Imported {
            from: path,
            holder: known.facts.holder,
            fingerprint: known.facts.fingerprint,
            valid_until_ms: known.facts.valid_until_ms,
            outcome,
        });
    }
    Ok(report)
}

/// The certificates of a file or folder; what is none goes to the report.
fn candidates(
    path: &Path,
    purpose: Purpose,
    report: &mut Vec<Imported>,
) -> anyhow::Result<Vec<Known>> {
    let paths = if path.is_dir() {
        files(path, MAX_FILES)?
    } else {
        vec![path.to_owned()]
    };
    let mut candidates = Vec::new();
    for path in paths {
        let text = read(&path)?;
        match X509::stack_from_pem(&text) {
            Ok(found) if !found.is_empty() => {
                let origin = Origin::Imported { path: path.clone() };
                for x509 in found {
                    candidates.push(Known::new(purpose, x509, origin.clone())?);
                }
            }
            _ => report.push(Imported {
                from: path,
                holder: String::new(),
                fingerprint: String::new(),
                valid_until_ms: 0,
                outcome: Outcome::Refused("not a PEM certificate".to_owned()),
            }),
        }
        anyhow::ensure!(
            candidates.len() <= MAX_CERTIFICATES,
            "more than {MAX_CERTIFICATES} certificates at once"
        );
    }
    Ok(candidates)
}

/// Why this certificate is not taken, whatever stands above it.
fn refusal(roots: &Roots, known: &Known, now_ms: i64) -> Option<String> {
    if let Some(reason) = never(known) {
        return Some(reason.to_owned());
    }
    let facts = &known.facts;
    let day = base::when::rfc3339;
    if facts.valid_until_ms < now_ms {
        return Some(format!("ended {}", day(facts.valid_until_ms)));
    }
    if facts.valid_from_ms > now_ms {
        return Some(format!("begins {}", day(facts.valid_from_ms)));
    }
    let other = roots
        .all()
        .find(|one| one.facts.fingerprint == facts.fingerprint && one.purpose != known.purpose);
    other.map(|other| {
        format!(
            "is trusted for {}; a certificate is for one purpose",
            other.purpose.as_str()
        )
    })
}

/// Why this certificate is never loaded, from a folder either.
pub(super) fn never(known: &Known) -> Option<&'static str> {
    let named = NEVER
        .iter()
        .find(|(fingerprint, _)| *fingerprint == known.facts.fingerprint);
    if let Some((_, reason)) = named {
        return Some(reason);
    }
    if !known.facts.of_ca {
        return Some("not a certification authority (basicConstraints cA)");
    }
    // v7 of ICP-Brasil (EdDSA on E-521), for one.
    let Ok(key) = known.x509.public_key() else {
        return Some("its key is of a kind OpenSSL does not verify");
    };
    let small = match key.id() {
        Id::RSA | Id::RSA_PSS => key.bits() < MIN_RSA_BITS,
        Id::EC => key.bits() < MIN_EC_BITS,
        Id::ED25519 | Id::ED448 => false,
        _ => true,
    };
    if small {
        return Some("its key is too small, or neither RSA nor on a curve");
    }
    let elsewhere = embedded::all().iter().any(|one| {
        one.facts.fingerprint == known.facts.fingerprint && one.purpose != known.purpose
    });
    elsewhere.then_some("the hub knows it for the other purpose")
}

fn there(roots: &Roots, known: &Known) -> bool {
    roots
        .all()
        .any(|one| one.facts.fingerprint == known.facts.fingerprint)
}

/// Certificate files of a folder, sorted, at most `limit`.
///
/// # Errors
/// The folder cannot be read.
pub(super) fn files(folder: &Path, limit: usize) -> std::io::Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| {
            let extension = path.extension().and_then(|extension| extension.to_str());
            extension.is_some_and(|own| EXTENSIONS.iter().any(|one| own.eq_ignore_ascii_case(one)))
        })
        .take(limit)
        .collect();
    found.sort();
    Ok(found)
}

/// # Errors
/// The file cannot be read, or is larger than any of ours.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut text = Vec::new();
    let file = std::fs::File::open(path)
        .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
    file.take(MAX_BYTES + 1).read_to_end(&mut text)?;
    anyhow::ensure!(
        text.len() as u64 <= MAX_BYTES,
        "{}: larger than 1 MiB",
        path.display()
    );
    Ok(text)
}
